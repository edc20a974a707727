"""Run one check on bytes from a fuzzer that is guided by the code they reach.

The check may refuse what it is given with an error that is promised. Anything else ends the run
and leaves the bytes in a file, to be turned into a test in tests/reliability/test_findings.py.
"""

import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import atheris

__all__ = ["FOLDER_VARIABLE", "require", "run", "working_folder"]

Check = Callable[[bytes], object]

FOLDER_VARIABLE = "FUZZYFROG_FUZZ_FOLDER"
LONGEST_INPUT = 8192


def working_folder() -> Path:
    """Return the folder for files of this run, which ``python fuzz`` creates and removes."""
    return Path(os.environ[FOLDER_VARIABLE])


def run(check: Check, seeds: Iterable[bytes], refusals: tuple[type[Exception], ...]) -> None:
    """Fuzz for the seconds given on the command line, or until something is found.

    Parameters
    ----------
    check : callable
        What is given bytes.
    seeds : iterable of bytes
        Inputs to begin with.
    refusals : tuple of types
        Errors that are promised; each must come with a sentence.
    """
    corpus = working_folder() / "corpus"
    corpus.mkdir()
    for number, seed in enumerate(seeds):
        (corpus / f"seed{number}").write_bytes(seed)
    options = [
        f"-max_total_time={sys.argv[1]}",
        f"-artifact_prefix=fuzz-{Path(sys.argv[0]).stem}-",
        f"-max_len={LONGEST_INPUT}",
        "-timeout=20",
        "-rss_limit_mb=4096",
        "-print_final_stats=1",
    ]
    atheris.Setup([sys.argv[0], *options, str(corpus)], _guarded(check, refusals))
    atheris.Fuzz()  # ends the process


def _guarded(check: Check, refusals: tuple[type[Exception], ...]) -> Check:
    def guarded(content: bytes) -> None:
        try:
            check(content)
        except refusals as error:
            require(_is_sentence(str(error)), f"a sentence, got {error!s:.300}")

    return guarded


def _is_sentence(text: str) -> bool:
    return text.endswith((".", "?", "'")) and text.isprintable()


def require(kept: bool, promise: str) -> None:
    """Raise unless a promise is kept; assertions can be disabled."""
    if not kept:
        raise AssertionError(f"promised: {promise}")
