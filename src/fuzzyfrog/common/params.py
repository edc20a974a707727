"""Sentences for parameters that make no sense."""

from collections.abc import Iterable
from math import inf
from numbers import Integral, Real

__all__ = [
    "check_count",
    "check_known",
    "check_positive",
    "check_share",
]


def check_count(name: str, value: object, *, least: int = 1) -> None:
    """Raise unless ``value`` is an integer of at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ValueError(f"{name} must be an integer of at least {least}, got {value!r}.")


def check_share(name: str, value: object) -> None:
    """Raise unless ``value`` is a number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1:
        raise ValueError(f"{name} must be a number from 0 to 1, got {value!r}.")


def check_positive(name: str, value: object) -> None:
    """Raise unless ``value`` is a finite number above 0."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < inf:
        raise ValueError(f"{name} must be a finite number above 0, got {value!r}.")


def check_known(name: str, value: object, known: Iterable[str]) -> None:
    """Raise unless ``value`` is one of the known names; the message lists them."""
    known = list(known)
    if value not in known:
        listed = ", ".join(repr(one) for one in known)
        raise ValueError(f"{name} must be one of {listed}, got {value!r}.")
