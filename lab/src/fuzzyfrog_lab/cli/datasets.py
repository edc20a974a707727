"""``fuzzyfrog-lab datasets``: the data sets that are known by name."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from fuzzyfrog.cli import options
from fuzzyfrog.cli.app import Command
from fuzzyfrog.cli.console import safe, tell, write_json, write_result
from fuzzyfrog.cli.errors import ExitCode, UsageError, in_options
from fuzzyfrog.common.messages import shown, suggested
from fuzzyfrog.errors import DataError
from fuzzyfrog_lab.catalog import cache_folder, dataset_file, fetch_dataset, registry

Data = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Folder with the data sets of the paper (default: FUZZYFROG_DATA).",
    ),
]

# The data sets in scikit-learn never change, and loading them takes a second.
BUNDLED_SIZES = {
    "breast_cancer": (569, 30, 2),
    "digits": (1797, 64, 10),
    "iris": (150, 4, 3),
    "wine": (178, 13, 3),
}

datasets = typer.Typer(
    help="List the data sets that are known by name, or fetch them.", add_completion=False
)


@dataclass(frozen=True)
class Known:
    """A row of the list."""

    name: str
    samples: int
    features: int
    classes: int
    place: str


@datasets.callback(invoke_without_command=True)
def _list_by_default(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        list_datasets()


@datasets.command("list", cls=Command)
def list_datasets(data: Data = None, as_json: options.Json = False) -> None:
    """List the data sets with their sizes and places."""
    known = [_known(name, data) for name in _names()]
    if as_json:
        write_json(json.dumps([asdict(one) for one in known], indent=2))
        return
    width = max(len(one.name) for one in known)
    lines = [
        f"{one.name:<{width}}  {one.samples:>7,}  {one.features:>8,}  {one.classes:>7}  "
        f"{safe(one.place)}"
        for one in known
    ]
    write_result(f"{'name':<{width}}  samples  features  classes  place", *lines)


@datasets.command("fetch", cls=Command)
def fetch(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="Data sets of the paper (default: all of them)."),
    ] = None,
) -> None:
    """Download data sets of the paper from OpenML or UCI into the cache."""
    wanted = _to_download(names or _names())
    if names and not wanted:
        write_result(f"{', '.join(names)}: comes with scikit-learn, nothing to download")
        return
    n_fetched = sum(_is_fetched(name) for name in wanted)
    write_result(f"{n_fetched} of {len(wanted)} data sets are in {safe(cache_folder())}")
    if n_fetched < len(wanted):
        raise typer.Exit(ExitCode.FAILURE)


def _to_download(names: Sequence[str]) -> list[str]:
    """Return the data sets that do not come with scikit-learn; raise for unknown names."""
    known = _names()
    for name in names:
        if name not in known:
            raise UsageError(
                f"NAME must be a data set of the paper, got {shown(name)}. {suggested(name, known)}"
            )
    return [name for name in names if name not in BUNDLED_SIZES]


def _is_fetched(name: str) -> bool:
    """Fetch a data set; return whether that worked, so that the others are fetched in any case."""
    try:
        fetched = fetch_dataset(name)
    except DataError as error:
        tell(in_options(error))
        return False
    tell(f"{fetched.name}: {fetched.n_samples:,} samples, {fetched.n_features:,} features")
    return True


def _names() -> list[str]:
    """Return the names: first those in scikit-learn, then those of the paper in its order."""
    return list(dict.fromkeys([*BUNDLED_SIZES, *registry()]))


def _known(name: str, data: Path | None) -> Known:
    if name in BUNDLED_SIZES:
        return Known(name, *BUNDLED_SIZES[name], "comes with scikit-learn")
    entry = registry()[name]
    return Known(name, entry.rows, entry.features, entry.classes, _place(name, data))


def _place(name: str, data: Path | None) -> str:
    file = dataset_file(name, folder=data)
    if file is None:
        return f"not downloaded: fuzzyfrog-lab datasets fetch {name}"
    return str(file) if file.is_file() else f"missing: {file}"
