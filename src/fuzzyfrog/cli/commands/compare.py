"""``fuzzyfrog compare``: several selectors on one table, judged by how well models do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fuzzyfrog.cli import options
from fuzzyfrog.cli.console import safe, write_found
from fuzzyfrog.cli.errors import UsageError
from fuzzyfrog.cli.inputs import TableOptions, opened
from fuzzyfrog.cli.options import RowOptions, StrictOptions, features_in, names_in
from fuzzyfrog.cli.progress import shown_progress
from fuzzyfrog.common.jit import compiling_heard
from fuzzyfrog.common.messages import shown, suggested
from fuzzyfrog.result.check import shown as score_shown

if TYPE_CHECKING:
    from fuzzyfrog.data import Dataset
    from fuzzyfrog.select.choosers import Comparison

# Listed here because their module is slow to import; a test compares the two.
SELECTORS = ("soft", "reducts", "quickreduct", "genetic", "swarm", "kbest", "rfe", "l1")
USUAL = ("soft", "reducts", "kbest", "rfe", "l1")
SHORT = {"k nearest neighbors": "neighbors", "random forest": "forest"}


def compare(
    asked: TableOptions,
    rows: RowOptions,
    strict: StrictOptions,
    selectors: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B",
            help=f"The selectors: {', '.join(SELECTORS)} (default: {','.join(USUAL)}). kbest, rfe "
            "and l1 are scikit-learn's, with as many features as soft.",
            show_default=False,
        ),
    ] = None,
    folds: Annotated[
        int, typer.Option(metavar="N", help="Number of folds of the cross-validation.")
    ] = 5,
    seed: Annotated[
        int, typer.Option(metavar="N", help="Random seed; the same seed gives the same result.")
    ] = 0,
    include: Annotated[
        list[str] | None, typer.Option(metavar="A,B", help="Features that every selector takes.")
    ] = None,
    jobs: options.Jobs = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Compare selectors on a table by how well models do with what they select.

    Every selector selects again inside each fold, on its training part alone, and three models
    predict the samples left out: with its features, and with all features.
    """
    names = _names(selectors)
    with shown_progress(f"reading {asked.table}", quiet=quiet) as course, opened(asked) as loaded:
        course.phase("starting")
        from fuzzyfrog.select.choosers import compared

        dataset = rows.grouped(loaded.dataset)
        with compiling_heard(course.compile):
            found = compared(
                dataset, names, folds=folds, seed=seed, missing=strict.missing, n_jobs=jobs,
                must_include=features_in("--include", include, dataset) or None, hear=course.phase,
            )  # fmt: skip
    write_found(_document(found, names, dataset), _lines(found, names, dataset), as_json=as_json)


def _names(given: list[str] | None) -> list[str]:
    names = names_in("--selectors", given) or list(USUAL)
    for name in names:
        if name not in SELECTORS:
            raise UsageError(
                f"--selectors must be some of {', '.join(SELECTORS)}, got {shown(name)}. "
                f"{suggested(name, SELECTORS)}"
            )
    return names


def _rows(found: Comparison, names: list[str]) -> Iterator[tuple[str, Any, float | None]]:
    """Yield the name, scores and seconds of all features and of each selector."""
    yield "all features", found.check.all, None
    for name in names:
        scores = found.check.of("selected" if name == "soft" else name)
        yield name, scores, found.seconds[name]


def _document(found: Comparison, names: list[str], dataset: Dataset) -> dict[str, Any]:
    check = found.check
    return {
        "table": dataset.name,
        "metric": check.metric,
        "models": check.models,
        "folds": check.folds,
        "seed": check.seed,
        "n_samples": check.n_samples,
        "selectors": [
            {
                "selector": name,
                "n_features": scores.n_features,
                "score": scores.score,
                "standard_error": scores.standard_error,
                "difference": scores.minus(check.all).mean,
                "difference_error": scores.minus(check.all).error,
                "by_model": dict(zip(check.models, scores.by_model, strict=True)),
                "seconds": seconds,
            }
            for name, scores, seconds in _rows(found, names)
        ],
        "notes": check.notes,
    }


def _lines(found: Comparison, names: list[str], dataset: Dataset) -> Iterator[str]:
    check = found.check
    models = [SHORT.get(name, name.partition(" ")[0]) for name in check.models]
    yield (
        f"{check.metric[0].upper()}{check.metric[1:]} of {len(models)} models in {check.folds} "
        f"folds of {safe(dataset.name)} ({check.n_samples:,} samples); each selector selects again "
        "in each fold:"
    )
    yield ""
    heads = "".join(f"{one:>11}" for one in [*models, "mean"])
    yield f"{'selector':<14}{'features':>8}{heads}  {'difference to all':<18}{'seconds':>8}"
    for name, scores, seconds in _rows(found, names):
        values = "".join(f"{score_shown(one):>11}" for one in (*scores.by_model, scores.score))
        line = f"{name:<14}{scores.n_features:>8.1f}{values}"
        if seconds is not None:
            line += f"  {check.apart(scores):<18}{seconds:>8.2f}"
        yield line
    if check.notes:
        yield ""
    for note in check.notes:
        yield f"Note: {safe(note)}"
