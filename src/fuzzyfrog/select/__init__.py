"""The scikit-learn estimators: here the measure and the searches meet."""

from fuzzyfrog.select.boosted import BoostedSelector
from fuzzyfrog.select.enumeration import enumerate_reducts
from fuzzyfrog.select.evidence import Explanation, Pair
from fuzzyfrog.select.selector import FuzzyRoughSelector

__all__ = ["BoostedSelector", "Explanation", "FuzzyRoughSelector", "Pair", "enumerate_reducts"]
