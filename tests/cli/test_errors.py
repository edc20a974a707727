"""Exit codes, and errors and warnings worded with options."""

import inspect
import warnings

import pytest

import fuzzyfrog
from fuzzyfrog.cli.errors import (
    PYTHON_ONLY,
    ExitCode,
    UsageError,
    clean_warnings,
    in_options,
    report_failure,
)
from fuzzyfrog.common.messages import Sentence, Setting
from fuzzyfrog.errors import (
    CheckpointError,
    ClusterError,
    DataError,
    OutOfMemoryError,
    ParameterError,
    UnwrittenError,
)
from fuzzyfrog.search import Exact


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageError("x"), ExitCode.USAGE),
        (DataError("x"), ExitCode.USAGE),
        (ParameterError("n_jobs", "be 1", "2"), ExitCode.USAGE),
        (CheckpointError("x"), ExitCode.USAGE),
        (ClusterError("x"), ExitCode.FAILURE),
        (OutOfMemoryError("x"), ExitCode.FAILURE),
        (UnwrittenError(("x",)), ExitCode.FAILURE),
    ],
)
def test_an_error_on_purpose_is_its_sentence(error, code, capsys):
    assert report_failure(error) == code
    (line,) = capsys.readouterr().err.splitlines()
    assert line == f"fuzzyfrog: {in_options(error)}"


@pytest.mark.parametrize("kind", [ValueError, RuntimeError, OSError, KeyError])
def test_any_other_error_is_a_failure_with_a_hint(kind, capsys):
    """Also a ValueError, of whatever library: only those of the tree refuse an input."""
    assert report_failure(kind("seven\nlines")) == ExitCode.FAILURE
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"fuzzyfrog: the command failed ({kind.__name__}: ")
    assert line.endswith("Put --debug before the command to see where.")


def test_running_out_of_memory_has_a_way_out(capsys):
    assert report_failure(MemoryError("Unable to allocate 2 TiB")) == ExitCode.FAILURE
    assert capsys.readouterr().err == (
        "fuzzyfrog: the command ran out of memory (Unable to allocate 2 TiB). Leave out columns "
        "(--ignore) or rows, or use fewer threads (--jobs 1).\n"
    )


@pytest.mark.parametrize(
    ("of_the_library", "here"),
    [
        (
            ParameterError("n_jobs", "be None or at least 1", "0"),
            "--jobs must be at least 1, got 0.",
        ),
        (
            ParameterError(("must_include", "exclude"), "not overlap", "'a' in both", "Remove it."),
            "--include and --ignore must not overlap, got 'a' in both. Remove it.",
        ),
        (
            ParameterError(
                "target", "be a column", "None", Sentence("See ", Setting("ignore"), ".")
            ),
            "--target must be a column, got none. See --ignore.",
        ),
        (
            ParameterError("max_seconds", "be above 0", "-1"),
            "--max-seconds must be above 0, got -1.",
        ),
        (
            DataError(Sentence("Cells hold ';': pass ", Setting("separator", ";"), ".")),
            "Cells hold ';': pass --separator ';'.",
        ),
        (
            Sentence("Pass ", Setting("target", "class"), " or ", Setting("certify", True), "."),
            "Pass --target-kind class or --certify.",
        ),
        (
            Sentence("Add ", Setting("exclude", ["a", "b c"]), ", or set ", Setting("n_jobs"), "."),
            "Add --ignore 'a,b c', or set --jobs.",
        ),
        (
            Sentence("Add ", Setting("must_include", ["last, first", "id"]), "."),
            """Add --include '"last, first",id'.""",
        ),
        (Sentence("Pass ", Setting("separator", "\t"), "."), r"Pass --separator '\t'."),
        (
            Sentence("Choose ", Setting("spread", "range"), "."),
            "Choose ReductSelector(spread='range') in Python.",
        ),
        # Plain text is left alone, whatever it looks like.
        ("n_jobs must be exclude=['a']", "n_jobs must be exclude=['a']"),
        (DataError("n_jobs.csv: no such file"), "n_jobs.csv: no such file"),
    ],
)
def test_parameters_are_worded_with_options(of_the_library, here):
    assert in_options(of_the_library) == here


@pytest.mark.parametrize(("parameter", "name"), PYTHON_ONLY.items())
def test_what_has_no_option_is_a_parameter_in_python(in_process, parameter, name):
    takes = Exact if name == "Exact" else getattr(fuzzyfrog, name)
    assert parameter in inspect.signature(takes).parameters
    for command in ("select", "reducts"):
        assert f"--{parameter.replace('_', '-')} " not in in_process(command, "--help")[1]


def test_a_warning_is_one_line_with_options_and_printed_once(capsys):
    with clean_warnings():
        warnings.simplefilter("always")
        for _ in range(2):
            warnings.warn(Sentence("Add 'id' to ", Setting("exclude"), ".\n"), stacklevel=1)
    assert capsys.readouterr().err == "fuzzyfrog: warning: Add 'id' to --ignore.\n"
