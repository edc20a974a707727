"""Columns that nobody wants selected: identifiers, dates, columns without values, copies.

Two features are copies if each tells the other: equal, affine (inches and centimeters, also
rounded), or one-to-one recoded (a label and its code). A copy would be selected as if it were a
second witness, and no feature that has a copy would be irreplaceable.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.messages import Sentence, Setting, shown
from fuzzyfrog.data import Dataset
from fuzzyfrog.data.dates import holds_dates
from fuzzyfrog.data.gathering import empty_features
from fuzzyfrog.result import Alike

FloatArray = NDArray[np.float64]
Masks = NDArray[np.bool_]

FEWEST_SAMPLES = 10  # with fewer, it means nothing if all values differ
MANY = 10  # samples for each value of an ID, as of a shop: with fewer, it is left out
FEWEST_VALUES = 20  # of a feature that is nearly an identifier
NEARLY_ALL = 0.95  # of the samples have another number
FEW_ROWS = 0.05  # of all rows, which should not rule the answer
NOTICEABLE = 0.005  # change of the dependency
MOST_RESCORED = 20_000  # samples for which a second score costs little
HEAD = 1000  # samples that rule out most numeric features as identifiers

# Of columns that tell the target alone:
FEWEST_TOLD = 30  # samples; with fewer, a column may do so by chance
FEWEST_OF_A_CLASS = 5
SAMPLES_OF_A_VALUE = 5  # on average
TELLING = 0.95  # of the samples of every class
SAME_AS_TARGET = 0.999  # correlation with a numeric target
MOST_TELLING = 3  # columns; if there are more, the classes are easy to tell apart
SHARE_TELLING = 0.1  # of the columns; the same for narrow tables

# Of copies and correlated columns:
SAMPLE = 1024  # rows that rule out most pairs
MOST_CODES = 20  # values of a number that may be a code of something
FEWEST_ROWS = 10  # for a correlation to mean something
CORRELATED = 0.98
NOISE = 0.05  # of the spread of the middle half: the most that rounding may hide
CELLS_AT_ONCE = 2**22
PRODUCTS = 2**34  # for the correlations of all columns, about a second
FEWEST_PRODUCT_ROWS, MOST_PRODUCT_ROWS = 64, 4096
BLOCK = 256
MOST_GROUPS = 50  # of columns that rise and fall together, such as sums over time
TRIED = 3  # candidates whose correlation is computed on all rows
ROUNDING = 16 * float(np.finfo(np.float64).eps)  # of a value, after a few operations
HALVINGS = 40  # of the range of slopes
# Differences due to rounding fill a step evenly, so they span nearly 1 and deviate by 0.29 of it.
SPANS = 0.6, 1 + 1e-6  # halves may be rounded up and down
FEW = 5  # rows, whose share of a step may stay empty by chance
DEVIATIONS = 0.2, 0.33
WHOLE_RATIO = 0.02
# The last words in the names of identifiers, as in "customerId", "row_nr" and "ID".
_ID_WORDS = "pk nr nummer idx rowid rownames rowname rownum seqno seqnum sku isbn iban ssn email"
_IDS = frozenset({"id", "pid", "uid", "uuid", "guid"})  # nothing else is called so
_RELATIVES = frozenset({"fid", "mid"})  # the IDs of father and mother, next to other IDs
ID_WORDS = frozenset(_ID_WORDS.split()) | _IDS
# Words that make an identifier alone, and words that make one after what is numbered.
_ALONE = frozenset({"key", "number", "index", "row", "serial", "code", "mail", "phone"})
_NUMBERS = frozenset({"key", "number", "num", "no", "index", "code"})
_THINGS = "row serial order customer invoice case account patient sample record phone zip postal "
_THINGS += "sequence seq"
# Those whose samples belong together: by a name alone, and by their number only, as in "userId".
_PEOPLE = "subject subj patient participant respondent volunteer proband individual donor speaker "
_NAMED = frozenset((_PEOPLE + "animal mouse rat case").split())
_BY_NUMBER = _NAMED | {"person", "user", "customer", "client", "student", "pt", "usubj", "pid"}
_NUMBERED = frozenset(_THINGS.split()) | _BY_NUMBER
_HOLDERS = "family household house school town county store product choice"
_HOLDING_IDS = _NUMBERED | frozenset(_HOLDERS.split())  # as in "townid"
_ENDINGS = ("id", "number", "num", "nummer", "nr", "no", "code")  # of such an ID
FEWEST_IDS = 5  # that a name alone makes one
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
    identifiers : tuple of int
        Features that look like identifiers, and stay.
    """

    mask: Masks
    sentences: tuple[str, ...]
    copies: tuple[Alike, ...]
    correlated: tuple[Alike, ...]
    identifiers: tuple[int, ...]


