"""A role for every column (selected, substitute, useful, unneeded, left out) and its figures.

All figures of columns that are not selected come from a few batches of scores: each column alone,
each next to the selected ones, and each in the place of one of them. In large tables they are those
of a random part of the samples, and in very wide ones only some columns have any.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace as with_fields
from functools import cache
from itertools import chain, combinations, islice
from math import inf
from typing import Any

import numpy as np
from msgspec.structs import replace

from fuzzyfrog.common.arrays import Extensions, Floats, Integers, Masks
from fuzzyfrog.common.deadline import ALLOWANCE, TimeIsUp, current_deadline, limited, stop_if_late
from fuzzyfrog.common.messages import warn
from fuzzyfrog.data import Dataset
from fuzzyfrog.data.dates import holds_dates
from fuzzyfrog.result import Column, ColumnTree, Join, Replacement, Result
from fuzzyfrog.result.parts import ALIKE, ROLES, UNSELECTED, Role, Rule
from fuzzyfrog.select.groups import Groups
from fuzzyfrog.select.left_out import blank_features
from fuzzyfrog.select.redundant import correlations
from fuzzyfrog.select.settings import Settings, constrained_features

FEWEST_ROWS = 200  # samples that figures come from; beyond that, columns go without
MOST_COMPARED = 20_000  # samples whose values are correlated
MOST_REDUCTS = 5_000  # that are looked at for exchanges
MOST_REPLACEMENTS = 3  # for each selected column
MOST_TRIED = 100  # substitutes whose neighbors are asked as well
N_SHUFFLED = 100  # columns that a relevant one must exceed alone
N_ERRORS = 2  # standard errors that a useful column adds at least
AT_ONCE = 256  # subsets
CELLS_AT_ONCE = 2**24  # of shuffled columns
SHUFFLING = 0x726F6C6573  # a seed: no other part of a run draws from it
MOST_DRAWN = 30  # columns of the tree
POOL = 200  # columns among which those that are drawn are chosen
MOST_ALIKE = 2  # of these, next to one that they could replace
RESEMBLES = 0.7  # correlation from which on a column is counted with one that is drawn


def with_columns(
    result: Result, dataset: Dataset, settings: Settings, groups: Groups, measure: Any = None
) -> Result:
    """Return a result with the role of every column; a group's role is that of its columns.

    `measure` is that of the table; None to make it again.
    The figures must be there by the current deadline, and in what `max_seconds` left; without the
    time or memory for them, there are only roles.
    """
    rules = _rules(result, dataset, settings, groups)
    selected = set(result.selected)
    substitutes = {**_in_reducts(result)}
    columns: dict[int, Column] = {}
    notes: list[str] = []
    limit = inf if settings.max_seconds is None else settings.max_seconds
    left = max(limit - result.seconds + ALLOWANCE / 2, ALLOWANCE / 2)
    try:
        with limited(current_deadline().within(left)):
            stop_if_late()
            candidates = [
                one for one in np.flatnonzero(~groups.members).tolist()
                if one not in rules and one not in selected
            ]  # fmt: skip
            part = _compared(dataset, result.seed)
            for feature, alike in _alike(result, part, groups, candidates, settings.n_jobs).items():
                substitutes[feature] = tuple(sorted({*substitutes.get(feature, ()), *alike}))
            figures = _Figures(result, dataset, settings, groups, notes, measure)
            columns = figures.columns(candidates, substitutes)
    except TimeIsUp:
        notes.append(_said("There was no time to score every column."))
    except MemoryError:
        notes.append(_said("There was too little memory to score every column."))
    stands_for = {one: some[0] for some in groups.columns.values() for one in some}
    described = tuple(
        _column(name, stands_for.get(at, at), selected, rules, substitutes, columns)
        for at, name in enumerate(dataset.feature_names)
    )
    tree = None
    try:
        with limited(current_deadline().within(left)):
            numbers = np.flatnonzero(~groups.grouped & ~dataset.categorical).tolist()
            single = [one for one in numbers if described[one].role != "left out"]
            tree = column_tree(_compared(dataset, result.seed), described, single, settings.n_jobs)
    except (TimeIsUp, MemoryError):
        pass  # the roles are what matters
    return replace(result, notes=(*result.notes, *notes), columns=described, tree=tree)


def _said(note: str) -> str:
    warn(note)
    return note


def _column(
    name: str,
    feature: int,
    selected: Container[int],
    rules: dict[int, tuple[Rule, tuple[int, ...]]],
    substitutes: dict[int, tuple[int, ...]],
    figures: dict[int, Column],
) -> Column:
    if feature in figures:
        return replace(figures[feature], name=name)
    if feature in rules:
        rule, of = rules[feature]
        return Column(name, "left out", rule=rule, of=of)
    if feature in selected:
        return Column(name, "selected")
    if feature in substitutes:
        return Column(name, "substitute", of=substitutes[feature])
    return Column(name, "unneeded")


def for_reduct(result: Result) -> tuple[Column, ...]:
    """Return the columns of a result whose selection changed to another of its reducts.

    What a column says alone stays; what it adds was measured next to others and goes.
    """
    substitutes = _in_reducts(result)

    def changed(feature: int, one: Column) -> Column:
        if one.role == "left out":
            return one
        found = _column(one.name, feature, result.selected, {}, substitutes, {})
        return replace(found, alone=one.alone, relevant=one.relevant)

    return tuple(changed(feature, one) for feature, one in enumerate(result.columns))


def _rules(
    result: Result, dataset: Dataset, settings: Settings, groups: Groups
) -> dict[int, tuple[Rule, tuple[int, ...]]]:
    """Return why features are left out, and the feature that a copy repeats."""
    _, named = constrained_features(None, groups.with_columns(settings.exclude), dataset)
    named = groups.expanded(groups.joined(named))
    copied = {one: group.feature for group in result.copies for one in group.others}
    rules: dict[int, tuple[Rule, tuple[int, ...]]] = {}
    blank = blank_features(dataset, np.isin(np.arange(dataset.n_features), result.excluded))
    for feature in result.excluded:
        if named[feature]:
            rules[feature] = "excluded", ()
        elif feature in copied:
            rules[feature] = "copy", (copied[feature],)
        elif feature in blank:
            rules[feature] = blank[feature], ()
        else:
            rules[feature] = "date" if holds_dates(dataset, feature) else "identifier", ()
    return rules


def _in_reducts(result: Result) -> dict[int, tuple[int, ...]]:
    """Return the features of other reducts, with what the nearest such reduct has them in place of.

    Redundant features count, with those that they resemble.
    """
    selected = set(result.selected)
    nearest: dict[int, set[int]] = {}
    for reduct in result.reducts[:MOST_REDUCTS]:
        lacks = selected - set(reduct.features)
        for feature in set(reduct.features) - selected:
            if feature not in nearest or len(lacks) < len(nearest[feature]):
                nearest[feature] = lacks
    for group in result.substitutes:
        for feature in group.others:
            nearest.setdefault(feature, set()).add(group.feature)
    return {feature: tuple(sorted(lacks)) for feature, lacks in nearest.items()}


def _compared(dataset: Dataset, seed: int) -> Dataset:
    """Return the samples whose values are correlated, random ones of a large table."""
    if dataset.n_samples <= MOST_COMPARED:
        return dataset
    drawn = np.random.default_rng([seed, SHUFFLING]).permutation(dataset.n_samples)
    return dataset.take(np.sort(drawn[:MOST_COMPARED]))


def _alike(
    result: Result,
    dataset: Dataset,
    groups: Groups,
    candidates: Sequence[int],
    n_jobs: int | None,
) -> dict[int, tuple[int, ...]]:
    """Return the candidates that are strongly correlated with selected features, with these."""
    some = [one for one in candidates if not groups.grouped[one]]
    single = [one for one in result.selected if not groups.grouped[one]]
    if not some or not single:
        return {}
    near = correlations(dataset, np.array(single), np.array(some), n_jobs) >= ALIKE
    return {
        one: tuple(np.array(single)[near[:, place]].tolist())
        for place, one in enumerate(some)
        if near[:, place].any()
    }


class _Figures:
    """Scores what columns say alone, and what they add to the selected ones."""

    def __init__(
        self,
        result: Result,
        dataset: Dataset,
        settings: Settings,
        groups: Groups,
        notes: list[str],
        measure: Any,
    ) -> None:
        self._result, self._dataset = result, dataset
        self._groups, self._kind = groups, settings.kind
        self._n_jobs, self._notes = settings.n_jobs, notes
        if measure is None:
            measure = settings.kind.measured(dataset, settings.n_jobs)
        self._measure = measure.on_rows(result.n_sampled, result.seed)
        self._subset = groups.mask(result.selected)

    def columns(
        self, candidates: list[int], substitutes: dict[int, tuple[int, ...]]
    ) -> dict[int, Column]:
        """Return the selected columns and the candidates, by their features."""
        selected = list(self._result.selected)
        rests = (self._subset & ~self._groups.mask([one]) for one in selected)
        lost = self._less(self._measure, map(np.array, iter(lambda: [*islice(rests, AT_ONCE)], [])))
        scored, here = self._affordable(candidates)
        n_here, n_all = here.n_sampled, self._measure.n_sampled
        parts = [f"were scored on {n_here:,} random samples"] if n_here < n_all else []
        if len(scored) < len(candidates):
            parts.append(f"only {len(scored):,} of the {len(candidates):,} were scored")
        if parts and candidates:
            self._notes.append(f"{UNSELECTED} {', and '.join(parts)}.")
        alone = self._alone(here, [*selected, *scored])
        listed = alone if here is self._measure else self._alone(self._measure, selected)
        highest = self._highest_shuffled(here, [*selected, *candidates])
        gained = self._gained(here, scored)
        exchanged = self._exchanged(here, self._promising(scored, alone, gained), substitutes)

        def column(feature: int) -> Column:
            is_single = not self._groups.grouped[feature]
            score = alone.get(feature)
            is_above = score is not None and score > highest + self._measure.tolerance
            return Column(
                "",
                "selected" if feature in selected else "unneeded",
                alone=score,
                relevant=is_above if is_single and score is not None else None,
            )

        columns: dict[int, Column] = {}
        right = self._result.chosen_accuracy or -inf
        for feature, (fall, error) in zip(selected, lost, strict=True):
            ranked = sorted(
                (one for one in exchanged if one[0] == feature and one[2].lost <= fall / 2),
                key=lambda one: one[2].lost,
            )
            best = [replace(one[2], feature=one[1]) for one in ranked[:MOST_REPLACEMENTS]]
            best = [
                self._with_accuracy(feature, one) if n_here == n_all or one.lost < 0 else one
                for one in best
            ]  # what scores higher may still be worse for neighbors, which chose the size
            best = [one for one in best if one.lost >= 0 or (one.accuracy or -inf) >= right]
            columns[feature] = replace(
                column(feature),
                alone=listed[feature],
                adds=fall,
                error=error,
                replacements=tuple(best),
            )
        costs: dict[int, list[Replacement]] = {}
        for feature, other, exchange in sorted(exchanged, key=lambda one: one[2].lost):
            if feature in substitutes.get(other, ()):
                if n_here == n_all and other not in costs and len(costs) < MOST_TRIED:
                    exchange = self._with_accuracy(feature, exchange)
                costs.setdefault(other, []).append(replace(exchange, feature=feature))
        for feature in candidates:
            found = column(feature)
            if feature in gained:
                rise, error = gained[feature]
                least = self._measure.tolerance if error is None else N_ERRORS * error
                role: Role = "useful" if rise > least else "unneeded"
                found = replace(found, role=role, adds=rise, error=error)
            if feature in substitutes:
                found = replace(
                    found,
                    role="substitute",
                    of=substitutes[feature],
                    replacements=tuple(costs.get(feature, ())),
                )
            columns[feature] = found
        return columns

    def _affordable(self, candidates: list[int]) -> tuple[list[int], Any]:
        """Return the candidates that are scored, and the measure on as many samples as possible.

        Those that the search tried last come first, then the others in the order of the table.
        """
        measure = self._measure
        budget = self._kind.affordable // measure.n_samples  # samples times subsets
        n_tried = min(2 * self._kind.exchanges_tried, len(candidates))
        n_exchanges = n_tried * len(self._result.selected)
        fewest = min(FEWEST_ROWS, measure.n_sampled)
        most = max(1, (budget // fewest - N_SHUFFLED - n_exchanges) // 2)
        order = {one: place for place, one in enumerate(self._result.added)}
        ranked = sorted(candidates, key=lambda one: (order.get(one, inf), one))[:most]
        n_rows = budget // (2 * len(ranked) + N_SHUFFLED + n_exchanges)
        if n_rows >= measure.n_sampled:
            return ranked, measure
        return ranked, measure.on_rows(max(fewest, n_rows), self._result.seed)

    def _with(self, base: Masks, features: Sequence[int]) -> Iterator[Any]:
        """Yield batches of subsets, of which each adds a feature to a common one."""
        for start in range(0, len(features), AT_ONCE):
            stop_if_late()
            some = features[start : start + AT_ONCE]
            if self._groups:
                yield np.array([base | self._groups.mask([one]) for one in some])
            else:
                yield Extensions(base, np.array(some))

    def _less(self, measure: Any, others: Iterable[Any]) -> Iterator[tuple[float, float | None]]:
        """Yield how much less each subset scores than the selected one, and a standard error."""
        before = self._kind.weighed(measure, self._subset[np.newaxis])
        for some in others:
            stop_if_late()
            falls = before - self._kind.weighed(measure, some)
            errors: list[float | None] = [None] * len(falls)
            if falls.shape[1] > 1:
                errors = measure.standard_errors(falls).tolist()
            yield from zip(means_of(measure, falls).tolist(), errors, strict=True)

    def _alone(self, here: Any, features: list[int]) -> dict[int, float]:
        scores = [
            means_of(here, self._kind.weighed(here, some)).tolist()
            for some in self._with(np.zeros_like(self._subset), features)
        ]
        return dict(zip(features, chain.from_iterable(scores), strict=True))

    def _gained(self, here: Any, scored: list[int]) -> dict[int, tuple[float, float | None]]:
        """Return how much each column adds to the selected ones, with a standard error."""
        result = self._result
        is_full = result.dependency >= result.full_dependency - here.tolerance
        if here.is_monotone and is_full:
            return dict.fromkeys(scored, (0.0, None))  # nothing adds to what all columns reach
        falls = self._less(here, self._with(self._subset, scored))
        return {one: (-fall, error) for one, (fall, error) in zip(scored, falls, strict=True)}

    def _promising(
        self,
        scored: list[int],
        alone: dict[int, float],
        gained: dict[int, tuple[float, float | None]],
    ) -> set[int]:
        """Return the columns that say most alone, and those that add most to the selected ones."""
        n_tried = self._kind.exchanges_tried
        by_score = sorted(scored, key=lambda one: -alone[one])[:n_tried]
        return {*by_score, *sorted(scored, key=lambda one: -gained[one][0])[:n_tried]}

    def _exchanged(
        self, here: Any, promising: set[int], substitutes: dict[int, tuple[int, ...]]
    ) -> list[tuple[int, int, Replacement]]:
        """Return exchanges of a selected column for another: both, and what is lost.

        What is nearly the same as a selected column would be its second vote in another's place.
        """
        exchanges, selected = [], set(self._result.selected)
        nearly: dict[int, set[int]] = {}
        for group in self._result.correlated:
            members = {group.feature, *group.others}
            nearly |= dict.fromkeys(members, members & selected or selected)
        for feature in self._result.selected:
            tried = promising | {one for one in substitutes if feature in substitutes[one]}
            others = sorted(one for one in tried if feature in nearly.get(one, selected))
            rest = self._subset & ~self._groups.mask([feature])
            falls = self._less(here, self._with(rest, others))
            exchanges += [
                (feature, one, Replacement(one, fall, error))
                for one, (fall, error) in zip(others, falls, strict=True)
            ]
        return exchanges

    def _with_accuracy(self, feature: int, one: Replacement) -> Replacement:
        mask = self._groups.mask
        subset = self._subset & ~mask([feature]) | mask([one.feature])
        return replace(one, accuracy=self._kind.accuracy(self._measure, subset))

    def _highest_shuffled(self, here: Any, features: Sequence[int]) -> float:
        """Return the highest score of a shuffled column alone."""
        dataset = self._dataset
        random = np.random.default_rng(SHUFFLING)  # the same columns are relevant with any seed
        single: Integers = np.array([one for one in features if not self._groups.grouped[one]])
        highest, n_left = -inf, N_SHUFFLED if len(single) else 0
        at_once = max(1, CELLS_AT_ONCE // dataset.n_samples)
        while n_left:
            stop_if_late()
            chosen = random.choice(single, min(n_left, at_once))
            measure = self._kind.measured(_shuffled(dataset, chosen, random), self._n_jobs)
            measure = measure.on_rows(here.n_sampled, self._result.seed)
            masks = np.eye(len(chosen), dtype=np.bool_)
            highest = max(highest, *means_of(measure, self._kind.weighed(measure, masks)).tolist())
            n_left -= len(chosen)
        return highest


def means_of(measure: Any, rows: Floats) -> Floats:
    """Return the score of each row: its one value, or the mean over the samples of the measure."""
    return rows[:, 0] if rows.shape[1] == 1 else np.asarray(measure.means(rows))


def _shuffled(dataset: Dataset, columns: Integers, random: np.random.Generator) -> Dataset:
    """Return a table of some columns, each with its values in another order."""
    some = dataset.take(columns=columns)
    values = [column[random.permutation(len(column))] for column in some.values.T]
    names = tuple(f"shuffled {place}" for place in range(len(columns)))
    return with_fields(some, values=np.column_stack(values), feature_names=names)


def column_tree(
    dataset: Dataset, columns: Sequence[Column], single: Sequence[int], n_jobs: int | None
) -> ColumnTree:
    """Return the tree of some columns of a table, which has no group and no category among them.

    Selected columns come first, then substitutes, useful ones, and those that say most alone; of
    many that are alike, only a few are drawn.
    """
    order = sorted(single, key=lambda one: (ROLES.index(columns[one].role), *_rank(columns[one])))
    pool = np.array(order[:POOL], np.int64)
    alike = correlations(dataset, pool, pool)
    places = list(range(len(pool)))
    if len(order) > MOST_DRAWN:
        places = _varied(alike, [columns[one].role == "selected" for one in pool])
    drawn = pool[places]
    joins, leaves = _joined(alike[np.ix_(places, places)])
    place = {leaf: at for at, leaf in enumerate(leaves)}
    n_leaves = len(leaves)
    rest = np.setdiff1d(np.array(order, np.int64), drawn)
    near = (
        correlations(dataset, drawn[leaves], rest, n_jobs) if len(rest) else np.empty((n_leaves, 0))
    )
    counted = near.argmax(axis=0)[near.max(axis=0) >= RESEMBLES] if len(rest) else rest
    return ColumnTree(
        tuple(drawn[leaves].tolist()),
        tuple(
            Join(place.get(left, left), place.get(right, right), round(min(near, 1.0), 4))
            for left, right, near in joins
        ),
        tuple(np.bincount(counted, minlength=n_leaves).tolist()),
    )


def _rank(one: Column) -> tuple[float, float]:
    cost = 0.0 if one.cost is None or one.role == "selected" else one.cost.lost
    return cost, -(one.alone or 0.0)


def _varied(alike: Floats, is_selected: Sequence[bool]) -> list[int]:
    """Return the places of columns to draw, in their order; at most a few that are alike."""
    drawn: list[int] = []
    for place, is_one in enumerate(is_selected):
        if len(drawn) == MOST_DRAWN:
            break
        near = (alike[place, drawn] >= ALIKE).sum()
        if is_one or near <= MOST_ALIKE:
            drawn.append(place)
    return drawn


def _joined(alike: Floats) -> tuple[list[tuple[int, int, float]], list[int]]:
    """Return the joins by average linkage, and the leaves from top to bottom.

    Leaves are nodes 0 to n - 1, each join makes the next one. The better of two branches, which
    has the earlier leaf, is on top.
    """
    n_leaves = len(alike)
    members = {leaf: [leaf] for leaf in range(n_leaves)}

    @cache
    def between(one: int, other: int) -> float:
        return float(alike[np.ix_(members[one], members[other])].mean())

    joins = []
    while len(members) > 1:
        near, left, right = max(
            (between(one, other), -one, -other) for one, other in combinations(sorted(members), 2)
        )
        branches = sorted((-left, -right), key=lambda node: min(members[node]))
        joins.append((branches[0], branches[1], near))
        members[n_leaves + len(joins) - 1] = [leaf for one in branches for leaf in members.pop(one)]
    return joins, next(iter(members.values()), [])
