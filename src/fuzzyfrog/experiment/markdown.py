"""Rows of text -> Markdown."""

from collections.abc import Iterable, Sequence

__all__ = ["GAP", "Rows", "beside", "joined", "linked", "table"]

GAP = "–"
Rows = list[list[str]]


def table(rows: Rows) -> list[str]:
    """Give the lines of a table; the first row is its head."""
    head, *body = ["| " + " | ".join(row) + " |" for row in rows]
    rule = "|" + "---|" * len(rows[0])
    return [head, rule, *body]


def beside(ours: str, theirs: object) -> str:
    """Give a figure with the paper's in brackets, where it has one."""
    return ours if theirs is None or theirs == "" else f"{ours} ({theirs})"


def linked(path: str) -> str:
    """Give a link to a file of the same folder."""
    return f"[{path}]({path})"


def joined(names: Iterable[str]) -> str:
    """Give names as in a sentence: "a, b and c"."""
    everything: Sequence[str] = list(names)
    if len(everything) < 2:
        return "".join(everything)
    return f"{', '.join(everything[:-1])} and {everything[-1]}"
