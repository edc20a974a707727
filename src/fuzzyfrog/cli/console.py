"""Printing: results to stdout, everything else to stderr, and only text that is safe to print."""

from __future__ import annotations

import errno
import io
import json
import os
import stat
import sys
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, TextIO

from fuzzyfrog.common.messages import aligned_lines

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer
    from rich.console import Console, RenderableType

STDIN, STDOUT, STDERR = 0, 1, 2


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


def write_found(document: object, lines: Iterable[RenderableType], *, as_json: bool) -> None:
    """Write what a command found: as one JSON document, or as lines."""
    if not as_json:
        write_result(*lines)
        return
    from msgspec import to_builtins  # not needed for help

    write_json(json.dumps(to_builtins(document), indent=2))


def write_result(*lines: RenderableType) -> None:
    """Write lines to stdout; a reader that is gone (``head``, a closed window) is not a failure."""
    with _quietly():
        with stdout().capture() as captured:  # this touches the stream, too
            for line in lines:
                _print(stdout(), line)
        sys.stdout.write(captured.get())


def _print(console: Console, line: RenderableType) -> None:
    console.print(line, soft_wrap=None if console.is_terminal else True)


@contextmanager
def _quietly() -> Iterator[None]:
    """Ignore a closed stdout; name the stream in other errors."""
    stream = sys.stdout
    try:
        yield
        stream.flush()
    except OSError as error:
        has_no_reader = isinstance(error, BrokenPipeError) or is_closed_terminal(stream, error)
        silence(stream)  # or else the buffered rest would fail again at exit
        if not has_no_reader:
            error.filename = "standard output"
            raise


@cache
def stderr() -> Console:
    """Return the console for progress, warnings and errors."""
    return _console(sys.stderr)


@cache
def stdout() -> Console:
    """Return the console for results."""
    return _console(sys.stdout)


def _console(stream: TextIO) -> Console:
    from rich.console import Console  # only when there is something to print

    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")  # no name may crash the program
    # Names are printed as they are: no markup, no emoji codes, no guessed highlights.
    return Console(
        file=stream, markup=False, emoji=False, highlight=False, soft_wrap=not stream.isatty()
    )


def safe(text: object) -> str:
    """Return the text with everything escaped that a terminal could interpret.

    That is control characters and escape sequences, marks that change the direction of writing,
    line ends, and surrogates, which no encoding can write.
    """
    return "".join(one if one.isprintable() else _escaped(one) for one in str(text))


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def cut(text: str, width: float) -> str:
    """Return the text, cut with an ellipsis if it is wider than `width` columns."""
    from rich.cells import cell_len, set_cell_size

    return text if cell_len(text) <= width else f"{set_cell_size(text, int(width) - 1)}…"


def fitting(parts: Sequence[str], width: int) -> str:
    """Return as many of the first parts as fit into a line, at least one."""
    line = parts[0]
    for part in parts[1:]:
        if len(line) + 2 + len(part) > width:
            break
        line = f"{line}, {part}"
    return line


def aligned(rows: Sequence[Sequence[str]], right: Container[int] = ()) -> Iterator[str]:
    """Yield the rows as indented lines with aligned columns, those in `right` to the right."""
    return (f"  {line}" for line in aligned_lines(rows, right))


def fitted(text: object, room: int) -> str:
    """Return text that is safe to print, on a terminal cut to `room` columns (at least 12)."""
    return cut(safe(text), max(room, 12)) if stdout().is_terminal else safe(text)


def secure_streams() -> None:
    """Ensure that all three streams exist, and that writing to stderr cannot fail.

    If one of them is closed, the next file to be opened gets its number: every message would be
    written into the scores of a run, for example.
    """
    for number in (STDIN, STDOUT, STDERR):
        _occupy(number)
    if sys.stdin is None:
        sys.stdin = os.fdopen(STDIN, encoding="utf-8", closefd=False)
    if sys.stdout is None:
        sys.stdout = os.fdopen(STDOUT, "w", encoding="utf-8", closefd=False)
    # Otherwise the caller has replaced it, or it is a console of Windows, which takes no bytes.
    if sys.stderr is None or (sys.stderr is sys.__stderr__ and os.name != "nt"):
        sys.stderr = _steady_stderr()


def silence(stream: TextIO) -> None:
    """Discard everything that is buffered and everything that follows."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def is_closed_terminal(stream: TextIO, error: OSError) -> bool:
    """Whether writing to a stream failed because its terminal was closed."""
    return error.errno == errno.EIO and stat.S_ISCHR(os.fstat(stream.fileno()).st_mode)


def _occupy(number: int) -> None:
    try:
        os.fstat(number)
    except OSError:
        nowhere = os.open(os.devnull, os.O_RDWR)
        if nowhere != number:
            os.dup2(nowhere, number)
            os.close(nowhere)


class _SteadyFile(io.FileIO):
    """A file that accepts everything; bytes that cannot be written are lost."""

    def write(self, data: ReadableBuffer) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


def _steady_stderr() -> TextIO:
    encoding = "utf-8" if sys.stderr is None else sys.stderr.encoding
    file = _SteadyFile(STDERR, "w", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(file), encoding, errors="backslashreplace", line_buffering=True
    )
