"""Read a file of any known format as a Dataset."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.arrays import Masks
from fuzzyfrog.common.messages import Answered, Sentence, Setting, count, listed, shown, warn
from fuzzyfrog.common.params import check_count, check_known
from fuzzyfrog.common.resources import in_memory
from fuzzyfrog.data.cells import (
    MISSING,
    NotANumberError,
    TextNumbers,
    merges_integers,
    read_texts,
)
from fuzzyfrog.data.dataset import Dataset
from fuzzyfrog.data.dates import with_date_parts
from fuzzyfrog.data.formats import Source, Wanted, check_header, stamp
from fuzzyfrog.data.formats.arff import ArffTable
from fuzzyfrog.data.formats.csv import DelimitedTable, recognized, settings_together
from fuzzyfrog.data.formats.excel import opened_workbook
from fuzzyfrog.data.formats.npy import NpyTable
from fuzzyfrog.data.formats.parquet import ParquetTable
from fuzzyfrog.data.gathering import Gathering
from fuzzyfrog.data.target import (
    MOST_CLASSES,
    Target,
    TargetParts,
    are_missing,
    are_quantities,
    check_target_kind,
    encode_target,
    notes_on_target,
)
from fuzzyfrog.data.texts import Dialect, TextLabels, Thousands, numbers_in, with_zero
from fuzzyfrog.errors import DataError, ParameterError
from fuzzyfrog.result.check import WITHOUT_TARGET

MANY_LEFT_OUT = 0.1  # of the rows, so that the answer is about other samples
NO_LABEL = frozenset({"", "?"})  # in a target in which "NA" is a class
SEPARATORS = {".csv": ",", ".tsv": "\t"}
FORMATS = (*SEPARATORS, ".arff", ".npy", ".parquet", ".xlsx")
SMALLER_TABLE = Sentence(
    "Read fewer columns (",
    Setting("ignore"),
    "), or save the table as Parquet or .npy, which are read in parts and kept on disk if they "
    "are too large.",
)
FileLabels: TypeAlias = TextLabels | NDArray[Any]  # a target as it is in a file
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
    row_labels: str | None = None,
    max_missing: int | None = None,
    dates: str = "keep",
    least: int = 2,
) -> Dataset:
    """Return the Dataset of a CSV, TSV, ARFF, Parquet, NumPy or Excel file, each also gzipped.

    The suffix decides the format: .csv, .tsv, .arff, .parquet, .npy, .xlsx, also with .gz. A folder
    is the table of its Parquet files, in the order of their paths. Reading is strict: if a file is
    not quite a table, the error names the line and says how to fix it. No file is held in memory as
    a whole, and a table that is too large for memory is kept in a temporary file.

    In CSV and TSV files a feature is numeric if all its cells are numbers or missing, else
    categorical. So is a column of text in which every cell is a number with a percent sign, a
    currency, a common unit, marks between thousands or a limit ("25.0%", "$15,900.00", "3750 g",
    "<0.1"), with a note, unless it is named as categorical. Empty cells, "?", "NA", "N/A", "nan",
    "null", "None" and the like are missing; in a column that is named as categorical, "NA", "null",
    "None" and the like are categories. The target is read as text: the labels "7" and "007" are two
    classes, "1" and "1.0" are one. Rows with a missing target are left out, with a note; with
    ``target_kind="class"``, "NA" and the like are labels, except for empty cells and "?", and all
    labels are as spelled.

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
        frequent), or more than five of which over a third are in fewer than five samples, and
        everything else as class labels.
    ignore : sequence of str
        Columns to leave out, such as an ID.
    categorical : sequence of str
        Features that are categorical in addition to `categorical_features`, such as codes that
        look like numbers.
    separator : str, optional
        Separator of the fields of a CSV or TSV file; by default a comma or a tab, a semicolon
        instead of the comma with ``decimal=","``, or another one that the header has instead of
        these, with a note.
    decimal : {".", ","}
        The decimal mark of the numbers in a CSV or TSV file, and in the text cells of a workbook.
    encoding : str
        Encoding of a text file.
    row_labels : str, optional
        Column that names the samples in explanations and reports; it is not a feature. By default
        a first column without a name, as R and pandas write it. Without one, samples of a text
        file are named by their lines.
    max_missing : int, optional
        Rows with more missing values than this are left out, with a note that says how many.
    dates : {"keep", "parts"}
        "keep": a date is one feature, which selectors leave out unless it is included. "parts": its
        year, month, weekday (1 is Monday) and days since 1970 are features instead.
    least : int
        Lowest number of samples, and of different targets; 1 for rows to add to another table,
        which may also lack all values of a feature.

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
    check_known("dates", dates, ("keep", "parts"))
    check_known("decimal", decimal, (".", ","))
    wanted = Wanted(
        target,
        _names(ignore, "ignore"),
        categorical_features,
        _names(categorical, "categorical"),
        row_labels=row_labels,
        target_kind=target_kind,
        max_missing=max_missing,
        least=least,
    )
    if max_missing is not None:
        check_count("max_missing", max_missing, least=0)
    with in_memory(f"the table of {shown(str(path))}", SMALLER_TABLE):
        dialect = dialect_of(path, separator, decimal, encoding)
        with opened_table(path, dialect, wanted.ignore) as table:
            is_delimited = isinstance(table, DelimitedTable)
            if is_delimited and dialect.separator not in (separator, _default(path, decimal)):
                mark = shown(dialect.separator)
                note = f"{path.name}: cells are separated by {mark}, as the header is."
                table.notes = (*table.notes, note)
            read, labels = _read(wanted, table)
        gaps = table.gaps & NO_LABEL if target_kind == "class" else table.gaps
        missing = labels.are_in(gaps) if isinstance(labels, TextLabels) else are_missing(labels)
        keep, dropped = _kept_rows(path, wanted, read, labels, missing)
        if not keep.all():
            read, labels = read.take(keep), labels[keep]
        dataset = _with_target(path, wanted, read, labels, dialect, dropped)
        return with_date_parts(dataset) if dates == "parts" else dataset


