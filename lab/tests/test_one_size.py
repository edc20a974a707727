"""The proofs of one size, by the hardest pairs and by relaxations, against all subsets."""

from itertools import combinations

import numpy as np
import pytest

from benchmarks.one_size import begun, first_reduct
from benchmarks.relaxed_size import Pairs, hardest, searched
from fuzzyfrog.measure import Dependency


def by_relaxation(measure, size):
    pairs = Pairs(measure)
    bound, rows = hardest(pairs)
    return searched(pairs, rows, size)[0] if bound <= size else None


PROOFS = {
    "hardest pairs": lambda measure, size: first_reduct(*begun(measure, size, n_rows=5))[0],
    "relaxation": by_relaxation,
}


@pytest.mark.parametrize("proof", PROOFS.values(), ids=PROOFS)
@pytest.mark.parametrize("seed", range(6))
def test_a_subset_of_one_size_is_found_exactly_if_there_is_one(seed, proof):
    random = np.random.default_rng(seed)
    X = random.integers(0, 4, (30, 7)).astype(float)
    X[random.random(X.shape) < 0.1] = np.nan
    measure = Dependency(X, random.integers(0, 3, 30), n_jobs=1)
    enough = measure.score(np.ones((1, 7), bool))[0] - measure.tolerance
    answers = set()
    for size in range(1, 8):
        subsets = [np.isin(np.arange(7), some) for some in combinations(range(7), size)]
        found = proof(measure, size)
        exists = bool((measure.score(np.array(subsets)) >= enough).any())
        assert (found is not None) == exists
        assert found is None or (measure.score(found[None])[0] >= enough and found.sum() <= size)
        answers.add(exists)
    assert answers == {True, False}
