"""Several selectors in the same folds."""

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import RFE, SelectFromModel, SelectKBest, f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import scale
from sklearn.svm import LinearSVC

from fuzzyfrog import ReductSelector, SoftSelector, check, load_dataset
from fuzzyfrog.data import make_dataset
from fuzzyfrog.errors import ParameterError
from fuzzyfrog.select.choosers import OTHERS, compared, others_choice

SKLEARN = {
    "kbest": lambda size: SelectKBest(f_classif, k=size),
    "rfe": lambda size: RFE(LogisticRegression(max_iter=500), n_features_to_select=size),
    "l1": lambda size: SelectFromModel(
        LinearSVC(penalty="l1", dual=False, class_weight="balanced", random_state=0),
        max_features=size,
        threshold=1e-12,
    ),
}


def mixed(*, is_numeric):
    """Return a table in which a number and a category matter, and two columns do not."""
    random = np.random.default_rng(0)
    size, kind = random.normal(size=120), random.choice(["a", "b", "c"], 120)
    y = size + 2.0 * (kind == "b")
    table = pd.DataFrame(
        {"noise": random.normal(size=120), "size": size, "kind": kind, "other": random.random(120)}
    )
    table.loc[::10, "size"] = np.nan
    return make_dataset(table, y if is_numeric else y > 1)


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("size", [1, 4, 9])
def test_they_choose_as_scikit_learn_does(name, size):
    wine = load_dataset("wine")
    support = SKLEARN[name](size).fit(scale(wine.values), wine.target).get_support()
    found = others_choice(name, wine, size, seed=0)
    assert sorted(found) == np.flatnonzero(support).tolist()


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("is_numeric", [False, True])
def test_a_category_is_one_feature(name, is_numeric):
    found = others_choice(name, mixed(is_numeric=is_numeric), 2, seed=0)
    assert sorted(found) == [1, 2]


@pytest.mark.filterwarnings("ignore:Features .* are constant")
@pytest.mark.parametrize("name", OTHERS)
def test_columns_that_say_nothing_are_no_error(name):
    constant = make_dataset(np.ones((20, 3)), [0, 1] * 10)
    assert len(others_choice(name, constant, 1, seed=0)) == 1


def test_the_scores_are_those_of_the_check():
    wine = load_dataset("wine")
    found = compared(wine, ["quickreduct", "soft", "kbest"], folds=3, seed=1).check
    ours = {"selected": SoftSelector(), "quickreduct": ReductSelector("quickreduct")}
    for name, selector in ours.items():
        own = check(selector.set_params(random_state=1), wine, cv=3, seed=1)
        same = found.of(name)
        assert same.by_model == own.selected.by_model
        assert same.folds == own.selected.folds
        assert found.all == own.all
    assert found.of("kbest").n_features == found.selected.n_features


def test_the_same_seed_gives_the_same_scores():
    data = mixed(is_numeric=True)
    first, again = (compared(data, OTHERS, folds=3).check for _ in range(2))
    assert first == again
    assert first.metric == "R²"


def test_what_the_selectors_leave_out_is_not_among_all_features():
    wine = load_dataset("wine")
    ids = np.column_stack([np.arange(178), wine.values])
    table = make_dataset(ids, wine.target, feature_names=["id", *wine.feature_names])
    found = compared(table, ["kbest", "rfe"], folds=2).check
    assert found.all.n_features == 13
    assert "as by select: 'id'." in found.notes[-1]


def test_an_unknown_selector_is_refused():
    with pytest.raises(ParameterError, match=r"selectors must be one of 'soft', .*, got 'relief'"):
        compared(load_dataset("iris"), ["relief"])


def test_the_soft_measure_is_compared_with_the_groups_of_its_check():
    random = np.random.default_rng(0)
    patient = np.repeat(np.arange(20), 4)
    values = random.normal(size=(20, 5))[patient] + 0.05 * random.normal(size=(80, 5))
    target = values[:, 0] + values[:, 1] + random.normal(size=20)[patient] > 0
    table = pd.DataFrame(values, columns=list("abcde")).assign(patient_id=patient)
    data = make_dataset(table, target.astype(int))
    own = check(SoftSelector(random_state=0), data)
    found = compared(data, ["soft"]).check
    assert (found.scores, found.selections) == (own.scores, own.selections)


def test_values_far_out_are_noted():
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 3))
    y = X[:, 0] + 0.1 * random.normal(size=80)
    y[3] = 500.0
    (note,) = compared(make_dataset(X, y), ["soft"], folds=2).check.notes
    assert note.startswith("1 value of the target lies far out (500), and R² depends on it: ")
