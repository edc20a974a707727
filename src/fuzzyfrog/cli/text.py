"""Untrusted names -> text that is safe to print."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

MAX_WIDTH = 100  # of a column, so that one long cell does not move all the others

__all__ = ["aligned", "cut", "fitting", "safe"]


def safe(text: object) -> str:
    """Give the text with everything escaped that a terminal could take as more than text.

    That is control characters and escape sequences, marks that turn the direction of writing,
    line ends, and halves of characters that no encoding can write.
    """
    return "".join(one if one.isprintable() else _escaped(one) for one in str(text))


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def cut(text: str, width: float) -> str:
    """Give the text, with an ellipsis for what does not fit into so many columns."""
    from rich.cells import cell_len, set_cell_size

    return text if cell_len(text) <= width else f"{set_cell_size(text, int(width) - 1)}…"


def fitting(parts: Sequence[str], width: int) -> str:
    """Give as many of the first parts as fit into a line, the first in any case."""
    line = parts[0]
    for part in parts[1:]:
        if len(line) + 2 + len(part) > width:
            break
        line = f"{line}, {part}"
    return line


def aligned(rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> Iterator[str]:
    """Yield lines in which the cells of a column stand below each other.

    A cell beyond 100 columns moves the rest of its own line only.

    Parameters
    ----------
    rows : sequence of sequences of str
        The cells; every row has as many.
    right : collection of int
        Columns that are put to the right, as numbers are.
    """
    from rich.cells import cell_len  # letters of some scripts are two columns wide

    widths = [min(max(map(cell_len, column)), MAX_WIDTH) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = []
        for place, (cell, width) in enumerate(zip(row, widths, strict=True)):
            padding = " " * (width - cell_len(cell))
            cells.append(padding + cell if place in right else cell + padding)
        yield ("  " + "  ".join(cells)).rstrip()
