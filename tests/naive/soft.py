"""The soft dependency as its definition reads, with n x n matrices; knows nothing of the package.

delta(x, y) is the mean difference over the features of a subset, R_h = exp(-delta / h), and the
membership of x is the share of R that falls on samples like x, averaged over three widths h.
"""

import numpy as np

WIDTHS = (0.1, 0.2, 0.4)


def differences(column, is_categorical, first=None):
    """Return d_a for all pairs, float64[n, n]; a gap differs as much as known pairs on average.

    Units and averages are those of the `first` samples; None for all.
    """
    x = np.asarray(column, dtype=np.float64)
    known = ~np.isnan(x)
    with np.errstate(invalid="ignore"):
        apart = np.abs(x[:, None] - x[None, :])
    if is_categorical:
        apart = np.where(np.isnan(apart), np.nan, (apart > 0).astype(np.float64))
    both = known[:, None] & known[None, :] & ~np.eye(len(x), dtype=bool)
    both[first or len(x) :] = both[:, first or len(x) :] = False
    if not both.any() or apart[both].max() == 0:
        return np.zeros((len(x), len(x)))
    unit = (
        np.sqrt(apart[both].mean() / 2) if is_categorical else x[:first][known[:first]].std(ddof=1)
    )
    apart = apart / unit
    apart[~(known[:, None] & known[None, :])] = apart[both].mean()
    return apart


def same_class(y):
    """Return S for classes: 1 for two samples of one class, else 0."""
    y = np.asarray(y)
    return (y[:, None] == y[None, :]).astype(np.float64)


def alike_numbers(t, first=None):
    """Return S for a numeric target, in units of the `first` samples."""
    t = np.asarray(t, dtype=np.float64)
    spread = t[:first].std(ddof=1) if len(t) > 1 and t.min() != t.max() else np.inf
    return np.maximum(0.0, 1.0 - np.abs(t[:, None] - t[None, :]) / spread)


def left_out(n, groups=None):
    """Return which samples do not count for another one: itself, and those of its group."""
    groups = np.arange(n) if groups is None else np.asarray(groups)
    return groups[:, None] == groups[None, :]


def chance(S, groups=None):
    """Return the mean likeness of other samples, averaged over the samples."""
    others = ~left_out(len(S), groups)
    return float(np.mean([S[x, others[x]].mean() for x in range(len(S))]))


def soft_memberships(columns, S, groups=None):
    """Return the membership of each sample, given the differences on the features of a subset."""
    delta = np.mean(columns, axis=0)
    delta[left_out(len(S), groups)] = np.inf
    nearest = delta.min(axis=1, keepdims=True)  # cancels in the ratio, and nothing underflows
    shares = []
    for width in WIDTHS:
        R = np.exp(-(delta - nearest) / width)
        shares.append((R * S).sum(axis=1) / R.sum(axis=1))
    return np.mean(shares, axis=0)


def soft_dependency(X, S, subset, is_categorical, groups=None):
    """Return Gamma of a subset, a list of column indices."""
    columns = [differences(X[:, a], is_categorical[a]) for a in subset]
    return float(soft_memberships(columns, S, groups).mean())


def standard_error(values, groups=None):
    """Return the standard error of a mean; the sums of groups vary, not their samples."""
    apart = values - np.mean(values)
    groups = np.arange(len(values)) if groups is None else np.asarray(groups)
    sums = np.array([apart[groups == one].sum() for one in np.unique(groups)])
    return np.sqrt((sums**2).sum() * len(sums) / (len(sums) - 1)) / len(values)


def neighbor_shares(columns, groups=None, most=5):
    """Return how much of the k places each other sample has, float64[n, n].

    There are five of them, or as many as there are other samples. Samples at the same distance as
    the last of the k share the places that are left.
    """
    delta = np.sum(columns, axis=0)
    out = left_out(len(delta), groups)
    delta[out] = np.inf
    k = np.minimum(most, (~out).sum(axis=1))[:, None]
    farthest = np.take_along_axis(np.sort(delta, axis=1), k - 1, axis=1)
    tied = np.abs(delta - farthest) <= 1e-9  # up to rounding
    nearer = (delta < farthest) & ~tied
    left = k - nearer.sum(axis=1, keepdims=True)
    return nearer + tied * left / tied.sum(axis=1, keepdims=True)


def wrong_votes(columns, y, groups=None):
    """Return for each sample 0 for a right vote of its neighbors, 1 for a wrong one."""
    votes = neighbor_shares(columns, groups) @ (np.asarray(y)[:, None] == np.unique(y)[None, :])
    best = votes >= votes.max(axis=1, keepdims=True) - 1e-9
    own = np.asarray(y)[:, None] == np.unique(y)[None, :]
    return 1.0 - (best & own).sum(axis=1) / best.sum(axis=1)


def squared_errors(columns, t, groups=None, first=None):
    """Return for each sample the squared error of the mean of its neighbors, in variances."""
    t = np.asarray(t, dtype=np.float64)
    shares = neighbor_shares(columns, groups)
    return (shares @ t / shares.sum(axis=1) - t) ** 2 / t[:first].var(ddof=1)
