"""Tables and selectors for the tests of the check."""

from __future__ import annotations

import numpy as np
import pandas as pd

from fuzzyfrog import ReductSelector, SoftSelector

SOFT = SoftSelector(random_state=0)
QUICK = ReductSelector("quickreduct", random_state=0)


def mixed_table(n_samples=120, *, is_numeric=False):
    """Return numbers, categories and gaps, of which the first two columns matter."""
    random = np.random.default_rng(5)
    number = random.normal(size=n_samples)
    group = random.integers(0, 3, n_samples)
    worth = number + np.array([-1.0, 0.0, 1.5])[group] + 0.3 * random.normal(size=n_samples)
    table = pd.DataFrame(
        {
            "number": np.where(random.random(n_samples) < 0.1, np.nan, number),
            "group": pd.Series(np.array(["a", "b", "c"])[group]).where(
                random.random(n_samples) > 0.1
            ),
            "noise": random.normal(size=n_samples),
            "rare": [f"v{k}" for k in random.integers(0, 40, n_samples)],
        }
    )
    return table, worth if is_numeric else np.where(worth > 0, "yes", "no")
