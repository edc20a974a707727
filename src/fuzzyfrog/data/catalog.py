"""Data sets by name -> Dataset."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from fuzzyfrog.data.dataset import Dataset
from fuzzyfrog.data.fetch import cache_folder, fetch_dataset
from fuzzyfrog.data.files import stamp
from fuzzyfrog.data.frames import make_dataset
from fuzzyfrog.data.registry import registry
from fuzzyfrog.data.tables import read_table
from fuzzyfrog.data.wording import shown, suggested
from fuzzyfrog.errors import DataError

__all__ = ["dataset_file", "dataset_names", "load_dataset"]

BUNDLED = ("breast_cancer", "digits", "iris", "wine")
FOLDER_VARIABLE = "FUZZYFROG_DATA"


def dataset_names() -> tuple[str, ...]:
    """Give the names that `load_dataset` knows.

    Returns
    -------
    tuple of str
        Sorted: scikit-learn's and those of the paper.
    """
    return tuple(sorted({*BUNDLED, *registry()}))


def load_dataset(
    name: str, *, nominal: bool = False, folder: str | os.PathLike[str] | None = None
) -> Dataset:
    """Give a data set by its name: one of scikit-learn's, or one of the paper's 22.

    "wine", "breast_cancer", "iris" and "digits" always are the copies that come with
    scikit-learn, whatever `folder` says, so they are the same on every machine. (The wine of the
    paper has the same values in the same order.) The other names are looked up in `folder`, else
    in the folder that the environment variable FUZZYFROG_DATA names, else in the cache, else
    they are downloaded. A file in a folder must be the registered one, byte for byte; a
    downloaded copy must have the registered size, but can differ otherwise: see
    `fuzzyfrog.data.fetch`.

    Parameters
    ----------
    name : str
        One of `dataset_names()`.
    nominal : bool
        Whether the features that hold codes of categories are nominal; by default all features
        are numbers, as in the paper. A downloaded copy keeps the kinds its source declares.
    folder : str or path, optional
        Folder with the files of the data sets, such as "glass.csv".

    Returns
    -------
    Dataset
        The data set; `name` tells where a downloaded copy comes from.

    Raises
    ------
    DataError
        If the name is unknown, or its file is missing or not the registered one.

    Examples
    --------
    >>> from fuzzyfrog.data import load_dataset
    >>> load_dataset("iris").classes
    ('setosa', 'versicolor', 'virginica')
    """
    if name not in dataset_names():
        raise DataError(
            f"name must be that of a known data set, got {shown(name)}. "
            f"{suggested(name, dataset_names())}"
        )
    if name in BUNDLED:
        return _bundled(name)
    file = dataset_file(name, folder=folder)
    return fetch_dataset(name) if file is None else _registered(file, name, nominal=nominal)


def dataset_file(name: str, *, folder: str | os.PathLike[str] | None = None) -> Path | None:
    """Give the file that a data set is read from, whether it exists or not.

    Parameters
    ----------
    name : str
        One of `dataset_names()`.
    folder : str or path, optional
        As for `load_dataset`.

    Returns
    -------
    path or None
        None for a data set that comes with scikit-learn, and for one that has to be downloaded.
    """
    if name in BUNDLED:
        return None
    file = registry()[name].file
    given = folder or os.environ.get(FOLDER_VARIABLE)
    if given:
        return Path(given).expanduser() / file
    cached = cache_folder() / file
    return cached if cached.exists() else None


def _bundled(name: str) -> Dataset:
    from sklearn import datasets  # slow to import

    bunch = getattr(datasets, f"load_{name}")()
    names = [str(feature) for feature in bunch.feature_names]
    return make_dataset(
        bunch.data, bunch.target_names[bunch.target], feature_names=names, name=name
    )


def _registered(path: Path, name: str, *, nominal: bool) -> Dataset:
    entry = registry()[name]
    stamp(path)
    with path.open("rb") as stream:
        checksum = hashlib.file_digest(stream, "sha256").hexdigest()
    if checksum != entry.sha256:
        raise DataError(
            f"{path.name}: the file must be the registered one (SHA-256 {entry.sha256[:12]}...), "
            f"got another (SHA-256 {checksum[:12]}...). Get it again, or read your own version "
            "with read_table."
        )
    kinds = list(entry.nominal) if nominal else None
    return read_table(path, "class", categorical_features=kinds, target_kind="class")
