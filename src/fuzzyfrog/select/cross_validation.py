"""The check of a selection by cross-validation: whether models do as well as with all features.

The selection is repeated inside each fold, on its training part alone. Choosing features on all
samples and cross-validating the models afterwards would let the samples to predict take part in
the choice, and flatter it (docs/howto/check.md).

The noise guard is part of it: whether the measure takes shuffled columns for features.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from threadpoolctl import ThreadpoolController

from fuzzyfrog.common.deadline import current_deadline, stop_if_late, uninterrupted
from fuzzyfrog.common.messages import count, shown
from fuzzyfrog.common.params import check_count
from fuzzyfrog.data import Dataset, make_dataset
from fuzzyfrog.errors import DataError, ParameterError
from fuzzyfrog.measure.threads import effective_threads
from fuzzyfrog.records import Check, ModelScores, NoiseGuard
from fuzzyfrog.records.check import elbow_of
from fuzzyfrog.records.statements import LOW_DEPENDENCY
from fuzzyfrog.select.groups import Groups
from fuzzyfrog.select.parameters import HIGHEST_SEED, size_asked
from fuzzyfrog.select.repeated_samples import LEAST_IN_A_FOLD, folds_of, samples_together
from fuzzyfrog.select.selection import Selection
from fuzzyfrog.select.selector import TableSelector

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Masks = NDArray[np.bool_]
Hear = Callable[[str], None]

CLASSIFIERS = ("k nearest neighbors", "logistic regression", "random forest")
REGRESSORS = ("k nearest neighbors", "ridge regression", "random forest")
N_TREES = 50
MOST_SAMPLES = 10_000  # of a larger table a random part is used
MOST_CELLS = 20_000_000  # that models have, with a column for each category
FEWEST_SAMPLES = 500  # which models have, however wide a table is
SOFT_PAIRS = 1_000_000_000  # pairs of samples x features up to which the soft measure is quick
LOWEST_R2 = -1e9  # a record has finite numbers only
WORTH_A_THREAD = 20_000  # cells to train on
MOST_CATEGORIES = 50  # of a feature that models see; the rest are one
DRAWING, SHUFFLING = 0x666F6C6473, 0x6F72646572  # next to the seed: streams of their own
# What a selection inside a fold must not do or need not do.
QUIET: dict[str, object] = {
    "callbacks": (), "certify": False, "checkpoint": None, "cluster": None, "verbose": 0
}  # fmt: skip

# Of the noise guard:
MOST_SHUFFLES = 5
MOST_SHUFFLED = 1_000  # samples of a shuffle
FEWEST_SHUFFLED = 100  # with fewer, a part of a table says little about it
GUARD_PAIRS = 1_000_000_000  # pairs of samples x columns that a greedy search compares in seconds
GUARD_STEPS = 8  # that it usually takes
TWINNING = 0x7477696E73  # next to the seed: no other part of a check draws from it


def check(selector: Any, X: object, y: object = None, *, folds: int = 5, seed: int = 0) -> Check:
    """Check by cross-validation whether models do as well with the selected features.

    The selection is repeated inside each fold with the same settings, and three plain models (k
    nearest neighbors, a linear one, a random forest) are trained with all features and with the
    selected ones to predict the samples left out.

    Parameters
    ----------
    selector : estimator with `get_support`
        A :class:`FuzzyRoughSelector`, a :class:`BoostedSelector`, or any selector of scikit-learn;
        fitted or not. It is cloned and stays as it is; the clones write no checkpoint, call no
        callbacks, use no cluster and prove nothing.
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
    >>> from fuzzyfrog import FuzzyRoughSelector, check, load_dataset
    >>> found = check(FuzzyRoughSelector("quickreduct"), load_dataset("wine"))
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
    return CrossValidation(selector, X, y, int(folds), int(seed)).checked()


@dataclass(frozen=True, eq=False)
class _Choice:
    """Features that were chosen in the training part of a fold."""

    name: str
    features: Masks


