"""Files that are bad or odd: tables, logs of scores, saved runs.

Ragged, empty and badly encoded tables are in tests/broken_tables.py, altered fields of results in
tests/result/test_result.py, torn logs in tests/search/test_checkpoint.py.
"""

import gzip
import json
import os
import zlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from fuzzyfrog import ReductSelector, read_table
from fuzzyfrog.errors import CheckpointError
from fuzzyfrog.result import Result
from fuzzyfrog.search.checkpoint import FRAME, MAGIC
from reliability.entries_values import Y, column
from reliability.promises import Entry, Given, Refused

ROWS = "1,x\n2,y\n"
ARFF = "@relation r\n@attribute a numeric\n@attribute class {x,y}\n@data\n"
GOOD = column(0.0, 1.0, 0.0, 1.0)


def table(name, content, **options):
    """Return a deed that writes a file, reads it, and returns its samples and classes."""

    def deed(folder):
        path = folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        data = read_table(path, "class", **options)
        return data.values.tolist(), data.classes

    return deed


def parquet(columns, name="x.parquet"):
    def deed(folder):
        pq.write_table(columns, folder / name)
        return read_table(folder / name, "class").values.tolist()

    return deed


def framed(body: bytes) -> bytes:
    return FRAME.pack(len(body), zlib.crc32(body)) + body


def frames_of(content: bytes) -> list[bytes]:
    """Return the header and the records of a log."""
    frames, start = [], len(MAGIC)
    while start < len(content):
        length, _ = FRAME.unpack_from(content, start)
        start += FRAME.size + length
        frames.append(content[start - length : start])
    return frames


def log_with(alter):
    """Return a deed that resumes from an altered log with valid checksums."""

    def deed(folder):
        path = folder / "scores"
        selector = ReductSelector("quickreduct", checkpoint=path, random_state=0, n_jobs=1)
        selector.fit(GOOD, Y)
        header, first, *others = frames_of(path.read_bytes())
        path.write_bytes(MAGIC + b"".join(map(framed, alter(header, first, *others))))
        return selector.fit(GOOD, Y).dependency_

    return deed


def header(content: bytes):
    return log_with(lambda _, *records: [content, *records])


def first_record(alter):
    return log_with(lambda header, first, *others: [header, alter(first), *others])


def run_of(text):
    def deed(folder):
        path = folder / "run.json"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return Result.load(path)

    return deed


def of_kind(make, read):
    """Return a deed that makes something other than a plain file and reads it."""

    def deed(folder):
        path = folder / "x.csv"
        make(path)
        return read(path)

    return deed


NAN, INFINITY = (np.array([score], "<f8").tobytes() for score in (np.nan, np.inf))
DEEP = "[" * 100_000 + "]" * 100_000
IDS = "id,class\n9007199254740992,x\n9007199254740993,y\n"

NUMBERED, CODED = (Given((rows, ("x", "y"))) for rows in ([[1.0], [2.0]], [[0.0], [1.0]]))

TABLES = [
    ("a table of one line end", "x.csv", "\n", Refused("got an empty file")),
    ("a table in two gzip members", "x.csv.gz",
     gzip.compress(b"a,class\n") + gzip.compress(ROWS.encode()), NUMBERED),
    ("a gzip file with a tail", "x.csv.gz", gzip.compress(f"a,class\n{ROWS}".encode()) + b"tail",
     Refused("is not a valid gzip file")),
    ("a gzip file in a gzip file", "x.csv.gz", gzip.compress(gzip.compress(b"a,class\n")),
     Refused("x.csv.gz: line 1")),
    ("a table with a comma number in quotes", "x.csv", 'a,class\n"1,5",x\n2,y\n',
     Refused("decimal point")),
    ("digits of another script", "x.csv", "a,class\n١,x\n٢,y\n", NUMBERED),
    ("hexadecimal numbers", "x.csv", "a,class\n0x1,x\n0x2,y\n", CODED),
    ("numbers with underscores", "x.csv", "a,class\n1_0,x\n2_0,y\n", CODED),
    ("numbers that float64 merges", "x.csv", IDS, Refused("float64 can tell apart")),
    ("a number of many digits", "x.csv", f"a,class\n{'9' * 300},x\n2,y\n",
     Given(([[1e300], [2.0]], ("x", "y")))),
    ("ARFF: no name of the relation", "x.arff", ARFF.replace(" r\n", "\n"), Refused("line 1")),
    ("ARFF: no name of an attribute", "x.arff", ARFF.replace(" a numeric", ""), Refused("line 2")),
    ("ARFF: no categories", "x.arff", ARFF.replace("{x,y}", "{}") + ROWS, Refused("x.arff: line")),
    ("ARFF: an unknown escape", "x.arff", ARFF + "'\\q',x\n2,y\n", Refused("line 5")),
    ("ARFF: a field without end", "x.arff", ARFF + f"{'1' * 200_000},x\n", Refused("line 5")),
    ("ARFF: a lone carriage return", "x.arff", ARFF + "1,x\r2,y\n", Refused("line 5")),
    ("ARFF: an index far outside", "x.arff", ARFF + f"{{{10**30} 1}}\n", Refused("line 5")),
]  # fmt: skip

