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
    Leak,
    RowNames,
    SampledColumn,
    Sampling,
    Subset,
    TableSummary,
    TargetSummary,
)
from fuzzyfrog.result.result import Reducts, Result, Scored, SoftPath, Versions
from fuzzyfrog.result.stability import Chosen, Stability
from fuzzyfrog.result.verified import BrokenRow, Shift, Verified, VerifiedReduct, VerifiedSoft

__all__ = [
    "Alike",
    "AmbiguousSample",
    "BrokenRow",
    "Cell",
    "Certificate",
    "Check",
    "Chosen",
    "ClassCount",
    "Column",
    "DataSample",
    "Difference",
    "Example",
    "Explanation",
    "FeatureSummary",
    "HistoryPoint",
    "Leak",
    "ModelScores",
    "NoiseGuard",
    "Reducts",
    "Replacement",
    "Result",
    "RowNames",
    "SampledColumn",
    "Sampling",
    "Scored",
    "Shift",
    "SoftPath",
    "Stability",
    "Subset",
    "TableSummary",
    "TargetSummary",
    "Verified",
    "VerifiedReduct",
    "VerifiedSoft",
    "Versions",
]
