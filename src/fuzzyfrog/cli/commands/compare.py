"""``fuzzyfrog compare``: searches, judged by how well models do on what they select."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fuzzyfrog.cli import options
from fuzzyfrog.cli.commands.reproduce import run_experiment
from fuzzyfrog.cli.console import tell, write_json, write_result
from fuzzyfrog.cli.errors import ExitCode, UsageError
from fuzzyfrog.cli.inputs import (
    ReadingOptions,
    TableOptions,
    copy_of_stdin,
    refuse_reading_options,
    warn_of_suspects,
)
from fuzzyfrog.cli.options import SearchName, names_in
from fuzzyfrog.cli.progress import shown_progress
from fuzzyfrog.common.messages import shown, suggested

if TYPE_CHECKING:
    from fuzzyfrog.data import Dataset
    from fuzzyfrog.experiment.config import DataEntry
    from fuzzyfrog.experiment.pages import PageData

# All but the exact search, whose time no option of this command limits, and auto, which is one of
# the others.
LEFT_OUT = (SearchName.EXACT, SearchName.AUTO)
SEARCHES = (*(str(one) for one in SearchName if one not in LEFT_OUT), "none")


class PanelName(StrEnum):
    """A panel of models."""

    SKLEARN = "sklearn"
    WEKA = "weka"


class ProtocolName(StrEnum):
    """Which samples features are selected on."""

    NESTED = "nested"
    PAPER = "paper"


class MetricName(StrEnum):
    """What models are judged by; listed here because the panels are slow to import."""

    ACCURACY = "accuracy"
    BALANCED_ACCURACY = "balanced-accuracy"
    AUC = "auc"
    F1 = "f1"
    R2 = "r2"


def compare(
    reading: ReadingOptions,
    tables: Annotated[
        list[str],
        typer.Argument(
            metavar="TABLE",
            help="Files, - for CSV on stdin (both with --target), or names of data sets.",
        ),
    ],
    searches: Annotated[
        list[str],
        typer.Option(metavar="A,B", help=f"At least two of {', '.join(SEARCHES)} (all features)."),
    ],
    classifiers: Annotated[
        PanelName,
        typer.Option(
            metavar="NAME",
            help="Nine classifiers from sklearn or weka; for a numeric target, eight regressors "
            "from sklearn.",
        ),
    ] = PanelName.SKLEARN,
    metric: Annotated[
        MetricName | None,
        typer.Option(
            metavar="NAME",
            help=f"The score of the models: {options.one_of(MetricName)} (default: accuracy, or r2 "
            "for a numeric target). AUC and F1 are means over the classes.",
            show_default=False,
        ),
    ] = None,
    protocol: Annotated[
        ProtocolName,
        typer.Option(
            metavar="NAME",
            help="Select inside every fold (nested), or once on all samples (paper), which is too "
            "optimistic.",
        ),
    ] = ProtocolName.NESTED,
    folds: Annotated[
        int, typer.Option(metavar="N", help="Number of folds of the cross-validation.")
    ] = 10,
    seed: Annotated[
        int, typer.Option(metavar="N", help="Random seed; the same seed gives the same result.")
    ] = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Keep all results in this folder; the same command resumes from them.",
        ),
    ] = None,
    missing: options.Missing = options.MissingRule.SIMILAR,
    jobs: options.Jobs = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Compare searches by how well models do on the selected features.

    Figures are means over the models, with their standard deviation from fold to fold. Options
    for reading apply to all files, but not to data sets given by name.
    """
    chosen = _searches(searches)
    asked = [TableOptions(table=table, **vars(reading)) for table in tables]
    with _folder(out) as folder:
        with shown_progress("reading the tables", quiet=quiet):
            entries = _entries(asked, folder)
            # Read now, so that errors in a table are found before anything runs.
            datasets = [entry.load(reading.data) for entry in entries]
            for entry, dataset in zip(entries, datasets, strict=True):
                if entry.file is not None:
                    warn_of_suspects(dataset, dataset.feature_names)
        metric = _metric(metric, datasets)
        if classifiers == PanelName.WEKA and metric != MetricName.ACCURACY:
            raise UsageError(
                f"--classifiers must be sklearn for --metric {metric}, got weka. Its classifiers "
                "count correct predictions only."
            )
        from fuzzyfrog.experiment import config  # large

        experiment = config.Experiment(
            title="Comparison of searches",
            data=tuple(entries),
            selectors=tuple(config.SelectorEntry(name, name, missing=missing) for name in chosen),
            protocols=(config.Protocol(protocol, (seed,)),),
            panels=(classifiers,),
            lineups={"all": tuple(chosen)},
            folds=folds,
            fold_seed=seed,
            metric=metric,
            deviation="folds",
        )
        page = folder / f"{classifiers}-{protocol}.md"
        try:
            done = run_experiment(
                experiment,
                reading.data,
                folder,
                n_jobs=jobs,
                quiet=quiet,
                figures=out is not None,
            )
        finally:
            if page.exists() and not as_json:  # even if other pages could not be written
                write_result(*page.read_text(encoding="utf-8").splitlines())
        if as_json:
            from fuzzyfrog.experiment.runner import page_data

            found = page_data(experiment, reading.data, folder)
            write_json(json.dumps(_document(found, done.failures), indent=2))
    for failure in done.failures:
        tell(failure)
    if done.failures:
        raise typer.Exit(ExitCode.FAILURE)


