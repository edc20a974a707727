"""Does a selection still hold? A result, its table and new rows in, an answer out.

By the soft measure, new rows are predicted by their old neighbors, next to old rows by theirs; and
columns that have shifted are found by tests that are corrected for their number.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import narwhals.stable.v1 as nw
import numpy as np
from msgspec import structs

from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.common.messages import count, listed, shown
from fuzzyfrog.common.params import check_budget
from fuzzyfrog.data import Dataset, make_dataset
from fuzzyfrog.data.columns import Labels
from fuzzyfrog.data.dataset import as_table, is_dask, is_sparse
from fuzzyfrog.errors import DataError, FuzzyfrogError
from fuzzyfrog.measure import SoftDependency
from fuzzyfrog.result import Result, Shift, Verified, VerifiedSoft
from fuzzyfrog.search import Exact
from fuzzyfrog.select.explain import category_name
from fuzzyfrog.select.groups import Groups
from fuzzyfrog.select.kind import Kind
from fuzzyfrog.select.redundant import CLEARLY
from fuzzyfrog.select.row_groups import copies_among
from fuzzyfrog.select.selection import fingerprint, select
from fuzzyfrog.select.settings import Settings
from fuzzyfrog.words import verified as words

MAX_SECONDS = 60.0
LEAST_SHARE = 1e-9  # of the full dependency
LEVEL = 0.05  # of all tests together
SMALL = 0.1  # standard deviations by which a mean may move without being what has changed


@dataclass(frozen=True, eq=False)
class NewRows:
    """Old and new rows by which a selection is verified.

    Attributes
    ----------
    result : Result
        The selection.
    old, new : Dataset
        The tables, the new one with the codes of the old one.
    features : tuple of int
        The selected features in these tables; the first column of a group stands for it.
    support, needed : bool[n_features]
        The selected columns, and all that are compared.
    groups : Groups
        The groups of columns.
    costs : dict of int to float, or None
        What features cost; None without costs.
    notes : tuple of str
        What is new in the new table.
    n_jobs : int or None
        Number of threads.
    max_seconds : float
        Time limit of the search for columns to add.
    """

    result: Result
    old: Dataset
    new: Dataset
    features: tuple[int, ...]
    support: Masks
    needed: Masks
    groups: Groups
    costs: dict[int, float] | None
    notes: tuple[str, ...]
    n_jobs: int | None
    max_seconds: float

    @property
    def joined(self) -> Dataset:
        """All rows, the old ones first; new ones are a group that is compared with old ones."""
        old, new = self.old, self.new
        together = np.arange(old.n_samples) if old.groups is None else old.groups
        after = np.full(new.n_samples, int(together.max()) + 1)
        return replace(
            new,
            values=np.vstack([old.values, new.values]),
            target=np.concatenate([old.target, new.target]),
            rows=None,
            groups=np.concatenate([together, after]),
            weights=self._weights(),
        )

    def _weights(self) -> Floats | None:
        """Return the weights of all rows; new ones count as the average old one."""
        if self.old.weights is None:
            return None
        usual = np.full(self.new.n_samples, self.old.weights.mean())
        return np.concatenate([self.old.weights, usual])

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all features, that of a group for its first column."""
        return self.groups.named(self.old.feature_names)

    @property
    def selected(self) -> tuple[str, ...]:
        """The names of the selected features."""
        return tuple(self.names[one] for one in self.features)

    def called(self, row: int) -> tuple[str, bool]:
        """Return what one of all rows is called in its table, and whether that is the new one."""
        is_new = row >= self.old.n_samples
        table, place = (self.new, row - self.old.n_samples) if is_new else (self.old, row)
        if table.rows is None:
            return str(place), is_new
        name = str(table.rows[place])
        return name if isinstance(table.rows, tuple) else f"in {table.row_word} {name}", is_new


