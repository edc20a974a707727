"""Which columns are left out unless the user includes them: blanks, identifiers, dates and copies.

A blank column has the same value in every sample, or none. It says nothing, but in the soft measure
it lowers what all features reach. Marks of missing values and weights are only named.

A copy is equal, affine (inches and centimeters) or one-to-one recoded (a label and its code). It
would be selected as if it were a second witness, and no feature that has one would be
irreplaceable. A logarithm or a square orders the samples alike, but has other distances: a measure
may prefer either, so both stay, and the result names them.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.common.deadline import is_interrupted
from fuzzyfrog.common.messages import Answered, Sentence, Setting, count, first_few, listed, shown
from fuzzyfrog.data import Dataset
from fuzzyfrog.data.dates import holds_dates
from fuzzyfrog.data.weights import ranks
from fuzzyfrog.measure.threads import blas, effective_threads, map_blocks
from fuzzyfrog.result import Alike
from fuzzyfrog.result.check import FAR, IN_ORDER, STANDS_FOR
from fuzzyfrog.result.parts import Rule
from fuzzyfrog.select.identifiers import (
    doubt_about,
    doubt_about_shared,
    may_be_ids,
    may_be_times,
    ordered_time,
)

Found = TypeVar("Found")
Groups = list[tuple[int, ...]]

MOST_SENTENCES = 5  # of a kind; if there are more, they become one
MARKS = [sign * (10**n - 1) for n in range(2, 7) for sign in (-1, 1)]  # 99, 999, ...
MARKS.append(-9)  # of a survey; 9 may be a number of things
WEIGHTS = re.compile(
    r"weights|(fnl|final|person|survey|sample|sampling|design|p)[ _.]?(wt|wgt|weights?)", re.I
)
FREQUENCIES = re.compile("freq|frequency|counts?|number|n|cases", re.I)
MOST_CELLS_EACH = 4  # of a table of frequencies, for each that is not empty
LARGE = 1e100  # of which differences are finite
MAY_BE_WEIGHTS = re.compile(r"weight|wt|wgt|w", re.I)  # or of a body
MEAN_OF_WEIGHTS = 0.01  # how far from 1 it is at most
MOST_ROWS = 2048  # that decide whether columns are ordered alike, and rule out most copies
MOST_CODES = 20  # values of a number that may be a code of something
FEWEST_ROWS = 10  # for a correlation to mean something
CORRELATED = 0.98
PRODUCTS, FEWEST_PRODUCT_ROWS = 2**34, 64  # for the correlations of all columns, about a second
BLOCK, COMPARED = 256, 2048  # columns whose products fit into the cache
SINGLE_ROUNDING = 1e-5  # more than that of a correlation in float32
CELLS_AT_ONCE = 2**16  # of columns whose values are sorted together
MOST_GROUPS = 50  # of columns that rise and fall together, such as sums over time
ROUNDING = 16 * float(np.finfo(np.float64).eps)  # of a value, after a few operations


@dataclass(frozen=True)
class LeftOut:
    """The features that are left out unless the user includes them, and why.

    Parameters
    ----------
    mask : bool[n_features]
        Which they are.
    sentences : tuple of str
        What to tell about identifiers, dates, blank columns and copies.
    copies, correlated : tuple of Alike
        Features that say the same as another, and those that order the samples alike, which stay.
    identifiers : tuple of int
        Features that look like identifiers, and stay.
    """

    mask: Masks
    sentences: tuple[str, ...]
    copies: tuple[Alike, ...]
    correlated: tuple[Alike, ...]
    identifiers: tuple[int, ...]

    def copies_of(self, names: Sequence[str]) -> dict[str, list[str]]:
        """Return the copies that are left out, by the features that stay for them."""
        return {
            names[one.feature]: [names[copy] for copy in one.others if self.mask[copy]]
            for one in self.copies
        }


def left_out(
    dataset: Dataset,
    included: Masks,
    excluded: Masks,
    *,
    drop_copies: bool,
    drop_doubtful: bool,
    costs: NDArray[np.number] | None = None,
    n_jobs: int | None = 1,
) -> LeftOut:
    """Return which of the features that are neither included nor excluded are left out.

    Of copies, an included one stays, or the cheapest if features have costs, or the first.
    """
    blank = blank_features(dataset, ~excluded)
    may_be = ~included & ~excluded & may_be_ids(dataset)
    suspects = [one for one in np.flatnonzero(may_be).tolist() if one not in blank]
    doubts = {one: doubt for one in suspects if (doubt := doubt_about(dataset, one))}
    shared = {
        one: doubt
        for one in suspects
        if one not in doubts and (doubt := doubt_about_shared(dataset, one))
    }
    # If nothing else is there, an identifier is better than no answer.
    rest = set(np.flatnonzero(~excluded).tolist()) - doubts.keys() - blank.keys()
    mask = np.zeros(dataset.n_features, np.bool_)
    if drop_doubtful:
        some = [one for one in blank if not included[one]]
        mask[some if rest or doubts or len(some) < len(blank) else []] = True
        mask[list(doubts) if rest else []] = True
        mask[list(shared) if rest - shared.keys() else []] = True
    sentences = [*_without_values(dataset, blank, mask)]
    dropped = {one: doubt for one, doubt in (doubts | shared).items() if mask[one]}
    staying = {one: doubt for one, doubt in (doubts | shared).items() if not mask[one]}
    keep = " It is left out; keep it with ", "must_include"
    sentences += _said(dataset, dropped, *keep)
    if rest:
        sentences += _said(dataset, staying, " To leave it out, pass ", "exclude")
    else:
        sentences += _said(dataset, staying, " Add other columns.", "")
    may_be = ~included & ~excluded & may_be_times(dataset)
    times = [ordered_time(dataset, one) for one in np.flatnonzero(may_be).tolist()]
    if found := [*filter(None, times)]:
        in_order = f"{IN_ORDER} {listed(found)}. If they are a time series, scores of random folds "
        later = Setting("check(selector, X, y, cv=TimeSeriesSplit())")
        how = "are too good. To test models on later samples, use ", later, "."
        sentences.append(Answered(in_order, *how))
    copies: list[Alike] = []
    correlated: list[Alike] = []
    if drop_copies:
        ids = {one for one in shared if mask[one]}
        allowed = ~excluded & ~mask
        allowed[list(ids)] = True
        same, near = find_alike(dataset, allowed, n_jobs)
        for group in same:
            if same_ids := [one for one in group if one in ids]:  # others are names of these
                alike = {
                    one: f"says the same as {shown(dataset.feature_names[same_ids[0]])}."
                    for one in group
                    if one not in ids and not included[one]
                }
                mask[list(alike)] = True
                sentences += _said(dataset, alike, *keep)
                continue
            cheapest = group[0] if costs is None else min(group, key=costs.__getitem__)
            kept = next((one for one in group if included[one]), cheapest)
            copies.append(Alike(kept, tuple(one for one in group if one != kept)))
            mask[[one for one in copies[-1].others if not included[one]]] = True
        correlated = [Alike(group[0], group[1:]) for group in near if not ids & set(group)]
    sentences += _copies_said(dataset.feature_names, copies, mask)
    identifiers = tuple(
        one for one in sorted(staying) if not mask[one] and not holds_dates(dataset, one)
    )
    return LeftOut(mask, tuple(sentences), tuple(copies), tuple(correlated), identifiers)


def blank_features(dataset: Dataset, allowed: Masks) -> dict[int, Rule]:
    """Return the allowed features with the same value in every sample, or with none."""
    values = dataset.values
    # Most columns differ between their first and last sample; only the others need a second look.
    alike = (values[0] == values[-1]) | np.isnan(values[0])
    found: dict[int, Rule] = {}
    for feature in np.flatnonzero(allowed & alike).tolist():
        column = values[:, feature]
        if np.isnan(column).all():
            found[feature] = "empty"
        elif (column == column[0]).all():
            found[feature] = "constant"
    return found


def _without_values(dataset: Dataset, blank: Mapping[int, Rule], mask: Masks) -> Iterator[Sentence]:
    """Yield a sentence about the features of each kind, those that are left out apart."""
    for rule, what in ("empty", "no value in any"), ("constant", "the same value in every"):
        for is_out in (True, False):
            some = [one for one in blank if blank[one] == rule and mask[one] == is_out]
            names = listed([dataset.feature_names[feature] for feature in some])
            one = f"feature {names} has", "it", " It is left out."
            more = f"features {names} have", "them", " They are left out."
            have, them, end = one if len(some) == 1 else more
            if some:
                said = f"{have} {what} sample. Nothing can be learned from {them}."
                yield Sentence(said, end if is_out else "")


def _copies_said(names: Sequence[str], groups: Sequence[Alike], mask: Masks) -> Iterator[Sentence]:
    """Yield a sentence about the copies that are left out."""
    parts, copies = [], list[str]()
    for group in groups:
        if others := [names[feature] for feature in group.others if mask[feature]]:
            say = "says" if len(others) == 1 else "say"
            parts.append(f"{listed(others)} {say} the same as {shown(names[group.feature])}")
            copies += others
    if parts:
        more = len(parts) - MOST_SENTENCES
        end = f"; and {count(more, 'more group')} of copies" if more > 0 else ""
        said, keep = "; ".join(parts[:MOST_SENTENCES]), Setting("must_include")
        are = "They are left out; keep one with "
        if len(copies) == 1:
            are, keep = "It is left out; keep it with ", Setting("must_include", copies)
        yield Sentence(f"{said}{end}. {are}", keep, ".")


def _said(
    dataset: Dataset, doubts: Mapping[int, str], way_out: str, parameter: str
) -> Iterator[Sentence]:
    """Yield a sentence for each feature in doubt, or one for all if they are many."""
    names = [dataset.feature_names[feature] for feature in doubts]
    if len(doubts) > MOST_SENTENCES:
        setting = (Setting(parameter), ".") if parameter else ()
        together = way_out.replace("It is", "They are").replace(" it ", " them ")
        yield Sentence(
            f"{len(names):,} features look like IDs or dates: {listed(names)}.", together, *setting
        )
        return
    for feature, name in zip(doubts, names, strict=True):
        end: tuple[str | Setting, ...] = (Setting(parameter, [name]),) if parameter else ()
        if parameter == "must_include" and holds_dates(dataset, feature):
            parts = ", or replace it by its year, month, weekday and day count with "
            end = (*end, parts, Setting("date_parts"))
        if parameter:
            end = (*end, ".")
        yield Sentence(f"feature {shown(name)} ", doubts[feature], way_out, *end)


def odd_values(dataset: Dataset, allowed: Masks) -> Iterator[Sentence]:
    """Yield sentences about marks of missing values, and about weights among the features."""
    is_number = allowed & ~dataset.categorical
    features, (near, far) = np.flatnonzero(is_number).tolist(), sorted(map(abs, MARKS))[:2]
    lowest = np.fmin.reduce(dataset.values)
    is_far = (np.fmax.reduce(dataset.values) >= far) | (lowest <= -far) | (lowest == -near)
    marked = [
        f"{shown(dataset.feature_names[one])} ({mark:g} in {count(n_marked, 'sample')})"
        for one in np.flatnonzero(is_number & is_far).tolist()
        for mark, n_marked in _marks(dataset.values[:, one])
    ]
    marked += [
        f"{shown(dataset.target_name)} ({mark:g} in {count(n_marked, 'sample')})"
        for mark, n_marked in _marks(_numeric_classes(dataset))
    ]
    if marked:
        yield Answered(
            f"These values are {FAR}: {first_few(marked)}. If they stand for missing values, empty "
            "these cells first."
        )
    yield from _frequencies(dataset, features)
    for one in features:
        if _holds_weights(dataset.feature_names[one], dataset.values[:, one]):
            yield Sentence(
                f"feature {shown(dataset.feature_names[one])} may say how much each sample counts. "
                "If so, pass it as ", Setting("sample_weight"), " instead of as a feature.",
            )  # fmt: skip
            return


def _frequencies(dataset: Dataset, features: Sequence[int]) -> Iterator[Answered]:
    """Yield a sentence if rows are the cells of a table of frequencies."""
    weights, names = dataset.weights, dataset.feature_names
    named = [one for one in features if FREQUENCIES.fullmatch(names[one])]
    if found := [shown(names[one]) for one in named if _are_cells(dataset, one)]:
        counting, instead = found[0], f", without {found[0]}"
    elif weights is not None and (weights == np.floor(weights)).all() and _are_cells(dataset):
        counting, instead = "their weights", " instead"
    else:
        return
    yield Answered(
        f"The rows are combinations of values, and {counting} may say {STANDS_FOR}. If so, repeat "
        f"each row as often{instead}."
    )


def _are_cells(dataset: Dataset, without: int | None = None) -> bool:
    """Whether the rows are a good part of all combinations of features and target, each once."""
    features = [one for one in range(dataset.n_features) if one != without]
    rows = np.column_stack([dataset.values[:, features], dataset.target])
    n_possible = 1
    for column in rows.T:
        n_possible *= np.unique(column).size
        if n_possible > MOST_CELLS_EACH * len(rows):
            return False
    return len(np.unique(rows, axis=0)) == len(rows) > 1


def _numeric_classes(dataset: Dataset) -> Floats:
    """Return the class of each sample, if classes are numbers."""
    try:
        numbers = np.array(dataset.classes or (), np.float64)
    except (TypeError, ValueError, OverflowError):
        numbers = np.empty(0)
    return numbers[dataset.target.astype(np.intp)] if numbers.size else numbers


def _marks(column: Floats) -> Iterator[tuple[float, int]]:
    """Yield numbers of nines that are farther from the rest than the rest is wide."""
    is_mark = np.isin(column, MARKS)
    rest = column[~is_mark & (np.abs(column) < LARGE)]
    if not is_mark.any() or rest.size < np.count_nonzero(is_mark) or np.ptp(rest) == 0:
        return
    for mark, n_marked in zip(*np.unique(column[is_mark], return_counts=True), strict=True):
        if max(rest.min() - mark, mark - rest.max()) > np.ptp(rest):
            yield float(mark), int(n_marked)


def _holds_weights(name: str, column: Floats) -> bool:
    """Whether a column has the name of weights and positive values.

    A name that a body's weight could have must also have a mean of 1, as weights often do.
    """
    is_so_named = WEIGHTS.fullmatch(name)
    if not is_so_named and not MAY_BE_WEIGHTS.fullmatch(name):
        return False
    if np.isnan(column).any() or column.min() <= 0 or column.min() == column.max():
        return False
    if is_so_named:
        return True
    if column.max() > len(column):
        return False
    return abs(float(np.mean(column)) - 1.0) <= MEAN_OF_WEIGHTS


def find_alike(
    dataset: Dataset, allowed: NDArray[np.bool_], n_jobs: int | None = 1
) -> tuple[Groups, Groups]:
    """Return the groups of copies among the allowed features, and those of correlated numbers.

    Each begins with the first feature of the table. In a group of correlated numbers, all have a
    rank correlation of 0.98 or more with the first; it has at most one of a group of copies.
    """
    n_threads = effective_threads(n_jobs)
    copies = _copies(dataset, np.flatnonzero(allowed).tolist(), n_threads)
    repeated = {feature for group in copies for feature in group[1:]}
    numbers = np.flatnonzero(allowed & ~dataset.categorical).tolist()
    numbers = [one for one in numbers if one not in repeated]
    return copies, _correlated(dataset, numbers, n_threads)


def _rows(dataset: Dataset, most: int) -> NDArray[np.intp]:
    """Return rows that are evenly spread over the table."""
    n_rows = min(dataset.n_samples, most)
    return np.linspace(0, dataset.n_samples - 1, n_rows).astype(np.intp)


def _copies(dataset: Dataset, features: list[int], n_threads: int) -> Groups:
    """Return the groups of features that are exact, affine or one-to-one recoded copies."""
    suspects = [features]
    is_long = dataset.n_samples > MOST_ROWS  # some of the rows rule out most features
    for most in (MOST_ROWS, dataset.n_samples) if is_long else (MOST_ROWS,):
        shared: dict[tuple[int, bytes], list[int]] = {}
        chosen = _rows(dataset, most)
        for group, some in enumerate(suspects):
            digests = chain(*_in_blocks(dataset, some, chosen, _partitions, n_threads))
            for feature, digest in zip(some, digests, strict=True):
                shared.setdefault((group, digest), []).append(feature)
        suspects = [some for some in shared.values() if len(some) > 1]
    return sorted(group for some in suspects for group in _related(dataset, some))


def _in_blocks(
    dataset: Dataset,
    features: Sequence[int],
    rows: NDArray[np.intp],
    function: Callable[[Floats], Found],
    n_threads: int,
) -> list[Found]:
    """Return what a function makes of some rows of features, one feature in each row.

    It takes many features at once: fewer calls than features.
    """
    at_once = max(1, CELLS_AT_ONCE // len(rows))

    def block(first: int) -> Found:
        some = np.asarray(features[first : first + at_once], np.intp)
        return function(dataset.values[np.ix_(rows, some)].T.copy())

    return map_blocks(block, range(0, len(features), at_once), n_threads)


def _partitions(block: Floats) -> list[bytes]:
    """Return the digest of each feature, together for those without gaps and with many values."""
    order = np.argsort(block, axis=1)
    along = np.take_along_axis(block, order, 1)
    is_new = np.zeros(block.shape, np.bool_)
    is_new[:, 1:] = along[:, 1:] != along[:, :-1]
    ranked = np.cumsum(is_new, axis=1, dtype=np.int32)
    codes = np.empty_like(ranked)
    np.put_along_axis(codes, order, ranked, 1)
    highest = ranked[:, -1:]
    codes = np.where(codes[:, :1] > codes[:, -1:], highest - codes, codes)
    is_plain = (2 * (highest[:, 0] + 1) > block.shape[1]) & ~np.isnan(block).any(axis=1)
    return [
        _digest(code) if is_one else _partition(column)
        for column, code, is_one in zip(block, codes, is_plain.tolist(), strict=True)
    ]


def _digest(codes: NDArray[np.int32]) -> bytes:
    return hashlib.blake2b(codes.tobytes(), digest_size=16).digest()


def _partition(column: Floats) -> bytes:
    """Return a digest that columns share if they are one-to-one.

    It depends on which samples have the same value, and not on the values. If nearly all values
    differ, that is true of most columns, so it depends on the order of the values then, in
    whichever direction; only affine copies are told in that case.
    """
    present = ~np.isnan(column)
    distinct, first, codes = np.unique(column[present], return_index=True, return_inverse=True)
    rank = np.arange(len(first), dtype=np.int32)
    if 2 * len(distinct) <= len(column):
        rank[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    elif codes[0] > codes[-1]:
        rank = rank[::-1].copy()
    whole = np.full(len(column), -1, np.int32)
    whole[present] = rank[codes]
    return _digest(whole)


def _related(dataset: Dataset, features: Sequence[int]) -> Groups:
    """Return the groups of copies among features with the same partition."""
    column = dataset.values[:, features[0]]
    n_values = np.unique(column[~np.isnan(column)]).size
    if n_values < 2:
        return []  # constants say the same: nothing
    groups: list[list[int]] = []
    for feature in features:
        for group in groups[:MOST_GROUPS]:
            if _is_recoded(dataset, group[0], feature, n_values):
                group.append(feature)
                break
        else:
            groups.append([feature])
    return [tuple(group) for group in groups if len(group) > 1]


def _is_recoded(dataset: Dataset, a: int, b: int, n_values: int) -> bool:
    is_coded = 2 * n_values <= dataset.n_samples  # else any two columns are one-to-one
    n_labels = int(dataset.categorical[a]) + int(dataset.categorical[b])
    if n_labels < 2 and _is_affine(dataset.values[:, a], dataset.values[:, b]):
        return n_labels == 0 or is_coded
    return is_coded and (n_labels > 0 or n_values <= MOST_CODES)


def _is_affine(x: Floats, y: Floats) -> bool:
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


def _correlated(dataset: Dataset, features: Sequence[int], n_threads: int) -> Groups:
    """Return groups of features whose ranks are strongly correlated with those of the first.

    Each is compared with those that are not correlated with an earlier one. In a wide table few
    rows are compared first, and more of them where these look correlated.
    """
    if dataset.n_samples < FEWEST_ROWS or len(features) < 2:
        return []
    rows = _rows(dataset, min(max(FEWEST_PRODUCT_ROWS, PRODUCTS // len(features) ** 2), MOST_ROWS))
    is_sure = len(rows) == len(_rows(dataset, MOST_ROWS))
    required = CORRELATED - (0.0 if is_sure else 0.015)
    directions = np.concatenate(_in_blocks(dataset, features, rows, _directions, n_threads))
    suspects = _suspects(directions, required - SINGLE_ROUNDING, n_threads)
    if is_interrupted():
        return []  # these are only told, and nobody waits for them any more
    leading = directions.copy()  # zeros if not known to be first of their groups
    leading[suspects] = 0.0
    groups: dict[int, list[int]] = {}
    for start in range(0, len(suspects), BLOCK):
        places = suspects[start : start + BLOCK]
        block = directions[places]
        products, inside = np.abs(block @ leading.T), np.abs(block @ block.T)
        new: list[int] = []
        for at, place in enumerate(places.tolist()):
            leader = int(products[at].argmax())
            near = products[at, leader]
            if new and inside[at, new].max() > near:
                best = new[int(np.argmax(inside[at, new]))]
                leader, near = int(places[best]), inside[at, best]
            is_alike = near >= required
            if is_alike and not is_sure:
                two, most = [features[leader], features[place]], _rows(dataset, MOST_ROWS)
                ((x, y),) = _in_blocks(dataset, two, most, _directions, 1)
                is_alike = abs(float(x @ y)) >= CORRELATED
            if is_alike:
                groups.setdefault(leader, []).append(place)
            else:
                new.append(at)
        leading[places[new]] = block[new]
    return sorted(
        (features[leader], *(features[other] for other in others))
        for leader, others in groups.items()
    )


def _suspects(directions: NDArray[np.float32], required: float, n_threads: int) -> Integers:
    """Return the columns that some earlier one is correlated with."""
    is_suspect = np.zeros(len(directions), np.bool_)

    def compare(first: int) -> None:
        if is_interrupted():
            return
        block = directions[first : first + BLOCK]
        nearest = np.abs(np.tril(block @ block.T, -1)).max(axis=1)
        for start in range(0, first, COMPARED):
            products = block @ directions[start : min(start + COMPARED, first)].T
            for found in (products.max(axis=1), -products.min(axis=1)):
                np.maximum(nearest, found, out=nearest)
        is_suspect[first : first + BLOCK] = nearest >= required

    # Those with the most to compare come first, so that all threads are done at the same time.
    with blas().limit(limits=1):
        map_blocks(compare, range(0, len(directions), BLOCK)[::-1], n_threads)
    return np.flatnonzero(is_suspect)


def _directions(columns: Floats) -> NDArray[np.float32]:
    """Return the ranks of columns, centered and of length 1; missing ones and constants are 0."""
    is_gap = np.isnan(columns)
    centered = np.zeros(columns.shape)
    is_complete = ~is_gap.any(axis=1)
    ranked = ranks(columns[is_complete])
    centered[is_complete] = ranked - ranked.mean(axis=1, keepdims=True)
    for column, gaps, own in zip(columns, is_gap, centered, strict=True):
        if gaps.any() and 2 * np.count_nonzero(gaps) <= len(column):
            ranked = ranks(column[~gaps])
            own[~gaps] = ranked - ranked.mean()
    length = np.sqrt((centered**2).sum(axis=1, keepdims=True))
    return np.asarray(centered / np.where(length > 0, length, 1.0), np.float32)
