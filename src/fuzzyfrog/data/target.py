"""The target of a Dataset: codes of classes, or numbers."""

import numbers
import re
from collections.abc import Hashable, Sequence
from typing import Any, TypeAlias

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.messages import Answered, Setting, count, listed, shown, warn
from fuzzyfrog.data.cells import are_texts, first_padded, is_missing, read_texts
from fuzzyfrog.data.columns import distinct_texts, is_arrow_text
from fuzzyfrog.data.texts import TextLabels, as_text
from fuzzyfrog.errors import DataError, ParameterError
from fuzzyfrog.result.check import AS_CLASSES

Target: TypeAlias = tuple[NDArray[np.int64] | NDArray[np.float64], tuple[Hashable, ...] | None]

KINDS = ("auto", "class", "numeric")
MOST_CLASSES = 20  # that whole numbers may be, unless they count the classes from 0 or 1
MOST_FROM_ZERO = 10  # the same from 0 on, if they are as uneven as counts
FEWEST_OF_A_CODE = 10  # samples of every class that such a number stands for
MOST_RARE_CLASSES = 5  # that whole numbers may be if more than a third of them are rare
RARE = 5  # samples, fewer than that
TIME = re.compile(r"\s*[0-9]{1,3}:[0-5][0-9](:[0-5][0-9](\.[0-9]+)?)?\s*")
_PLAIN = "biuf"  # dtypes of numbers and booleans, which are known without a look at each label


def check_target_kind(kind: object, argument: str) -> None:
    """Raise unless the kind of a target is known; `argument` is its name for the caller."""
    if kind not in KINDS:
        raise ParameterError(
            argument,
            f"be one of {listed(KINDS)}",
            shown(kind),
            "'auto' treats numbers with a fractional part, and many different or rare whole "
            "numbers, as numeric, all else as classes.",
        )


def encode_target(y: object, n_samples: int | None, kind: str, least: int = 2) -> Target:
    """Return the codes and the sorted classes of `y`, or its numbers and None.

    "auto" treats numbers as numeric if any has a fractional part, or if they are quantities.
    `n_samples` is None if it is not known yet; `least` is the lowest number of different targets.
    """
    labels = flat_labels(y)
    if n_samples is not None:
        check_same_length(n_samples, len(labels))
    _refuse_gaps(labels)
    has_fractions = labels.dtype.kind == "f" and bool((labels != np.floor(labels)).any())
    if kind == "numeric" or (kind == "auto" and (has_fractions or are_quantities(labels))):
        return _numbers(labels, least), None
    return _codes(labels, least)


def check_same_length(n_samples: int, n_labels: int) -> None:
    """Refuse a target that does not have a value for each sample."""
    if n_labels != n_samples:
        raise DataError(
            f"X and y must have the same number of samples, got {n_samples} and {n_labels}. "
            "Pass one target value per row of X."
        )


def are_quantities(labels: NDArray[Any]) -> bool:
    """Whether numbers are too many different ones, or too rare, to be labels of classes.

    More than five are if more than a third of them are in fewer than five samples. More than ten
    from 0 on are, as counts, if one is in less than half as many samples as the average. More than
    20 are, unless they look like codes: consecutive from 0 or 1, each in ten samples or more, none
    in less than half as many as the average.
    """
    if labels.dtype.kind not in "iuf":
        return False
    # As numbers; large labels may be equal.
    values, counts = np.unique(labels.astype(np.float64), return_counts=True)
    if len(values) > MOST_RARE_CLASSES and 3 * np.count_nonzero(counts < RARE) > len(values):
        return True
    is_even = bool(counts.min() >= counts.mean() / 2)
    if len(values) <= MOST_CLASSES:
        return len(values) > MOST_FROM_ZERO and values[0] == 0 and not is_even
    is_consecutive = values[0] in (0, 1) and bool((np.diff(values) == 1).all())
    return not (is_consecutive and is_even and counts.min() >= FEWEST_OF_A_CODE)


def notes_on_target(
    target: Target, kind: str, argument: str, decimal: str = "."
) -> tuple[str, ...]:
    """Return a sentence if whole numbers were taken as quantities, or slips made classes.

    `argument` is the caller's name for the kind.
    """
    numbers, classes = target
    if classes is not None and (alike := _spelled_alike(classes)):
        return (
            f"the target has classes that differ only in blanks or capital letters: {alike}. "
            "Spell them alike if they are the same.",
        )
    if classes is not None and kind == "auto" and len(classes) > MOST_CLASSES:
        return _notes_on_numbers(target, argument, decimal)
    if classes is not None or kind != "auto" or (numbers != np.floor(numbers)).any():
        return ()
    sentence = Answered(
        f"the target holds {np.unique(numbers).size:,} different whole numbers in "
        f"{len(numbers):,} samples, taken as a quantity. Pass ",
        Setting(argument, "class"),
        " if they are labels, ",
        Setting(argument, "numeric"),
        " if not.",
    )
    return (sentence,)