def verify(
    result: Result,
    settings: Settings,
    old: Dataset,
    new: Dataset,
    *,
    max_seconds: float = MAX_SECONDS,
    ignored: Sequence[str] = (),
) -> Verified:
    """Return whether a selection still holds with new rows.

    Parameters
    ----------
    result : Result
        The selection.
    settings : Settings
        Its settings, with the measure and the groups of columns.
    old, new : Dataset
        The table of the selection, and new rows.
    max_seconds : float
        Time limit of each search for columns to add.
    ignored : sequence of str
        Names of columns that were left out of the new table before.

    Returns
    -------
    Verified
        The answer, in words too.

    Raises
    ------
    DataError
        If the old table is another one, or columns are not there.
    """
    check_budget(None, max_seconds)
    check_same(result, old)
    groups = Groups.of(settings.feature_groups, old)
    places = np.arange(old.n_features)
    if result.table.n_features < old.n_features:  # in a saved run a group is one feature
        places = np.flatnonzero(~groups.members)
    support = groups.mask(places[list(result.selected)])
    allowed = ~groups.mask(places[list(result.excluded)])
    # A column that said nothing about the old rows may tell new ones apart.
    blank = {one.name for one in result.columns if one.rule in ("constant", "empty")}
    there = blank.intersection(new.feature_names)
    allowed |= np.array([name in there for name in old.feature_names])
    needed = allowed if settings.kind.compares_with_all else support
    same, notes = aligned(old, new, needed)
    extra = [*ignored, *(name for name in new.feature_names if name not in old.feature_names)]
    if extra:
        them = listed(extra)
        notes.append(f"Columns that are not features of the old table are ignored: {them}.")
    costs = {
        int(places[feature]): one.cost
        for feature, one in enumerate(result.table.features)
        if one.cost is not None
    }
    rows = NewRows(
        result=result,
        old=old,
        new=same,
        features=tuple(places[list(result.selected)].tolist()),
        support=support,
        needed=needed,
        groups=groups,
        costs=costs or None,
        notes=tuple(notes),
        n_jobs=settings.n_jobs,
        max_seconds=max_seconds,
    )
    return settings.kind.verified(rows)


def check_same(result: Result, old: Dataset) -> None:
    """Raise unless a table is that of the selection, by its fingerprint."""
    if fingerprint(old) == f"sha256:{result.table.sha256}":
        return
    was = f"{result.table.n_samples:,} samples"
    raise DataError(
        f"the table must be the one that the columns were selected from ({was}), got one with "
        f"{count(old.n_samples, 'sample')} and {count(old.n_features, 'feature')} that differs. "
        "Pass the same rows, read with the same options."
    )


def read_new(X: Any, y: object, old: Dataset) -> tuple[Dataset, list[str]]:
    """Return new rows, given as a table and its target, and the names of columns left out.

    Columns of a frame are found by their names. Those that the old table does not have are left
    out.
    """
    if isinstance(X, Dataset):
        return make_dataset(X, y), []
    X = X.toarray() if is_sparse(X) else X.compute() if is_dask(X) else X
    table = as_table(X)
    columns = [] if isinstance(table, np.ndarray) else list(table.columns)
    names = [name for name in columns if isinstance(name, str)]
    kept = [name for name in old.feature_names if name in names]
    if names:
        if not kept:
            raise _absent(old.feature_names)
        table = table.select(kept)  # type: ignore[union-attr]
    elif table.shape[1] != old.n_features:
        raise DataError(
            f"X must have the {count(old.n_features, 'column')} of the old table, got "
            f"{table.shape[1]:,}. Pass them in the same order, or pass frames with names."
        )
    places = [old.feature_names.index(name) for name in kept] or range(old.n_features)
    new = make_dataset(
        nw.to_native(table, pass_through=True),
        y,
        categorical_features=[bool(old.categorical[one]) for one in places],
        target="numeric" if old.classes is None else "class",
        feature_names=[old.feature_names[one] for one in places],
        least=1,
    )
    return new, [name for name in names if name not in kept]


