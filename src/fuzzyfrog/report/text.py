"""Names and numbers as the report shows them."""

import unicodedata

from fuzzyfrog.result import Cell

JOINERS = "\u200c\u200d"  # they shape Persian words and put emoji together
JOINED = {"Lo", "Mn", "Sk", "So"}  # what they may stand between
HIDDEN = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"}  # characters that cannot be seen
LONGEST = 2_000  # characters of a text; the rest is counted
LONGEST_CELL = 40
SHORT, LONG = 80, 200  # characters of a name among others, and of one that has room
MAX_CHARACTERS = 25_000  # of the names of a part of the page, together
SHORTEST = 12  # characters of a name that are always kept


def visible(text: str) -> str:
    """Return a text in which every character is visible and none reverses the others.

    Control, formatting and bidirectional characters, and spaces other than the plain one, are
    written as their code; so are plain spaces at the ends.
    """
    if not text:
        return "(empty)"
    cut = text[:LONGEST]
    shown = seen(cut)
    left_out = len(text) - len(cut)
    return f"{shown}… ({left_out:,} more characters)" if left_out else shown


def seen(text: str) -> str:
    """Return a text, which may be empty or long, with every character visible."""
    if text.isprintable() and text == text.strip(" "):
        return text
    return "".join(_seen(text, at) for at in range(len(text)))


def _seen(text: str, at: int) -> str:
    character = text[at]
    if character == " ":
        return "\u2423" if at in (0, len(text) - 1) else " "
    if unicodedata.category(character) not in HIDDEN or _joins(text, at):
        return character
    return f"\u27e8U+{ord(character):04X}\u27e9"


def _joins(text: str, at: int) -> bool:
    """Return whether a character joins its neighbors, as in emoji and in Persian."""
    neighbors = text[at - 1 : at] + text[at + 1 : at + 2]
    return (
        text[at] in JOINERS
        and len(neighbors) == 2
        and all(unicodedata.category(one) in JOINED for one in neighbors)
    )


def short(text: str, most: int) -> str:
    """Return a visible text of at most `most` characters."""
    shown = visible(text[: most + 1])  # no character gets shorter
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


def room(n_names: int, characters: int, most: int) -> int:
    """Return how long each of `n_names` may be so that all of them fit, at most `most`."""
    return min(most, max(SHORTEST, characters // max(1, n_names)))


def cell(value: Cell) -> str:
    """Return a value of a feature."""
    if value is None:
        return "missing"
    return short(value, LONGEST_CELL) if isinstance(value, str) else f"{value:.6g}"
