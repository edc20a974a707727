"""The sections of a report about a run with another measure than the strict one."""

from typing import Any

from fuzzyfrog.records import FeatureSet, Run, WorseSample
from fuzzyfrog.records.statements import is_useless, size_reason
from fuzzyfrog.report.plot_data import MAX_CHARACTERS, QUARTERS, Scale, line, nice_ticks, tick
from fuzzyfrog.report.text import cell, count, gamma, room, row_of, short

LONGEST_NAME = 600
LONGEST_CLASS = 200


def reasons(run: Run) -> list[str]:
    """Return the paragraphs below the headline."""
    if not run.is_soft:
        return [
            f"The measure {run.measure} is one of your own. The selected features score "
            f"{run.dependency:.6g}, all of them {run.full_dependency:.6g}."
        ]
    everything = "all features but the excluded ones" if run.excluded else "all features"
    alike = (
        "how alike the targets of similar samples are"
        if run.data.target.is_numeric
        else "how likely a random similar sample has the same class"
    )
    scale = (
        f"The soft dependency Γ is {alike}. Features that say nothing have about "
        f"{gamma(run.chance or 0.0)}, {everything} together {gamma(run.full_dependency)}, the "
        f"selected ones {gamma(run.dependency)}. It falls when a feature adds noise, so fewer "
        "features can have more."
    )
    return [scale, *_by_neighbors(run), _need(run)]


def _by_neighbors(run: Run) -> list[str]:
    accuracy = run.chosen_accuracy
    if accuracy is None:
        return []
    if run.data.target.is_numeric:
        return [
            "As a check with a simple model, the mean target of the five nearest other samples "
            f"predicts that of a sample with R² {accuracy:.3f}."
        ]
    return [
        "As a check with a simple model, the five nearest other samples vote for the right class "
        f"of {accuracy:.1%} of the samples. The features were chosen on the same samples: expect "
        "less from new ones."
    ]


def _need(run: Run) -> str:
    if not run.is_explained:
        return "What each feature adds was not measured: time ran out."
    losses = [one.lost for one in run.explanations]
    if len(losses) == 1:
        return "A single feature is selected."
    n_idle = sum(loss <= 0 for loss in losses)
    if n_idle:
        return (
            f"Without {count(n_idle, 'of the selected features', 'of the selected features')}, Γ "
            "would not fall: the others make up for them, or neighbors predict better with them."
        )
    return (
        f"Leaving one feature out lowers Γ, by {gamma(min(losses))} for the least important and by "
        f"{gamma(max(losses))} for the most important."
    )


def standing(run: Run) -> dict[str, str]:
    """Return how sure the answer is."""
    size = count(len(run.selected), "feature")
    if run.is_soft and is_useless(run):
        return {
            "state": "open",
            "title": f"{size}, because something must be selected.",
            "text": "No feature was found that says more than chance; the table needs other "
            "features.",
        }
    why = f"Why {len(run.selected):,}: {size_reason(run)}. " if run.is_soft else ""
    part = "" if run.estimate is None else f"Γ is {run.estimate}. "
    return {
        "state": "open",
        "title": f"{size}, found by a search.",
        "text": f"{why}{part}Nothing is proven: with a measure that features can lower, there is "
        "no smallest subset that keeps it, and another subset may score higher.",
    }


def facts(run: Run) -> list[dict[str, str]]:
    """Return the numbers at the top."""
    allowed = " allowed" if run.excluded else ""
    found = [
        {
            "label": "Features",
            "value": f"{len(run.selected):,}",
            "of": f"of {run.n_allowed:,}{allowed}",
        }
    ]
    if not run.is_soft:
        full = f"all features {run.full_dependency:.4g}"
        return [*found, {"label": "Score", "value": f"{run.dependency:.4g}", "of": full}]
    beside = f"all {gamma(run.full_dependency)}, chance {gamma(run.chance or 0.0)}"
    found.append({"label": "Soft dependency Γ", "value": gamma(run.dependency), "of": beside})
    if run.chosen_accuracy is not None:
        is_numeric = run.data.target.is_numeric
        found.append(
            {
                "label": "R² of neighbors" if is_numeric else "Neighbors right",
                "value": f"{run.chosen_accuracy:.3f}"
                if is_numeric
                else f"{run.chosen_accuracy:.1%}",
                "of": "five nearest, itself left out",
            }
        )
    return found


