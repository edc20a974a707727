"""``fuzzyfrog explain``: why a feature is selected."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated

import typer

from fuzzyfrog.cli import options
from fuzzyfrog.cli.console import aligned, fitted, safe, stdout, tell, write_json, write_result
from fuzzyfrog.cli.errors import UsageError
from fuzzyfrog.cli.inputs import SavedRun, loaded_run

if TYPE_CHECKING:
    from fuzzyfrog.records import Cell, FeatureExplanation, Run

ALIKE = "alike the targets of similar samples are"
LIKELY = "likely it is that a random similar sample has the same class"
ROOM = 40  # columns of a terminal for the name of a feature in a sentence

NAMED = {
    None: "Samples are numbered from 0, the first row of data.",
    "line": "Samples are named by their lines in the file.",
    "label": "Samples are named by their labels in the table.",
}


def explain(
    run: SavedRun,
    feature: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The feature to explain (default: an overview of all)."),
    ] = None,
    limit: Annotated[
        int,
        typer.Option(metavar="N", help="Print at most N pairs (a run has 8 for each feature)."),
    ] = 8,
    as_json: options.Json = False,
) -> None:
    """Explain why a feature is selected: which samples would be harder to tell apart without it."""
    if limit < 0:
        raise UsageError(f"--limit must be at least 0, got {limit}.")
    loaded = loaded_run(run)
    if loaded.has_groups and feature is None:
        _say_nothing_is_explained(as_json=as_json)
        return
    if not loaded.is_explained:
        way_out = "without --group" if loaded.has_groups else "with more time"
        raise UsageError(
            f"{run} must be a run with explanations, got one without them, because "
            f"{loaded.why_unexplained}. Run it again {way_out}."
        )
    chosen = loaded.explanations if feature is None else (loaded.explanation_of(feature),)
    explanations = [
        replace(one, pairs=one.pairs[:limit], samples=one.samples[:limit]) for one in chosen
    ]
    if as_json:
        write_json(json.dumps([asdict(one) for one in explanations], indent=2))
    elif feature is None:
        write_result(*_overview(loaded))
    else:
        write_result(*_lines(loaded, explanations[0]))


def _say_nothing_is_explained(*, as_json: bool) -> None:
    sentence = "Features are not explained where columns form groups."
    if as_json:
        tell(sentence)
        write_json("[]")
    else:
        write_result(sentence)


def _overview(run: Run) -> Iterator[str]:
    """Yield one line for each feature, the most important one first."""
    n_selected = len(run.selected)
    yield f"Loss without each of the {n_selected} selected features of {safe(run.data.name)}:"
    ranked = sorted(run.explanations, key=lambda one: -one.lost)
    head = ["feature", "dependency", "samples affected"]
    room = stdout().width - sum(2 + len(title) for title in head[1:]) - 2
    rows = [[fitted(one.name, room), f"{-one.lost:+.4f}", f"{one.n_affected:,}"] for one in ranked]
    yield from aligned([head, *rows], right={1, 2})
    yield ""
    shown = "only this feature tells apart" if run.is_strict else "have worse neighbors without it"
    yield f"Next: --feature NAME shows the samples that {shown}"


def _lines(run: Run, one: FeatureExplanation) -> Iterator[str]:
    what = "dependency" if run.is_strict else "soft dependency" if run.is_soft else "score"
    yield (
        f"Without {fitted(one.name, ROOM)} the {what} {'rises' if one.lost < 0 else 'falls'} by "
        f"{abs(one.lost):.6f}, from {one.dependency:.6f} to {one.dependency_without:.6f}."
    )
    if one.samples:
        yield from _worse_lines(run, one)
    if not one.pairs:
        return
    other = "a different target" if run.data.target.is_numeric else "another class"
    yield f"Samples that move closer to {other}: {one.n_affected:,}. The most affected:"
    yield ""
    kind = "target" if run.data.target.is_numeric else "class"
    head = ["sample", kind, "value", "enemy", kind, "value", "distance", "without it"]
    rows = [
        [
            fitted(run.row_name(pair.sample), 0), fitted(pair.sample_target, 0),
            _cell(pair.sample_value),
            fitted(run.row_name(pair.enemy), 0), fitted(pair.enemy_target, 0),
            _cell(pair.enemy_value),
            f"{pair.distance_with:.4f}", f"{pair.distance_without:.4f}",
        ]
        for pair in one.pairs
    ]  # fmt: skip
    yield from aligned([head, *rows], right={0, 2, 3, 5, 6, 7})
    yield ""
    yield (
        f"{NAMED[None if run.rows is None else run.rows.kind]} Distances are measured on the "
        "selected features and capped at 1."
    )


def _worse_lines(run: Run, one: FeatureExplanation) -> Iterator[str]:
    is_numeric = run.data.target.is_numeric
    target = "target" if is_numeric else "class"
    yield f"Samples whose neighborhood gets worse: {one.n_affected:,}. The most affected:"
    yield ""
    head = ["sample", target, "value", "membership", "without it", "closer", target, "value"]
    rows = [
        [
            fitted(run.row_name(worse.sample), 0), fitted(worse.sample_target, 0),
            _cell(worse.sample_value),
            f"{worse.membership_with:.4f}", f"{worse.membership_without:.4f}",
            fitted(run.row_name(worse.neighbor), 0), fitted(worse.neighbor_target, 0),
            _cell(worse.neighbor_value),
        ]
        for worse in one.samples
    ]  # fmt: skip
    yield from aligned([head, *rows], right={0, 2, 3, 4, 5, 7})
    yield ""
    yield (
        f"{NAMED[None if run.rows is None else run.rows.kind]} The membership is how "
        f"{ALIKE if is_numeric else LIKELY}; next to it is the unlike sample that comes closer."
    )


def _cell(value: Cell) -> str:
    if value is None:
        return "missing"
    return f"{value:g}" if isinstance(value, float) else fitted(value, 0)
