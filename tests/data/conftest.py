from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from fuzzyfrog.data import Dataset, read_table
from fuzzyfrog.errors import FuzzyfrogError

WriteFile = Callable[[str, str | bytes], Path]
Refusal = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path) -> WriteFile:
    """Return a function that writes a real file and returns its path."""

    def write_file(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write_file


@pytest.fixture
def refusal(write: WriteFile) -> Refusal:
    """Return a function that writes a file, reads it, and returns the message of the error."""

    def refuse(name: str, content: str | bytes, target: str | None = "class", **options) -> str:
        with pytest.raises(FuzzyfrogError) as caught:
            read_table(write(name, content), target, **options)
        return str(caught.value)

    return refuse


@pytest.fixture
def same() -> Callable[[Dataset, Dataset], None]:
    """Return a function that asserts that two data sets are the same, bit by bit."""

    def compare(got: Dataset, expected: Dataset) -> None:
        np.testing.assert_array_equal(got.values, expected.values, strict=True)
        np.testing.assert_array_equal(got.target, expected.target, strict=True)
        np.testing.assert_array_equal(got.categorical, expected.categorical, strict=True)
        assert got.feature_names == expected.feature_names
        assert got.classes == expected.classes

    return compare
