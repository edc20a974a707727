"""Logs of scores, the checkpoints: ``python fuzz SECONDS score_logs``.

The bytes are a header and records; the checksums are made to fit, or a fuzzer would never get
behind them. A second check takes the bytes as they are.
"""

import json
import zlib

import atheris
import numpy as np

with atheris.instrument_imports(include=["fuzzyfrog"]):
    from harness import require, run, working_folder

    from fuzzyfrog.errors import CheckpointError
    from fuzzyfrog.search.checkpoint import FRAME, MAGIC, ScoreLog, scores_in

HEADER = {"format": 1, "seed": 0, "search": {"name": "Genetic"}}
PATH = working_folder() / "scores"


def check(content: bytes) -> None:
    """Open a log and read all its records."""
    first, rest = content[:1], content[1:]
    PATH.write_bytes(rest if first < b"\x40" else MAGIC + _framed(rest))
    log = ScoreLog(PATH, HEADER)
    try:
        while (record := log.next_record()) is not None:
            fingerprint, answer = record
            require(len(fingerprint) == 8, "a whole fingerprint")
            require(not (scores_in(answer) == np.inf).any(), "scores that are numbers")
    finally:
        log.close()


def _framed(content: bytes) -> bytes:
    """Return the parts, separated by a line end, each with a matching length and checksum."""
    parts = content.split(b"\n")
    return b"".join(FRAME.pack(len(part), zlib.crc32(part)) + part for part in parts)


PLAIN = json.dumps(HEADER, sort_keys=True).encode()
SEEDS = (
    b"\xff" + PLAIN,
    b"\xff" + PLAIN + b"\n" + b"fingerpr" + bytes(16) + b"\n" + b"fingerpr" + b"\xff" * 8,
    b"\xff[]",
    b"\x00" + MAGIC + _framed(PLAIN) + _framed(b"fingerpr" + bytes(8)),
)

if __name__ == "__main__":
    run(check, SEEDS, (CheckpointError,))
