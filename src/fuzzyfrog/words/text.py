"""Names and numbers in sentences."""

from collections.abc import Sequence

from fuzzyfrog.common.messages import first_few, shown, told_apart
from fuzzyfrog.result import Leak

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


def capitalized(sentence: str) -> str:
    """Return a sentence with a capital letter at its start."""
    return f"{sentence[:1].upper()}{sentence[1:]}"


def leaks_in_words(leaks: Sequence[Leak], names: Sequence[str]) -> tuple[str, list[str], str]:
    """Return how features leak the target, up to what to do about it; their names; a pronoun.

    All are empty if there are no leaks. Features that are merely good are none.
    """
    found = [leak for leak in leaks if leak.relation != "alone"]
    features = list(dict.fromkeys(names[one] for leak in found for one in leak.features))
    if not found:
        return "", [], ""
    single: dict[str, list[str]] = {}  # columns with the same relation are told together
    said: dict[str, str] = {}
    for leak in found:
        its = [names[one] for one in leak.features]
        if len(its) > 1:
            said[f"{its}"] = f"{' and '.join(map(shown, its))} ({leak.relation})"
            continue
        single.setdefault(leak.relation, []).extend(its)
        each = "each of " if len(single[leak.relation]) > 1 else ""
        these = first_few([*map(shown, single[leak.relation])])
        said[leak.relation] = f"{each}{these} ({leak.relation})"
    predict = "predict" if len(said) > 1 or not single else "alone predicts"
    they_are, them = ("it is", "it") if len(features) == 1 else ("they are", "them")
    start = (
        f"{first_few([*said.values()], '; ')} {predict} the target almost perfectly. If {they_are} "
        "recorded after the fact or computed from the target,"
    )
    return capitalized(start), features, them
