"""Records of runs: ``python fuzz SECONDS saved_runs``.

What is read must be written the same again, and must make a page.
"""

import atheris

# Not the kernels: Numba cannot compile what has instruments in it.
with atheris.instrument_imports(include=["fuzzyfrog.result", "fuzzyfrog.report"]):
    from harness import require, run

    from fuzzyfrog.report.render import render_report
    from fuzzyfrog.result import Result

from fuzzyfrog import ReductSelector, SoftSelector, load_dataset
from fuzzyfrog.errors import DataError


def check(content: bytes) -> None:
    """Read a run, write it and read it again."""
    found = Result.from_json(content.decode("utf-8", "surrogateescape"))
    require(Result.from_json(found.to_json()) == found, "the same run again")
    render_report(found)


def seeds() -> list[bytes]:
    """Return small runs of several kinds."""
    selectors = [
        ReductSelector("quickreduct", random_state=0, n_jobs=1),
        ReductSelector("exact", random_state=0, n_jobs=1, max_evaluations=50),
        SoftSelector(random_state=0, n_jobs=1),
    ]
    iris = load_dataset("iris")
    return [selector.fit(iris).record().to_json().encode() for selector in selectors]


if __name__ == "__main__":
    run(check, [*seeds(), b"{}", b'{"schema": 1, "sha256": "", "result": {}}'], (DataError,))
