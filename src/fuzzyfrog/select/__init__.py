"""The scikit-learn estimators, where the measure and the searches meet."""

from fuzzyfrog.select.boosted import BoostedSelector
from fuzzyfrog.select.certify import enumerate_reducts
from fuzzyfrog.select.explain import Explanation, Loss, Pair
from fuzzyfrog.select.selector import FuzzyRoughSelector

__all__ = [
    "BoostedSelector",
    "Explanation",
    "FuzzyRoughSelector",
    "Loss",
    "Pair",
    "enumerate_reducts",
]
