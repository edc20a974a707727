"""TABLE, as people type it -> Dataset, and where its cells stand."""

from __future__ import annotations

import glob
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fuzzyfrog.cli.errors import UsageError
from fuzzyfrog.cli.options import names_in
from fuzzyfrog.common.files import written_whole

if TYPE_CHECKING:
    from fuzzyfrog.data import Dataset
    from fuzzyfrog.data.write_table import CellSource
    from fuzzyfrog.records import Run

__all__ = [
    "Asked",
    "LoadedTable",
    "SavedRun",
    "copy_of_stdin",
    "loaded_run",
    "opened",
    "refuse_reading_options",
]

STDIN = "-"
STDIN_FILE = "stdin.csv"

# What says how a file is read; a data set that is known by its name knows that itself.
READING_OPTIONS = (
    "target", "target_kind", "ignore", "categorical", "separator", "decimal", "encoding"
)  # fmt: skip


@dataclass(frozen=True)
class Asked:
    """What was typed about a table.

    Attributes
    ----------
    table : str
        A file, the name of a data set, or "-" for stdin.
    target, target_kind, separator, encoding, decimal : str or None
        As for `fuzzyfrog.read_table`.
    ignore, categorical : list of str or None
        Names, several of them separated by commas.
    data : path or None
        Folder with the data sets of the paper.
    """

    table: str
    target: str | None = None
    target_kind: str = "auto"
    ignore: list[str] | None = None
    categorical: list[str] | None = None
    separator: str | None = None
    encoding: str = "utf-8"
    data: Path | None = None
    decimal: str = "."

    @property
    def is_file(self) -> bool:
        """Whether the table is a file (also one that does not exist) rather than a name."""
        path = Path(self.table)
        # Unlike that of Path, this exists() takes any name: one that is too long is not there.
        return bool(path.suffix) or os.path.exists(path) or len(path.parts) != 1

    @property
    def is_read(self) -> bool:
        """Whether the table is read from a file or from stdin."""
        return self.table == STDIN or self.is_file

    @property
    def called(self) -> str:
        """The name of the file that is read."""
        return STDIN_FILE if self.table == STDIN else self.table

    @property
    def mark(self) -> str | None:
        """The separator; a tab is hard to type, so that it may be spelled."""
        return "\t" if self.separator == r"\t" else self.separator

    def source(self) -> os.stat_result | None:
        """Return the file that will be read; None where there is none."""
        try:
            if self.table == STDIN:
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
    if asked.table != STDIN:
        yield _loaded(asked, Path(asked.table)) if asked.is_file else _named(asked)
        return
    with tempfile.TemporaryDirectory(prefix="fuzzyfrog-") as folder:
        yield _loaded(asked, copy_of_stdin(Path(folder)))


def copy_of_stdin(folder: Path) -> Path:
    """Keep what comes from stdin in a file, and give its path."""
    copy = folder / STDIN_FILE
    with written_whole(copy) as whole, whole.open("wb") as stream:  # stdin may be that very file
        shutil.copyfileobj(sys.stdin.buffer, stream)
    return copy


def _loaded(asked: Asked, path: Path) -> LoadedTable:
    from fuzzyfrog.data import read_table
    from fuzzyfrog.data.write_table import CellSource

    dataset = read_table(
        path,
        asked.target,
        target_kind=asked.target_kind,
        ignore=names_in("--ignore", asked.ignore),
        categorical=names_in("--categorical", asked.categorical),
        separator=asked.mark,
        decimal=asked.decimal,
        encoding=asked.encoding,
    )
    return LoadedTable(dataset, CellSource(path, asked.mark, asked.encoding, asked.decimal))


def _named(asked: Asked) -> LoadedTable:
    from fuzzyfrog.data import load_dataset
    from fuzzyfrog.data.catalog import dataset_file
    from fuzzyfrog.data.write_table import CellSource

    _check_name(asked)
    dataset = load_dataset(asked.table, folder=asked.data)
    refuse_reading_options(asked)
    return LoadedTable(dataset, CellSource(dataset_file(asked.table, folder=asked.data)))


def _check_name(asked: Asked) -> None:
    """Refuse a name that no data set has; perhaps the ending of a file was left out."""
    from fuzzyfrog.common.messages import shown, suggested
    from fuzzyfrog.data import dataset_names

    if asked.table in dataset_names():
        return
    files = sorted(str(path) for path in Path().glob(f"{glob.escape(asked.table)}.*"))
    known = files[:3] or dataset_names()
    raise UsageError(
        f"TABLE must be a file or the name of a data set, got {shown(asked.table)}. "
        f"{suggested(asked.table, known)}"
    )


def refuse_reading_options(asked: Asked) -> None:
    """Refuse options that say how a file is read for what is no file."""
    for option in READING_OPTIONS:
        given = getattr(asked, option)
        if given != getattr(Asked, option):  # the default
            raise UsageError(
                f"--{option.replace('_', '-')} must be left out for a data set that is given by "
                f"its name, got {given!r}. {asked.table} knows its columns; `fuzzyfrog select "
                "--exclude` leaves features out."
            )


SavedRun = Annotated[
    Path,
    typer.Argument(metavar="RUN.json", help="A run that `fuzzyfrog select --save` has saved."),
]


def loaded_run(path: Path) -> Run:
    """Return the run that a file holds."""
    from fuzzyfrog.errors import DataError
    from fuzzyfrog.records import Run

    if not os.path.exists(path):
        raise UsageError(
            f"RUN.json must be a file saved with `fuzzyfrog select --save`, got {str(path)!r}, "
            f"which is not there.{_resembling(path)}"
        )
    try:
        return Run.load(path)
    except DataError as error:
        raise UsageError(
            f"{path} must be a file saved with `fuzzyfrog select --save`. {str(error)[:1].upper()}"
            f"{str(error)[1:]}"
        ) from None


def _resembling(path: Path) -> str:
    from fuzzyfrog.common.messages import close_to, shown

    try:
        names = sorted(one.name for one in path.parent.glob("*.json"))
    except OSError:
        return ""
    close = close_to(path.name, names)
    return f" Did you mean {shown(str(path.with_name(close[0])))}?" if close else ""
