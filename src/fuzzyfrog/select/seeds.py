"""Whatever people give as a random state -> one integer."""

import numpy as np
from sklearn.utils import check_random_state

from fuzzyfrog.data.wording import shown

__all__ = ["RandomState", "seed_of"]

RandomState = int | np.random.RandomState | np.random.Generator | None

HIGHEST = 2**32 - 1  # as in scikit-learn


def seed_of(random_state: object) -> int:
    """Give the seed of a fit.

    Parameters
    ----------
    random_state : None, int, RandomState or Generator
        An integer is the seed itself. A generator is asked for a number, so that every fit has
        a seed of its own; None stands for NumPy's global generator.
    """
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool):
        if 0 <= random_state <= HIGHEST:
            return int(random_state)
        raise ValueError(f"random_state must be from 0 to {HIGHEST}, got {random_state}.")
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(HIGHEST))
    if random_state is None or isinstance(random_state, np.random.RandomState):
        return int(check_random_state(random_state).randint(2**31 - 1))
    raise ValueError(
        "random_state must be None, an integer, a RandomState or a Generator, "
        f"got {shown(random_state)}. Pass an integer to get the same result every time."
    )
