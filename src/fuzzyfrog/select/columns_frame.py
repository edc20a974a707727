"""The role of every column as a data frame, of pandas or polars."""

from importlib import import_module
from typing import Any

from fuzzyfrog.errors import DataError
from fuzzyfrog.result import Column, Result, Stability


def columns_frame(result: Result, stability: Stability | None) -> Any:
    """Return a row for each column of a result, as a data frame of pandas, or else of polars."""
    rows = [
        _row(result, one) | ({"share": share} if result.n_reducts > 1 else {})
        for one, share in zip(result.columns, result.answer.feature_frequency, strict=True)
    ]
    if stability is not None:
        taken = {one.name: one for one in stability.columns}
        for row in rows:
            one = taken.get(row["column"])
            row |= {"halves": one.share if one else 0.0, "is_shaky": bool(one and one.is_shaky)}
    for library in ("pandas", "polars"):
        try:
            return import_module(library).DataFrame(rows)
        except ImportError:
            continue
    raise DataError(
        "columns_frame must have pandas or polars, got neither. Install one of them, or use "
        "columns_."
    )


def _row(result: Result, one: Column) -> dict[str, Any]:
    cost = one.cost
    return {
        "column": one.name,
        "role": one.role,
        "rule": one.rule,
        "of": ", ".join(result.names(one.of)),
        "alone": one.alone,
        "relevant": one.relevant,
        "adds": one.adds,
        "error": one.error,
        "replacement": None if cost is None else result.names((cost.feature,))[0],
        "lost": None if cost is None else cost.lost,
    }
