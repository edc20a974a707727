"""``fuzzyfrog compare``: which search finds features that classifiers do best with."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from fuzzyfrog.cli import options
from fuzzyfrog.cli.consoles import tell, write_result
from fuzzyfrog.cli.experiments import run_experiment
from fuzzyfrog.cli.failures import ExitCode, UsageError
from fuzzyfrog.cli.names import names_in
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
    typer.Argument(metavar="TABLE", help="Files (with --target), or names of data sets."),
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
    data: options.Data = None,
    jobs: options.Jobs = None,
    quiet: options.Quiet = False,
) -> None:
    """Compare searches by the accuracy of classifiers on what they select, with statistics."""
    chosen = _searches(searches)
    described = [
        'title = "Comparison of searches"',
        f'panels = ["{classifiers.value}"]',
        f"folds = {folds}",
        *_section("protocols", protocol.value, [f"seeds = [{seed}]"]),
        *(line for one in chosen for line in _section("selectors", one, [f'search = "{one}"'])),
        *_described_tables(tables, target),
    ]
    with _folder(out) as folder:
        config = folder / "comparison.toml"
        config.write_text("\n".join(described) + "\n", encoding="utf-8")
        done = run_experiment(config, data, folder, n_jobs=jobs, quiet=quiet)
        page = folder / f"{classifiers.value}-{protocol.value}.md"
        write_result(*page.read_text(encoding="utf-8").splitlines())
    for failure in done.failures:
        tell(failure)
    if done.failures:
        raise typer.Exit(ExitCode.FAILURE)


def _searches(given: Sequence[str]) -> list[str]:
    names = names_in("--searches", given)
    unknown = [name for name in names if name not in SEARCHES]
    if unknown or len(names) < 2:
        raise UsageError(
            f"--searches must be at least two of {', '.join(SEARCHES)}, got {', '.join(names)!r}."
        )
    return names


def _described_tables(tables: Sequence[str], target: str | None) -> Iterator[str]:
    names = [Path(one).name.partition(".")[0] if Asked(one).is_file else one for one in tables]
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        raise UsageError(f"TABLE must be different ones, got {count} that are called {name!r}.")
    for name, table in zip(names, tables, strict=True):
        if not Asked(table).is_file:
            yield from _section("data", name, [])
            continue
        if target is None:
            raise UsageError(f"--target must be given for a file, got none for {table!r}.")
        settings = [f"file = {_quoted(Path(table).absolute())}", f"target = {_quoted(target)}"]
        yield from _section("data", name, settings)


def _section(kind: str, name: str, settings: list[str]) -> list[str]:
    return [f"[{kind}.{_quoted(name)}]", *settings]


def _quoted(text: object) -> str:
    return json.dumps(str(text))  # TOML quotes as JSON does


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
