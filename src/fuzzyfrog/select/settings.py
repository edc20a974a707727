"""The settings of a selection: frozen, and checked once."""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from itertools import compress
from typing import Any, Self

import numpy as np

from fuzzyfrog.common.arrays import Masks
from fuzzyfrog.common.messages import Sentence, Setting, listed, shown
from fuzzyfrog.common.params import check_budget, check_count, check_known, check_share, is_index
from fuzzyfrog.data import Dataset
from fuzzyfrog.data.dataset import feature_mask
from fuzzyfrog.errors import ParameterError
from fuzzyfrog.result.result import Parameter
from fuzzyfrog.search import SEARCHES, Callback, Certified, Exact, ExactFront, QuickReduct, Search
from fuzzyfrog.search.protocol import RANKINGS
from fuzzyfrog.select.groups import Groups, check_costs
from fuzzyfrog.select.kind import Kind
from fuzzyfrog.select.soft import RULES as SIZE_RULES

RandomState = int | np.random.RandomState | np.random.Generator | None

HIGHEST_SEED = 2**32 - 1  # as in scikit-learn
# These do not change the result, or are the seed, which has its own field.
NOT_KEPT = {"kind", "checkpoint", "cluster", "n_jobs", "random_state", "screens"}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What to select, by which measure and search, and for how long.

    The attributes are the parameters of the selectors, which document them.

    Attributes
    ----------
    kind : Kind
        The measure with its own settings.
    screens : bool
        Whether identifiers, dates and leaks are looked for; False for a part of a table that was
        looked at before.
    """

    kind: Kind
    search: object = "auto"
    ranking: str = "lexicographic"
    min_dependency: float = 1.0
    n_features_to_select: float | None = None
    size_rule: str = "auto"
    must_include: object = None
    exclude: object = None
    feature_groups: object = None
    costs: Mapping[Any, object] | None = None
    survives: int = 0
    max_lost: int | None = None
    copies: str = "drop"
    certify: bool = False
    sample: int | None = None
    max_seconds: float | None = None
    max_evaluations: int | None = None
    checkpoint: str | os.PathLike[str] | None = None
    n_jobs: int | None = None
    cluster: object = None
    random_state: RandomState = None
    screens: bool = True

    def __post_init__(self) -> None:
        for one in fields(self):
            if isinstance(value := getattr(self, one.name), np.generic):
                object.__setattr__(self, one.name, value.item())  # a result has plain values
        for name, check in _RULES.items():
            check(getattr(self, name))
        check_budget(self.max_evaluations, self.max_seconds)
        for name, is_wrong, rule, hint in self._conflicts():
            if is_wrong:
                raise ParameterError(name, rule, shown(getattr(self, name)), hint)

    @cached_property
    def strategy(self) -> Search:
        """The search itself, with its proof if one is asked for."""
        search = _named_search(self.search_name)
        is_exact = isinstance(search, Exact | ExactFront)
        return Certified(search, Exact()) if self.certify and not is_exact else search

    @property
    def proves(self) -> bool:
        """Whether the search proves its result."""
        return isinstance(self.strategy, Exact | ExactFront | Certified)

    @property
    def search_name(self) -> object:
        """The search that "auto" stands for, or the search as it was given."""
        is_auto = isinstance(self.search, str) and self.search == "auto"
        return self.kind.search if is_auto else self.search

    @property
    def is_path(self) -> bool:
        """Whether the size is chosen along the path of a greedy search."""
        return self.kind.has_path and isinstance(self.strategy, QuickReduct)

    @property
    def rule(self) -> str | None:
        """The rule that chooses the size; None if the size is given."""
        return self.size_rule if self.n_features_to_select is None else None

    def size_of(self, n_allowed: int) -> int | None:
        """Return the number of features that was asked for, also as a share of those allowed."""
        if isinstance(self.n_features_to_select, float):
            return max(1, int(self.n_features_to_select * n_allowed))
        return self.n_features_to_select

    def for_part(self, exclude: Masks) -> Self:
        """Return the settings for a part of the table, of which it is known what to leave out.

        Warnings about a part would mislead: where rows are missing, a row number no longer looks
        like one. Nothing is proved, saved, or computed elsewhere.
        """
        return replace(
            self, exclude=exclude, copies="keep", screens=False, certify=False, checkpoint=None,
            cluster=None,
        )  # fmt: skip

    def parameters(self, named: Mapping[str, Collection[object]]) -> dict[str, Parameter]:
        """Return the settings for the result; `named` are those that stand for features."""
        given: dict[str, Any] = {
            one.name: getattr(self, one.name) for one in fields(self) if one.name not in NOT_KEPT
        }
        given["search"] = self.search_name
        given["min_dependency"] = float(self.min_dependency)  # it may be a fraction
        given |= {key: names or None for key, names in named.items()}
        return {**self.kind.parameters(), **{key: _plain(value) for key, value in given.items()}}

    def _conflicts(self) -> Iterator[tuple[str, bool, str, str]]:
        """Yield settings that others may exclude: whether they do, the rule, and the way out."""
        no_proof = self.proves and not self.kind.can_prove
        others = "be another one than 'exact' and 'front' with this measure"
        yield "certify", no_proof and self.certify, "be left out with this measure", _MONOTONE
        yield "search", no_proof and not self.certify, others, _MONOTONE
        is_unseeded = self.checkpoint is not None and self.random_state is None
        yield "random_state", is_unseeded, "be given together with checkpoint", _SEEDED
        yield from self._left_out()
        is_part = self.sample is not None
        is_custom = is_part and not self.kind.can_sample
        yield (
            "sample", is_custom, "be left out with a custom measure",
            "Draw the sample inside your measure.",
        )  # fmt: skip
        yield (
            "sample", is_part and self.proves, "be left out when something is to be proved",
            Sentence("A sample proves nothing about the other rows: leave out ", Setting("sample"),
                     ", or ", Setting("certify", True), " and the exact searches."),
        )  # fmt: skip
        is_elsewhere = is_part and self.cluster is not None and self.kind.scores_all_rows
        yield (
            "sample", is_elsewhere, "be left out together with a cluster",
            Sentence("A cluster scores subsets on all rows: leave out ", Setting("sample"), " or ",
                     Setting("cluster"), "."),
        )  # fmt: skip

    def _left_out(self) -> Iterator[tuple[str, bool, str, str]]:
        """Yield settings that have no meaning with costs or losses."""
        given = [name for name in ("costs", "survives") if getattr(self, name)]
        others: dict[str, object] = {"n_features_to_select": None, "ranking": "lexicographic"}
        if self.survives or self.max_lost is not None:
            others["sample"] = None
        if self.max_lost is not None:
            given.append("max_lost")
            others |= {"min_dependency": 1.0, "cluster": None, "survives": 0}
        for name, default in others.items() if given else ():
            rule = Sentence("be left out with ", Setting(given[-1]))
            yield name, getattr(self, name) != default, rule, _WHY_LEFT_OUT[name]


def _named_search(search: object) -> Search:
    if isinstance(search, str) and search in SEARCHES:
        return SEARCHES[search]()
    is_instance = hasattr(search, "propose") and hasattr(search, "get_params")
    if is_instance and not isinstance(search, type):
        return search  # type: ignore[return-value]
    rule = f"be one of {listed(['auto', *SEARCHES])} or an instance such as ShuffledFrogs()"
    raise ParameterError("search", rule, shown(search))


def check_boolean(name: str, value: object) -> None:
    """Raise unless the value is a boolean."""
    if not isinstance(value, bool | np.bool_):
        raise ParameterError(name, "be True or False", shown(value))


def _is_size(value: object) -> None:
    """Raise unless the value is None, a number of features, or a share of them."""
    if isinstance(value, float):
        if not 0.0 < value < 1.0:
            rule = "be an integer of at least 1, or a share above 0 and below 1"
            raise ParameterError("n_features_to_select", rule, shown(value))
    elif value is not None:
        check_count("n_features_to_select", value)


def _is_sample(value: object) -> None:
    if value is not None and (not is_index(value) or value < 1):
        raise ParameterError(
            "sample",
            "be None or a whole number of at least 1",
            shown(value),
            "It is the number of samples that subsets are scored on.",
        )


def _is_path(value: object) -> None:
    if value is not None and not isinstance(value, str | os.PathLike):
        raise ParameterError("checkpoint", "be None or a path", shown(value))


def _is_cluster(value: object) -> None:
    if value is not None:
        from fuzzyfrog.cluster import check_cluster

        check_cluster(value)


_MONOTONE = "Proofs rest on a dependency that never falls when a feature is added."
_SEEDED = "Pass an integer: a run can only be resumed with the seed it was started with."
_WHY_LEFT_OUT = {
    "n_features_to_select": "What must be kept decides how many features there are.",
    "ranking": "What must be kept comes first.",
    "sample": "This is about all rows.",
    "min_dependency": "The number of samples that are set aside decides what is kept.",
    "cluster": "Memberships are computed on this machine.",
    "survives": "Ask for one of the two.",
}
_KEPT = "With 1, the selected features keep the dependency of all features."
_RULES: dict[str, Callable[[Any], None]] = {
    "certify": partial(check_boolean, "certify"),
    "costs": lambda value: None if value is None else check_costs(value),
    "max_lost": lambda value: None if value is None else check_count("max_lost", value, least=0),
    "survives": lambda value: check_count("survives", value, least=0),
    "ranking": lambda value: check_known("ranking", value, RANKINGS),
    "min_dependency": partial(check_share, "min_dependency", zero=False, hint=_KEPT),
    "checkpoint": _is_path,
    "cluster": _is_cluster,
    "sample": _is_sample,
    "n_features_to_select": _is_size,
    "copies": lambda value: check_known("copies", value, ("drop", "keep")),
    "size_rule": lambda value: check_known("size_rule", value, SIZE_RULES),
}


def _plain(value: Any) -> Parameter:
    """Return a value that JSON can hold, or its representation."""
    if isinstance(value, str | int | float | None):
        return value
    return repr(value)


def seed_of(random_state: object) -> int:
    """Return the seed of a fit: an integer itself, or a number drawn from a generator."""
    if is_index(random_state):
        if 0 <= random_state <= HIGHEST_SEED:
            return int(random_state)
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


def check_seed(seed: object) -> None:
    """Raise unless a seed is an integer that scikit-learn takes as well."""
    check_count("seed", seed, least=0)
    if seed > HIGHEST_SEED:  # type: ignore[operator]
        raise ParameterError("seed", f"be at most {HIGHEST_SEED}", shown(seed))


def seeded(selector: Any, seed: int) -> Settings:
    """Return the settings of a selector with a seed: its own, that of its fit, or another one."""
    settings: Settings = selector.settings()
    if settings.random_state is not None:
        return settings
    return replace(settings, random_state=getattr(selector, "seed_", seed))


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


def constrained_features(
    must_include: object, exclude: object, dataset: Dataset
) -> tuple[Masks, Masks]:
    """Return masks of the features to include and to exclude; no feature may be in both."""
    included, excluded = (
        feature_mask(name, () if given is None else given, dataset.feature_names)
        for name, given in (("must_include", must_include), ("exclude", exclude))
    )
    check_apart(included, excluded, dataset.feature_names)
    return included, excluded


def check_apart(included: Masks, excluded: Masks, names: Sequence[str]) -> None:
    """Raise if a feature is to be included and excluded."""
    both = [names[feature] for feature in np.flatnonzero(included & excluded).tolist()]
    if both:
        raise ParameterError(
            ("must_include", "exclude"),
            "not overlap",
            f"{listed(both)} in both",
            "Remove these features from one of them.",
        )


def asked_features(dataset: Dataset, settings: Settings, groups: Groups) -> tuple[Masks, Masks]:
    """Return the features that must, and that must not, be selected."""
    return constrained_features(
        groups.with_columns(settings.must_include), groups.with_columns(settings.exclude), dataset
    )


def named_features(
    dataset: Dataset, settings: Settings, groups: Groups
) -> dict[str, list[str] | dict[str, list[str]]]:
    """Return the settings that stand for features, with the names of these."""
    names = dataset.feature_names
    included, excluded = asked_features(dataset, settings, groups)
    return {
        "must_include": [*compress(names, included)],
        "exclude": [*compress(names, excluded)],
        "categorical_features": [*compress(names, dataset.categorical)],
        "feature_groups": {
            group: [names[one] for one in columns] for group, columns in groups.columns.items()
        },
    }
