"""Random small covering problems and their answers by trying every subset."""

from itertools import combinations

import numpy as np
from hypothesis import strategies as st

from fuzzyfrog.search.protocol import Rows


@st.composite
def problems(draw, most_features=8):
    """Rows on a coarse grid, so that ties abound; equal, zero and useless features included."""
    n_features = draw(st.integers(1, most_features))
    n_rows = draw(st.integers(0, 7))
    steps = draw(st.sampled_from([1, 4, 16]))
    cells = draw(
        st.lists(st.integers(0, steps), min_size=n_rows * n_features, max_size=n_rows * n_features)
    )
    weights = np.array(cells, float).reshape(n_rows, n_features) / steps
    if n_features > 2 and draw(st.booleans()):
        weights[:, 1] = weights[:, 0]
    needed = np.array(draw(st.lists(st.integers(1, 2 * steps), min_size=n_rows, max_size=n_rows)))
    needed = needed.astype(float) / steps
    return Rows(np.minimum(weights, needed[:, np.newaxis]), needed)


@st.composite
def choices(draw, n_features):
    """Fixed and allowed features; a fixed one need not be allowed again."""
    kinds = draw(st.lists(st.sampled_from("fa--aaaa"), min_size=n_features, max_size=n_features))
    fixed = np.array([kind == "f" for kind in kinds], bool)
    allowed = np.array([kind in "fa" for kind in kinds], bool)
    return fixed, allowed


def all_covers(rows, size, fixed, allowed):
    """Every cover of a size, by trying."""
    free = np.flatnonzero(allowed & ~fixed).tolist()
    found = set()
    for added in combinations(free, max(0, size - int(fixed.sum()))):
        features = frozenset(np.flatnonzero(fixed).tolist()) | set(added)
        sums = rows.weights[:, sorted(features)].sum(axis=1)
        if len(features) == size and (sums >= rows.needed).all():
            found.add(features)
    return found


def smallest_size(rows, fixed, allowed):
    """Size of the smallest cover, None if there is none."""
    for size in range(int(fixed.sum()), int((fixed | allowed).sum()) + 1):
        if all_covers(rows, size, fixed, allowed):
            return size
    return None


def subset_of(mask):
    return frozenset(np.flatnonzero(mask).tolist())