def aligned(old: Dataset, new: Dataset, needed: Masks) -> tuple[Dataset, list[str]]:
    """Return new rows with the columns and codes of the old table, and what is new in them.

    Columns that are not needed are 0.

    Raises
    ------
    DataError
        If a column is not there, or holds something else.
    """
    columns = np.flatnonzero(needed).tolist()
    names = [old.feature_names[column] for column in columns]
    if absent := [name for name in names if name not in new.feature_names]:
        raise _absent(absent)
    notes: list[str] = []
    values = np.zeros((new.n_samples, old.n_features))
    categories = [_labels(old, column) for column in range(old.n_features)]
    for column, name in zip(columns, names, strict=True):
        place = new.feature_names.index(name)
        values[:, column] = new.values[:, place]
        labels, others = categories[column], _labels(new, place)
        if (labels is None) != (others is None) and not np.isnan(values[:, column]).all():
            kinds = ("numbers", "categories") if labels is None else ("categories", "numbers")
            raise DataError(
                f"column {shown(name)} must hold {kinds[0]} as in the old table, got {kinds[1]}. "
                "Read both tables in the same way."
            )
        if labels is not None:
            longer, values[:, column] = _recoded(labels, others or (), values[:, column].copy())
            if more := longer[len(labels) :]:
                n_rows = count(int((values[:, column] >= len(labels)).sum()), "new row")
                some = f"{listed(map(str, more))}, in {n_rows}"
                notes.append(f"{shown(name)} has categories that no old row has: {some}.")
            categories[column] = longer
        n_gaps = int(np.isnan(values[:, column]).sum())
        if n_gaps and not np.isnan(old.values[:, column]).any():
            rows = count(n_gaps, "new row")
            notes.append(f"{shown(name)} is missing in {rows} and in no old one.")
    target, classes = new.target, old.classes
    if (classes is None) != (new.classes is None):
        kinds = ("numbers", "classes") if classes is None else ("classes", "numbers")
        raise DataError(f"the new target must be {kinds[0]} as in the old table, got {kinds[1]}.")
    if classes is not None:
        longer, codes = _recoded(classes, new.classes or (), target.astype(np.float64))
        if more := longer[len(classes) :]:
            notes.append(f"New classes, which no old row has: {listed(map(str, more))}.")
        target, classes = codes.astype(np.int64), longer
    numbers, _ = copies_among(np.vstack([old.values[:, needed], values[:, needed]]))
    n_repeated = int(np.isin(numbers[old.n_samples :], numbers[: old.n_samples]).sum())
    if n_repeated:
        rows = (
            "1 new row looks like a copy of an old row"
            if n_repeated == 1
            else f"{n_repeated:,} new rows look like copies of old rows"
        )
        notes.append(f"{rows}, equal in every column compared: leave out what is the same sample.")
    return replace(
        old, values=values, target=target, classes=classes, categories=tuple(categories),
        rows=new.rows, groups=None, weights=None,
    ), notes  # fmt: skip


def _absent(names: Sequence[str]) -> DataError:
    return DataError(
        f"the new table must have all columns that are compared, got none called {listed(names)}. "
        "Columns are found by their names, in any order."
    )


def _labels(dataset: Dataset, column: int) -> Labels | None:
    """Return the categories of a column; their codes where only these are known."""
    if not dataset.categorical[column]:
        return None
    labels = None if dataset.categories is None else dataset.categories[column]
    if labels is not None:
        return labels
    codes = dataset.values[:, column]
    return tuple(range(int(np.nanmax(codes, initial=-1.0)) + 1))


def _recoded(labels: Labels, others: Labels, codes: Floats) -> tuple[Labels, Floats]:
    """Return labels with those that are new behind them, and codes of others as codes of these.

    Labels are the same if they are equal, or spelled alike.
    """
    by_value = {label: code for code, label in enumerate(labels)}
    by_text = {str(label): code for code, label in enumerate(labels)}
    used = np.unique(codes[~np.isnan(codes)]).astype(np.int64).tolist()
    table = np.full(max(used, default=-1) + 1, np.nan)
    longer = list(labels)
    for code in used:
        label = others[code]
        table[code] = by_value.get(label, by_text.get(str(label), len(longer)))
        if table[code] == len(longer):
            longer.append(label)
    recoded = np.full(len(codes), np.nan)
    is_there = ~np.isnan(codes)
    recoded[is_there] = table[codes[is_there].astype(np.int64)]
    return tuple(longer), recoded


def asked_again(rows: NewRows, kind: Kind) -> Settings:
    """Return what the selection was asked for, with its features as a part of the answer.

    A selection that was not enough has to keep the share of the full dependency that it had.
    """
    result = rows.result
    share = 1.0 if result.max_lost is not None else result.asked_share
    if not result.is_enough and result.max_lost is None:
        share = max(LEAST_SHARE, min(share, result.dependency / result.full_dependency))
    return Settings(
        kind=kind,
        search=Exact(limit=1),
        must_include=list(rows.features),
        exclude=np.flatnonzero(~rows.needed).tolist(),
        feature_groups=dict(rows.groups.columns) or None,
        costs=rows.costs,
        min_dependency=share,
        survives=result.survives,
        max_lost=result.max_lost,
        copies="keep",
        max_seconds=rows.max_seconds,
        n_jobs=rows.n_jobs,
        random_state=0,
        screens=False,
    )


