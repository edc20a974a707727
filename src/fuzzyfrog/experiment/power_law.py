"""value = constant · weight ** exponent, fitted to what was measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

__all__ = ["Points", "PowerLaw", "fitted"]

Points = Mapping[str, Sequence[tuple[float, float]]]

# A few small tables tell little about large ones. So the exponent starts at 1, and only tables
# whose weights are far apart pull it away: this is the spread (a sum of squared logarithms) that
# pulls half the way. Ten tables that span a factor of ten have about as much.
DOUBT = 5.0
STEEPEST = 2.0
STALL = 10.0  # a cell that took this many times as long as expected was held up


@dataclass(frozen=True)
class PowerLaw:
    """How a value grows with a weight.

    Attributes
    ----------
    constant : float
        The value at weight 1.
    exponent : float
        From 0, it does not grow.
    """

    constant: float
    exponent: float

    def at(self, weight: float) -> float:
        """Give the value at a weight."""
        return float(self.constant * weight**self.exponent)


def fitted(points: Points, least: float = 1e-3) -> PowerLaw | None:
    """Fit a law in logarithms, every table with the same say in the exponent.

    Parameters
    ----------
    points : mapping of str to sequence of (float, float)
        Weights and values, all above 0, by table; a value that is far above the law counts as
        `STALL` times as much at most.
    least : float
        What smaller values count as: below it clocks tell little.

    Returns
    -------
    PowerLaw or None
        None without points.
    """
    tables = [np.log(np.maximum(np.array(one), [1.0, least])) for one in points.values() if one]
    if not tables:
        return None
    weights, values = np.array([np.median(one, axis=0) for one in tables]).T
    centered = weights - weights.mean()
    pull = float((centered * values).sum() + DOUBT) / float((centered**2).sum() + DOUBT)
    exponent = min(max(pull, 0.0), STEEPEST)
    every = np.concatenate(tables)
    left = every[:, 1] - exponent * every[:, 0]
    middle = np.median(left)
    mean = np.minimum(np.exp(left - middle), STALL).mean()
    return PowerLaw(float(np.exp(middle) * mean), exponent)
