"""The selected features: pictures of their values, what is lost without each, and examples."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from math import isfinite
from statistics import median, quantiles
from typing import Any, NamedTuple

from fuzzyfrog.common.messages import count
from fuzzyfrog.report.plot_data import Scale, nice_ticks, tick
from fuzzyfrog.report.text import LONG, MAX_CHARACTERS, SHORT, cell, room, short
from fuzzyfrog.result import (
    AmbiguousSample,
    DataSample,
    Example,
    Explanation,
    Result,
    SampledColumn,
)
from fuzzyfrog.words import Words

MAX_CARDS = 12  # features with a picture and examples; the table of every column has the others
FIRST_CARDS = 6  # that are not folded away
LONGEST_NAME = 600
LONGEST_ROW = 60  # characters of the name of a sample
MAX_GROUPS = 6  # classes or categories with a row or color of their own
MAX_SHARES = 4  # categories with a column or band of their own
N_BINS = 24
FEWEST_FOR_BINS = 8  # values; fewer are drawn one by one
TINY = 1e-290  # a range below this is none: its ticks would underflow
FAR = 3.0  # ranges of the middle 96 %, beyond which an axis leaves out the extremes
LONGEST_TICK = 14
WIDTH, HEIGHT = 100.0, 62.0  # of the scatter plot
# Multiples of these, without their whole parts, fill a square evenly: across and up.
STEPS = (0.7548777, 0.5698403)
JITTER = 0.56  # of the room of a category
# Shapes as well as colors tell classes apart; each is a path around its point.
SHAPES = (
    "m-.9 0a.9 .9 0 1 0 1.8 0a.9 .9 0 1 0 -1.8 0",  # circle
    "m-.85 -.85h1.7v1.7h-1.7z",  # square
    "m0 -1.1l1.05 1.85h-2.1z",  # triangle
    "m0 -1.15l1.15 1.15l-1.15 1.15l-1.15 -1.15z",  # diamond
    "m-.35 -1.1h.7v.75h.75v.7h-.75v.75h-.7v-.75h-.75v-.7h.75z",  # plus
    "m0 1.1l1.05 -1.85h-2.1z",  # triangle that points down
    "m-.55 0a.55 .55 0 1 0 1.1 0a.55 .55 0 1 0 -1.1 0",  # dot
)


def features(words: Words) -> dict[str, Any]:
    """Return the selected features with their values, the one that would be missed most first."""
    result = words.result
    pictures, plot = distributions(result), scatter(result)
    explained = {one.feature: one for one in result.explanations}
    most = room(min(len(result.selected), MAX_CARDS), MAX_CHARACTERS, LONGEST_NAME)
    cards = [
        _card(words, feature, explained.get(feature), pictures.get(feature), most)
        for feature in result.by_loss[:MAX_CARDS]
    ]
    n_first = FIRST_CARDS if plot is None else FIRST_CARDS - 1  # it has the place of a few
    if len(cards) <= n_first + 1:
        n_first += 1
    n_more = len(result.selected) - min(n_first, len(cards))
    return {
        "title": words.features_title(has_pictures=bool(pictures)),
        "scatter": plot,
        "first": cards[:n_first],
        "more": cards[n_first:],
        "more_title": count(n_more, "more selected feature"),
        "n_hidden": len(result.selected) - len(cards),
    }  # fmt: skip


def _card(
    words: Words, feature: int, one: Explanation | None, picture: dict[str, Any] | None, most: int
) -> dict[str, Any]:
    (name,) = words.result.names((feature,))
    examples = words.examples()
    pairs, signed, sentence = [], "", ""
    if one is not None:
        pairs = [_pair(words, example) for example in one.examples]
        sign = "−" if one.lost > 0 else "+"
        signed = f"{sign}{words.number(abs(one.lost))}" if one.lost else "0"
        sentence = words.without(one)
    return {
        "name": short(name, most),
        "signed": signed,
        "caption": short(name, SHORT),
        "core": feature in (words.result.core or ()),
        "picture": picture,
        "sentence": sentence,
        "pairs": pairs,
        "pairs_title": examples and count(len(pairs), examples.noun, examples.nouns),
    }


def _pair(words: Words, one: Example) -> dict[str, Any]:
    return {
        **named_pair(words, one),
        "sample_value": cell(one.sample_value),
        "other_value": cell(one.other_value),
        "with": words.number(one.before),
        "without": words.number(one.after),
        "with_at": round(100 * one.before, 2),
        "without_at": round(100 * one.after, 2),
    }


def named_pair(words: Words, one: Example | AmbiguousSample) -> dict[str, Any]:
    """Return what two samples are called, and their classes or targets."""
    return {
        "sample": short(words.sample(one.sample), LONGEST_ROW),
        "other": short(words.sample(one.other), LONGEST_ROW),
        "sample_target": words.target(short(one.sample_target, LONG)),
        "other_target": words.target(short(one.other_target, LONG)),
    }


class Group(NamedTuple):
    """The rows of a class or category, or of all that are too small for a row of their own."""

    name: str
    style: str
    rows: list[int]


def distributions(result: Result) -> dict[int, dict[str, Any]]:
    """Return a picture of each sampled feature."""
    sample = result.data_sample
    if sample is None:
        return {}
    found = {one.feature: _distribution(result, sample, one) for one in sample.columns}
    return {feature: picture for feature, picture in found.items() if picture is not None}


def _distribution(
    result: Result, sample: DataSample, column: SampledColumn
) -> dict[str, Any] | None:
    n_missing = result.table.features[column.feature].n_missing
    gaps = (
        f"{n_missing:,} of {count(result.table.n_samples, 'value')} missing." if n_missing else ""
    )
    if not result.table.target.is_numeric:
        groups = _classes(result, sample)
        drawn = _shares(groups, column) if column.labels else _ridges(groups, column.values)
    elif column.labels:
        drawn = _ridges(_categories(column), sample.targets, "target")
    else:
        drawn = _cloud(column.values, sample.targets)
    if drawn is None:
        return None
    return {**drawn, "notes": [one for one in (gaps, drawn["note"]) if one]}


def _classes(result: Result, sample: DataSample) -> list[Group]:
    classes = result.table.target.classes
    rows: dict[int, list[int]] = {}
    for row, target in enumerate(sample.targets):
        rows.setdefault(int(target), []).append(row)
    by_size = sorted(range(len(classes)), key=lambda one: -classes[one].count)
    shown = sorted(by_size[:MAX_GROUPS])
    groups = [
        Group(short(classes[one].name, SHORT), f"c{at}", rows.get(one, []))
        for at, one in enumerate(shown, start=1)
    ]
    if others := by_size[MAX_GROUPS:]:
        rest = [row for one in others for row in rows.get(one, [])]
        groups.append(Group(count(len(others), "other class", "other classes"), "rest", rest))
    return groups


def _categories(column: SampledColumn, most: int = MAX_GROUPS) -> list[Group]:
    """Return the rows of the most frequent categories, and of all others together."""
    labels = column.labels or ()
    counts = Counter(one for one in column.values if one is not None)
    by_size = [int(one) for one, _ in counts.most_common()]
    most += len(by_size) == most + 1  # one other category needs no more room
    shown = sorted(by_size[:most])
    rows = {one: [row for row, value in enumerate(column.values) if value == one] for one in counts}
    groups = [Group(short(labels[one], SHORT), "plain", rows[one]) for one in shown]
    if others := by_size[most:]:
        rest = [row for one in others for row in rows[one]]
        groups.append(Group(f"{len(others):,} others", "rest", rest))
    return groups


def _ridges(
    groups: list[Group], values: Sequence[float | None], axis: str = ""
) -> dict[str, Any] | None:
    """Return a histogram for each group, with its median; `axis` names what is not the feature."""
    x, n_beyond = _axis([values[row] for group in groups for row in group.rows])
    if x is None:
        return None
    rows = []
    for group in groups:
        known = [one for row in group.rows if (one := values[row]) is not None]
        are_few = len(known) < FEWEST_FOR_BINS
        rows.append(
            {
                "name": group.name,
                "style": group.style,
                "bins": "" if are_few else _bins([x.at(one) for one in known]),
                "marks": "".join(f"M{x.at(one):g} 20V5" for one in known) if are_few else "",
                "median": number(median(known)) if known else "no value",
            }
        )
    return {"kind": "ridges", "rows": rows, "x_ticks": _ticks(x, 3), "axis": axis,
            "note": _beyond(n_beyond)}  # fmt: skip


def _bins(places: list[float]) -> str:
    """Return the outline of a histogram of places in percent, as high as its picture."""
    counts = [0] * N_BINS
    for place in places:
        counts[min(int(place * N_BINS / 100), N_BINS - 1)] += 1
    highest, width = max(counts), 100 / N_BINS
    steps = [f"V{20 - 19 * one / highest:.4g}H{at * width:.4g}" for at, one in enumerate(counts, 1)]
    return f"M0 20{''.join(steps)}V20Z"


def _shares(groups: list[Group], column: SampledColumn) -> dict[str, Any]:
    """Return how the samples of each class divide into categories."""
    categories = _categories(column, MAX_SHARES)
    rows = []
    for group in groups:
        n_known = sum(column.values[row] is not None for row in group.rows)
        has = [len(set(group.rows) & set(one.rows)) for one in categories]
        cells = [{"share": round(100 * n / max(1, n_known)), "text": _percent(n, n_known)}
                 for n in has]  # fmt: skip
        rows.append({"name": group.name, "style": group.style, "cells": cells})
    heads = [one.name for one in categories]
    return {"kind": "shares", "rows": rows, "heads": heads, "note": ""}


def _cloud(values: Sequence[float | None], targets: Sequence[float]) -> dict[str, Any] | None:
    """Return the points of a numeric feature along a numeric target."""
    known = [(value, at) for value, at in zip(values, targets, strict=True) if value is not None]
    x, n_beyond = _axis([value for value, _ in known])
    y, n_above = _axis([at for _, at in known])
    if x is None or y is None:
        return None
    dots = "".join(f"M{x.at(value):g} {100 - y.at(at):g}h0" for value, at in known)
    return {"kind": "cloud", "dots": dots, "x_ticks": _ticks(x, 3), "y_ticks": _ticks(y, 3),
            "summary": _thirds(known), "note": _beyond(n_beyond + n_above)}  # fmt: skip


def _thirds(known: list[tuple[float, float]]) -> str:
    """Return the medians of the target in about thirds of the samples, in words.

    Equal values stay together; empty if most values are equal.
    """
    values = sorted(value for value, _ in known)
    third = len(values) // 3
    if not third or values[third - 1] == values[-third]:
        return ""
    low, high = values[third - 1], values[-third]
    between = [at for value, at in known if low < value < high]
    parts = [f"{number(median(at for value, at in known if value <= low))} up to {number(low)}"]
    parts += [f"{number(median(between))} between"] if between else []
    parts += [f"{number(median(at for value, at in known if value >= high))} from {number(high)}"]
    return f"Median target: {', '.join(parts)}."


def scatter(result: Result) -> dict[str, Any] | None:
    """Return the samples by the best two features; None if there are no two to draw."""
    sample = result.data_sample
    pair = None if sample is None else _best_pair(result, {one.feature for one in sample.columns})
    if sample is None or pair is None:
        return None
    features, why = pair
    columns = {one.feature: one for one in sample.columns}
    across, up = (
        _placed(columns[feature], step) for feature, step in zip(features, STEPS, strict=True)
    )
    if across is None or up is None:
        return None
    groups = _target_parts(sample) if result.table.target.is_numeric else _classes(result, sample)
    drawn = {
        row: f"M{place * WIDTH / 100:.4g} {HEIGHT - height * HEIGHT / 100:.4g}"
        for row, (place, height) in enumerate(zip(across["places"], up["places"], strict=True))
        if place is not None and height is not None
    }
    x_name, y_name = (short(name, SHORT) for name in result.names(features))
    n_hidden = len(sample.targets) - len(drawn)
    return {
        "why": why,
        "x_name": x_name,
        "y_name": y_name,
        "x_ticks": across["ticks"],
        "y_ticks": up["ticks"],
        "y_style": up["style"],
        "groups": [
            {
                "name": group.name,
                "style": group.style,
                "shape": f"M0 0{shape}",
                "path": "".join(drawn[row] + shape for row in group.rows if row in drawn),
            }
            for group, shape in zip(groups, _shapes(result, groups), strict=True)
        ],
        "notes": [
            *([f"{count(n_hidden, 'sample')} without both values."] if n_hidden else []),
            *filter(None, [_beyond(across["n_beyond"] + up["n_beyond"])]),
        ],
    }


def _shapes(result: Result, groups: list[Group]) -> list[str]:
    """Return a shape for each class; the parts of a numeric target have one shape."""
    if result.table.target.is_numeric:
        return [SHAPES[0]] * len(groups)
    return [SHAPES[-1] if group.style == "rest" else SHAPES[at] for at, group in enumerate(groups)]


def _best_pair(result: Result, drawn: set[int]) -> tuple[tuple[int, ...], str] | None:
    """Return the two features to draw, and why these."""
    added = tuple(one for one in result.added if one in result.selected)
    known = [(added[:2], "the first two that the search added")]
    known += [(one.features, "the best pair found") for one in result.front if one.size == 2]
    known += [(result.by_loss[:2], "the two that would be missed most")]
    return next((one for one in known if len(one[0]) == 2 and set(one[0]) <= drawn), None)


def _placed(column: SampledColumn, step: float) -> dict[str, Any] | None:
    """Return the place of each row on the axis of a feature; categories get a band each."""
    if column.labels is None:
        axis, n_beyond = _axis(column.values)
        if axis is None:
            return None
        places = [None if one is None else axis.at(one) for one in column.values]
        return {"places": places, "ticks": _ticks(axis, 5), "n_beyond": n_beyond, "style": ""}
    groups = _categories(column, MAX_SHARES)
    bands = {row: band for band, group in enumerate(groups) for row in group.rows}
    scale = Scale(-0.5, len(groups) - 0.5)
    spread = [JITTER * (row * step % 1 - 0.5) for row in range(len(column.values))]
    places = [
        scale.at(bands[row] + spread[row]) if row in bands else None
        for row in range(len(column.values))
    ]
    ticks = [tick(scale, at, short(one.name, LONGEST_TICK)) for at, one in enumerate(groups)]
    return {"places": places, "ticks": ticks, "n_beyond": 0, "style": "named"}


def _target_parts(sample: DataSample) -> list[Group]:
    """Return the rows by fifths of a numeric target, from low to high."""
    targets = sample.targets
    cuts = quantiles(targets, n=5, method="inclusive") if len(targets) > 1 else []
    edges = sorted({min(targets), *cuts, max(targets)})
    if len(edges) == 1:
        return [Group(number(edges[0]), "q5", list(range(len(targets))))]
    groups = []
    for at, (low, high) in enumerate(pairwise(edges), start=1):
        rows = [
            row
            for row, target in enumerate(targets)
            if low <= target < high or target == high == edges[-1]
        ]
        groups.append(Group(f"{number(low)} to {number(high)}", f"q{at}", rows))
    return groups


def _axis(values: Sequence[float | None]) -> tuple[Scale | None, int]:
    """Return the axis of some values, and how many lie beyond it; None if it cannot be drawn."""
    known = sorted(one for one in values if one is not None)
    if not known or not isfinite(known[-1] - known[0]):
        return None, 0
    low, high = known[0], known[-1]
    if len(known) >= N_BINS:
        first, last = known[len(known) // 50], known[-1 - len(known) // 50]
        if high - low > FAR * (last - first) > 0:
            width = last - first
            low, high = max(low, first - width), min(high, last + width)
    if high - low < TINY:
        return Scale(low, low), 0
    return Scale(low, high), sum(not low <= one <= high for one in known)


def _beyond(n_values: int) -> str:
    return f"{count(n_values, 'extreme value')} drawn at the edge." if n_values else ""


def _ticks(scale: Scale, most: int) -> list[dict[str, Any]]:
    return [tick(scale, one, _compact(one)) for one in nice_ticks(scale, most)]


def _compact(value: float) -> str:
    """Return a round number in few characters, as in 2.5k and 3M."""
    if abs(value) >= 1e9:
        return number(value)
    if abs(value) >= 1e6:
        return f"{value / 1e6:.9g}M"
    return f"{value / 1e3:.9g}k" if abs(value) >= 1e4 else f"{value:.9g}"


def _percent(part: int, whole: int) -> str:
    """Return a share without decimals; 0 and 100 only for none and all."""
    if not whole:
        return ""
    rounded = round(100 * part / whole)
    return f"{rounded if part in (0, whole) else min(max(rounded, 1), 99)}%"


def number(value: float) -> str:
    """Return a number in few characters."""
    if 10_000 <= abs(value) < 1e7:
        return f"{value:,.0f}"
    return f"{value + 0.0:.4g}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")
