"""The check of a selection by cross-validation: whether models do as well as with all features.

The selection is repeated inside each fold, on its training part alone. Choosing features on all
samples and cross-validating the models afterwards would let the samples to predict take part in
the choice, and flatter it (docs/howto/check.md).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from threadpoolctl import ThreadpoolController

from fuzzyfrog.common.deadline import current_deadline, stop_if_late
from fuzzyfrog.common.messages import count, shown
from fuzzyfrog.common.params import check_count
from fuzzyfrog.data import Dataset, make_dataset
from fuzzyfrog.errors import DataError, ParameterError
from fuzzyfrog.result import Check, ModelScores, NoiseGuard, Result
from fuzzyfrog.result.check import LOW_DEPENDENCY, elbow_of
from fuzzyfrog.select.groups import Groups
from fuzzyfrog.select.model_table import CLASSIFIERS, MOST_CATEGORIES, REGRESSORS, ModelTable
from fuzzyfrog.select.noise_guard import noise_guard
from fuzzyfrog.select.repeated_samples import LEAST_IN_A_FOLD, folds_of, samples_together
from fuzzyfrog.select.selection import constraints_of, select
from fuzzyfrog.select.settings import HIGHEST_SEED, Settings
from fuzzyfrog.select.table_selector import TableSelector

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Masks = NDArray[np.bool_]
Hear = Callable[[str], None]

MOST_SAMPLES = 10_000  # of a larger table a random part is used
MOST_CELLS = 20_000_000  # that models have, with a column for each category
FEWEST_SAMPLES = 500  # which models have, however wide a table is
DRAWING, SHUFFLING = 0x666F6C6473, 0x6F72646572  # next to the seed: streams of their own


def check(selector: Any, X: object, y: object = None, *, folds: int = 5, seed: int = 0) -> Check:
    """Check by cross-validation whether models do as well with the selected features.

    The selection is repeated inside each fold with the same settings, and three plain models (k
    nearest neighbors, a linear one, a random forest) are trained with all features and with the
    selected ones to predict the samples left out.

    Parameters
    ----------
    selector : estimator with `get_support`
        A :class:`SoftSelector`, a :class:`ReductSelector`, or any selector of scikit-learn;
        fitted or not. It stays as it is; in the folds, nothing is proved, no checkpoint is
        written, no callback is called and no cluster is used.
    X : array-like or data frame of shape (n_samples, n_features), or Dataset
        The samples, as for `fit`. For the models, gaps are filled with the median and categories
        become columns of zeros and ones, both learned inside the fold.
    y : array-like of shape (n_samples,), default=None
        Classes, or numbers. Leave it out if `X` is a `Dataset`, which has its own.
    folds : int, default=5
        Number of folds, stratified by class or along a numeric target. Fewer if too many samples
        belong together, as those of few patients.
    seed : int, default=0
        Seed of the folds, the models and the shuffles. The same seed gives the same check.

    Returns
    -------
    Check
        Scores (balanced accuracy, or R² for a numeric target) with all features, with the
        selected ones, and with the elbow of the front; their differences with standard errors;
        and the noise guard. Print it to get a table.

    Raises
    ------
    DataError
        If the table cannot be checked: too few samples, or fewer than two classes with two.
    ParameterError
        If a parameter is not valid. Both are a ValueError.

    Notes
    -----
    The standard errors are those of Nadeau and Bengio [1]_: the variance of the `k` folds, each
    the mean of the three models, times ``1 / k + 1 / (k - 1)`` instead of ``1 / k``, because the
    training parts of the folds overlap. They are still rough with five folds.

    References
    ----------
    .. [1] C. Nadeau and Y. Bengio, "Inference for the generalization error", Machine Learning 52,
       2003.

    Examples
    --------
    >>> from fuzzyfrog import SoftSelector, check, load_dataset
    >>> found = check(SoftSelector(), load_dataset("wine"))
    >>> found.metric, [one.name for one in found.scores]
    ('balanced accuracy', ['all', 'selected', 'elbow'])
    >>> found.noise.fails
    False
    """
    check_count("folds", folds, least=2)
    check_count("seed", seed, least=0)
    if seed > HIGHEST_SEED:
        raise ParameterError("seed", f"be at most {HIGHEST_SEED}", shown(seed))
    for method in ("fit", "get_support"):
        if not callable(getattr(selector, method, None)):
            rule = "be an estimator with fit and get_support"
            raise ParameterError("selector", rule, shown(selector))
    kinds = {"categorical_features": "from_dtype", "target": "auto"}
    given = {name: getattr(selector, name, value) for name, value in kinds.items()}
    is_ours = isinstance(selector, TableSelector)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `fit` says the same
        dataset = make_dataset(X, y, **given) if is_ours else make_dataset(X, y)
    if not callable(getattr(selector, "settings", None)):
        table = None if is_ours or isinstance(X, Dataset) else (X, y)
        outside = _Estimator(selector, dataset, table, int(seed))
        return CrossValidation(outside, dataset, int(folds), int(seed)).checked()
    settings = selector.settings()
    if settings.random_state is None:
        settings = replace(settings, random_state=getattr(selector, "seed_", int(seed)))
    return check_settings(settings, dataset, int(folds), int(seed))


def check_settings(
    settings: Settings, dataset: Dataset, folds: int, seed: int, hear: Hear = lambda _: None
) -> Check:
    """Return the check of a selection by its settings, which have a seed.

    `hear` is called with what comes next and may raise to stop it.
    """
    return CrossValidation(Selecting(settings, dataset), dataset, folds, seed, hear).checked()


@dataclass(frozen=True, eq=False)
class Choice:
    """Features that were chosen in the training part of a fold."""

    name: str
    features: Masks


class _Chooser(Protocol):
    """What chooses features in each fold."""

    allowed: Masks  # the features that models may have
    n_jobs: int | None

    def choices(self, rows: Integers) -> Iterator[Choice]:
        """Yield the features that models get after a selection on some samples."""

    def noise(self, seed: int) -> NoiseGuard | str | None:
        """Return the noise guard, why it was left out, or None if there is none."""

    def rival(self) -> _Chooser | None:
        """Return what to try if models lose, or if it is doubtful; None for nothing."""

    @property
    def is_doubtful(self) -> bool:
        """Whether the selections so far say little about classes."""


class Selecting:
    """A selection of this package, without side effects."""

    def __init__(self, settings: Settings, dataset: Dataset) -> None:
        self._dataset = dataset
        self._groups = Groups.of(settings.feature_groups, dataset)
        _, excluded, _ = constraints_of(dataset, settings, self._groups)
        self.allowed = self._groups.expanded(~excluded)
        self.n_jobs = settings.n_jobs
        self._low: list[bool] = []
        # In a fold, where rows are missing, a row number no longer looks like one: what is left
        # out was decided on the whole table.
        self._settings = replace(
            settings,
            exclude=excluded & ~self._groups.members,
            copies="keep",
            screens=False,
            certify=False,
            checkpoint=None,
            cluster=None,
        )

    def selected(self, rows: Integers) -> Result:
        """Return the selection on some samples, in the time that is left."""
        late = current_deadline()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they are about parts of the table
            result = select(self._dataset.take(rows), self._settings, [lambda _: late.expired()])
        if result.stop_reason == "interrupted":
            raise KeyboardInterrupt  # the best so far is not a result
        if result.stop_reason == "memory":
            raise MemoryError("the search ran out of memory")
        stop_if_late()
        return result

    def mask(self, features: Sequence[int]) -> Masks:
        """Return the columns that some features stand for."""
        return self._groups.expanded(np.isin(np.arange(self._dataset.n_features), features))

    def choices(self, rows: Integers) -> Iterator[Choice]:
        """Yield all features, the selected ones, and the elbow of the front."""
        found = self.selected(rows)
        self._low.append(found.full_dependency < LOW_DEPENDENCY)
        yield Choice("all", self.allowed)
        yield Choice("selected", self.mask(found.selected))
        chance = found.chance or 0.0
        bend = elbow_of(found.front, found.price, found.dependency, chance)
        yield Choice("elbow", self.mask(found.selected if bend is None else bend.features))

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

    @property
    def is_doubtful(self) -> bool:
        """Whether even all features separate the samples poorly, in most folds."""
        return sum(self._low) > len(self._low) / 2


class _Estimator:
    """Any selector of scikit-learn; `table` is what it is fitted on, None for the Dataset."""

    is_doubtful = False

    def __init__(
        self, selector: Any, dataset: Dataset, table: tuple[Any, Any] | None, seed: int
    ) -> None:
        self._dataset, self._table = dataset, table
        self._takes_datasets = isinstance(selector, TableSelector)
        self._selector = clone(selector)
        if self._selector.get_params(deep=False).get("random_state", 0) is None:
            self._selector.set_params(random_state=seed)
        self.allowed = np.ones(dataset.n_features, np.bool_)
        self.n_jobs = getattr(selector, "n_jobs", None)

    def choices(self, rows: Integers) -> Iterator[Choice]:
        """Yield all features, and the selected ones."""
        fitted = clone(self._selector)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they are about parts of the table
            try:
                fitted.fit(*self._part(rows))
            except (DataError, ParameterError):
                raise
            except (ValueError, TypeError) as error:
                reason = " ".join(str(error).split())
                raise DataError(
                    f"the selector must fit a part of the samples, got {type(error).__name__}: "
                    f"{reason[:200]}"
                ) from None
        yield Choice("all", self.allowed)
        yield Choice("selected", np.asarray(fitted.get_support(), np.bool_))

    def _part(self, rows: Integers) -> tuple[Any, Any]:
        """Return some samples as `fit` takes them."""
        if self._takes_datasets:
            return self._dataset.take(rows), None
        if self._table is None:
            return self._dataset.values[rows], self._dataset.target[rows]
        return _safe_indexing(self._table[0], rows), _safe_indexing(self._table[1], rows)

    def noise(self, seed: int) -> None:
        """Return nothing: other selectors may take hours."""

    def rival(self) -> None:
        """Return nothing."""


class CrossValidation:
    """The folds of a check."""

    def __init__(
        self,
        chooser: _Chooser,
        dataset: Dataset,
        folds: int,
        seed: int,
        hear: Hear = lambda _: None,
    ) -> None:
        self._chooser, self._dataset = chooser, dataset
        self._folds, self._seed = folds, seed
        self._hear = hear
        self._rows = self._drawn()
        self._notes: list[str] = []
        self._libraries = ThreadpoolController()
        self._check_size()
        together = self._belonging(chooser.allowed)
        target = dataset.target[self._rows]
        self._parts = shuffled_parts(target, folds, seed, together)
        self._folds = len(self._parts)
        self._check_classes(target, together)
        self._check_parts(target, folds)

    def _drawn(self) -> Integers:
        """Return the samples to use."""
        n_samples, most = self._dataset.n_samples, _n_tried(self._dataset)
        if n_samples <= most:
            return np.arange(n_samples)
        random = np.random.default_rng([self._seed, DRAWING])
        return np.sort(random.permutation(n_samples)[:most])

    def _check_size(self) -> None:
        """Raise if there are too few samples, and note if there are too many."""
        n_samples, fewest = len(self._rows), LEAST_IN_A_FOLD * self._folds
        if n_samples < fewest:
            raise DataError(
                f"a check with {self._folds} folds must have at least {fewest} samples, got "
                f"{n_samples}. So few samples cannot tell how well models do."
            )
        if n_samples < self._dataset.n_samples:
            self._notes.append(
                f"Models were tried on {n_samples:,} of the {self._dataset.n_samples:,} samples, "
                "drawn at random."
            )

    def _check_classes(self, target: NDArray[Any], together: Integers | None) -> None:
        """Raise if there are no two classes to tell apart, and note rare ones."""
        if self._dataset.classes is None:
            return
        if together is not None:  # samples that are always together count once
            target = np.unique(np.column_stack([target, together]), axis=0)[:, 0]
        counts = np.bincount(target, minlength=len(self._dataset.classes))
        n_known = int(np.count_nonzero(counts >= 2))
        if n_known < 2:
            raise DataError(
                "a check must have two classes with at least two samples each, got "
                f"{count(n_known, 'such class')}. Nothing "
                "can be learned about a class from a single sample."
            )
        if rare := np.count_nonzero((counts > 0) & (counts < self._folds)):
            has = "class has" if rare == 1 else "classes have"
            self._notes.append(
                f"{rare:,} {has} fewer samples than there are folds ({self._folds}), so that some "
                "folds have none of them to predict."
            )

    def _check_parts(self, target: NDArray[Any], asked: int) -> None:
        """Raise if some fold tells nothing, and note if there are fewer than asked for."""
        fewest = min(len(test) for _, test in self._parts)
        if fewest < LEAST_IN_A_FOLD:
            raise DataError(
                f"a check must have at least {LEAST_IN_A_FOLD} samples in each fold, got {fewest}: "
                "nearly all samples belong together."
            )
        if self._folds < asked:
            self._notes.append(
                f"There are {self._folds} folds instead of {asked}, because too many samples "
                "belong together."
            )
        if any(target[train].min() == target[train].max() for train, _ in self._parts):
            raise DataError(
                "a check must have a target that varies in every fold, got one that does not."
            )

    def checked(self) -> Check:
        """Return the check."""
        parts = [(self._rows[train], self._rows[test]) for train, test in self._parts]
        chosen: list[list[Choice]] = []
        scores: dict[str, list[Floats]] = {}
        for place, (train, test) in enumerate(parts):
            self._say(f"checking with models, fold {place + 1} of {self._folds}")
            table = ModelTable(self._dataset, train, test)
            chosen.append(list(self._chooser.choices(np.sort(train))))
            for one in chosen[-1]:
                scores.setdefault(one.name, []).append(self._tried(table, one.features))
        noise = self._noise()
        summed = self._summed(scores, chosen)
        rival_features: tuple[str, ...] = ()
        is_doubtful = self._chooser.is_doubtful or (noise is not None and noise.fails)
        rival = self._chooser.rival() if is_doubtful or summed[1].loses else None
        if isinstance(rival, Selecting):
            for place, (train, test) in enumerate(parts):
                self._say(f"checking the soft measure, fold {place + 1} of {self._folds}")
                table = ModelTable(self._dataset, train, test)
                mask = rival.mask(rival.selected(np.sort(train)).selected)
                chosen[place].append(Choice("soft", mask))
                scores.setdefault("soft", []).append(self._tried(table, mask))
            whole = rival.mask(rival.selected(self._rows).selected)
            names = self._dataset.feature_names
            rival_features = tuple(names[one] for one in np.flatnonzero(whole))
            summed = self._summed(scores, chosen)
        is_numeric = self._dataset.classes is None
        return Check(
            metric="R²" if is_numeric else "balanced accuracy",
            models=REGRESSORS if is_numeric else CLASSIFIERS,
            folds=self._folds,
            seed=self._seed,
            n_samples=len(self._rows),
            scores=summed,
            soft_features=rival_features,
            noise=noise,
            left_out=None,
            notes=tuple(self._notes),
        )

    def _belonging(self, seen: Masks) -> Integers | None:
        """Return which samples belong together and so into the same fold, None if none do.

        Note what says so, and what does not.
        """
        found = samples_together(self._dataset, self._rows, seen, self._folds)
        if found.by:
            note = (
                f"Samples {_with_the_same(found.by)} are in the same fold, so models are "
                "tested on IDs they have not seen."
            )
            if found.not_by:
                same = _with_the_same(found.not_by)
                note += f" Those {same} are not: too many would be connected."
            self._notes.append(note)
        if found.n_copies:
            self._notes.append(
                f"{found.n_copies:,} of the {len(self._rows):,} samples "
                f"{'repeats' if found.n_copies == 1 else 'repeat'} another one in every feature, "
                "and equal samples are in the same fold."
            )
        for name, n_values in found.categories.items():
            self._notes.append(
                f"Samples {_with_the_same([name])} may be in different folds: its {n_values:,} "
                f"values look like categories. If they are people or animals, call it "
                f"{shown(f'{name}_id')}."
            )
        return found.numbers if found else None

    def _say(self, what: str) -> None:
        stop_if_late()
        self._hear(what)

    def _tried(self, table: ModelTable, features: Masks) -> Floats:
        """Return the score of each model with some features."""
        stop_if_late()
        if not features.any():
            raise DataError("the selector must select a feature in each fold, got none.")
        # Threads of BLAS and OpenMP wait for each other twenty times as long as a linear model of a
        # small table computes, and their number would show in the last bits.
        with self._libraries.limit(limits=1):
            return table.scores(features, self._seed, self._chooser.n_jobs)

    def _noise(self) -> NoiseGuard | None:
        """Return the result of the noise guard; if there is none, note why."""
        self._say("checking against shuffled columns")
        found = self._chooser.noise(self._seed)
        if isinstance(found, str):
            self._notes.append(found)
        return found if isinstance(found, NoiseGuard) else None

    def _summed(
        self, scores: dict[str, list[Floats]], chosen: list[list[Choice]]
    ) -> tuple[ModelScores, ...]:
        """Return the means and standard errors; the elbow only where it differs."""
        masks = {
            name: [next(one.features for one in fold if one.name == name) for fold in chosen]
            for name in scores
        }
        everything = np.array(scores["all"])
        found = []
        for name, folds in scores.items():
            pairs = zip(masks[name], masks["selected"], strict=True)
            if name == "elbow" and all(np.array_equal(*pair) for pair in pairs):
                continue
            values = np.array(folds)
            apart = (values - everything).mean(axis=1)
            found.append(
                ModelScores(
                    name=name,  # type: ignore[arg-type]
                    n_features=float(np.mean([mask.sum() for mask in masks[name]])),
                    score=float(values.mean()),
                    standard_error=standard_error(values.mean(axis=1)),
                    difference=float(apart.mean()),
                    difference_error=standard_error(apart),
                    by_model=tuple(values.mean(axis=0).tolist()),
                )
            )
        return tuple(found)


def _n_tried(dataset: Dataset) -> int:
    """Return how many samples models can have, at most: fewer of a wide table."""
    width = int(np.where(dataset.categorical, MOST_CATEGORIES, 1).sum())
    return min(MOST_SAMPLES, max(FEWEST_SAMPLES, MOST_CELLS // width))


def _with_the_same(names: Sequence[str]) -> str:
    told = [f"with the same {shown(name)}" if name else "of the same name" for name in names]
    return " or ".join(told)


def shuffled_parts(
    target: NDArray[Any], n_folds: int, seed: int, together: Integers | None = None
) -> list[tuple[Integers, Integers]]:
    """Return the samples to train on and to predict in each fold, the former in random order.

    Of several nearest neighbors at the same distance, models take the first: in a table that is
    sorted by class, that would be one class.
    """
    folds = folds_of(target, n_folds, seed, together)
    random = np.random.default_rng([seed, SHUFFLING])
    return [
        (random.permutation(np.flatnonzero(folds != one)), np.flatnonzero(folds == one))
        for one in range(folds.max() + 1)
    ]


def standard_error(values: Floats) -> float:
    """Return the standard error of the mean of folds whose training parts overlap.

    It is that of Nadeau and Bengio: the samples to predict are 1 / (k - 1) of those to train on.
    """
    n_folds = len(values)
    variance = float(np.var(values, ddof=1))
    return float(np.sqrt((1 / n_folds + 1 / (n_folds - 1)) * variance))
