"""Which columns are left out unless the user includes them: blanks, identifiers, dates and copies.

A blank column has the same value in every sample, or none. It says nothing, but in the soft measure
it lowers what all features reach. Marks of missing values and weights are only named.

A copy would be selected as if it were a second witness, and no feature that has one would be
irreplaceable. A logarithm or a square orders the samples alike, but has other distances: a measure
may prefer either, so both stay, and the result names them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.arrays import Floats, Masks
from fuzzyfrog.common.messages import Answered, Sentence, Setting, count, first_few, listed, shown
from fuzzyfrog.data import Dataset
from fuzzyfrog.data.dates import holds_dates
from fuzzyfrog.result import Alike
from fuzzyfrog.result.check import FAR, IN_ORDER, STANDS_FOR
from fuzzyfrog.result.parts import Rule
from fuzzyfrog.select.copies import find_alike
from fuzzyfrog.select.identifiers import (
    doubt_about,
    doubt_about_shared,
    may_be_ids,
    may_be_times,
    ordered_time,
)

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
    elif weights is not None and _are_counts(weights) and _are_cells(dataset):
        counting, instead = "their weights", " instead"
    else:
        return
    yield Answered(
        f"The rows are combinations of values, and {counting} may say {STANDS_FOR}. If so, repeat "
        f"each row as often{instead}."
    )


def _are_counts(weights: Floats) -> bool:
    return bool((weights == np.floor(weights)).all() and weights.min() < weights.max())


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