def repaired(settings: Settings, dataset: Dataset) -> tuple[tuple[int, ...], bool] | None:
    """Return the selected features with the fewest others that are enough, and if it is proved.

    A proof that runs out of time is followed by a greedy search. None if nothing is enough.
    """
    answers: list[Result] = []
    for search in (settings.search, "quickreduct"):
        try:
            answer = select(dataset, replace(settings, search=search), end_warning=None)
        except FuzzyfrogError:  # nothing survives, or the table is too extreme for a proof
            continue
        if answer.is_enough:
            answers.append(answer)
        certificate = getattr(answer.answer, "certificate", None)
        if certificate is not None and certificate.proven:
            return (answer.selected, True) if answer.is_enough else None
    if not answers:
        return None
    return min(answers, key=lambda answer: answer.price).selected, False


class Means(NamedTuple):
    """Means of old and new rows, and the standard error of their difference."""

    before: float
    now: float
    error: float


def soft_verified(rows: NewRows, measure: SoftDependency) -> VerifiedSoft:
    """Return whether old neighbors still predict new rows, and which columns have shifted.

    Classes are judged by memberships, averaged by class: the share of a class in the new rows then
    changes nothing, and votes of five neighbors hardly ever name a rare class. Numbers are judged
    by R².
    """
    old, new = rows.old, rows.new
    among, columns = measure.with_new(rows.joined), np.flatnonzero(rows.support)
    losses, losses_now = (
        one.left_out_losses(columns, start=len(columns) - 1)[0] for one in (measure, among)
    )
    codes = np.zeros(measure.n_sampled, np.int64)
    codes_now = np.zeros(among.n_sampled, np.int64)
    if old.classes is not None:
        codes = old.target[measure.anchors].astype(np.int64)
        codes_now = new.target[among.anchors - old.n_samples].astype(np.int64)
    kept = np.intersect1d(codes, codes_now)
    if not len(kept):
        names = listed(str((new.classes or ())[code]) for code in np.unique(codes_now))
        raise DataError(
            f"the new rows must have a class that old rows have, got only {names}. Rows of other "
            "classes cannot be predicted."
        )
    right = means_by_class(measure, 1.0 - losses, codes, 1.0 - losses_now, codes_now)
    alike = means_by_class(
        measure, measure.memberships(rows.support), codes, among.memberships(rows.support),
        codes_now,
    )  # fmt: skip
    judged = right if old.classes is None else alike
    found = VerifiedSoft(
        bool(judged.before - judged.now <= CLEARLY * judged.error),
        old.n_samples, new.n_samples, rows.selected, rows.notes,
        membership=alike.now,
        membership_before=alike.before,
        accuracy=right.now,
        accuracy_before=right.before,
        error=judged.error,
        is_numeric=old.classes is None,
        n_tested=among.n_sampled,
        shifts=shifts_of(old, new, columns),
    )  # fmt: skip
    if old.classes is not None:
        counts = np.bincount(codes_now, minlength=len(old.classes))
        rarest = int(kept[np.argmin(counts[kept])])
        found = structs.replace(
            found,
            chance=float(np.mean([measure.means((codes == one) * 1.0) for one in kept])),
            absent=tuple(str(old.classes[one]) for one in np.setdiff1d(codes, codes_now)),
            rarest=str(old.classes[rarest]),
            n_rarest=int(counts[rarest]),
            class_shift=class_shift(old, new),
        )
    if old.groups is not None:
        found = structs.replace(found, notes=(*found.notes, words.OF_KNOWN_GROUPS))
    return structs.replace(found, sentences=tuple(words.soft_verified(found)))


