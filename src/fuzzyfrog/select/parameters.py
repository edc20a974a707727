"""The parameters of the selectors: what they may be, and what they stand for."""

import os
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.messages import Sentence, Setting, close_to, listed, shown
from fuzzyfrog.common.params import check_count, check_known
from fuzzyfrog.data import Dataset
from fuzzyfrog.errors import DataError, ParameterError
from fuzzyfrog.measure.functions import feature_mask
from fuzzyfrog.search import Callback, Certified, Exact, ExactFront, QuickReduct, Search
from fuzzyfrog.search.registry import SEARCHES
from fuzzyfrog.select.measures import RULES, MeasureSettings

RandomState = int | np.random.RandomState | np.random.Generator | None

HIGHEST_SEED = 2**32 - 1  # as in scikit-learn


def search_of(search: object, settings: MeasureSettings, *, certify: bool) -> tuple[Search, bool]:
    """Return the search for a name or an instance, and whether it proves its result."""
    found = _named_search(search_name(search, settings))
    if (certify or isinstance(found, Exact | ExactFront)) and not settings.is_strict:
        raise ParameterError(
            "certify" if certify else "search",
            "be left out with another measure than the strict one"
            if certify
            else "be another one than 'exact' and 'front' unless the measure is the strict one",
            shown(certify or search),
            "Proofs rest on a dependency that never falls when a feature is added.",
        )
    if isinstance(found, Exact | ExactFront):
        return found, True
    return (Certified(found, Exact()), True) if certify else (found, False)


def search_name(search: object, settings: MeasureSettings) -> object:
    """Return the search that "auto" stands for, or the search as it was given."""
    if isinstance(search, str) and search == "auto":
        return "frogs" if settings.is_strict else "quickreduct"
    return search


def _named_search(search: object) -> Search:
    if isinstance(search, str) and search in SEARCHES:
        return SEARCHES[search]()
    is_instance = hasattr(search, "propose") and hasattr(search, "get_params")
    if is_instance and not isinstance(search, type):
        return search  # type: ignore[return-value]
    rule = f"be one of {listed(['auto', *SEARCHES])} or an instance such as ShuffledFrogs()"
    raise ParameterError("search", rule, shown(search))


def seed_of(random_state: object) -> int:
    """Return the seed of a fit: an integer itself, or a number drawn from a generator."""
    if is_index(random_state):
        if 0 <= random_state <= HIGHEST_SEED:  # type: ignore[operator]
            return int(random_state)  # type: ignore[call-overload, no-any-return]
        raise ParameterError("random_state", f"be from 0 to {HIGHEST_SEED}", str(random_state))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(HIGHEST_SEED))
    if random_state is None:
        return int(np.random.randint(2**31 - 1))  # noqa: NPY002 - as in scikit-learn
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    raise ParameterError(
        "random_state",
        "be None, an integer, a RandomState or a Generator",
        shown(random_state),
        "Pass an integer to get the same result every time.",
    )


