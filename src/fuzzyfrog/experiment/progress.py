"""How far an experiment has come, in lines on stderr."""

import sys
import time
from collections import Counter, defaultdict

__all__ = ["Kind", "Progress", "Silence", "duration"]

Kind = tuple[str, ...]  # "selection" and the selector, or "accuracy", panel and classifier


class Progress:
    """Counts cells, says now and then which one is next and how long it may still take.

    The time left is that of the cells to come, each as long as those of its kind took for the
    size of their tables: good to a factor of two. Cells to come are often shared, so they count
    as much as they turned out to be new up to now.

    Parameters
    ----------
    interval : float
        Seconds between two lines at least.
    silent_seconds : float
        How long nothing is said about the time left: the first cells compile, and tell little.
    """

    def __init__(self, interval: float = 5.0, silent_seconds: float = 30.0) -> None:
        self._interval = interval
        self._last = -interval
        self._told_from = time.monotonic() + silent_seconds
        self._n_all = self._n_done = 0
        self._open: Counter[tuple[Kind, float]] = Counter()
        self._n_judged = self._n_shared = 0
        self._rates: defaultdict[Kind, _Rate] = defaultdict(_Rate)

    def expect(self, kind: Kind, n_cells: int, weight: float) -> None:
        """Hear of cells to come, each of a weight."""
        self._n_all += n_cells
        self._open[kind, weight] += n_cells

    def shared(self, kind: Kind, weight: float) -> None:
        """Hear that a cell that was expected is one of the others, or cannot be computed."""
        self._n_all -= 1
        self._n_shared += 1
        self._open[kind, weight] -= 1

    def reused(self, kind: Kind, weight: float, seconds: float) -> None:
        """Hear of a cell that was there."""
        self._n_done += 1
        self._n_judged += kind[0] == "accuracy"
        self._open[kind, weight] -= 1
        for one in (kind, kind[:1]):
            self._rates[one].add(seconds / weight)

    def computed(self, kind: Kind, weight: float, seconds: float, what: str) -> None:
        """Hear of a cell that was computed, and say so if the last line is old enough."""
        self.reused(kind, weight, seconds)
        now = time.monotonic()
        if now - self._last >= self._interval:
            self._last = now
            left = f"; about {duration(self._left())} left" if now >= self._told_from else ""
            self.say(f"{self._n_done:,} of {self._n_all:,} cells; {what}{left}")

    def _left(self) -> float:
        n_settled = self._n_judged + self._n_shared
        share = self._n_judged / n_settled if n_settled else 1.0
        return sum(
            count * weight * self._rate(kind) * (share if kind[0] == "accuracy" else 1.0)
            for (kind, weight), count in self._open.items()
        )

    def _rate(self, kind: Kind) -> float:
        """Give the seconds per weight of a kind, or of all its like if it is new."""
        known = self._rates.get(kind) or self._rates.get(kind[:1])
        return 0.0 if known is None else known.mean

    def say(self, sentence: str) -> None:
        """Write a line."""
        sys.stderr.write(f"fuzzyfrog: {sentence}\n")
        sys.stderr.flush()


class Silence(Progress):
    """Says nothing."""

    def say(self, sentence: str) -> None:
        """Write nothing."""


def duration(seconds: float) -> str:
    """Give a time as people say it, in at most two units."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes} min"
    return f"{hours // 24} d {hours % 24} h"


class _Rate:
    """The mean of many rates but the largest, which is that of a cell that had to compile."""

    def __init__(self) -> None:
        self._total = self._largest = 0.0
        self._count = 0

    def add(self, rate: float) -> None:
        self._total += rate
        self._largest = max(self._largest, rate)
        self._count += 1

    @property
    def mean(self) -> float:
        if self._count < 3:
            return self._total / max(1, self._count)
        return (self._total - self._largest) / (self._count - 1)
