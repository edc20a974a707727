"""What filters, trees and proofs rely on, of every t-norm that joins similarities."""

import numpy as np
import pytest

from fuzzyfrog.common.tnorms import CODES, PRODUCT, both


@pytest.mark.parametrize("code", [code for code in CODES.values() if code >= PRODUCT])
def test_a_joined_similarity_exceeds_neither_part(code):
    edges = [0.0, 5e-324, 1e-300, 2.0**-50, 1.0 - 2.0**-53, 1.0]
    values = np.concatenate([edges, np.random.default_rng(0).random(200)])
    first, second = values[:, None], values[None, :]
    assert np.all(both(first, second, code) <= np.minimum(first, second))
    assert np.array_equal(both(1.0, values, code), values)
