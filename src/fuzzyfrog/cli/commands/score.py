"""``fuzzyfrog score``: the dependency of a subset of features."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fuzzyfrog.cli import options
from fuzzyfrog.cli.console import safe, write_json, write_result
from fuzzyfrog.cli.inputs import TableOptions, left_out_of, opened, warn_of_suspects
from fuzzyfrog.cli.options import MeasureOptions, features_in
from fuzzyfrog.cli.progress import shown_progress
from fuzzyfrog.common.jit import compiling_heard

if TYPE_CHECKING:
    from fuzzyfrog.measure import Dependency, SoftDependency


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
        from fuzzyfrog.measure import Dependency, SoftDependency

        names = features_in("--features", features, loaded.dataset)
        left_out = left_out_of(
            loaded.dataset,
            names,
            way_out="name copies in --features to score them",
            options={"must_include": "features", "exclude": "ignore"},
        )
        if names:  # what they are compared with is the same as without them
            warn_of_suspects(loaded.dataset, names)
            left_out = left_out_of(loaded.dataset, (), way_out="", quiet=True)
        course.phase("measuring")
        dependency: Dependency | SoftDependency
        if measure.is_soft:
            dependency = SoftDependency(loaded.dataset, **measure.soft_parameters())
        else:
            dependency = Dependency(loaded.dataset, **measure.parameters())
        with compiling_heard(course.compile):
            result = _measured(dependency, names, left_out)
    if as_json:
        write_json(json.dumps(result, indent=2))
    else:
        write_result(_sentence(result))


def _measured(
    dependency: Dependency | SoftDependency, names: list[str], left_out: list[str]
) -> dict[str, Any]:
    import numpy as np

    from fuzzyfrog.measure import SoftDependency

    allowed = [name for name in dependency.dataset.feature_names if name not in left_out]
    chosen = [name for name in dependency.dataset.feature_names if name in (names or allowed)]
    subsets = [
        [name in some for name in dependency.dataset.feature_names] for some in (chosen, allowed)
    ]
    score, full = dependency.score(np.array(subsets)).tolist()
    result = {
        "table": dependency.dataset.name,
        "features": chosen,
        "dependency": score,
        "full_dependency": full,
        "n_features": len(allowed),
        "left_out": left_out,
    }
    if not isinstance(dependency, SoftDependency):
        return result
    part = dependency.n_sampled if dependency.n_sampled < dependency.n_samples else None
    return {**result, "measure": "soft", "chance": dependency.chance, "n_sampled": part}


def _sentence(result: dict[str, Any]) -> str:
    number = f"{len(result['features'])} of {result['n_features']}"
    share = f"{number} features of {safe(result['table'])}"
    score, full = f"{result['dependency']:.6f}", f"{result['full_dependency']:.6f}"
    if "chance" not in result:
        return f"Dependency {score} of {full} with {share}"
    part = "" if result["n_sampled"] is None else f" (from {result['n_sampled']:,} random samples)"
    return (
        f"Soft dependency {score} with {share}; all features {full}, "
        f"chance {result['chance']:.6f}{part}"
    )