def _spelled_alike(classes: Sequence[object]) -> str:
    """Return the first classes that are equal but for blanks or capital letters, or nothing."""
    first: dict[object, object] = {}
    for label in classes:
        plain = " ".join(label.lower().split()) if isinstance(label, str) else label
        if label != (other := first.setdefault(plain, label)):
            return f"{shown(other)} and {shown(label)}"
    return ""


def _notes_on_numbers(target: Target, argument: str, decimal: str) -> tuple[str, ...]:
    """Return a sentence if classes are times, or numbers as text, but for a few of them."""
    codes = target[0].astype(np.int64)
    texts = [label for label in target[1] or () if isinstance(label, str)]  # all or none
    if texts and all(map(TIME.fullmatch, texts)):
        times = f"times such as {shown(texts[0])}"
        return (
            _as_classes(times, len(texts), "Convert them to hours or another number", argument),
        )
    strays = read_texts(texts, decimal).strays
    numbers = [text for text in texts if text not in strays]
    values = read_texts(numbers, decimal).values
    if values is None or first_padded(numbers) is not None:
        return ()
    is_number = np.array([text not in strays for text in texts])
    places = np.cumsum(is_number) - 1
    in_samples = values[places[codes[is_number[codes]]]]
    if not ((values % 1 != 0).any() or (strays and are_quantities(in_samples))):
        return ()  # whole numbers that somebody made text are labels
    found, way_out = "numbers as text", "Convert it to numbers"
    if strays:
        found, way_out = (
            f"numbers except {listed(strays)}",
            "Correct these cells or delete their rows",
        )
    return (_as_classes(found, len(texts), way_out, argument),)


def _as_classes(found: str, n_classes: int, way_out: str, argument: str) -> Answered:
    return Answered(
        f"The target holds {found}, so its {n_classes:,} {AS_CLASSES}. {way_out}, or pass ",
        Setting(argument, "class"),
        " if the values are labels.",
    )


def has_categories(y: Any) -> bool:
    """Whether a target has a type of categories: a series, an array of pandas, or a column."""
    pandas = nw.dependencies.get_pandas()
    if pandas is not None and isinstance(getattr(y, "dtype", None), pandas.CategoricalDtype):
        return True
    if nw.dependencies.is_into_dataframe(y):
        types = nw.from_native(y, eager_only=True).schema.dtypes()
    elif nw.dependencies.is_into_series(y):
        types = [nw.from_native(y, series_only=True).dtype]
    else:
        return False
    return len(types) == 1 and types[0] in (nw.Categorical, nw.Enum)


