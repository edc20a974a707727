"""Write a Dataset as ARFF, the file format of Weka."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from fuzzyfrog.data import Dataset

__all__ = ["write_arff"]


def write_arff(dataset: Dataset, path: Path) -> None:
    """Write a data set with its class as the last attribute.

    Classes are declared in the order of their first sample, as when Weka reads a CSV file: some
    classifiers break ties by that order. Numbers keep all their digits; a missing value is a "?".
    """
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in _lines(dataset))


def _lines(dataset: Dataset) -> Iterator[str]:
    yield f"@relation {_quoted(dataset.name)}"
    for position, name in enumerate(dataset.feature_names):
        yield f"@attribute {_quoted(name)} {_kind(dataset, position)}"
    labels = [_quoted(str(label)) for label in dataset.classes or ()]
    codes, first = np.unique(dataset.target, return_index=True)
    seen = [labels[int(code)] for code in codes[np.argsort(first)]]
    yield f"@attribute {_quoted(dataset.target_name)} {{{','.join(seen)}}}"
    yield "@data"
    for row, code in zip(dataset.values.tolist(), dataset.target.tolist(), strict=True):
        cells = ["?" if value != value else repr(value) for value in row]  # NaN is missing
        yield ",".join([*cells, labels[int(code)]])


def _kind(dataset: Dataset, position: int) -> str:
    if not dataset.categorical[position]:
        return "numeric"
    codes = np.unique(dataset.values[:, position])
    return "{" + ",".join(repr(code) for code in codes[~np.isnan(codes)].tolist()) + "}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return f"'{escaped}'"
