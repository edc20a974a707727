"""``fuzzyfrog score``: the dependency of a subset of features."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from fuzzyfrog.cli import options
from fuzzyfrog.cli.console import safe, write_json, write_result
from fuzzyfrog.cli.errors import warn_of_suspects
from fuzzyfrog.cli.inputs import Asked, opened
from fuzzyfrog.cli.options import features_in
from fuzzyfrog.cli.progress import compiling_heard, shown_progress

if TYPE_CHECKING:
    from fuzzyfrog.measure import Dependency

__all__ = [
    "score",
]


def score(
    table: options.Table,
    target: options.Target = None,
    features: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B", help="The features to measure, by default all of them."),
    ] = None,
    target_kind: options.TargetKind = options.TargetKindName.AUTO,
    ignore: options.Ignore = None,
    categorical: options.Categorical = None,
    separator: options.Separator = None,
    decimal: options.Decimal = ".",
    encoding: options.Encoding = "utf-8",
    data: options.Data = None,
    tnorm: options.TNorm = options.TNormName.LUKASIEWICZ,
    spread: options.Spread = options.SpreadName.STD,
    missing: options.Missing = options.MissingRule.SIMILAR,
    jobs: options.Jobs = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Print how well some features of a table tell its classes apart, from 0 to 1."""
    asked = Asked(
        table, target, target_kind.value, ignore, categorical, separator, encoding, data, decimal
    )
    with shown_progress(f"reading {table}", quiet=quiet) as course, opened(asked) as loaded:
        from fuzzyfrog.measure import Dependency

        names = features_in("--features", features, loaded.dataset)
        warn_of_suspects(loaded.dataset, names or loaded.dataset.feature_names)
        course.phase("measuring")
        measure = Dependency(
            loaded.dataset,
            tnorm=tnorm.value,
            spread=spread.value,
            missing=missing.value,
            n_jobs=jobs,
        )
        with compiling_heard(course.compile):
            result = _measured(measure, names)
    if as_json:
        write_json(json.dumps(result, indent=2))
    else:
        write_result(*_lines(result, measure.n_features))


def _measured(measure: Dependency, names: list[str]) -> dict[str, object]:
    import numpy as np

    from fuzzyfrog.measure.functions import feature_mask

    subset = feature_mask(names or None, measure.dataset)
    value = float(measure.score(subset[np.newaxis])[0])
    chosen = np.flatnonzero(subset).tolist()
    return {
        "table": measure.dataset.name,
        "features": [measure.dataset.feature_names[feature] for feature in chosen],
        "dependency": value,
        "full_dependency": measure.full,
    }


def _lines(result: dict[str, object], n_features: int) -> list[str]:
    names = result["features"]
    assert isinstance(names, list)  # noqa: S101 - for the type checker
    return [
        f"Dependency {result['dependency']:.6f} of {result['full_dependency']:.6f} "
        f"with {len(names)} of {n_features} features of {safe(result['table'])}"
    ]