def _names(names: Sequence[str], argument: str) -> tuple[str, ...]:
    if isinstance(names, str):
        hint = f"Pass [{shown(names)}]."
        raise ParameterError(argument, "be a list of names", shown(names), hint)
    return tuple(names)


def dialect_of(path: Path, separator: str | None, decimal: str, encoding: str) -> Dialect:
    """Return the dialect of a file, whose separator matters if it is ".csv" or ".tsv".

    That is the given one, the default, or another one that the header has instead.
    """
    if file_format(path) not in SEPARATORS:
        return Dialect(decimal=decimal, encoding=encoding)
    stamp(path)
    if separator is None:
        return recognized(path, Dialect(_default(path, decimal), decimal, encoding))
    if len(separator) != 1 or separator in '"\r\n':
        hint = "Pass ';' or '\\t'."
        raise ParameterError("separator", "be one character", shown(separator), hint)
    return Dialect(separator, decimal, encoding)


@contextmanager
def opened_table(path: Path, dialect: Dialect, ignored: Sequence[str] = ()) -> Iterator[Source]:
    """Open the table in a file; columns in `ignored` may have cells without a value."""
    kind = file_format(path)
    if kind == ".xlsx":
        with opened_workbook(path, dialect, ignored) as book:
            yield book
    elif kind == ".parquet":
        yield ParquetTable.of(path)
    elif kind == ".npy":
        yield NpyTable(path)
    elif kind == ".arff":
        stamp(path)
        yield ArffTable(path, dialect.encoding)
    else:
        with settings_together(path, dialect):
            yield DelimitedTable(path, dialect)


def _default(path: Path, decimal: str) -> str:
    kind = file_format(path)
    return ";" if (kind, decimal) == (".csv", ",") else SEPARATORS[kind]


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


