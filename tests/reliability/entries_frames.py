"""Containers, columns and names that are bad or odd."""

import datetime
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from fuzzyfrog import ReductSelector
from fuzzyfrog.data import make_dataset
from reliability.entries_values import NO_VALUE, Y, column, selected
from reliability.promises import Entry, Given, Refused, Warned

GOOD = column(0.0, 1.0, 0.0, 1.0)
FOUND = Given(([0], 1.0))
RECORDS = np.array([(0.0, 1.0)] * 4, dtype=[("a", float), ("b", float)])


def one_column(values):
    return pd.DataFrame({"a": values})


CONTAINERS = [
    ("a matrix of NumPy", GOOD.view(np.matrix), FOUND),
    ("an array with named fields", RECORDS, Refused("X must have two dimensions")),
    ("a single number", np.float64(3), Refused("X must have two dimensions")),
    ("an iterator of rows", iter(GOOD.tolist()), Refused("X must")),
    ("a set of rows", {(0.0,), (1.0,)}, Refused("X must")),
    ("a list of dicts", [{"a": 1}] * 4, Refused("X must have two dimensions")),
    ("a list of texts", ["0", "1", "0", "1"], Refused("X must have two dimensions")),
    ("rows that are tuples", [(0.0,), (1.0,), (0.0,), (1.0,)], FOUND),
    ("a frame without columns", pd.DataFrame(index=range(4)), Refused("0 feature(s)")),
    ("a frame without rows", pd.DataFrame({"a": []}), Refused("at least 2 samples, got 0")),
    ("a frame with a repeated index", one_column([0, 1, 0, 1]).set_axis([5, 5, 5, 5]), FOUND),
    ("a column of periods", one_column(pd.period_range("2020", periods=4)), Refused("period[D]")),
    ("a column of intervals", one_column(pd.interval_range(0, 4)), Refused("feature 'a'")),
    ("a sparse column of a frame", one_column(pd.arrays.SparseArray([0.0, 1, 0, 1])),
     FOUND),
    ("a column of arrays", one_column([np.zeros(2)] * 4), Refused("feature 'a'")),
    ("a column of dates as objects", one_column([datetime.date(2020, 1, 1)] * 4),
     Refused("feature 'a' must hold numbers, booleans or text, got date")),
    ("a column of nothing, polars", pl.DataFrame({"a": [None] * 4, "b": [0, 1, 0, 1]}),
     Warned(NO_VALUE, ([1], 1.0))),
    ("a column of nothing, Arrow", pa.table({"a": pa.nulls(4), "b": [0, 1, 0, 1]}),
     Warned(NO_VALUE, ([1], 1.0))),
    ("a column of decimals, Arrow", pa.table({"a": pa.array([0, 1, 0, 1]).cast(pa.decimal128(20))}),
     FOUND),
    ("a column of durations", pl.DataFrame({"a": [datetime.timedelta(1)] * 4}),
     Refused("feature 'a' must hold numbers, booleans or text, got Duration")),
    ("a column of structs", pl.DataFrame({"a": [{"b": 1}] * 4}), Refused("feature 'a'")),
    ("a column of bytes", pl.DataFrame({"a": [b"x"] * 4}), Refused("Decode bytes")),
    ("categories of which none occurs", one_column(pd.Categorical([None] * 4, ["x"])),
     Warned(NO_VALUE, ([0], 0.0))),
]  # fmt: skip

NAMES = {
    "empty": "",
    "with a NUL": "a\0b",
    "with line ends": "a\r\nb",
    "that turns the writing": "\u202egnp",
    "that is half a character": "\ud800",
    "that is markup": "</script><script>alert(1)</script>",
    "that is a formula": "=cmd|'/C calc'!A0",
    "that climbs out of folders": "../../x",
    "of a device": "CON",
    "of a million letters": "x" * 10**6,
}


def written_and_read(name: str, folder: Path):
    """Fit, save, load and report under an odd name; return the files that exist afterwards."""
    frame = pd.DataFrame(
        np.hstack([GOOD, 1 - GOOD]), columns=pd.Index([name, "other"], dtype=object)
    )
    selector = ReductSelector("quickreduct", must_include=[name], n_jobs=1).fit(frame, Y)
    assert selector.get_feature_names_out().tolist() == [name]
    selector.report(folder / "page.html")
    return sorted(path.name for path in folder.iterdir())


def names_of(columns):
    frame = pd.DataFrame(np.eye(4, len(columns)), columns=columns)
    return make_dataset(frame, Y).feature_names


ENTRIES = [
    *(Entry(name, lambda _, X=X: selected(X), promise) for name, X, promise in CONTAINERS),
    *(
        Entry(f"a name {what}", lambda folder, name=name: written_and_read(name, folder),
              Given(["page.html"]))
        for what, name in NAMES.items()
    ),
    Entry("names of two levels",
          lambda _: names_of(pd.MultiIndex.from_product([["a"], ["b", "c"]])), Given(("x0", "x1"))),
    Entry("a name that is missing", lambda _: names_of(["a", None]), Refused("must be text, got")),
    Entry("names with the same look", lambda _: names_of(["\u00e9", "e\u0301"]),
          Given(("\u00e9", "e\u0301"))),
]  # fmt: skip
