"""Large tables: the default search starts on a sample of the rows, and says so."""

import numpy as np
import pytest
from msgspec.structs import replace

from fuzzyfrog import ReductSelector
from fuzzyfrog.measure import Dependency
from fuzzyfrog.select import strict

RNG = np.random.default_rng(2)
X = RNG.normal(size=(3_000, 10)).round(2)
Y = np.where(X[:, :3].sum(axis=1) > 0, "yes", "no")


@pytest.fixture(autouse=True)
def _small_tables_are_large(monkeypatch):
    monkeypatch.setattr(strict, "FEWEST_PAIRS", 1)


def fitted(**settings):
    settings = {"search": "frogs", "random_state": 0, "exclude": [9], **settings}
    return ReductSelector(**settings).fit(X, Y)


def course(selector):
    """Return the history without the times, which differ from fit to fit."""
    return [replace(one, seconds=None) for one in selector.history_]


def told(selector):
    return [note for note in selector.record().notes if "on a sample of the 3,000 rows" in note]


@pytest.mark.filterwarnings("ignore:Samples that are similar")
def test_the_result_is_exact_and_the_record_tells_of_the_sample():
    selector = fitted()
    allowed = np.arange(10) != 9
    measure = Dependency(X, Y)
    assert selector.full_dependency_ == measure.score(allowed[np.newaxis])[0]
    assert selector.dependency_ == pytest.approx(selector.full_dependency_, abs=1e-12)
    assert selector.n_sampled_ == 3_000
    assert selector.record().sampling is None  # nothing is an estimate
    assert len(told(selector)) == 1
    for point in selector.front_:
        mask = np.isin(np.arange(10), point.features)
        assert point.dependency == pytest.approx(measure.score(mask[np.newaxis])[0], abs=1e-12)


@pytest.mark.filterwarnings("ignore:Samples that are similar")
def test_the_result_does_not_depend_on_the_number_of_threads():
    one, two = fitted(n_jobs=1), fitted(n_jobs=2)
    assert course(one) == course(two)
    assert one.reducts_ == two.reducts_


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "settings",
    [
        {"search": "quickreduct"},
        {"sample": 3_000},
        {"sample": 500},
        {"min_dependency": 0.9},
        {"n_features_to_select": 4},
        {"ranking": "product", "max_evaluations": 50},
        {"search": "exact", "max_evaluations": 50},
    ],
)
def test_other_goals_are_searched_on_the_rows_asked_for(settings):
    assert told(fitted(**{"max_evaluations": 200, **settings})) == []


@pytest.mark.filterwarnings("ignore:Samples that are similar")
def test_small_tables_are_searched_on_all_rows(monkeypatch):
    monkeypatch.setattr(strict, "FEWEST_PAIRS", 10**9)
    assert told(fitted(max_evaluations=200)) == []


@pytest.mark.filterwarnings("ignore")
def test_groups_stay_together():
    selector = fitted(feature_groups={"both": [0, 5]}, exclude=None)
    assert selector.support_[0] == selector.support_[5]
    assert len(told(selector)) == 1
