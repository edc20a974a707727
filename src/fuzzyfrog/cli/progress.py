"""How a command is going: a moving line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING

from fuzzyfrog.cli.consoles import stderr, tell
from fuzzyfrog.cli.course import Course, Limits
from fuzzyfrog.cli.text import fitting, safe

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

__all__ = ["shown_progress"]

FIRST_LINE_SECONDS = 2.0  # nobody is left without a word for longer
LINE_SECONDS = 5.0  # between two lines where there is no terminal
SAME_LINE_SECONDS = 10.0  # between two lines that differ in nothing but the time
BAR_WIDTH = 20
LEAST_WIDTH_FOR_BAR = 80


@contextmanager
def shown_progress(phase: str, limits: Limits | None = None, *, quiet: bool) -> Iterator[Course]:
    """Give the course of a command; what it is told is shown until the end.

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
