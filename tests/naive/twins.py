"""Fuzzy-rough and rough sets written out from their definitions: slow, plain, and nothing else.

The fast engines are checked against these functions, so nothing here may import the package and
nothing here uses the nearest-enemy shortcut. Every similarity is a full n_samples x n_samples
matrix; a subset is a boolean mask over the features.
"""

import statistics
from functools import reduce

import numpy as np

# ------------------------------------------------------------------------------ spread


def present(values):
    """Return the values that are not missing."""
    return values[~np.isnan(values)]


def spread_of(values, rule):
    """Return the sigma that scales a feature: exact rational arithmetic, rounded once."""
    known = [float(value) for value in present(values)]
    if len(known) < 2:
        return 0.0
    if rule == "range":
        return max(known) - min(known)
    return {"std": statistics.stdev, "variance": statistics.variance}[rule](known)


# ------------------------------------------------------------------------------ similarity


def number_similarity(first, second, sigma):
    """Grade how alike present numbers are; a spread of zero tells nothing apart."""
    if sigma == 0:
        return np.ones(np.broadcast(first, second).shape)
    return np.maximum(0.0, 1.0 - np.abs(first - second) / sigma)


def feature_similarity(values, *, categorical=False, spread="std", missing="similar"):
    """Return R_a(x, y) for all pairs of samples under one feature."""
    x, y = values[:, None], values[None, :]
    if categorical:
        similarity = (x == y).astype(float)
    else:
        similarity = number_similarity(x, y, spread_of(values, spread))
    similarity[np.isnan(x) | np.isnan(y)] = {"similar": 1.0, "different": 0.0}[missing]
    np.fill_diagonal(similarity, 1.0)
    return similarity


TNORMS = {
    "lukasiewicz": lambda a, b: np.maximum(0.0, a + b - 1.0),
    "minimum": np.minimum,
    "product": np.multiply,
}


def all_similarities(X, *, categorical, spread="std", missing="similar"):
    """Return R_a of every feature, in the order of the features."""
    return [
        feature_similarity(X[:, a], categorical=categorical[a], spread=spread, missing=missing)
        for a in range(X.shape[1])
    ]


def join(similarities, subset, tnorm):
    """Return R_P: the t-norm of R_a over the features of the subset, 1 if it is empty."""
    chosen = [R for R, included in zip(similarities, subset, strict=True) if included]
    return reduce(TNORMS[tnorm], chosen, np.ones_like(similarities[0]))


# ------------------------------------------------------------------------------ approximations


def implies(a, b):
    """Łukasiewicz implicator."""
    return np.minimum(1.0, 1.0 - a + b)


def both(a, b):
    """Łukasiewicz t-norm."""
    return np.maximum(0.0, a + b - 1.0)


def lower_approximation(R, membership):
    """Grade how surely each sample belongs to a fuzzy set: inf over y of I(R(x, y), A(y))."""
    return np.min(implies(R, membership[None, :]), axis=1)


def upper_approximation(R, membership):
    """Grade how possibly each sample belongs to a fuzzy set: sup over y of T(R(x, y), A(y))."""
    return np.max(both(R, membership[None, :]), axis=1)


def class_membership(y, label):
    """Return the crisp set of the samples of one class as 0 and 1."""
    return np.array([1.0 if value == label else 0.0 for value in y])


def target_membership(target, value, spread):
    """Return the fuzzy set "target similar to value"."""
    return number_similarity(target, value, spread_of(target, spread))


# ------------------------------------------------------------------------------ positive region


def positive_region_of_classes(R, y):
    """Return the sup over the classes of their lower approximations, for each sample."""
    lower = [lower_approximation(R, class_membership(y, label)) for label in set(y)]
    return np.max(lower, axis=0)


def positive_region_of_numbers(R, target, spread):
    """Return each sample's lower approximation of the set of samples with a target like its own."""
    return np.min(implies(R, feature_similarity(target, spread=spread)), axis=1)


def dependency(memberships):
    """Return the mean membership in the positive region."""
    return statistics.fmean(memberships)


# ------------------------------------------------------------------------------ crisp rough sets


def indiscernibility_classes(rows):
    """Return the sets of samples that no feature tells apart."""
    groups = {}
    for sample, row in enumerate(rows):
        groups.setdefault(tuple(row), set()).add(sample)
    return list(groups.values())


def crisp_lower(blocks, members):
    """Return the samples that certainly belong: blocks inside the set."""
    return {sample for block in blocks if block <= members for sample in block}


def crisp_upper(blocks, members):
    """Return the samples that possibly belong: blocks that meet the set."""
    return {sample for block in blocks if block & members for sample in block}


def crisp_regions(rows, y, value=None):
    """Return the positive, negative and boundary regions of one class or of the whole partition."""
    blocks = indiscernibility_classes(rows)
    labels = set(y) if value is None else {value}
    concepts = [{i for i, other in enumerate(y) if other == label} for label in labels]
    positive = set().union(*(crisp_lower(blocks, concept) for concept in concepts))
    possible = set().union(*(crisp_upper(blocks, concept) for concept in concepts))
    return positive, set(range(len(y))) - possible, possible - positive
