"""TABLE, as people type it -> Dataset, and where its cells stand."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fuzzyfrog.cli.failures import UsageError
from fuzzyfrog.cli.text import names_in

if TYPE_CHECKING:
    from fuzzyfrog.data import Dataset
    from fuzzyfrog.data.reduced import CellSource

__all__ = ["Asked", "LoadedTable", "opened"]


@dataclass(frozen=True)
class Asked:
    """What was typed about a table.

    Attributes
    ----------
    table : str
        A file, the name of a data set, or "-" for stdin.
    target, target_kind, separator, encoding : str or None
        As for `fuzzyfrog.read_table`.
    ignore, nominal : list of str or None
        Names, several of them separated by commas.
    data : path or None
        Folder with the data sets of the paper.
    """

    table: str
    target: str | None = None
    target_kind: str = "auto"
    ignore: list[str] | None = None
    nominal: list[str] | None = None
    separator: str | None = None
    encoding: str = "utf-8"
    data: Path | None = None

    @property
    def is_file(self) -> bool:
        """Whether the table is a file (also one that does not exist) rather than a name."""
        path = Path(self.table)
        return bool(path.suffix) or path.exists() or len(path.parts) != 1


@dataclass(frozen=True)
class LoadedTable:
    """A table that was read.

    Attributes
    ----------
    dataset : Dataset
        What is measured.
    source : CellSource
        Where the original cells stand.
    """

    dataset: Dataset
    source: CellSource


@contextmanager
def opened(asked: Asked) -> Iterator[LoadedTable]:
    """Read a table; what came from stdin is kept in a file until the end."""
    if asked.table != "-":
        yield _loaded(asked, Path(asked.table)) if asked.is_file else _named(asked)
        return
    with tempfile.TemporaryDirectory(prefix="fuzzyfrog-") as folder:
        copy = Path(folder) / "stdin.csv"
        with copy.open("wb") as stream:
            shutil.copyfileobj(sys.stdin.buffer, stream)
        yield _loaded(asked, copy)


def _loaded(asked: Asked, path: Path) -> LoadedTable:
    from fuzzyfrog.data import read_table
    from fuzzyfrog.data.reduced import CellSource

    dataset = read_table(
        path,
        asked.target,
        categorical_features=names_in(asked.nominal) if asked.nominal else "from_dtype",
        target_kind=asked.target_kind,
        ignore=names_in(asked.ignore),
        separator=asked.separator,
        encoding=asked.encoding,
    )
    return LoadedTable(dataset, CellSource(path, asked.separator, asked.encoding))


def _named(asked: Asked) -> LoadedTable:
    from fuzzyfrog.data import load_dataset
    from fuzzyfrog.data.catalog import dataset_file
    from fuzzyfrog.data.reduced import CellSource

    dataset = load_dataset(asked.table, folder=asked.data)
    for option in ("target", "ignore", "nominal", "separator"):
        if getattr(asked, option):
            raise UsageError(
                f"--{option} must be left out for a data set that is given by its name, "
                f"got {getattr(asked, option)!r}. {asked.table} knows its columns; use --exclude "
                "to leave features out."
            )
    return LoadedTable(dataset, CellSource(dataset_file(asked.table, folder=asked.data)))
