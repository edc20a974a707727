"""Whatever people give as a random state -> one integer."""

import os
from collections.abc import Iterable, Sequence
from numbers import Real

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from fuzzyfrog.common.messages import close_to, listed, shown
from fuzzyfrog.common.params import check_count
from fuzzyfrog.data import Dataset
from fuzzyfrog.errors import DataError
from fuzzyfrog.measure.functions import feature_mask
from fuzzyfrog.search import Callback, Search
from fuzzyfrog.search.registry import SEARCHES

__all__ = [
    "RandomState",
    "check_certify",
    "check_checkpoint",
    "check_share",
    "check_size",
    "check_verbose",
    "checked_callbacks",
    "is_index",
    "named_features",
    "search_of",
    "seed_of",
    "selected_index",
    "wished_features",
]

RandomState = int | np.random.RandomState | np.random.Generator | None

HIGHEST = 2**32 - 1  # as in scikit-learn


def seed_of(random_state: object) -> int:
    """Return the seed of a fit.

    Parameters
    ----------
    random_state : None, int, RandomState or Generator
        An integer is the seed itself. A generator is asked for a number, so that every fit has
        a seed of its own; None stands for NumPy's global generator.
    """
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool):
        if 0 <= random_state <= HIGHEST:
            return int(random_state)
        raise ValueError(f"random_state must be from 0 to {HIGHEST}, got {random_state}.")
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(HIGHEST))
    if random_state is None or isinstance(random_state, np.random.RandomState):
        return int(check_random_state(random_state).randint(2**31 - 1))
    raise ValueError(
        "random_state must be None, an integer, a RandomState or a Generator, "
        f"got {shown(random_state)}. Pass an integer to get the same result every time."
    )


def search_of(search: object) -> Search:
    """Return the search that a name stands for, or the instance itself."""
    if isinstance(search, str) and search in SEARCHES:
        return SEARCHES[search]()
    is_instance = hasattr(search, "propose") and hasattr(search, "get_params")
    if is_instance and not isinstance(search, type):
        return search  # type: ignore[return-value]
    raise ValueError(
        f"search must be one of {listed(SEARCHES)} or an instance such as ShuffledFrogs(), "
        f"got {shown(search)}."
    )


def named_features(parameter: str, features: object, dataset: Dataset) -> NDArray[np.bool_]:
    """Return the features that a parameter names, by name, index or mask; None names none."""
    if features is None:
        return np.zeros(dataset.n_features, np.bool_)
    try:
        return feature_mask(features, dataset)
    except DataError as error:
        raise DataError(f"{parameter}: {error}") from None


def wished_features(
    must_include: object, exclude: object, dataset: Dataset
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the features that must be in and those that must stay out; none may be both."""
    included = named_features("must_include", must_include, dataset)
    excluded = named_features("exclude", exclude, dataset)
    both = [dataset.feature_names[feature] for feature in np.flatnonzero(included & excluded)]
    if both:
        raise ValueError(
            f"must_include and exclude must not meet, got {listed(both)} in both. "
            "Remove these features from one of them."
        )
    return included, excluded


def is_index(value: object) -> bool:
    """Return whether a value is an integer, of Python or of NumPy."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def selected_index(
    feature: object, selected: Sequence[int], names: Sequence[str], known: Iterable[str]
) -> int:
    """Return the index of a selected feature that is named by its name or its index."""
    if feature in names:
        return selected[list(names).index(str(feature))]
    if is_index(feature) and feature in selected:
        return selected[selected.index(feature)]
    raise ValueError(
        f"feature must be the name or the index of a selected feature, got {shown(feature)}"
        f"{_why_not(feature, names, known)} Selected: {listed(names)} ({listed(selected)})."
    )


def _why_not(feature: object, names: Sequence[str], known: Iterable[str]) -> str:
    if not isinstance(feature, str):
        return "."
    if feature in set(known):
        return ", which is a feature but not selected."
    close = close_to(feature, names)
    return f". Did you mean {shown(close[0])}?" if close else "."


def check_share(parameter: str, value: object) -> None:
    """Raise unless the value is a number above 0 and at most 1."""
    is_number = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
    if not is_number or not 0 < float(value) <= 1:  # type: ignore[arg-type]
        raise ValueError(
            f"{parameter} must be a number above 0 and at most 1, got {shown(value)}. "
            "1 keeps all that the features together tell."
        )


def checked_callbacks(callbacks: object) -> Sequence[Callback]:
    """Return the callbacks as a list."""
    items = list(callbacks) if isinstance(callbacks, Iterable) else [callbacks]
    if not isinstance(callbacks, Iterable) or not all(callable(item) for item in items):
        raise ValueError(
            f"callbacks must be a list of functions, got {shown(callbacks)}. "
            "Each is called with a Moment after every batch and stops the run by returning True."
        )
    return items  # type: ignore[return-value]


def check_size(n_features_to_select: object) -> None:
    """Raise unless the number of features to select is one, or left to the search."""
    if n_features_to_select is not None:
        check_count("n_features_to_select", n_features_to_select)


def check_verbose(verbose: object) -> None:
    """Raise unless the value is a count; booleans, which scikit-learn users know, are 0 and 1."""
    check_count("verbose", int(verbose) if isinstance(verbose, bool) else verbose, least=0)


def check_certify(certify: object) -> None:
    """Raise unless the value is true or false."""
    if not isinstance(certify, bool | np.bool_):
        raise ValueError(f"certify must be True or False, got {shown(certify)}.")


def check_checkpoint(checkpoint: object, random_state: object) -> None:
    """Raise unless the checkpoint is a path, and the run one that can be repeated."""
    if checkpoint is None:
        return
    if not isinstance(checkpoint, str | os.PathLike):
        raise ValueError(f"checkpoint must be None or a path, got {shown(checkpoint)}.")
    if random_state is None:
        raise ValueError(
            "random_state must be given together with checkpoint, got None. "
            "Pass an integer: a run is resumed with the seed that it was started with."
        )
