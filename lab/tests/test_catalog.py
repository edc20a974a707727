import hashlib
import shutil

import numpy as np
import pytest

from fuzzyfrog import load_dataset as load_bundled
from fuzzyfrog.data import read_table
from fuzzyfrog.errors import DataError
from fuzzyfrog_lab.catalog import dataset_names, load_dataset, registry

PAPER = tuple(registry())


@pytest.fixture(autouse=True)
def _no_folder_from_outside(monkeypatch, tmp_path):
    monkeypatch.delenv("FUZZYFROG_DATA", raising=False)
    monkeypatch.setenv("FUZZYFROG_CACHE", str(tmp_path / "cache"))
    # No test here may reach the network.
    monkeypatch.setenv("FUZZYFROG_OPENML_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("FUZZYFROG_UCI_URL", "http://127.0.0.1:9")


def test_names():
    assert len(PAPER) == 22
    assert dataset_names() == tuple(sorted({"breast_cancer", "digits", "iris", *PAPER}))
    assert len(dataset_names()) == 25
    with pytest.raises(DataError, match=r"got 'wines'\. Did you mean 'wine'"):
        load_dataset("wines")


@pytest.mark.parametrize("name", [name for name in PAPER if name != "wine"])
def test_the_data_sets_of_the_paper(name, paper_data_folder):
    entry = registry()[name]
    data = load_dataset(name, folder=paper_data_folder)
    assert (data.n_samples, data.n_features) == (entry.rows, entry.features)
    assert len(data.classes) == entry.classes
    assert np.isfinite(data.values).all()
    assert not data.categorical.any()
    assert data.name == name


@pytest.mark.parametrize("name", PAPER)
def test_the_registered_checksums(name, paper_data_folder):
    content = (paper_data_folder / registry()[name].file).read_bytes()
    assert hashlib.sha256(content).hexdigest() == registry()[name].sha256


def test_the_wine_of_scikit_learn_is_that_of_the_paper(paper_data_folder):
    bundled = load_dataset("wine", folder=paper_data_folder)
    np.testing.assert_array_equal(bundled.values, load_bundled("wine").values)
    paper = read_table(paper_data_folder / "wine.csv", "class")
    np.testing.assert_array_equal(bundled.values, paper.values)
    np.testing.assert_array_equal(bundled.target, paper.target)
    assert bundled.feature_names == paper.feature_names


@pytest.mark.parametrize("name", ["heart", "ionosphere", "molecular_biology", "glass"])
def test_categorical_features_are_those_listed(name, paper_data_folder):
    data = load_dataset(name, categorical=True, folder=paper_data_folder)
    named = np.array(data.feature_names)[data.categorical]
    assert tuple(named) == registry()[name].categorical
    for feature in np.flatnonzero(data.categorical):
        assert len(data.categories[feature]) == np.unique(data.values[:, feature]).size


def test_the_folder_can_come_from_the_environment_or_the_cache(
    paper_data_folder, monkeypatch, tmp_path
):
    expected = load_dataset("glass", folder=paper_data_folder)
    (tmp_path / "cache").mkdir()
    shutil.copy(paper_data_folder / "glass.csv", tmp_path / "cache")
    np.testing.assert_array_equal(load_dataset("glass").values, expected.values)
    (tmp_path / "cache" / "glass.csv").unlink()
    monkeypatch.setenv("FUZZYFROG_DATA", str(paper_data_folder))
    np.testing.assert_array_equal(load_dataset("glass").values, expected.values)


def test_an_altered_file_is_refused(paper_data_folder, tmp_path):
    content = (paper_data_folder / "glass.csv").read_text()
    (tmp_path / "glass.csv").write_text(content.replace("1.52101", "1.52102"))
    with pytest.raises(DataError, match=r"glass\.csv: the file must be the registered one"):
        load_dataset("glass", folder=tmp_path)


def test_a_folder_without_the_file_is_an_error_not_a_download(tmp_path):
    (tmp_path / "other.csv").write_text("a,class\n")
    with pytest.raises(DataError, match=r"glass\.csv: no such file"):
        load_dataset("glass", folder=tmp_path)
