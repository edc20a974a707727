"""What features cost: names and numbers in, whole numbers for the search out.

Sums of whole numbers are exact, so that two subsets that cost the same tie.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import isfinite, lcm
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from fuzzyfrog.common.arrays import Integers
from fuzzyfrog.common.messages import count, listed, shown
from fuzzyfrog.data import Dataset
from fuzzyfrog.data.dataset import feature_index
from fuzzyfrog.errors import ParameterError

if TYPE_CHECKING:
    from fuzzyfrog.select.groups import Groups

MOST_UNITS = 2**53  # of all features together: solvers work in float64
FREE = "Pass a small cost such as 0.01 for what is free."
EXAMPLE = "For example, costs={'mri': 400, 'blood': 12.5}."


@dataclass(frozen=True, eq=False)
class Costs:
    """What each feature costs, in whole units, and how many units are a cost of 1."""

    units: Integers
    per_unit: int
    unnamed: tuple[str, ...]

    @classmethod
    def of(cls, costs: Mapping[object, object], dataset: Dataset, groups: Groups) -> Costs:
        """Return the costs of the features of a table; a group costs what its columns do.

        A feature that is not named costs 1, and so does a group of which nothing is named.
        """
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
        raise ParameterError("costs", rule, shown(costs), EXAMPLE)
    for cost in costs.values():
        _exact(cost)


def _exact(cost: object) -> Fraction:
    """Return a cost as the decimal number that is printed for it."""
    is_number = isinstance(cost, Real | Decimal) and not isinstance(cost, bool | np.bool_)
    if not is_number or not isfinite(cost) or cost <= 0:  # type: ignore[arg-type, operator]
        way_out = FREE if is_number and cost == 0 else EXAMPLE
        raise ParameterError("costs", "be positive, finite numbers", shown(cost), way_out)
    if isinstance(cost, Fraction | int):
        return Fraction(cost)
    return Fraction(str(cost))


def _column(name: object, dataset: Dataset, groups: Groups) -> int:
    """Return the column with a name or an index; the first one of a group."""
    if isinstance(name, str) and name in groups.columns:
        return groups.columns[name][0]
    return feature_index("costs", name, dataset.feature_names, groups.columns)
