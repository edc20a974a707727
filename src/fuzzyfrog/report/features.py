"""The selected features: pictures of their values, what is lost without each, and examples."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from math import isfinite
from statistics import median, quantiles
from typing import Any, NamedTuple

from fuzzyfrog.common.messages import told_apart
from fuzzyfrog.records import (
    DataSample,
    ExamplePair,
    FeatureExplanation,
    Run,
    SampledColumn,
    WorseSample,
)
from fuzzyfrog.report.plot_data import Scale, nice_ticks, tick
from fuzzyfrog.report.text import cell, count, gamma, room, row_of, short

MAX_CARDS = 12  # features with a picture and examples; the others get a line each
MAX_LINES = 500
FIRST_CARDS = 6  # that are not folded away
MAX_CHARACTERS = 25_000  # of the names of the selected features, together
LONGEST_NAME = 600
LONGEST_CAPTION = 80  # also of the name of a feature of an ambiguous sample
LONGEST_CLASS = 200
MAX_GROUPS = 6  # classes or categories with a row or color of their own
MAX_SHARES = 4  # categories with a column of their own
N_BINS = 24
FEWEST_FOR_BINS = 8  # values; fewer are drawn one by one
TINY = 1e-290  # a range below this is none: its ticks would underflow
FAR = 3.0  # ranges of the middle 96 %, beyond which an axis leaves out the extremes
LONGEST_GROUP = 80  # characters of a class or category
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


def features(run: Run) -> dict[str, Any]:
    """Return the selected features with their values, the one that would be missed most first."""
    pictures, plot = distributions(run), scatter(run)
    explained = {one.feature: one for one in run.explanations}
    most = room(min(len(run.selected), MAX_LINES), MAX_CHARACTERS, LONGEST_NAME)
    cards = [
        _card(run, feature, explained.get(feature), pictures.get(feature), most)
        for feature in run.by_loss[:MAX_CARDS]
    ]
    n_first = FIRST_CARDS if plot is None else FIRST_CARDS - 1  # it has the place of a few
    if len(cards) <= n_first + 1:
        n_first += 1
    listed = [explained[one] for one in run.by_loss[MAX_CARDS:MAX_LINES] if one in explained]
    n_more = len(run.selected) - min(n_first, len(cards))
    return {
        "title": _features_title(run, has_pictures=bool(pictures)),
        "lead": _features_lead(run),
        "scatter": plot,
        "drawn": _drawn(run),
        "first": cards[:n_first],
        "more": cards[n_first:],
        "more_title": count(n_more, "more selected feature"),
        "lines": [_line(one, most) for one in listed],
        "n_hidden": len(run.selected) - len(cards) - len(listed),
    }


def _features_title(run: Run, *, has_pictures: bool) -> str:
    if not has_pictures:
        return "What each feature contributes"
    if run.data.target.is_numeric:
        return "The selected features and the target"
    return "The selected features by class"


def _features_lead(run: Run) -> str:
    symbol = "the score" if run.symbol == "score" else run.symbol
    parts = [f"The number next to a feature is the change of {symbol} without it."]
    if not run.is_explained:
        why = f"because {run.why_unexplained}"
        parts = [f"How {symbol} changes without each of them was not measured, {why}."]
    if run.data_sample is not None:
        targets, classes = run.data_sample.targets, run.data.target.classes
        has_all = 0 < len(classes) == len(set(targets)) and len(targets) < run.data.n_samples
        every = ", with some of every class" if has_all else ""
        parts.insert(0, f"Drawn from {_drawn(run)}{every}.")
    return " ".join(parts)


def _drawn(run: Run) -> str:
    n_drawn = 0 if run.data_sample is None else len(run.data_sample.targets)
    if n_drawn == run.data.n_samples:
        return f"all {count(n_drawn, 'sample')}"
    return f"{n_drawn:,} random samples of {run.data.n_samples:,}"


def _line(one: FeatureExplanation, most: int) -> dict[str, Any]:
    sign = "−" if one.lost > 0 else "+"
    return {
        "name": short(one.name, most),
        "signed": f"{sign}{gamma(abs(one.lost))}" if one.lost else "0",
        "n_affected": one.n_affected,
    }


def _card(
    run: Run,
    feature: int,
    one: FeatureExplanation | None,
    picture: dict[str, Any] | None,
    most: int,
) -> dict[str, Any]:
    (name,) = run.names((feature,))
    pairs = [] if one is None else [_pair(run, pair) for pair in one.pairs]
    pairs += [] if one is None else [_worse(run, worse) for worse in one.samples]
    noun = "pair of samples that needs it" if run.is_strict else "sample that needs it"
    nouns = "pairs of samples that need it" if run.is_strict else "samples that need it"
    return {
        "name": short(name, most),
        "signed": "" if one is None else _line(one, most)["signed"],
        "caption": short(name, LONGEST_CAPTION),
        "core": feature in (run.core or ()),
        "picture": picture,
        "sentence": "" if one is None else _without(run, one),
        "pairs": pairs,
        "pairs_title": count(len(pairs), noun, nouns),
        "pairs_note": _pairs_note(run),
    }


def _without(run: Run, one: FeatureExplanation) -> str:
    """Return what happens without a feature."""
    symbol = "the score" if run.symbol == "score" else run.symbol
    before, after = gamma(one.dependency), gamma(one.dependency_without)
    if before == after:
        before = told_apart(one.dependency, one.dependency_without)
        after = told_apart(one.dependency_without, one.dependency)
    if before == after:
        return f"Without it, {symbol} stays at {before}."
    sentence = (
        f"Without it, {symbol} {'rises' if one.lost < 0 else 'falls'} from {before} to {after}"
    )
    if not one.n_affected:
        return f"{sentence}."
    is_numeric = run.data.target.is_numeric
    affected = count(one.n_affected, "sample")
    if run.is_strict:
        closer = "a different target" if is_numeric else "another class"
        gets = "gets" if one.n_affected == 1 else "get"
        return f"{sentence}; {affected} {gets} closer to {closer}."
    like = "similar samples have less similar targets" if is_numeric else (
        "similar samples less often share the class"
    )  # fmt: skip
    return f"{sentence}; for {affected}, {like}."


def _pairs_note(run: Run) -> str:
    is_numeric = run.data.target.is_numeric
    if run.is_strict:
        differ = "with different targets" if is_numeric else "of different classes"
        return f"Samples {differ}, and their distance from 0 (identical) to 1 (clearly apart)"
    how = "how alike the targets of similar samples are" if is_numeric else (
        "how likely a random similar sample shares the class"
    )  # fmt: skip
    differ = "with another target" if is_numeric else "of another class"
    return f"A sample, the sample {differ} that comes closer, and the membership, {how}"


def _pair(run: Run, pair: ExamplePair) -> dict[str, Any]:
    return {
        "sample": row_of(run, pair.sample),
        "enemy": row_of(run, pair.enemy),
        "sample_target": target_of(run, pair.sample_target),
        "enemy_target": target_of(run, pair.enemy_target),
        "sample_value": cell(pair.sample_value),
        "enemy_value": cell(pair.enemy_value),
        "with": gamma(pair.distance_with),
        "without": gamma(pair.distance_without),
        "with_at": round(100 * pair.distance_with, 2),
        "without_at": round(100 * pair.distance_without, 2),
    }


def _worse(run: Run, one: WorseSample) -> dict[str, Any]:
    """Return a sample whose neighborhood gets worse without a feature."""
    return {
        "sample": row_of(run, one.sample),
        "enemy": row_of(run, one.neighbor),
        "sample_target": target_of(run, one.sample_target),
        "enemy_target": target_of(run, one.neighbor_target),
        "sample_value": cell(one.sample_value),
        "enemy_value": cell(one.neighbor_value),
        "with": gamma(one.membership_with),
        "without": gamma(one.membership_without),
        "with_at": round(100 * one.membership_with, 2),
        "without_at": round(100 * one.membership_without, 2),
    }


def target_of(run: Run, text: str) -> str:
    """Return a class or a numeric target, named as such where it is a bare number."""
    shown = short(text, LONGEST_CLASS)
    if run.data.target.is_numeric:
        return f"target {shown}"
    return f"class {shown}" if text.replace(".", "", 1).lstrip("-").isdigit() else shown


class Group(NamedTuple):
    """The rows of a class or category, or of all that are too small for a row of their own."""

    name: str
    style: str
    rows: list[int]


def distributions(run: Run) -> dict[int, dict[str, Any]]:
    """Return a picture of each sampled feature."""
    sample = run.data_sample
    if sample is None:
        return {}
    found = {one.feature: _distribution(run, sample, one) for one in sample.columns}
    return {feature: picture for feature, picture in found.items() if picture is not None}


def _distribution(run: Run, sample: DataSample, column: SampledColumn) -> dict[str, Any] | None:
    n_missing = run.data.features[column.feature].n_missing
    gaps = f"{n_missing:,} of {count(run.data.n_samples, 'value')} missing." if n_missing else ""
    if not run.data.target.is_numeric:
        groups = _classes(run, sample)
        drawn = _shares(groups, column) if column.labels else _ridges(groups, column.values)
    elif column.labels:
        drawn = _ridges(_categories(column), sample.targets, "target")
    else:
        drawn = _cloud(column.values, sample.targets)
    if drawn is None:
        return None
    return {**drawn, "notes": [one for one in (gaps, drawn["note"]) if one]}


def _classes(run: Run, sample: DataSample) -> list[Group]:
    classes = run.data.target.classes
    rows: dict[int, list[int]] = {}
    for row, target in enumerate(sample.targets):
        rows.setdefault(int(target), []).append(row)
    by_size = sorted(range(len(classes)), key=lambda one: -classes[one].count)
    shown = sorted(by_size[:MAX_GROUPS])
    groups = [
        Group(short(classes[one].name, LONGEST_GROUP), f"c{at}", rows.get(one, []))
        for at, one in enumerate(shown, start=1)
    ]
    others = by_size[MAX_GROUPS:]
    if others:
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
    groups = [Group(short(labels[one], LONGEST_GROUP), "plain", rows[one]) for one in shown]
    others = by_size[most:]
    if others:
        rest = [row for one in others for row in rows[one]]
        name = f"{len(others):,} others"
        groups.append(Group(name, "rest", rest))
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


def scatter(run: Run) -> dict[str, Any] | None:
    """Return the samples by the best two features; None if there are no two to draw."""
    sample = run.data_sample
    pair = None if sample is None else _best_pair(run, {one.feature for one in sample.columns})
    if sample is None or pair is None:
        return None
    features, why = pair
    columns = {one.feature: one for one in sample.columns}
    across, up = (
        _placed(columns[feature], step) for feature, step in zip(features, STEPS, strict=True)
    )
    if across is None or up is None:
        return None
    groups = _target_parts(sample) if run.data.target.is_numeric else _classes(run, sample)
    drawn = {
        row: f"M{place * WIDTH / 100:.4g} {HEIGHT - height * HEIGHT / 100:.4g}"
        for row, (place, height) in enumerate(zip(across["places"], up["places"], strict=True))
        if place is not None and height is not None
    }
    x_name, y_name = (short(name, LONGEST_GROUP) for name in run.names(features))
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
            for group, shape in zip(groups, _shapes(run, groups), strict=True)
        ],
        "notes": [
            *([f"{count(n_hidden, 'sample')} without both values."] if n_hidden else []),
            *filter(None, [_beyond(across["n_beyond"] + up["n_beyond"])]),
        ],
    }


def _shapes(run: Run, groups: list[Group]) -> list[str]:
    """Return a shape for each class; the parts of a numeric target have one shape."""
    if run.data.target.is_numeric:
        return [SHAPES[0]] * len(groups)
    return [SHAPES[-1] if group.style == "rest" else SHAPES[at] for at, group in enumerate(groups)]


def _best_pair(run: Run, drawn: set[int]) -> tuple[tuple[int, ...], str] | None:
    """Return the two features to draw, and why these."""
    added = tuple(one for one in run.added if one in run.selected)
    known = [(added[:2], "the first two that the search added")]
    known += [(one.features, "the best pair found") for one in run.front if one.size == 2]
    known += [(run.by_loss[:2], "the two that would be missed most")]
    return next((one for one in known if len(one[0]) == 2 and set(one[0]) <= drawn), None)


def _placed(column: SampledColumn, step: float) -> dict[str, Any] | None:
    """Return the place of each row on the axis of a feature; categories get a band each."""
    if column.labels is None:
        axis, n_beyond = _axis(column.values)
        if axis is None:
            return None
        places = [None if one is None else axis.at(one) for one in column.values]
        return {"places": places, "ticks": _ticks(axis, 5), "n_beyond": n_beyond, "style": ""}
    groups = _categories(column)
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
    for least, unit, sign in ((1e9, 1.0, ""), (1e6, 1e6, "M"), (1e4, 1e3, "k")):
        if abs(value) >= least:
            return f"{value / unit:.9g}{sign}" if sign else number(value)
    return f"{value:.9g}"


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
