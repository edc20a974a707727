"""How names, lists and suggestions are put into the sentences that people read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

__all__ = [
    "close_to",
    "count",
    "counted",
    "listed",
    "percent",
    "shown",
    "suggested",
]

MAX_CHARACTERS = 60
MAX_ITEMS = 10


def shown(value: object) -> str:
    """Return the value as it can be printed: control characters escaped, long text cut."""
    text = repr(value)
    if len(text) <= MAX_CHARACTERS:
        return text
    return f"{text[:MAX_CHARACTERS]}... ({len(text)} characters)"


def listed(values: Iterable[object]) -> str:
    """Return the first few values, separated by commas, and how many there are in all."""
    everything = list(values)
    text = ", ".join(shown(value) for value in everything[:MAX_ITEMS])
    if len(everything) <= MAX_ITEMS:
        return text
    return f"{text}, ... ({len(everything)} in all)"


def counted(number: int, thing: str) -> str:
    """Return a number with its noun, as in "1 class" and "2 classes"."""
    if number == 1:
        return f"1 {thing}"
    return f"{number} {thing}es" if thing.endswith("s") else f"{number} {thing}s"


def close_to(name: object, known: Sequence[str]) -> list[str]:
    """Return the known names that resemble the name, the closest first; case does not matter."""
    plain = [one.casefold() for one in known]
    close = get_close_matches(str(name)[:MAX_CHARACTERS].casefold(), plain, n=3)
    matches = [one for match in close for one in known if one.casefold() == match]
    return list(dict.fromkeys(matches))


def suggested(name: object, known: Sequence[str]) -> str:
    """Return a sentence with the known names that resemble the name, or with all of them."""
    close = close_to(name, known)
    if close:
        return f"Did you mean {' or '.join(map(shown, close))}?"
    return f"Known: {listed(known)}."


def count(number: int, thing: str, plural: str | None = None) -> str:
    """Return a number with its noun, as in "1 reduct" and "2,000 reducts"."""
    return f"{number:,} {thing if number == 1 else plural or f'{thing}s'}"


def percent(share: float) -> str:
    """Return a share in percent; 100 and 0 only for all and none."""
    if share in (0.0, 1.0):
        return f"{share:.0%}"
    return f"{min(max(share, 0.001), 0.999):.1%}"
