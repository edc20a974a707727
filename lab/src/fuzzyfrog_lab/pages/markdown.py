"""Tables, links and lists of names in Markdown."""

from collections.abc import Iterable, Sequence

GAP = "–"
Rows = list[list[str]]


def table(rows: Rows) -> list[str]:
    """Return the lines of a table; the first row is its header."""
    head, *body = ["| " + " | ".join(row) + " |" for row in rows]
    rule = "|" + "---|" * len(rows[0])
    return [head, rule, *body]


def bracketed(ours: str, theirs: object) -> str:
    """Return a figure with the published one, if any, in brackets."""
    return ours if theirs is None or theirs == "" else f"{ours} ({theirs})"


def linked(path: str) -> str:
    """Return a link to a file in the same folder."""
    return f"[{path}]({path})"


def joined(names: Iterable[str]) -> str:
    """Return names as in a sentence: "a, b and c"."""
    everything: Sequence[str] = list(names)
    if len(everything) < 2:
        return "".join(everything)
    return f"{', '.join(everything[:-1])} and {everything[-1]}"
