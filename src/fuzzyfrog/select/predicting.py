"""Whether columns still predict: new rows by their old neighbors, next to old rows by theirs.

And which of them have shifted, by tests that are corrected for their number.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from msgspec.structs import replace

from fuzzyfrog.common.arrays import Floats, Integers
from fuzzyfrog.common.messages import listed
from fuzzyfrog.data import Dataset
from fuzzyfrog.errors import DataError
from fuzzyfrog.measure import SoftDependency
from fuzzyfrog.result import Shift, VerifiedSoft
from fuzzyfrog.select.explain import category_name
from fuzzyfrog.select.redundant import CLEARLY
from fuzzyfrog.words import verified as words

if TYPE_CHECKING:
    from fuzzyfrog.select.verify import NewRows

LEVEL = 0.05  # of all tests together
SMALL = 0.1  # standard deviations by which a mean may move without being what has changed


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
        found = replace(
            found,
            chance=float(np.mean([measure.means((codes == one) * 1.0) for one in kept])),
            absent=tuple(str(old.classes[one]) for one in np.setdiff1d(codes, codes_now)),
            rarest=str(old.classes[rarest]),
            n_rarest=int(counts[rarest]),
            class_shift=class_shift(old, new),
        )
    if old.groups is not None:
        found = replace(found, notes=(*found.notes, words.OF_KNOWN_GROUPS))
    return replace(found, sentences=tuple(words.soft_verified(found)))


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
            found.append(replace(test, p_value=highest))
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