def are_missing(labels: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which labels of a target are missing."""
    if labels.dtype.kind in _PLAIN:
        return np.asarray(labels != labels)
    cells = labels.tolist()
    if are_texts(cells):  # as in most targets, which need no look at each
        return np.zeros(len(cells), np.bool_)
    return np.array([is_missing(cell) for cell in cells], np.bool_)


def _refuse_gaps(labels: NDArray[Any]) -> None:
    """Refuse labels that are missing, or infinite."""
    if missing := np.flatnonzero(are_missing(labels)).tolist():
        raise DataError(
            f"y must not be missing (NaN or None), got {count(len(missing), 'missing value')} "
            f"at sample {listed(missing)}. Drop these samples."
        )
    if labels.dtype.kind == "f" and (infinite := np.flatnonzero(np.isinf(labels))).size:
        raise DataError(
            f"y must be finite, got {labels[infinite[0]]} at sample {infinite[0]}. "
            "Drop the samples whose target is infinite."
        )


def _numbers(labels: NDArray[Any], least: int) -> NDArray[np.float64]:
    _refuse_text(labels)
    try:
        converted = labels.astype(np.float64)
    except OverflowError:
        raise DataError(
            "a numeric target must hold numbers that float64 can hold, got an integer of more "
            "than 308 digits. Divide y, or take its logarithm."
        ) from None
    _refuse_gaps(converted)  # of objects, such as fractions
    if least > 1 and np.all(converted == converted[0]):
        raise DataError(
            f"a numeric target must have at least 2 different values, got only {converted[0]}. "
            "With a constant target there is nothing to select."
        )
    return converted


def _refuse_text(labels: NDArray[Any]) -> None:
    if labels.dtype.kind in _PLAIN:
        return
    others = [label for label in labels.tolist() if _family(label) in (None, "text")]
    if others:
        raise DataError(
            f"a numeric target must hold numbers, got {shown(others[0])}. "
            "Convert y with astype(float), or pass ",
            Setting("target", "class"),
            ".",
        )


def _codes(labels: NDArray[Any], least: int) -> Target:
    classes: list[Any]
    if labels.dtype.kind in _PLAIN:
        values = np.unique(labels)
        codes, classes = np.searchsorted(values, labels), values.tolist()
    else:
        cells = labels.tolist()
        _refuse_unsuitable(cells)
        classes = sorted(set(cells))
        code_of = {label: code for code, label in enumerate(classes)}
        codes = np.fromiter(map(code_of.__getitem__, cells), np.int64, count=len(cells))
    if len(classes) < least:
        raise DataError(
            f"y must have at least 2 classes, got {count(len(classes), 'class')}: "
            f"{listed(classes)}. With a single class there is nothing to tell apart."
        )
    return codes.astype(np.int64, copy=False), tuple(classes)


def _refuse_unsuitable(cells: Sequence[object]) -> None:
    """Refuse labels of an unknown type or of several types, which have no order."""
    if are_texts(cells):
        return
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


def flat_labels(y: object) -> NDArray[Any]:
    """Return `y` as a one-dimensional array of a plain dtype or of Python objects."""
    array = _as_array(y)
    if array.ndim == 2 and array.shape[1] == 1:
        warn_of_column()
        array = array[:, 0]
    if array.ndim != 1:
        raise DataError(
            f"y must have one dimension, got {array.ndim} (shape {array.shape}). "
            "Pass one label or number per sample; fit several targets one by one."
        )
    if array.dtype.kind in "mM":  # as Python objects, some of these would be bare integers
        raise DataError(
            f"y must hold text, numbers or booleans, got {array.dtype}. "
            "Convert dates to text with astype(str)."
        )
    if array.dtype != object or are_texts(cells := array.tolist()):
        return array
    return _from_list(cells)


def warn_of_column() -> None:
    """Warn that the target is a column, not a one-dimensional array."""
    from sklearn.exceptions import DataConversionWarning  # slow to import, rarely needed

    warn(
        "y is a column vector, its only column is taken. Pass y.ravel() to silence this.",
        DataConversionWarning,
    )


def _as_array(y: Any) -> NDArray[Any]:
    if y is None:
        raise DataError(
            "fuzzyfrog requires y to be passed, but the target y is None. "
            "Pass the class of each sample."
        )
    if isinstance(y, nw.Series) or nw.dependencies.is_into_series(y):  # that asks all plugins
        return _from_series(nw.from_native(y, series_only=True))
    if nw.dependencies.is_into_dataframe(y):
        frame = nw.from_native(y, eager_only=True)
        array = np.empty(frame.shape, dtype=object)
        for position in range(frame.shape[1]):
            array[:, position] = frame[:, position].to_list()
        return array
    if isinstance(y, Sequence) and not isinstance(y, str | bytes):
        return _from_list(list(y))
    array = np.asarray(y)
    if array.ndim == 0:
        raise DataError(
            f"y must hold one label or number per sample, got {shown(y)}. "
            "Pass the column itself, not its name."
        )
    return array


def _from_series(series: nw.Series[Any]) -> NDArray[Any]:
    if series.dtype in (nw.Int64, nw.Float64) and not series.null_count():
        return np.array(series.to_numpy())
    if is_arrow_text(series):
        places, texts = distinct_texts(series)
        return np.asarray(_from_list(texts)[places])
    return _from_list(series.to_list())


def _from_list(items: list[Any]) -> NDArray[Any]:
    """Return an array of numbers or booleans if all items are, else of objects.

    NumPy alone would turn [1, "a"] into two texts, and would round large integers.
    """
    items = [item.item() if isinstance(item, np.generic) else item for item in items]
    if items and all(isinstance(item, list | tuple | np.ndarray) for item in items):
        return np.array(items, dtype=object)
    kinds = {type(item) for item in items}
    if kinds == {bool} or (kinds and kinds <= {int, float}):
        array = np.array(items)
        if array.dtype.kind in "bif" and not (array.dtype.kind == "f" and kinds == {int}):
            return array
    objects = np.empty(len(items), dtype=object)
    objects[:] = items
    return objects


class TargetParts:
    """Collects the parts of a target."""

    def __init__(self) -> None:
        self._parts: list[tuple[bool, NDArray[Any]]] = []  # whether they are places in _codes
        self._codes: dict[Any, int] = {}
        self._texts: dict[str, str] = {}

    def add(self, part: object) -> None:
        """Keep a part."""
        if isinstance(part, nw.Series) and is_arrow_text(part):
            places, texts = distinct_texts(part)
            codes = [self._codes.setdefault(one, len(self._codes)) for one in texts]
            self._parts.append((True, np.array(codes, np.int32)[places]))
            return
        labels = flat_labels(part).copy()  # a view would keep the whole table alive
        if labels.dtype == object:
            # Equal texts share one object, so a long table keeps few of them.
            shared = self._texts.setdefault
            labels[:] = [shared(one, one) if type(one) is str else one for one in labels.tolist()]
        self._parts.append((False, labels))

    def finish(self) -> NDArray[Any] | TextLabels:
        """Return the whole target: the labels of an Arrow column of text, else an array.

        The array is as `flat_labels` would return it.
        """
        if self._parts and all(is_coded for is_coded, _ in self._parts):
            codes = np.concatenate([codes for _, codes in self._parts])
            return TextLabels(codes, as_text(list(self._codes)), may_be_numbers=False)
        texts = _from_list(list(self._codes))
        parts = [texts[part] if is_coded else part for is_coded, part in self._parts]
        if len({part.dtype.kind for part in parts}) > 1:
            parts = [part.astype(object) for part in parts]
        return np.concatenate(parts) if parts else np.empty(0)
