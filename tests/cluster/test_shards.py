"""The algebra of shards, without a cluster."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.made import NEVER, same_bytes
from fuzzyfrog.cluster.sharded import cut, lowest, summed, totals, unite, weigh
from fuzzyfrog.cluster.worker import Packed
from fuzzyfrog.measure.geometry import MARGIN, exact_means
from measure_cases import TNORMS, cases
from strategies import examples


def memberships(measure, n_shards, masks, allowed):
    """Return what every pair of shards says about each of its shards."""
    geometry, found = measure._geometry, {k: [] for k in range(n_shards)}
    parts = [cut(geometry, k, n_shards) for k in range(n_shards)]
    for pair in list(combinations(range(n_shards), 2)) or [(0,)]:
        union = unite(*(parts[k] for k in pair))
        told = weigh(union, Packed.of(masks), allowed, measure._join)
        for k, one in zip(pair, told, strict=True):
            found[k].append(one)
    return found


def score(measure, n_shards, masks, bars):
    n_samples = measure.n_samples
    found = memberships(measure, n_shards, masks, n_samples * (1.0 - bars + MARGIN))
    scores = exact_means(summed([totals(parts) for parts in found.values()]), n_samples)
    return np.where(scores < bars, NEVER, scores)


@pytest.mark.parametrize("tnorm", TNORMS)
@examples(25)
@given(case=cases(), n_shards=st.integers(1, 8), data=st.data())
def test_shards_give_the_scores_of_the_whole_table(tnorm, case, n_shards, data):
    measure = case.measure(tnorm)
    n_shards = min(n_shards, measure.n_samples)
    scores = measure.score(case.masks)
    assert same_bytes(score(measure, n_shards, case.masks, np.full(len(scores), NEVER)), scores)
    bar = data.draw(st.sampled_from([0.5, 1.0, *scores.tolist()]))
    bars = np.full(len(scores), np.nextafter(bar, 2.0))
    expected = np.where(scores < bars, NEVER, scores)
    assert same_bytes(score(measure, n_shards, case.masks, bars), expected)


def test_a_subset_that_one_pair_rules_out_is_given_up_by_all():
    ones, given_up = np.ones((1, 2)), np.full((1, 2), np.nan)
    assert np.isnan(lowest([ones, given_up])).all()
    lost, kept = totals([ones, given_up]), totals([ones, ones])
    assert lost.tolist() == [[-1, -1]]
    assert summed([kept, lost, kept]).tolist() == [[-1, -1]]
    assert exact_means(summed([kept, kept]), 4).tolist() == [1.0]
