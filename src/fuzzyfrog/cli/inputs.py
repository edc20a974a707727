"""The inputs of a command: TABLE and its options -> `Dataset`, and RUN.json -> `Result`."""

from __future__ import annotations

import glob
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from fuzzyfrog.cli.errors import UsageError, in_options
from fuzzyfrog.cli.options import READING, features_in, given_options, names_in, option_field
from fuzzyfrog.common.files import written_whole
from fuzzyfrog.common.messages import close_to, shown, suggested

if TYPE_CHECKING:
    from fuzzyfrog.data import Dataset
    from fuzzyfrog.data.write_table import CellSource
    from fuzzyfrog.result import Result

STDIN = "-"
STDIN_FILE = "stdin.csv"


@dataclass(frozen=True, kw_only=True)
class ReadingOptions:
    """How tables are read; the fields are options."""

    target: str | None = option_field(
        None, "COLUMN", "The column with the classes (or numbers) to predict; required for files."
    )
    ignore: list[str] | None = option_field(
        None, "A,B", "Columns to skip entirely, such as IDs.", READING
    )
    row_labels: str | None = option_field(
        None,
        "COLUMN",
        "The column that names the samples (default: an unnamed first column, or the line "
        "numbers of the file).",
        READING,
        "--id",
    )
    categorical: list[str] | None = option_field(
        None, "A,B", "Treat these columns as categories, in addition to those detected.", READING
    )
    separator: str | None = option_field(
        None,
        "CHARACTER",
        "Separator of a text file (default: a comma, a tab, or what the header has).",
        READING,
    )
    decimal: str = option_field(
        ".",
        "MARK",
        "Decimal mark of a text file: a point or a comma (with a comma, the separator is "
        "; unless --separator is given).",
        READING,
    )
    encoding: str = option_field("utf-8", "NAME", "Encoding of a text file.", READING)
    max_missing: int | None = option_field(
        None, "N", "Leave out rows with more than N missing values.", READING
    )
    target_kind: Literal["auto", "class", "numeric"] = option_field(
        "auto",
        "KIND",
        "The kind of target: class, numeric or auto, which treats numbers with a "
        "fractional part, and many different or rare whole numbers, as numeric.",
        READING,
    )
    dates: Literal["keep", "parts"] = option_field(
        "keep",
        "RULE",
        "What to do with dates: keep (left out unless named in --include) or parts (year, "
        "month, weekday and days become features).",
        READING,
    )

    @property
    def mark(self) -> str | None:
        """The separator; a tab is hard to type, so it may be spelled."""
        return "\t" if self.separator == r"\t" else self.separator


@dataclass(frozen=True, kw_only=True)
class TableOptions(ReadingOptions):
    """A table and how it is read; the fields are an argument and options."""

    table: Annotated[
        str,
        typer.Argument(
            metavar="TABLE",
            help="A csv, tsv, xlsx, arff or parquet file (also gzipped), - for CSV on stdin, or "
            "one of scikit-learn's data sets: breast_cancer, digits, iris, wine.",
        ),
    ]

    @property
    def is_file(self) -> bool:
        """Whether the table is a file (also one that does not exist) rather than a name."""
        path = Path(self.table)
        # Unlike Path.exists, os.path.exists takes any name, even one that is too long.
        return bool(path.suffix) or os.path.exists(path) or len(path.parts) != 1

    @property
    def is_here(self) -> bool:
        """Whether the table can be read again."""
        return self.table != STDIN and (not self.is_file or self.source() is not None)

    def source(self) -> os.stat_result | None:
        """Return the file that will be read, None if there is none."""
        try:
            if self.table == STDIN:
                status = os.fstat(0)
                return status if stat.S_ISREG(status.st_mode) else None
            return os.stat(self.table) if self.is_file else None
        except (OSError, ValueError):  # reading it raises a better error
            return None


@dataclass(frozen=True)
class LoadedTable:
    """A table that was read, where its original cells are, and the columns that are its IDs."""

    dataset: Dataset
    source: CellSource
    ids: tuple[str, ...] = ()


@contextmanager
def opened(asked: TableOptions, least: int = 2) -> Iterator[LoadedTable]:
    """Read a table of at least some rows; stdin is kept in a temporary file until the end."""
    if asked.table != STDIN:
        yield _loaded(asked, Path(asked.table), least) if asked.is_file else _named(asked)
        return
    with tempfile.TemporaryDirectory(prefix="fuzzyfrog-") as folder:
        copy = Path(folder) / STDIN_FILE
        with (
            written_whole(copy) as whole,
            whole.open("wb") as stream,
        ):  # stdin may be this very file
            shutil.copyfileobj(sys.stdin.buffer, stream)
        yield _loaded(asked, copy, least)


def _loaded(asked: TableOptions, path: Path, least: int) -> LoadedTable:
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
        row_labels=asked.row_labels,
        max_missing=asked.max_missing,
        dates=asked.dates,
        least=least,
    )
    return LoadedTable(dataset, CellSource(path, asked.mark, asked.encoding, asked.decimal))


def _named(asked: TableOptions) -> LoadedTable:
    """Return a data set by its name; raise for an unknown one, maybe a file without its suffix."""
    from fuzzyfrog.data import dataset_names, load_dataset
    from fuzzyfrog.data.write_table import CellSource

    if asked.table not in dataset_names():
        files = sorted(str(path) for path in Path().glob(f"{glob.escape(asked.table)}.*"))
        raise UsageError(
            f"TABLE must be a file or the name of a data set, got {shown(asked.table)}. "
            f"{suggested(asked.table, files[:3] or dataset_names())}"
        )
    if given := given_options(asked, but=("table", "ignore")):
        raise UsageError(
            f"{given[0]} must be left out for a data set that is given by its name, such as "
            f"{asked.table}. Its columns are known."
        )
    dataset = load_dataset(asked.table)
    ignored = features_in("--ignore", asked.ignore, dataset)
    kept = [name not in ignored for name in dataset.feature_names]
    return LoadedTable(dataset.take(columns=kept), CellSource(None))


SavedRun = Annotated[
    Path,
    typer.Argument(metavar="RUN.json", help="A run saved by `fuzzyfrog select --save`."),
]


def loaded_run(path: Path) -> Result:
    """Load a saved run."""
    from fuzzyfrog.errors import DataError
    from fuzzyfrog.result import Result

    if not os.path.exists(path):
        names: list[str] = []
        with suppress(OSError):
            names = sorted(one.name for one in path.parent.glob("*.json"))
        close = close_to(path.name, names)
        meant = f" Did you mean {shown(str(path.with_name(close[0])))}?" if close else ""
        raise UsageError(
            f"RUN.json must be a file saved with `fuzzyfrog select --save`, got {str(path)!r}, "
            f"which does not exist.{meant}"
        )
    try:
        return Result.load(path)
    except DataError as error:
        reason = in_options(error)
        raise UsageError(
            f"{path} must be a file saved with `fuzzyfrog select --save`. {reason[:1].upper()}"
            f"{reason[1:]}"
        ) from None