def constrained_features(
    must_include: object, exclude: object, dataset: Dataset
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return masks of the features to include and to exclude; no feature may be in both."""
    included = _named_features("must_include", must_include, dataset)
    excluded = _named_features("exclude", exclude, dataset)
    check_apart(included, excluded, dataset.feature_names)
    return included, excluded


def check_apart(
    included: NDArray[np.bool_], excluded: NDArray[np.bool_], names: Sequence[str]
) -> None:
    """Raise if a feature is to be included and excluded."""
    both = [names[feature] for feature in np.flatnonzero(included & excluded).tolist()]
    if both:
        raise ParameterError(
            ("must_include", "exclude"),
            "not overlap",
            f"{listed(both)} in both",
            "Remove these features from one of them.",
        )


def _named_features(parameter: str, features: object, dataset: Dataset) -> NDArray[np.bool_]:
    if features is None:
        return np.zeros(dataset.n_features, np.bool_)
    try:
        return feature_mask(features, dataset)
    except (DataError, ParameterError) as error:
        raise DataError(f"{parameter}: {error}") from None


def selected_index(
    feature: object, selected: Sequence[int], names: Sequence[str], known: Iterable[str]
) -> int:
    """Return the index of a selected feature given by its name or its index."""
    if feature in names:
        return selected[list(names).index(str(feature))]
    if is_index(feature) and feature in selected:
        return selected[selected.index(feature)]
    got, hint = shown(feature), f"Selected: {listed(names)} ({listed(selected)})."
    if isinstance(feature, str):
        close = close_to(feature, names)
        if feature in set(known):
            got += ", which is a feature but not selected"
        elif close:
            hint = f"Did you mean {shown(close[0])}? {hint}"
    rule = "be the name or the index of a selected feature"
    raise ParameterError("feature", rule, got, hint)


def is_index(value: object) -> bool:
    """Whether a value is an integer, of Python or NumPy."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def check_copies(copies: object) -> None:
    """Raise unless the rule for copies is known."""
    if copies not in ("drop", "keep"):
        raise ParameterError("copies", "be 'drop' or 'keep'", shown(copies))


def check_size(n_features_to_select: object) -> None:
    """Raise unless the value is None, a number of features, or a share of them."""
    if isinstance(n_features_to_select, float):
        if not 0.0 < n_features_to_select < 1.0:
            rule = "be an integer of at least 1, or a share above 0 and below 1"
            raise ParameterError("n_features_to_select", rule, shown(n_features_to_select))
    elif n_features_to_select is not None:
        check_count("n_features_to_select", n_features_to_select)


def size_asked(n_features_to_select: float | None, n_allowed: int) -> int | None:
    """Return the number of features that was asked for, also as a share of the allowed ones."""
    if isinstance(n_features_to_select, float):
        return max(1, int(n_features_to_select * n_allowed))
    return n_features_to_select


def check_size_rule(
    size_rule: object, n_features_to_select: object, search: Search, settings: MeasureSettings
) -> None:
    """Raise unless the rule is known and there is a path that it can choose from."""
    check_known("size_rule", size_rule, RULES)
    if size_rule == "auto":
        return
    if not settings.is_soft or not isinstance(search, QuickReduct):
        raise ParameterError(
            "size_rule",
            "be 'auto' unless the soft measure is searched greedily",
            shown(size_rule),
            Sentence("Use ", Setting("measure", "soft"), " with its own search."),
        )
    if n_features_to_select is not None:
        raise ParameterError(
            ("size_rule", "n_features_to_select"),
            "not be given together",
            f"{shown(size_rule)} and {n_features_to_select}",
            "The rule chooses the number of features.",
        )


def check_certify(certify: object) -> None:
    """Raise unless the value is a boolean."""
    if not isinstance(certify, bool | np.bool_):
        raise ParameterError("certify", "be True or False", shown(certify))


def check_sample(
    sample: object, settings: MeasureSettings, *, proves: bool, on_cluster: bool
) -> None:
    """Raise unless the value is a number of samples that goes with the other parameters."""
    if sample is None:
        return
    if not is_index(sample) or sample < 1:  # type: ignore[operator]
        raise ParameterError(
            "sample",
            "be None or a whole number of at least 1",
            shown(sample),
            "It is the number of samples that subsets are scored on.",
        )
    if not settings.is_strict and not settings.is_soft:
        raise ParameterError(
            "sample",
            "be left out with a measure of your own",
            shown(sample),
            "Draw the sample inside your measure.",
        )
    if proves:
        raise ParameterError(
            "sample",
            "be left out when something is to be proved",
            shown(sample),
            Sentence(
                "A sample proves nothing about the other rows: leave out ", Setting("sample"),
                ", or ", Setting("certify", True), " and the exact searches.",
            ),
        )  # fmt: skip
    if on_cluster:
        raise ParameterError(
            "sample",
            "be left out together with a cluster",
            shown(sample),
            Sentence(
                "A cluster scores subsets on all rows: leave out ", Setting("sample"), " or ",
                Setting("cluster"), ".",
            ),
        )  # fmt: skip


def check_checkpoint(checkpoint: object, random_state: object) -> None:
    """Raise unless the checkpoint is a path, and the run has a seed to be resumed with."""
    if checkpoint is None:
        return
    if not isinstance(checkpoint, str | os.PathLike):
        raise ParameterError("checkpoint", "be None or a path", shown(checkpoint))
    if random_state is None:
        raise ParameterError(
            "random_state",
            "be given together with checkpoint",
            "None",
            "Pass an integer: a run can only be resumed with the seed it was started with.",
        )


def checked_callbacks(callbacks: object) -> Sequence[Callback]:
    """Return the callbacks as a list."""
    items = list(callbacks) if isinstance(callbacks, Iterable) else [callbacks]
    if not isinstance(callbacks, Iterable) or not all(callable(item) for item in items):
        raise ParameterError(
            "callbacks",
            "be a list of functions",
            shown(callbacks),
            "Each is called with a Moment after every batch and stops the run by returning True.",
        )
    return items  # type: ignore[return-value]


def check_verbose(verbose: object) -> None:
    """Raise unless the value is a count; booleans, as in scikit-learn, are 0 and 1."""
    check_count("verbose", int(verbose) if isinstance(verbose, bool) else verbose, least=0)
