# `make demo` and `make test` are all a fresh machine with Python 3.11 or newer and make needs.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# The versions that everything here was tested with; empty for the newest.
CONSTRAINTS ?= requirements/constraints.txt
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check $(addprefix --constraint ,$(CONSTRAINTS))
PYTEST := $(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadgroup

# The tests start hundreds of processes, and none should compile every module again.
unexport PYTHONDONTWRITEBYTECODE

# The cheapest tests of every package, without Chromium, Weka, Dask and the files of the paper.
QUICK := tests/test_docstrings.py tests/test_imports.py tests/result tests/naive \
	tests/common/test_messages.py tests/cluster/test_shards.py tests/words \
	$(addprefix tests/cli/test_, progress.py text.py) \
	$(addprefix tests/data/test_, arff.py categories.py cells.py columns.py csv.py dataset.py \
		frames.py npy.py parquet.py read_table.py target.py) \
	$(addprefix lab/tests/test_, comparison.py config.py folds.py) \
	$(addprefix tests/measure/test_, edges.py oracle.py published.py) \
	$(addprefix tests/search/test_, driver.py postprocess.py leaping.py neighbors.py \
		random_stream.py ranking.py squeezing.py) \
	$(addprefix tests/select/test_, core.py leaks.py left_out.py settings.py seeds.py)

# The files of the paper, if they are in their usual place and no other is given.
ifneq ($(wildcard ../shared/data),)
unit unit-quick unit-nojit coverage test-long: export FUZZYFROG_DATA ?= $(abspath ../shared/data)
endif

.PHONY: quick demo test coverage test-long test-lowest test-newest test-matrix test-install lock lint docs unit unit-quick unit-nojit fuzz tools paper-pages \
	dist format clean

demo: $(VENV)/.installed
	$(BIN)/fuzzyfrog select wine --report report.html
	@echo
	$(BIN)/fuzzyfrog reducts wine --certify

# While you work: the checks and some of the tests, in less than a minute.
quick: $(VENV)/.ready
	$(MAKE) --jobs=2 --output-sync=target lint unit-quick

unit-quick: $(VENV)/.ready
	$(BIN)/python -m pytest -q -n 2 --dist loadfile -m "not long" $(QUICK)

# The checks and the pages need one core each.
test: $(VENV)/.ready
	$(MAKE) --jobs=2 --output-sync=target lint docs
	$(MAKE) unit unit-nojit

lint: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Warnings are errors: a page that is not in the table of contents, a name that does not exist.
docs: $(VENV)/.ready
	$(BIN)/sphinx-build -W -q -b html docs docs/_build/html

unit: $(VENV)/.ready tools
	$(PYTEST) -m "not long"

# The kernels as plain Python: the tests see what the source says.
unit-nojit: $(VENV)/.ready
	FUZZYFROG_EXAMPLES=0.1 NUMBA_DISABLE_JIT=1 $(PYTEST) -m "not long" tests/measure -q \
		--ignore tests/measure/test_threads.py --ignore tests/measure/test_deadlines.py

# Many minutes: the tests that `make test` leaves out, such as twenty kills of one run, sixteen times
# as many random tables for the measure, and the install lines of the docs.
test-long: $(VENV)/.ready tools
	$(BIN)/python -m pytest -m long
	FUZZYFROG_EXAMPLES=4 $(PYTEST) -m "not long" tests/measure
	$(MAKE) test-install

# Lines and branches that the tests reach, also in the processes they start; about twice as long as `unit`.
coverage: $(VENV)/.ready tools
	$(PYTEST) -m "not long" --cov --cov-report=term --cov-report=html:docs/_build/coverage

# A second environment with the lowest versions that pyproject.toml allows, and the quick tests of
# the measure, the searches and the selectors there.
LOWEST ?= .venv-lowest
test-lowest:
	$(PYTHON) -m venv $(LOWEST)
	$(PYTHON) scripts/lowest.py > $(LOWEST)/lowest.txt
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check \
		--constraint $(LOWEST)/lowest.txt . hypothesis pandas polars pytest
	$(LOWEST)/bin/python -m pytest -q -m "not long" -p no:cacheprovider \
		$(filter tests/measure/% tests/search/% tests/select/%, $(QUICK)) tests/select/test_sklearn_checks.py

# All checks and tests with the newest versions, in an environment that is made again each time.
NEWEST ?= .venv-newest
test-newest:
	rm -rf $(NEWEST)
	$(MAKE) test VENV=$(NEWEST) CONSTRAINTS=

# All checks and tests with each version of Python that pyproject.toml names and this machine has.
test-matrix:
	@set -e; for python in $$($(PYTHON) scripts/interpreters.py); do \
		version=$$($$python -c "import sys; print('%d.%d' % sys.version_info[:2])"); \
		echo "Python $$version"; \
		$(MAKE) test PYTHON=$$python VENV=.venv-$$version; \
	done

# Every `pip install` of the docs, each in a new environment; many minutes.
test-install:
	$(PYTHON) scripts/install_lines.py

# Renew requirements/constraints.txt.
lock:
	$(PYTHON) scripts/lock.py

# The source archive and the wheel, in dist/.
dist: $(VENV)/.ready
	$(BIN)/python -m hatchling build

# Fuzz each reader and parser for FUZZ_SECONDS; what it finds becomes a test.
FUZZ_SECONDS ?= 60
fuzz: $(VENV)/.ready
	$(PIP) "atheris>=3"
	$(BIN)/python fuzz $(FUZZ_SECONDS)

# Chromium and Weka for the tests that need them; without them, those tests are skipped with a reason.
tools:
	-@scripts/install_chromium.sh
	-@scripts/install_weka.sh

# The pages in lab/paper/results and lab/selectors/results, from the cells there: the same cells
# give the same bytes.
paper-pages: $(VENV)/.ready
	cd lab && $(abspath $(BIN))/python -m paper.pages
	$(BIN)/fuzzyfrog-lab reproduce --config lab/selectors/experiment.toml \
		--out lab/selectors/results --report-only

format: $(VENV)/.ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

$(VENV)/.ready: $(VENV)/.made pyproject.toml lab/pyproject.toml $(CONSTRAINTS)
	@echo "Installing the development tools into $(VENV); a few minutes."
	$(PIP) --editable ".[dev]" --editable lab
	touch $(VENV)/.installed $@

$(VENV)/.installed: $(VENV)/.made pyproject.toml $(CONSTRAINTS)
	@echo "Installing fuzzyfrog into $(VENV); about a minute."
	$(PIP) --editable .
	touch $@

$(VENV)/.made:
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'fuzzyfrog needs Python 3.11 or newer; call make PYTHON=python3.x')"
	$(PYTHON) -m venv $(VENV)
	touch $@

clean:
	rm -rf $(VENV) $(LOWEST) $(NEWEST) .venv-3.* build dist docs/_build docs/gallery .pytest_cache .mypy_cache .ruff_cache .hypothesis
