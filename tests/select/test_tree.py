"""The tree of columns: average linkage of correlations, and a choice of what to draw."""

import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform
from scipy.stats import spearmanr

from fuzzyfrog import Result, SoftSelector, load_dataset
from fuzzyfrog.words import words_of
from fuzzyfrog.words.columns import tree_lead, tree_title


def alike(X):
    return np.maximum(np.abs(np.corrcoef(X.T)), np.abs(spearmanr(X).statistic))


@pytest.mark.parametrize("seed", range(4))
def test_joins_are_those_of_average_linkage(seed):
    rng = np.random.default_rng(seed)
    y = np.arange(50) % 2
    X = rng.normal(size=(50, 9)) @ rng.normal(size=(9, 9)) + y[:, np.newaxis]
    X = np.exp(X) if seed == 3 else X
    tree = SoftSelector(copies="keep").fit(X, y).result_.tree
    expected = 1.0 - linkage(squareform(1.0 - alike(X), checks=False), "average")[:, 2]
    assert [one.correlation for one in tree.joins] == pytest.approx(expected, abs=1e-4)
    assert sorted(tree.leaves) == list(range(9))
    assert set(tree.n_alike) == {0}
    members = [[place] for place in range(9)]
    R = alike(X[:, list(tree.leaves)])
    for one in tree.joins:  # branches lie next to each other, and join at their mean correlation
        left, right = members[one.left], members[one.right]
        assert left[-1] + 1 == right[0]
        assert one.correlation == pytest.approx(R[np.ix_(left, right)].mean(), abs=1e-4)
        members.append(left + right)


def test_of_many_columns_the_selected_ones_and_few_that_are_alike_are_drawn():
    wine = load_dataset("wine")
    rng = np.random.default_rng(0)
    flavanoids = wine.values[:, [wine.feature_names.index("flavanoids")]]
    near = flavanoids + 0.1 * rng.normal(size=(178, 40))
    X = np.hstack([wine.values, near, rng.normal(size=(178, 30))])
    result = SoftSelector().fit(X, wine.target).result_
    tree = result.tree
    assert len(tree.leaves) == 30
    assert set(result.selected) <= set(tree.leaves)
    copies = [one for one in tree.leaves if 13 <= one < 53 and one not in result.selected]
    assert 1 <= len(copies) <= 3
    assert 37 <= sum(tree.n_alike) <= 83 - 30


def test_groups_and_labels_are_not_drawn():
    rng = np.random.default_rng(1)
    y = np.arange(60) % 2
    X = np.column_stack([rng.normal(size=(60, 4)) + y[:, np.newaxis], rng.integers(0, 3, 60)])
    selector = SoftSelector(feature_groups={"pair": [0, 1]}, categorical_features=[4]).fit(X, y)
    tree = selector.record().tree
    assert sorted(tree.leaves) == [1, 2]  # of four features, the first is the group
    lead = tree_lead(words_of(selector.record()), tree)
    assert "1 category is not drawn: there is no correlation with labels." in lead


def test_what_is_left_out_is_not_drawn_and_the_title_says_what_is():
    rng = np.random.default_rng(1)
    y = np.arange(60) % 2
    columns = {one: rng.normal(size=60).round(3) + y for one in "abc"}
    X = pd.DataFrame({**columns, "row_id": np.arange(60), "same": 1, "kind": list("pqr") * 20})
    with pytest.warns(match="row_id"):
        record = SoftSelector(redundant="keep").fit(X, y).record()
    assert {record.columns[one].name for one in record.tree.leaves} == {"a", "b", "c"}
    words = words_of(record)
    assert tree_title(words, record.tree) == "3 numeric columns by their correlation"
    assert (
        "1 category is not drawn: there is no correlation with labels. 2 other columns are not "
        in (tree_lead(words, record.tree))
    )


def test_a_tree_is_saved():
    record = SoftSelector().fit(load_dataset("wine")).record()
    assert Result.from_json(record.to_json()).tree == record.tree
