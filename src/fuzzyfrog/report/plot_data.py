"""The charts of the report: numbers -> places in percent of the width and height of a picture.

Lines are drawn in a picture that is stretched; shapes and text are placed on top of it by CSS. So
a picture fits any width and its text stays readable.
"""

from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import ceil, floor, inf, log10, sqrt
from typing import Any, NamedTuple

from msgspec.structs import replace

from fuzzyfrog.common.messages import capitalized, count
from fuzzyfrog.report.text import MAX_CHARACTERS, SHORT, room, short
from fuzzyfrog.result import ColumnTree, HistoryPoint, Result, Subset
from fuzzyfrog.result.check import NAMES, shown
from fuzzyfrog.words import Words

MAX_NAMED = 12  # features of a point that are named; fewer if there are many points
MAX_NAMED_OF_ALL = 1_200
MAX_CORE = 20  # features of the core that are named
QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)
TICKS = (0.0, 0.5, 0.9, 0.99)  # correlations in the tree of columns


@dataclass(frozen=True)
class Scale:
    """An axis from the number at 0 percent to that at 100."""

    lowest: float
    highest: float

    def at(self, value: float) -> float:
        """Return the place of a number in percent."""
        low, high = self.lowest, self.highest
        share = 0.5 if high == low else (value - low) / (high - low)
        return round(100 * min(max(share, 0.0), 1.0), 3)


def front(words: Words) -> dict[str, Any]:
    """Return the best score found for each size, or after each step of a search."""
    result, bend = words.result, words.elbow
    points = list(result.front)
    best = accumulate((one.dependency for one in points), max)
    ahead = [
        one
        for one, most in zip(points, best, strict=True)
        if one.dependency == most or not words.is_monotone
    ]
    if all(one.features != result.selected for one in points):  # enough, but not the best
        points.append(replace(result.chosen, dependency=result.dependency))
        points.sort(key=lambda one: (one.price, one.dependency))
    reached = [one.dependency for one in points]
    right = [one.accuracy for one in points if one.accuracy is not None]
    y = Scale(min([0.0, *right]), 1.0) if words.is_bounded else Scale(min(reached), max(reached))
    dearest = max(one.price for one in points)
    x, finest = Scale(0.5, dearest + 0.5), 1.0
    if words.has_costs:
        x, finest = Scale(0.0, 1.05 * dearest), 0.0
    names = {one: _names_of(words, one, len(points)) for one in points}
    most = room(sum(map(len, names.values())), MAX_CHARACTERS, SHORT)
    quarters = QUARTERS if (y.lowest, y.highest) == (0.0, 1.0) else nice_ticks(y)
    return {
        "points": [
            {
                "x": x.at(one.price),
                "y": y.at(one.dependency),
                "subset": one,
                "gamma": words.number(one.dependency),
                "names": [short(name, most) for name in names[one]],
                "n_more": 0
                if words.added and one in result.front[1:]
                else one.size - len(names[one]),
                "chosen": one.features == result.selected,
                "elbow": one is bend,
                "beaten": one in result.front and one not in ahead,
            }
            for one in points
        ],
        "line": _curve([(one.price, one.dependency) for one in ahead], x, y),
        "accuracy": _curve([(one.price, one.accuracy) for one in points], x, y),
        "any_beaten": len(ahead) < len(result.front),
        "sets_aside": any(one.n_lost is not None for one in points),
        "full": y.at(result.full_dependency),
        "chance": None if result.chance is None else y.at(result.chance),
        "x_axis": "cost" if words.has_costs else "number of features",
        "x_ticks": [tick(x, one, f"{one:.10g}") for one in nice_ticks(x, 12, finest)],
        "y_ticks": [tick(y, one, f"{one:g}") for one in quarters],
    }


def _curve(points: list[tuple[float, float | None]], x: Scale, y: Scale) -> str:
    known = [(x.at(price), y.at(value)) for price, value in points if value is not None]
    return line(known) if known else ""


