"""value = factor · (weight ** exponent + base), fitted to what was measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

__all__ = ["Points", "PowerLaw", "fitted"]

Points = Mapping[str, Sequence[tuple[float, float]]]
Floats = NDArray[np.float64]

EXPONENTS = (0.5, 0.75, 1.0, 1.25, 1.5, 2.0)
# The base as a multiple of what the weight of the middle table contributes: none, up to nearly all.
BASES = (0.0, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
# What an exponent other than 1 must gain, in logarithms summed over the tables: a few tables of
# about one size fit any exponent, and a wrong one is off by orders of magnitude on a large table.
DOUBT = 5.0


@dataclass(frozen=True)
class PowerLaw:
    """How a value grows with a weight.

    Attributes
    ----------
    factor : float
        What a unit is worth.
    exponent : float
        How the value of large weights grows.
    base : float
        Units that any weight costs.
    """

    factor: float
    exponent: float
    base: float

    def at(self, weight: float) -> float:
        """Give the value at a weight."""
        return float(self.factor * (weight**self.exponent + self.base))


def fitted(points: Points, share: float = 0.5, least: float = 1e-3) -> PowerLaw | None:
    """Fit a law below which a share of the values lie, every table with the same say.

    Parameters
    ----------
    points : mapping of str to sequence of (float, float)
        Weights and values, all above 0, by table.
    share : float
        Of the values of each table, and of the tables: 0.5 fits their middle.
    least : float
        What smaller values count as: below it clocks tell little.

    Returns
    -------
    PowerLaw or None
        None without points.
    """
    tables = [np.maximum(np.array(one), [1.0, least]) for one in points.values() if one]
    if not tables:
        return None
    weights = np.array([np.median(one[:, 0]) for one in tables])
    values = np.array([np.quantile(one[:, 1], share) for one in tables])
    # The plainest law is tried first, and stays unless another is really better.
    grid = sorted(product(EXPONENTS, BASES), key=lambda one: (abs(one[0] - 1), one[1]))
    tried = [_tried(weights, values, share, *one) for one in grid]
    return min(tried, key=lambda one: round(one[0], 9))[1]


def _tried(
    weights: Floats, values: Floats, share: float, exponent: float, base: float
) -> tuple[float, PowerLaw]:
    """Give the loss of an exponent and a base with the best factor, and their law."""
    units = weights**exponent
    base_units = base * float(np.median(units))
    left = np.log(values) - np.log(units + base_units)
    middle = float(np.quantile(left, share))
    errors = left - middle
    loss = np.maximum(share * errors, (share - 1) * errors).sum() + DOUBT * (exponent - 1) ** 2
    return float(loss), PowerLaw(float(np.exp(middle)), exponent, base_units)
