"""What counts as a feature, and what it costs: groups of columns, and numbers for the search.

Columns of a group are selected or left out together, such as those of one category. In the search,
the first column of a group stands for all of it: the other columns are excluded, so a group counts
as one feature, and no search knows about groups. Between search and measure, a subset with the
first column becomes one with all columns.

Costs become whole numbers, whose sums are exact, so that two subsets that cost the same tie.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fnmatch import fnmatchcase
from fractions import Fraction
from functools import cached_property
from math import isfinite, lcm
from numbers import Real
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import ArrayLike

from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.common.messages import count, listed, shown
from fuzzyfrog.data import Dataset
from fuzzyfrog.data.dataset import feature_index
from fuzzyfrog.errors import ParameterError
from fuzzyfrog.result import FeatureSummary, Result
from fuzzyfrog.search.protocol import Oracle, Rows, Wrapped

# The fields of a result that list features by their indices.
LISTS = ("features", "selected", "excluded", "identifiers", "core", "of", "others", "leaves")
MOST_NAMED = 4  # columns of a group
A_GROUP = "For example, feature_groups={'color': ['color_red', 'color_blue'], 'size': 'size_*'}."
MOST_UNITS = 2**53  # of all costs together: solvers work in float64
FREE = "Pass a small cost such as 0.01 for what is free."
A_COST = "For example, costs={'mri': 400, 'blood': 12.5}."


@dataclass(frozen=True)
class Groups:
    """The groups of a table: the columns of each by its name."""

    columns: Mapping[str, tuple[int, ...]]
    n_features: int

    @classmethod
    def of(cls, groups: object, dataset: Dataset) -> Groups:
        """Return the checked groups of a table; None has none of them."""
        if groups is None:
            return cls({}, dataset.n_features)
        if not isinstance(groups, Mapping):
            rule = "be None or a mapping of names to columns"
            raise ParameterError("feature_groups", rule, shown(groups), A_GROUP)
        if unnamed := [name for name in groups if not isinstance(name, str)]:
            raise ParameterError(
                "feature_groups", "have names that are text", shown(unnamed[0]), A_GROUP
            )
        found = {name: _columns_of(name, given, dataset) for name, given in groups.items()}
        owners: dict[int, str] = {}
        for name, columns in found.items():
            for column in columns:
                owner = owners.setdefault(column, name)
                if owner != name:
                    label = shown(dataset.feature_names[column])
                    raise ParameterError(
                        "feature_groups",
                        "not overlap",
                        f"{label} in {shown(owner)} and {shown(name)}",
                    )
            others = set(dataset.feature_names) - {dataset.feature_names[one] for one in columns}
            if name in others:
                rule = "have names that no other column has"
                raise ParameterError("feature_groups", rule, shown(name), "Choose another name.")
        return cls(found, dataset.n_features)

    def __bool__(self) -> bool:
        return bool(self.columns)

    @cached_property
    def grouped(self) -> Masks:
        """All columns of groups."""
        mask = np.zeros(self.n_features, np.bool_)
        for columns in self.columns.values():
            mask[list(columns)] = True
        return mask

    @cached_property
    def members(self) -> Masks:
        """The columns that another one stands for."""
        mask = self.grouped.copy()
        mask[[columns[0] for columns in self.columns.values()]] = False
        return mask

    def joined(self, mask: Masks) -> Masks:
        """Return a mask with the first column of each group that has any column in it."""
        found = mask & ~self.members
        for columns in self.columns.values():
            found[columns[0]] = mask[list(columns)].any()
        return found

    def expanded(self, masks: Masks) -> Masks:
        """Return masks with all columns of each group whose first column they have."""
        found = np.array(masks, np.bool_)
        for first, *others in self.columns.values():
            found[..., others] = found[..., [first]]
        return found

    def mask(self, features: ArrayLike) -> Masks:
        """Return the columns that some features stand for."""
        return self.expanded(np.isin(np.arange(self.n_features), features))

    def first_of(self, column: int) -> int:
        """Return the first column of the group of a column, or the column itself."""
        of_group = (columns[0] for columns in self.columns.values() if column in columns)
        return next(of_group, column)

    def spread(self, values: Floats) -> Floats:
        """Return values of columns, with that of the first column for all of a group."""
        found = values.copy()
        for first, *others in self.columns.values():
            found[others] = found[first]
        return found

    def named(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the names of features, that of a group for its first column."""
        found = list(names)
        for name, columns in self.columns.items():
            found[columns[0]] = name
        return tuple(found)

    def orders(self, features: Sequence[int]) -> tuple[Integers, list[int]]:
        """Return all columns in the order of some features, and the last place of each."""
        others = {columns[0]: columns for columns in self.columns.values()}
        columns: list[int] = []
        ends = []
        for feature in features:
            columns += others.get(feature, (feature,))
            ends.append(len(columns) - 1)
        return np.array(columns, np.int64), ends

    def sentences(self, names: Sequence[str]) -> list[str]:
        """Return which columns each group has."""
        return [
            f"{shown(name)} stands for {count(len(columns), 'column')} that are selected together: "
            f"{listed(names[one] for one in columns)}."
            for name, columns in self.columns.items()
        ]

    def with_columns(self, features: object) -> object:
        """Return a list of features with the columns of a group in place of its name."""
        if not self or isinstance(features, str) or not isinstance(features, Collection):
            return features
        found: list[object] = []
        for one in features:
            found += self.columns[one] if isinstance(one, str) and one in self.columns else [one]
        return found

    def words(self) -> list[str]:
        """Return the groups as words that go into the fingerprint of a checkpoint."""
        return [f"group {columns}" for columns in self.columns.values()]

    def measured(self, measure: Any) -> Any:
        """Return the measure as a search sees it."""
        return GroupedMeasure(measure, self) if self else measure

    def oracle(self, broken: Oracle | None) -> Oracle | None:
        """Return the oracle as a search sees it: a group has the weights of its columns."""
        if broken is None or not self:
            return broken

        def of_groups(subset: Masks) -> Rows:
            rows = broken(self.expanded(subset))
            weights = rows.weights.copy()
            for first, *others in self.columns.values():
                weights[:, first] += weights[:, others].sum(axis=1)
                weights[:, others] = 0.0
            return Rows(np.minimum(weights, rows.needed[:, np.newaxis]), rows.needed)

        return of_groups

    def on_sample(self, measure_on: Callable[[Masks], Any]) -> Callable[[Masks], Any]:
        """Return `measure_on` for groups: failed subsets in, the grouped measure out."""
        return lambda failed: self.measured(measure_on(self.expanded(failed)))

    def in_result(self, result: Result) -> Result:
        """Return a result in which a group is one feature, called by its name and its columns."""
        if not self:
            return result
        kept = np.flatnonzero(~self.members).tolist()
        features, frequency = result.table.features, result.answer.feature_frequency
        labels = {
            columns[0]: FeatureSummary(
                f"{name} ({_short([features[one].name for one in columns])})",
                features[columns[0]].kind,
                max(features[one].n_missing for one in columns),
                features[columns[0]].cost,
            )
            for name, columns in self.columns.items()
        }
        summaries = {one: labels.get(one, features[one]) for one in kept}
        found: Result = _renumbered(result, {one: place for place, one in enumerate(kept)})
        columns = found.columns and tuple(
            replace(found.columns[one], name=summaries[one].name) for one in kept
        )
        answer = replace(found.answer, feature_frequency=tuple(frequency[one] for one in kept))
        table = replace(result.table, features=tuple(summaries.values()))
        return replace(found, table=table, answer=answer, columns=columns)

    def names_in(self, result: Result) -> list[str]:
        """Return for each column what a result calls the feature that stands for it."""
        kept = np.flatnonzero(~self.members).tolist()
        called = self.in_result(result).table.features
        names = {one: feature.name for one, feature in zip(kept, called, strict=True)}
        return [names[self.first_of(one)] for one in range(self.n_features)]


