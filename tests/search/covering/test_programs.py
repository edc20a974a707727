import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzzyfrog.search.covering.linear_program import smallest_cover
from fuzzyfrog.search.protocol import Rows
from search.covering.instances import choices, problems, smallest_size

some = settings(deadline=None, max_examples=100)


@some
@given(st.data())
def test_cover_is_the_smallest_and_the_bound_its_size(data):
    rows = data.draw(problems())
    fixed, allowed = data.draw(choices(rows.n_features))
    size = smallest_size(rows, fixed, allowed)
    answer = smallest_cover(rows, fixed=fixed, allowed=allowed, n_nodes=1000)
    if size is None:
        assert answer.cover is None
    else:
        assert rows.covered_by(answer.cover)
        assert answer.cover.sum() == answer.lower_bound == size


def test_a_row_that_is_broken_by_less_than_the_tolerance_is_broken():
    """Two features fill the row up to a millionth; a third is needed."""
    rows = Rows(np.array([[0.5, 0.5 - 1e-6, 0.25]]), np.array([1.0]))
    nothing, everything = np.zeros(3, bool), np.ones(3, bool)
    answer = smallest_cover(rows, fixed=nothing, allowed=everything, n_nodes=1000)
    assert answer.cover.all()


def test_few_nodes_give_a_bound_that_holds():
    rng = np.random.default_rng(0)
    rows = Rows((rng.random((60, 30)) < 0.15).astype(float), np.ones(60))
    rows = rows.take(rows.weights.any(axis=1))
    nothing, everything = np.zeros(30, bool), np.ones(30, bool)
    hasty = smallest_cover(rows, fixed=nothing, allowed=everything, n_nodes=1)
    full = smallest_cover(rows, fixed=nothing, allowed=everything, n_nodes=100_000)
    assert hasty.lower_bound <= full.lower_bound == full.cover.sum()
