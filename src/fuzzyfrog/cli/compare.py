"""``fuzzyfrog compare``: which search finds features that classifiers do best with."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from fuzzyfrog.cli import options
from fuzzyfrog.cli.consoles import tell, write_result
from fuzzyfrog.cli.entries import check_readable, entries_of
from fuzzyfrog.cli.experiments import run_experiment
from fuzzyfrog.cli.failures import ExitCode, UsageError
from fuzzyfrog.cli.names import names_in
from fuzzyfrog.cli.progress import shown_progress
from fuzzyfrog.cli.tables import Asked

__all__ = ["compare"]

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
    nominal: options.Nominal = None,
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
        Asked(table, target, "auto", ignore, nominal, separator, encoding, data, decimal)
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
    from fuzzyfrog.data.wording import shown, suggested

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
