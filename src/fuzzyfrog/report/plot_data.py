"""The charts of the report: numbers -> places in percent of the width and height of a picture.

Lines are drawn in a picture that is stretched; shapes and text are placed on top of it by CSS. So
a picture fits any width and its text stays readable.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, compress
from math import ceil, floor, inf, log10, sqrt
from typing import Any, NamedTuple

from msgspec.structs import replace

from fuzzyfrog.common.messages import capitalized, count
from fuzzyfrog.report.text import MAX_CHARACTERS, SHORT, room, short
from fuzzyfrog.result import Column, ColumnTree, HistoryPoint, Result, Subset
from fuzzyfrog.result.check import NAMES, shown
from fuzzyfrog.words import Words

MAX_NAMED = 12  # features of a point that are named; fewer if there are many points
MAX_NAMED_OF_ALL = 1_200
MAX_CORE = 20  # features of the core that are named
MAX_STRIPS = 30  # of the picture of the diversity
QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)
TICKS = (0.0, 0.5, 0.9, 0.99)  # correlations in the tree of columns


@dataclass(frozen=True)
class Scale:
    """An axis from the number at 0 percent to that at 100; logarithmic if `is_log`."""

    lowest: float
    highest: float
    is_log: bool = False

    def at(self, value: float) -> float:
        """Return the place of a number in percent."""
        low, high, here = self.lowest, self.highest, value
        if self.is_log:
            low, high, here = log10(low), log10(high), log10(max(value, low))
        share = 0.5 if high == low else (here - low) / (high - low)
        return round(100 * min(max(share, 0.0), 1.0), 3)


def front(words: Words) -> dict[str, Any]:
    """Return the best score found for each size, or after each step of a search."""
    result, bend = words.result, words.elbow
    points = list(result.front)
    best = list(accumulate((one.dependency for one in points), max))
    unbeaten = [
        not words.is_monotone or one.dependency == most
        for one, most in zip(points, best, strict=True)
    ]
    ahead = list(compress(points, unbeaten))
    if all(one.features != result.selected for one in points):  # enough, but not the best
        points.append(replace(result.chosen, dependency=result.dependency))
        points.sort(key=lambda one: (one.price, one.dependency))
    reached = [one.dependency for one in points]
    right = [one.accuracy for one in points if one.accuracy is not None]
    y = Scale(min([0.0, *right]), 1.0) if words.is_bounded else Scale(min(reached), max(reached))
    dearest = max(one.price for one in points)
    x = Scale(0.0, 1.05 * dearest) if words.has_costs else Scale(0.5, dearest + 0.5)
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
        "any_beaten": not all(unbeaten),
        "sets_aside": any(one.n_lost is not None for one in points),
        "full": y.at(result.full_dependency),
        "chance": None if result.chance is None else y.at(result.chance),
        "x_axis": "cost" if words.has_costs else "number of features",
        "x_ticks": [
            tick(x, one, f"{one:.10g}")
            for one in (nice_ticks(x, 12) if words.has_costs else nice_ticks(x, 12, finest=1.0))
        ],
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


def course(words: Words) -> dict[str, Any] | None:
    """Return how the search went, as pictures over the number of evaluations."""
    moments = [moment for moment in words.result.history if moment.n_evaluations > 0]
    if len(moments) < 2:
        return None
    least, most = moments[0].n_evaluations, moments[-1].n_evaluations
    x = Scale(least, most, is_log=most >= 50 * least)
    return {
        "x_ticks": [tick(x, one, f"{one:,.0f}") for one in nice_ticks(x, 4, finest=1.0)],
        "is_log": x.is_log,
        "charts": [*_dependency(words, moments, x), _size(moments, x), _diversity(moments, x)],
        "rows": _changes(moments),
    }


def _dependency(words: Words, moments: list[HistoryPoint], x: Scale) -> list[dict[str, Any]]:
    values = [moment.dependency for moment in moments]
    if min(values) == max(values):
        return []  # found at once: a straight line says nothing
    lowest = min(0.9 * values[-1], min(values))
    y = Scale(lowest, max(values[-1], lowest + 1e-9))  # the end matters most
    places = [(x.at(one.n_evaluations), y.at(one.dependency)) for one in moments]
    ticks = [tick(y, one, f"{one:g}") for one in nice_ticks(y, 3)]
    return [{"title": f"Best {words.measured} so far", "line": steps(places), "y_ticks": ticks,
             "bound": None, "last": words.number(values[-1])}]  # fmt: skip


def _size(moments: list[HistoryPoint], x: Scale) -> dict[str, Any]:
    y = Scale(0.0, 1.15 * max(moment.size for moment in moments))
    places = [(x.at(one.n_evaluations), y.at(one.size)) for one in moments]
    known = [(one.n_evaluations, one.lower_bound or 0) for one in moments]
    is_proved = known[-1][1] > 1  # that one feature is needed is obvious
    bounds = [(x.at(n_evaluations), y.at(bound)) for n_evaluations, bound in known if is_proved]
    ticks = [tick(y, one, f"{one:g}") for one in nice_ticks(y, 3, finest=1.0)]
    bound = steps(bounds) if bounds else None
    return {"title": "Features of the best", "line": steps(places), "y_ticks": ticks,
            "bound": bound, "last": f"{moments[-1].size:,}"}  # fmt: skip


def _diversity(moments: list[HistoryPoint], x: Scale) -> dict[str, Any]:
    y = Scale(0.0, 1.0)
    known = [(one.n_evaluations, one.diversity) for one in moments if one.diversity is not None]
    smooth = _smoothed([(x.at(n_evaluations), value) for n_evaluations, value in known])
    places = [(place, y.at(value)) for place, value in smooth]
    ticks = [tick(y, one, f"{one:g}") for one in (0.0, 0.5, 1.0)]
    return {"title": "Diversity of the subsets", "line": line(places) if places else "",
            "y_ticks": ticks, "bound": None,
            "last": f"{smooth[-1][1]:.2f}" if known else "none"}  # fmt: skip


def _smoothed(places: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the mean place in each strip: single batches differ too much to be read."""
    strips: dict[int, list[tuple[float, float]]] = {}
    for place in places:
        strips.setdefault(int(place[0] * MAX_STRIPS / 100), []).append(place)
    return [
        (sum(x for x, _ in strip) / len(strip), sum(y for _, y in strip) / len(strip))
        for strip in strips.values()
    ]


