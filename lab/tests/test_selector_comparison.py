"""The comparison of selectors in lab/selectors: its config, its selectors, its pages."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from sklearn.feature_selection import f_classif

from fuzzyfrog_lab.config import imported, read_config
from fuzzyfrog_lab.runner import write_report

FOLDER = Path(__file__).resolve().parents[1] / "selectors"
CONFIG = FOLDER / "experiment.toml"
FOREIGN = {"FastCanonical": "fastcan", "ReliefF": "skrebate", "Boruta": "boruta"}


def outside(name, **options):
    if name in FOREIGN:
        pytest.importorskip(FOREIGN[name])
    return imported("search", f"outside:{name}", FOLDER)(**options)


@pytest.fixture(scope="module")
def table():
    """Two informative columns, a copy of the first with some noise, and eight of noise."""
    random = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], 40)
    X = random.normal(size=(120, 11))
    X[:, 0] += 3.0 * (y == "a")
    X[:, 1] += 3.0 * (y == "b")
    X[:, 2] = X[:, 0] + 0.05 * random.normal(size=120)
    X[::9, 3] = np.nan
    return X, y


def test_every_data_set_is_marked_and_enough_of_them_were_never_looked_at():
    found = read_config(CONFIG)
    used, unused = found.groups["used for a decision"], found.groups["not used for any decision"]
    assert sorted([*used, *unused]) == sorted(one.name for one in found.data)
    assert len(found.data) >= 30
    assert len(unused) >= 10
    assert all(one.loader == "outside:keel" for one in found.data if one.name in unused)


@pytest.mark.parametrize("name", ["MRMR", "FastCanonical", "RecursiveElimination", "L1", "ReliefF",
                                  "ForestImportance"])  # fmt: skip
def test_each_finds_what_is_there_at_the_size_it_is_given(table, name):
    three = outside(name, n_features_to_select=3, random_state=0).fit(*table).get_support()
    assert three.sum() == 3
    assert three[1]
    assert three[0] | three[2]
    assert outside(name, n_features_to_select=7, random_state=0).fit(*table).support_.sum() == 7


@pytest.mark.parametrize("name", ["L1", "ForestImportance", "Boruta"])
def test_some_choose_their_own_size(table, name):
    chosen = outside(name, random_state=0).fit(*table).get_support()
    assert chosen[1]
    assert 2 <= chosen.sum() <= 11


def test_mrmr_avoids_the_copy(table):
    X, y = table
    two = outside("MRMR", n_features_to_select=2).fit(X, y).get_support()
    relevance = f_classif(np.nan_to_num(X), y)[0]
    assert set(np.argsort(relevance)[-3:]) == {0, 1, 2}
    assert two[1]
    assert two[0] != two[2]


@pytest.mark.long
def test_the_committed_pages_are_rebuilt_byte_for_byte(tmp_path):
    results = FOLDER / "results"
    shutil.copy(results / "cells.jsonl.gz", tmp_path)
    write_report(CONFIG, None, tmp_path)
    for pattern in ("*.md", "*.csv"):  # figures depend on the version of matplotlib
        names = [file.name for file in sorted(results.glob(pattern))]
        assert [file.name for file in sorted(tmp_path.glob(pattern))] == names
        for name in names:
            assert (tmp_path / name).read_bytes() == (results / name).read_bytes(), name
