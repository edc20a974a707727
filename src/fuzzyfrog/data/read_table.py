"""Read a file of any known format as a Dataset."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.messages import Sentence, Setting, count, listed, shown, warn
from fuzzyfrog.common.params import check_count
from fuzzyfrog.common.resources import in_memory
from fuzzyfrog.data.cells import (
    MISSING,
    NotANumberError,
    TextNumbers,
    Thousands,
    is_missing,
    merges_integers,
    parse_numbers,
    points_in_doubt,
    read_texts,
)
from fuzzyfrog.data.columns import Gathering, check_filled
from fuzzyfrog.data.dataset import Dataset
from fuzzyfrog.data.dates import with_date_parts
from fuzzyfrog.data.formats import Layout, Wanted, check_header, stamp
from fuzzyfrog.data.formats.arff import read_arff
from fuzzyfrog.data.formats.csv import NO_LABEL, RawTable, read_delimited
from fuzzyfrog.data.formats.excel import read_excel
from fuzzyfrog.data.formats.npy import NpyTable
from fuzzyfrog.data.formats.parquet import ParquetTable
from fuzzyfrog.data.target import (
    MOST_CLASSES,
    TargetParts,
    are_quantities,
    check_target_kind,
    encode_target,
    notes_on_target,
)
from fuzzyfrog.errors import DataError, ParameterError

SEPARATORS = {".csv": ",", ".tsv": "\t"}
FORMATS = (*SEPARATORS, ".arff", ".npy", ".parquet", ".xlsx")
SMALLER_TABLE = Sentence(
    "Read fewer columns (",
    Setting("ignore"),
    "), or save the table as Parquet or .npy, which are read in parts and kept on disk if they "
    "are too large.",
)
SPREADSHEETS = (".xls", ".xlsm", ".ods", ".numbers")


def read_table(
    path: str | os.PathLike[str],
    target: str | None = None,
    *,
    categorical_features: object = "from_dtype",
    target_kind: str = "auto",
    ignore: Sequence[str] = (),
    categorical: Sequence[str] = (),
    separator: str | None = None,
    decimal: str = ".",
    encoding: str = "utf-8",
    numbers_in_text: str = "read",
    row_labels: str | None = None,
    max_missing: int | None = None,
    drop_missing_target: bool = False,
    dates: str = "keep",
) -> Dataset:
    """Return the Dataset of a CSV, TSV, ARFF, Parquet, NumPy or Excel file, each also gzipped.

    The suffix decides the format: .csv, .tsv, .arff, .parquet, .npy, .xlsx, also with .gz. A folder
    is the table of its Parquet files, in the order of their paths. Reading is strict: if a file is
    not quite a table, the error names the line and says how to fix it. No file is held in memory as
    a whole, and a table that is too large for memory is kept in a temporary file.

    In CSV and TSV files a feature is numeric if all its cells are numbers or missing, else
    categorical. Empty cells, "?", "NA", "N/A", "nan", "null", "None" and the like are missing; in a
    column that is named as categorical, "NA", "null", "None" and the like are categories. The
    target is read as text: the labels "7" and "007" are two classes, "1" and "1.0" are one. A
    missing target is an error; with ``target_kind="class"``, "NA" and the like are labels, except
    for empty cells and "?", and all labels are as spelled.

    Parameters
    ----------
    path : str or path
        The file, or the folder.
    target : str
        Name of the target column. It is required: with None, the error lists the columns. The
        columns of a NumPy array are called "x0", "x1", ...
    categorical_features : "from_dtype", list of str or int, bool mask, or None
        Which features are categorical. "from_dtype": as the file declares (ARFF, Parquet) or as
        described above (CSV, TSV). A list or a mask names all categorical features; None means
        none.
    target_kind : {"auto", "class", "numeric"}
        "auto" treats numbers as a numeric target if any has a fractional part, or if there are more
        than 20 different ones that do not look like codes (consecutive from 0 or 1, all of them
        frequent), and everything else as class labels.
    ignore : sequence of str
        Columns to leave out, such as an ID.
    categorical : sequence of str
        Features that are categorical in addition to `categorical_features`, such as codes that
        look like numbers.
    separator : str, optional
        Separator of the fields of a CSV or TSV file; by default a comma or a tab, and a semicolon
        instead of the comma with ``decimal=","``.
    decimal : {".", ","}
        The decimal mark of the numbers in a CSV or TSV file.
    encoding : str
        Encoding of a text file.
    numbers_in_text : {"read", "keep"}
        Whether a column of text in which every cell is a number with a percent sign, a currency,
        a common unit, marks between thousands or a limit ("25.0%", "$15,900.00", "3750 g",
        "<0.1") is read as numbers, with a note, or kept as labels.
    row_labels : str, optional
        Column that names the samples in explanations and reports; it is not a feature. By default
        a first column without a name, as R and pandas write it. Without one, samples of a text
        file are named by their lines.
    max_missing : int, optional
        Rows with more missing values than this are left out, with a note that says how many.
    drop_missing_target : bool
        Whether rows without a target are left out, with a note, instead of being an error.
    dates : {"keep", "parts"}
        "keep": a date is one feature, which selectors leave out unless it is included. "parts": its
        year, month, weekday (1 is Monday) and days since 1970 are features instead.

    Returns
    -------
    Dataset
        Named after the file.

    Raises
    ------
    DataError
        If the file cannot be used as it is.
    ParameterError
        If another argument is not valid.
    """
    path = Path(path)
    path = path.resolve() if os.path.isdir(path) else path  # "." has no name
    check_target_kind(target_kind, "target_kind")
    if numbers_in_text not in ("read", "keep"):
        raise ParameterError("numbers_in_text", "be 'read' or 'keep'", shown(numbers_in_text))
    if dates not in ("keep", "parts"):
        raise ParameterError("dates", "be 'keep' or 'parts'", shown(dates))
    wanted = Wanted(
        target,
        _names(ignore, "ignore"),
        categorical_features,
        _names(categorical, "categorical"),
        keeps_text=numbers_in_text == "keep",
        row_labels=row_labels,
        drops_unlabeled=bool(drop_missing_target),
        keeps_na=target_kind == "class",
    )
    if max_missing is not None:
        check_count("max_missing", max_missing, least=0)
    _check_decimal(decimal)
    kind = file_format(path)
    mark = ","
    with in_memory(f"the table of {shown(str(path))}", SMALLER_TABLE):
        if kind == ".parquet":
            layout, table = _read_parts(path, wanted, ParquetTable.of(path))
        elif kind == ".npy":
            layout, table = _read_parts(path, wanted, NpyTable.of(path))
        elif kind == ".xlsx":
            layout, table = read_excel(path, wanted)
        elif kind == ".arff":
            stamp(path)
            layout, table = read_arff(path, wanted, encoding=encoding)
        else:
            stamp(path)
            mark = separator_of(kind, separator, decimal)
            layout, table = read_delimited(
                path, wanted, separator=mark, encoding=encoding, decimal=decimal
            )
        kept, dropped = _kept_rows(path, wanted, table, max_missing)
        dataset = _dataset(path, wanted, layout, kept, target_kind, decimal, mark, dropped)
        return with_date_parts(dataset) if dates == "parts" else dataset


def _names(names: Sequence[str], argument: str) -> tuple[str, ...]:
    if isinstance(names, str):
        hint = f"Pass [{shown(names)}]."
        raise ParameterError(argument, "be a list of names", shown(names), hint)
    return tuple(names)


def _check_decimal(decimal: object) -> None:
    if decimal not in (".", ","):
        raise ParameterError("decimal", "be '.' or ','", shown(decimal))


def separator_of(kind: str, separator: str | None, decimal: str) -> str:
    """Return the separator of a ".csv" or ".tsv" file: the given one, or the default."""
    if separator is None:
        return ";" if (kind, decimal) == (".csv", ",") else SEPARATORS[kind]
    if len(separator) != 1 or separator in '"\r\n':
        hint = "Pass ';' or '\\t'."
        raise ParameterError("separator", "be one character", shown(separator), hint)
    return separator


def file_format(path: Path) -> str:
    """Return the suffix that decides the format of a file, without ".gz".

    A folder holds Parquet files.
    """
    name = path.name.lower().removesuffix(".gz")
    for suffix in FORMATS:
        if name.endswith(suffix):
            return suffix
    if os.path.isdir(path):  # unlike Path.is_dir, it takes any name
        return ".parquet"
    raise _unknown_format(path, Path(name).suffix)


def _unknown_format(path: Path, suffix: str) -> DataError:
    if suffix in SPREADSHEETS:
        return DataError(
            f"{path.name}: of spreadsheets, only .xlsx can be read, got {shown(suffix)}. Save the "
            "sheet with the table as .xlsx or CSV UTF-8."
        )
    way_out = (
        "Rename it to end in '.csv' or '.tsv', and pass the separator if it is neither a comma "
        "nor a tab."
        if suffix in (".txt", ".dat", ".data")
        else "Rename or convert the file."
    )
    return DataError(
        f"{path.name}: the name of a table must end in one of {listed(FORMATS)}, optionally "
        f"followed by '.gz', got {shown(suffix)}. {way_out}"
    )


def _stem(path: Path) -> str:
    place = path.name.lower().rfind(file_format(path))
    return path.name if place < 0 else path.name[:place]


def _kept_rows(
    path: Path, wanted: Wanted, table: RawTable, max_missing: int | None
) -> tuple[RawTable, list[str]]:
    """Return the rows that have a target and few enough gaps, and notes about the others."""
    n_rows = len(table.target)
    keep, notes = np.ones(n_rows, np.bool_), []
    if wanted.drops_unlabeled:
        keep &= np.array([not _is_unlabeled(cell) for cell in table.target])
        if n_dropped := n_rows - int(keep.sum()):
            notes.append(f"{path.name}: {count(n_dropped, 'row')} without a target left out.")
    if max_missing is not None:
        n_before = int(keep.sum())
        keep &= np.isnan(table.content.values).sum(axis=1) <= max_missing
        if n_dropped := n_before - int(keep.sum()):
            gaps = f"more than {count(max_missing, 'missing value')}"
            notes.append(f"{path.name}: {count(n_dropped, 'row')} with {gaps} left out.")
    if keep.all():
        return table, notes
    if int(keep.sum()) < 2:
        raise DataError(
            f"{path.name}: at least 2 rows must stay, got {int(keep.sum())} of {n_rows}. Leave out "
            "fewer rows."
        )
    places = np.flatnonzero(keep).tolist()
    target = table.target[keep] if isinstance(table.target, np.ndarray) else None
    rows = table.rows
    if isinstance(rows, tuple):
        rows = tuple(rows[place] for place in places)
    content = replace(table.content, values=table.content.values[keep])
    return (
        RawTable(
            content,
            [table.target[place] for place in places] if target is None else target,
            rows[keep] if isinstance(rows, np.ndarray) else rows,
        ),
        notes,
    )


def _is_unlabeled(cell: Any) -> bool:
    return is_missing(cell) or (isinstance(cell, str) and cell.strip() in NO_LABEL)


def _dataset(
    path: Path,
    wanted: Wanted,
    layout: Layout,
    table: RawTable,
    target_kind: str,
    decimal: str,
    separator: str,
    dropped: Sequence[str],
) -> Dataset:
    try:
        cells, notes = _numbers_where_meant(table.target, target_kind, decimal, layout.keeps_text)
        codes, classes = encode_target(cells, len(cells), "numeric" if notes else target_kind)
    except DataError as error:
        prefix = f"{path.name}: target {shown(wanted.target)}: "
        raise DataError(Sentence(prefix, error.args[0])) from None
    content = table.content
    on_target = notes or notes_on_target((codes, classes), target_kind, "target_kind", decimal)
    if classes is None and separator != "," and decimal == ".":
        thousands = Thousands()
        thousands.add(str(cell) for cell in table.target)
        if thousands.doubt:
            on_target = (*on_target, points_in_doubt("the target", thousands.doubt))
    notes = (*dropped, *on_target, *content.warnings)
    for warning in notes:
        warn(warning)
    return Dataset(
        content.values,
        codes,
        layout.names,
        content.categorical,
        classes,
        str(wanted.target),
        _stem(path),
        content.labels,
        notes,
        content.dates,
        table.rows,
        bool(dropped),
    )


def _numbers_where_meant(
    cells: list[Any] | NDArray[Any], target_kind: str, decimal: str, keeps_text: bool
) -> tuple[list[Any] | NDArray[Any], tuple[str, ...]]:
    """Return the text of a target as numbers if it is meant as numbers, and a note about that."""
    if isinstance(cells, np.ndarray):  # the file has types
        return cells, ()
    if target_kind == "class" or not isinstance(cells[0], str):
        return cells, ()
    if target_kind == "auto" and any(cell in MISSING for cell in set(cells)):
        return cells, ()
    try:
        numbers = parse_numbers(cells, decimal)
    except NotANumberError as error:
        texts = list(dict.fromkeys(cells))
        is_meant = target_kind == "numeric" or len(texts) > MOST_CLASSES
        found = read_texts(texts, decimal) if is_meant and not keeps_text else TextNumbers()
        if found.values is not None:
            number_of = dict(zip(texts, found.values.tolist(), strict=True))
            return [number_of[cell] for cell in cells], (_read_target(found.reading),)
        if target_kind == "auto":
            return cells, ()
        raise DataError(
            Sentence(
                f"a numeric target must hold numbers, got {shown(cells[error.position])}. "
                "Correct the value, or pass ",
                Setting("target_kind", "class"),
                ".",
            )
        ) from None
    is_fractional = bool((numbers % 1 != 0).any())
    is_code = any(cell.startswith("0") and cell[1:].isdecimal() for cell in cells)
    is_meant = is_fractional or (are_quantities(numbers) and not is_code)
    if is_meant or target_kind == "numeric":
        return numbers.tolist(), ()
    if is_code or merges_integers(cells, numbers):
        return cells, ()
    return _one_spelling(cells, decimal), ()


def _one_spelling(cells: list[str], decimal: str) -> list[str]:
    """Return labels that are numbers with the shortest spelling of each, as in "1" for "1.0"."""
    texts = sorted(set(cells), key=lambda text: (len(text), text))
    numbers = parse_numbers(texts, decimal).tolist()
    shortest = dict(zip(reversed(numbers), reversed(texts), strict=True))
    if len(shortest) == len(texts):
        return cells
    spelled = {text: shortest[number] for text, number in zip(texts, numbers, strict=True)}
    return [spelled[cell] for cell in cells]


def _read_target(reading: str) -> str:
    return Sentence(
        f"the target holds numbers in text, read as numbers: {reading}. Pass ",
        Setting("target_kind", "class"),
        " if its values are labels.",
    )


def _read_parts(
    path: Path, wanted: Wanted, source: ParquetTable | NpyTable
) -> tuple[Layout, RawTable]:
    """Return the layout and the content of a table that is read part by part."""
    check_header(source.names, path.name, None)
    layout = wanted.layout(source.names, path.name)
    features = Gathering(layout.names, layout.categorical, keeps_text=layout.keeps_text)
    target = TargetParts()
    for values, labels in source.parts(layout):
        with _named(path):
            features.add(values)
            target.add(labels)
    with _named(path):
        content = features.finish()
    check_filled(content.values, layout.names, path.name)
    place = layout.row_labels
    rows = None if place is None else source.labels(source.names[place])
    return layout, RawTable(content, target.finish(), rows)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Put the name of the file in front of the message of an error."""
    try:
        yield
    except DataError as error:
        raise DataError(Sentence(f"{path.name}: ", error.args[0])) from None
