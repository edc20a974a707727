"""Labels or numbers -> the target of a Dataset."""

from __future__ import annotations

import numbers
import re
from collections.abc import Hashable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.messages import counted, listed, shown
from fuzzyfrog.data.columns import flat_labels, is_missing
from fuzzyfrog.errors import DataError

__all__ = [
    "Target",
    "check_same_length",
    "check_target_kind",
    "doubts_about_classes",
    "encode_target",
]

Target: TypeAlias = tuple[NDArray[np.int64] | NDArray[np.float64], tuple[Hashable, ...] | None]

KINDS = ("auto", "class", "numeric")
MOST_CLASSES = 20  # that are not doubted, however many samples there are
SAMPLES_OF_A_CLASS = 10  # on average, below which whole numbers may be quantities
_WHOLE = re.compile(r"[+-]?\d+(\.0*)?")
_PLAIN = "biuf"  # dtypes of numbers and booleans, which are known without a look at each label


def check_target_kind(kind: object, argument: str) -> None:
    """Refuse a kind of target that does not exist."""
    if kind not in KINDS:
        raise DataError(
            f"{argument} must be one of {listed(KINDS)}, got {shown(kind)}. "
            "'auto' takes numbers with a fractional part as numeric, all else as classes."
        )


def encode_target(y: object, n_samples: int | None, kind: str) -> Target:
    """Return the codes and the sorted classes of `y`, or its numbers and None.

    Parameters
    ----------
    y : array-like of length n_samples
        Labels or numbers, as a NumPy array, a series of any frame library or a list.
    n_samples : int or None
        Number of samples the target must have; None where it is not known yet.
    kind : {"auto", "class", "numeric"}
        What `y` means; "auto" takes numbers of which one has a fractional part as numeric.
    """
    labels = flat_labels(y)
    if n_samples is not None:
        check_same_length(n_samples, len(labels))
    _refuse_missing(labels)
    _refuse_infinite(labels)
    if kind == "numeric" or (kind == "auto" and _has_fractions(labels)):
        return _numbers(labels), None
    return _codes(labels)


def check_same_length(n_samples: int, n_labels: int) -> None:
    """Refuse a target that does not have a value for each sample."""
    if n_labels != n_samples:
        raise DataError(
            f"X and y must have the same number of samples, got {n_samples} and {n_labels}. "
            "Pass one target value per row of X."
        )


def doubts_about_classes(
    classes: tuple[Hashable, ...] | None, n_samples: int, kind: str, argument: str
) -> tuple[str, ...]:
    """Return a warning if the classes are whole numbers that look like measurements.

    `argument` is what the caller calls the kind.
    """
    few = max(MOST_CLASSES, n_samples / SAMPLES_OF_A_CLASS)
    if classes is None or kind != "auto" or len(classes) <= few or not _are_whole(classes):
        return ()
    return (
        f"the target holds {len(classes)} different whole numbers in {n_samples} samples, taken "
        f"as classes. Pass {argument}='numeric' if they are quantities, {argument}='class' if not.",
    )


def _are_whole(classes: tuple[Hashable, ...]) -> bool:
    """Return whether labels are whole numbers; floats with a fraction never are labels."""
    if isinstance(classes[0], str):
        return all(_WHOLE.fullmatch(str(label)) for label in classes)
    return isinstance(classes[0], int | float)


def _refuse_missing(labels: NDArray[Any]) -> None:
    if labels.dtype.kind in _PLAIN:
        missing = np.flatnonzero(labels != labels).tolist()
    else:
        missing = [sample for sample, label in enumerate(labels.tolist()) if is_missing(label)]
    if missing:
        raise DataError(
            f"y must not be missing (NaN or None), got {counted(len(missing), 'missing value')} "
            f"at sample {listed(missing)}. Drop these samples."
        )


def _refuse_infinite(labels: NDArray[Any]) -> None:
    infinite = np.flatnonzero(np.isinf(labels)) if labels.dtype.kind == "f" else np.empty(0)
    if infinite.size:
        raise DataError(
            f"y must be finite, got {labels[infinite[0]]} at sample {infinite[0]}. "
            "Drop the samples whose target is infinite."
        )


def _has_fractions(labels: NDArray[Any]) -> bool:
    return labels.dtype.kind == "f" and bool((labels != np.floor(labels)).any())


def _numbers(labels: NDArray[Any]) -> NDArray[np.float64]:
    _refuse_strangers(labels)
    try:
        converted = labels.astype(np.float64)
    except OverflowError:
        raise DataError(
            "a numeric target must hold numbers that float64 can hold, got an integer of more "
            "than 308 digits. Divide y, or take its logarithm."
        ) from None
    if np.all(converted == converted[0]):
        raise DataError(
            f"a numeric target must have at least 2 different values, got only {converted[0]}. "
            "With a constant target there is nothing to select."
        )
    return converted


def _refuse_strangers(labels: NDArray[Any]) -> None:
    if labels.dtype.kind in _PLAIN:
        return
    strangers = [label for label in labels.tolist() if _family(label) in (None, "text")]
    if strangers:
        raise DataError(
            f"a numeric target must hold numbers, got {shown(strangers[0])}. "
            "Convert y with astype(float), or pass target='class'."
        )


def _codes(labels: NDArray[Any]) -> Target:
    codes, classes = _plain_codes(labels) if labels.dtype.kind in _PLAIN else _any_codes(labels)
    if len(classes) < 2:
        raise DataError(
            f"y must have at least 2 classes, got {counted(len(classes), 'class')}: "
            f"{listed(classes)}. With a single class there is nothing to tell apart."
        )
    return codes, tuple(classes)


def _plain_codes(labels: NDArray[Any]) -> tuple[NDArray[np.int64], list[Hashable]]:
    classes = np.unique(labels)
    return np.searchsorted(classes, labels).astype(np.int64, copy=False), classes.tolist()


def _any_codes(labels: NDArray[Any]) -> tuple[NDArray[np.int64], list[Hashable]]:
    cells = labels.tolist()
    _refuse_unsuitable(cells)
    classes = sorted(set(cells))
    code_of = {label: code for code, label in enumerate(classes)}
    codes = np.fromiter((code_of[cell] for cell in cells), np.int64, count=len(cells))
    return codes, classes


def _refuse_unsuitable(cells: Sequence[object]) -> None:
    """Refuse labels of unknown type, and labels of several types, which have no order."""
    examples = {_family(cell): cell for cell in reversed(cells)}
    if None in examples:
        raise DataError(
            "class labels must be text, numbers or booleans, got "
            f"{type(examples[None]).__name__}. Convert them: bytes with .decode(), anything "
            "else with str()."
        )
    if len(examples) > 1:
        raise DataError(
            f"class labels must all be of one type, got {listed(examples.values())}. "
            "Convert them, for example with astype(str)."
        )


def _family(label: object) -> str | None:
    if isinstance(label, bool):
        return "boolean"
    if isinstance(label, str):
        return "text"
    return "number" if isinstance(label, numbers.Real) else None
