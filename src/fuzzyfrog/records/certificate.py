"""The proof that no better subset exists, or how far it got."""

from dataclasses import dataclass
from typing import Literal

from fuzzyfrog.common.messages import count

Claim = Literal["fewest", "size", "product"]

_BETTER = {
    "size": "no other subset of {size} has a higher dependency",
    "product": "no subset has a larger product than the best one, of {size}",
}


@dataclass(frozen=True)
class Certificate:
    """What was proved about the best subsets.

    Attributes
    ----------
    proven : bool
        Whether no subset is better, by proof.
    lower_bound : int
        No allowed subset with fewer features is as good, by proof, even if `proven` is False.
        If the size was given, it is that size, since no other is allowed.
    size : int
        Number of features of the best known subsets.
    n_reducts : int
        Number of known subsets that are as good as the best one.
    all_listed : bool
        Whether these are all of them, by proof.
    claim : {"fewest", "size", "product"}
        What better means: fewer features that reach the dependency asked for, a higher
        dependency with as many features, or a larger dependency · (1 - size / all features).

    Examples
    --------
    >>> from fuzzyfrog.records import Certificate
    >>> print(Certificate(True, 5, 5, n_reducts=343, all_listed=True))
    Proven for these samples: 5 features are the fewest. There are exactly 343 such subsets.
    >>> print(Certificate(False, 4, 7, n_reducts=12, all_listed=False))
    Not proven: the fewest are between 4 and 7 features (gap 3). 12 subsets of 7 are known.
    """

    proven: bool
    lower_bound: int
    size: int
    n_reducts: int
    all_listed: bool
    claim: Claim = "fewest"

    def __post_init__(self) -> None:
        if self.lower_bound > self.size:
            raise ValueError(
                f"lower_bound must be at most size, {self.size}, got {self.lower_bound}."
            )

    @property
    def gap(self) -> int:
        """How many fewer features might be enough: `size` minus `lower_bound`, 0 if proven."""
        return 0 if self.proven else self.size - self.lower_bound

    def __str__(self) -> str:
        if self.proven:
            return f"Proven for these samples: {self._claimed()}. {self._counted()}"
        if self.claim != "fewest":
            return f"Not proven: that {self._claimed()}. {self._counted()}"
        between = f"between {self.lower_bound} and {_features(self.size)} (gap {self.gap})"
        known = count(self.n_reducts, "subset") + f" of {self.size}"
        is_known = "is known" if self.n_reducts == 1 else "are known"
        return f"Not proven: the fewest are {between}. {known} {is_known}."

    def _claimed(self) -> str:
        if self.claim == "fewest":
            return f"{_features(self.size)} {'is' if self.size == 1 else 'are'} the fewest"
        return _BETTER[self.claim].format(size=_features(self.size))

    def _counted(self) -> str:
        there = "There is" if self.n_reducts == 1 else "There are"
        how_many = "exactly" if self.all_listed else "at least"
        return f"{there} {how_many} {count(self.n_reducts, 'such subset')}."


def _features(number: int) -> str:
    return count(number, "feature")
