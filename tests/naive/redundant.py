"""Which features are redundant, as the definition reads: every model is fitted again from scratch.

A selection S0 loses one feature after the other as long as one of them has a correlation of 0.9
with another one, and the losses of neighbors and of a linear model stay level with those of S0.
"""

import numpy as np
from scipy.stats import spearmanr

from naive import soft


def filled(column):
    """Return a column with its gaps at the median."""
    known = column[~np.isnan(column)]
    column = np.where(np.isnan(column), np.median(known) if len(known) else 0.0, column)
    return column / (np.abs(column).max() or 1.0)  # squares of very large numbers are not finite


def correlation(x, y):
    """Return the larger of the two absolute correlations; 0 for a constant column."""
    x, y = filled(x), filled(y)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return 0.0
    return max(abs(np.corrcoef(x, y)[0, 1]), abs(spearmanr(x, y).statistic))


def design(X, is_categorical):
    """Return the columns as a linear model sees them, standardized or as zeros and ones."""
    blocks = []
    for column, labels in zip(X.T, is_categorical, strict=True):
        if labels:
            known = np.unique(column[~np.isnan(column)])
            blocks += [(column == one).astype(float) for one in known]
        else:
            x = filled(column)
            blocks.append((x - x.mean()) / (x.std() or 1.0))
    return np.column_stack(blocks)


def discriminant_loss(Z, y, x, rest):
    """Return how wrong linear discriminant analysis of some samples is about another one."""
    classes = np.unique(y)
    within, scores = np.eye(Z.shape[1]), np.full(len(classes), -np.inf)
    for c in np.unique(y[rest]):
        own = Z[rest][y[rest] == c]
        within += (own - own.mean(axis=0)).T @ (own - own.mean(axis=0))
    for j, c in enumerate(classes):
        own = Z[rest][y[rest] == c]
        if len(own):
            u = Z[x] - own.mean(axis=0)
            scale = max(1, len(rest) - len(classes)) / 2
            scores[j] = np.log(len(own)) - scale * u @ np.linalg.inv(within) @ u
    best = scores >= scores.max() - 1e-9
    return 1 - 1 / best.sum() if best[classes == y[x]][0] else 1.0


def ridge_loss(Z, t, x, rest):
    """Return the squared error of ridge regression on some samples about another one."""
    mean, center = t[rest].mean(), Z[rest].mean(axis=0)
    A = Z[rest] - center
    weights = np.linalg.solve(A.T @ A + np.eye(Z.shape[1]), A.T @ (t[rest] - mean))
    return (mean + (Z[x] - center) @ weights - t[x]) ** 2 / t.var(ddof=1)


def linear_losses(X, y, is_categorical, is_numeric, groups=None):
    """Return the loss of a linear model for each sample, without the samples of its group."""
    Z, out = design(X, is_categorical), soft.left_out(len(y), groups)
    loss = ridge_loss if is_numeric else discriminant_loss
    return np.array([loss(Z, y, x, np.flatnonzero(~out[x])) for x in range(len(y))])


def losses(X, y, subset, is_categorical, is_numeric, groups=None):
    """Return the mean loss of neighbors and of the linear model, for each sample."""
    columns = [soft.differences(X[:, a], is_categorical[a]) for a in subset]
    near = (soft.squared_errors if is_numeric else soft.wrong_votes)(columns, y, groups)
    return (near + linear_losses(X[:, subset], y, is_categorical[subset], is_numeric, groups)) / 2


def is_level(u, v, groups=None):
    """Whether the mean of u - v is at most two of its standard errors."""
    return np.mean(u - v) <= 2 * soft.standard_error(u - v, groups) + 1e-9


def without_redundant(X, y, selection, is_categorical, is_numeric, fixed=(), groups=None):
    """Return what is left of a selection."""
    S = soft.alike_numbers(y) if is_numeric else soft.same_class(y)
    left = sorted(selection)
    before = losses(X, y, left, is_categorical, is_numeric, groups)
    while True:
        scores = {}
        for a in left:
            rest = [b for b in left if b != a]
            pairs = [b for b in rest if not is_categorical[a] and not is_categorical[b]]
            if a in fixed or not any(correlation(X[:, a], X[:, b]) >= 0.9 for b in pairs):
                continue
            if is_level(losses(X, y, rest, is_categorical, is_numeric, groups), before, groups):
                scores[a] = round(soft.soft_dependency(X, S, rest, is_categorical, groups), 12)
        if not scores:
            return left
        left.remove(max(scores, key=lambda a: (scores[a], -a)))
