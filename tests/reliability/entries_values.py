"""Numbers and targets that are bad or odd, through the door of the selector."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from fuzzyfrog import ReductSelector, dependency
from fuzzyfrog.errors import ParameterError
from reliability.promises import Entry, Given, Refused, Warned

LARGEST, SMALLEST = np.finfo(float).max, 5e-324
Y = ["a", "b", "a", "b"]


def selected(X, y=Y, **parameters):
    """Return the indices and the dependency of what is selected."""
    selector = ReductSelector("quickreduct", random_state=0, n_jobs=1, **parameters).fit(X, y)
    return selector.get_support(indices=True).tolist(), selector.dependency_


def column(*values):
    return np.array(values)[:, np.newaxis]


def changed_during_fit():
    """Overwrite the caller's table after the first batch; return whether it made a difference."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 6)), rng.integers(0, 2, 40)
    undisturbed = selected(X.copy(), y)

    def spoil(moment):
        X[:] = 0.0

    return selected(X, y, callbacks=[spoil]) == undisturbed


def about(value):
    return pytest.approx(value, abs=1e-4)


NO_VALUE = "has no value in any sample. Nothing can be learned from it"
NUMBERS = [
    ("minus infinity", column(0.0, 1.0, -np.inf, 2.0), Refused("got -inf in feature 'x0'")),
    ("nothing but gaps", np.full((4, 1), np.nan), Warned(NO_VALUE, ([0], 0.0))),
    ("a sample without values", np.array([[0.0, 0], [1, 1], [np.nan, np.nan], [9, 8]]),
     Given(([0, 1], about(0.1080)))),
    ("a range beyond float64", column(-LARGEST, LARGEST, -LARGEST, LARGEST), Given(([0], 1.0))),
    ("the smallest numbers there are", column(0.0, SMALLEST, 0.0, SMALLEST), Given(([0], 1.0))),
    ("zeros of both signs", column(0.0, -0.0, 0.0, -0.0), Given(([0], 0.0))),
    ("one value far from all others", column(0.0, 1.0, 2.0, 1e300), Given(([0], 0.25))),
    ("uint64 up to its end", np.array([[0], [2**64 - 1]] * 2, dtype=np.uint64),
     Given(([0], 1.0))),
    ("halves of one byte", column(0, 200, 0, 200).astype(np.uint8), Given(([0], 1.0))),
    ("float16 at its end", column(0, 65504, 0, 65504).astype(np.float16), Given(([0], 1.0))),
    ("all features constant", np.ones((4, 3)), Given(([0], 0.0))),
    ("a constant feature next to a good one", np.array([[7.0, 0], [7, 1], [7, 0], [7, 1]]),
     Given(([1], 1.0))),
    ("the same feature twice", np.repeat(column(0.0, 1.0, 0.0, 1.0), 2, axis=1),
     Given(([0], 1.0))),
    ("samples that contradict each other", np.zeros((4, 1)), Given(([0], 0.0))),
    ("more features than samples", np.eye(4, 50), Given(([0, 2], 1.0))),
    ("decimals and fractions", [[Decimal("0.1")], [Fraction(1, 3)], [Decimal("0.1")], [True]],
     Given(([0], about(0.6612)))),
]  # fmt: skip

FIRST = Given(([0], about(0.7746)))  # neighbors are 1 apart, the spread is 1.29
TARGETS = [
    ("every sample a class of its own", ["a", "b", "c", "d"], FIRST),
    ("a class with one member", ["a", "a", "a", "b"], Given(([0], about(0.8873)))),
    (
        "labels that are empty or blank",
        ["", " ", "", " "],
        Warned("differ only in blanks", FIRST.result),
    ),
    ("labels with control characters", ["\0", "\n", "\0", "\n"], FIRST),
    ("labels that are half characters", ["\ud800", "\udfff"] * 2, FIRST),
    ("labels beyond 64 bits", [10**40, -(10**40)] * 2, FIRST),
    ("zeros of both signs as labels", [0.0, -0.0, 0.0, -0.0], Refused("at least 2 classes")),
    ("labels in tuples", [("a",), ("b",)] * 2, Warned("y is a column vector", FIRST.result)),
    ("a set of labels", {"a", "b"}, Refused("Pass the column itself")),
    ("a dict of labels", {"a": 1}, Refused("Pass the column itself")),
    ("a generator of labels", (label for label in Y), Refused("Pass the column itself")),
    ("infinite labels", [1.0, np.inf, 1.0, 2.0], Refused("finite, got inf at sample 1")),
    ("integers beyond float64 as labels", [10**400, 1, 10**400, 1], FIRST),
    ("a numeric target at both ends", [LARGEST, -LARGEST, 0.5, 1.5], Given(([0], about(0.8309)))),
]

ENTRIES = [
    *(Entry(name, lambda _, X=X: selected(X), promise) for name, X, promise in NUMBERS),
    *(
        Entry(name, lambda _, y=y: selected(np.arange(4.0)[:, np.newaxis], y), promise)
        for name, y, promise in TARGETS
    ),
    Entry("a gap where none is allowed",
          lambda _: selected(column(0.0, np.nan, 1, 2), missing="raise"),
          Refused("missing='raise' allows no missing value (NaN), got 1 in feature 'x0'")),
    Entry("a numeric target beyond float64",
          lambda _: selected(np.eye(4), [10**400, 1, 2, 3], target="numeric"),
          Refused("a numeric target must hold numbers that float64 can hold")),
    Entry("numbers as text", lambda _: selected([["1"], ["2"], ["1"], ["2"]]),
          Warned("feature 'x0' holds numbers as text", ([0], 1.0))),
    Entry("a table that is changed during a fit", lambda _: changed_during_fit(), Given(True)),
    Entry("no feature asked for", lambda _: dependency(np.eye(4), Y, features=[]), Given(0.0)),
    Entry("a feature that is not there", lambda _: dependency(np.eye(4), Y, features=[4]),
          Refused("features must have names of features, or indices from 0 to 3, got 4",
                  ParameterError)),
    Entry("a feature that is not an index", lambda _: dependency(np.eye(4), Y, features=[1.5]),
          Refused("features must have names of features, or indices from 0 to 3, got 1.5",
                  ParameterError)),
]  # fmt: skip
