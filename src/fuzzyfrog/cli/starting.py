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
    """Let SIGTERM do what Ctrl-C does, unless it is ignored."""
    before = signal.getsignal(signal.SIGTERM)
    if before is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupt(_: int, __: FrameType | None) -> None:
    raise KeyboardInterrupt
