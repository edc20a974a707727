"""How often columns are selected on complementary halves."""

from html import escape

import numpy as np
import pytest

from fuzzyfrog import (
    DataError,
    FeatureSelector,
    ReductSelector,
    SoftSelector,
    load_dataset,
    stability,
)
from fuzzyfrog.errors import ParameterError
from fuzzyfrog.result import Chosen, Stability
from fuzzyfrog.words import words_of
from fuzzyfrog.words.columns import columns_table


class Halves:
    """A measure that notes its rows, by a column that numbers them, and prefers a high mean."""

    def __init__(self):
        self.rows = []

    def __call__(self, dataset):
        self.rows.append(dataset.values[:, 0].astype(int))
        self.values = dataset.values
        return self

    def score(self, masks):
        means = self.values.mean(axis=0)
        means[0] = -1e6
        return np.array([means[mask].mean() for mask in masks])


def split(X, y, **parameters):
    """Return the stability of a selection of one column, and the rows of all halves."""
    noted = Halves()
    selector = FeatureSelector(noted, n_features_to_select=1, exclude=[0])
    found = stability(selector, X, y, **parameters)
    return found, noted.rows[1:]  # the first are all samples


def test_halves_are_complementary_and_stratified():
    X = np.column_stack([np.arange(61), np.random.default_rng(0).normal(size=(61, 3))])
    y = np.arange(61) % 3
    found, rows = split(X, y, n_pairs=5)
    assert (found.n_pairs, len(rows)) == (5, 10)
    for one, other in zip(rows[::2], rows[1::2], strict=True):
        assert sorted([*one, *other]) == list(range(61))
        counts = np.bincount(y[one]) - np.bincount(y[other])
        assert np.abs(counts).max() <= 1
    assert len({tuple(one) for one in rows}) == 10


def test_shares_are_counted():
    X = np.column_stack([np.arange(40), np.random.default_rng(1).normal(size=(40, 4))])
    found, rows = split(X, np.arange(40) % 2, n_pairs=8)
    best = [1 + int(np.argmax(X[half, 1:].mean(axis=0))) for half in rows]
    expected = np.bincount(best, minlength=5) / 16
    assert {one.feature: one.share for one in found.columns if one.share} == {
        feature: share for feature, share in enumerate(expected.tolist()) if share
    }
    assert found.mean_size == 1.0
    assert found.n_offered == 4
    assert found.by_luck(0.9) == pytest.approx(1 / (0.8 * 4))
    whole = 1 + int(np.argmax(X[:, 1:].mean(axis=0)))
    assert [one.feature for one in found.columns if one.is_selected] == [whole]


def test_groups_stay_together():
    X = np.column_stack([np.arange(60), np.random.default_rng(2).normal(size=(60, 2))])
    groups = np.repeat(np.arange(15), 4)
    _, rows = split(X, np.arange(60) % 2, n_pairs=4, groups=groups)
    for one, other in zip(rows[::2], rows[1::2], strict=True):
        assert not set(groups[one]) & set(groups[other])
        assert len(one) + len(other) == 60


def test_substitutes_count_together():
    rng = np.random.default_rng(3)
    y = np.arange(80) % 2
    base = y + 0.4 * rng.normal(size=80)
    near = base[:, np.newaxis] + 0.1 * rng.normal(size=(80, 2))
    X = np.column_stack([near, rng.normal(size=80)])
    found = stability(SoftSelector(), X, y, n_pairs=10)
    shares = {one.feature: (one.share, one.with_substitutes) for one in found.columns}
    assert 0 < shares[0][0] < 1 > shares[1][0] > 0
    assert shares[0][1] == shares[1][1] == 1.0
    assert not found.shaky


