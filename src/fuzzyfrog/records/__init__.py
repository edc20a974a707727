"""What a run leaves behind, in plain types that can be saved and sent."""

from fuzzyfrog.records.certificate import Certificate
from fuzzyfrog.records.findings import (
    AmbiguousSample,
    Cell,
    ExamplePair,
    FeatureExplanation,
    FeatureSet,
    HistoryPoint,
)
from fuzzyfrog.records.results import FrontPoint, Reduct
from fuzzyfrog.records.run import Run, Versions
from fuzzyfrog.records.sampling import Sampling
from fuzzyfrog.records.table import ClassCount, FeatureSummary, TableSummary, TargetSummary

__all__ = [
    "AmbiguousSample",
    "Cell",
    "Certificate",
    "ClassCount",
    "ExamplePair",
    "FeatureExplanation",
    "FeatureSet",
    "FeatureSummary",
    "FrontPoint",
    "HistoryPoint",
    "Reduct",
    "Run",
    "Sampling",
    "TableSummary",
    "TargetSummary",
    "Versions",
]
