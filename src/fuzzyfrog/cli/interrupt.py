"""Ctrl-C, SIGTERM, a closed terminal: the first ends the search, the second the command."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any

from fuzzyfrog.common.deadline import is_interruptible

if TYPE_CHECKING:
    from fuzzyfrog.search import Moment

# Sent when a terminal is closed; Windows has none.
HANGUP = getattr(signal, "SIGHUP", None)
SIGNALS = tuple(one for one in (signal.SIGINT, signal.SIGTERM, HANGUP) if one is not None)
NOTICE = (
    b"fuzzyfrog: stopping with the best subset so far; core and explanations are skipped if they "
    b"take more than 3 seconds; press Ctrl-C again to stop at once\n"
)


class Stopping:
    """A context in which the first signal does not lose the result of a search.

    Where an interruption is caught (`interruptible`: the driver of the searches, which then keeps
    the best subset so far, and the explanations), the first signal raises KeyboardInterrupt.
    Elsewhere, once something was found, it is only counted: the record and the files are still
    written. Before that, and at the second signal, it ends the command. A closed terminal is never
    a second signal, because the shell and the system both send one.
    """

    def __init__(self) -> None:
        self.n_asked = 0  # signals so far
        self.has_found = False  # set by the search, which calls this as a callback
        self.notice = NOTICE  # what the first signal does
        self._before: dict[signal.Signals, Any] = {}

    def __call__(self, moment: Moment) -> None:
        """Note whether something was found."""
        self.has_found = moment.n_best > 0

    def __enter__(self) -> Stopping:
        for one in SIGNALS:
            # Commands started with nohup, or in the background of a script, ignore signals.
            if signal.getsignal(one) is not signal.SIG_IGN:
                self._before[one] = signal.signal(one, self._stop)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for one, handler in self._before.items():
            signal.signal(one, handler)

    def _stop(self, number: int, _: FrameType | None) -> None:
        if number == HANGUP and self.n_asked:
            return
        self.n_asked += 1
        is_caught = is_interruptible()
        if self.n_asked == 1 and (self.has_found or is_caught):
            # Only os.write is safe here: the signal may come in the middle of any other write.
            with suppress(OSError):
                os.write(2, (b"\n" if os.isatty(2) else b"") + self.notice)
            if not is_caught:
                return
        raise KeyboardInterrupt
