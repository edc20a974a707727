"""Whether columns still predict: new rows by their old neighbors, next to old rows by theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from msgspec.structs import replace

from fuzzyfrog.common.arrays import Floats, Integers
from fuzzyfrog.common.messages import listed
from fuzzyfrog.errors import DataError
from fuzzyfrog.measure import SoftDependency
from fuzzyfrog.result import VerifiedSoft
from fuzzyfrog.select.drift import class_shift, shifts_of
from fuzzyfrog.select.redundant import CLEARLY
from fuzzyfrog.words import verified as words

if TYPE_CHECKING:
    from fuzzyfrog.select.new_rows import NewRows


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
