"""What each cell of an experiment is known by: the settings and the data that it was computed with.

A key has what the config says, the digest of the table, seed, folds, and names of panel and
classifier. It has neither the versions of packages, which are kept beside the cells, nor what the
config leaves to them: default parameters of searches and the options of the classifiers. Cells stay
when such things change; start in another folder to have them computed anew.
"""

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from fuzzyfrog.data import Dataset
from fuzzyfrog.experiment.config import DataEntry, Experiment, SelectorEntry
from fuzzyfrog.experiment.loading import load_entry
from fuzzyfrog.experiment.selectors import has_chances, recipe
from fuzzyfrog.select.fingerprint import fingerprint

__all__ = ["accuracy_key", "selection_key", "selection_runs", "table_digest", "table_digests"]

Key = dict[str, Any]


def table_digest(dataset: Dataset) -> str:
    """Give a digest of the values, the classes and their labels."""
    labels = [str(label) for label in dataset.classes or ()]
    return fingerprint(dataset, *labels).removeprefix("sha256:")[:16]


def table_digests(
    entries: Iterable[DataEntry], folder: str | os.PathLike[str] | None
) -> dict[str, str]:
    """Give the digests of data sets by name, of those only that can be read."""
    digests: dict[str, str] = {}
    for entry in entries:
        with suppress(ValueError, OSError):
            digests[entry.name] = table_digest(load_entry(entry, folder))
    return digests


def selection_runs(
    experiment: Experiment, protocol: str, seeds: Sequence[int], entry: SelectorEntry
) -> list[tuple[int, int | None]]:
    """Give seed and fold of each run of a selector; no fold means all samples."""
    used = seeds if has_chances(entry) else seeds[:1]
    folds = [None] if protocol == "paper" else list(range(experiment.folds))
    return [(seed, fold) for seed in used for fold in folds]


def selection_key(
    experiment: Experiment, data: str, table: str, entry: SelectorEntry, run: tuple[int, int | None]
) -> Key:
    """Give the key of the features that a selector finds."""
    seed, fold = run
    return {
        "kind": "selection",
        "data": data,
        "table": table,
        "recipe": recipe(entry),
        "seed": seed,
        **_fold(experiment, fold),
    }


def accuracy_key(
    experiment: Experiment,
    data: str,
    table: str,
    features: Sequence[int],
    fold: int | None,
    panel: str,
    classifier: str,
) -> Key:
    """Give the key of what a classifier makes of some features: on one fold, or on all."""
    return {
        "kind": "accuracy",
        "data": data,
        "table": table,
        "features": list(features),
        "panel": panel,
        "classifier": classifier,
        "folds": [experiment.folds, experiment.fold_seed],
        "fold": fold,
    }


def _fold(experiment: Experiment, fold: int | None) -> Key:
    """Give the fold, and of which folds; all samples are the same whatever the folds are."""
    if fold is None:
        return {"fold": None}
    return {"folds": [experiment.folds, experiment.fold_seed], "fold": fold}
