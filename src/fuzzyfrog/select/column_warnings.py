"""Columns that nobody wants selected: identifiers, dates, columns without values, copies."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.messages import Sentence, Setting, shown
from fuzzyfrog.data import Dataset
from fuzzyfrog.data.columns import empty_features
from fuzzyfrog.data.copies import find_alike
from fuzzyfrog.records import Alike

Masks = NDArray[np.bool_]

FEWEST_SAMPLES = 10  # with fewer, it means nothing if all values differ
FEWEST_VALUES = 20  # of a feature that is nearly an identifier
NEARLY_ALL = 0.95  # of the samples have another number
FEWEST_DATES = 3
FEW_ROWS = 0.05  # of all rows, which should not rule the answer
NOTICEABLE = 0.005  # change of the dependency
MOST_RESCORED = 20_000  # samples for which a second score costs little
HEAD = 1000  # samples that rule out most numeric features as identifiers
_YEAR = r"(?:19|20)\d\d"
_DAY, _MONTH = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:0?[1-9]|1[0-2])"
# All labels must have one of these forms, so days and months have one order.
_DATES = (
    rf"{_YEAR}[-/.]{_MONTH}([-/.]{_DAY})?",  # 2024-03-31 and 2024-03
    rf"{_DAY}([-/.]){_MONTH}\1{_YEAR}",  # 31.03.2024
    rf"{_MONTH}([-/.]){_DAY}\1{_YEAR}",  # 03/31/2024
    rf"{_DAY}([-/]){_MONTH}\1\d\d",  # 31/3/24; with points it may be a version
    rf"{_MONTH}([-/]){_DAY}\1\d\d",  # 3/31/24
    rf"{_MONTH}[-/.]{_YEAR}",  # 03/2024
    rf"[A-Z][a-z]{{2,8}}\.? {_DAY},? {_YEAR}",  # Mar 31 2024
)
DATES = tuple(re.compile(rf"{form}([T ].*)?") for form in _DATES)
# The last words in the names of identifiers, as in "customerId", "row_nr" and "ID".
_ID_WORDS = "id pid uid uuid guid pk nr nummer idx rowid rownames rowname sku isbn iban ssn email"
ID_WORDS = frozenset(_ID_WORDS.split())
# Words that make an identifier alone, and words that make one after what is numbered.
_ALONE = frozenset({"key", "number", "index", "row", "serial", "code", "mail", "phone"})
_NUMBERS = frozenset({"key", "number", "num", "no", "index", "code"})
_THINGS = "row serial order customer invoice case account patient sample record phone zip postal"
_NUMBERED = frozenset(_THINGS.split())
_COUNTS = frozenset({"number", "num", "no", "nr", "n", "count"})  # as in "number_of_ids"
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")

Parts = tuple[str | Setting, ...]


@dataclass(frozen=True)
class LeftOut:
    """The features that are left out unless the user includes them, and why.

    Parameters
    ----------
    mask : bool[n_features]
        Which they are.
    sentences : tuple of str
        What to tell about identifiers, dates, and columns without values.
    copies, correlated : tuple of Alike
        Features that say the same as another, and those that nearly do, which stay.
    """

    mask: Masks
    sentences: tuple[str, ...]
    copies: tuple[Alike, ...]
    correlated: tuple[Alike, ...]


def left_out(
    dataset: Dataset, included: Masks, excluded: Masks, *, drop_copies: bool, drop_doubtful: bool
) -> LeftOut:
    """Return which of the features that are neither included nor excluded are left out."""
    free = ~included & ~excluded
    mask = np.zeros(dataset.n_features, np.bool_)
    sentences = list(_without_values(dataset, ~excluded))
    found = {one: _doubt(dataset, one) for one in np.flatnonzero(free).tolist()}
    doubts = {one: doubt for one, doubt in found.items() if doubt}
    # If nothing else is there, an identifier is better than no answer.
    rest = set(np.flatnonzero(~excluded).tolist()) - doubts.keys()
    is_rest = bool(rest - set(empty_features(dataset.values)))
    is_dropped = drop_doubtful and is_rest
    for feature, doubt in doubts.items():
        name = dataset.feature_names[feature]
        mask[feature] = is_dropped
        more: Parts = ()
        if is_dropped:
            more = (" It is left out; select it with ", Setting("must_include", [name]), ".")
        elif not is_rest:
            more = (" Add other columns.",)
        sentences.append(Sentence(f"feature {shown(name)} ", doubt, *more))
    copies: tuple[Alike, ...] = ()
    correlated: tuple[Alike, ...] = ()
    if drop_copies:
        same, near = find_alike(dataset, ~excluded & ~mask)
        copies = tuple(_ordered(group, included) for group in same)
        correlated = tuple(Alike(group[0], tuple(group[1:])) for group in near)
        for group in copies:
            mask[[one for one in group.others if not included[one]]] = True
    return LeftOut(mask, tuple(sentences), copies, correlated)


def _ordered(group: Sequence[int], included: Masks) -> Alike:
    """Return a group of copies with the one that stays: the first, preferably an included one."""
    kept = next((one for one in group if included[one]), group[0])
    return Alike(kept, tuple(one for one in group if one != kept))


def ruling_gaps(
    dataset: Dataset, allowed: Masks, full: float, score: Callable[[Dataset], float]
) -> Iterator[Sentence]:
    """Yield a warning if a few rows, nearly without values, lower the dependency.

    `full` is that of all allowed features; `score` computes it for other rows.
    """
    if dataset.n_samples > MOST_RESCORED:
        return
    gaps = np.isnan(dataset.values[:, allowed]).sum(axis=1)
    least = max(2, (int(np.count_nonzero(allowed)) + 1) // 2)
    stay = gaps < least
    n_few = int((~stay).sum())
    if not 0 < n_few <= FEW_ROWS * dataset.n_samples:
        return
    if np.unique(dataset.target[stay]).size < min(np.unique(dataset.target).size, 2):
        return
    rest = replace(dataset, values=dataset.values[stay], target=dataset.target[stay], rows=None)
    without = score(rest)
    if without - full > NOTICEABLE:
        rows = "1 row" if n_few == 1 else f"{n_few:,} rows"
        lower = "lowers" if n_few == 1 else "lower"
        yield Sentence(
            f"{rows} with {least} or more missing values {lower} the dependency of all features "
            f"from {without:.3f} to {full:.3f}. Leave them out with ",
            Setting("max_missing", least - 1),
            " when the table is read.",
        )


def suspects(dataset: Dataset, allowed: Masks, left_out_by: str = "exclude") -> Iterator[Sentence]:
    """Yield a warning for each allowed feature without values, or like an identifier or a date.

    `left_out_by` names the parameter that leaves out features.
    """
    yield from _without_values(dataset, allowed)
    for feature in np.flatnonzero(allowed).tolist():
        if doubt := _doubt(dataset, feature):
            name = shown(dataset.feature_names[feature])
            way_out = (" If so, list it in ", Setting(left_out_by), ", or drop the column.")
            yield Sentence(f"feature {name} ", doubt, *way_out)


def _without_values(dataset: Dataset, allowed: Masks) -> Iterator[Sentence]:
    for feature in empty_features(dataset.values):
        if allowed[feature]:
            name = shown(dataset.feature_names[feature])
            yield Sentence(
                f"feature {name} has no value in any sample. Leave its column out: nothing can be "
                "learned from it."
            )


def _doubt(dataset: Dataset, feature: int) -> str:
    """Return why a feature is probably an identifier or a date, as a sentence, or nothing."""
    if feature in dataset.dates or _holds_dates(dataset, feature):
        return "holds dates, which often tell the samples apart without explaining anything."
    if dataset.categorical[feature]:
        return _doubt_of_labels(dataset, feature)
    return _doubt_of_numbers(dataset.values[:, feature], dataset.feature_names[feature])


def _doubt_of_labels(dataset: Dataset, feature: int) -> str:
    column = dataset.values[:, feature]
    n_values, n_samples = np.unique(column[~np.isnan(column)]).size, dataset.n_samples
    if FEWEST_SAMPLES <= n_samples == n_values:
        return "has a different value in every sample, like an ID."
    if n_values >= FEWEST_VALUES and n_values > n_samples / 2:
        labels = f"{n_values:,} different labels in {n_samples:,} samples"
        return f"has {labels}, nearly like an ID."
    return ""


def _doubt_of_numbers(column: NDArray[np.float64], name: str) -> str:
    """Return the doubt about whole numbers: they count the rows, or differ as their name says."""
    if len(column) < FEWEST_SAMPLES:
        return ""
    if _count_rows(column[:HEAD]) and _count_rows(column):
        return "counts the rows."
    if not says_identifier(name) or not _are_whole(column[:HEAD]) or not _are_whole(column):
        return ""
    if np.unique(column[~np.isnan(column)]).size < NEARLY_ALL * len(column):
        return ""
    return "is called like an ID, and has a different number in nearly every sample."


def says_identifier(name: str) -> bool:
    """Whether a name is that of an identifier, and not of a count or a measurement."""
    words = [word.lower() for word in _WORD.findall(name)]
    while len(words) > 1 and words[-1].isdigit():
        words.pop()
    if len(words) < 2:
        return bool(words) and words[0] in ID_WORDS | _ALONE
    if words[-1] in _NUMBERS:
        return words[-2] in _NUMBERED
    return words[-1] in ID_WORDS and words[0] not in _COUNTS


def _are_whole(numbers: NDArray[np.float64]) -> bool:
    return bool((np.isnan(numbers) | (numbers == np.floor(numbers))).all())


def _count_rows(numbers: NDArray[np.float64]) -> bool:
    steps = np.diff(numbers)
    return bool((np.abs(steps) == 1).all() and (steps == steps[0]).all()) and _are_whole(numbers)


def _holds_dates(dataset: Dataset, feature: int) -> bool:
    labels = dataset.categories[feature] if dataset.categories is not None else None
    if labels is None or len(labels) < FEWEST_DATES:
        return False
    texts = [str(label) for label in labels]
    return any(all(form.fullmatch(text) for text in texts) for form in DATES)
