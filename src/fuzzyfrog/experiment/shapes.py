"""How large the tables of an experiment are, as far as that is known without computing."""

import os
from dataclasses import dataclass

from fuzzyfrog.data.registry import registry
from fuzzyfrog.errors import DataError
from fuzzyfrog.experiment.config import DataEntry

__all__ = ["Shape", "shape_of"]


@dataclass(frozen=True)
class Shape:
    """The size of a table.

    Attributes
    ----------
    n_samples, n_features, n_classes : int
        Its rows, columns and classes.
    """

    n_samples: int
    n_features: int
    n_classes: int


def shape_of(entry: DataEntry, folder: str | os.PathLike[str] | None = None) -> Shape | None:
    """Give the size of a data set; None if its table cannot be read.

    Parameters
    ----------
    entry : DataEntry
        A data set of the config; those of the paper need not be there.
    folder : path-like or None
        Where registered data sets lie.

    Returns
    -------
    Shape or None
        Its size.
    """
    if entry.file is None and entry.name in registry():
        known = registry()[entry.name]
        return Shape(known.rows, known.features, known.classes)
    try:
        dataset = entry.load(folder)
    except (DataError, OSError):
        return None
    return Shape(dataset.n_samples, dataset.n_features, len(dataset.classes or ()))
