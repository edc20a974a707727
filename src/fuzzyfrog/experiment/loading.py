"""An entry of the config -> Dataset, and parts of it."""

import os
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.data import Dataset, load_dataset, read_table
from fuzzyfrog.data.wording import suggested
from fuzzyfrog.errors import DataError
from fuzzyfrog.experiment.config import DataEntry
from fuzzyfrog.experiment.panel import check_classes

__all__ = ["load_entry", "with_columns", "with_rows"]


def load_entry(entry: DataEntry, folder: str | os.PathLike[str] | None) -> Dataset:
    """Give the data set of an entry, with the labels that the config wants."""
    if entry.file is None:
        dataset = load_dataset(entry.name, folder=folder)
    else:
        dataset = read_table(
            entry.file,
            entry.target,
            target_kind="class",
            ignore=entry.ignore,
            nominal=entry.nominal,
            separator=entry.separator,
            decimal=entry.decimal,
            encoding=entry.encoding,
        )
    check_classes(dataset)
    labels = [str(label) for label in dataset.classes or ()]
    if unknown := [label for label in entry.class_labels if label not in labels]:
        raise DataError(
            f"class_labels must rename classes of the data, got {unknown[0]!r}. "
            f"{suggested(unknown[0], labels)}"
        )
    renamed = tuple(entry.class_labels.get(label, label) for label in labels)
    return replace(dataset, classes=renamed, name=entry.name)


def with_rows(dataset: Dataset, rows: NDArray[np.int64]) -> Dataset:
    """Give some of the samples."""
    return replace(dataset, values=dataset.values[rows], target=dataset.target[rows])


def with_columns(dataset: Dataset, features: Sequence[int]) -> Dataset:
    """Give some of the features."""
    chosen = list(features)
    return replace(
        dataset,
        values=np.ascontiguousarray(dataset.values[:, chosen]),
        feature_names=tuple(dataset.feature_names[feature] for feature in chosen),
        nominal=dataset.nominal[chosen],
    )
