"""The algebra of shards, without a cluster."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.made import NEVER, same_bytes
from fuzzyfrog.cluster.measure import weigh_pair
from fuzzyfrog.cluster.worker import stamp
from fuzzyfrog.measure import Dependency
from measure_cases import TNORMS, cases
from strategies import examples


def score(measure, n_shards, masks, bars):
    """Return scores from the smallest memberships in all pairs of shards."""
    geometry = measure._geometry
    lowest, allowed = np.ones((len(masks), measure.n_samples)), measure._may_lose(bars)
    parts = [geometry.take(np.arange(k, geometry.n_samples, n_shards)) for k in range(n_shards)]
    bits = np.packbits(masks, axis=1)
    for pair in list(combinations(range(n_shards), 2)) or [(0,)]:
        told = weigh_pair(stamp(), bits, allowed, measure._join, *(parts[k] for k in pair))
        for k, one in zip(pair, told, strict=True):
            lowest[:, k::n_shards] = np.minimum(lowest[:, k::n_shards], one)
    scores = np.array([NEVER if np.isnan(one).any() else measure._mean(one) for one in lowest])
    return np.where(scores < bars, NEVER, scores)


@pytest.mark.parametrize("tnorm", TNORMS)
@examples(25)
@given(case=cases(), n_shards=st.integers(1, 8), data=st.data())
def test_shards_give_the_scores_of_the_whole_table(tnorm, case, n_shards, data):
    measure = case.measure(tnorm)
    if data.draw(st.booleans()):
        weights = data.draw(st.lists(st.integers(1, 9), min_size=measure.n_samples,
                                     max_size=measure.n_samples))  # fmt: skip
        measure = Dependency(
            replace(measure.dataset, weights=np.array(weights, float)), tnorm=tnorm, **case.keywords
        )
    n_shards = min(n_shards, measure.n_samples)
    scores = measure.score(case.masks)
    assert same_bytes(score(measure, n_shards, case.masks, np.full(len(scores), NEVER)), scores)
    bar = data.draw(st.sampled_from([0.5, 1.0, *scores.tolist()]))
    bars = np.full(len(scores), np.nextafter(bar, 2.0))
    expected = np.where(scores < bars, NEVER, scores)
    assert same_bytes(score(measure, n_shards, case.masks, bars), expected)
