"""Random states of every kind become one seed."""

import numpy as np
import pytest

from fuzzyfrog.select.settings import seed_of


@pytest.mark.parametrize("seed", [0, 7, np.int64(7), 2**32 - 1])
def test_an_integer_is_the_seed(seed):
    assert seed_of(seed) == seed
    assert type(seed_of(seed)) is int


@pytest.mark.parametrize("make", [np.random.RandomState, np.random.default_rng])
def test_generators_repeat_from_their_start_and_go_on(make):
    random = make(5)
    first, second = seed_of(random), seed_of(random)
    assert first != second
    assert first == seed_of(make(5))


def test_none_follows_the_global_generator():
    state = np.random.get_state()  # noqa: NPY002 - scikit-learn's convention is what is tested
    try:
        np.random.seed(3)  # noqa: NPY002
        first = seed_of(None), seed_of(None)
        np.random.seed(3)  # noqa: NPY002
        assert (seed_of(None), seed_of(None)) == first
        assert first[0] != first[1]
    finally:
        np.random.set_state(state)  # noqa: NPY002


@pytest.mark.parametrize("seed", [-1, 2**32, np.int64(-3)])
def test_integers_out_of_range_get_a_sentence(seed):
    with pytest.raises(ValueError, match=f"random_state must be from 0 to 4294967295, got {seed}"):
        seed_of(seed)


@pytest.mark.parametrize("seed", ["0", 1.0, True, np.random])
def test_anything_else_gets_a_sentence(seed):
    with pytest.raises(ValueError, match="random_state must be None, an integer, a RandomState"):
        seed_of(seed)