def path(run: Run) -> dict[str, Any]:
    """Return the steps of a search, or the best subsets of each size, as two curves."""
    points = run.front
    scores = [one.dependency for one in points]
    accuracies = [one.accuracy for one in points if one.accuracy is not None]
    lowest, highest = min([0.0, *scores, *accuracies]), max([1.0, *scores, *accuracies])
    x = Scale(0.5, max([len(run.selected), *(one.size for one in points)]) + 0.5)
    y = Scale(lowest if run.is_soft else min(scores), highest if run.is_soft else max(scores))
    order = run.added
    most = room(len(points), MAX_CHARACTERS, LONGEST_NAME)
    is_greedy = bool(order)
    return {
        "points": [_point(run, one, x, y, most, is_greedy=is_greedy) for one in points],
        "line": line([(x.at(one.size), y.at(one.dependency)) for one in points]) if points else "",
        "accuracy": _accuracy_line(points, x, y),
        "accuracy_name": "R² of neighbors" if run.data.target.is_numeric else "neighbors right",
        "full": y.at(run.full_dependency),
        "chance": None if run.chance is None else y.at(run.chance),
        "is_greedy": is_greedy,
        "x_ticks": [tick(x, one, f"{one:.0f}") for one in nice_ticks(x, 12, finest=1.0)],
        "y_ticks": [tick(y, one, f"{one:g}") for one in _ticks(y)],
    }


def _ticks(y: Scale) -> list[float]:
    return list(QUARTERS) if (y.lowest, y.highest) == (0.0, 1.0) else nice_ticks(y)


def _accuracy_line(points: tuple[FeatureSet, ...], x: Scale, y: Scale) -> str:
    known = [(x.at(one.size), y.at(one.accuracy)) for one in points if one.accuracy is not None]
    return line(known) if known else ""


def _point(
    run: Run, point: FeatureSet, x: Scale, y: Scale, most: int, *, is_greedy: bool
) -> dict[str, Any]:
    new = (run.added[point.size - 1],) if is_greedy and point is not run.front[0] else ()
    names = run.names(new or point.features[:12])
    return {
        "x": x.at(point.size),
        "y": y.at(point.dependency),
        "accuracy_y": None if point.accuracy is None else y.at(point.accuracy),
        "size": point.size,
        "gamma": gamma(point.dependency) if run.is_soft else f"{point.dependency:.4g}",
        "accuracy": "" if point.accuracy is None else f"{point.accuracy:.3f}",
        "names": [short(name, most) for name in names],
        "n_more": 0 if new else max(0, point.size - 12),
        "chosen": point.features == run.selected,
    }


def worse(run: Run, one: WorseSample) -> dict[str, Any]:
    """Return a sample whose neighborhood gets worse without a feature."""
    return {
        "sample": row_of(run, one.sample),
        "enemy": row_of(run, one.neighbor),
        "sample_target": _target(run, one.sample_target),
        "enemy_target": _target(run, one.neighbor_target),
        "sample_value": cell(one.sample_value),
        "enemy_value": cell(one.neighbor_value),
        "with": gamma(one.membership_with),
        "without": gamma(one.membership_without),
        "with_at": round(100 * one.membership_with, 2),
        "without_at": round(100 * one.membership_without, 2),
    }


def _target(run: Run, text: str) -> str:
    shown = short(text, LONGEST_CLASS)
    return f"target {shown}" if run.data.target.is_numeric else f"class {shown}"
