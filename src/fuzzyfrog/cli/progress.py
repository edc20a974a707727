"""Progress on stderr, and Ctrl-C: how a command shows what it does, and how it is stopped.

Progress is a moving line on a terminal, an occasional plain line elsewhere. The first Ctrl-C,
SIGTERM or closed terminal ends the search, the second the command.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Event, Thread, Timer
from types import FrameType
from typing import TYPE_CHECKING, Any

from fuzzyfrog.cli.console import fitting, safe, stderr, tell
from fuzzyfrog.cli.signals import HANGUP, SIGNALS, put_off
from fuzzyfrog.common.deadline import Deadline, interrupt, is_stoppable
from fuzzyfrog.common.messages import count

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

    from fuzzyfrog.search import Moment

FIRST_LINE_SECONDS = 2.0  # the longest wait for a first sign of life
LINE_SECONDS = 5.0  # between two lines if there is no terminal
SAME_LINE_SECONDS = 10.0  # between two lines that differ only in the time
NOTICE = (
    b"fuzzyfrog: stopping with the best columns so far, or with all of them if the table is still "
    b"being prepared; what takes more than 3 seconds to explain is left out; press Ctrl-C again to "
    b"stop at once\n"
)
# Python itself sees a signal only between two steps of its own.
LATE = (
    b"fuzzyfrog: stopping as soon as the current step allows it; compiling cannot be interrupted\n"
)
LATE_SECONDS = 1.0
HANDLED = b"\0"  # in the pipe that Python writes the numbers of signals to
CHOOSING = "choosing columns"
EXPLAINING = "finding out what each column adds"
WRITING = "writing files"
BAR_WIDTH = 20
LEAST_WIDTH_FOR_BAR = 80


@contextmanager
def shown_progress(
    phase: str, limits: Limits | None = None, *, quiet: bool
) -> Iterator[ProgressState]:
    """Yield the state of a command, which begins in a phase, and show it until the end."""
    course = ProgressState(limits or Limits())
    course.phase(phase)
    if quiet:
        yield course
    elif sys.stderr.isatty() and not stderr().is_dumb_terminal:
        from rich.live import Live

        with Live(
            _MovingLine(course), console=stderr(), transient=True, refresh_per_second=8,
            redirect_stdout=False, redirect_stderr=False,
        ):  # fmt: skip
            yield course
    else:
        with _lines(course):
            yield course


@dataclass(frozen=True)
class Limits:
    """The budget of a search, and whether it must prove its answer."""

    max_seconds: float | None = None
    max_evaluations: int | None = None
    certify: bool = False


class ProgressState:
    """The state of a running command."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._phase = "starting"
        self._begun = time.monotonic()  # when the phase began
        self._n_compiling = 0
        self._deadline: Deadline | None = None  # set by `start_clock`
        self._moment: Moment | None = None

    def phase(self, name: str) -> None:
        """Begin a phase, such as "reading wine.csv"."""
        self._phase, self._moment = name, None
        self._begun = time.monotonic()

    def start_clock(self) -> None:
        """Start to count down the time limit, if there is one."""
        if self._limits.max_seconds is not None:
            self._deadline = Deadline(self._limits.max_seconds)

    def hear(self, moment: Moment) -> None:
        """Note the state of the search."""
        self._moment = moment

    def compile(self, change: int) -> None:
        """Note that the compilation of a kernel begins (1) or ends (-1)."""
        self._n_compiling += change

    def state(self) -> object:
        """Return everything but the time: if it is equal, nothing has changed."""
        return self._phase, self._moment, self._n_compiling > 0

    def parts(self) -> list[str]:
        """Return the parts of the line, the most important first."""
        first, *rest = self._found()
        if self._n_compiling:
            rest.insert(0, "compiling, which later runs need not")
        return [first, *rest, f"{time.monotonic() - self._begun:.0f} s"]

    def _found(self) -> list[str]:
        moment = self._moment  # another thread may reset it
        if moment is None:
            return [self._phase, *self._left()]
        parts = [CHOOSING if moment.score < 0 else f"{CHOOSING}, {moment.size:,} so far"]
        if moment.on_sample:
            parts.append("on a sample of the rows")
        if self._limits.certify:
            parts.append(f"at least {moment.lower_bound} needed")
        parts += [*self._left(), f"{count(moment.n_evaluations, 'combination')} tried"]
        return [*parts, f"{moment.n_best:,} sets as good"] if moment.n_best > 1 else parts

    def share(self) -> float | None:
        """Return the share of the budget that is spent, None without a budget."""
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
            return ["time limit reached"]
        return [f"{self._deadline.remaining():.0f} s left"]


