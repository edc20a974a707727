"""The fuzzy-rough dependency of subsets of features, exact and fast."""

from fuzzyfrog.measure.approximations import (
    dependency,
    lower_approximation,
    positive_region,
    upper_approximation,
)
from fuzzyfrog.measure.crisp import RoughRegions, rough_regions
from fuzzyfrog.measure.sampling import Estimate, SampledDependency
from fuzzyfrog.measure.scoring import Dependency

__all__ = [
    "Dependency",
    "Estimate",
    "RoughRegions",
    "SampledDependency",
    "dependency",
    "lower_approximation",
    "positive_region",
    "rough_regions",
    "upper_approximation",
]