def _renumbered(part: Any, place: Mapping[int, int]) -> Any:
    """Return a part of a result with other indices of its features, wherever it has any."""
    changes: dict[str, Any] = {}
    for name in part.__struct_fields__:
        value = getattr(part, name)
        if name == "feature":
            changes[name] = place[value]
        elif name in LISTS and value is not None:
            changes[name] = tuple(place[one] for one in value if one in place)
        elif isinstance(value, Struct):
            changes[name] = _renumbered(value, place)
        elif isinstance(value, tuple) and value and isinstance(value[0], Struct):
            changes[name] = tuple(_renumbered(one, place) for one in value)
    return replace(part, **changes)


def _short(names: Sequence[str]) -> str:
    if len(names) <= MOST_NAMED:
        return ", ".join(names)
    return f"{len(names)} columns: {', '.join(names[: MOST_NAMED - 1])}, ..."


def _columns_of(name: str, given: object, dataset: Dataset) -> tuple[int, ...]:
    """Return the columns of a group, given by a pattern, by names or by indices."""
    names = dataset.feature_names
    where = f"feature_groups[{shown(name)}]"
    if isinstance(given, str):
        found = [one for one, label in enumerate(names) if fnmatchcase(label, given)]
        if not found:
            raise ParameterError(where, "match columns", shown(given), f"Columns: {listed(names)}.")
    elif isinstance(given, Collection):
        found = [feature_index(where, one, names) for one in given]
    else:
        raise ParameterError(where, "be a pattern or a list of columns", shown(given), A_GROUP)
    columns = tuple(sorted(set(found)))
    if len(columns) < 2:
        rule = "have at least 2 columns"
        raise ParameterError(where, rule, listed(names[one] for one in columns) or "none")
    return columns