def _read(wanted: Wanted, source: Source) -> tuple[Dataset, FileLabels]:
    """Return the table of a file, and its target, which is not in the table yet.

    A feature of a text file whose first text comes late has lost the spelling of its earlier values
    by then, so the file is read a second time; it is never read more than twice.
    """
    file = source.path.name
    check_header(source.names, file, None)
    layout = wanted.layout(source.names, file)
    text = {feature for feature, categorical in enumerate(layout.categorical) if categorical}
    late = {-1}
    while late:
        columns = source.collectors(layout, text)
        features, target = Gathering(layout.asked, columns, source.n_rows), TargetParts()
        texts, names = [], []
        for rows in source.parts(layout, columns):
            with _named(source):
                features.add(rows.features)
                if rows.target is None:
                    continue
                if isinstance(rows.target, nw.Series | np.ndarray):
                    target.add(rows.target)
                else:
                    texts.append(rows.target)
            names.append(rows.names)
        late = {feature for feature, column in enumerate(columns) if column.is_late}
        text |= late
    labels = TextLabels.of(texts) if texts else target.finish()
    if columns and len(labels) < wanted.least:
        raise DataError(
            f"{file}: a table must have at least 2 samples below the header, got "
            f"{len(labels) or 'none'}. Check that the file is complete."
        )
    with _named(source):
        content = features.finish(wanted.least, file)
    label = None if layout.row_labels is None else source.names[layout.row_labels]
    place = file.lower().rfind(file_format(source.path))  # none for a folder
    table = Dataset(
        content.values,
        np.zeros(len(content.values)),
        layout.names,
        content.categorical,
        None,
        str(wanted.target),
        file if place < 0 else file[:place],
        content.labels,
        (*source.notes, *content.warnings),
        content.dates,
        _joined(names),
        source.row_word,
        None if label in wanted.ignore else label,
    )
    return table, labels


def _joined(names: Sequence[Any]) -> Any:
    """Return the lines or labels of all rows, None if they have neither."""
    if not names or names[0] is None:
        return None
    is_lines = isinstance(names[0], np.ndarray)
    return np.concatenate(names) if is_lines else tuple(chain.from_iterable(names))


@contextmanager
def _named(source: Source) -> Iterator[None]:
    """Put the name of the file in front of the message of an error."""
    try:
        yield
    except DataError as error:
        first, *rest = error.args
        if isinstance(first, str) and first.startswith("line "):
            first = source.row_word + first.removeprefix("line")
        raise DataError(f"{source.path.name}: ", first, *rest) from None


def _kept_rows(
    path: Path, wanted: Wanted, table: Dataset, labels: FileLabels, missing: Masks
) -> tuple[Masks, list[str]]:
    """Return which rows have a target and few enough gaps, and notes about the others."""
    notes = [_left_out(path.name, labels[missing], len(labels))] if missing.any() else []
    keep = ~missing
    if wanted.max_missing is not None:
        has_gaps = keep & (np.isnan(table.values).sum(axis=1) > wanted.max_missing)
        if n_dropped := int(has_gaps.sum()):
            gaps = f"more than {count(wanted.max_missing, 'missing value')}"
            notes.append(f"{path.name}: {count(n_dropped, 'row')} with {gaps} left out.")
        keep &= ~has_gaps
    if int(keep.sum()) < wanted.least:
        raise DataError(
            f"{path.name}: at least 2 rows must stay, got {int(keep.sum())} of {len(keep)}. Leave "
            "out fewer rows."
        )
    return keep, notes


def _left_out(file: str, missing: FileLabels, n_rows: int) -> str:
    """Return the note on rows that have no target, with what they have instead."""
    rows = f"{file}: {count(len(missing), 'row')} without a target left out"
    texts = set(missing.texts.to_pylist()) if isinstance(missing, TextLabels) else set()
    words = " or ".join(map(shown, sorted(texts - NO_LABEL - {None})))
    if not words:
        return f"{rows}."
    way_out = Setting("target_kind", "class"), f" if {words} in the target is a label."
    if len(missing) < MANY_LEFT_OUT * n_rows:
        return Sentence(f"{rows}. Pass ", *way_out)
    rows = f"{file}: {len(missing):,} of {n_rows:,} rows {WITHOUT_TARGET}"
    return Answered(f"{rows}. Pass ", *way_out)


