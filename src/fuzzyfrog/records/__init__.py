"""The record of a run, in plain types that can be saved and sent."""

from fuzzyfrog.records.certificate import Certificate
from fuzzyfrog.records.check import Check, ModelScores, NoiseGuard
from fuzzyfrog.records.parts import (
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
    Sampling,
    TableSummary,
    TargetSummary,
    WorseSample,
)
from fuzzyfrog.records.run import Run, Versions

__all__ = [
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
    "Run",
    "Sampling",
    "TableSummary",
    "TargetSummary",
    "Versions",
    "WorseSample",
]
