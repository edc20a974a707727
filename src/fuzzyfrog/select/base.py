"""What the selectors share: tables in and out, choosing among reducts, and early ends."""

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, Self

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from fuzzyfrog import search
from fuzzyfrog.common.deadline import TimeIsUp
from fuzzyfrog.common.messages import Sentence, Setting, count, listed, shown
from fuzzyfrog.data import Dataset, make_dataset
from fuzzyfrog.data.dask_tables import dask_columns
from fuzzyfrog.data.dataset import as_frame, is_dask, without_rows
from fuzzyfrog.errors import DataError, ParameterError
from fuzzyfrog.measure.dependency import Measure
from fuzzyfrog.records import FrontPoint, Reduct
from fuzzyfrog.search import Objective, Outcome, Problem
from fuzzyfrog.search.protocol import Constraints, without_each
from fuzzyfrog.search.stepwise import eliminate
from fuzzyfrog.select.measures import MeasureSettings, Path, interval_of, sampled
from fuzzyfrog.select.parameters import is_index

Masks = NDArray[np.bool_]

ESTIMATED_PAIRS = 30_000_000  # scored in a fraction of a second, on any table
FEWEST_ESTIMATED = 16
CONFIDENCE = 0.95  # of the interval for the dependency of the selected features


class TableSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """A selector that takes any table: numbers, categories, missing values, any frame library."""

    categorical_features: object
    target: str
    support_: Masks
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]

    def _read(self, X: object, y: object) -> Dataset:
        """Return the checked data, and set the number of features and their names."""
        if getattr(getattr(y, "dtype", None), "kind", None) == "c":
            raise DataError("y must be real, got complex numbers. Complex data not supported.")
        name = getattr(y, "name", None)  # of a series
        dataset = make_dataset(
            X,
            y,
            categorical_features=self.categorical_features,
            target=self.target,
            target_name=name if isinstance(name, str) and name else "class",
        )
        if isinstance(X, Dataset):
            self.n_features_in_ = dataset.n_features
            self.feature_names_in_ = np.asarray(dataset.feature_names, dtype=object)
        else:
            validate_data(self, X=without_rows(X), y=y, skip_check_array=True)
        return dataset

    def transform(self, X: Any) -> Any:
        """Reduce a table to the selected features.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features), or Dataset
            The samples.

        Returns
        -------
        array or data frame of shape (n_samples, n_selected)
            An array, or the container chosen with ``set_output``. A frame keeps the types of its
            columns if it stays with its library, and a Dask collection stays lazy.
        """
        support = self.get_support()
        if isinstance(X, Dataset):
            return self._values_of(X)[:, support]
        if is_dask(X):
            validate_data(self, X=without_rows(X), reset=False, skip_check_array=True)
            return dask_columns(X, np.flatnonzero(support))
        if self._output() == "polars" and nw.dependencies.is_polars_dataframe(X):
            # scikit-learn does this for pandas; here it would go through an array of objects.
            validate_data(self, X=X, reset=False, skip_check_array=True)
            return X[:, np.flatnonzero(support).tolist()]
        is_frame = nw.dependencies.is_pandas_dataframe(X) or nw.dependencies.is_polars_dataframe(X)
        if is_frame and self._output() == "default":
            # Choose columns first: a single column of labels makes the whole array one of objects.
            frame = as_frame(X)
            validate_data(self, X=X, reset=False, skip_check_array=True)
            part = frame[:, np.flatnonzero(support).tolist()]
            _refuse_mixed_dates(part)
            allow_nan = self.__sklearn_tags__().input_tags.allow_nan
            return check_array(
                part.to_native(), dtype=None, ensure_all_finite=not allow_nan, force_writeable=True
            )
        return super().transform(X)

    def _values_of(self, dataset: Dataset) -> NDArray[np.float64]:
        """Return the values of a Dataset that has the features of the fitted one."""
        fitted = list(getattr(self, "feature_names_in_", dataset.feature_names))
        if list(dataset.feature_names) != fitted:
            raise DataError(
                f"X must have the {self.n_features_in_} features of the fit in their order, got "
                f"{listed(dataset.feature_names)}. Read the table as for the fit."
            )
        return dataset.values

    def _output(self) -> str:
        """Return the container set with `set_output`; scikit-learn has no public name for it."""
        own = getattr(self, "_sklearn_output_config", {})
        return str(own.get("transform", get_config()["transform_output"]))

    def _get_support_mask(self) -> Masks:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        return tags


