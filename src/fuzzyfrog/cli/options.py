"""Arguments and options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "Cluster",
    "Data",
    "Decimal",
    "Encoding",
    "Ignore",
    "Jobs",
    "Json",
    "Missing",
    "MissingRule",
    "Nominal",
    "Quiet",
    "Separator",
    "Spread",
    "SpreadName",
    "TNorm",
    "TNormName",
    "Table",
    "Target",
    "TargetKind",
    "TargetKindName",
]

READING = "How the table is read"
MEASURE = "How features are measured"


class TNormName(StrEnum):
    """How similarities on single features are joined."""

    LUKASIEWICZ = "lukasiewicz"
    MINIMUM = "minimum"
    PRODUCT = "product"


class SpreadName(StrEnum):
    """What the difference of two values is compared with."""

    STD = "std"
    VARIANCE = "variance"
    RANGE = "range"


class MissingRule(StrEnum):
    """What a missing value is to other values."""

    SIMILAR = "similar"
    DIFFERENT = "different"
    RAISE = "raise"


class TargetKindName(StrEnum):
    """How the target is read."""

    AUTO = "auto"
    CLASS = "class"
    NUMERIC = "numeric"


Table = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="A csv, tsv, arff or parquet file (also gzipped), the name of a data set "
        "(see `fuzzyfrog datasets`), or - for CSV on stdin.",
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", help="The column with the classes (or numbers) to tell apart; for files."
    ),
]
TargetKind = Annotated[
    TargetKindName,
    typer.Option(
        metavar="KIND",
        help="auto, class or numeric; auto takes numbers with a fractional part as numeric.",
        rich_help_panel=READING,
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(
        metavar="A,B", help="Columns to leave out, such as identifiers.", rich_help_panel=READING
    ),
]
Nominal = Annotated[
    list[str] | None,
    typer.Option(
        metavar="A,B",
        help="Columns of which only equality counts, beside those that are recognized as such.",
        rich_help_panel=READING,
    ),
]
Separator = Annotated[
    str | None,
    typer.Option(
        metavar="CHARACTER",
        help="What stands between two cells of a text file, by default a comma or a tab.",
        rich_help_panel=READING,
    ),
]
Decimal = Annotated[
    str,
    typer.Option(
        metavar="MARK",
        help="Decimal mark of a text file: a point, or a comma (then cells are separated by ; "
        "unless --separator says otherwise).",
        rich_help_panel=READING,
    ),
]
Encoding = Annotated[
    str, typer.Option(metavar="NAME", help="Encoding of a text file.", rich_help_panel=READING)
]
Data = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Folder with the data sets of the paper, by default that of FUZZYFROG_DATA.",
        rich_help_panel=READING,
    ),
]
TNorm = Annotated[
    TNormName,
    typer.Option(
        "--tnorm",
        metavar="NAME",
        help="How similarities on single features are joined: lukasiewicz, minimum or product.",
        rich_help_panel=MEASURE,
    ),
]
Spread = Annotated[
    SpreadName,
    typer.Option(
        metavar="NAME",
        help="What differences of values are compared with: std, variance or range.",
        rich_help_panel=MEASURE,
    ),
]
Missing = Annotated[
    MissingRule,
    typer.Option(
        metavar="RULE",
        help="A missing value is similar to all values, different from all, or raises an error: "
        "similar, different or raise.",
        rich_help_panel=MEASURE,
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(metavar="N", help="Number of threads, by default one for each usable CPU."),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Score subsets on a Dask cluster, such as tcp://10.0.0.1:8786.",
    ),
]
Json = Annotated[
    bool, typer.Option("--json", metavar="", help="Print one JSON document instead of text.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", metavar="", help="Show no progress.")]
