"""The measures of docs/howto/custom-measure.md have the values of fuzzy-rough-learn."""

import doctest
import re
from pathlib import Path

import numpy as np
import pytest

from fuzzyfrog import load_dataset

PAGE = Path(__file__).resolve().parents[2] / "docs" / "howto" / "custom-measure.md"
# By fuzzy-rough-learn 0.2.2, as `peer_owa` and `peer_vqrs` below compute them: iris, its first two
# features, and all four.
PUBLISHED = {"OWA": [0.959791967919, 0.998783900980], "VQRS": [0.765876217150, 0.971166508772]}
MASKS = np.array([[True, True, False, False], [True, True, True, True]])


@pytest.fixture(scope="module")
def measures():
    """The classes of the page, as its reader would type them."""
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)
    names = {}
    for example in doctest.DocTestParser().get_examples("\n".join(blocks)):
        if re.match("import|from|def|class", example.source):
            exec(example.source, names)  # noqa: S102 - our own page
    return names


def peer_similarities(X):
    from frlearn.statistics.feature_preprocessors import Standardiser

    scaled = Standardiser()(X)(X)
    return np.maximum(1 - np.abs(scaled[:, None, :] - scaled), 0)


def peer_owa(X, y, mask):
    """The positive region of FRFS, as a share of the samples."""
    from frlearn.feature_preprocessors import FRFS
    from frlearn.weights import LinearWeights

    R = np.minimum(peer_similarities(X), y[:, None, None] != y[:, None])
    return FRFS(owa_weights=LinearWeights())._POS_size(R[..., mask]) / len(y)


def peer_vqrs(X, y, mask):
    from frlearn.t_norms import lukasiewicz_t_norm
    from frlearn.uncategorised.quantifiers import QuadraticSigmoid

    R = lukasiewicz_t_norm(peer_similarities(X)[..., mask], axis=-1)
    shares = [(R * (y == one)).sum(axis=1) / R.sum(axis=1) for one in np.unique(y)]
    return QuadraticSigmoid(0.2, 1)(np.array(shares)).max(axis=0).mean()


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_values_are_those_of_fuzzy_rough_learn(measures, name):
    iris = load_dataset("iris")
    assert measures[name](iris).score(MASKS) == pytest.approx(PUBLISHED[name], abs=1e-9)


@pytest.mark.parametrize(("name", "peer"), [("OWA", peer_owa), ("VQRS", peer_vqrs)])
@pytest.mark.parametrize("data", ["iris", "wine"])
def test_the_values_are_those_of_the_installed_package(measures, name, peer, data):
    pytest.importorskip("frlearn")
    dataset = load_dataset(data)
    rng = np.random.default_rng(0)
    masks = rng.random((6, dataset.n_features)) < 0.4
    masks[:, 0] = True
    expected = [peer(dataset.values, dataset.target, mask) for mask in masks]
    assert measures[name](dataset).score(masks) == pytest.approx(expected, abs=1e-12)
