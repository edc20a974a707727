"""A few values of a numeric target that lie so far out that R² is about little else."""

import numpy as np

from fuzzyfrog.common.arrays import Floats, Masks

FENCE = 3.0  # interquartile ranges from the quartiles: "far out" in a box plot (Tukey 1977)
FEW = 0.05  # of the samples
MOST = 0.5  # of the squared distances to the mean, by which R² compares


def far_out(target: Floats) -> Masks:
    """Return which values are far out, if they are few and R² depends on them; else none."""
    values = target / max(np.abs(target).max(), np.finfo(np.float64).tiny)
    low, high = np.quantile(values, (0.25, 0.75))
    reach = FENCE * (high - low)
    is_far = (values < low - reach) | (values > high + reach)
    squares = (values - values.mean()) ** 2
    is_small = reach == 0 or is_far.mean() > FEW or squares[is_far].sum() <= MOST * squares.sum()
    return np.zeros_like(is_far) if is_small else is_far


def told(target: Floats, is_far: Masks) -> tuple[str, str]:
    """Return which values are far out, without a period, and a pronoun for them."""
    n_far = np.count_nonzero(is_far)
    values = sorted(target[is_far], key=lambda one: -abs(one - np.median(target)))
    more = f" and {n_far - 3:,} more" if n_far > 3 else ""
    named = f"{', '.join(f'{one:.4g}'.replace('-', '−') for one in values[:3])}{more}"
    lie, them = ("values of the target lie", "them") if n_far > 1 else (
        "value of the target lies", "it")  # fmt: skip
    return f"{n_far:,} {lie} far out ({named}), and R² depends on {them}", them
