"""What selects features on parts of a table: this package, selectors of scikit-learn, or several.

When several are compared, each selects again inside each fold of a check. Those of scikit-learn are
given the number of features that the soft measure selects in the same fold, so that only the choice
differs.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import structs
from sklearn import get_config
from sklearn.base import clone
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.utils import _safe_indexing
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.validation import has_fit_parameter
from threadpoolctl import threadpool_limits

from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.common.deadline import current_deadline, stop_if_late
from fuzzyfrog.common.messages import shown, warn
from fuzzyfrog.common.params import check_known
from fuzzyfrog.data import Dataset
from fuzzyfrog.errors import DataError, ParameterError
from fuzzyfrog.result import Check, NoiseGuard, Result
from fuzzyfrog.select.groups import Groups
from fuzzyfrog.select.models import LARGEST, features_of, preparation
from fuzzyfrog.select.selection import constraints_of, select, with_groups
from fuzzyfrog.select.settings import Settings
from fuzzyfrog.select.soft import Soft
from fuzzyfrog.select.strict import Strict
from fuzzyfrog.select.table_selector import TableSelector

if TYPE_CHECKING:
    from fuzzyfrog.select.cross_validation import Hear, Plan

UNWEIGHTED = (
    "The selector selects without weights, since its fit does not take sample_weight; models and "
    "scores have them. To route them, set_config(enable_metadata_routing=True) and request them "
    "with set_fit_request(sample_weight=True)."
)
MOST_SHUFFLES = 5
MOST_SHUFFLED = 1_000  # samples of a shuffle
FEWEST_SHUFFLED = 100  # with fewer, a part of a table says little about it
GUARD_PAIRS = 1_000_000_000  # pairs of samples x columns that a greedy search compares in seconds
GUARD_STEPS = 8  # that it usually takes
TWINNING = 0x7477696E73  # next to the seed: no other part of a check draws from it


class Selecting:
    """A selection of this package, without side effects."""

    def __init__(self, settings: Settings, dataset: Dataset) -> None:
        self._dataset = dataset
        self._groups = Groups.of(settings.feature_groups, dataset)
        included, excluded, rest = constraints_of(dataset, settings, self._groups)
        self.included = self._groups.expanded(included)
        self.allowed = self._groups.expanded(~excluded)
        self.n_jobs = settings.n_jobs
        self.notes = (*dataset.notes, *rest.sentences)
        self._settings = settings.for_part(excluded & ~self._groups.members)

    def selected(self, rows: Integers) -> Result:
        """Return the selection on some samples, in the time that is left."""
        late = current_deadline()
        watch = [lambda _: late.expired()]
        # Warnings would be about parts of the table.
        result = select(self._dataset.take(rows), self._settings, watch, end_warning=None)
        if result.stop_reason == "interrupted":
            raise KeyboardInterrupt  # the best so far is not a result
        if result.stop_reason == "memory":
            raise MemoryError("the search ran out of memory")
        stop_if_late()
        return result

    def choices(self, rows: Integers) -> dict[str, Masks]:
        """Return all features, and those selected on some samples, by their names."""
        return {"all": self.allowed, "selected": self._groups.mask(self.selected(rows).selected)}

    def noise(self, seed: int) -> NoiseGuard | str | None:
        """Return the noise guard, or why it was left out."""
        return noise_guard(self._settings, self._dataset, self.allowed, seed)

    def rival(self) -> Selecting | None:
        """Return the selection by the measure for prediction, unless this is one."""
        kind = self._settings.kind.rival
        if kind is None:
            return None
        other = Settings(
            kind=kind,
            must_include=self._settings.must_include,
            exclude=self._settings.exclude,
            feature_groups=self._settings.feature_groups,
            copies="keep",
            screens=False,
            n_jobs=self._settings.n_jobs,
            random_state=self._settings.random_state,
        )
        return Selecting(other, self._dataset)


def _takes_weights(selector: Any) -> bool:
    """Whether `fit` takes weights, or hands them on to what it is made of."""
    if has_fit_parameter(selector, "sample_weight"):
        return True
    if get_config()["enable_metadata_routing"]:
        return bool(get_routing_for_object(selector).consumes("fit", ["sample_weight"]))
    hands_on = type(selector) in (RFE, SelectFromModel)  # without routing
    return hands_on and has_fit_parameter(selector.estimator, "sample_weight")


class OtherSelector:
    """Any selector of scikit-learn; `table` is what it is fitted on, None for the Dataset."""

    def __init__(
        self, selector: Any, dataset: Dataset, table: tuple[Any, Any] | None, seed: int
    ) -> None:
        self._dataset, self._table = dataset, table
        self._takes_datasets = isinstance(selector, TableSelector)
        self._selector = clone(selector)
        if self._selector.get_params(deep=False).get("random_state", 0) is None:
            self._selector.set_params(random_state=seed)
        self.included = np.zeros(dataset.n_features, np.bool_)
        self.allowed = ~self.included
        self.n_jobs = getattr(selector, "n_jobs", None)
        self._takes_weights = _takes_weights(selector)
        if dataset.weights is not None and not self._takes_weights:
            warn(UNWEIGHTED)

    def choices(self, rows: Integers) -> dict[str, Masks]:
        """Return all features, and those selected on some samples, by their names."""
        fitted = clone(self._selector)
        with warnings.catch_warnings(action="ignore"):  # they are about parts of the table
            try:
                fitted.fit(*self._part(rows), **self._weights(rows))
            except (DataError, ParameterError):
                raise
            except (ValueError, TypeError) as error:
                reason = " ".join(str(error).split())
                raise DataError(
                    f"the selector must fit a part of the samples, got {type(error).__name__}: "
                    f"{reason[:200]}"
                ) from None
        return {"all": self.allowed, "selected": np.asarray(fitted.get_support(), np.bool_)}

    def _part(self, rows: Integers) -> tuple[Any, Any]:
        """Return some samples as `fit` takes them."""
        if self._takes_datasets:
            return self._dataset.take(rows), None
        if self._table is None:
            return self._dataset.values[rows], self._dataset.target[rows]
        return _safe_indexing(self._table[0], rows), _safe_indexing(self._table[1], rows)

    def _weights(self, rows: Integers) -> dict[str, Floats]:
        """Return the weights of some samples, if there are any and the selector takes them."""
        weights = self._dataset.weights
        if weights is None or not self._takes_weights:
            return {}
        return {"sample_weight": weights[rows]}

    def noise(self, seed: int) -> None:
        """Return nothing: other selectors may take hours."""

    def rival(self) -> None:
        """Return nothing."""


def noise_guard(
    settings: Settings, dataset: Dataset, allowed: Masks, seed: int
) -> NoiseGuard | str:
    """Return how many random columns a greedy search takes, or a sentence why it was left out.

    For every column that may be selected there is one with the same values in random order. The
    measure is that of the settings.
    """
    if settings.feature_groups:
        return "The noise guard was left out: it shuffles single columns, and some form groups."
    # Twins of what a fit leaves out would only dilute the others.
    dataset = dataset.take(columns=allowed)
    per_pair = 2 * dataset.n_features * GUARD_STEPS
    affordable = math.isqrt(GUARD_PAIRS // per_pair)
    if affordable < min(FEWEST_SHUFFLED, dataset.n_samples):
        return (
            f"The noise guard was left out: {dataset.n_features:,} columns and as many random "
            "ones take too long."
        )
    n_samples = min(dataset.n_samples, MOST_SHUFFLED, affordable)
    n_shuffles = min(MOST_SHUFFLES, max(1, GUARD_PAIRS // (n_samples**2 * per_pair)))
    greedy = replace(
        settings,
        search="quickreduct",
        must_include=None,
        exclude=None,
        n_features_to_select=settings.size_of(dataset.n_features),
        costs=None,
        survives=0,
        max_lost=None,
        random_state=seed,
    )
    try:
        return _counted(greedy, dataset, n_samples, n_shuffles, seed)
    except (DataError, ParameterError) as error:
        return f"The noise guard was left out: {error}"


def _counted(
    greedy: Settings, dataset: Dataset, n_samples: int, n_shuffles: int, seed: int
) -> NoiseGuard:
    random = np.random.default_rng([seed, TWINNING])
    n_taken = n_random = 0
    for _ in range(n_shuffles):
        stop_if_late()
        chosen = random.permutation(dataset.n_samples)[:n_samples]
        doubled, is_twin = _with_twins(dataset.take(np.sort(chosen)), random)
        taken = list(select(doubled, greedy, end_warning=None).selected)
        n_taken += len(taken)
        n_random += int(is_twin[taken].sum())
    return NoiseGuard(n_taken, n_random, n_shuffles, n_samples, greedy.kind.as_noise)


def _with_twins(dataset: Dataset, random: np.random.Generator) -> tuple[Dataset, Masks]:
    """Return a table with a shuffled twin of each column, and which columns are twins.

    They are in random order: of columns that score the same, a search takes the first.
    """
    twins = [column[random.permutation(len(column))] for column in dataset.values.T]
    names = [f"{name} (twin {place})" for place, name in enumerate(dataset.feature_names)]
    doubled = replace(
        dataset,
        values=np.column_stack([dataset.values, *twins]),
        feature_names=(*dataset.feature_names, *names),
        categorical=np.tile(dataset.categorical, 2),
        categories=dataset.categories and dataset.categories * 2,
    )
    order = random.permutation(doubled.n_features)
    is_twin = np.arange(doubled.n_features) >= dataset.n_features
    return doubled.take(columns=order), is_twin[order]


# The searches of our own selectors; soft is none of them.
REDUCTS: Mapping[str, str] = MappingProxyType(
    {"reducts": "auto", "quickreduct": "quickreduct", "genetic": "genetic", "swarm": "swarm"}
)
OURS = ("soft", *REDUCTS)
OTHERS = ("kbest", "rfe", "l1")
ONE_BY_ONE = 100  # features up to which `rfe` drops the worst; above, the worst tenth


@dataclass(frozen=True)
class Comparison:
    """How well models do with the features of several selectors.

    Attributes
    ----------
    check : Check
        The scores: of "all" features, of each selector by its name, and of the soft measure, which
        is called "selected" there.
    seconds : dict of str to float
        How long a selection took in a fold, on average.
    """

    check: Check
    seconds: dict[str, float]


def compared(
    dataset: Dataset,
    names: Sequence[str],
    *,
    folds: int = 5,
    seed: int = 0,
    missing: str = "similar",
    must_include: Sequence[str] | None = None,
    n_jobs: int | None = None,
    hear: Hear = lambda _: None,
) -> Comparison:
    """Compare selectors by how well models do with what they select in the folds.

    Parameters
    ----------
    dataset : Dataset
        The table.
    names : sequence of str
        The selectors, by their names in `OURS` and `OTHERS`.
    folds, seed : int
        As for `check`.
    missing : str
        How missing values compare, for our own selectors.
    must_include : sequence of str or None
        Features that every selector takes.
    n_jobs : int or None
        Number of threads.
    hear : callable
        Called with what comes next.
    """
    from fuzzyfrog.select.cross_validation import CrossValidation, Plan  # which import this

    plan = Plan(cv=folds, seed=seed, hear=hear)
    for name in names:
        check_known("selectors", name, (*OURS, *OTHERS))
    settings = Settings(kind=Soft(), must_include=must_include, n_jobs=n_jobs, random_state=seed)
    with warnings.catch_warnings(action="ignore"):  # the notes of the check say the same
        dataset = with_groups(dataset, settings)
    several = _Several(dataset, names, settings, Strict(missing=missing), plan)  # type: ignore[arg-type]
    check = CrossValidation(several, dataset, plan).checked()
    if check.far_out is not None:
        check = structs.replace(check, notes=(check.far_out, *check.notes))
    if unseen := [dataset.feature_names[one] for one in np.flatnonzero(~several.allowed)]:
        said = ", ".join(map(shown, unseen))
        note = f"Left out of all features and of every selection, as by select: {said}."
        check = structs.replace(check, notes=(*check.notes, note))
    if dataset.weights is not None and "kbest" in names:
        check = structs.replace(check, notes=(*check.notes, "kbest selects without weights."))
    seconds = {name: float(np.mean(spent)) for name, spent in several.seconds.items()}
    return Comparison(check, seconds)


class _Several(Selecting):
    """The soft measure, after which other selectors have their turn in each fold."""

    def __init__(
        self,
        dataset: Dataset,
        names: Sequence[str],
        settings: Settings,
        strict: Strict,
        plan: Plan,
    ) -> None:
        super().__init__(settings, dataset)
        self._plan = plan
        self._others = [name for name in names if name != "soft"]
        self.seconds: dict[str, list[float]] = {name: [] for name in ("soft", *self._others)}
        self._reducts = {
            name: Selecting(replace(settings, kind=strict, search=search), dataset)
            for name, search in REDUCTS.items()
            if name in self._others
        }

    def choices(self, rows: Integers) -> dict[str, Masks]:
        """Return the features of all, of the soft measure, and of the other selectors."""
        begun = time.monotonic()
        found = super().choices(rows)
        self.seconds["soft"].append(time.monotonic() - begun)
        for name in self._others:
            self._plan.hear(f"selecting with {name}")
            begun = time.monotonic()
            if name in self._reducts:
                found[name] = self._reducts[name].choices(rows)["selected"]
            else:
                found[name] = self._of_sklearn(name, rows, int(found["selected"].sum()))
            self.seconds[name].append(time.monotonic() - begun)
        return found

    def _of_sklearn(self, name: str, rows: Integers, size: int) -> Masks:
        """Return what a selector of scikit-learn takes of the columns that may be selected."""
        offered = np.flatnonzero(self.allowed & ~self.included)
        size -= int(self.included.sum())
        part, found = self._dataset.take(rows, offered), self.included.copy()
        if size < 1:
            return found
        # A linear model need not converge, and a column may be constant.
        with warnings.catch_warnings(action="ignore"), threadpool_limits(1):
            found[offered[others_choice(name, part, size, self._plan.seed)]] = True
        return found

    def noise(self, seed: int) -> None:
        """Return nothing: the guard is about one measure, not about several selectors."""


def others_choice(name: str, part: Dataset, size: int, seed: int) -> Integers:
    """Return the features that a selector of scikit-learn takes: `size` of them, or fewer.

    It sees the columns as the models do: gaps at the median, numbers in units of their spread,
    and a column of zeros and ones for each category. A feature counts as its best column.
    """
    table = preparation(part.categorical)
    X = table.fit_transform(np.clip(part.values, -LARGEST, LARGEST))
    owner = features_of(table)
    if name == "rfe":
        return _eliminated(X, owner, part, size)
    columns = _f_scores(X, part) if name == "kbest" else _l1_weights(X, part, seed)
    weights = _by_feature(owner, columns, part.n_features)
    best = np.argsort(-weights, kind="stable")[:size]
    return best[weights[best] > 0] if (weights > 0).any() else best[:1]


def _by_feature(owner: Integers, weights: Floats, n_features: int) -> Floats:
    """Return the largest weight of the columns of each feature."""
    found = np.zeros(n_features)
    np.maximum.at(found, owner, weights)
    return found


def _f_scores(X: Floats, part: Dataset) -> Floats:
    """Return the F statistic of each column, as in SelectKBest."""
    from sklearn.feature_selection import f_classif, f_regression

    score = f_regression if part.classes is None else f_classif
    with np.errstate(all="ignore"):
        scores = score(X, part.target)[0]
    return np.asarray(np.nan_to_num(scores, nan=0.0, posinf=np.finfo(np.float64).max))


def _l1_weights(X: Floats, part: Dataset, seed: int) -> Floats:
    """Return the weight of each column in a linear model with an L1 penalty."""
    from sklearn.linear_model import LassoCV
    from sklearn.svm import LinearSVC

    if part.classes is None:
        lasso = LassoCV(random_state=seed % 2**32).fit(X, part.target, part.weights)
        return np.asarray(np.abs(lasso.coef_))
    model = LinearSVC(penalty="l1", dual=False, class_weight="balanced", random_state=seed % 2**32)
    return np.asarray(np.abs(model.fit(X, part.target, part.weights).coef_).sum(axis=0))


def _eliminated(X: Floats, owner: Integers, part: Dataset, size: int) -> Integers:
    """Return what recursive elimination with a linear model leaves, as RFE does."""
    from sklearn.linear_model import LogisticRegression, Ridge

    kept = np.arange(part.n_features)
    while len(kept) > size:
        model = Ridge() if part.classes is None else LogisticRegression(max_iter=500)
        columns = np.isin(owner, kept)
        coefficients = np.atleast_2d(model.fit(X[:, columns], part.target, part.weights).coef_)
        squares = (coefficients**2).sum(axis=0)
        weights = _by_feature(owner[columns], squares, part.n_features)[kept]
        n_dropped = 1 if len(kept) <= ONE_BY_ONE else len(kept) // 10
        worst = np.argsort(weights, kind="stable")[: min(n_dropped, len(kept) - size)]
        kept = np.delete(kept, worst)
    return kept
