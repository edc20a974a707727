"""Ctrl-C, SIGTERM, a closed terminal: the first ends the search, the second the command."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from math import inf
from threading import Thread
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any

from fuzzyfrog.common.deadline import hold_interruption, is_interruptible

if TYPE_CHECKING:
    from fuzzyfrog.search import Moment

# Sent when a terminal is closed; Windows has none.
HANGUP = getattr(signal, "SIGHUP", None)
SIGNALS = tuple(one for one in (signal.SIGINT, signal.SIGTERM, HANGUP) if one is not None)
NOTICE = (
    b"fuzzyfrog: stopping with the best subset so far; core and explanations are skipped if they "
    b"take more than 3 seconds; press Ctrl-C again to stop at once\n"
)
# Python itself sees a signal only between two steps of its own.
LATE = (
    b"fuzzyfrog: stopping as soon as the current step allows it, such as the compilation of a "
    b"kernel, which cannot be interrupted\n"
)
LATE_SECONDS = 1.0


class Stopping:
    """A context in which the first signal does not lose the result of a search.

    Where an interruption is caught (`interruptible`: the driver of the searches, which then keeps
    the best subset so far, and the explanations), the first signal raises KeyboardInterrupt.
    Elsewhere, once something was found, it is only counted: the record and the files are still
    written. Before that, and at the second signal, it ends the command. A closed terminal is never
    a second signal, because the shell and the system both send one. If the signal cannot be
    handled within a second, a thread says that it was heard.
    """

    def __init__(self) -> None:
        self.n_asked = 0  # signals so far
        self.has_found = False  # set by the search, which calls this as a callback
        self.notice = NOTICE  # what the first signal does
        self._before: dict[signal.Signals, Any] = {}
        self._handled_at = -inf
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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for one, handler in self._before.items():
            signal.signal(one, handler)
        if self._wakeup is not None:
            ours, before = self._wakeup
            signal.set_wakeup_fd(before)
            os.close(ours)

    def _answer_late(self, heard: int) -> None:
        """Say that a signal was heard, if it is not handled soon."""
        with os.fdopen(heard, "rb", buffering=0) as numbers:
            while number := numbers.read(1):
                now = time.monotonic()
                if number[0] in self._before:
                    time.sleep(LATE_SECONDS)
                    if self._handled_at < now - LATE_SECONDS:
                        _say(LATE)

    def _stop(self, number: int, _: FrameType | None) -> None:
        self._handled_at = time.monotonic()
        if number == HANGUP and self.n_asked:
            return
        self.n_asked += 1
        is_caught = is_interruptible()
        if self.n_asked == 1 and (self.has_found or is_caught):
            _say(self.notice)
            if not is_caught:
                return
        if hold_interruption():
            _say(LATE)
            return
        raise KeyboardInterrupt


def _say(line: bytes) -> None:
    # Only os.write is safe here: the signal may come in the middle of any other write.
    with suppress(OSError):
        os.write(2, (b"\n" if os.isatty(2) else b"") + line)
