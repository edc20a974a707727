"""Warnings about columns that look like identifiers or dates, are copies, or have no values."""

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.messages import Sentence, Setting, shown
from fuzzyfrog.data import Dataset
from fuzzyfrog.data.columns import empty_features

FEWEST_SAMPLES = 10  # with fewer, it means nothing if all values differ
FEWEST_VALUES = 20  # of a feature that is nearly an identifier
FEWEST_NUMBERS = 50  # with fewer, counts and prices may well all differ
FEWEST_DATES = 3
HEAD = 1000  # samples that rule out most numeric features as identifiers
YEAR = r"(19|20)\d\d"
DATE = re.compile(
    rf"({YEAR}[-/.]\d{{1,2}}([-/.]\d{{1,2}})?"  # 2024-03-31 and 2024-03
    rf"|\d{{1,2}}([-/.])\d{{1,2}}\4({YEAR}|\d\d)"  # 31.03.2024 and 3/31/24
    rf"|\d{{1,2}}[-/.]{YEAR})([T ].*)?"  # 03/2024
)


def suspects(
    dataset: Dataset, allowed: NDArray[np.bool_], left_out_by: str = "exclude"
) -> Iterator[Sentence]:
    """Yield a warning for each allowed feature without values, or like an identifier or a date.

    `left_out_by` names the parameter that leaves out features.
    """
    for feature in empty_features(dataset.values):
        if allowed[feature]:
            name = shown(dataset.feature_names[feature])
            yield Sentence(
                f"feature {name} has no value in any sample. Leave its column out: nothing can be "
                "learned from it."
            )
    way_out = (" If it is one, list it in ", Setting(left_out_by), ", or drop the column.")
    for feature in np.flatnonzero(allowed).tolist():
        doubt_of = _doubt_of_labels if dataset.categorical[feature] else _doubt_of_numbers
        if doubt := doubt_of(dataset, feature, way_out):
            yield Sentence(f"feature {shown(dataset.feature_names[feature])} ", *doubt)


def copies_in(
    dataset: Dataset, allowed: NDArray[np.bool_], kept: NDArray[np.bool_]
) -> dict[int, int]:
    """Return the allowed features that are copies of others, each with the one that stays.

    Features in `kept` stay in any case, else the first. A copy may be in another unit: only the
    differences of samples count. Constants are no copies.
    """
    first: dict[bytes, int] = {}
    copies = {}
    order = [*np.flatnonzero(kept).tolist(), *np.flatnonzero(allowed & ~kept).tolist()]
    for feature in order:
        key = _differences_of(dataset.values[:, feature], bool(dataset.categorical[feature]))
        if key is not None and first.setdefault(key, feature) != feature and not kept[feature]:
            copies[feature] = first[key]
    return copies


def copied(dataset: Dataset, copies: dict[int, int]) -> Iterator[Sentence]:
    """Yield a sentence about features that are left out because they are copies."""
    names = dataset.feature_names
    for feature, first in copies.items():
        yield Sentence(
            f"feature {shown(names[feature])} is a copy of {shown(names[first])} and left out: it "
            "would count twice. To select it instead, list it in ", Setting("must_include"), ".",
        )  # fmt: skip


def _differences_of(column: NDArray[np.float64], is_categorical: bool) -> bytes | None:
    """Return what two columns with the same differences share; None for a constant."""
    known = column[~np.isnan(column)]
    if not known.size or known.min() == known.max():
        return None
    if is_categorical:
        _, where, codes = np.unique(column, return_index=True, return_inverse=True)
        ranks = np.argsort(np.argsort(where))  # labels in the order of their first samples
        return b"labels" + bytes(ranks[codes].astype(np.int64).tobytes())
    apart = np.round((column - known[0]) / (known.max() - known.min()), 9)
    turned = apart * np.sign(apart[np.flatnonzero(np.nan_to_num(apart))[0]])  # also if negated
    return b"numbers" + bytes((turned + 0.0).tobytes())


Parts = tuple[str | Setting, ...]


def _doubt_of_labels(dataset: Dataset, feature: int, way_out: Parts) -> Parts:
    column = dataset.values[:, feature]
    n_values, n_samples = np.unique(column[~np.isnan(column)]).size, dataset.n_samples
    if _holds_dates(dataset, feature):
        return (
            "holds dates written as text. Convert them to numbers, such as days since the first, "
            "so that dates close to each other count as similar.",
        )
    if FEWEST_SAMPLES <= n_samples == n_values:
        return ("has a different value in every sample, like an ID.", *way_out)
    if n_values >= FEWEST_VALUES and n_values > n_samples / 2:
        labels = f"{n_values:,} different labels in {n_samples:,} samples"
        return (f"has {labels}, nearly like an ID.", *way_out)
    return ()


def _doubt_of_numbers(dataset: Dataset, feature: int, way_out: Parts) -> Parts:
    column = dataset.values[:, feature]
    if len(column) >= FEWEST_NUMBERS and _are_counted(column[:HEAD]) and _are_counted(column):
        return ("has a different whole number in every sample, like an ID.", *way_out)
    return ()


def _are_counted(numbers: NDArray[np.float64]) -> bool:
    """Whether all numbers are whole, and no two are the same."""
    return bool((numbers == np.floor(numbers)).all()) and np.unique(numbers).size == numbers.size


def _holds_dates(dataset: Dataset, feature: int) -> bool:
    labels = dataset.categories[feature] if dataset.categories is not None else None
    if labels is None or len(labels) < FEWEST_DATES:
        return False
    return all(DATE.fullmatch(str(label)) for label in labels)