def _with_target(
    path: Path,
    wanted: Wanted,
    table: Dataset,
    labels: FileLabels,
    dialect: Dialect,
    dropped: Sequence[str],
) -> Dataset:
    """Return the table with its target, and warn of what the user should know about it."""
    notes: tuple[str, ...] = ()
    try:
        if isinstance(labels, TextLabels):
            target, notes = _encoded(labels, wanted, dialect.decimal)
        else:
            target = encode_target(labels, len(labels), wanted.target_kind, wanted.least)
    except DataError as error:
        prefix = f"{path.name}: target {shown(wanted.target)}: "
        raise DataError(prefix, *error.args) from None
    notes = notes or notes_on_target(target, wanted.target_kind, "target_kind", dialect.decimal)
    if target[1] is None and isinstance(labels, TextLabels) and dialect.may_point_at_thousands:
        thousands = Thousands(may_be=True)
        thousands.add(labels.texts)
        notes = (*notes, *filter(None, [thousands.doubt_about("the target")]))
    notes = (*dropped, *notes, *table.notes)
    for warning in notes:
        warn(warning)
    return replace(table, target=target[0], classes=target[1], notes=notes)


def _encoded(labels: TextLabels, wanted: Wanted, decimal: str) -> tuple[Target, tuple[str, ...]]:
    """Return a target of text as numbers if it is meant as these, else as classes, and a note."""
    target_kind, least = wanted.target_kind, wanted.least
    if not labels.may_be_numbers:
        return _classes(labels, least, target_kind), ()
    if target_kind == "class" or (target_kind == "auto" and labels.are_in(MISSING).any()):
        return _classes(labels, least), ()
    try:
        numbers = numbers_in(labels.texts, decimal)
    except NotANumberError as error:
        texts = labels.texts.to_pylist()
        is_meant = target_kind == "numeric" or len(texts) > MOST_CLASSES
        found = read_texts(texts, decimal) if is_meant else TextNumbers()
        if found.values is not None:
            target = encode_target(found.values[labels.codes], None, "numeric", least)
            return target, (_read_target(found.reading),)
        if target_kind == "auto":
            return _classes(labels, least), ()
        raise DataError(
            f"a numeric target must hold numbers, got {shown(texts[error.position])}. "
            "Correct the value, or pass ",
            Setting("target_kind", "class"),
            ".",
        ) from None
    padded = [text for text in with_zero(labels.texts) if text[1:].isdecimal()]
    is_fractional = bool((numbers % 1 != 0).any())
    is_meant = is_fractional or (are_quantities(numbers[labels.codes]) and not padded)
    if is_meant or target_kind == "numeric":
        return encode_target(numbers[labels.codes], None, "numeric", least), ()
    if not padded and not merges_integers(labels.texts.to_pylist(), numbers):
        labels = _one_spelling(labels, numbers)
    return _classes(labels, least), ()


def _classes(labels: TextLabels, least: int, kind: str = "class") -> Target:
    codes, classes = encode_target(labels.texts.to_pylist(), None, kind, least)
    return codes[labels.codes], classes


def _one_spelling(labels: TextLabels, numbers: NDArray[np.float64]) -> TextLabels:
    """Return labels that are numbers with the shortest spelling of each, as in "1" for "1.0"."""
    texts = labels.texts.to_pylist()
    order = sorted(range(len(texts)), key=lambda place: (len(texts[place]), texts[place]))
    first = {numbers[place]: place for place in reversed(order)}
    places = [first[number] for number in numbers.tolist()]
    present, codes = np.unique(places, return_inverse=True)
    return TextLabels(codes[labels.codes], labels.texts.take(present))


def _read_target(reading: str) -> str:
    return Sentence(
        f"the target holds numbers in text, read as numbers: {reading}. Pass ",
        Setting("target_kind", "class"),
        " if its values are labels.",
    )
