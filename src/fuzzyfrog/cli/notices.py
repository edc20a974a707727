"""Warnings of the library -> one clean line each on stderr."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from fuzzyfrog.cli.consoles import warn
from fuzzyfrog.cli.wording import in_options

__all__ = ["clean_warnings"]


@contextmanager
def clean_warnings() -> Iterator[None]:
    """Print every warning once, without the place in the code that Python adds."""
    told: set[str] = set()

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        sentence = str(message)
        if sentence not in told:
            told.add(sentence)
            warn(in_options(sentence))

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield
