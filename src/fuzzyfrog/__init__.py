"""Fuzzy-rough feature selection: the fewest original columns that still separate the classes.

Public names are imported on first use, so that ``import fuzzyfrog`` and the help of the command
line are instant, and Ctrl-C gets its answer from the first moment on.
"""

TYPE_CHECKING = False  # importing typing takes longer than all of this
if TYPE_CHECKING:
    from fuzzyfrog.data import Dataset as Dataset
    from fuzzyfrog.data import date_parts as date_parts
    from fuzzyfrog.data import load_dataset as load_dataset
    from fuzzyfrog.data import read_table as read_table
    from fuzzyfrog.errors import DataError as DataError
    from fuzzyfrog.errors import PredictionWarning as PredictionWarning
    from fuzzyfrog.measure import dependency as dependency
    from fuzzyfrog.measure import lower_approximation as lower_approximation
    from fuzzyfrog.measure import positive_region as positive_region
    from fuzzyfrog.measure import rough_regions as rough_regions
    from fuzzyfrog.measure import soft_dependency as soft_dependency
    from fuzzyfrog.measure import soft_memberships as soft_memberships
    from fuzzyfrog.measure import upper_approximation as upper_approximation
    from fuzzyfrog.report import plot_columns as plot_columns
    from fuzzyfrog.report import plot_front as plot_front
    from fuzzyfrog.report import plot_reducts as plot_reducts
    from fuzzyfrog.result import Result as Result
    from fuzzyfrog.search import Exact as Exact
    from fuzzyfrog.search import Genetic as Genetic
    from fuzzyfrog.search import ParticleSwarm as ParticleSwarm
    from fuzzyfrog.search import QuickReduct as QuickReduct
    from fuzzyfrog.search import ShuffledFrogs as ShuffledFrogs
    from fuzzyfrog.select.cross_validation import check as check
    from fuzzyfrog.select.estimators import FeatureSelector as FeatureSelector
    from fuzzyfrog.select.estimators import ReductSelector as ReductSelector
    from fuzzyfrog.select.estimators import SoftSelector as SoftSelector
    from fuzzyfrog.select.halves import stability as stability
    from fuzzyfrog.select.outcome import enumerate_reducts as enumerate_reducts

    __version__: str

_NAMES = {
    "data": ("Dataset", "date_parts", "load_dataset", "read_table"),
    "errors": ("DataError", "PredictionWarning"),
    "measure": (
        "dependency",
        "lower_approximation",
        "positive_region",
        "rough_regions",
        "soft_dependency",
        "soft_memberships",
        "upper_approximation",
    ),
    "report": ("plot_columns", "plot_front", "plot_reducts"),
    "result": ("Result",),
    "search": ("Exact", "Genetic", "ParticleSwarm", "QuickReduct", "ShuffledFrogs"),
    "select.cross_validation": ("check",),
    "select.estimators": ("FeatureSelector", "ReductSelector", "SoftSelector"),
    "select.halves": ("stability",),
    "select.outcome": ("enumerate_reducts",),
}
_HOMES = {name: f"fuzzyfrog.{module}" for module, names in _NAMES.items() for name in names}

__all__ = sorted([*_HOMES, "__version__"])


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
