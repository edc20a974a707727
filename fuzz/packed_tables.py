"""Gzipped files: ``python fuzz SECONDS packed_tables``."""

import gzip
import zlib

import atheris

with atheris.instrument_imports(include=["fuzzyfrog", "gzip"]):
    from harness import run
    from tables import reader

    from fuzzyfrog.errors import DataError

TABLE = b"a,b,class\n1,2,x\n3,4,y\n"
SEEDS = (
    gzip.compress(TABLE),
    gzip.compress(TABLE, compresslevel=0),
    gzip.compress(TABLE[:10]) + gzip.compress(TABLE[10:]),
    gzip.compress(TABLE) + bytes(20),
    zlib.compress(TABLE),
)

if __name__ == "__main__":
    run(reader("x.csv.gz"), SEEDS, (DataError,))