class CrossValidation:
    """The folds of a check; `hear` is called with what comes next and may raise to stop it."""

    def __init__(
        self,
        selector: Any,
        X: object,
        y: object,
        folds: int,
        seed: int,
        hear: Hear = lambda _: None,
    ) -> None:
        self._is_ours = isinstance(selector, Selection | TableSelector)
        self._X, self._y = X, y
        self._folds, self._seed = folds, seed
        self._hear = hear
        kinds = {"categorical_features": "from_dtype", "target": "auto"}
        given = {name: getattr(selector, name, value) for name, value in kinds.items()}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # `fit` says the same
            self._dataset = make_dataset(X, y, **given) if self._is_ours else make_dataset(X, y)
        self._selector = self._quiet(selector)
        self._left_out = None
        seen = np.ones(self._dataset.n_features, np.bool_)
        if isinstance(self._selector, Selection):
            _, excluded, self._left_out = self._selector._constrained(self._dataset)
            seen = Groups.of(self._selector.groups, self._dataset).expanded(~excluded)
        self._rows = self._drawn()
        self._notes: list[str] = []
        self._libraries = ThreadpoolController()
        self._check_size()
        together = self._belonging(seen)
        target = self._dataset.target[self._rows]
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
        chosen: list[list[_Choice]] = []
        low = []
        scores: dict[str, list[Floats]] = {}
        for place, (train, test) in enumerate(parts):
            self._say(f"checking with models, fold {place + 1} of {self._folds}")
            table = _ModelTable(self._dataset, train, test)
            fitted = self._fitted(self._selector, np.sort(train))
            low.append(getattr(fitted, "full_dependency_", 1.0) < LOW_DEPENDENCY)
            chosen.append(list(self._choices(fitted)))
            for one in chosen[-1]:
                scores.setdefault(one.name, []).append(self._tried(table, one.features))
        noise = self._noise()
        is_doubtful = sum(low) > self._folds / 2 or (noise is not None and noise.fails)
        summed = self._summed(scores, chosen)
        soft_features: tuple[str, ...] = ()
        if _is_strict(self._selector) and (is_doubtful or summed[1].loses):
            soft = _softened(self._selector)
            for place, (train, test) in enumerate(parts):
                self._say(f"checking the soft measure, fold {place + 1} of {self._folds}")
                table = _ModelTable(self._dataset, train, test)
                mask = self._fitted(soft, np.sort(train)).get_support()
                chosen[place].append(_Choice("soft", mask))
                scores.setdefault("soft", []).append(self._tried(table, mask))
            whole = self._fitted(soft, self._rows)
            soft_features = tuple(map(str, whole.get_feature_names_out()))
            summed = self._summed(scores, chosen)
        is_numeric = self._dataset.classes is None
        return Check(
            metric="R²" if is_numeric else "balanced accuracy",
            models=REGRESSORS if is_numeric else CLASSIFIERS,
            folds=self._folds,
            seed=self._seed,
            n_samples=len(self._rows),
            scores=summed,
            soft_features=soft_features,
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
                f"Samples {_with_the_same(found.by)} are in the same fold, so models predict for "
                "those they have not met."
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

    def _quiet(self, selector: Any) -> Any:
        """Return a clone without side effects, with a seed."""
        quiet = clone(selector)
        own = quiet.get_params(deep=False)
        changes = {k: v for k, v in QUIET.items() if self._is_ours and k in own}
        if own.get("random_state", 0) is None:
            changes["random_state"] = getattr(selector, "seed_", self._seed)
        return quiet.set_params(**changes)

    def _fitted(self, selector: Any, rows: Integers) -> Any:
        """Return a clone of the selector fitted on some samples, in the time that is left."""
        late = current_deadline()
        fitted = clone(selector)
        if isinstance(fitted, Selection):
            fitted.set_params(callbacks=[lambda _: late.expired()])
            # In a fold, where rows are missing, a row number no longer looks like one.
            fitted._decided = self._left_out
        X, y = self._part(rows)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they are about parts of the table
            try:
                fitted.fit(X, y)
            except (DataError, ParameterError):
                raise
            except (ValueError, TypeError) as error:
                reason = " ".join(str(error).split())
                raise DataError(
                    f"the selector must fit a part of the samples, got {type(error).__name__}: "
                    f"{reason[:200]}"
                ) from None
        if getattr(fitted, "stop_reason_", None) == "interrupted":
            raise KeyboardInterrupt  # the best so far is not a result
        if getattr(fitted, "stop_reason_", None) == "memory":
            raise MemoryError("the search ran out of memory")
        stop_if_late()
        return fitted

    def _part(self, rows: Integers) -> tuple[Any, Any]:
        """Return some samples as `fit` takes them."""
        if self._is_ours:
            return rows_of(self._dataset, rows), None
        if isinstance(self._X, Dataset):
            return self._dataset.values[rows], self._dataset.target[rows]
        return _safe_indexing(self._X, rows), _safe_indexing(self._y, rows)

    def _choices(self, fitted: Any) -> Iterator[_Choice]:
        """Yield the features that a fitted selector lets the models have."""
        support = np.asarray(fitted.get_support(), np.bool_)
        everything = np.ones(len(support), np.bool_)
        if isinstance(fitted, Selection):
            everything[list(fitted._notes.excluded)] = False
        yield _Choice("all", everything)
        yield _Choice("selected", support)
        if isinstance(fitted, Selection):
            chance = fitted.chance_ or 0.0
            bend = elbow_of(fitted.front_, fitted.n_features_, fitted.dependency_, chance)
            mask = support
            if bend is not None:
                mask = fitted._all_columns(np.isin(np.arange(len(support)), bend.features))
            yield _Choice("elbow", mask)

    def _tried(self, table: _ModelTable, features: Masks) -> Floats:
        """Return the score of each model with some features."""
        stop_if_late()
        if not features.any():
            raise DataError("the selector must select a feature in each fold, got none.")
        # Threads of BLAS and OpenMP wait for each other twenty times as long as a linear model of a
        # small table computes, and their number would show in the last bits.
        with self._libraries.limit(limits=1):
            return table.scores(features, self._seed, getattr(self._selector, "n_jobs", None))

    def _noise(self) -> NoiseGuard | None:
        """Return the result of the noise guard; if there is none, note why."""
        if not isinstance(self._selector, Selection):
            return None
        self._say("checking against shuffled columns")
        found = guard_of(self._selector, self._dataset, self._seed)
        if isinstance(found, NoiseGuard):
            return found
        self._notes.append(found)
        return None

    def _summed(
        self, scores: dict[str, list[Floats]], chosen: list[list[_Choice]]
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


def estimated_seconds(dataset: Dataset, n_selected: int, selecting: float, folds: int = 5) -> float:
    """Return how long a check takes, roughly, if selecting once takes `selecting` seconds."""
    n_samples = min(dataset.n_samples, _n_tried(dataset))
    share = n_samples / dataset.n_samples
    n_classes = len(dataset.classes or ())

    def models(n_features: int) -> float:
        if n_classes:
            forest = 0.1 + 4e-5 * n_samples * math.sqrt(n_features)
            return forest + 0.03 + 4e-7 * n_samples * n_features * n_classes
        return 0.06 + 2.5e-5 * n_samples * n_features

    tried = models(dataset.n_features) + 3 * models(n_selected)  # selected, elbow, soft
    guard = min(5.0, 1e-8 * n_samples**2 * dataset.n_features)
    return folds * (tried + share * selecting) + guard


def guard_of(selector: Selection, dataset: Dataset, seed: int) -> NoiseGuard | str:
    """Return the result of the noise guard, or a sentence why it was left out."""
    if selector.groups:
        return "The noise guard was left out: it shuffles single columns, and some form groups."
    # Twins of what a fit leaves out would only dilute the others.
    _, excluded, _ = selector._constrained(dataset)
    allowed = columns_of(dataset, np.flatnonzero(~excluded))
    asked = size_asked(selector.n_features_to_select, allowed.n_features)
    quiet = clone(selector).set_params(
        **QUIET, random_state=seed, copies="keep", n_features_to_select=asked
    )
    try:
        return noise_guard(quiet, allowed, seed)
    except (DataError, ParameterError) as error:
        return f"The noise guard was left out: {error}"


def soft_features_of(
    selector: Selection, dataset: Dataset, noise: NoiseGuard | None
) -> tuple[str, ...]:
    """Return what the soft measure selects where a fitted strict selector is doubtful.

    Empty if it is not doubtful, or if that would take long.
    """
    is_doubtful = selector.full_dependency_ < LOW_DEPENDENCY or (noise is not None and noise.fails)
    pairs = dataset.n_samples**2 * dataset.n_features
    if not _is_strict(selector) or not is_doubtful or pairs > SOFT_PAIRS:
        return ()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = _softened(selector).fit(dataset)
    return tuple(map(str, found.get_feature_names_out()))


def _is_strict(selector: Any) -> bool:
    return isinstance(selector, Selection) and selector.measure == "strict"


def _softened(selector: Selection) -> Selection:
    """Return the selector that a strict one is compared with."""
    return type(selector)(
        measure="soft",
        must_include=selector.must_include,
        exclude=selector.exclude,
        groups=selector.groups,
        n_jobs=selector.n_jobs,
        random_state=selector.random_state,
    )


def standard_error(values: Floats) -> float:
    """Return the standard error of the mean of folds whose training parts overlap.

    It is that of Nadeau and Bengio: the samples to predict are 1 / (k - 1) of those to train on.
    """
    n_folds = len(values)
    variance = float(np.var(values, ddof=1))
    return float(np.sqrt((1 / n_folds + 1 / (n_folds - 1)) * variance))


class _ModelTable:
    """A fold as models see it: numbers without gaps; all that is learned comes from `train`."""

    def __init__(self, dataset: Dataset, train: Integers, test: Integers) -> None:
        self._is_numeric = dataset.classes is None
        self._y_train, self._y_test = dataset.target[train], dataset.target[test]
        blocks = [
            (_one_hot if categorical else _standardized)(column[train], column[test])
            for column, categorical in zip(dataset.values.T, dataset.categorical, strict=True)
        ]
        self._train = np.hstack([block[0] for block in blocks])
        self._test = np.hstack([block[1] for block in blocks])
        self._feature = np.repeat(np.arange(len(blocks)), [block[0].shape[1] for block in blocks])
        self._known: dict[bytes, Floats] = {}

    def scores(self, features: Masks, seed: int, n_jobs: int | None) -> Floats:
        """Return the score of each model with some features."""
        if features.tobytes() in self._known:
            return self._known[features.tobytes()]
        columns = features[self._feature]
        X_train, X_test = self._train[:, columns], self._test[:, columns]
        n_threads = effective_threads(n_jobs) if X_train.size >= WORTH_A_THREAD else 1
        scores = []
        for model in _models(seed, is_numeric=self._is_numeric):
            stop_if_late()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a linear model need not converge
                is_forest = hasattr(model, "n_estimators")
                if is_forest:
                    model.set_params(n_jobs=n_threads)
                model.fit(X_train, self._y_train)
                if is_forest:
                    model.set_params(n_jobs=1)  # threads would add up in any order
                predicted = model.predict(X_test)
            scores.append(_score(self._y_test, predicted, is_numeric=self._is_numeric))
        self._known[features.tobytes()] = np.array(scores)
        return self._known[features.tobytes()]


def _standardized(train: Floats, test: Floats) -> tuple[Floats, Floats]:
    """Return a column of numbers in units of its spread, gaps at the median."""
    known = train[~np.isnan(train)]
    median = float(np.median(known)) if known.size else 0.0
    train, test = (np.where(np.isnan(one), median, one) for one in (train, test))
    center, spread = float(train.mean()), float(train.std())
    scale = spread if np.isfinite(spread) and spread > 0 else 1.0
    return ((train - center) / scale)[:, None], ((test - center) / scale)[:, None]


def _one_hot(train: Floats, test: Floats) -> tuple[Floats, Floats]:
    """Return a column of zeros and ones for each category seen; a gap or a new one has no 1."""
    seen, counts = np.unique(train[~np.isnan(train)], return_counts=True)
    kept = np.sort(seen[np.argsort(-counts, kind="stable")[:MOST_CATEGORIES]])
    return (train[:, None] == kept).astype(float), (test[:, None] == kept).astype(float)


def _models(seed: int, *, is_numeric: bool) -> list[Any]:
    """Return the models; classes count equally, as they do in the score."""
    with uninterrupted():  # the imports
        from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
        from sklearn.linear_model import LogisticRegression, Ridge
        from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

    if is_numeric:
        forest = RandomForestRegressor(N_TREES, random_state=seed % 2**32)
        return [KNeighborsRegressor(), Ridge(), forest]
    return [
        KNeighborsClassifier(),
        LogisticRegression(class_weight="balanced", max_iter=500),
        RandomForestClassifier(N_TREES, class_weight="balanced", random_state=seed % 2**32),
    ]


def _score(truth: Any, predicted: Any, *, is_numeric: bool) -> float:
    if is_numeric:
        apart = truth - truth.mean()
        unit = float(np.abs(apart).max())  # squares of very large or small numbers are not finite
        if not 0.0 < unit < math.inf:
            return 0.0
        spread = float(((apart / unit) ** 2).sum())
        missed = float((((truth - predicted) / unit) ** 2).sum())
        return max(LOWEST_R2, 1.0 - missed / spread)
    return float(np.mean([np.mean(predicted[truth == one] == one) for one in np.unique(truth)]))


def noise_guard(selector: Selection, dataset: Dataset, seed: int) -> NoiseGuard | str:
    """Return how many shuffled twins a greedy search takes, or a sentence why it was left out.

    Every column that may be selected gets a twin with the same values in another order. The
    measure and its settings are those of the selector, which must be a clone that nobody watches.
    """
    per_pair = 2 * dataset.n_features * GUARD_STEPS
    affordable = math.isqrt(GUARD_PAIRS // per_pair)
    if affordable < min(FEWEST_SHUFFLED, dataset.n_samples):
        return (
            f"The noise guard was left out: {dataset.n_features:,} columns and their shuffled "
            "twins take too long."
        )
    n_samples = min(dataset.n_samples, MOST_SHUFFLED, affordable)
    n_shuffles = min(MOST_SHUFFLES, max(1, GUARD_PAIRS // (n_samples**2 * per_pair)))
    random = np.random.default_rng([seed, TWINNING])
    n_taken = n_twins = 0
    for _ in range(n_shuffles):
        stop_if_late()
        chosen = random.permutation(dataset.n_samples)[:n_samples]
        doubled, is_twin = _with_twins(rows_of(dataset, np.sort(chosen)), random)
        greedy = clone(selector).set_params(search="quickreduct", must_include=None, exclude=None)
        greedy._drops_doubtful = False  # that was decided on the whole table
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            taken = greedy.fit(doubled).get_support()
        n_taken += int(taken.sum())
        n_twins += int((taken & is_twin).sum())
    return NoiseGuard(n_taken, n_twins, n_shuffles, n_samples)


def rows_of(dataset: Dataset, rows: Any) -> Dataset:
    """Return some samples of a table; classes that none of them has are dropped."""
    part = replace(
        dataset, values=dataset.values[rows], target=dataset.target[rows], notes=(), rows=None
    )
    if dataset.classes is None:
        return part
    present, codes = np.unique(part.target, return_inverse=True)
    classes = tuple(dataset.classes[one] for one in present.tolist())
    return replace(part, target=codes.astype(np.int64), classes=classes)


def columns_of(dataset: Dataset, features: Integers) -> Dataset:
    """Return some features of a table, in this order."""
    names = tuple(dataset.feature_names[one] for one in features)
    labels = dataset.categories and tuple(dataset.categories[one] for one in features)
    return replace(
        dataset,
        values=np.ascontiguousarray(dataset.values[:, features]),
        feature_names=names,
        categorical=dataset.categorical[features],
        categories=labels,
        dates=frozenset(np.flatnonzero(np.isin(features, list(dataset.dates))).tolist()),
    )


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
    return columns_of(doubled, order), is_twin[order]
