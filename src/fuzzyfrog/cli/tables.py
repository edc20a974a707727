"""TABLE, as people type it -> Dataset, and where its cells stand."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fuzzyfrog.cli.failures import UsageError
from fuzzyfrog.cli.names import names_in

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

    @property
    def mark(self) -> str | None:
        """The separator; a tab is hard to type, so that it may be spelled."""
        return "\t" if self.separator == r"\t" else self.separator

    def source(self) -> os.stat_result | None:
        """Give the file that will be read; None where there is none."""
        try:
            if self.table == "-":
                status = os.fstat(0)
                return status if stat.S_ISREG(status.st_mode) else None
            path = Path(self.table) if self.is_file else self._named_file()
            return None if path is None else path.stat()
        except (OSError, ValueError):  # reading it will say what is wrong
            return None

    def _named_file(self) -> Path | None:
        from fuzzyfrog.data import dataset_names
        from fuzzyfrog.data.catalog import dataset_file

        known = self.table in dataset_names()
        return dataset_file(self.table, folder=self.data) if known else None


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
    from fuzzyfrog.data.reduced import CellSource

    nominal = names_in("--nominal", asked.nominal)
    dataset = _read_adding(asked, path, nominal) if nominal else _read(asked, path, "from_dtype")
    return LoadedTable(dataset, CellSource(path, asked.mark, asked.encoding))


def _read_adding(asked: Asked, path: Path, nominal: list[str]) -> Dataset:
    """Read a table in which some features are nominal beside those that are recognized."""
    from fuzzyfrog.errors import DataError

    try:
        recognized = _read(asked, path, "from_dtype")
    except DataError:
        return _read(asked, path, nominal)  # perhaps one of them cannot be read as numbers
    names = recognized.feature_names
    already = [
        name for name, is_nominal in zip(names, recognized.nominal, strict=True) if is_nominal
    ]
    if set(nominal) <= set(already):
        return recognized
    return _read(asked, path, [*already, *(one for one in nominal if one not in already)])


def _read(asked: Asked, path: Path, categorical_features: object) -> Dataset:
    from fuzzyfrog.data import read_table

    return read_table(
        path,
        asked.target,
        categorical_features=categorical_features,
        target_kind=asked.target_kind,
        ignore=names_in("--ignore", asked.ignore),
        separator=asked.mark,
        encoding=asked.encoding,
    )


def _named(asked: Asked) -> LoadedTable:
    from fuzzyfrog.data import load_dataset
    from fuzzyfrog.data.catalog import dataset_file
    from fuzzyfrog.data.reduced import CellSource

    dataset = load_dataset(asked.table, folder=asked.data)
    for option in ("target", "target_kind", "ignore", "nominal", "separator", "encoding"):
        given = getattr(asked, option)
        if given != getattr(Asked, option):  # the default
            raise UsageError(
                f"--{option.replace('_', '-')} must be left out for a data set that is given by "
                f"its name, got {given!r}. {asked.table} knows its columns; `fuzzyfrog select "
                "--exclude` leaves features out."
            )
    return LoadedTable(dataset, CellSource(dataset_file(asked.table, folder=asked.data)))
