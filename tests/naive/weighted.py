"""The soft dependency of samples with masses, as its definition reads; n x n, no package.

A sample of mass 2 is two samples with the same values that are not compared with each other. All
sums over samples and over pairs are written with masses in place of these copies.
"""

import numpy as np

WIDTHS = (0.1, 0.2, 0.4)


def spread(values, masses):
    """Return the standard deviation, with one sample less than there are."""
    mean = (masses * values).sum() / masses.sum()
    return np.sqrt((masses * (values - mean) ** 2).sum() / (masses.sum() - 1))


def differences(column, is_categorical, masses):
    """Return d_a for all pairs; a gap differs as much as known pairs, and copies, on average."""
    known = ~np.isnan(column)
    apart = np.abs(column[:, None] - column[None, :])
    if is_categorical:
        apart = np.where(np.isnan(apart), np.nan, (apart > 0).astype(float))
    x, m = column[known], masses[known]
    if len(x) < 2 or x.min() == x.max():
        return np.zeros_like(apart)
    pairs = m.sum() * (m.sum() - 1)  # a copy differs from its original by 0
    among = (m[:, None] * m[None, :] * apart[np.ix_(known, known)]).sum() / pairs
    unit = np.sqrt(among / 2) if is_categorical else spread(x, m)
    return np.where(np.isnan(apart), among, apart) / unit


def out(n, groups):
    """Return which samples do not count for another one: itself, and those of its group."""
    groups = np.arange(n) if groups is None else np.asarray(groups)
    return groups[:, None] == groups[None, :]


def likeness(target, is_numeric, masses):
    """Return S."""
    if not is_numeric:
        return (target[:, None] == target[None, :]).astype(float)
    unit = spread(target, masses) if target.min() != target.max() else np.inf
    return np.maximum(0.0, 1.0 - np.abs(target[:, None] - target[None, :]) / unit)


def memberships(columns, S, masses, groups=None):
    """Return mu of each sample."""
    delta = np.mean(columns, axis=0)
    delta[out(len(S), groups)] = np.inf
    delta -= delta.min(axis=1, keepdims=True)
    found = []
    for width in WIDTHS:
        R = np.exp(-delta / width) * masses
        found.append((R * S).sum(axis=1) / R.sum(axis=1))
    return np.mean(found, axis=0)


def chance(S, masses, groups=None):
    """Return the mean likeness of the others, averaged over the samples."""
    others = ~out(len(S), groups) * masses
    return np.average((others * S).sum(axis=1) / others.sum(axis=1), weights=masses)


def losses(columns, target, is_numeric, masses, groups=None):
    """Return how wrong the neighbors are that fill five places, or all others."""
    delta, found = np.sum(columns, axis=0), []
    for x, is_out in enumerate(out(len(delta), groups)):
        others = np.flatnonzero(~is_out)
        others = others[np.argsort(delta[x, others], kind="stable")]
        n_places = min(5.0, masses[others].sum())
        filled = np.cumsum(masses[others])
        farthest = delta[x, others[np.flatnonzero(filled >= n_places)[0]]]
        is_tied = np.abs(delta[x, others] - farthest) <= 1e-9
        nearer, tied = others[(delta[x, others] < farthest) & ~is_tied], others[is_tied]
        left = (n_places - masses[nearer].sum()) / masses[tied].sum()
        shares = dict(zip(nearer, masses[nearer], strict=True))
        shares |= dict(zip(tied, left * masses[tied], strict=True))
        if is_numeric:
            mean = sum(shares[y] * target[y] for y in shares) / n_places
            found.append(((mean - target[x]) / spread(target, masses)) ** 2)
            continue
        votes = {c: sum(shares[y] for y in shares if target[y] == c) for c in np.unique(target)}
        best = [c for c in votes if votes[c] >= max(votes.values()) - 1e-9]
        found.append(1 - (target[x] in best) / len(best))
    return np.array(found)


def standard_error(values, masses, groups=None):
    """Return the standard error of a mean by masses; groups are what varies."""
    groups = np.arange(len(values)) if groups is None else np.asarray(groups)
    apart = masses * (values - np.average(values, weights=masses))
    sums = np.array([apart[groups == one].sum() for one in np.unique(groups)])
    return np.sqrt((sums**2).sum() * len(sums) / (len(sums) - 1)) / masses.sum()
