"""Selected columns whose values have changed, by tests that are corrected for their number."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
from msgspec.structs import replace

from fuzzyfrog.common.arrays import Floats, Integers
from fuzzyfrog.data import Dataset
from fuzzyfrog.result import Shift
from fuzzyfrog.select.explain import category_name

LEVEL = 0.05  # of all tests together
SMALL = 0.1  # standard deviations by which a mean may move without being what has changed


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
