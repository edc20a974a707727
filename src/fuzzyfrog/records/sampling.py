"""How the dependencies of a run were estimated, where not all samples were measured."""

from dataclasses import dataclass
from math import ceil, floor

__all__ = ["Sampling"]


@dataclass(frozen=True)
class Sampling:
    """A run whose dependencies are those of a random part of the samples.

    Attributes
    ----------
    n_sampled : int
        Samples that every subset was measured on; their enemies were looked for among all.
    low, high : float
        The interval for the dependency of the selected features on all samples. It comes from
        other samples than the search saw.
    confidence : float
        The probability with which it holds.
    """

    n_sampled: int
    low: float
    high: float
    confidence: float

    def told(self, n_samples: int) -> str:
        """Give the end of a sentence about a dependency that was estimated."""
        low, high = floor(1000 * self.low) / 1000, ceil(1000 * self.high) / 1000
        return (
            f"estimated from {self.n_sampled:,} of {n_samples:,} samples, {self.confidence:.0%} "
            f"interval for the dependency of the selected features [{low:.3f}, {high:.3f}]"
        )
