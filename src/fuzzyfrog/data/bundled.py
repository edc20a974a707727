"""Data sets by name: those that come with scikit-learn."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np

from fuzzyfrog.common.messages import shown, suggested
from fuzzyfrog.data.dataset import Dataset, make_dataset
from fuzzyfrog.errors import DataError

NAMES = ("breast_cancer", "digits", "iris", "wine")
WINE = (
    "alcohol", "malic_acid", "ash", "alcalinity_of_ash", "magnesium", "total_phenols",
    "flavanoids", "nonflavanoid_phenols", "proanthocyanins", "color_intensity", "hue",
    "od280/od315_of_diluted_wines", "proline",
)  # fmt: skip


def dataset_names() -> tuple[str, ...]:
    """Return the names that `load_dataset` knows.

    Returns
    -------
    tuple of str
        Sorted.
    """
    return NAMES


def load_dataset(name: str) -> Dataset:
    """Return one of the data sets that come with scikit-learn.

    Parameters
    ----------
    name : {"breast_cancer", "digits", "iris", "wine"}
        Its name.

    Returns
    -------
    Dataset
        The data set, the same on every machine.

    Raises
    ------
    DataError
        If the name is unknown.

    Examples
    --------
    >>> from fuzzyfrog.data import load_dataset
    >>> load_dataset("iris").classes
    ('setosa', 'versicolor', 'virginica')
    """
    if name not in NAMES:
        raise DataError(
            f"name must be that of a known data set, got {shown(name)}. {suggested(name, NAMES)}"
        )
    if name == "wine" and (file := _wine_file()) is not None:
        rows = [line.split(",") for line in file.read_text(encoding="ascii").splitlines()]
        (_, _, *classes), cells = rows[0], rows[1:]
        values = np.array([row[:-1] for row in cells], np.float64)
        return make_dataset(
            values, [classes[int(row[-1])] for row in cells], feature_names=WINE, name=name
        )
    from sklearn import datasets  # slow to import

    bunch = getattr(datasets, f"load_{name}")()
    names = [str(feature) for feature in bunch.feature_names]
    return make_dataset(
        bunch.data, bunch.target_names[bunch.target], feature_names=names, name=name
    )


def _wine_file() -> Path | None:
    """Return the wines in scikit-learn's folder, for a first try without a second of importing."""
    found = find_spec("sklearn")
    if found is None or found.origin is None:
        return None
    file = Path(found.origin).parent / "datasets" / "data" / "wine_data.csv"
    return file if file.is_file() else None
