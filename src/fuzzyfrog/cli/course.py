"""Where a command stands: its phase, and in a search how far that has come."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fuzzyfrog.deadline import Deadline

if TYPE_CHECKING:
    from fuzzyfrog.search import Moment

__all__ = ["Course", "Limits"]

RATE_SECONDS = 5.0  # that the speed is taken over


@dataclass(frozen=True)
class Limits:
    """What a search may spend, and whether it is to prove its answer."""

    max_seconds: float | None = None
    max_evaluations: int | None = None
    certify: bool = False


class Course:
    """What is known of a command under way.

    Parameters
    ----------
    limits : Limits
        What its search may spend.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._phase = "starting"
        self._begun = time.monotonic()  # the phase
        self._n_compiling = 0
        self._deadline: Deadline | None = None  # of a limit, from `start_clock` on
        self._moment: Moment | None = None
        self._recent: deque[tuple[float, int]] = deque()

    def phase(self, name: str) -> None:
        """Begin a phase, such as "reading wine.csv"; that of a search ends with it."""
        self._phase, self._moment = name, None
        self._begun = time.monotonic()
        self._recent = deque([(self._begun, 0)])

    def start_clock(self) -> None:
        """Begin to count down the limit in seconds, if there is one: the table is read."""
        if self._limits.max_seconds is not None:
            self._deadline = Deadline(self._limits.max_seconds)

    def hear(self, moment: Moment) -> None:
        """Take in where the search stands."""
        now = time.monotonic()
        self._moment = moment
        self._recent.append((now, moment.n_evaluations))
        while now - self._recent[0][0] > RATE_SECONDS and len(self._recent) > 2:
            self._recent.popleft()

    def compile(self, change: int) -> None:
        """Take in that the compilation of a kernel begins, 1, or ends, -1."""
        self._n_compiling += change

    def news(self) -> object:
        """Give what has changed if this has, beside the time."""
        return self._phase, self._moment, self._n_compiling > 0

    def parts(self) -> list[str]:
        """Give what there is to say, the most important first."""
        first, *rest = self._found()
        if self._n_compiling:
            rest.insert(0, "compiling for this and later runs")
        return [first, *rest, f"{time.monotonic() - self._begun:.0f} s"]

    def _found(self) -> list[str]:
        moment = self._moment  # the other thread may take it away
        if moment is None:
            return [self._phase, *self._left()]
        parts = ["looking for a first subset"]
        if moment.score >= 0:
            noun = "feature" if moment.size == 1 else "features"
            parts = [f"{moment.size} {noun}", f"dependency {moment.score:.4f}"]
        if self._limits.certify:
            parts.append(f"at least {moment.lower_bound} needed")
        noun = "such subset" if moment.n_best == 1 else "such subsets"
        parts += [*self._left(), f"{moment.n_best:,} {noun}"]
        return [*parts, f"{moment.n_evaluations:,} evaluations", *self._rate()]

    def share(self) -> float | None:
        """Give the share of the budget that is spent; None without a budget."""
        limits, moment, shares = self._limits, self._moment, []
        if limits.max_seconds and self._deadline is not None:
            shares.append(1.0 - max(0.0, self._deadline.remaining()) / limits.max_seconds)
        if limits.max_evaluations and moment is not None:
            shares.append(moment.n_evaluations / limits.max_evaluations)
        return min(1.0, max(shares)) if shares else None

    def _left(self) -> list[str]:
        if self._deadline is None:
            return []
        if self._deadline.expired():
            return ["time is up"]
        return [f"{self._deadline.remaining():.0f} s left"]

    def _rate(self) -> list[str]:
        """Give the speed, unless nothing was scored lately: then it is not known."""
        (first, before), (last, now) = self._recent[0], self._recent[-1]
        silence = time.monotonic() - last
        # A large batch may take longer than that; then the next one may, too.
        if now <= before or last <= first or silence > max(RATE_SECONDS, 2 * (last - first)):
            return []
        return [f"{(now - before) / (last - first):,.0f} per second"]