@contextmanager
def _lines(course: ProgressState) -> Iterator[None]:
    """Write a line now and then, even while the work reports nothing."""
    ended = Event()

    def write_lines() -> None:
        pause, last, last_at = FIRST_LINE_SECONDS, None, 0.0
        while not ended.wait(pause):
            pause, state, now = LINE_SECONDS, course.state(), time.monotonic()
            if state != last or now - last_at >= SAME_LINE_SECONDS:
                last, last_at = state, now
                tell(", ".join(course.parts()))

    writer = Thread(target=write_lines, name="progress", daemon=True)
    writer.start()
    try:
        yield
    finally:
        ended.set()
        writer.join()


class _MovingLine:
    """The course as one line that is redrawn."""

    def __init__(self, course: ProgressState) -> None:
        from rich.spinner import Spinner

        self._course = course
        self._spinner = Spinner("dots")

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw the line as wide as the terminal is now."""
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        share, width = self._course.share(), options.max_width - 3
        row = [self._spinner.render(console.get_time())]
        if share is not None and options.max_width >= LEAST_WIDTH_FOR_BAR:
            row.append(ProgressBar(1.0, share, width=BAR_WIDTH))
            width -= BAR_WIDTH + 1
        text = safe(fitting(self._course.parts(), width))
        grid = Table.grid(padding=(0, 1, 0, 0))
        grid.add_row(*row, Text(text, no_wrap=True, overflow="ellipsis"))
        yield grid


class Stopping:
    """A context in which the first signal does not lose the result of a selection.

    Before the selection, and at the second signal, KeyboardInterrupt ends the command. A first
    signal ends the deadlines of the selection (`interrupt`), and once there is an answer it is only
    counted: the files are still written. In a check it is raised as well, since models do not poll
    deadlines, and is caught. A closed terminal is never a second signal, because the shell and the
    system both send one. If the signal cannot be handled within a second, a thread says that it was
    heard.
    """

    def __init__(self) -> None:
        self.n_asked = 0  # signals so far
        self.has_found = False  # set by the search, which calls this as a callback
        self.is_checking = False
        self.notice = b""  # what the first signal does
        self._before: dict[signal.Signals, Any] = {}
        self._wakeup: tuple[int, int] | None = None  # our file and the one before

    def __call__(self, moment: Moment) -> None:
        """Note whether something was found."""
        self.has_found = moment.n_best > 0

    def __enter__(self) -> Stopping:
        for one in SIGNALS:
            # Commands started with nohup, or in the background of a script, ignore signals.
            if signal.getsignal(one) is not signal.SIG_IGN:
                self._before[one] = signal.signal(one, self._stop)
        if os.name == "posix":  # Windows takes nothing but sockets
            heard, ours = os.pipe()
            os.set_blocking(ours, False)
            self._wakeup = ours, signal.set_wakeup_fd(ours, warn_on_full_buffer=False)
            Thread(target=self._answer_late, args=(heard,), name="signals", daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        for one, handler in self._before.items():
            signal.signal(one, handler)
        if self._wakeup is not None:
            ours, before = self._wakeup
            signal.set_wakeup_fd(before)
            os.close(ours)

    def _answer_late(self, heard: int) -> None:
        """Say that a signal was heard, if it is not handled soon."""
        late: list[Timer] = []
        with os.fdopen(heard, "rb", buffering=0) as numbers:
            while number := numbers.read(1):
                if number == HANDLED:
                    while late:
                        late.pop().cancel()
                elif number[0] in self._before:
                    # Not here: while this thread sleeps, it does not see when the next comes.
                    late.append(Timer(LATE_SECONDS, _say, (LATE,)))
                    late[-1].daemon = True
                    late[-1].start()

    def _stop(self, number: int, frame: FrameType | None) -> None:
        if self._wakeup is not None:
            with suppress(OSError):
                os.write(self._wakeup[0], HANDLED)
        if number == HANGUP and self.n_asked:
            return
        if not is_stoppable() and put_off(number, frame):
            return
        self.n_asked += 1
        if self.n_asked == 1 and self.notice:
            _say(self.notice)
        is_kept = self.n_asked == 1 and self.has_found and not self.is_checking
        if is_stoppable() or not is_kept:
            interrupt()


def _say(line: bytes) -> None:
    # Only os.write is safe here: the signal may come in the middle of any other write.
    with suppress(OSError):
        os.write(2, (b"\n" if os.isatty(2) else b"") + line)
