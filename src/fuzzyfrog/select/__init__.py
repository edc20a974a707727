"""The scikit-learn estimators, where the measure and the searches meet.

Imported on first use: scikit-learn is slow to import, and not all modules here need it.
"""

from typing import TYPE_CHECKING

from fuzzyfrog.common.deadline import whole_import

if TYPE_CHECKING:
    from fuzzyfrog.select.certify import enumerate_reducts
    from fuzzyfrog.select.cross_validation import check
    from fuzzyfrog.select.estimators import FeatureSelector, ReductSelector, SoftSelector
    from fuzzyfrog.select.halves import stability

__all__ = [
    "FeatureSelector",
    "ReductSelector",
    "SoftSelector",
    "check",
    "enumerate_reducts",
    "stability",
]

_HOMES = {
    "FeatureSelector": "fuzzyfrog.select.estimators",
    "ReductSelector": "fuzzyfrog.select.estimators",
    "SoftSelector": "fuzzyfrog.select.estimators",
    "check": "fuzzyfrog.select.cross_validation",
    "enumerate_reducts": "fuzzyfrog.select.certify",
    "stability": "fuzzyfrog.select.halves",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'fuzzyfrog.select' has no attribute {name!r}")
    value: object = getattr(whole_import(_HOMES[name]), name)
    globals()[name] = value  # found without this function next time
    return value
