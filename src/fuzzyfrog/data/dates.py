"""Columns of dates: how they are recognized, and their year, month, weekday and days.

A date as a number is mostly the order of the rows, and as text it is a label. Selectors leave dates
out; their parts can be features.
"""

import re
from collections.abc import Hashable, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, NamedTuple

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.messages import listed, shown, warn
from fuzzyfrog.data.columns import days_since_1970, has_dates
from fuzzyfrog.data.dataset import Dataset, as_frame
from fuzzyfrog.errors import DataError

FEWEST_DATES = 3  # different ones that texts must be
PARTS = ("year", "month", "weekday", "days")
EPOCH = date(1970, 1, 1).toordinal()

_YEAR, _SHORT_YEAR = r"(?P<year>(?:1[5-9]|20)\d\d)", r"(?P<year>\d\d)"
_DAY, _MONTH = r"(?P<day>0?[1-9]|[12]\d|3[01])", r"(?P<month>0?[1-9]|1[0-2])"
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_WORD = "|".join(["Sept", *_MONTHS, *(month[:3] for month in _MONTHS)])
# All texts must have one of these forms, so days and months have one order. If both orders are
# possible, the month comes first between slashes, as in the United States, else the day.
_FORMS = (
    rf"{_YEAR}[-/.]{_MONTH}([-/.]{_DAY})?",  # 2024-03-31 and 2024-03
    rf"{_DAY}(?P<mark>[-.]){_MONTH}(?P=mark){_YEAR}",  # 31.03.2024
    rf"{_MONTH}/{_DAY}/{_YEAR}",  # 03/31/2024
    rf"{_DAY}/{_MONTH}/{_YEAR}",
    rf"{_MONTH}(?P<mark>[-.]){_DAY}(?P=mark){_YEAR}",
    rf"{_MONTH}/{_DAY}/{_SHORT_YEAR}",  # 3/31/24; with points it may be a version
    rf"{_DAY}(?P<mark>[-/]){_MONTH}(?P=mark){_SHORT_YEAR}",
    rf"{_MONTH}-{_DAY}-{_SHORT_YEAR}",
    rf"{_MONTH}[-/.]{_YEAR}",  # 03/2024
    rf"(?P<word>{_WORD})\.? {_DAY},? {_YEAR}",  # Mar 31 2024
)
FORMS = tuple(re.compile(rf"{form}(?P<time>[T ].*)?") for form in _FORMS)

Days = NDArray[np.float64]  # since 1970; NaN where a date is missing


def holds_dates(dataset: Dataset, feature: int) -> bool:
    """Whether a feature is a date, of a frame or as text."""
    return feature in dataset.dates or _form_of(_labels(dataset, feature)) is not None


def _labels(dataset: Dataset, feature: int) -> Sequence[Hashable]:
    labels = dataset.categories[feature] if dataset.categories is not None else None
    return labels or ()


def _form_of(labels: Sequence[Hashable]) -> re.Pattern[str] | None:
    """Return the form of dates that all labels have."""
    if len(labels) < FEWEST_DATES:
        return None
    texts = [str(label) for label in labels]
    return next((form for form in FORMS if all(form.fullmatch(text) for text in texts)), None)


def with_date_parts(dataset: Dataset) -> Dataset:
    """Return the table with year, month, weekday and days in place of each date, with a note."""
    places = [one for one in range(dataset.n_features) if holds_dates(dataset, one)]
    if not places:
        return dataset
    dates = {place: _dates_of(dataset, place) for place in places}
    columns: dict[str, tuple[NDArray[np.float64], bool, Any]] = {}
    sources: dict[str, str] = {}
    for feature, name in enumerate(dataset.feature_names):
        if feature not in dates:
            labels = _labels(dataset, feature) or None
            columns[name] = dataset.values[:, feature], bool(dataset.categorical[feature]), labels
            continue
        for part, values in _parts(dates[feature].days).items():
            found = _name_of(name, part, dataset.feature_names)
            columns[found], sources[found] = (values, False, None), name
    columns_of, kinds, categories = zip(*columns.values(), strict=True)
    examples = [dates[place].example for place in places[:3] if dates[place].example]
    sentence = (
        f"{dataset.name}: {listed(dataset.feature_names[place] for place in places)} read as dates"
        f"{': ' if examples else ''}{', '.join(examples)}. Features are their "
        f"{', '.join(PARTS[:-1])} (1 is Monday) and {PARTS[-1]} since 1970."
    )
    if any(one.has_times for one in dates.values()):
        sentence += " The time of day is left out; if it matters, add a column with the hour."
    warn(sentence)
    return replace(
        dataset,
        values=np.column_stack(columns_of),
        feature_names=tuple(columns),
        categorical=np.array(kinds, np.bool_),
        categories=None if dataset.categories is None else categories,
        notes=(*dataset.notes, sentence),
        dates=frozenset(),
        parts_of=sources,
    )