def left_out(
    dataset: Dataset,
    included: Masks,
    excluded: Masks,
    *,
    drop_copies: bool,
    drop_doubtful: bool,
    costs: NDArray[np.number] | None = None,
) -> LeftOut:
    """Return which of the features that are neither included nor excluded are left out.

    Of copies, the cheapest stays if features have costs.
    """
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
            more = (" It is left out; keep it with ", Setting("must_include", [name]), ".")
            if holds_dates(dataset, feature):
                parts = Setting("dates", "parts")
                more = (
                    *more[:-1],
                    ", or replace it by its year, month, weekday and day count with ",
                    parts,
                    ".",
                )
        elif not is_rest:
            more = (" Add other columns.",)
        sentences.append(Sentence(f"feature {shown(name)} ", doubt, *more))
        if holds_dates(dataset, feature) and _is_ordered(dataset.values[:, feature]):
            sentences.append(
                Sentence(
                    f"The samples are in the order of {shown(name)}. If they are a time series, "
                    "random folds flatter models: check(selector, X, y, cv=TimeSeriesSplit()) "
                    "tests them on later samples."
                )
            )
    staying = [one for one in doubts if not mask[one] and not holds_dates(dataset, one)]
    shared = {one: n_ids(dataset, one) for one, doubt in found.items() if not doubt}
    few = {one for one, n_values in shared.items() if n_values * MANY > dataset.n_samples}
    is_more = bool(rest - few - set(empty_features(dataset.values)))
    for feature, n_values in shared.items():
        if not n_values:
            continue
        name = dataset.feature_names[feature]
        way_out: Parts = (" If so, leave it out with ", Setting("exclude", [name]), ".")
        mask[feature] = drop_doubtful and is_more and feature in few
        if mask[feature]:
            way_out = (" It is left out; keep it with ", Setting("must_include", [name]), ".")
        else:
            staying.append(feature)
        doubt = _shared_id(n_values, dataset.n_samples)
        sentences.append(Sentence(f"feature {shown(name)} ", doubt, *way_out))
    copies: tuple[Alike, ...] = ()
    correlated: tuple[Alike, ...] = ()
    if drop_copies:
        same, near = find_alike(dataset, ~excluded & ~mask)
        copies = tuple(_ordered(group, included, costs) for group in same)
        correlated = tuple(Alike(group[0], tuple(group[1:])) for group in near)
        for group in copies:
            mask[[one for one in group.others if not included[one]]] = True
    identifiers = tuple(one for one in sorted(staying) if not mask[one])
    return LeftOut(mask, tuple(sentences), copies, correlated, identifiers)


def _ordered(group: Sequence[int], included: Masks, costs: NDArray[np.number] | None) -> Alike:
    """Return a group of copies with the one that stays: included, cheapest, or the first."""
    cheapest = group[0] if costs is None else min(group, key=lambda one: costs[one])
    kept = next((one for one in group if included[one]), cheapest)
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