def means_by_class(
    measure: SoftDependency, before: Floats, codes: Integers, now: Floats, codes_now: Integers
) -> Means:
    """Return means over the classes that old and new rows have, of the means of their rows.

    `before` belongs to the anchors of the measure, whose groups and masses count.
    """
    kept = np.intersect1d(codes, codes_now).tolist()
    apart, means, variance = np.zeros(len(before)), [], 0.0
    for one in kept:
        is_in = (codes == one).astype(np.float64)
        share = float(measure.means(is_in))
        mean = float(measure.means(is_in * before)) / share
        from_mean = is_in * (before - mean)
        apart += from_mean / share
        mine = now[codes_now == one]
        means.append((mean, float(mine.mean())))
        # New rows are few at times, and all of them right or wrong.
        spread = float(measure.means(from_mean**2)) / share
        variance += max(spread, float(mine.var())) / len(mine)
    error = np.sqrt(variance + float(measure.standard_errors(apart)) ** 2) / len(kept)
    old, new = np.mean(means, axis=0).tolist()
    return Means(old, new, float(error))


def shifts_of(old: Dataset, new: Dataset, columns: Integers) -> tuple[Shift, ...]:
    """Return which of some columns have shifted, the clearest one first.

    Numbers are compared by the Kolmogorov-Smirnov test, categories and gaps by chi-square; p-values
    are Holm's.
    """
    tests = [one for column in columns.tolist() for one in _tests(old, new, column)]
    tests.sort(key=lambda test: test.p_value)
    highest, found = 0.0, []
    for place, test in enumerate(tests):
        highest = max(highest, min(1.0, (len(tests) - place) * test.p_value))
        if highest <= LEVEL:
            found.append(structs.replace(test, p_value=highest))
    return tuple(found)


def class_shift(old: Dataset, new: Dataset) -> Shift | None:
    """Return the class whose share has changed most, if shares have clearly changed."""
    n_classes = len(new.classes or ())
    counts = np.array(
        [np.bincount(one.target.astype(np.int64), minlength=n_classes) for one in (old, new)]
    )
    p_value = _chi_square(counts)
    if p_value > LEVEL:
        return None
    shares, most = _most_changed(counts)
    return Shift(old.target_name, str((new.classes or ())[most]), True, *shares, p_value)


def _tests(old: Dataset, new: Dataset, column: int) -> Iterator[Shift]:
    name = old.feature_names[column]
    before, now = old.values[:, column], new.values[:, column]
    is_gap, is_gap_now = np.isnan(before), np.isnan(now)
    if is_gap.any() or is_gap_now.any():
        counts = np.array([np.bincount(one, minlength=2) for one in (is_gap, is_gap_now)])
        shares = float(is_gap.mean()), float(is_gap_now.mean())
        yield Shift(name, "missing", True, *shares, _chi_square(counts))
    before, now = before[~is_gap], now[~is_gap_now]
    if not len(before) or not len(now):
        return
    if not old.categorical[column]:
        yield _numbers(name, before, now)
        return
    both = np.concatenate([before, now]).astype(np.int64)
    counts = np.array(
        [np.bincount(one.astype(np.int64), minlength=both.max() + 1) for one in (before, now)]
    )
    changed, most = _most_changed(counts)
    yield Shift(name, category_name(new, column, most), True, *changed, _chi_square(counts))


def _most_changed(counts: Integers) -> tuple[tuple[float, float], int]:
    """Return the two shares that differ most, and their place; of two such, the rarer one."""
    shares = counts / counts.sum(axis=1, keepdims=True)
    most = int(np.lexsort((shares[0], -np.abs(shares[1] - shares[0]).round(12)))[0])
    return (float(shares[0, most]), float(shares[1, most])), most


def _numbers(name: str, before: Floats, now: Floats) -> Shift:
    from scipy.stats import ks_2samp

    with warnings.catch_warnings(action="ignore"):  # it may leave the exact test
        p_value = float(ks_2samp(before, now).pvalue)
    spread = float(before.std())
    means = float(before.mean()), float(now.mean())
    if abs(means[1] - means[0]) > SMALL * spread:
        return Shift(name, "mean", False, *means, p_value)
    return Shift(name, "standard deviation", False, spread, float(now.std()), p_value)


def _chi_square(counts: Integers) -> float:
    """Return the p-value of independence of rows and columns; 1 if there is only one column."""
    from scipy.stats import chi2_contingency

    counts = counts[:, counts.any(axis=0)]
    if counts.shape[1] < 2:
        return 1.0
    return float(chi2_contingency(counts).pvalue)
