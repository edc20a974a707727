"""Whether a selection still holds with new rows, in sentences."""

from collections.abc import Iterator
from math import floor, log10

from fuzzyfrog.common.messages import (
    both_told,
    count,
    gamma,
    listed,
    named,
    percent,
    shown,
    told_apart,
)
from fuzzyfrog.result import BrokenRow, Shift, VerifiedReduct, VerifiedSoft

MOST_ROWS = 10  # that are listed
OF_KNOWN_GROUPS = (
    "Old rows were compared by groups, such as patients. New rows are taken for rows of new "
    "groups: a row of a known one seems easier to predict than it is, so leave such rows out."
)
LARGE_ERROR = 0.05  # of a difference of memberships or accuracies


def reduct_verified(found: VerifiedReduct) -> Iterator[str]:
    """Yield whether a reduct still holds, which rows break it, and what repairs it."""
    n = len(found.selected)
    columns = "selected feature" if n == 1 else f"{n:,} selected features"
    ours, everything = gamma(found.dependency), gamma(found.full_dependency)
    if ours == everything and found.dependency != found.full_dependency:
        ours = told_apart(found.dependency, found.full_dependency)
    lost = f" after the loss of any {found.survives}" if found.survives else ""
    rows = f"{found.n_old + found.n_new:,} old and new rows"
    verdict = f"{'still' if found.holds else 'no longer'} {'holds' if n == 1 else 'hold'}"
    yield (
        f"The {columns} {verdict}: on {rows} together, the dependency is {ours}{lost}, that of "
        f"all columns {everything}.{_asked(found)}"
    )
    if (before := gamma(found.full_dependency_before)) != everything:
        less = found.full_dependency < found.full_dependency_before
        why = ": new rows come close, have gaps, or change the unit of a column" if less else ""
        yield f"On the old rows alone, all columns reach {before}{why}."
    if found.n_broken:
        rows_are = count(found.n_broken, "new row is", "new rows are")
        some = f" The first {MOST_ROWS}:" if found.n_broken > MOST_ROWS else ""
        yield f"{rows_are} separated less well by them than by all columns.{some}"
        yield from map(_broken, found.broken[:MOST_ROWS])
    if found.n_old_broken:
        is_plain = found.share == 1.0 and found.max_lost is None
        why = ": new rows come close, or change the unit of a column" if is_plain else ""
        rows_are = count(found.n_old_broken, "old row is", "old rows are")
        yield f"{rows_are} separated less well{', too' if found.n_broken else ''}{why}."
    if not found.holds:
        yield _repair(found)
    yield from map(_shifted, found.shifts)


def _asked(found: VerifiedReduct) -> str:
    """Return what has to be kept if that is not the full dependency."""
    if found.max_lost is not None:
        n_lost = found.n_broken + found.n_old_broken
        lose = count(n_lost, "row loses", "rows lose")
        return f" {lose} membership, {found.max_lost:,} may."
    return "" if found.share == 1.0 else f" They have to keep {percent(found.share)} of that."


def _broken(row: BrokenRow) -> str:
    table = "new" if row.is_enemy_new else "old"
    ours, everything = row.membership, row.membership_of_all
    return (
        f"  new row {row.row}: {told_apart(ours, everything)} apart, by all columns "
        f"{told_apart(everything, ours)}, from {table} row {row.enemy}"
    )


def _repair(found: VerifiedReduct) -> str:
    if found.added is None:
        return "No columns to add are enough, or none were found in the time allowed."
    price = "" if found.cost is None else f", at a cost of {found.cost:.10g}"
    less = "fewer columns are" if found.cost is None else "cheaper addition is"
    add = f"To repair it, add {named(found.added)}{price}."
    if found.is_fewest:
        return f"{add} Proven: no {less} enough."
    return f"{add} That was found by a greedy search or an unfinished proof: less may be enough."


def soft_verified(found: VerifiedSoft) -> Iterator[str]:
    """Yield whether columns still predict as well as before, and which of them have shifted."""
    n = len(found.selected)
    columns = "selected column predicts" if n == 1 else f"{n:,} selected columns predict"
    verdict = "not clearly worse" if found.holds else "worse"
    alike = both_told(found.membership, found.membership_before)
    right = both_told(found.accuracy, found.accuracy_before)
    error = f"standard error of the difference {found.error:.3f}"
    if found.is_numeric:
        by, (now, before) = "by five neighbors among the old rows, R²", right
    else:
        by, (now, before) = "the share of similar old rows of the same class, by class,", alike
        error = f"{error}, chance {found.chance:.3f}"
    yield (
        f"The {columns} new rows {verdict} than old ones: {by} is {now} for the "
        f"{count(found.n_new, 'new row')}, {before} for the {count(found.n_old, 'old row')}, on "
        f"which the columns were chosen, so expect less on others ({error})."
    )
    if found.holds and found.error > _large_error(found):
        few = "so few new rows"
        if found.rarest is not None:
            few = f"only {count(found.n_rarest, 'new row')} of class {shown(found.rarest)}"
        yield f"With {few}, only a large loss would show."
    if found.is_numeric:
        now, before = alike
        yield (
            f"How alike the targets of similar old rows are: {now} for the new rows, {before} for "
            "the old rows."
        )
    else:
        now, before = right
        these = f"{now} for the new rows, {before} for the old rows"
        yield f"Balanced accuracy of five neighbors among the old rows: {these}."
        yield from _classes(found)
    if found.n_tested < found.n_new:
        yield f"Both are means over {found.n_tested:,} random rows of the {found.n_new:,} new ones."
    if not found.shifts:
        yield "No selected column has clearly shifted."
    yield from map(_shifted, found.shifts)


def _large_error(found: VerifiedSoft) -> float:
    """Return the error above which half of what the columns say could be lost unnoticed."""
    before = found.accuracy_before if found.is_numeric else found.membership_before
    return min(LARGE_ERROR, max(0.0, before - found.chance) / 4)


def _classes(found: VerifiedSoft) -> Iterator[str]:
    """Yield which classes are not compared, and whether their shares have changed."""
    if found.absent:
        yield f"Not compared, because no new row has it: class {listed(found.absent)}."
    if (shift := found.class_shift) is not None:
        yield (
            f"The shares of the classes have changed: {shown(shift.what)} in "
            f"{percent(shift.before)} before, {percent(shift.now)} now. The figures above are "
            "averaged by class and do not depend on that."
        )


def _shifted(shift: Shift) -> str:
    if not shift.is_share:
        before, now = _to_compare(shift.before, shift.now)
        return f"{shift.name} has shifted: {shift.what} {before} before, {now} now."
    before, now = percent(shift.before), percent(shift.now)
    if shift.what == "missing":
        often = "more" if shift.now > shift.before else "less"
        return f"{shift.name} is missing {often} often: {before} before, {now} now."
    return f"{shift.name} has shifted: {shown(shift.what)} in {before} before, {now} now."


def _to_compare(before: float, now: float) -> tuple[str, str]:
    """Return two numbers with two digits of their difference, and three of the larger one."""
    apart, larger = abs(now - before), max(abs(before), abs(now))
    if not 1e-9 < apart < 1e12:
        return f"{before:.6g}", f"{now:.6g}"
    n = max(0, 1 - floor(log10(apart)), 2 - floor(log10(larger)))
    return f"{before:,.{n}f}", f"{now:,.{n}f}"
