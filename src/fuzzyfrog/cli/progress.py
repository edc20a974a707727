"""When Numba compiles, which takes seconds in which nothing else is heard."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Thread
from typing import TYPE_CHECKING

from fuzzyfrog.cli.console import fitting, safe, stderr, tell
from fuzzyfrog.common.deadline import Deadline

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

    from fuzzyfrog.search import Moment

__all__ = [
    "Course",
    "Limits",
    "compiling_heard",
    "shown_progress",
]


@contextmanager
def compiling_heard(hear: Callable[[int], None]) -> Iterator[None]:
    """Call `hear` with 1 when the compilation of a kernel begins and with -1 when it ends.

    What is loaded from the cache is not compiled. Kernels that others call are compiled within
    these, so that several may be under way.
    """
    from numba.core import event

    class Listener(event.Listener):
        def on_start(self, _: object) -> None:
            hear(1)

        def on_end(self, _: object) -> None:
            hear(-1)

    with event.install_listener("numba:compile", Listener()):
        yield


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
        """Return what has changed if this has, beside the time."""
        return self._phase, self._moment, self._n_compiling > 0

    def parts(self) -> list[str]:
        """Return what there is to say, the most important first."""
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
        """Return the share of the budget that is spent; None without a budget."""
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
        """Return the speed, unless nothing was scored lately: then it is not known."""
        (first, before), (last, now) = self._recent[0], self._recent[-1]
        silence = time.monotonic() - last
        # A large batch may take longer than that; then the next one may, too.
        if now <= before or last <= first or silence > max(RATE_SECONDS, 2 * (last - first)):
            return []
        return [f"{(now - before) / (last - first):,.0f} per second"]


FIRST_LINE_SECONDS = 2.0  # nobody is left without a word for longer
LINE_SECONDS = 5.0  # between two lines where there is no terminal
SAME_LINE_SECONDS = 10.0  # between two lines that differ in nothing but the time
BAR_WIDTH = 20
LEAST_WIDTH_FOR_BAR = 80


@contextmanager
def shown_progress(phase: str, limits: Limits | None = None, *, quiet: bool) -> Iterator[Course]:
    """Yield the course of a command; what it is told is shown until the end.

    Parameters
    ----------
    phase : str
        What the command does first.
    limits : Limits, optional
        What its search may spend.
    quiet : bool
        Whether to show nothing.
    """
    course = Course(limits or Limits())
    course.phase(phase)
    if quiet:
        yield course
    elif sys.stderr.isatty() and not stderr().is_dumb_terminal:
        with _moving_line(course):
            yield course
    else:
        with _lines(course):
            yield course


@contextmanager
def _moving_line(course: Course) -> Iterator[None]:
    from rich.live import Live

    with Live(
        MovingLine(course), console=stderr(), transient=True, refresh_per_second=8,
        redirect_stdout=False, redirect_stderr=False,
    ):  # fmt: skip
        yield


@contextmanager
def _lines(course: Course) -> Iterator[None]:
    """Write a line now and then, also while nothing is heard of the work."""
    ended = Event()

    def write_lines() -> None:
        pause, told, told_at = FIRST_LINE_SECONDS, None, 0.0
        while not ended.wait(pause):
            pause, news, now = LINE_SECONDS, course.news(), time.monotonic()
            if news != told or now - told_at >= SAME_LINE_SECONDS:
                told, told_at = news, now
                tell(", ".join(course.parts()))

    writer = Thread(target=write_lines, name="progress", daemon=True)
    writer.start()
    try:
        yield
    finally:
        ended.set()
        writer.join()


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
        told = safe(fitting(self._course.parts(), width))
        grid = Table.grid(padding=(0, 1, 0, 0))
        grid.add_row(*row, Text(told, no_wrap=True, overflow="ellipsis"))
        yield grid
