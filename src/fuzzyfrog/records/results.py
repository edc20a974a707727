"""The subsets that a selector gives."""

from dataclasses import dataclass

__all__ = ["FrontPoint", "Reduct"]


@dataclass(frozen=True)
class Reduct:
    """One of the best subsets of features.

    Attributes
    ----------
    features : tuple of int
        Indices of the features, ascending.
    names : tuple of str
        Their names.
    dependency : float
        How well they tell the classes apart, from 0 to 1.
    minimal : bool
        Whether it was checked that no feature can go without the dependency falling below what
        is required (or below its own, if it does not reach that).
    """

    features: tuple[int, ...]
    names: tuple[str, ...]
    dependency: float
    minimal: bool

    @property
    def size(self) -> int:
        """Number of features."""
        return len(self.features)


@dataclass(frozen=True)
class FrontPoint:
    """The best subset met of its size.

    Attributes
    ----------
    features : tuple of int
        Indices of the features, ascending.
    names : tuple of str
        Their names.
    dependency : float
        The highest dependency met with that many features.
    """

    features: tuple[int, ...]
    names: tuple[str, ...]
    dependency: float

    @property
    def size(self) -> int:
        """Number of features."""
        return len(self.features)