def _refuse_mixed_dates(frame: nw.DataFrame[Any]) -> None:
    """Refuse dates next to numbers: no array holds both as they are."""
    dates = [name for name, kind in frame.schema.items() if kind in (nw.Datetime, nw.Date)]
    if dates and any(kind.is_numeric() or kind == nw.Boolean for kind in frame.schema.values()):
        raise DataError(
            f"the selected features must fit into one array, got dates in {listed(dates)} next to "
            "numbers. Call set_output(transform='pandas') or 'polars' to get a frame, or convert "
            "dates to numbers, for example to days since the first."
        )


def ranks_behind(support: Masks, importance: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return rank 1 for the selected features and ranks from 2 on, by importance, for the rest."""
    ranks = np.ones(len(support), np.int64)
    _, places = np.unique(-importance[~support], return_inverse=True)
    ranks[~support] = 2 + places
    return ranks


def dealt_folds(target: NDArray[Any], n_folds: int, seed: int) -> NDArray[np.int64]:
    """Return the fold of each sample, stratified by class or along a numeric target."""
    shuffled = np.random.default_rng(seed).permutation(len(target))
    order = shuffled[np.argsort(target[shuffled], kind="stable")]
    folds = np.empty(len(target), np.int64)
    folds[order] = np.arange(len(target)) % n_folds
    return folds


@dataclass(frozen=True, eq=False)
class Evidence:
    """The training data that a fitted selector keeps, and how it is measured.

    Attributes
    ----------
    dataset : Dataset
        All samples, with the features that occur in a reduct.
    features : int64[n_kept]
        The indices of these features in the original table.
    settings : MeasureSettings
        The measure.
    part : tuple of int
        Number of samples that the search measured, and the seed by which they were drawn.
    """

    dataset: Dataset
    features: NDArray[np.int64]
    settings: MeasureSettings
    part: tuple[int, int]

    @classmethod
    def of(
        cls, dataset: Dataset, kept: Masks, settings: MeasureSettings, part: tuple[int, int]
    ) -> Self:
        """Return a copy of some features, safe from later changes of the table."""
        features = np.flatnonzero(kept)
        copied = Dataset(
            np.ascontiguousarray(dataset.values[:, features]),
            dataset.target,
            tuple(dataset.feature_names[feature] for feature in features),
            dataset.categorical[features],
            dataset.classes,
            dataset.target_name,
            dataset.name,
            dataset.categories and tuple(dataset.categories[feature] for feature in features),
        )
        return cls(copied, features, settings, part)

    def measure(self, n_jobs: int | None) -> Any:
        """Return the measure of the samples on the features that were kept."""
        return self.settings.measured(self.dataset, n_jobs)


class ReductSelector(TableSelector):
    """A selector with several reducts to choose from, which lets its clones share its client.

    A client is a connection: it cannot be copied, and it is useless in another process, so
    pickles drop it. The address of a scheduler is plain text and is kept.
    """

    cluster: object
    reducts_: list[Reduct]
    feature_frequency_: NDArray[np.float64]
    front_: list[FrontPoint]
    n_sampled_: int
    seed_: int
    n_jobs: int | None
    _evidence: Evidence
    _path: Path | None
    _tolerance: float

    def select_reduct(self, i: int) -> Self:
        """Select another reduct.

        Parameters
        ----------
        i : int
            Position in ``reducts_``. `fit` selects 0.

        Returns
        -------
        self : object
            The selector. ``support_``, ``n_features_``, ``dependency_``,
            ``dependency_interval_``, ``ranking_`` and ``front_`` now describe this reduct.
        """
        check_is_fitted(self, "reducts_")
        if not is_index(i) or not 0 <= i < len(self.reducts_):
            rule = f"be a position in reducts_, from 0 to {len(self.reducts_) - 1}"
            raise ParameterError("i", rule, shown(i))
        reduct = self.reducts_[i]
        subset = np.zeros(self.n_features_in_, np.bool_)
        subset[list(reduct.features)] = True
        self.support_ = self._all_columns(subset)
        self.n_features_ = reduct.size
        self.dependency_ = reduct.dependency
        self.dependency_interval_ = self._interval(reduct)
        self.ranking_ = ranks_behind(self.support_, self._importance())
        self.front_ = front_through(self.front_, reduct, self._tolerance)
        return self

    def _all_columns(self, subset: Masks) -> Masks:
        """Return the columns that a subset of the features stands for."""
        return subset

    def _importance(self) -> NDArray[np.float64]:
        """Return how close each feature came to be selected."""
        if self._path is None:
            return self.feature_frequency_
        places = np.full(self.n_features_in_, -np.inf)
        places[self._path.features] = -np.arange(len(self._path.features), dtype=np.float64)
        return places

    def _interval(self, reduct: Reduct) -> tuple[float, float]:
        """Return the interval for the dependency of a reduct on all samples.

        The samples that the search saw chose the features and so flatter them; the interval
        comes from other samples.
        """
        n_samples = self._evidence.dataset.n_samples
        if self.n_sampled_ == n_samples:
            return reduct.dependency, reduct.dependency
        subset = self.support_[self._evidence.features]
        try:
            measure = self._evidence.measure(self.n_jobs)
            part = sampled(measure, self.n_sampled_, self.seed_)
            return interval_of(part, subset, CONFIDENCE)
        except TimeIsUp:  # nothing is known about the other samples
            share = self.n_sampled_ / n_samples
            return share * reduct.dependency, share * reduct.dependency + 1.0 - share

    def __sklearn_clone__(self) -> Any:
        bare = copy(self)  # goes through __getstate__, so it has no client
        clone = super(ReductSelector, bare).__sklearn_clone__()
        clone.cluster = self.cluster
        return clone

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        is_address = isinstance(state.get("cluster"), str)
        return state if is_address else {**state, "cluster": None}


def reducts_of(outcome: Outcome, problem: Problem, names: Sequence[str]) -> list[Reduct]:
    """Return the best subsets, those with the most frequent features first."""
    common = [-float(outcome.feature_frequency[one.subset].sum()) for one in outcome.reducts]
    ranked = sorted(zip(common, outcome.reducts, strict=True), key=lambda pair: pair[0])
    return [
        Reduct(*listed_features(one.subset, names), problem.told(one.score), one.minimal)
        for _, one in ranked
    ]


def front_of(
    outcome: Outcome, problem: Problem, names: Sequence[str], path: Path | None
) -> list[FrontPoint]:
    """Return the best subset found of each size, up to the first with the highest score.

    Of a path, all of it: a larger subset may predict better though it scores lower.
    """
    if path is not None:
        known = path.accuracies
        accuracies = [None] * len(path.points) if known is None else known
        return [
            FrontPoint(*listed_features(point.subset, names), point.score, accuracy)
            for point, accuracy in zip(path.points, accuracies, strict=True)
        ]
    highest = max(point.score for point in outcome.front) - problem.tolerance
    enough = next(point.size for point in outcome.front if point.score >= highest)
    return [
        FrontPoint(*listed_features(point.subset, names), problem.told(point.score))
        for point in outcome.front
        if point.size <= enough
    ]


def front_through(
    front: Sequence[FrontPoint], reduct: Reduct, tolerance: float
) -> list[FrontPoint]:
    """Return the front with a reduct in place of a subset of the same size that is as good."""

    def is_other(point: FrontPoint) -> bool:
        is_as_good = abs(point.dependency - reduct.dependency) <= tolerance
        return point.size == reduct.size and point.features != reduct.features and is_as_good

    own = FrontPoint(reduct.features, reduct.names, reduct.dependency)
    return [own if is_other(point) else point for point in front]


def listed_features(subset: Masks, names: Sequence[str]) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Return the indices and the names of the features of a subset."""
    features = tuple(np.flatnonzero(subset).tolist())
    return features, tuple(names[feature] for feature in features)


def core_of_run(measure: Objective, problem: Problem, outcome: Outcome) -> list[int]:
    """Return the core; the good subsets that a run found save most of the work."""
    known = [one.subset for one in outcome.reducts if one.score >= problem.target]
    known += [point.subset for point in outcome.front if point.score >= problem.target]
    return core_of(measure, ~np.asarray(problem.exclude), problem.target, np.array(known, np.bool_))


def core_of(measure: Objective, allowed: Masks, required: float, known: Masks) -> list[int]:
    """Return the features without which all other allowed features fall short of `required`.

    A known subset (a row of `known`) reaches `required`, so the features that it lacks are not
    in the core. Only the features that all known subsets share have to be tried.
    """
    if not len(known):
        known = _one_reduct(measure, allowed, required)
    candidates = np.flatnonzero(known.all(axis=0))
    scores = measure.score(without_each(allowed, candidates), at_least=required)
    return [int(feature) for feature in candidates[scores < required]]


def _one_reduct(measure: Objective, allowed: Masks, required: float) -> Masks:
    """Return one subset, as a row, that reaches `required` and needs all of its features."""
    backwards = np.arange(len(allowed))[np.newaxis, ::-1]
    trials = eliminate(
        allowed[np.newaxis], np.array([required]), np.zeros(len(allowed), np.bool_), backwards
    )
    try:
        batch = next(trials)
        while True:
            batch = trials.send(measure.score(batch.subsets, batch.at_least))
    except StopIteration as end:
        subsets: Masks = end.value[0]
        return subsets


def n_estimated(n_samples: int, sample: int | None) -> int:
    """Return the number of samples that can be scored at once, at most `sample`."""
    most = max(FEWEST_ESTIMATED, ESTIMATED_PAIRS // n_samples)
    return most if sample is None else min(most, sample)


def unsearched(measure: Measure, problem: Problem, reason: str) -> tuple[Outcome, float]:
    """Return the outcome without a search, and the full score.

    It is all features that may be selected, or the first ones up to the size asked for.
    """
    constraints = Constraints(problem)
    subset, allowed = constraints.fixed.copy(), constraints.fixed.copy()
    allowed[constraints.free] = True
    subset[constraints.free[: constraints.sizes[1] - int(subset.sum())]] = True
    full, score = measure.score(np.array([allowed, subset])).tolist()
    outcome = Outcome(
        subset=subset,
        score=score,
        reducts=(search.Reduct(subset, score, minimal=False),),
        front=(search.FrontPoint(int(subset.sum()), score, subset),),
        feature_frequency=subset.astype(np.float64),
        history=(),
        n_evaluations=0,
        n_on_sample=0,
        n_replayed=0,
        stop_reason=reason,
        lower_bound=constraints.sizes[0],
        proven=False,
        all_listed=False,
    )
    return outcome, full


def on_sample_first(outcome: Outcome, n_samples: int) -> Iterator[str]:
    """Yield what was scored on a sample of the rows, and that the answer was not."""
    if outcome.n_on_sample:
        n_on_all = outcome.n_evaluations - outcome.n_on_sample
        yield (
            f"The search scored {outcome.n_on_sample:,} subsets on a sample of the {n_samples:,} "
            f"rows, and {n_on_all:,} on all rows. Every dependency shown was computed on all rows."
        )


def early_end(outcome: Outcome, problem: Problem) -> Iterator[str]:
    """Yield a warning if a search was interrupted, or fell short of what was asked for."""
    if outcome.n_evaluations == 0 and outcome.stop_reason in {"max_seconds", "interrupted"}:
        is_sized = problem.n_features_to_select is not None
        which = "the first allowed features" if is_sized else "all allowed features"
        yield (
            f"The search stopped ({outcome.stop_reason}) before it scored any subset, so {which} "
            "are selected."
        )
        return
    size = count(int(outcome.subset.sum()), "feature")
    score = problem.told(outcome.score)
    at = f"at a dependency of {score:.6g} with {size}"
    if outcome.stop_reason == "interrupted":
        yield f"The search was interrupted {at}; the best subset so far is selected."
    if outcome.stop_reason == "memory":
        yield Sentence(
            f"The search ran out of memory {at}; the best subset so far is selected. To search "
            "further, use a machine with more memory, or fewer samples with ",
            Setting("sample", 3000), ".",
        )  # fmt: skip
    if not problem.is_monotone:
        return  # nothing was asked for that could be missed
    is_asked_for = problem.ranking == "lexicographic" and problem.n_features_to_select is None
    is_cut_short = outcome.stop_reason in {"max_evaluations", "max_seconds"}
    if is_asked_for and is_cut_short and outcome.score < problem.target:
        yield Sentence(
            f"The search stopped ({outcome.stop_reason}) {at}, before it reached the "
            f"{problem.asked:.6g} that ", Setting("min_dependency"), " asks for. Raise the budget.",
        )  # fmt: skip
    is_second_wish = problem.n_features_to_select is not None and problem.min_dependency < 1
    if is_second_wish and outcome.score < problem.target:
        yield Sentence(
            f"The best subset found with {size} has a dependency of {score:.6g}, less than the "
            f"{problem.asked:.6g} that ", Setting("min_dependency"), " asks for. Raise ",
            Setting("n_features_to_select"), ", or leave out one of the two.",
        )  # fmt: skip
