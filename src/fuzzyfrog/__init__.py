"""Fuzzy-rough feature selection: the fewest original columns that still separate the classes.

Public names are imported on first use, so that ``import fuzzyfrog`` and the help of the command
line are instant, and Ctrl-C gets its answer from the first moment on.
"""

TYPE_CHECKING = False  # importing typing takes longer than all of this
if TYPE_CHECKING:
    from fuzzyfrog.data import Dataset, date_parts, load_dataset, read_table
    from fuzzyfrog.errors import DataError, PredictionWarning
    from fuzzyfrog.measure import (
        dependency,
        lower_approximation,
        positive_region,
        rough_regions,
        soft_dependency,
        soft_memberships,
        upper_approximation,
    )
    from fuzzyfrog.report import plot_columns, plot_front, plot_reducts
    from fuzzyfrog.result import Result
    from fuzzyfrog.search import Exact, Genetic, ParticleSwarm, QuickReduct, ShuffledFrogs
    from fuzzyfrog.select.cross_validation import check
    from fuzzyfrog.select.estimators import FeatureSelector, ReductSelector, SoftSelector
    from fuzzyfrog.select.halves import stability
    from fuzzyfrog.select.outcome import enumerate_reducts

    __version__: str

__all__ = [
    "DataError",
    "Dataset",
    "Exact",
    "FeatureSelector",
    "Genetic",
    "ParticleSwarm",
    "PredictionWarning",
    "QuickReduct",
    "ReductSelector",
    "Result",
    "ShuffledFrogs",
    "SoftSelector",
    "__version__",
    "check",
    "date_parts",
    "dependency",
    "enumerate_reducts",
    "load_dataset",
    "lower_approximation",
    "plot_columns",
    "plot_front",
    "plot_reducts",
    "positive_region",
    "read_table",
    "rough_regions",
    "soft_dependency",
    "soft_memberships",
    "stability",
    "upper_approximation",
]

_HOMES = {
    "DataError": "fuzzyfrog.errors",
    "Dataset": "fuzzyfrog.data",
    "Exact": "fuzzyfrog.search",
    "FeatureSelector": "fuzzyfrog.select.estimators",
    "Genetic": "fuzzyfrog.search",
    "ParticleSwarm": "fuzzyfrog.search",
    "PredictionWarning": "fuzzyfrog.errors",
    "QuickReduct": "fuzzyfrog.search",
    "ReductSelector": "fuzzyfrog.select.estimators",
    "Result": "fuzzyfrog.result",
    "ShuffledFrogs": "fuzzyfrog.search",
    "SoftSelector": "fuzzyfrog.select.estimators",
    "check": "fuzzyfrog.select.cross_validation",
    "date_parts": "fuzzyfrog.data",
    "dependency": "fuzzyfrog.measure",
    "enumerate_reducts": "fuzzyfrog.select.outcome",
    "load_dataset": "fuzzyfrog.data",
    "lower_approximation": "fuzzyfrog.measure",
    "plot_columns": "fuzzyfrog.report",
    "plot_front": "fuzzyfrog.report",
    "plot_reducts": "fuzzyfrog.report",
    "positive_region": "fuzzyfrog.measure",
    "read_table": "fuzzyfrog.data",
    "rough_regions": "fuzzyfrog.measure",
    "soft_dependency": "fuzzyfrog.measure",
    "soft_memberships": "fuzzyfrog.measure",
    "stability": "fuzzyfrog.select.halves",
    "upper_approximation": "fuzzyfrog.measure",
}


def __getattr__(name: str) -> object:
    from fuzzyfrog.common.deadline import whole_import

    if name == "__version__":
        value: object = whole_import("importlib.metadata").version("fuzzyfrog")
    elif name in _HOMES:
        value = getattr(whole_import(_HOMES[name]), name)
    else:
        raise AttributeError(f"module 'fuzzyfrog' has no attribute {name!r}")
    globals()[name] = value  # found without this function next time
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
