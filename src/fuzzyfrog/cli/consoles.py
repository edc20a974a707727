"""Where things are printed: results on stdout, everything else on stderr."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, TextIO

from fuzzyfrog.cli.streams import is_closed_terminal, silence
from fuzzyfrog.cli.text import cut, safe

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

__all__ = ["fitted", "stderr", "stdout", "tell", "warn", "write_json", "write_result"]


@cache
def stderr() -> Console:
    """Give the console for progress, warnings and errors."""
    return _console(sys.stderr)


@cache
def stdout() -> Console:
    """Give the console for results."""
    return _console(sys.stdout)


def _console(stream: TextIO) -> Console:
    from rich.console import Console  # only when there is something to print

    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")  # a name must not end the program
    # Names are printed as they are: no markup, no emoji codes, no guessed highlights.
    return Console(
        file=stream, markup=False, emoji=False, highlight=False, soft_wrap=not stream.isatty()
    )


def fitted(text: object, room: int) -> str:
    """Return text that is safe to print, cut on a terminal to at least 12 columns of room."""
    return cut(safe(text), max(room, 12)) if stdout().is_terminal else safe(text)


def tell(sentence: str) -> None:
    """Write a sentence to stderr."""
    _print(stderr(), f"fuzzyfrog: {safe(sentence)}")


def warn(sentence: str) -> None:
    """Write a warning to stderr, on one line."""
    tell(f"warning: {' '.join(sentence.split())}")


def write_json(text: str) -> None:
    """Write a JSON document to stdout."""
    with _quietly():
        sys.stdout.write(f"{text}\n")


def write_result(*lines: RenderableType) -> None:
    """Write lines to stdout; a reader that is gone, ``head`` or a closed window, is no failure."""
    with _quietly():
        with stdout().capture() as captured:  # which touches the stream, too
            for line in lines:
                _print(stdout(), line)
        sys.stdout.write(captured.get())


def _print(console: Console, line: RenderableType) -> None:
    console.print(line, soft_wrap=None if console.is_terminal else True)


@contextmanager
def _quietly() -> Iterator[None]:
    """Take no offense at a stdout that nobody reads; name it where it cannot be written."""
    stream = sys.stdout
    try:
        yield
        stream.flush()
    except OSError as error:
        has_no_reader = isinstance(error, BrokenPipeError) or is_closed_terminal(stream, error)
        silence(stream)  # what Python still holds back would fail again at the very end
        if not has_no_reader:
            error.filename = "standard output"
            raise
