"""Warnings of the library -> one clean line each on stderr."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from fuzzyfrog.cli.consoles import warn
from fuzzyfrog.cli.wording import in_options

if TYPE_CHECKING:
    from fuzzyfrog.data import Dataset

__all__ = ["clean_warnings", "warn_of_suspects"]


def warn_of_suspects(
    dataset: Dataset, features: Sequence[str], left_out_by: str = "ignore"
) -> None:
    """Warn of features like an identifier or a date, as a selector does when it is fitted.

    `left_out_by` names the option that leaves features out.
    """
    import numpy as np

    from fuzzyfrog.select.suspects import suspects

    wanted = set(features)
    allowed = np.array([name in wanted for name in dataset.feature_names])
    for sentence in suspects(dataset, allowed, left_out_by):
        warn(in_options(sentence))


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
