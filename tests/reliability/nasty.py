"""Hypothesis strategies for what people really give: tables and parameters, good and bad."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from measure_cases import TNORMS

# Cells as they stand in tables of objects: numbers of all sizes, gaps, texts, and what is neither.
PLAIN_CELLS = st.sampled_from([0.0, 1.0, 2.5, -3.0, 7, -0.0, 1e-300, 1e300])
ODD_CELLS = st.sampled_from(
    [
        None, np.nan, np.inf, -np.inf, "", "?", "red", "1", "1,5", "\0", "\ud800", True,
        2**53 + 1, 2**64, 10**400, Decimal("0.1"), Decimal("NaN"), Decimal("sNaN"), 1j, b"x",
        datetime.date(2020, 1, 1), [1], {}, np.float32(0.1), np.datetime64("NaT", "s"), pd.NA,
        pd.NaT,
    ]
)  # fmt: skip
ODD_LABELS = st.sampled_from([None, np.nan, 0.5, 1e300, "", b"x", 1j, True, 10**400, [1], "0", 0])


@st.composite
def rows(draw):
    """Draw a list of rows, most cells of which are numbers, and now and then a ragged one."""
    n_samples, n_features = draw(st.integers(0, 6)), draw(st.integers(0, 4))
    cell = st.one_of(PLAIN_CELLS, PLAIN_CELLS, PLAIN_CELLS, ODD_CELLS)
    table = draw(
        st.lists(
            st.lists(cell, min_size=n_features, max_size=n_features),
            min_size=n_samples,
            max_size=n_samples,
        )
    )
    if table and draw(st.integers(0, 9)) == 0:
        table[-1] = [*table[-1], 0.0]
    return table


def targets(n_samples):
    """Draw a target: mostly labels of two classes, at times something else or another length."""
    good = st.lists(st.sampled_from(["a", "b"]), min_size=n_samples, max_size=n_samples)
    numbers = st.lists(PLAIN_CELLS, min_size=n_samples, max_size=n_samples)
    odd = st.lists(ODD_LABELS, max_size=n_samples + 1)
    return st.one_of(good, good, numbers, odd)


JUNK = st.sampled_from(
    [None, True, 0, -1, 1.5, float("nan"), float("inf"), "", "x", (), [], {}, b"x", object, 10**30]
)


def some(*good):
    """Draw one of the good values, or junk once in a while."""
    return st.one_of(st.sampled_from(good), st.sampled_from(good), JUNK)


PARAMETERS = st.fixed_dictionaries(
    {"max_evaluations": st.integers(1, 30), "random_state": some(0, 7, None)},
    optional={
        "search": some("frogs", "genetic", "swarm", "quickreduct", "exact", "front"),
        "tnorm": some(*TNORMS),
        "spread": some("std", "variance", "range"),
        "categorical_features": some("from_dtype", [0], [True, False, True]),
        "missing": some("similar", "different", "raise"),
        "target": some("auto", "class", "numeric"),
        "ranking": some("lexicographic", "product"),
        "min_dependency": some(1.0, 0.5, 1e-9),
        "n_features_to_select": some(1, 2, 3),
        "must_include": some([0], ["x1"], np.array([True, False, False])),
        "exclude": some([0], ["x2"], [2, 1]),
        "certify": some(False, True),
        "max_seconds": some(1.0, 1e-9),
        "callbacks": some((), [lambda moment: True]),
        "n_jobs": some(1, 2, -1),
        "verbose": some(0),
    },
)
