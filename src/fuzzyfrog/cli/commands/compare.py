"""Tables as people type them for ``fuzzyfrog compare`` -> data sets of an experiment."""

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
from fuzzyfrog.cli.errors import ExitCode, UsageError, warn_of_suspects
from fuzzyfrog.cli.inputs import Asked, copy_of_stdin, refuse_reading_options
from fuzzyfrog.cli.options import names_in
from fuzzyfrog.cli.progress import shown_progress

if TYPE_CHECKING:
    from fuzzyfrog.experiment.config import DataEntry

__all__ = [
    "check_readable",
    "compare",
    "entries_of",
]


def entries_of(tables: Sequence[Asked], folder: Path) -> list[DataEntry]:
    """Return the data sets; stdin is copied into the folder."""
    if not any(one.is_read for one in tables):
        refuse_reading_options(tables[0])
    names = [Path(one.called).name.partition(".")[0] if one.is_read else one.table
             for one in tables]  # fmt: skip
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        raise UsageError(f"TABLE must be different ones, got {count} that are called {name!r}.")
    return [_entry(name, one, folder) for name, one in zip(names, tables, strict=True)]


def _entry(name: str, asked: Asked, folder: Path) -> DataEntry:
    from fuzzyfrog.experiment.config import DataEntry

    if not asked.is_read:
        return DataEntry(name)
    if asked.target is None:
        raise UsageError(f"--target must be given for a file, got none for {asked.table!r}.")
    path = Path(asked.table).absolute() if asked.is_file else copy_of_stdin(folder).absolute()
    if not _is_text(str(path)):
        raise UsageError(
            f"TABLE must be a path that is UTF-8 text, as the pages are, got {str(path)!r}. "
            "Rename it."
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
    )


def _is_text(name: str) -> bool:
    """Whether a name is text, without undecodable bytes of the file system."""
    return not any("\ud800" <= character <= "\udfff" for character in name)


def check_readable(entries: Sequence[DataEntry], data: Path | None) -> None:
    """Read every table once, so that errors in it are found before anything runs."""
    for entry in entries:
        dataset = entry.load(data)
        if entry.file is not None:
            warn_of_suspects(dataset, dataset.feature_names)


SEARCHES = ("frogs", "genetic", "swarm", "quickreduct", "boosted", "none")


class PanelName(StrEnum):
    """Whose classifiers judge."""

    SKLEARN = "sklearn"
    WEKA = "weka"


class ProtocolName(StrEnum):
    """Which samples features are selected on."""

    NESTED = "nested"
    PAPER = "paper"


Tables = Annotated[
    list[str],
    typer.Argument(
        metavar="TABLE", help="Files, or - for CSV on stdin (with --target), or names of data sets."
    ),
]
Searches = Annotated[
    list[str],
    typer.Option(metavar="A,B", help=f"At least two of {', '.join(SEARCHES)} (all features)."),
]
Classifiers = Annotated[
    PanelName, typer.Option(metavar="NAME", help="Whose nine classifiers judge: sklearn or weka.")
]
Protocol = Annotated[
    ProtocolName,
    typer.Option(
        metavar="NAME",
        help="Select inside every fold (nested), or before, which flatters (paper).",
    ),
]
Folds = Annotated[int, typer.Option(metavar="N", help="Folds of the cross-validation.")]
Seed = Annotated[int, typer.Option(metavar="N", help="The same seed gives the same result.")]
Out = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER", help="Keep all figures there; the same command then goes on from them."
    ),
]


def compare(
    tables: Tables,
    searches: Searches,
    target: options.Target = None,
    classifiers: Classifiers = PanelName.SKLEARN,
    protocol: Protocol = ProtocolName.NESTED,
    folds: Folds = 10,
    seed: Seed = 0,
    out: Out = None,
    ignore: options.Ignore = None,
    categorical: options.Categorical = None,
    separator: options.Separator = None,
    decimal: options.Decimal = ".",
    encoding: options.Encoding = "utf-8",
    data: options.Data = None,
    missing: options.Missing = options.MissingRule.SIMILAR,
    jobs: options.Jobs = None,
    quiet: options.Quiet = False,
) -> None:
    """Compare searches by the accuracy of classifiers on what they select, with statistics.

    The options that say how a table is read hold for all files, and none of the named data sets.
    """
    asked = [
        Asked(table, target, "auto", ignore, categorical, separator, encoding, data, decimal)
        for table in tables
    ]
    chosen = _searches(searches)
    with _folder(out) as folder:
        with shown_progress("reading the tables", quiet=quiet):
            entries = entries_of(asked, folder)
            check_readable(entries, data)
        from fuzzyfrog.experiment import config  # large

        experiment = config.Experiment(
            title="Comparison of searches",
            data=tuple(entries),
            selectors=tuple(
                config.SelectorEntry(name, name, missing=missing.value) for name in chosen
            ),
            protocols=(config.Protocol(protocol.value, (seed,)),),
            panels=(classifiers.value,),
            lineups={"all": tuple(chosen)},
            folds=folds,
        )
        page = folder / f"{classifiers.value}-{protocol.value}.md"
        try:
            done = run_experiment(
                experiment, data, folder, n_jobs=jobs, quiet=quiet, figures=out is not None
            )
        finally:
            if page.exists():  # also where other pages could not be written
                write_result(*page.read_text(encoding="utf-8").splitlines())
    for failure in done.failures:
        tell(failure)
    if done.failures:
        raise typer.Exit(ExitCode.FAILURE)


def _searches(given: Sequence[str]) -> list[str]:
    from fuzzyfrog.common.messages import shown, suggested

    names = names_in("--searches", given)
    rule = f"--searches must be at least two of {', '.join(SEARCHES)}"
    for name in names:
        if name not in SEARCHES:
            raise UsageError(f"{rule}, got {shown(name)}. {suggested(name, SEARCHES)}")
    if len(names) < 2:
        raise UsageError(f"{rule}, got {shown(names[0])} alone. none, all features, is one too.")
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
