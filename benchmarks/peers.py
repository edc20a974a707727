"""Other ways to compute the dependency, each written as well as its library allows.

The first four take the samples with each feature already divided by its spread, cut down to the
features of the subset, and the classes; they give the dependency under the Łukasiewicz t-norm,
which is the mean distance to the nearest enemy, cut at 1.
"""

from itertools import combinations

import numpy as np
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist
from sklearn.neighbors import KDTree

CHUNK_CELLS = 2**21  # 16 MB of distances at a time


def cdist_dependency(Z, y):
    """SciPy's `cdist`: every pair of classes once, in chunks of bounded size."""
    nearest = np.ones(len(y))
    members = [np.flatnonzero(y == label) for label in np.unique(y)]
    for own, enemies in combinations(members, 2):
        rows = max(1, CHUNK_CELLS // len(enemies))
        for first in range(0, len(own), rows):
            chunk = own[first : first + rows]
            distances = cdist(Z[chunk], Z[enemies], "cityblock")
            nearest[chunk] = np.minimum(nearest[chunk], distances.min(axis=1))
            nearest[enemies] = np.minimum(nearest[enemies], distances.min(axis=0))
    return float(nearest.mean())


def numpy_dependency(Z, y):
    """NumPy: one sample against all its enemies at a time."""
    nearest = np.ones(len(y))
    for label in np.unique(y):
        enemies = Z[y != label]
        for sample in np.flatnonzero(y == label):
            nearest[sample] = min(1.0, np.abs(enemies - Z[sample]).sum(axis=1).min())
    return float(nearest.mean())


def sklearn_dependency(Z, y):
    """scikit-learn's KDTree: one tree per class, asked by all the enemies of that class."""
    nearest = np.ones(len(y))
    for label in np.unique(y):
        enemies = np.flatnonzero(y != label)
        distances, _ = KDTree(Z[y == label], metric="manhattan").query(Z[enemies])
        nearest[enemies] = np.minimum(nearest[enemies], distances[:, 0])
    return float(nearest.mean())


def scipy_tree_dependency(Z, y, workers=2):
    """SciPy's cKDTree: the same, told never to look further than 1, on two workers."""
    nearest = np.ones(len(y))
    for label in np.unique(y):
        enemies = np.flatnonzero(y != label)
        distances, _ = cKDTree(Z[y == label]).query(
            Z[enemies], p=1, distance_upper_bound=1.0, workers=workers
        )
        nearest[enemies] = np.minimum(nearest[enemies], distances)  # none within 1: inf
    return float(nearest.mean())


def strict_minimum(count):
    """Return the weights that turn an ordered weighted average into the minimum."""
    weights = np.zeros(count)
    weights[0] = 1.0
    return weights


def frlearn_reduct(X, y):
    """fuzzy-rough-learn's FRFS: the subset that greedy addition arrives at.

    It takes raw values and divides them by the standard deviation with n, not n - 1.
    """
    from frlearn.feature_preprocessors import FRFS

    return FRFS(owa_weights=strict_minimum)(X, y).selection


def frlearn_bytes(X):
    """Return the size of the tensor of similarities that FRFS builds."""
    n_samples, n_features = X.shape
    return 8 * n_samples * n_samples * n_features
