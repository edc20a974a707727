"""The result of a selection, in plain types that can be saved and shared."""

from fuzzyfrog.result.check import Check, Difference, ModelScores, NoiseGuard
from fuzzyfrog.result.columns import Column, Replacement
from fuzzyfrog.result.parts import (
    Alike,
    AmbiguousSample,
    Cell,
    Certificate,
    ClassCount,
    DataSample,
    Example,
    Explanation,
    FeatureSummary,
    HistoryPoint,
    RowNames,
    SampledColumn,
    Sampling,
    Subset,
    TableSummary,
    TargetSummary,
)
from fuzzyfrog.result.result import Reducts, Result, Scored, SoftPath, Versions

__all__ = [
    "Alike",
    "AmbiguousSample",
    "Cell",
    "Certificate",
    "Check",
    "ClassCount",
    "Column",
    "DataSample",
    "Difference",
    "Example",
    "Explanation",
    "FeatureSummary",
    "HistoryPoint",
    "ModelScores",
    "NoiseGuard",
    "Reducts",
    "Replacement",
    "Result",
    "RowNames",
    "SampledColumn",
    "Sampling",
    "Scored",
    "SoftPath",
    "Subset",
    "TableSummary",
    "TargetSummary",
    "Versions",
]