def _names_of(words: Words, point: Subset, n_points: int) -> tuple[str, ...]:
    """Return the feature that a step added, or the first features of a subset."""
    result = words.result
    if words.added and point in result.front[1:]:
        return result.names((words.added[point.size - 1],))
    n_named = min(MAX_NAMED, max(1, MAX_NAMED_OF_ALL // n_points))
    return result.names(point.features[:n_named])


def models(words: Words) -> dict[str, Any] | None:
    """Return how well models do with each choice of features; None if they were not tried."""
    check = words.result.check
    if check is None or check.all is None:
        return None
    rows = [one for one in check.scores if one.metric == check.metric]
    errors = [one.minus(check.all).best_error for one in rows]
    ends = [
        one.best + side * error for one, error in zip(rows, errors, strict=True) for side in (-1, 1)
    ]
    margin = max(0.01, 0.08 * (max(ends) - min(ends)))
    most = 1.0 if max(one.best for one in rows) <= 1.0 else inf
    x = Scale(min(ends) - margin, min(max(ends) + margin, most))
    titles, *table = zip(*check.table(), strict=True)  # a row for each model, as phones are narrow
    return {
        "all_at": x.at(check.all.best),
        "ticks": [tick(x, at, f"{at:g}".replace("-", "−")) for at in nice_ticks(x, 5)],
        "rows": [
            {
                "name": capitalized(NAMES[one.name]),
                "kind": one.name,
                "features": f"{one.n_features:,.1f}".removesuffix(".0")
                + ("" if one.name == "all" else " on average"),
                "score": shown(one.best),
                "apart": one.name != "all",
                "at": x.at(one.best),
                "low": x.at(one.best - error),
                "high": x.at(one.best + error),
            }
            for one, error in zip(rows, errors, strict=True)
        ],
        "titles": titles,
        "table": table,
        "samples": count(check.n_samples, "sample"),
    }


def core(words: Words) -> dict[str, Any]:
    """Return the sentence about the core of the reducts."""
    start, named, end = words.core() or ("", (), "")
    return {
        "start": start,
        "names": [short(name, SHORT) for name in words.result.names(named[:MAX_CORE])],
        "n_more": max(0, len(named) - MAX_CORE),
        "end": end,
    }


def most_frequent(result: Result) -> list[int]:
    """Return the features that occur in the reducts, the most frequent first."""
    shares = result.answer.feature_frequency
    used = [feature for feature, share in enumerate(shares) if share > 0]
    return sorted(used, key=lambda feature: (-shares[feature], feature))


def course(words: Words) -> list[HistoryPoint] | None:
    """Return the moments at which the best subset changed, and the last one."""
    moments = [moment for moment in words.result.history if moment.n_evaluations > 0]
    if len(moments) < 2:
        return None
    changed = (
        later
        for one, later in pairwise(moments)
        if (one.dependency, one.size) != (later.dependency, later.size) or later is moments[-1]
    )
    return [moments[0], *changed]


def nice_ticks(scale: Scale, most: int = 6, finest: float = 0.0) -> list[float]:
    """Return round numbers along an axis, at least `finest` apart."""
    width = scale.highest - scale.lowest
    if width <= 0:
        return [scale.lowest]
    rough = max(width / most, finest)
    power = 10.0 ** floor(log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
    first = ceil(scale.lowest / step)
    last = floor(scale.highest / step + 1e-9)
    return [float(f"{n * step:.12g}") for n in range(first, last + 1)]


def line(points: list[tuple[float, float]]) -> str:
    """Return the path through points, with 0 at the bottom."""
    return "M" + "L".join(f"{x:g} {100 - y:g}" for x, y in points)


def tick(scale: Scale, value: float, label: str) -> dict[str, Any]:
    """Return a mark on an axis."""
    return {"at": scale.at(value), "label": label}


class Leaf(NamedTuple):
    """A column of the tree."""

    feature: int
    name: str
    mark: str  # its role, or "noise" if it is unneeded and says nothing alone
    size: float  # of the mark, from 0 to 1: how much the column says alone
    n_alike: int


class Fork(NamedTuple):
    """Two branches from where they start to where they join, across from 0 to 1, and by row."""

    at: float
    starts: tuple[float, float]
    rows: tuple[float, float]


def across(correlation: float) -> float:
    """Return how far to the right branches of a correlation join, from 0 to 1.

    That is by their distance as vectors, which spreads those that are much alike.
    """
    return 1.0 - sqrt(1.0 - correlation)


def leaves(result: Result, tree: ColumnTree) -> list[Leaf]:
    """Return the columns from top to bottom."""
    known = [one.alone for one in result.columns if one.alone is not None]
    low = min([*known, result.chance or 0.0])
    span = max(known, default=low) - low or 1.0
    found = []
    for feature, n_alike in zip(tree.leaves, tree.n_alike, strict=True):
        one = result.columns[feature]
        mark = "noise" if one.role == "unneeded" and one.relevant is False else one.role
        found.append(Leaf(feature, one.name, mark, ((one.alone or low) - low) / span, n_alike))
    return found


def forks(tree: ColumnTree) -> list[Fork]:
    """Return the branches, each of which starts at a leaf or at an earlier fork."""
    nodes = [(1.0, float(row)) for row in range(len(tree.leaves))]
    found = []
    for one in tree.joins:
        at = across(one.correlation)
        (left, top), (right, bottom) = nodes[one.left], nodes[one.right]
        found.append(Fork(at, (left, right), (top, bottom)))
        nodes.append((at, (top + bottom) / 2))
    return found
