"""Lines of progress, for the estimators; the command line has a display of its own."""

import sys
import time

from fuzzyfrog.common.messages import count
from fuzzyfrog.result import Result
from fuzzyfrog.search import Moment


class Progress:
    """A callback that prints lines of progress on stderr, `interval` seconds apart at least."""

    def __init__(self, interval: float) -> None:
        self._interval = interval
        self._start = self._last = time.monotonic()

    def __call__(self, moment: Moment) -> None:
        """Print a line if the last one is old enough."""
        now = time.monotonic()
        if now - self._last >= self._interval:
            self._last = now
            best = _found(moment.size, moment.score)
            _print(f"best so far {best}; {self._spent(moment.n_evaluations)}")

    def end(self, result: Result) -> None:
        """Print how the search ended."""
        best = _found(len(result.selected), result.dependency)
        others = f", as for {n - 1:,} other sets" if (n := result.n_reducts) > 1 else ""
        end = "done" if result.stop_reason == "converged" else f"ended by {result.stop_reason}"
        _print(f"{end}: {best}{others}; {self._spent(result.n_evaluations)}")

    def _spent(self, n_evaluations: int) -> str:
        seconds = time.monotonic() - self._start
        rate = n_evaluations / max(seconds, 1e-6)
        return f"{n_evaluations:,} sets tried in {seconds:.1f} s ({rate:,.0f} per second)"


def _found(size: int, dependency: float) -> str:
    return f"{count(size, 'column')}, dependency {dependency:.6f}"


def _print(line: str) -> None:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    # A notebook, whose shell has a kernel, shows stderr in red, as errors.
    stream = sys.stdout if hasattr(shell, "kernel") else sys.stderr
    stream.write(f"fuzzyfrog: {line}\n")
    stream.flush()
