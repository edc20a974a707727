import numpy as np
import pytest
from sklearn import datasets

from fuzzyfrog.data import bundled, dataset_names, load_dataset
from fuzzyfrog.errors import DataError


@pytest.mark.parametrize(
    ("name", "shape", "classes"),
    [
        ("wine", (178, 13), ("class_0", "class_1", "class_2")),
        ("breast_cancer", (569, 30), ("benign", "malignant")),
        ("iris", (150, 4), ("setosa", "versicolor", "virginica")),
        ("digits", (1797, 64), tuple(range(10))),
    ],
)
def test_bundled_data_sets_need_no_folder(name, shape, classes):
    data = load_dataset(name)
    assert data.values.shape == shape
    assert data.classes == classes
    assert data.name == name
    assert not data.categorical.any()


def test_names():
    assert dataset_names() == ("breast_cancer", "digits", "iris", "wine")
    with pytest.raises(DataError, match=r"got 'wines'\. Did you mean 'wine'"):
        load_dataset("wines")


@pytest.mark.parametrize("name", ["wine", "iris"])
def test_bundled_data_sets_are_those_of_scikit_learn(name, monkeypatch):
    bunch = getattr(datasets, f"load_{name}")()
    read = load_dataset(name)
    monkeypatch.setattr(bundled, "_wine_file", lambda: None)  # as if it were elsewhere
    for dataset in (read, load_dataset(name)):
        np.testing.assert_array_equal(dataset.values, bunch.data)
        np.testing.assert_array_equal(dataset.target, bunch.target)
        assert list(dataset.feature_names) == list(bunch.feature_names)
        assert list(dataset.classes) == list(bunch.target_names)
        assert dataset.name == name
