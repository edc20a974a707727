"""Names and numbers in sentences."""

from collections.abc import Sequence

from fuzzyfrog.common.messages import told_apart

MAX_NAMED = 8  # features that a sentence lists
LONGEST = 40  # characters of their names


def gamma(value: float) -> str:
    """Return a dependency with three digits, or more where it would round to 1 or 0."""
    if 0.9995 <= value < 1.0:
        return f"{min(value, 1.0 - 1e-12):.{_digits(1.0 - value)}f}"
    if 0.0 < value < 0.0005:
        return f"{value:.{_digits(value)}f}"
    return f"{value:.3f}"


def _digits(small: float) -> int:
    """Return how many digits a small number needs to differ from 0."""
    return next((n for n in range(4, 12) if round(small, n) > 0), 12)


def both_told(one: float, other: float) -> tuple[str, str]:
    """Return two numbers with as many digits as it takes to tell them apart."""
    return told_apart(one, other), told_apart(other, one)


def named(names: Sequence[str], longest: int = LONGEST, most: int = MAX_NAMED) -> str:
    """Return the first few names, cut where they are long, and how many more there are."""
    n_first = len(names) if len(names) <= most + 1 else most  # never "and 1 more"
    first = ", ".join(
        name if len(name) <= longest else f"{name[: longest - 1]}…" for name in names[:n_first]
    )
    return first if len(names) == n_first else f"{first} and {len(names) - n_first:,} more"