class GroupedMeasure(Wrapped):
    """A measure in which the first column of a group stands for all of them."""

    def __init__(self, measure: Any, groups: Groups) -> None:
        super().__init__(measure)
        self._groups = groups

    def score(self, masks: Masks, at_least: float | Floats | None = None) -> Floats:
        """Return the score of each subset; -inf where it is less than `at_least`."""
        scores: Floats = self._measure.score(self._groups.expanded(masks), at_least)
        return scores

    def best(self, masks: Masks) -> Floats:
        """Return the score of the best subsets of a batch, -inf for the others."""
        scores: Floats = self._measure.best(self._groups.expanded(masks))
        return scores


@dataclass(frozen=True, eq=False)
class Costs:
    """What each feature costs, in whole units, and how many units are a cost of 1."""

    units: Integers
    per_unit: int
    unnamed: tuple[str, ...]

    @classmethod
    def of(
        cls, costs: Mapping[Any, object] | None, dataset: Dataset, groups: Groups
    ) -> Costs | None:
        """Return the costs of the features of a table, None without any.

        A group costs what its columns do. A feature that is not named costs 1, and so does a group
        of which nothing is named.
        """
        if costs is None:
            return None
        named: dict[int, Fraction] = {}
        for name, cost in costs.items():
            column = _column(name, dataset, groups)
            if column in named:
                label = shown(groups.named(dataset.feature_names)[column])
                raise ParameterError("costs", "name each feature once", f"{label} twice")
            named[column] = _exact(cost)
        exact = [named.get(column, Fraction(1)) for column in range(dataset.n_features)]
        own = {columns[0] for name, columns in groups.columns.items() if name in costs}
        named_too = set(named)
        for columns in groups.columns.values():
            parts = [named[one] for one in columns if one in named]
            if columns[0] not in own and parts:
                exact[columns[0]] = sum(parts, Fraction(0))
                named_too.add(columns[0])
        per_unit = lcm(*(one.denominator for one in exact))
        units = [int(one * per_unit) for one in exact]
        if sum(units) > MOST_UNITS:
            rule = "be of comparable size and have few digits, so that their sum is exact"
            got = f"{float(min(exact)):g} to {float(max(exact)):g}"
            raise ParameterError("costs", rule, got, "Round them.")
        names = groups.named(dataset.feature_names)
        offered = np.flatnonzero(~groups.members).tolist()
        unnamed = tuple(names[one] for one in offered if one not in named_too)
        return cls(np.array(units, np.int64), per_unit, unnamed)

    def in_full(self, units: float) -> float:
        """Return a cost, given in units."""
        return float(Fraction(units) / self.per_unit)

    def of_features(self, features: Sequence[int]) -> float:
        """Return what some features cost together."""
        return self.in_full(int(self.units[list(features)].sum()))

    def sentences(self, offered: Collection[str]) -> list[str]:
        """Return which of the features that are offered cost 1 because they have no cost."""
        unnamed = [one for one in self.unnamed if one in offered]
        if not unnamed:
            return []
        noun, costs = count(len(unnamed), "feature"), "costs" if len(unnamed) == 1 else "cost"
        return [f"{noun} without a given cost {costs} 1: {listed(unnamed)}."]


def check_costs(costs: object) -> None:
    """Raise unless costs are a mapping of names to positive numbers."""
    if not isinstance(costs, Mapping) or not costs:
        rule = "be None or a mapping of features to what they cost"
        raise ParameterError("costs", rule, shown(costs), A_COST)
    for cost in costs.values():
        _exact(cost)


def _exact(cost: object) -> Fraction:
    """Return a cost as the decimal number that is printed for it."""
    is_number = isinstance(cost, Real | Decimal) and not isinstance(cost, bool | np.bool_)
    if not is_number or not isfinite(cost) or cost <= 0:  # type: ignore[arg-type, operator]
        way_out = FREE if is_number and cost == 0 else A_COST
        raise ParameterError("costs", "be positive, finite numbers", shown(cost), way_out)
    if isinstance(cost, Fraction | int):
        return Fraction(cost)
    return Fraction(str(cost))


def _column(name: object, dataset: Dataset, groups: Groups) -> int:
    """Return the column with a name or an index; the first one of a group."""
    if isinstance(name, str) and name in groups.columns:
        return groups.columns[name][0]
    return feature_index("costs", name, dataset.feature_names, groups.columns)
