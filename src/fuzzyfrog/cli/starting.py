"""The way into the command line, and the way out of it, whatever happens."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from fuzzyfrog.cli.streams import secure_streams

__all__ = ["main"]


def main() -> None:
    """Run the command that the arguments of the process ask for."""
    secure_streams()
    try:
        with _terminable():
            _run()
    except KeyboardInterrupt:  # before a command began, or while it ended
        sys.exit(130)


def _run() -> None:
    # Imported here, so that an interruption of the imports is no traceback.
    from fuzzyfrog.cli.app import app
    from fuzzyfrog.cli.failures import report_failure
    from fuzzyfrog.cli.notices import clean_warnings

    try:
        with clean_warnings():
            app(prog_name="fuzzyfrog")
    except Exception as error:
        sys.exit(report_failure(error))


@contextmanager
def _terminable() -> Iterator[None]:
    """Let SIGTERM, and a terminal that is closed, do what Ctrl-C does, unless it is ignored."""
    kinds = [getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP")]  # not all on Windows
    ours = [kind for kind in kinds if kind and signal.getsignal(kind) is signal.SIG_DFL]
    for kind in ours:
        signal.signal(kind, _interrupt)
    try:
        yield
    finally:
        for kind in ours:
            signal.signal(kind, signal.SIG_DFL)


def _interrupt(kind: int, _: FrameType | None) -> None:
    if kind != signal.SIGTERM:
        # The shell and the system both tell that a terminal is closed; once is enough.
        signal.signal(kind, signal.SIG_IGN)
    raise KeyboardInterrupt
