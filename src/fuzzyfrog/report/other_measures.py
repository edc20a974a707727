"""The sections of a report about a run with another measure than the strict one."""

from typing import Any

from fuzzyfrog.records import FeatureSet, Run
from fuzzyfrog.records.statements import is_useless, offered, size_reason
from fuzzyfrog.report.plot_data import MAX_CHARACTERS, QUARTERS, Scale, line, nice_ticks, tick
from fuzzyfrog.report.text import count, gamma, room, short

LONGEST_NAME = 600
LONGEST_CLASS = 200


def reasons(run: Run) -> list[str]:
    """Return the paragraphs below the headline."""
    if not run.is_soft:
        return [
            f"The measure {run.measure} is one of your own. The selected features score "
            f"{run.dependency:.6g}, all features {run.full_dependency:.6g}."
        ]
    everything = "all features but the excluded ones" if run.excluded else "all features"
    what = (
        "how alike the targets of similar samples are, from 0 to 1"
        if run.data.target.is_numeric
        else "the probability that a random similar sample has the same class"
    )
    scale = (
        f"The soft dependency Γ is {what}: {gamma(run.dependency)} with the selected features, "
        f"{gamma(run.full_dependency)} with {everything}, about {gamma(run.chance or 0.0)} with "
        "features that say nothing. Noise lowers it, so fewer features can score higher."
    )
    return [scale, *_by_neighbors(run), _need(run)]


def _by_neighbors(run: Run) -> list[str]:
    """Return how well neighbors predict, unless models were tried on samples left out."""
    accuracy = run.chosen_accuracy
    if accuracy is None or (run.check is not None and run.check.scores):
        return []
    how = f"for {accuracy:.1%} of the samples, the five nearest others vote for the right class"
    if run.data.target.is_numeric:
        how = f"the mean target of the five nearest others predicts a sample with R² {accuracy:.3f}"
    return [
        f"As a quick test, {how}. The features were chosen on these same samples, so expect less "
        "on new ones."
    ]


def _need(run: Run) -> str:
    if not run.is_explained:
        return f"How much each feature adds was not measured, because {run.why_unexplained}."
    losses = [one.lost for one in run.explanations]
    if len(losses) == 1:
        return "A single feature is selected."
    n_idle = sum(loss <= 0 for loss in losses)
    if n_idle:
        them = "it" if n_idle == 1 else "them"
        return (
            f"Leaving out {'the one' if n_idle == 1 else f'any one of the {n_idle:,}'} with a plus "
            f"or 0 below would not lower Γ: the others make up for {them}, or neighbors predict "
            f"better with {them}."
        )
    return f"Leaving one feature out lowers Γ by {gamma(min(losses))} to {gamma(max(losses))}."


def standing(run: Run) -> dict[str, str]:
    """Return how sure the answer is."""
    size = count(len(run.selected), "feature")
    if run.is_soft and is_useless(run):
        return {
            "state": "open",
            "title": f"{size}, because something must be selected.",
            "text": "No features were found that do better than chance; the table needs others.",
        }
    why = f"Number of features: {size_reason(run)}. " if run.is_soft else ""
    part = "" if run.estimate is None else f"Γ is {run.estimate}. "
    return {
        "state": "open",
        "title": f"{size}, found by a search.",
        "text": f"{why}{part}Nothing is proven: another subset may score higher, and since a "
        "feature can also lower this measure, there is no smallest subset that keeps it.",
    }


def facts(run: Run) -> list[dict[str, str]]:
    """Return the numbers at the top."""
    n_offered, noun = offered(run)
    allowed = " allowed" if noun != "feature" else ""
    found = [
        {
            "label": "Features",
            "value": f"{len(run.selected):,}",
            "of": f"of {n_offered:,}{allowed}",
        }
    ]
    if not run.is_soft:
        full = f"all features {run.full_dependency:.4g}"
        return [*found, {"label": "Score", "value": f"{run.dependency:.4g}", "of": full}]
    others = f"all features: {gamma(run.full_dependency)}, chance: {gamma(run.chance or 0.0)}"
    found.append({"label": "Soft dependency Γ", "value": gamma(run.dependency), "of": others})
    if run.chosen_accuracy is not None and _by_neighbors(run):
        is_numeric = run.data.target.is_numeric
        found.append(
            {
                "label": "R² of neighbors" if is_numeric else "Neighbors right",
                "value": f"{run.chosen_accuracy:.3f}"
                if is_numeric
                else f"{run.chosen_accuracy:.1%}",
                "of": "the five nearest others",
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
