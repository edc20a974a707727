"""The soft dependency as its definition reads, with n x n matrices; knows nothing of the package.

delta(x, y) is the mean difference over the features of a subset, R_h = exp(-delta / h), and the
membership of x is the share of R that falls on samples like x, averaged over three widths h.
"""

import numpy as np

WIDTHS = (0.1, 0.2, 0.4)


def differences(column, is_categorical):
    """Return d_a for all pairs, float64[n, n]; a gap differs as much as known pairs on average."""
    x = np.asarray(column, dtype=np.float64)
    known = ~np.isnan(x)
    with np.errstate(invalid="ignore"):
        apart = np.abs(x[:, None] - x[None, :])
    if is_categorical:
        apart = np.where(np.isnan(apart), np.nan, (apart > 0).astype(np.float64))
    both = known[:, None] & known[None, :] & ~np.eye(len(x), dtype=bool)
    if not both.any() or apart[both].max() == 0:
        return np.zeros((len(x), len(x)))
    unit = np.sqrt(apart[both].mean() / 2) if is_categorical else x[known].std(ddof=1)
    apart = apart / unit
    apart[~(known[:, None] & known[None, :])] = apart[both].mean()
    return apart


def same_class(y):
    """Return S for classes: 1 for two samples of one class, else 0."""
    y = np.asarray(y)
    return (y[:, None] == y[None, :]).astype(np.float64)


def alike_numbers(t):
    """Return S for a numeric target."""
    t = np.asarray(t, dtype=np.float64)
    spread = t.std(ddof=1) if len(t) > 1 and t.min() != t.max() else np.inf
    return np.maximum(0.0, 1.0 - np.abs(t[:, None] - t[None, :]) / spread)


def chance(S):
    """Return the mean of S over all pairs of different samples."""
    pairs = ~np.eye(len(S), dtype=bool)
    return float(S[pairs].mean())


def soft_memberships(columns, S):
    """Return the membership of each sample, given the differences on the features of a subset."""
    delta = np.mean(columns, axis=0)
    np.fill_diagonal(delta, np.inf)
    nearest = delta.min(axis=1, keepdims=True)  # cancels in the ratio, and nothing underflows
    shares = []
    for width in WIDTHS:
        R = np.exp(-(delta - nearest) / width)
        shares.append((R * S).sum(axis=1) / R.sum(axis=1))
    return np.mean(shares, axis=0)


def soft_dependency(X, S, subset, is_categorical):
    """Return Gamma of a subset, a list of column indices."""
    columns = [differences(X[:, a], is_categorical[a]) for a in subset]
    return float(soft_memberships(columns, S).mean())


def neighbor_shares(columns, k=5):
    """Return how much of the k places each other sample has, float64[n, n].

    Samples at the same distance as the last of the k share the places that are left.
    """
    delta = np.sum(columns, axis=0)
    np.fill_diagonal(delta, np.inf)
    k = min(k, len(delta) - 1)
    farthest = np.sort(delta, axis=1)[:, [k - 1]]
    tied = np.abs(delta - farthest) <= 1e-9  # up to rounding
    nearer = (delta < farthest) & ~tied
    left = k - nearer.sum(axis=1, keepdims=True)
    return nearer + tied * left / tied.sum(axis=1, keepdims=True)


def wrong_votes(columns, y):
    """Return for each sample 0 for a right vote of its neighbors, 1 for a wrong one."""
    votes = neighbor_shares(columns) @ (np.asarray(y)[:, None] == np.unique(y)[None, :])
    best = votes >= votes.max(axis=1, keepdims=True) - 1e-9
    own = np.asarray(y)[:, None] == np.unique(y)[None, :]
    return 1.0 - (best & own).sum(axis=1) / best.sum(axis=1)


def squared_errors(columns, t):
    """Return for each sample the squared error of the mean of its neighbors, in variances."""
    t = np.asarray(t, dtype=np.float64)
    shares = neighbor_shares(columns)
    return (shares @ t / shares.sum(axis=1) - t) ** 2 / t.var(ddof=1)
