"""``fuzzyfrog score``: how good some features are, by both measures."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fuzzyfrog.cli import options
from fuzzyfrog.cli.console import safe, warn, write_found
from fuzzyfrog.cli.errors import in_options
from fuzzyfrog.cli.inputs import TableOptions, opened
from fuzzyfrog.cli.options import RowOptions, StrictOptions, features_in
from fuzzyfrog.cli.progress import shown_progress
from fuzzyfrog.common.jit import compiling_heard
from fuzzyfrog.common.messages import listed

if TYPE_CHECKING:
    from fuzzyfrog.data import Dataset


def score(
    asked: TableOptions,
    strict: StrictOptions,
    rows: RowOptions,
    features: Annotated[
        list[str] | None, typer.Option(metavar="A,B", help="The features to score (default: all).")
    ] = None,
    jobs: options.Jobs = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Score features by both measures, from 0 to 1, next to all features and to chance."""
    with shown_progress(f"reading {asked.table}", quiet=quiet) as course, opened(asked) as loaded:
        dataset = rows.grouped(loaded.dataset)
        names = features_in("--features", features, dataset)
        left_out = _left_out(dataset, names)
        course.phase("measuring")
        with compiling_heard(course.compile):
            result = _measured(dataset, strict, jobs, names, left_out)
    write_found(result, _lines(result), as_json=as_json)


def _left_out(dataset: Dataset, names: list[str]) -> list[str]:
    """Return the features that `select` leaves out; warn about those, and about named ones."""
    import numpy as np

    from fuzzyfrog.select.left_out import left_out

    is_named = np.array([name in names for name in dataset.feature_names])
    none = np.zeros_like(is_named)
    rest = left_out(dataset, is_named, none, drop_copies=True, drop_doubtful=True)
    _warn(rest.sentences)
    if names:  # what they are compared with is the same as without them
        _warn(left_out(dataset, none, ~is_named, drop_copies=False, drop_doubtful=False).sentences)
        rest = left_out(dataset, none, none, drop_copies=True, drop_doubtful=True)
    return list(itertools.compress(dataset.feature_names, rest.mask))


def _warn(sentences: Iterable[str]) -> None:
    """Warn with the option of this command that names features."""
    for sentence in sentences:
        warn(in_options(sentence).replace("--include ", "--features "))


def _measured(
    dataset: Dataset, strict: StrictOptions, jobs: int | None, names: list[str], left_out: list[str]
) -> dict[str, Any]:
    import numpy as np

    from fuzzyfrog.select.selection import with_groups
    from fuzzyfrog.select.settings import Settings
    from fuzzyfrog.select.soft import Soft

    n_notes = len(dataset.notes)
    with warnings.catch_warnings(action="ignore"):
        dataset = with_groups(dataset, Settings(kind=Soft(), must_include=names or None))
    _warn(dataset.notes[n_notes:])
    allowed = [name for name in dataset.feature_names if name not in left_out]
    chosen = [name for name in dataset.feature_names if name in (names or allowed)]
    subsets = np.array(
        [[name in some for name in dataset.feature_names] for some in (chosen, allowed)]
    )
    scores = {}
    for kind in (Soft(), strict.kind):
        measure = kind.measured(dataset, jobs)
        score, full = measure.score(subsets).tolist()
        part = measure.n_sampled if measure.n_sampled < measure.n_samples else None
        scores[kind.name] = {
            "dependency": score,
            "full_dependency": full,
            "chance": measure.chance,
            "n_sampled": part,
        }
    return {
        "table": dataset.name,
        "features": chosen,
        "n_features": len(allowed),
        "left_out": left_out,
        **scores,
    }


def _lines(result: dict[str, Any]) -> list[str]:
    chosen, others = result["features"], f"{result['n_features']:,} features"
    more = [name for name in chosen if name in result["left_out"]]
    number = f"{len(chosen) - len(more):,} of {others} of {safe(result['table'])}"
    lines = [number + (f", and {listed(more)}, which select leaves out" if more else "")]
    purposes = {"soft": "to predict with", "strict": "to separate exactly these samples"}
    for name, purpose in purposes.items():
        one = result[name]
        nearby = [f"all features {one['full_dependency']:.6f}"]
        if one["chance"] is not None:
            nearby.append(f"chance {one['chance']:.6f}")
        part = "" if one["n_sampled"] is None else f", from {one['n_sampled']:,} random samples"
        lines.append(f"{purpose}: {one['dependency']:.6f} ({', '.join(nearby)}{part})")
    return lines
