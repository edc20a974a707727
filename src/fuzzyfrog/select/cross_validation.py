"""The check of a selection by cross-validation: whether models do as well as with all features.

The selection is repeated inside each fold, on its training part alone. Choosing features on all
samples and cross-validating the models afterwards would let the samples to predict take part in
the choice, and flatter it (docs/howto/check.md).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from msgspec import structs
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing
from threadpoolctl import ThreadpoolController

from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.common.deadline import stop_if_late
from fuzzyfrog.common.messages import count, percent, shown
from fuzzyfrog.common.params import check_count
from fuzzyfrog.data import Dataset, make_dataset
from fuzzyfrog.data.dataset import group_numbers
from fuzzyfrog.data.weights import checked_weights, without_weightless
from fuzzyfrog.errors import DataError, ParameterError
from fuzzyfrog.result import Check, ModelScores, NoiseGuard
from fuzzyfrog.result.check import said_first
from fuzzyfrog.result.check import shown as score_shown
from fuzzyfrog.select.choosers import OtherSelector, Selecting
from fuzzyfrog.select.held_out import above_shuffled
from fuzzyfrog.select.models import (
    MOST_CATEGORIES,
    Fold,
    Models,
    Scorer,
    Tried,
    check_scoring,
    named_models,
    named_scorers,
    pooled,
)
from fuzzyfrog.select.row_groups import LEAST_IN_A_FOLD, Parts, parts_of, samples_together
from fuzzyfrog.select.selection import with_groups
from fuzzyfrog.select.settings import Settings, check_seed, seeded
from fuzzyfrog.select.table_selector import TableSelector, read_again

Hear = Callable[[str], None]
Scores = dict[str, list[list[Tried]]]  # by choice, fold and model

MOST_SAMPLES = 5_000  # of a larger table a random part is used
MOST_CELLS = 5_000_000  # that models have, with a column for each category
FEWEST_SAMPLES = 500  # which models have, however wide a table is
FENCE = 3.0  # interquartile ranges from the quartiles: "far out" in a box plot (Tukey 1977)
FEW, FEWEST = 0.05, 3  # of the samples; so many values may be far out in a small table
MOST = 0.5  # of the squared distances to the mean, by which R² compares
RARE = 0.1  # of the samples: a class so rare hardly shows in the accuracy
DRAWING, SHUFFLING = 0x666F6C6473, 0x6F72646572  # next to the seed: streams of their own


@dataclass(frozen=True)
class Plan:
    """How models are tried; the attributes are the parameters of `check`, which documents them."""

    cv: Any = 5
    scoring: str | Sequence[str] | None = None
    models: Models = None
    seed: int = 0
    hear: Hear = field(default=lambda _: None)  # called with what comes next, may raise to stop it

    def __post_init__(self) -> None:
        if isinstance(self.cv, Iterable) and not isinstance(self.cv, str):
            object.__setattr__(self, "cv", list(self.cv))
        elif isinstance(self.cv, str) or not callable(getattr(self.cv, "split", None)):
            check_count("cv", self.cv, least=2)
            object.__setattr__(self, "cv", int(self.cv))
        check_seed(self.seed)


def check(
    selector: Any,
    X: object,
    y: object = None,
    *,
    cv: Any = 5,
    scoring: str | Sequence[str] | None = None,
    models: Models = None,
    groups: object = None,
    sample_weight: object = None,
    seed: int = 0,
) -> Check:
    """Check by cross-validation whether models do as well with the selected columns.

    The selection is repeated inside each fold with the same settings, and three plain models (k
    nearest neighbors, a linear one, a random forest) are trained with all columns and with the
    selected ones to predict the samples left out.

    Parameters
    ----------
    selector : estimator with `get_support`
        A :class:`SoftSelector`, a :class:`ReductSelector`, or any selector of scikit-learn;
        fitted or not. It stays as it is; in the folds, nothing is proved, no checkpoint is
        written, no callback is called and no cluster is used.
    X : array-like or data frame of shape (n_samples, n_features), or Dataset
        The samples, as for `fit`. For the models, gaps are filled with the median, numbers are
        standardized and categories become columns of zeros and ones, all learned inside the fold.
    y : array-like of shape (n_samples,), default=None
        Classes, or numbers. Leave it out if `X` is a `Dataset`, which has its own.
    cv : int, splitter of scikit-learn, or list of splits, default=5
        The number of folds, stratified by class or along a numeric target, in which samples that
        belong together stay together; fewer for few groups or a class with few samples. Or a
        splitter such as ``TimeSeriesSplit()``, or pairs of row numbers to train on and to predict.
    scoring : str, list of str or None, default=None
        Names of scorers of scikit-learn. Columns are compared by the first, the others are
        reported. None is "balanced_accuracy"; "roc_auc" for two classes of which one has less than
        a tenth of the samples; "r2" for a numeric target.
    models : list or dict of estimators, or None, default=None
        The models to try instead.
    groups : array-like of shape (n_samples,), default=None
        Samples that belong together, such as those of a patient, as for `fit`. Without it, IDs,
        names and copies of rows say so; with it, they do in addition.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights for the selection, for the models that take them, and for the scores. Samples of
        weight 0 are left out.
    seed : int, default=0
        Seed of the folds, the models and the shuffles. The same seed gives the same check.

    Returns
    -------
    Check
        Scores with all columns, with the selected ones and, for reducts, with those of
        :class:`SoftSelector`; their differences with standard errors; which columns each fold
        selected; and the noise guard. Print it to get a table.

    Raises
    ------
    DataError
        If the table cannot be checked: too few samples, or fewer than two classes with two.
    ParameterError
        If a parameter is not valid. Both are a ValueError.

    Notes
    -----
    The standard errors are those of Nadeau and Bengio [1]_: the variance of the `k` folds, each
    the mean of the models, times ``1 / k`` plus the ratio of samples to predict and to train on,
    because the training parts of the folds overlap. They are still rough with five folds.

    References
    ----------
    .. [1] C. Nadeau and Y. Bengio, "Inference for the generalization error", Machine Learning 52,
       2003.

    Examples
    --------
    >>> from fuzzyfrog import SoftSelector, check, load_dataset
    >>> found = check(SoftSelector(), load_dataset("wine"))
    >>> found.metric, [one.name for one in found.scores]
    ('balanced accuracy', ['all', 'selected'])
    >>> found.loses, found.is_better_than_chance
    (False, True)
    """
    for method in ("fit", "get_support"):
        if not callable(getattr(selector, method, None)):
            rule = "be an estimator with fit and get_support"
            raise ParameterError("selector", rule, shown(selector))
    is_ours = isinstance(selector, TableSelector)
    with warnings.catch_warnings(action="ignore"):  # `fit` says the same, or the notes
        dataset = read_again(selector, X, y) if is_ours else make_dataset(X, y)
    if groups is not None:
        dataset = replace(dataset, groups=group_numbers(groups, dataset.n_samples))
    if sample_weight is not None:
        weights = checked_weights(sample_weight, dataset.n_samples)
        dataset = replace(dataset, weights=weights, weight_unit=None)
    plan = Plan(cv, scoring, models, seed)
    table = None if is_ours or isinstance(X, Dataset) else (X, y)
    if dataset.weights is not None and not dataset.weights.all():
        kept = np.flatnonzero(dataset.weights)
        if isinstance(plan.cv, list):  # of all samples
            parts = parts_of(dataset.target, plan.cv, seed)
            plan = replace(plan, cv=[tuple(_places(one, kept) for one in part) for part in parts])
        if table is not None:
            table = _safe_indexing(X, kept), _safe_indexing(y, kept)
        dataset = without_weightless(dataset)
    if not callable(getattr(selector, "settings", None)):
        other = OtherSelector(selector, dataset, table, seed)
        found = CrossValidation(other, dataset, plan).checked()
        return structs.replace(found, notes=(*dataset.notes, *found.notes))
    settings = seeded(selector, seed)
    with warnings.catch_warnings(action="ignore"):  # `fit` says the same
        dataset = with_groups(dataset, settings)
    chooser = Selecting(settings, dataset)
    found = CrossValidation(chooser, dataset, plan).checked()
    doubts = said_first(chooser.notes) if isinstance(plan.cv, int) else ()
    return structs.replace(found, notes=(*doubts, *found.notes))


def _places(rows: Integers, kept: Integers) -> Integers:
    """Return the places of rows among those that are kept; others are left out."""
    return np.searchsorted(kept, rows[np.isin(rows, kept)])


def check_settings(settings: Settings, dataset: Dataset, plan: Plan) -> Check:
    """Return the check of a selection by its settings, which have a seed; the table has groups."""
    return CrossValidation(Selecting(settings, dataset), dataset, plan).checked()


class CrossValidation:
    """The folds of a check, of all samples or of some rows."""

    def __init__(
        self,
        chooser: Selecting | OtherSelector,
        dataset: Dataset,
        plan: Plan,
        rows: Integers | None = None,
    ) -> None:
        self._chooser, self._dataset, self._plan = chooser, dataset, plan
        self._is_numeric = dataset.classes is None
        self._n_asked = plan.cv if isinstance(plan.cv, int) else 2  # if a splitter decides
        self._models = named_models(plan.models, plan.seed, is_numeric=self._is_numeric)
        self._rows = self._drawn() if rows is None else rows
        self._notes: list[str] = []
        self._check_size()
        belonging = samples_together(
            dataset, self._rows, chooser.allowed, chooser.included, self._n_asked
        )
        together = belonging.numbers if belonging else None
        self._groups = np.arange(dataset.n_samples)
        if belonging:
            self._groups[self._rows] = belonging.numbers
        target, place = dataset.target[self._rows], len(self._notes)
        n_folds = self._checked_classes(target, together)
        parts = self._split(target, n_folds, together)
        self._notes[place:place] = belonging.notes(parts)
        self._scorers = self._chosen_scorers(target, parts)
        random = np.random.default_rng([plan.seed, SHUFFLING])
        # Of several nearest neighbors at the same distance, models take the first: in a table that
        # is sorted by class, that would be one class.
        rows = self._rows
        self._parts = [(rows[random.permutation(train)], rows[test]) for train, test in parts]

    def _drawn(self) -> Integers:
        """Return the samples to use: fewer of a wide table."""
        width = int(np.where(self._dataset.categorical, MOST_CATEGORIES, 1).sum())
        most = min(MOST_SAMPLES, max(FEWEST_SAMPLES, MOST_CELLS // width))
        n_samples = self._dataset.n_samples
        if n_samples <= most:
            return np.arange(n_samples)
        random = np.random.default_rng([self._plan.seed, DRAWING])
        return np.sort(random.permutation(n_samples)[:most])

    def _check_size(self) -> None:
        """Raise if there are too few samples, and note if there are too many."""
        n_samples, fewest = len(self._rows), LEAST_IN_A_FOLD * self._n_asked
        if n_samples < fewest:
            raise DataError(
                f"a check with {self._n_asked} folds must have at least {fewest} samples, got "
                f"{n_samples}. So few samples cannot tell how well models do."
            )
        if n_samples < self._dataset.n_samples:
            if isinstance(self._plan.cv, list):
                rule = f"be a number or a splitter for a table of more than {n_samples:,} samples"
                hint = "Models are tried on a part of so large a table."
                raise ParameterError("cv", rule, "a list of splits", hint)
            self._notes.append(
                f"Models were tried on {n_samples:,} of the {self._dataset.n_samples:,} samples, "
                "drawn at random."
            )

    def _checked_classes(self, target: NDArray[Any], together: Integers | None) -> int:
        """Return how many folds to make; raise if there are no two classes to tell apart.

        So few that each has both of two classes if one is rare, which is then ranked.
        """
        if self._is_numeric or (together is not None and not together.any()):
            return self._n_asked
        share = np.unique(target, return_counts=True)[1].min() / len(target)
        if together is not None:  # samples that are always together count once
            target = np.unique(np.column_stack([target, together]), axis=0)[:, 0]
        classes, counts = np.unique(target, return_counts=True)
        n_known = int(np.count_nonzero(counts >= 2))
        if n_known < 2:
            raise DataError(
                "a check must have two classes with at least two samples each, got "
                f"{count(n_known, 'such class')}. Nothing "
                "can be learned about a class from a single sample."
            )
        rare = int(np.count_nonzero(counts < self._n_asked))
        if not rare:
            return self._n_asked
        if len(classes) == 2 and share < RARE:
            name, fewest = self._class_name(classes[counts.argmin()]), int(counts.min())
            independent = "" if together is None else " independent"
            self._notes.append(
                f"There are {fewest} folds instead of {self._n_asked}, because class {name} has "
                f"only {fewest}{independent} samples."
            )
            return fewest
        self._notes.append(
            f"{count(rare, 'class has', 'classes have')} fewer samples than there are folds "
            f"({self._n_asked}), so that some folds have none of them to predict."
        )
        return self._n_asked

    def _class_name(self, code: int) -> str:
        return shown((self._dataset.classes or ())[int(code)])

    def _split(self, target: NDArray[Any], n_folds: int, together: Integers | None) -> Parts:
        """Return the samples to train on and to predict in each fold; raise if it tells nothing."""
        cv = n_folds if isinstance(self._plan.cv, int) else self._plan.cv
        parts = parts_of(target, cv, self._plan.seed, together)
        fewest = min(len(test) for _, test in parts)
        if fewest < LEAST_IN_A_FOLD:
            raise DataError(
                f"a check must have at least {LEAST_IN_A_FOLD} samples in each fold, got {fewest}."
                " Use fewer folds; if nearly all samples belong together, it cannot be checked."
            )
        if len(parts) < n_folds:
            self._notes.append(
                f"There are {len(parts)} folds instead of {n_folds}, because too many "
                "samples belong together."
            )
        if any(target[train].min() == target[train].max() for train, _ in parts):
            raise DataError(
                "a check must have a target that varies in every fold, got one that does not."
            )
        return parts

    def _chosen_scorers(self, target: NDArray[Any], parts: Parts) -> dict[str, Scorer]:
        """Return the scorers; of two classes, a rare one is scored by how well it is ranked."""
        if self._plan.scoring is not None:
            check_scoring(self._plan.scoring, is_numeric=self._is_numeric)
            return named_scorers(self._plan.scoring)
        if self._is_numeric:
            return named_scorers("r2")
        classes, counts = np.unique(target, return_counts=True)
        share = counts.min() / counts.sum()
        if len(classes) != 2 or share >= RARE:
            return named_scorers("balanced_accuracy")
        rare = self._class_name(classes[counts.argmin()])
        if any(len(np.unique(target[test])) < 2 for _, test in parts):
            self._notes.append(
                f"Some folds have no sample of class {rare} to predict, so the score is the "
                "balanced accuracy and not the ROC AUC. There, always predicting the other class "
                "is right, which raises chance and all scores."
            )
            return named_scorers("balanced_accuracy")
        self._notes.append(
            f"The score is the ROC AUC (how well models rank the samples) and not the balanced "
            f"accuracy, because only {percent(share)} of the samples are of class {rare}."
        )
        return named_scorers("roc_auc")

    def checked(self) -> Check:
        """Return the check."""
        # Threads of BLAS and OpenMP wait for each other twenty times as long as a linear model of a
        # small table computes, and their number would show in the last bits.
        with ThreadpoolController().limit(limits=1):
            return self._checked()

    def _checked(self) -> Check:
        folds, chosen, scores = self.in_folds()
        rival = self._chooser.rival()
        rival_features: tuple[str, ...] = ()
        if rival is not None:
            self._say("checking the soft measure")
            chosen["soft"] = [rival.choices(np.sort(one))["selected"] for one, _ in self._parts]
            pairs = zip(folds, chosen["soft"], strict=True)
            scores["soft"] = [self._tried(fold, features) for fold, features in pairs]
            rival_features = self._named(rival.choices(self._rows)["selected"])
        metric = next(iter(self._scorers))
        return Check(
            metric=metric,
            models=tuple(self._models),
            folds=len(folds),
            seed=self._plan.seed,
            n_samples=len(self._rows),
            n_groups=len(np.unique(self._groups[self._rows])),
            chance=0.0 if metric == "R²" else float(np.mean([one.chance() for one in folds])),
            scores=tuple(self.summed(folds, chosen, scores)),
            selections=tuple(map(self._named, chosen["selected"])),
            soft_features=rival_features,
            noise=self._noise(),
            far_out=self._far_out() if metric == "R²" else None,
            left_out=None,
            notes=tuple(self._notes),
        )

    def in_folds(self) -> tuple[list[Fold], dict[str, list[Masks]], Scores]:
        """Return the folds, and the features and scores of each choice in each of them."""
        unit = float(np.abs(self._dataset.target[self._rows]).max())
        given = self._models, self._scorers, unit
        folds = [Fold(self._dataset, part, *given) for part in self._parts]
        chosen: dict[str, list[Masks]] = {}
        scores: Scores = {}
        for place, (fold, (train, _)) in enumerate(zip(folds, self._parts, strict=True)):
            self._say(f"checking with models, round {place + 1} of {len(folds)}")
            for name, features in self._chooser.choices(np.sort(train)).items():
                chosen.setdefault(name, []).append(features)
                scores.setdefault(name, []).append(self._tried(fold, features))
        return folds, chosen, scores

    def _far_out(self) -> str | None:
        """Return a sentence about values on which R² depends, and R² without them."""
        target = self._dataset.target[self._rows].astype(np.float64)
        is_far = far_out(target)
        if not is_far.any():
            return None
        said, them = told(target, is_far)
        plan = replace(self._plan, hear=lambda _: self._say("checking without values far out"))
        try:
            rest = CrossValidation(self._chooser, self._dataset, plan, self._rows[~is_far])
            tried = rest.in_folds()
        except (DataError, ParameterError):  # a list of splits has these rows, too
            return f"{said}."
        best = {one.name: score_shown(one.best) for one in rest.summed(*tried)
                if one.metric == "R²"}  # fmt: skip
        return (
            f"{said}: without {them}, the best model scores {best['selected']}, with all columns "
            f"{best['all']}."
        )

    def summed(
        self, folds: list[Fold], chosen: dict[str, list[Masks]], scores: Scores
    ) -> Iterator[ModelScores]:
        """Yield the scores of each choice of features by each metric."""
        overlap = float(np.mean([len(test) / len(train) for train, test in self._parts]))
        for place, metric in enumerate(self._scorers):
            for name, masks in chosen.items():
                found = [[one.scores[place] for one in fold] for fold in scores[name]]
                if metric == "R²":
                    found = pooled(found, [fold.squares_of_mean() for fold in folds])
                yield ModelScores(
                    name=name,  # type: ignore[arg-type]
                    metric=metric,
                    n_features=float(np.mean([mask.sum() for mask in masks])),
                    folds=tuple(map(tuple, found)),
                    overlap=overlap,
                    above=tuple(map(self._above, zip(*scores[name], strict=True))),
                )

    def _above(self, folds: Sequence[Tried]) -> float:
        """Return how far a model is above shuffled targets in all folds together."""
        predicted = np.concatenate([one.predicted for one in folds])
        wanted = np.concatenate([one.wanted for one in folds])
        if self._dataset.classes is not None and predicted.shape[1] == 1:  # only their order counts
            predicted = np.unique(predicted, return_inverse=True)[1].reshape(-1, 1) / len(predicted)
        groups = np.concatenate([self._groups[test] for _, test in self._parts])
        return above_shuffled(predicted, wanted, groups)

    def _named(self, features: Masks) -> tuple[str, ...]:
        return tuple(self._dataset.feature_names[one] for one in np.flatnonzero(features))

    def _say(self, what: str) -> None:
        stop_if_late()
        self._plan.hear(what)

    def _tried(self, fold: Fold, features: Masks) -> list[Tried]:
        """Return how each model does with some features."""
        stop_if_late()
        if not features.any():
            raise DataError("the selector must select a feature in each fold, got none.")
        return fold.tried(features, self._chooser.n_jobs)

    def _noise(self) -> NoiseGuard | None:
        """Return the result of the noise guard; if there is none, note why."""
        self._say("checking against random columns")
        found = self._chooser.noise(self._plan.seed)
        if isinstance(found, str):
            self._notes.append(found)
        return found if isinstance(found, NoiseGuard) else None


def far_out(target: Floats) -> Masks:
    """Return which values of a target are far out, if few decide R²; else none."""
    values = target / max(np.abs(target).max(), np.finfo(np.float64).tiny)
    low, high = np.quantile(values, (0.25, 0.75))
    reach = FENCE * (high - low)
    is_far = (values < low - reach) | (values > high + reach)
    squares = (values - values.mean()) ** 2
    are_many = is_far.sum() > max(FEWEST, FEW * len(is_far))
    is_small = reach == 0 or are_many or squares[is_far].sum() <= MOST * squares.sum()
    return np.zeros_like(is_far) if is_small else is_far


def told(target: Floats, is_far: Masks) -> tuple[str, str]:
    """Return which values are far out, without a period, and a pronoun for them."""
    n_far = np.count_nonzero(is_far)
    values = sorted(target[is_far], key=lambda one: -abs(one - np.median(target)))
    different = [*dict.fromkeys(f"{one:.4g}".replace("-", "−") for one in values)]
    named = ", ".join(different[:3]) + (", ..." if len(different) > 3 else "")
    lie, them = ("values of the target lie", "them") if n_far > 1 else (
        "value of the target lies", "it")  # fmt: skip
    return f"{n_far:,} {lie} far out ({named}), and R² depends on {them}", them
