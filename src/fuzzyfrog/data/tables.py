"""Files of any known format -> Dataset."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fuzzyfrog.data.arff_files import read_arff
from fuzzyfrog.data.blocks import RawTable
from fuzzyfrog.data.cells import MISSING, NotANumberError, parse_numbers
from fuzzyfrog.data.checks import check_filled
from fuzzyfrog.data.dataset import Dataset
from fuzzyfrog.data.delimited import read_delimited
from fuzzyfrog.data.files import stamp
from fuzzyfrog.data.frames import make_dataset
from fuzzyfrog.data.layout import Layout, Wanted, check_header
from fuzzyfrog.data.parquet_files import read_arrow
from fuzzyfrog.data.targets import check_target_kind, doubts_about_classes, encode_target
from fuzzyfrog.data.wording import listed, shown
from fuzzyfrog.errors import DataError

__all__ = ["SEPARATORS", "file_format", "read_table"]

SEPARATORS = {".csv": ",", ".tsv": "\t"}
FORMATS = (*SEPARATORS, ".arff", ".parquet")


def read_table(
    path: str | os.PathLike[str],
    target: str | None = None,
    *,
    categorical_features: object = "from_dtype",
    target_kind: str = "auto",
    ignore: Sequence[str] = (),
    separator: str | None = None,
    encoding: str = "utf-8",
) -> Dataset:
    """Give the Dataset of a CSV, TSV, ARFF or Parquet file, each also gzipped.

    The format is told by the suffix (.csv, .tsv, .arff, .parquet, with or without .gz). Reading
    is strict: a file that is not quite a table is refused with the line and a way out.

    In CSV and TSV files a feature is numeric if all its cells are numbers or missing, else
    nominal. Missing are empty cells and "?", "NA", "N/A", "nan", "null", "None" and their like.
    The target is read as text: the labels "7" and "007" are two classes, "NA" is a label, and
    only an empty cell or "?" is missing, which is an error.

    Parameters
    ----------
    path : str or path
        The file.
    target : str
        Name of the target column. It is required: with None, the error lists the columns.
    categorical_features : "from_dtype", list of str or int, bool mask, or None
        Which features are nominal. "from_dtype": as the file declares (ARFF, Parquet) or as
        described above (CSV, TSV). A list or a mask names all of them, None means none.
    target_kind : {"auto", "class", "numeric"}
        "auto" takes numbers of which at least one has a fractional part as a numeric target,
        everything else as class labels.
    ignore : sequence of str
        Columns to leave out, such as an id.
    separator : str, optional
        What separates the fields of a CSV or TSV file; by default a comma or a tab.
    encoding : str
        Encoding of a text file.

    Returns
    -------
    Dataset
        Named after the file.

    Raises
    ------
    DataError
        If the file cannot be used as it is.
    """
    path = Path(path)
    check_target_kind(target_kind, "target_kind")
    wanted = Wanted(target, _names(ignore), categorical_features)
    kind = file_format(path)
    stamp(path)
    if kind == ".parquet":
        return _from_parquet(path, wanted, target_kind)
    if kind == ".arff":
        layout, table = read_arff(path, wanted, encoding=encoding)
    else:
        mark = _separator(separator, SEPARATORS[kind])
        layout, table = read_delimited(path, wanted, separator=mark, encoding=encoding)
    return _dataset(path, wanted, layout, table, target_kind)


def _names(ignore: Sequence[str]) -> tuple[str, ...]:
    if isinstance(ignore, str):
        raise DataError(
            f"ignore must be a list of names, got {shown(ignore)}. Pass [{shown(ignore)}]."
        )
    return tuple(ignore)


def _separator(separator: str | None, default: str) -> str:
    if separator is None:
        return default
    if len(separator) != 1 or separator in '"\r\n':
        raise DataError(
            f"separator must be one character, got {shown(separator)}. Pass ';' or '\\t'."
        )
    return separator


def file_format(path: Path) -> str:
    """Give the suffix by which the format of a file is told, without ".gz"."""
    name = path.name.lower().removesuffix(".gz")
    for suffix in FORMATS:
        if name.endswith(suffix):
            return suffix
    raise DataError(
        f"{path.name}: the name of a table must end in one of {listed(FORMATS)}, optionally "
        f"followed by '.gz', got {shown(Path(name).suffix)}. Rename or convert the file."
    )


def _stem(path: Path) -> str:
    return path.name[: path.name.lower().rindex(file_format(path))]


def _dataset(
    path: Path, wanted: Wanted, layout: Layout, table: RawTable, target_kind: str
) -> Dataset:
    try:
        cells = _numbers_where_meant(table.target, target_kind)
        codes, classes = encode_target(cells, len(cells), target_kind)
    except DataError as error:
        raise DataError(f"{path.name}: target {shown(wanted.target)}: {error}") from None
    content = table.content
    notes = (*doubts_about_classes(classes, len(codes), target_kind), *content.warnings)
    for warning in notes:
        warnings.warn(warning, UserWarning, stacklevel=3)
    return Dataset(
        content.values,
        codes,
        layout.names,
        content.nominal,
        classes,
        str(wanted.target),
        _stem(path),
        content.labels,
        notes,
    )


def _numbers_where_meant(cells: list[Any], target_kind: str) -> list[Any]:
    """Give the texts of a target as numbers where they are meant so, else as they are."""
    if target_kind == "class" or not isinstance(cells[0], str):
        return cells
    if target_kind == "auto" and any(cell in MISSING for cell in set(cells)):
        return cells
    try:
        numbers = parse_numbers(cells)
    except NotANumberError as error:
        if target_kind == "auto":
            return cells
        raise DataError(
            f"a numeric target must hold numbers, got {shown(cells[error.position])}. "
            "Correct the value, or pass target_kind='class'."
        ) from None
    fractional = bool((numbers % 1 != 0).any())
    return numbers.tolist() if fractional or target_kind == "numeric" else cells


def _from_parquet(path: Path, wanted: Wanted, target_kind: str) -> Dataset:
    table = read_arrow(path)
    check_header(table.column_names, path.name, None)
    layout = wanted.layout(table.column_names, path.name)
    try:
        dataset = make_dataset(
            table.select(list(layout.names)),
            table.column(layout.target),
            categorical_features=wanted.categorical_features,
            target=target_kind,
            target_name=str(wanted.target),
            name=_stem(path),
        )
    except DataError as error:
        raise DataError(f"{path.name}: {error}") from None
    check_filled(dataset.values, dataset.feature_names, path.name)
    return dataset
