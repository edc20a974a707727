"""``fuzzyfrog score``: the dependency of a subset of features."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fuzzyfrog.cli import options
from fuzzyfrog.cli.console import safe, write_json, write_result
from fuzzyfrog.cli.inputs import TableOptions, opened, warn_of_suspects
from fuzzyfrog.cli.options import MeasureOptions, features_in
from fuzzyfrog.cli.progress import shown_progress
from fuzzyfrog.common.jit import compiling_heard

if TYPE_CHECKING:
    from fuzzyfrog.measure import Dependency


def score(
    asked: TableOptions,
    measure: MeasureOptions,
    features: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B", help="The features to score (default: all)."),
    ] = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Score how well features tell the classes apart, from 0 to 1."""
    with shown_progress(f"reading {asked.table}", quiet=quiet) as course, opened(asked) as loaded:
        from fuzzyfrog.measure import Dependency

        names = features_in("--features", features, loaded.dataset)
        warn_of_suspects(loaded.dataset, names or loaded.dataset.feature_names)
        course.phase("measuring")
        dependency = Dependency(loaded.dataset, **measure.parameters())
        with compiling_heard(course.compile):
            result = _measured(dependency, names)
    if as_json:
        write_json(json.dumps(result, indent=2))
    else:
        write_result(
            f"Dependency {result['dependency']:.6f} of {result['full_dependency']:.6f} with "
            f"{len(result['features'])} of {dependency.n_features} features of "
            f"{safe(result['table'])}"
        )


def _measured(dependency: Dependency, names: list[str]) -> dict[str, Any]:
    import numpy as np

    chosen = [name for name in dependency.dataset.feature_names if not names or name in names]
    subset = np.array([name in chosen for name in dependency.dataset.feature_names])
    return {
        "table": dependency.dataset.name,
        "features": chosen,
        "dependency": float(dependency.score(subset[np.newaxis])[0]),
        "full_dependency": dependency.full,
    }
