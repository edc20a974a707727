"""The record of a run, in plain types that can be saved and sent."""

from fuzzyfrog.records.certificate import Certificate
from fuzzyfrog.records.parts import (
    Alike,
    AmbiguousSample,
    Cell,
    ClassCount,
    ExamplePair,
    FeatureExplanation,
    FeatureSet,
    FeatureSummary,
    FrontPoint,
    HistoryPoint,
    Reduct,
    RowNames,
    Sampling,
    TableSummary,
    TargetSummary,
    WorseSample,
)
from fuzzyfrog.records.run import Run, Versions

__all__ = [
    "Alike",
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
    "RowNames",
    "Run",
    "Sampling",
    "TableSummary",
    "TargetSummary",
    "Versions",
    "WorseSample",
]
