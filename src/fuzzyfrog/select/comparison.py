"""Several selectors on one table, with the folds and models of the check.

Each of them selects again inside each fold. Those of scikit-learn are given the number of features
that the soft measure selects in the same fold, so that only the choice differs.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as with_fields
from types import MappingProxyType

import numpy as np
from msgspec.structs import replace
from threadpoolctl import threadpool_limits

from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.common.messages import shown
from fuzzyfrog.common.params import check_known
from fuzzyfrog.data import Dataset
from fuzzyfrog.result import Check
from fuzzyfrog.select.choosers import Selecting
from fuzzyfrog.select.cross_validation import CrossValidation, Hear, Plan
from fuzzyfrog.select.models import LARGEST, features_of, preparation
from fuzzyfrog.select.selection import with_groups
from fuzzyfrog.select.settings import Settings
from fuzzyfrog.select.soft import Soft
from fuzzyfrog.select.strict import Strict

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
    plan = Plan(cv=folds, seed=seed, hear=hear)
    for name in names:
        check_known("selectors", name, (*OURS, *OTHERS))
    settings = Settings(kind=Soft(), must_include=must_include, n_jobs=n_jobs, random_state=seed)
    with warnings.catch_warnings(action="ignore"):  # the notes of the check say the same
        dataset = with_groups(dataset, settings)
    several = _Several(dataset, names, settings, Strict(missing=missing), plan)  # type: ignore[arg-type]
    check = CrossValidation(several, dataset, plan).checked()
    if check.far_out is not None:
        check = replace(check, notes=(check.far_out, *check.notes))
    if unseen := [dataset.feature_names[one] for one in np.flatnonzero(~several.allowed)]:
        said = ", ".join(map(shown, unseen))
        note = f"Left out of all features and of every selection, as by select: {said}."
        check = replace(check, notes=(*check.notes, note))
    if dataset.weights is not None and "kbest" in names:
        check = replace(check, notes=(*check.notes, "kbest selects without weights."))
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
            name: Selecting(with_fields(settings, kind=strict, search=search), dataset)
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
