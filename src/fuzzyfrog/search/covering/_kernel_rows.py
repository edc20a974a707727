# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Comparison of every row with every other: the loops."""

from fuzzyfrog.jit import kernel

__all__ = ["mark_implied"]


@kernel
def mark_implied(weights, needed, is_implied):
    """Mark rows that follow from another row that is not marked.

    Parameters
    ----------
    weights : float64[n_rows, n_features]
        Weights, cut at what the row needs.
    needed : float64[n_rows]
        What each row needs, falling.
    is_implied : bool[n_rows]
        The answer; all False before.
    """
    n_rows, n_features = weights.shape
    for later in range(n_rows):
        for row in range(later):
            if is_implied[row]:
                continue
            feature = 0
            while feature < n_features and (
                min(weights[row, feature], needed[later]) <= weights[later, feature]
            ):
                feature += 1
            if feature == n_features:
                is_implied[later] = True
                break