def test_a_selected_column_that_few_halves_have_is_marked():
    found = stability(SoftSelector(), load_dataset("wine"), n_pairs=20)
    assert found.shaky == ("od280/od315_of_diluted_wines",)
    assert "selected, but in fewer than half" in str(found)
    assert found == stability(SoftSelector(n_jobs=1), load_dataset("wine"), n_pairs=20)
    assert found != stability(SoftSelector(), load_dataset("wine"), n_pairs=20, seed=1)


def test_a_fitted_selector_keeps_its_answer():
    wine = load_dataset("wine")
    selector = ReductSelector("quickreduct", random_state=0).fit(wine)
    found = stability(selector, wine, n_pairs=2)
    assert {one.feature for one in found.columns if one.is_selected} == set(
        selector.result_.selected
    )


def test_groups_of_columns_count_as_one():
    groups = {"color": ["color_intensity", "hue"]}
    wine = load_dataset("wine")
    selector = SoftSelector(feature_groups=groups).fit(wine)
    found = stability(selector, wine, n_pairs=2)
    assert found.n_offered == 12
    [color] = [one for one in found.columns if one.name == "color (color_intensity, hue)"]
    frame = selector.columns_frame(stability=found).set_index("column")
    assert frame.loc[groups["color"], "halves"].tolist() == [color.share] * 2
    assert color.share > 0


def test_the_bound_says_little_for_few_columns():
    few = Stability(50, 100, 3.0, 4, (Chosen(0, "a", 1.0, 1.0, True),))
    assert few.sentence().endswith("in a table of so few columns, that can be luck")
    many = Stability(50, 100, 3.0, 4_000, (Chosen(0, "a", 1.0, 1.0, True),))
    assert many.sentence().endswith("a column of noise would hardly get there")
    chosen = tuple(Chosen(at, f"x{at}", 1.0, 1.0, True) for at in range(10))
    some = Stability(50, 100, 9.0, 100, chosen)  # a bound of 1.62
    assert some.sentence().endswith("up to 2 could be there by luck")
    none = Stability(50, 100, 3.0, 4_000, (Chosen(0, "a", 0.7, 0.7, True),))
    assert none.sentence().endswith("so others may be as good")
    with pytest.raises(ValueError, match=r"threshold must be above 0\.5"):
        many.by_luck(0.5)


def test_what_cannot_be_split_is_refused():
    with pytest.raises(DataError, match="at least 8 samples"):
        stability(SoftSelector(), np.eye(6), [0, 1] * 3)
    with pytest.raises(DataError, match="varies in both halves"):
        stability(SoftSelector(), np.random.default_rng(0).normal(size=(20, 2)), [0] * 19 + [1])
    with pytest.raises(ParameterError, match="n_pairs"):
        stability(SoftSelector(), load_dataset("wine"), n_pairs=0)
    with pytest.raises(ParameterError, match="selector must be a SoftSelector"):
        stability(object(), load_dataset("wine"))


def test_the_function_is_found_whatever_is_imported_first():
    from importlib import import_module

    import_module("fuzzyfrog.select.halves")
    assert callable(import_module("fuzzyfrog").stability)


def test_a_record_and_a_frame_say_how_often_a_column_is_selected():
    wine = load_dataset("wine")
    selector = SoftSelector().fit(wine)
    found = stability(selector, wine, n_pairs=4)
    assert found.shaky
    record = selector.record(stability=found)
    rows = {row[0]: row for row in columns_table(words_of(record))[1]}
    frame = selector.columns_frame(stability=found).set_index("column")
    for one in found.columns:
        assert frame.loc[one.name, ["halves", "is_shaky"]].tolist() == [one.share, one.is_shaky]
        assert ("in fewer than half of the halves" in rows[one.name][-1]) == one.is_shaky
    page = found._repr_html_()
    assert page.count("<tr>") == len(found.table())
    assert page.endswith(f"<p>{escape(found.sentence())}.</p>")
    assert repr(found).startswith("<Stability: ")
    other = selector.swap("proline", "hue", wine)
    with pytest.raises(ParameterError, match="stability must be that of these columns, got one of"):
        other.record(stability=found)