def telling(dataset: Dataset, allowed: Masks) -> dict[int, Sentence]:
    """Return a warning for each allowed feature that tells the target alone.

    Such a feature is often recorded after the fact: a lifeboat, a date of discharge. If several
    features do so, the target is easy to tell, and nothing is wrong with them.
    """
    features = np.flatnonzero(allowed).tolist()
    if dataset.n_samples < FEWEST_TOLD or len(features) < 2:
        return {}
    found: dict[int, Sentence] = {}
    most = min(MOST_TELLING, max(1, int(SHARE_TELLING * len(features))))
    for feature in _worth_a_look(dataset, features):
        if told := _told_by(dataset, feature):
            name = dataset.feature_names[feature]
            found[feature] = Sentence(
                f"feature {shown(name)} alone {told}. If it is recorded after the fact, leave it "
                "out with ",
                Setting("exclude", [name]),
                ".",
            )
        if len(found) > most:
            return {}
    return found


def _worth_a_look(dataset: Dataset, features: list[int]) -> Iterator[int]:
    """Yield the features that could separate the classes alone; checking thousands is slow.

    Where one interval of a number for each class is right on all but some samples, the class
    changes at most twice for each of these, and once between two intervals, along the number.
    """
    if dataset.classes is None:
        yield from features
        return
    rows = _some_rows(dataset.n_samples, SAMPLE)
    target = dataset.target[rows].astype(np.int64)
    counts = np.bincount(target)
    n_wrong = int(np.floor((1 - TELLING) * counts + 1e-9).sum())
    most_changes = np.count_nonzero(counts) - 1 + 2 * n_wrong
    at_once = max(1, CELLS_AT_ONCE // len(rows))
    for first in range(0, len(features), at_once):
        some = np.array(features[first : first + at_once])
        values = dataset.values[np.ix_(rows, some)]
        order = np.argsort(values, axis=0)
        n_values = 1 + np.count_nonzero(np.diff(np.take_along_axis(values, order, 0), axis=0), 0)
        n_changes = np.count_nonzero(np.diff(target[order], axis=0), axis=0)
        # Intervals do not apply to categories, columns with gaps, or few different values.
        is_other = dataset.categorical[some] | np.isnan(values).any(axis=0)
        is_other |= SAMPLES_OF_A_VALUE * n_values <= len(rows)
        yield from some[is_other | (n_changes <= most_changes)].tolist()


def _told_by(dataset: Dataset, feature: int) -> str:
    """Return what a feature tells about the target if that is nearly everything, or nothing."""
    column, is_categorical = dataset.values[:, feature], bool(dataset.categorical[feature])
    n_samples = dataset.n_samples
    if dataset.classes is None:
        found = 0.0
        if not is_categorical:
            found = _correlation(column, dataset.target.astype(np.float64))
        told = f"tells the target: their correlation is {found:.4f}"
        return told if abs(found) >= SAME_AS_TARGET else ""
    some = _some_rows(n_samples, SAMPLE)
    if _right_alone(column[some], dataset.target[some], is_categorical) is None:
        return ""
    right = _right_alone(column, dataset.target, is_categorical)
    if right is None:
        return ""
    n_right = int(np.count_nonzero(right))
    number = f"all {n_samples:,}" if n_right == n_samples else f"{n_right:,} of {n_samples:,}"
    return f"tells the classes apart on {number} samples"


def _right_alone(column: FloatArray, target: NDArray[Any], is_categorical: bool) -> Masks | None:
    """Return which samples a feature assigns to their class; None if it is not nearly all.

    Categories, gaps and few different numbers stand for their most frequent class, other numbers
    for the class in whose interval they lie.
    """
    classes, target = np.unique(target, return_inverse=True)
    counts = np.bincount(target)
    if len(classes) < 2 or counts.min() < FEWEST_OF_A_CLASS:
        return None
    is_gap = np.isnan(column)
    values, codes = np.unique(column[~is_gap], return_inverse=True)
    n_groups = len(values) + int(is_gap.any())
    group = np.full(len(column), len(values))
    group[~is_gap] = codes
    if SAMPLES_OF_A_VALUE * n_groups > len(column):
        if is_categorical:
            return None
        group[~is_gap] = _intervals(column[~is_gap], target[~is_gap])
    table = np.zeros((group.max() + 1, len(classes)), np.int64)
    np.add.at(table, (group, target), 1)
    is_right: Masks = table.argmax(axis=1)[group] == target
    recalls = np.bincount(target, weights=is_right) / counts
    return is_right if recalls.min() >= TELLING else None


def _intervals(column: FloatArray, target: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the interval of each number, one for each class, with the fewest errors between."""
    present = np.unique(target)
    by_median = sorted(present.tolist(), key=lambda one: float(np.median(column[target == one])))
    cuts = []
    for low, high in pairwise(by_median):
        lower, upper = np.sort(column[target == low]), np.sort(column[target == high])
        places = np.unique(np.concatenate([lower, upper]))
        errors = (len(lower) - np.searchsorted(lower, places, "right")) + np.searchsorted(
            upper, places, "right"
        )
        cuts.append(float(places[int(np.argmin(errors))]))
    return np.searchsorted(np.maximum.accumulate(cuts), column, "left")


def suspects(dataset: Dataset, allowed: Masks, left_out_by: str = "exclude") -> Iterator[Sentence]:
    """Yield a warning for each allowed feature without values, or like an identifier or a date.

    `left_out_by` names the parameter that leaves out features.
    """
    yield from _without_values(dataset, allowed)
    for feature in np.flatnonzero(allowed).tolist():
        doubt = _doubt(dataset, feature)
        if not doubt and (n_values := n_ids(dataset, feature)):
            doubt = _shared_id(n_values, dataset.n_samples)
        if doubt:
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
    if holds_dates(dataset, feature):
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
    """Return the doubt about numbers: they count rows, or are whole and differ as IDs do."""
    if len(column) < FEWEST_SAMPLES:
        return ""
    if _count_rows(column[:HEAD]) and _count_rows(column):
        return "counts the rows."
    if not says_identifier(name) or not _are_whole(column[:HEAD]) or not _are_whole(column):
        return ""
    n_values = np.unique(column[~np.isnan(column)]).size
    if n_values >= NEARLY_ALL * len(column):
        return "is named like an ID, and has a different number in nearly every sample."
    if _words(name)[-1] in _IDS and n_values >= FEWEST_VALUES and n_values > len(column) / 2:
        numbers = f"{n_values:,} different numbers in {len(column):,} samples"
        return f"is named like an ID, and has {numbers}."
    if np.count_nonzero(np.diff(column) == 1) >= NEARLY_ALL * (len(column) - 1):
        return "is named like an ID, and counts rows, starting over now and then."
    return ""


def n_ids(dataset: Dataset, feature: int) -> int:
    """Return the number of values of a feature that is named like an ID, 0 for any other.

    Several samples may share a value: the visits of a patient, or the customers of a shop.
    """
    name = dataset.feature_names[feature]
    is_named = says_identifier(name) and (_words(name)[-1] in _IDS or _is_of_people(name))
    if not is_named and not _is_relative(dataset, name):
        return 0
    n_values = _n_whole(dataset, feature)
    return n_values if n_values >= FEWEST_VALUES else 0


def _is_ordered(column: NDArray[np.float64]) -> bool:
    """Whether numbers only grow, or only fall, and are many different ones."""
    steps = np.diff(column)
    is_sorted = bool((steps >= 0).all() or (steps <= 0).all())
    return is_sorted and int(np.count_nonzero(steps)) >= FEWEST_SAMPLES


def is_left_out_id(dataset: Dataset, feature: int) -> bool:
    """Whether a feature is an ID that is left out unless it is asked for."""
    return bool(_doubt(dataset, feature)) or n_ids(dataset, feature) * MANY > dataset.n_samples


def keeps_together(dataset: Dataset, feature: int) -> bool | None:
    """Whether a feature says which samples belong together; None if its values look like no IDs.

    A number of people or animals ("patient_id") always does. A name alone ("subject", "id") does
    if it has at least five values that are whole numbers or have digits ("P07"), or 20 of any
    kind; any other ID ("shop_id") with 20; and so do labels that are nearly all different.
    """
    name = dataset.feature_names[feature]
    if holds_dates(dataset, feature):
        return False
    if n_ids(dataset, feature) or (dataset.categorical[feature] and _doubt(dataset, feature)):
        return True
    is_numbered = says_identifier(name) and _is_of_people(name) and not _is_alone(name)
    if not is_numbered and not _is_alone(name) and name.lower() not in _IDS:
        return False
    n_values = _n_whole(dataset, feature)
    if is_numbered or n_values < 2:
        return n_values > 1
    return True if n_values >= FEWEST_IDS and _have_digits(dataset, feature) else None


def _is_of_people(name: str) -> bool:
    """Whether a name is that of people or animals, or of their number."""
    words = _words(name)
    if len(words) < 2:
        return _is_alone(name)
    return words[-1] == "pid" or (words[-1] in _ENDINGS and words[-2] in _BY_NUMBER)


def _is_alone(name: str) -> bool:
    """Whether a name is just that of people or animals, and not "subject 1"."""
    words = _WORD.findall(name)
    return len(words) == 1 and words[0].lower() in _NAMED


def _have_digits(dataset: Dataset, feature: int) -> bool:
    labels = dataset.categories and dataset.categories[feature]
    return not labels or all(any(map(str.isdigit, str(one))) for one in labels)


def _n_whole(dataset: Dataset, feature: int) -> int:
    """Return the number of values of a feature that has whole numbers or labels, 0 for others."""
    column = dataset.values[:, feature]
    return int(np.unique(column[~np.isnan(column)]).size) if _are_whole(column) else 0


def _shared_id(n_values: int, n_samples: int) -> str:
    return (
        f"is named like an ID, and has {n_values:,} different values in {n_samples:,} samples: it "
        "may say only which samples belong together, such as those of one patient."
    )


def _is_relative(dataset: Dataset, name: str) -> bool:
    """Whether a name is that of the ID of a parent: others of the table have names of IDs."""
    if name.lower() not in _RELATIVES:
        return False  # before a look at all names, which would be one for each feature
    named = {one.lower() for one in dataset.feature_names}
    return len(named & (_IDS | _RELATIVES)) > 1


def _words(name: str) -> list[str]:
    """Return the words of a name in lower case, without numbers at its end."""
    words = [word.lower() for word in _WORD.findall(name)]
    while len(words) > 1 and words[-1].isdigit():
        words.pop()
    for ending in _ENDINGS if words else ():
        if words[-1].endswith(ending) and words[-1].removesuffix(ending) in _HOLDING_IDS:
            return [*words[:-1], words[-1].removesuffix(ending), ending]
    return words


def says_identifier(name: str) -> bool:
    """Whether a name is that of an identifier, and not of a count or a measurement."""
    words = _words(name)
    if len(words) < 2:
        return bool(words) and (words[0] in ID_WORDS | _ALONE or _is_alone(name))
    if words[-1] in _NUMBERS:
        return words[-2] in _NUMBERED
    return words[-1] in ID_WORDS and words[0] not in _COUNTS


def _are_whole(numbers: NDArray[np.float64]) -> bool:
    return bool((np.isnan(numbers) | (numbers == np.floor(numbers))).all())


def _count_rows(numbers: NDArray[np.float64]) -> bool:
    steps = np.diff(numbers)
    return bool((np.abs(steps) == 1).all() and (steps == steps[0]).all()) and _are_whole(numbers)


def find_alike(
    dataset: Dataset, allowed: NDArray[np.bool_]
) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """Return the groups of copies among the allowed features, and those of correlated numbers.

    A group of copies begins with the first feature, or the most precise if some are rounded. In a
    group of correlated numbers, all have a correlation of 0.98 or more with the first. It has at
    most one of a group of copies.
    """
    exact = _same_partitions(dataset, np.flatnonzero(allowed))
    groups = {group[0]: list(group) for group in exact}
    seen = {one for group in exact for one in group[1:]}
    numbers = [
        one for one in np.flatnonzero(allowed & ~dataset.categorical).tolist() if one not in seen
    ]
    correlated: list[tuple[int, ...]] = []
    finest = {first: first for first in groups}
    for leader, others in _correlated(dataset, numbers).items():
        near = []
        for one in others:
            if _is_rounded_copy(dataset.values[:, leader], dataset.values[:, one]):
                groups.setdefault(leader, [leader]).extend(groups.pop(one, [one]))
                best = finest.get(leader, leader)
                finest[leader] = min(best, one, key=lambda it: _coarseness(dataset.values[:, it]))
            else:
                near.append(one)
        if near:
            correlated.append((leader, *near))
    copies = [
        (finest[first], *sorted(set(groups[first]) - {finest[first]})) for first in sorted(groups)
    ]
    return copies, correlated


def _coarseness(column: FloatArray) -> tuple[int, float]:
    """Return a key by which the most precise of rounded copies comes first."""
    known = column[~np.isnan(column)]
    return -np.unique(known).size, _step(known) / float(known.std())


def _same_partitions(dataset: Dataset, features: NDArray[np.intp]) -> list[tuple[int, ...]]:
    """Return the groups of features that are exact, affine or one-to-one recoded copies."""
    rows = _some_rows(dataset.n_samples, SAMPLE)
    suspects: dict[bytes, list[int]] = {}
    at_once = max(1, CELLS_AT_ONCE // len(rows))
    for first in range(0, len(features), at_once):
        part = features[first : first + at_once]
        head = dataset.values[np.ix_(rows, part)]
        for place, feature in enumerate(part.tolist()):
            suspects.setdefault(_partition(head[:, place]), []).append(feature)
    found = []
    for some in suspects.values():
        if len(some) > 1:
            for same in _refined(dataset, some) if len(rows) < dataset.n_samples else [some]:
                found += _related(dataset, same)
    return found


def _some_rows(n_samples: int, most: int) -> NDArray[np.intp]:
    """Return rows that are evenly spread over the table."""
    if n_samples <= most:
        return np.arange(n_samples)
    return np.linspace(0, n_samples - 1, most).astype(np.intp)


def _partition(column: FloatArray) -> bytes:
    """Return a digest that columns share if they are one-to-one.

    It depends on which samples have the same value, and not on the values. If nearly all values
    differ, that is true of most columns, so it depends on the order of the values then, in
    whichever direction; only affine copies are told in that case.
    """
    present = ~np.isnan(column)
    values = column if present.all() else column[present]
    distinct, first, codes = np.unique(values, return_index=True, return_inverse=True)
    if 2 * len(distinct) <= len(column):
        rank = np.empty(len(first), np.int32)
        rank[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    else:
        rank = np.arange(len(first), dtype=np.int32)
        if codes[0] > codes[-1]:
            rank = rank[::-1].copy()
    whole = np.full(len(column), -1, np.int32)
    whole[present] = rank[codes]
    return hashlib.blake2b(whole.tobytes(), digest_size=16).digest()


def _refined(dataset: Dataset, features: Sequence[int]) -> Iterable[list[int]]:
    """Return the features that have the same partition on all rows."""
    found: dict[bytes, list[int]] = {}
    for feature in features:
        found.setdefault(_partition(dataset.values[:, feature]), []).append(feature)
    return [some for some in found.values() if len(some) > 1]


def _related(dataset: Dataset, features: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the groups of copies among features with the same partition."""
    column = dataset.values[:, features[0]]
    n_values = np.unique(column[~np.isnan(column)]).size
    if n_values < 2:
        return []  # constants say the same: nothing
    # If nearly all values differ, any two columns are one-to-one.
    is_coded = 2 * n_values <= dataset.n_samples
    groups: list[list[int]] = []
    for feature in features:
        for group in groups[:MOST_GROUPS]:
            if _is_recoded(dataset, group[0], feature, n_values, is_coded=is_coded):
                group.append(feature)
                break
        else:
            groups.append([feature])
    return [tuple(group) for group in groups if len(group) > 1]


def _is_recoded(dataset: Dataset, a: int, b: int, n_values: int, *, is_coded: bool) -> bool:
    n_labels = int(dataset.categorical[a]) + int(dataset.categorical[b])
    if n_labels < 2 and _is_affine(dataset.values[:, a], dataset.values[:, b]):
        return n_labels == 0 or is_coded
    return is_coded and (n_labels > 0 or n_values <= MOST_CODES)


def _is_affine(x: FloatArray, y: FloatArray) -> bool:
    """Whether y = a x + b up to the rounding of float64; both have the same gaps."""
    present = ~np.isnan(x)
    x, y = x[present], y[present]
    low, high = int(np.argmin(x)), int(np.argmax(x))
    with np.errstate(all="ignore"):
        slope = (y[high] - y[low]) / (x[high] - x[low])
        rest = y - slope * x
        shift = float(np.median(rest))
        # Each value has its own rounding: an outlier must not excuse what the others differ by.
        size = np.abs(y) + np.abs(slope * x) + abs(shift)
        allowed = ROUNDING * (size + np.median(size))  # the shift has that of a usual value
        return bool((np.abs(rest - shift) <= allowed).all())


def _correlated(dataset: Dataset, features: Sequence[int]) -> dict[int, list[int]]:
    """Return for some features the later ones that are strongly correlated with them.

    Each feature is compared with those that are not correlated with an earlier one, on some rows;
    only pairs that look correlated are compared on all rows.
    """
    if dataset.n_samples < FEWEST_ROWS or len(features) < 2:
        return {}
    most = min(max(FEWEST_PRODUCT_ROWS, PRODUCTS // len(features) ** 2), MOST_PRODUCT_ROWS)
    rows = _some_rows(dataset.n_samples, most)
    required = CORRELATED - (0.015 if len(rows) < dataset.n_samples else 1e-4)
    directions = np.empty((len(rows), len(features)), np.float32)
    for first in range(0, len(features), BLOCK):
        part = np.asarray(features[first : first + BLOCK], np.intp)
        directions[:, first : first + BLOCK] = _directions(dataset.values[np.ix_(rows, part)])
    found: dict[int, list[int]] = {}
    leaders: list[int] = []
    for first in range(0, len(features), BLOCK):
        block = directions[:, first : first + BLOCK]
        to_leaders = np.abs(block.T @ directions[:, leaders])
        inside = np.abs(block.T @ block)
        new: list[int] = []
        for place in range(block.shape[1]):
            shares = np.concatenate([to_leaders[place], inside[place, new]])
            candidates = np.flatnonzero(shares >= required)
            best = candidates[np.argsort(-shares[candidates], kind="stable")][:TRIED]
            y = dataset.values[:, features[first + place]]
            for at in best.tolist():
                n_known = len(leaders)
                leader = features[leaders[at] if at < n_known else first + new[at - n_known]]
                if abs(_correlation(dataset.values[:, leader], y)) >= CORRELATED:
                    found.setdefault(leader, []).append(features[first + place])
                    break
            else:
                new.append(place)
        leaders += [first + one for one in new]
    return found


def _directions(values: FloatArray) -> NDArray[np.float32]:
    """Return columns centered and of length 1; a missing value is the mean, a constant is 0."""
    with np.errstate(all="ignore"):
        scale = np.nanmax(np.abs(values), axis=0, initial=0.0)
        values = values / np.where(scale > 0, scale, 1.0)
        n_present = np.maximum((~np.isnan(values)).sum(axis=0), 1)
        centered = np.nan_to_num(values - np.nansum(values, axis=0) / n_present)
        length = np.sqrt((centered**2).sum(axis=0))
        return np.asarray(centered / np.where(length > 1e-12, length, np.inf), np.float32)


def _correlation(x: FloatArray, y: FloatArray) -> float:
    """Return the correlation of two columns where both have values; 0 for too few."""
    both = ~np.isnan(x) & ~np.isnan(y)
    if 2 * int(both.sum()) < len(x) or int(both.sum()) < FEWEST_ROWS:
        return 0.0
    a, b = (_directions(one[both, np.newaxis])[:, 0].astype(np.float64) for one in (x, y))
    return float(a @ b)


def _is_rounded_copy(x: FloatArray, y: FloatArray) -> bool:
    """Whether one column is an affine image of the other, rounded, and the steps are fine."""
    gaps = np.isnan(x)
    if not np.array_equal(gaps, np.isnan(y)):
        return False
    x, y = x[~gaps], y[~gaps]
    if _is_affine(x, y):
        return True
    steps = _step(x), _step(y)
    return _rounds_to(x, y, *steps) or _rounds_to(y, x, *steps[::-1])


def _rounds_to(x: FloatArray, y: FloatArray, x_step: float, y_step: float) -> bool:
    """Whether y = a x + b for some a and b, rounded to the steps of y, in every row."""
    deviation = float(x.std())
    spread = float(np.subtract(*np.percentile(y, [75, 25]))) / 1.35
    if y_step == 0 or not 0 < deviation < np.inf:
        return False
    centered = x - x.mean()
    slope = float(centered @ (y - y.mean()) / (centered @ centered))
    if (y_step + abs(slope) * x_step) / 2 > NOISE * spread:
        return False
    ratio = abs(slope) * x_step / y_step
    nearest = np.rint(ratio)
    least = SPANS[0]
    if 0.5 < ratio < 1:
        return False  # a column that is finer by less than two steps may add just yes or no
    if ratio < 1:  # the finer column must not have a few values only for each of the coarser
        is_whole = ratio > 0 and abs(1 / ratio - np.rint(1 / ratio)) <= WHOLE_RATIO
        least = max(least, 1 - FEW / len(x) - (1.1 * ratio if is_whole else 0))
    if np.array_equal(np.rint(np.round(x, _places(y_step)) / y_step), np.rint(y / y_step)):
        return _fill_a_step((x - y) / y_step, least)
    near = max(WHOLE_RATIO, 2 * x_step / float(np.ptp(x)))
    if nearest >= 1 and abs(ratio - nearest) <= near:
        return False  # nothing to round, so a difference of one step means something
    rest = (y - y.mean() - slope * centered) / y_step
    if rest.std() > 0.5:
        return False
    # If some line is within half a step of all values, its slope differs by no more than this.
    low, high = -0.5 / deviation, 0.5 / deviation
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        tilted = rest - middle * centered
        top, bottom = int(np.argmax(tilted)), int(np.argmin(tilted))
        if tilted[top] - tilted[bottom] < 1:
            break
        if centered[top] > centered[bottom]:
            low = middle
        else:
            high = middle
    return _fill_a_step(tilted, least)


def _fill_a_step(rest: FloatArray, least: float) -> bool:
    """Whether differences, in steps, are like those due to rounding."""
    span, deviation = float(np.ptp(rest)), float(rest.std())
    return least <= span <= SPANS[1] and DEVIATIONS[0] <= deviation <= DEVIATIONS[1]


def _step(column: FloatArray) -> float:
    """Return the last decimal place that the values of a column have; 0 for floats."""
    for places in range(-6, 7):
        scaled = column * 10.0**places
        if (np.abs(scaled - np.rint(scaled)) <= ROUNDING * np.abs(scaled)).all():
            return float(10.0**-places)
    return 0.0


def _places(step: float) -> int:
    return int(np.rint(-np.log10(step)))
