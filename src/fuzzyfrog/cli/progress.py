"""How a search is going: a moving line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fuzzyfrog.cli.consoles import stderr, tell
from fuzzyfrog.cli.text import fitting

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

    from fuzzyfrog.search import Moment

__all__ = ["Limits", "shown_progress"]

LINE_SECONDS = 5.0  # between two lines where there is no terminal
RATE_SECONDS = 5.0  # that the speed is taken over
BAR_WIDTH = 20
LEAST_WIDTH_FOR_BAR = 80


@dataclass(frozen=True)
class Limits:
    """What a search may spend, and whether it is to prove its answer."""

    max_seconds: float | None = None
    max_evaluations: int | None = None
    certify: bool = False


class Course:
    """What is known of a search under way.

    Parameters
    ----------
    limits : Limits
        What it may spend.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._start: float | None = None  # of the search; what comes before spends no budget
        self._moment: Moment | None = None
        self._recent: deque[tuple[float, int]] = deque()

    def hear(self, moment: Moment) -> None:
        """Take in where the search stands."""
        now = time.monotonic()
        self._start = self._start or now
        self._moment = moment
        self._recent.append((now, moment.n_evaluations))
        while now - self._recent[0][0] > RATE_SECONDS and len(self._recent) > 2:
            self._recent.popleft()

    def parts(self) -> list[str]:
        """Give what there is to say, the most important first."""
        moment = self._moment
        if moment is None:
            return ["scoring the first subsets", "on the very first run also compiling"]
        parts = ["looking for a first subset"]
        if moment.score >= 0:
            noun = "feature" if moment.size == 1 else "features"
            parts = [f"{moment.size} {noun}", f"dependency {moment.score:.4f}"]
        if self._limits.certify:
            parts.append(f"at least {moment.lower_bound} needed")
        left = self._left()
        if left is not None:
            parts.append(left)
        parts.append(f"{moment.n_best:,} equally good")
        return [*parts, f"{moment.n_evaluations:,} evaluations", f"{self._rate():,.0f} per second"]

    def share(self) -> float | None:
        """Give the share of the budget that is spent; None without a budget."""
        limits, shares = self._limits, []
        if limits.max_seconds and self._start is not None:
            shares.append((time.monotonic() - self._start) / limits.max_seconds)
        if limits.max_evaluations and self._moment is not None:
            shares.append(self._moment.n_evaluations / limits.max_evaluations)
        return min(1.0, max(shares)) if shares else None

    def _left(self) -> str | None:
        if self._limits.max_seconds is None or self._start is None:
            return None
        left = self._limits.max_seconds - (time.monotonic() - self._start)
        return f"{max(0.0, left):.0f} s left"

    def _rate(self) -> float:
        (first, before), (_, now) = self._recent[0], self._recent[-1]
        return (now - before) / max(time.monotonic() - first, 1e-3)


class MovingLine:
    """The course as one line that is drawn again and again."""

    def __init__(self, course: Course) -> None:
        from rich.spinner import Spinner

        self._course = course
        self._spinner = Spinner("dots")

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw it as wide as the terminal is now."""
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        share, width = self._course.share(), options.max_width - 3
        row = [self._spinner.render(console.get_time())]
        if share is not None and options.max_width >= LEAST_WIDTH_FOR_BAR:
            row.append(ProgressBar(1.0, share, width=BAR_WIDTH))
            width -= BAR_WIDTH + 1
        text = Text(fitting(self._course.parts(), width), no_wrap=True, overflow="ellipsis")
        grid = Table.grid(padding=(0, 1, 0, 0))
        grid.add_row(*row, text)
        yield grid


@contextmanager
def shown_progress(limits: Limits, *, quiet: bool) -> Iterator[list[Callable[[Moment], None]]]:
    """Give the callbacks that a search has to call for its progress to be seen."""
    course = Course(limits)
    if quiet:
        yield []
    elif sys.stderr.isatty() and not stderr().is_dumb_terminal:
        from rich.live import Live

        with Live(
            MovingLine(course), console=stderr(), transient=True, refresh_per_second=8,
            redirect_stdout=False, redirect_stderr=False,
        ):  # fmt: skip
            yield [course.hear]
    else:
        yield [course.hear, _Lines(course)]


class _Lines:
    """A callback that writes a line now and then."""

    def __init__(self, course: Course) -> None:
        self._course = course
        self._last = time.monotonic()

    def __call__(self, _: Moment) -> None:
        now = time.monotonic()
        if now - self._last >= LINE_SECONDS:
            self._last = now
            tell(", ".join(self._course.parts()))