def _changes(moments: list[HistoryPoint]) -> list[HistoryPoint]:
    """Return the moments at which the best subset changed, and the last one."""
    kept, best = [], None
    for moment in moments:
        if (moment.dependency, moment.size) != best or moment is moments[-1]:
            kept.append(moment)
            best = (moment.dependency, moment.size)
    return kept


def nice_ticks(scale: Scale, most: int = 6, finest: float = 0.0) -> list[float]:
    """Return round numbers along an axis, at least `finest` apart."""
    if scale.is_log:
        powers = range(ceil(log10(scale.lowest)), floor(log10(scale.highest)) + 1)
        return [10.0**power for power in powers]
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


def steps(points: list[tuple[float, float]]) -> str:
    """Return the path of a value that stays until it changes."""
    x, y = points[0]
    path = [f"M{x:g} {100 - y:g}"]
    path += [f"H{x:g}V{100 - y:g}" for x, y in points[1:]]
    return "".join(path)


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
    low = min([*known, result.chance if result.chance is not None else 0.0])
    span = max(known, default=low) - low or 1.0
    columns = [result.columns[feature] for feature in tree.leaves]
    return [
        Leaf(feature, one.name, _mark(one), ((one.alone or low) - low) / span, n_alike)
        for feature, one, n_alike in zip(tree.leaves, columns, tree.n_alike, strict=True)
    ]


def _mark(one: Column) -> str:
    return "noise" if one.role == "unneeded" and one.relevant is False else one.role


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