def _metric(asked: MetricName | None, datasets: Sequence[Dataset]) -> MetricName:
    """Return what the models are judged by: one metric for all tables."""
    from fuzzyfrog.experiment.panel import check_target

    numeric = [dataset.name for dataset in datasets if dataset.classes is None]
    others = [dataset.name for dataset in datasets if dataset.classes is not None]
    if numeric and others:
        raise UsageError(
            "TABLE must be tables that all have classes or all have numbers to predict, got "
            f"numbers in {shown(numeric[0])} and classes in {shown(others[0])}. "
            "Compare them separately."
        )
    metric = asked or (MetricName.R2 if numeric else MetricName.ACCURACY)
    for dataset in datasets:
        check_target(dataset, metric)
    return metric


def _document(found: PageData, failures: Sequence[str]) -> dict[str, Any]:
    """Return the comparison for JSON; scores of all metrics are at most 1."""
    from fuzzyfrog.experiment.comparison import compare as compared

    experiment = found.experiment
    ((place, results),) = found.results.items()
    (lineup,) = found.lineups[place]
    scale = lineup.metric.scale
    tables = []
    for data, entries in results.items():
        shape, figures = found.shapes.get(data), lineup.figures(data)
        tables.append(
            {
                "table": data,
                "n_samples": shape and shape.n_samples,
                "n_features": shape and shape.n_features,
                "searches": [
                    {
                        "search": name,
                        "n_features": fmean(entry.sizes) if entry.sizes else None,
                        "score": one and one.mean / scale,
                        "deviation": one and one.std / scale,
                        "best": one and one.best / scale,
                        "models": {
                            model: score / scale for model, score in entry.accuracies.items()
                        },
                        "seconds": entry.seconds if entry.sizes else None,
                    }
                    for name, entry in entries.items()
                    for one in [figures[name]]
                ],
            }
        )
    scores = lineup.scores()
    ranks = compared(scores) if len(scores) > 1 else None
    return {
        "metric": experiment.metric,
        "protocol": place[1],
        "folds": experiment.folds,
        "seed": experiment.fold_seed,
        "tables": tables,
        "ranks": ranks and dict(ranks.ranks),
        "friedman_p": ranks and ranks.p_value,
        "failures": list(failures),
    }


def _searches(given: Sequence[str]) -> list[str]:
    names = names_in("--searches", given)
    rule = f"--searches must be at least two of {', '.join(SEARCHES)}"
    for name in names:
        if name not in SEARCHES:
            raise UsageError(f"{rule}, got {shown(name)}. {suggested(name, SEARCHES)}")
    if len(names) < 2:
        raise UsageError(
            f"{rule}, got only {shown(names[0])}. Add 'none' to compare with all features."
        )
    return names


@contextmanager
def _folder(out: Path | None) -> Iterator[Path]:
    if out is None:
        with tempfile.TemporaryDirectory(prefix="fuzzyfrog-") as folder:
            yield Path(folder)
        return
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--out must be a folder, got {str(out)!r} ({error.strerror}).") from None
    yield out


def _entries(tables: Sequence[TableOptions], folder: Path) -> list[DataEntry]:
    """Return the data sets of the experiment; stdin is copied into the folder."""
    if not any(one.is_read for one in tables):
        refuse_reading_options(tables[0])
    names = [
        Path(one.called).name.partition(".")[0] if one.is_read else one.table for one in tables
    ]
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        raise UsageError(f"TABLE must have different names, got {count} that are called {name!r}.")
    return [_entry(name, one, folder) for name, one in zip(names, tables, strict=True)]


def _entry(name: str, asked: TableOptions, folder: Path) -> DataEntry:
    from fuzzyfrog.experiment.config import DataEntry

    if not asked.is_read:
        return DataEntry(name)
    if asked.target is None:
        raise UsageError(f"--target must be given for a file, got none for {asked.table!r}.")
    path = Path(asked.table).absolute() if asked.is_file else copy_of_stdin(folder).absolute()
    if any("\ud800" <= character <= "\udfff" for character in str(path)):  # undecodable bytes
        raise UsageError(
            f"TABLE must be a path in UTF-8, because pages mention it, got {str(path)!r}. "
            "Rename the file."
        )
    return DataEntry(
        name,
        path,
        asked.target,
        ignore=tuple(names_in("--ignore", asked.ignore)),
        categorical=tuple(names_in("--categorical", asked.categorical)),
        separator=asked.mark,
        decimal=asked.decimal,
        encoding=asked.encoding,
        numbers_in_text=asked.numbers_in_text,
        row_labels=asked.row_labels,
        max_missing=asked.max_missing,
        drop_missing_target=asked.drop_missing_target,
        target_kind=asked.target_kind,
        dates=asked.dates,
    )
