"""What the catalogue promises for a bad or odd input: a sentence, a warning, or a result."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from fuzzyfrog.errors import DataError

Deed = Callable[[Path], Any]


def assert_sentence(text: str) -> None:
    """One line of ordinary length that ends as a sentence does."""
    assert text.endswith((".", "?", "'")), text  # or with an option to be copied
    assert text.isprintable(), text
    assert len(text) < 1_000, text


@dataclass(frozen=True)
class Refused:
    """The deed raises: an error of one kind, whose sentence has these words."""

    words: str
    kind: type[Exception] = DataError

    def keep(self, deed: Deed, folder: Path) -> None:
        with pytest.raises(self.kind) as caught:
            deed(folder)
        assert self.words in str(caught.value)
        assert_sentence(str(caught.value))


@dataclass(frozen=True)
class Given:
    """The deed gives this, without a warning (which pytest would make an error)."""

    result: Any

    def keep(self, deed: Deed, folder: Path) -> None:
        assert deed(folder) == self.result


@dataclass(frozen=True)
class Warned:
    """The deed gives this, with one warning that has these words."""

    words: str
    result: Any

    def keep(self, deed: Deed, folder: Path) -> None:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = deed(folder)
        (warning,) = caught
        assert self.words in str(warning.message)
        assert result == self.result


Promise = Refused | Given | Warned


@dataclass(frozen=True)
class Entry:
    """One input of the catalogue.

    Attributes
    ----------
    name : str
        What is odd about it, unique in the catalogue.
    deed : callable
        Does it, with an empty folder to work in.
    promise : Promise
        What must come of it.
    """

    name: str
    deed: Deed
    promise: Promise

    @property
    def parameter(self) -> object:
        """The entry as pytest takes it."""
        return pytest.param(self, id=self.name)
