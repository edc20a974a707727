"""How far an experiment has come, in lines on stderr."""

import sys
import time

__all__ = ["Progress", "Silence", "duration"]


class Progress:
    """Counts cells, says now and then which one is next and how long it may still take.

    The time left is what the cells of this run took, times the weight of what is left over the
    weight of what was done: good to a factor of two, as classifiers differ.

    Parameters
    ----------
    interval : float
        Seconds between two lines at least.
    """

    def __init__(self, interval: float = 5.0) -> None:
        self._interval = interval
        self._last = -interval
        self._n_all = self._n_done = 0
        self._left = self._done_now = self._seconds = 0.0

    def expect(self, n_cells: int, weight: float) -> None:
        """Hear of cells to come, each of a weight."""
        self._n_all += n_cells
        self._left += n_cells * weight

    def reused(self, weight: float) -> None:
        """Hear of a cell that was there."""
        self._n_done += 1
        self._left -= weight

    def computed(self, weight: float, seconds: float, what: str) -> None:
        """Hear of a cell that was computed, and say so if the last line is old enough."""
        self._n_done += 1
        self._left -= weight
        self._done_now += weight
        self._seconds += seconds
        if time.monotonic() - self._last >= self._interval:
            self._last = time.monotonic()
            left = duration(self._seconds * max(0.0, self._left) / self._done_now)
            self.say(f"{self._n_done:,} of {self._n_all:,} cells; {what}; about {left} left")

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
