"""Made-up tables and parameters: a promised error with a sentence, or a result that is right."""

import csv
import io
import warnings
from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzzyfrog import ReductSelector, dependency, enumerate_reducts, read_table
from fuzzyfrog.data.cells import MISSING
from fuzzyfrog.errors import DataError
from fuzzyfrog.measure import Dependency
from measure_cases import TNORMS
from reliability.nasty import PARAMETERS, rows, targets
from reliability.promises import assert_sentence
from strategies import small_tables

# Folders are made once for all examples of a test: each example writes its file again.
QUIETLY = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


def many(n_examples):
    """Return settings for a long run, which looks elsewhere every time."""
    return settings(
        max_examples=n_examples, derandomize=False, deadline=None, suppress_health_check=QUIETLY
    )


def few(n_examples):
    return settings(max_examples=n_examples, deadline=None, suppress_health_check=QUIETLY)


def result_or_sentence(deed, *refusals):
    """Return what a deed gives; None if it refuses with a sentence. Warnings are fine."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return deed()
        except refusals as error:
            assert_sentence(str(error))
            return None


# ---------------------------------------------------------------------------- any table


def check_any_table(drawn):
    X = drawn.draw(rows())
    y = drawn.draw(targets(len(X)))
    score = result_or_sentence(lambda: dependency(X, y, n_jobs=1), DataError)
    reduct = result_or_sentence(
        lambda: next(enumerate_reducts(X, y, n_jobs=1), None), DataError, ValueError
    )
    assert (score is None) == (reduct is None)
    if score is not None:
        assert 0.0 <= score == reduct.dependency <= 1.0


@few(150)
@given(st.data())
def test_any_table_is_measured_or_refused(drawn):
    check_any_table(drawn)


@pytest.mark.long
@many(20_000)
@given(st.data())
def test_any_table_is_measured_or_refused_at_length(drawn):
    check_any_table(drawn)


# ------------------------------------------------------------------------ any parameters

X = np.array([[0, 1, 5], [1, 1, 3], [0, 2, 5], [2, 0, 4], [1, 0, np.nan]], float)


def check_any_parameters(parameters, y):
    selector = ReductSelector(**parameters)
    if result_or_sentence(lambda: selector.fit(X, y), ValueError) is None:
        return
    kept = selector.get_support(indices=True)
    assert len(kept)
    measured = dependency(
        X, y, features=kept, tnorm=selector.tnorm, spread=selector.spread,
        missing=selector.missing, target=selector.target,
        categorical_features=selector.categorical_features,
    )  # fmt: skip
    assert selector.dependency_ == measured <= selector.full_dependency_ + 1e-12


LABELS, NUMBERS = ["a", "b", "a", "b", "b"], [0.5, 1.0, 0.0, 2.0, 1.5]


@few(150)
@given(PARAMETERS, st.sampled_from([LABELS, NUMBERS]))
def test_any_parameters_are_used_or_refused(parameters, y):
    check_any_parameters(parameters, y)


@pytest.mark.long
@many(10_000)
@given(PARAMETERS, st.sampled_from([LABELS, NUMBERS]))
def test_any_parameters_are_used_or_refused_at_length(parameters, y):
    check_any_parameters(parameters, y)


# --------------------------------------------------------------------- results are right


def check_reducts(table, tnorm):
    """Compare with all subsets: monotone, none smaller, none left out, threads agree."""
    keywords = {"tnorm": tnorm, "categorical_features": table.categorical}
    masks = np.array(list(product([False, True], repeat=table.n_features)))
    scores = Dependency(table.X, table.y, n_jobs=1, **keywords).score(masks)
    for mask, score in zip(masks, scores, strict=True):
        assert (scores[(masks | mask == masks).all(axis=1)] >= score).all(), "more is not less"
    reaching = masks[(scores == scores[-1]) & masks.any(axis=1)]
    fewest = reaching.sum(axis=1).min()
    expected = {tuple(np.flatnonzero(m)) for m in reaching if m.sum() == fewest}
    found = [one.features for one in enumerate_reducts(table.X, table.y, n_jobs=1, **keywords)]
    assert len(found) == len(set(found))
    assert set(found) == expected
    fits = [
        ReductSelector("exact", random_state=0, copies="keep", n_jobs=n_jobs, **keywords).fit(
            table.X, table.y
        )
        for n_jobs in (1, 2)
    ]
    assert fits[0].certificate_.proven
    # Columns with one value, or none, are left out if there are others.
    blank = {column for column in range(table.n_features)
             if len({repr(float(value)) for value in table.X[:, column]}) == 1}  # fmt: skip
    if len(blank) < table.n_features:
        expected = {features for features in expected if not blank & set(features)}
    assert {one.features for one in fits[0].reducts_} == expected
    assert [repr(one) for one in fits[0].reducts_] == [repr(one) for one in fits[1].reducts_]


@few(40)
@given(small_tables(gaps=True), st.sampled_from(TNORMS))
def test_reducts_are_all_of_the_smallest(table, tnorm):
    check_reducts(table, tnorm)


@pytest.mark.long
@many(3_000)
@given(small_tables(gaps=True), st.sampled_from(TNORMS))
def test_reducts_are_all_of_the_smallest_at_length(table, tnorm):
    check_reducts(table, tnorm)


# ------------------------------------------------------------------------ files and back

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
CELLS = st.one_of(TEXT, st.floats(allow_infinity=False).map(repr), st.sampled_from(["?", "NA"]))


def csv_of(records, separator):
    stream = io.StringIO(newline="")
    csv.writer(stream, delimiter=separator).writerows(records)
    return stream.getvalue().encode()


def check_round_trip(cells, separator, folder):
    """Write cells as a program would; what is read has the texts that were written."""
    records = [
        ["first", "second", "class"],
        *([a, b, "xy"[k % 2]] for k, (a, b) in enumerate(cells)),
    ]
    (folder / "x.csv").write_bytes(csv_of(records, separator))
    data = result_or_sentence(
        lambda: read_table(folder / "x.csv", "class", separator=separator), DataError
    )
    if data is None:
        return
    columns = [[record[feature].strip() for record in records[1:]] for feature in (0, 1)]
    for feature, texts in enumerate(columns):
        if data.categorical[feature]:
            labels = data.categories[feature]
            codes = data.values[:, feature]
            read = ["" if np.isnan(code) else labels[int(code)] for code in codes]
            assert all(one in ("", text) for one, text in zip(read, texts, strict=True))
        else:
            numbers = [np.nan if text in MISSING else float(text) for text in texts]
            np.testing.assert_array_equal(data.values[:, feature], numbers)


PAIRS = st.lists(st.tuples(CELLS, CELLS), min_size=2, max_size=6)


@few(100)
@given(PAIRS, st.sampled_from(",;\t"))
def test_what_was_written_is_read(tmp_path, cells, separator):
    check_round_trip(cells, separator, tmp_path)


@pytest.mark.long
@many(10_000)
@given(PAIRS, st.sampled_from(",;\t"))
def test_what_was_written_is_read_at_length(tmp_path, cells, separator):
    check_round_trip(cells, separator, tmp_path)
