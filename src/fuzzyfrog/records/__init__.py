"""The record of a run, in plain types that can be saved and sent."""

from fuzzyfrog.records.certificate import Certificate
from fuzzyfrog.records.check import Check, ModelScores, NoiseGuard
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
    "Check",
    "ClassCount",
    "ExamplePair",
    "FeatureExplanation",
    "FeatureSet",
    "FeatureSummary",
    "FrontPoint",
    "HistoryPoint",
    "ModelScores",
    "NoiseGuard",
    "Reduct",
    "RowNames",
    "Run",
    "Sampling",
    "TableSummary",
    "TargetSummary",
    "Versions",
    "WorseSample",
]
