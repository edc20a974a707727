"""Features that a user may not want: each gets one warning, and others get none."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from fuzzyfrog import FuzzyRoughSelector
from fuzzyfrog.data import make_dataset
from fuzzyfrog.select.column_warnings import suspects


def told(column, *, allowed=True):
    data = make_dataset(pd.DataFrame({"a": column}), np.arange(len(column)) % 2)
    return list(suspects(data, np.array([allowed])))


def names(n_values, n_samples):
    return [f"name {number % n_values}" for number in range(n_samples)]


def test_another_value_in_every_sample():
    (sentence,) = told(names(30, 30))
    assert "'a' has a different value in every sample, like an ID." in sentence
    assert "list it in exclude, or drop the column." in sentence
    assert told(names(30, 30), allowed=False) == []
    assert told(names(9, 9)) == []


@pytest.mark.parametrize(("n_values", "n_samples"), [(20, 39), (59, 60), (20, 21)])
def test_nearly_another_value_in_every_sample(n_values, n_samples):
    (sentence,) = told(names(n_values, n_samples))
    assert f"{n_values} different labels in {n_samples} samples" in sentence
    assert "nearly like an ID. If it is one," in sentence


@pytest.mark.parametrize(("n_values", "n_samples"), [(19, 20), (20, 40), (3, 100)])
def test_fewer_values_are_labels(n_values, n_samples):
    assert told(names(n_values, n_samples)) == []


def test_numbers_are_no_identifiers():
    assert told([number + 0.5 for number in range(60)]) == []
    assert told([float(number) for number in range(49)]) == []
    assert told([*range(59), 58]) == []
    assert told([*range(59), np.nan]) == []


def test_whole_numbers_that_all_differ_are_suspect():
    (sentence,) = told([100_002 + 7 * number for number in range(50)])
    assert "'a' has a different whole number in every sample, like an ID." in sentence
    assert "list it in exclude, or drop the column." in sentence
    assert told(range(2000), allowed=False) == []
    assert told([*range(1999), 1]) == []  # the last is beyond what is looked at first


@pytest.mark.parametrize("form", ["%d.%m.%Y", "%m/%d/%y", "%Y-%m", "%m/%Y", "%Y/%m/%d %H:%M"])
def test_few_dates_of_any_form_are_told_as_well(form):
    dates = [f"{pd.Timestamp(2020 + month // 12, month % 12 + 1, 1):{form}}" for month in range(15)]
    (sentence,) = told(dates * 4)
    assert "holds dates written as text" in sentence


@pytest.mark.parametrize("labels", [["1/2", "3/4", "5/6"], ["12-3456", "12-3457", "13-1"]])
def test_other_labels_are_no_dates(labels):
    assert told(labels * 10) == []


def test_the_way_out_names_what_the_caller_has():
    data = make_dataset(pd.DataFrame({"a": names(30, 30)}), np.arange(30) % 2)
    assert "list it in ignore," in next(suspects(data, np.array([True]), "ignore"))


@pytest.mark.parametrize("suffix", ["", "T10:00", " 10:00:00"])
def test_dates_as_text_are_to_become_numbers(suffix):
    dates = [f"2024-03-{day + 1:02}{suffix}" for day in range(30)]
    for column in (dates, [*dates, *dates[:10]]):
        (sentence,) = told(column)
        assert "holds dates written as text. Convert them to numbers" in sentence
        assert "exclude" not in sentence
    assert "exclude" in told([*dates[:-1], "soon"])[0]


def test_a_column_without_a_value():
    (sentence,) = told([np.nan] * 12)
    assert "'a' has no value in any sample" in sentence
    assert told([np.nan] * 12, allowed=False) == []


def test_the_fit_warns_where_it_was_called_and_the_record_keeps_it():
    X = pd.DataFrame({"who": names(30, 30), "size": np.arange(30) % 7, "gone": [np.nan] * 30})
    with pytest.warns(UserWarning, match="in any sample|in every sample") as caught:
        selector = FuzzyRoughSelector("quickreduct").fit(X, np.arange(30) % 2)
    sentences = [str(one.message) for one in caught]
    assert [sentence.split()[1] for sentence in sentences] == ["'gone'", "'who'"]
    assert {one.filename for one in caught} == {__file__}
    assert selector.record().notes == tuple(sentences)
