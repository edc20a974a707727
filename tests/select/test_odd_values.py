"""Marks of missing values and weights among the features are said, and change nothing."""

import warnings

import numpy as np
import pandas as pd
import pytest

from fuzzyfrog import ReductSelector, SoftSelector
from fuzzyfrog.words import words_of


def said(table, selector=None):
    """Return the warnings of a fit."""
    y = np.arange(len(table)) % 2
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        (selector or SoftSelector()).fit(table.assign(good=y + 0.1 * table["other"]), y)
    return [str(one.message) for one in caught]


def table(**columns):
    random = np.random.default_rng(0)
    return pd.DataFrame({"other": random.normal(size=60), **columns})


AGES = 20.0 + np.random.default_rng(1).integers(0, 60, 60)


@pytest.mark.parametrize("mark", [-999, 999, 9999, -99, 99, 99999])
@pytest.mark.parametrize("selector", [SoftSelector(), ReductSelector("quickreduct")], ids=repr)
def test_a_mark_far_from_the_rest_is_named_with_its_column(mark, selector):
    ages = np.where(np.arange(60) % 20 == 3, mark, AGES / 3)
    expected = (
        f"These values are far from all others of their column: 'age' ({mark} in 3 samples). If "
        "they stand for missing values, empty these cells first."
    )
    assert expected in said(table(age=ages), selector)


@pytest.mark.parametrize(
    "values",
    [
        np.where(np.arange(60) == 3, 99.0, AGES),  # an old person
        np.where(np.arange(60) == 3, 9999.0, 300 * AGES),
        np.where(np.arange(60) < 40, -999.0, AGES),  # most samples
        np.where(np.arange(60) == 3, 1000.0, AGES),
        np.where(np.arange(60) == 3, 999.0, 1.0),  # nothing to be far from
        np.where(np.arange(60) == 3, 9.0, 1.0 + AGES % 3),  # a large number
        np.where(np.arange(60) == 3, -9.0, AGES - AGES.mean()),
    ],
)
def test_other_values_are_no_marks(values):
    assert not any("far from all others" in one for one in said(table(age=values)))


def test_codes_of_a_survey_are_named_in_its_columns_and_classes():
    answers = pd.DataFrame({"q1": 1 + np.arange(90) % 5, "q2": 1 + np.arange(90) % 7 % 5})
    answers = answers.mask(np.arange(180).reshape(90, 2) % 17 == 0, -9)
    with pytest.warns(UserWarning, match="far from all others") as caught:
        selector = SoftSelector().fit(answers, answers["q1"].rename("rating"))
    (said,) = (str(one.message) for one in caught if "far from" in str(one.message))
    assert "'q1' (-9 in 6 samples), 'q2' (-9 in 5 samples), 'rating' (-9 in 6 samples)." in said
    assert said in words_of(selector.result_).doubts()


def test_several_marks_of_a_column_do_not_hide_each_other():
    ages = np.where(np.arange(60) % 20 == 3, -999, np.where(np.arange(60) % 20 == 4, 9999, AGES))
    (found,) = (one for one in said(table(age=ages)) if "far from all others" in one)
    assert "'age' (-999 in 3 samples), 'age' (9999 in 3 samples)" in found


SCALED = AGES / AGES.mean()


@pytest.mark.parametrize(
    ("name", "values", "is_said"),
    [
        ("weights", AGES, True),
        ("sample_weight", AGES, True),
        ("fnlwgt", 1e4 * AGES, True),
        ("weight", SCALED, True),
        ("weight", AGES, False),  # of a body
        ("weights", AGES - 30, False),  # 0 is none of a sample
        ("height", SCALED, False),
        ("birth_weight", SCALED, False),
    ],
)
def test_weights_among_the_features_are_said(name, values, is_said):
    expected = (
        f"feature '{name}' may say how much each sample counts. If so, pass it as sample_weight "
        "instead of as a feature."
    )
    assert (expected in said(table(**{name: values}))) is is_said
    if is_said:
        asked = SoftSelector(must_include=[name])
        assert expected not in said(table(**{name: values}), asked)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("how", ["column", "weights", "too few", "twice"])
def test_rows_that_stand_for_several_samples_are_said(how):
    cells = pd.DataFrame(
        [(a, b, c) for a in "pqr" for b in "xyz" for c in (0, 1)], columns=["a", "b", "c"]
    )
    numbers = np.random.default_rng(0).integers(1, 50, len(cells))
    if how == "too few":
        cells["b"] = [f"b{place}" for place in range(len(cells))]
    elif how == "twice":
        cells = pd.concat([cells[:-2], cells[:2]], ignore_index=True)
    X, given = cells[["a", "b"]], {}
    if how == "weights":
        given["sample_weight"] = numbers
    else:
        X = X.assign(Freq=numbers)
    found = SoftSelector().fit(X, cells["c"], **given)
    doubts = [one for one in words_of(found.result_).doubts() if "each row stands for" in one]
    assert bool(doubts) == (how in ("column", "weights"))
    which = "their weights" if how == "weights" else "'Freq'"
    assert all(f"combinations of values, and {which} may say how" in one for one in doubts)