def _name_of(name: str, part: str, others: Sequence[str]) -> str:
    found = f"{name}_{part}"
    if found in others:
        raise DataError(
            f"the parts of the date {shown(name)} must have new names, got a column "
            f"{shown(found)} already. Rename that column, or leave out the date."
        )
    return found


class _Dates(NamedTuple):
    """A feature of dates."""

    days: Days
    has_times: bool  # whether some have a time of day other than midnight, which is left out
    example: str  # of how a date was read, as in "'1.2.2024' as 2024-02-01"; maybe empty


def _dates_of(dataset: Dataset, feature: int) -> _Dates:
    column = dataset.values[:, feature]
    days, known = np.floor(column), ~np.isnan(column)
    has_times = bool((column > days).any())
    texts = [str(label) for label in _labels(dataset, feature)]
    is_text = feature not in dataset.dates
    if is_text and (form := _form_of(texts)) is not None:
        found = [one for text in texts if (one := form.fullmatch(text))]
        has_times = any(re.search(r"[1-9]", one["time"] or "") for one in found)
        days[known] = np.array([_day(one) for one in found])[column[known].astype(np.int64)]
    example = ""
    if not np.isnan(days).all():
        sample = int(np.argmax(~np.isnan(days)))
        example = str(np.datetime64(int(days[sample]), "D"))
        if is_text:
            example = f"{shown(texts[int(column[sample])])} as {example}"
    return _Dates(days, has_times, example)


def _day(found: re.Match[str]) -> float:
    """Return the day since 1970 of a text; one that does not exist is missing."""
    parts = found.groupdict()
    year = int(parts["year"])
    if year < 100:
        year += 2000 if year < 70 else 1900
    if word := parts.get("word"):
        month = 1 + next(k for k, name in enumerate(_MONTHS) if name.startswith(word[:3]))
    else:
        month = int(parts["month"])
    try:
        return date(year, month, int(parts.get("day") or 1)).toordinal() - EPOCH
    except ValueError:
        return np.nan


def _parts(days: Days) -> dict[str, NDArray[np.float64]]:
    """Return the parts of dates by name."""
    known = ~np.isnan(days)
    whole = np.where(known, days, 0.0).astype(np.int64)
    months = whole.astype("M8[D]").astype("M8[M]").astype(np.int64)
    values = {
        "year": months // 12 + 1970,
        "month": months % 12 + 1,
        "weekday": (whole + 3) % 7 + 1,  # 1970 began on a Thursday
        "days": whole,
    }
    return {part: np.where(known, values[part], np.nan) for part in PARTS}


def date_parts(X: Any) -> Any:
    """Return a frame with year, month, weekday and days in place of each column of dates.

    Columns of dates have a type of dates; text is not parsed. Use it before a selector, for example
    as ``FunctionTransformer(date_parts)`` in a pipeline.

    Parameters
    ----------
    X : data frame
        A pandas or polars frame, or an Arrow table.

    Returns
    -------
    data frame
        The same kind of frame. A date ``joined`` becomes ``joined_year``, ``joined_month``,
        ``joined_weekday`` (1 is Monday) and ``joined_days`` (since 1970), numbers that are missing
        where the date is.

    Examples
    --------
    >>> import pandas as pd
    >>> from fuzzyfrog.data import date_parts
    >>> X = pd.DataFrame({"joined": pd.to_datetime(["2024-02-29", "2025-01-01"]), "age": [31, 45]})
    >>> date_parts(X).to_dict("list")  # doctest: +NORMALIZE_WHITESPACE
    {'joined_year': [2024.0, 2025.0], 'joined_month': [2.0, 1.0], 'joined_weekday': [4.0, 3.0],
     'joined_days': [19782.0, 20089.0], 'age': [31, 45]}
    """
    if not nw.dependencies.is_into_dataframe(X):
        raise DataError(f"X must be a data frame, got {type(X).__name__}. Arrays hold no dates.")
    frame = as_frame(X)
    found: list[nw.Series[Any]] = []
    for name in frame.columns:
        series = frame[name]
        if not has_dates(series):
            found.append(series)
            continue
        for part, values in _parts(np.floor(days_since_1970(series))).items():
            label = _name_of(name, part, frame.columns)
            found.append(
                nw.new_series(label, values, nw.Float64, backend=nw.get_native_namespace(frame))
            )
    return frame.select(found).to_native()
