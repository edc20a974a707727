"""The fuzzy-rough dependency of subsets of features, exact and fast."""

from fuzzyfrog.measure.dependency import Dependency
from fuzzyfrog.measure.functions import (
    RoughRegions,
    dependency,
    lower_approximation,
    positive_region,
    rough_regions,
    upper_approximation,
)
from fuzzyfrog.measure.sampled import Estimate, SampledDependency
from fuzzyfrog.measure.soft import SoftDependency

__all__ = [
    "Dependency",
    "Estimate",
    "RoughRegions",
    "SampledDependency",
    "SoftDependency",
    "dependency",
    "lower_approximation",
    "positive_region",
    "rough_regions",
    "upper_approximation",
]
