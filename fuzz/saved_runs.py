"""Records of runs: ``python fuzz SECONDS saved_runs``.

What is read must be written the same again, and must make a page.
"""

import atheris

# Not the kernels: Numba cannot compile what has instruments in it.
with atheris.instrument_imports(include=["fuzzyfrog.records", "fuzzyfrog.report"]):
    from harness import require, run

    from fuzzyfrog.records import Run
    from fuzzyfrog.report.render import render_report

from fuzzyfrog import FuzzyRoughSelector, load_dataset
from fuzzyfrog.errors import DataError


def check(content: bytes) -> None:
    """Read a run, write it and read it again."""
    found = Run.from_json(content.decode("utf-8", "surrogateescape"))
    require(Run.from_json(found.to_json()) == found, "the same run again")
    render_report(found)


def seeds() -> list[bytes]:
    """Return small runs of several kinds."""
    selectors = [
        FuzzyRoughSelector("quickreduct", random_state=0, n_jobs=1),
        FuzzyRoughSelector("exact", random_state=0, n_jobs=1, max_evaluations=50),
    ]
    iris = load_dataset("iris")
    return [selector.fit(iris).record().to_json().encode() for selector in selectors]


if __name__ == "__main__":
    run(check, [*seeds(), b"{}", b'{"schema": 2, "run": {}}'], (DataError,))
