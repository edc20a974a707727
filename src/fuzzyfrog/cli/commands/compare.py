"""``fuzzyfrog compare``: searches, judged by the accuracy of classifiers."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fuzzyfrog.cli import options
from fuzzyfrog.cli.commands.reproduce import run_experiment
from fuzzyfrog.cli.console import tell, write_result
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

# All but the exact search: no option of this command limits its time.
SEARCHES = (*(str(one) for one in SearchName if one is not SearchName.EXACT), "none")


class PanelName(StrEnum):
    """A panel of nine classifiers."""

    SKLEARN = "sklearn"
    WEKA = "weka"


class ProtocolName(StrEnum):
    """Which samples features are selected on."""

    NESTED = "nested"
    PAPER = "paper"


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
        PanelName, typer.Option(metavar="NAME", help="The nine classifiers: sklearn or weka.")
    ] = PanelName.SKLEARN,
    protocol: Annotated[
        ProtocolName,
        typer.Option(
            metavar="NAME",
            help="Select inside every fold (nested), or once on all samples, which is too "
            "optimistic (paper).",
        ),
    ] = ProtocolName.NESTED,
    folds: Annotated[int, typer.Option(metavar="N", help="Folds of the cross-validation.")] = 10,
    seed: Annotated[
        int, typer.Option(metavar="N", help="The same seed gives the same result.")
    ] = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Keep all results there; the same command resumes from them."
        ),
    ] = None,
    missing: options.Missing = options.MissingRule.SIMILAR,
    jobs: options.Jobs = None,
    quiet: options.Quiet = False,
) -> None:
    """Compare searches by the accuracy of classifiers on the selected features.

    Options about reading apply to all files, and not to data sets given by name.
    """
    chosen = _searches(searches)
    asked = [TableOptions(table=table, **vars(reading)) for table in tables]
    with _folder(out) as folder:
        with shown_progress("reading the tables", quiet=quiet):
            entries = _entries(asked, folder)
            for entry in entries:  # so that errors in a table are found before anything runs
                dataset = entry.load(reading.data)
                if entry.file is not None:
                    _refuse_quantities(dataset)
                    warn_of_suspects(dataset, dataset.feature_names)
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
            if page.exists():  # even if other pages could not be written
                write_result(*page.read_text(encoding="utf-8").splitlines())
    for failure in done.failures:
        tell(failure)
    if done.failures:
        raise typer.Exit(ExitCode.FAILURE)


def _refuse_quantities(dataset: Dataset) -> None:
    """Raise if the classes are numbers that hardly occur twice: classifiers are compared."""
    from fuzzyfrog.data.cells import all_numbers
    from fuzzyfrog.data.target import MOST_CLASSES, SAMPLES_OF_A_CLASS

    labels = [str(label) for label in dataset.classes or ()]
    few = max(MOST_CLASSES, dataset.n_samples / SAMPLES_OF_A_CLASS)
    if len(labels) > few and all_numbers(labels):
        raise UsageError(
            f"--target must be a column of classes, got {shown(dataset.target_name)} with "
            f"{len(labels):,} different numbers in {dataset.n_samples:,} samples. Classifiers "
            "cannot be compared by a quantity; choose another target, or cut it into classes."
        )


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
    )
