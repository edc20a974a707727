"""Plain progress lines on stderr."""

import sys
import time

from fuzzyfrog.data.wording import counted
from fuzzyfrog.search import Moment, Outcome

__all__ = ["Progress"]


class Progress:
    """A callback that says how a run is going.

    Parameters
    ----------
    interval : float
        Seconds between two lines at least.
    """

    def __init__(self, interval: float) -> None:
        self._interval = interval
        self._start = self._last = time.monotonic()

    def __call__(self, moment: Moment) -> None:
        """Write a line if the last one is old enough."""
        now = time.monotonic()
        if now - self._last >= self._interval:
            self._last = now
            _write(f"{_found(moment.size, moment.score)}; {self._spent(moment.n_evaluations)}")

    def end(self, outcome: Outcome) -> None:
        """Write how the run ended."""
        best = _found(int(outcome.subset.sum()), outcome.score)
        n_best = counted(len(outcome.reducts), "such subset")
        _write(f"{outcome.stop_reason}: {best}, {n_best}; {self._spent(outcome.n_evaluations)}")

    def _spent(self, n_evaluations: int) -> str:
        seconds = time.monotonic() - self._start
        rate = n_evaluations / max(seconds, 1e-6)
        return f"{n_evaluations:,} evaluations in {seconds:.1f} s ({rate:,.0f} per second)"


def _found(size: int, dependency: float) -> str:
    return f"{counted(size, 'feature')}, dependency {dependency:.6f}"


def _write(line: str) -> None:
    sys.stderr.write(f"fuzzyfrog: {line}\n")
    sys.stderr.flush()