DAMAGED = Refused("got a damaged or foreign file", CheckpointError)
LOGS = [
    ("a log whose header is a list", header(b"[]"), DAMAGED),
    ("a log whose header is not text", header(b"\xff"), DAMAGED),
    ("a log whose header is not JSON", header(b"{"), DAMAGED),
    ("a log whose header is too deep", header(DEEP.encode()), DAMAGED),
    ("a log of another format", header(b'{"format": 2}'),
     Refused("format is 2 there, 1 here", CheckpointError)),
    ("a log whose header has odd names", header(b'{"\\u0007": 1}'),
     Refused("'\\x07' is 1 there, None here", CheckpointError)),
    ("a log of other subsets", first_record(lambda body: b"finger??" + body[8:]),
     Refused("Another version of the code wrote it", CheckpointError)),
    ("a log with half a score", first_record(lambda body: body[:-3]),
     Refused("Another version of the code wrote it", CheckpointError)),
    ("a log with a score that is none", first_record(lambda body: body[:-8] + NAN),
     Refused("Another version of the code wrote it", CheckpointError)),
    ("a log with an infinite score", first_record(lambda body: body[:-8] + INFINITY),
     Refused("Another version of the code wrote it", CheckpointError)),
]  # fmt: skip

RUNS = [
    ("a run that is a list", run_of("[]"), "a saved result must be an object"),
    ("a run that is too deep", run_of(DEEP), "too deeply nested"),
    ("a run with a byte order mark", run_of("\ufeff{}"), "a saved result must be JSON"),
    (
        "a run of a later schema",
        run_of('{"schema": 99, "sha256": "", "result": {}}'),
        "schema must be",
    ),
    (
        "a run without its fields",
        run_of('{"schema": 2, "sha256": "", "result": {}}'),
        "missing required field",
    ),
    (
        "a run with a number of digits",
        run_of('{"schema": 1' + "0" * 5_000 + "}"),
        "a saved result must",
    ),
    (
        "a run under a name with a NUL",
        lambda _: Result.load("a\0"),
        "a saved result must be a file",
    ),
]

ENTRIES = [
    *(Entry(name, table(file, content), promise) for name, file, content, promise in TABLES),
    *(Entry(name, deed, promise) for name, deed, promise in LOGS),
    *(Entry(name, deed, Refused(words)) for name, deed, words in RUNS),
    Entry("a table that is a device",
          of_kind(lambda path: path.symlink_to("/dev/zero"), read_table),
          Refused("must be a regular file, got a pipe or device")),
    Entry("a table that is a link to itself",
          of_kind(lambda path: path.symlink_to(path), read_table), Refused("x.csv: ")),
    Entry("a run that is a pipe", of_kind(os.mkfifo, Result.load),
          Refused("must be a regular file")),
    Entry("a table under a name with a NUL", lambda _: read_table("a\0.csv", "class"),
          Refused("path must be one that a disk can have, got 'a\\x00.csv'")),
    Entry("a table under a name that is too long", lambda _: read_table("x" * 300 + ".csv"),
          Refused("cannot be read (File name too long)")),
    Entry("Parquet: no rows", parquet(pa.table({"a": pa.array([], pa.float64()), "class": []})),
          Refused("x.parquet: X must have at least 2 samples")),
    Entry("Parquet: no columns", parquet(pa.table({})), Refused("x.parquet: ")),
    Entry("Parquet: lists in a column", parquet(pa.table({"a": [[1], [2]], "class": ["x", "y"]})),
          Refused("x.parquet: feature 'a' must hold numbers, booleans or text")),
    Entry("a run that is altered to be JSON of something else", run_of(json.dumps({"a": 1})),
          Refused("an object with the fields schema, sha256 and result")),
]  # fmt: skip
