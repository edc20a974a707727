"""What becomes of a connection to a cluster when an estimator is cloned or pickled."""

from collections.abc import Sequence
from copy import copy
from typing import Any, Self

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from fuzzyfrog.common.deadline import TimeIsUp
from fuzzyfrog.common.messages import listed, shown
from fuzzyfrog.common.params import check_count
from fuzzyfrog.data import Dataset, make_dataset
from fuzzyfrog.data.dask_tables import dask_columns
from fuzzyfrog.data.dataset import as_frame, is_dask, without_rows
from fuzzyfrog.errors import DataError
from fuzzyfrog.measure import Dependency, SampledDependency
from fuzzyfrog.records import FrontPoint, Reduct
from fuzzyfrog.search import Outcome, Problem
from fuzzyfrog.select.explain import Evidence, Explanation
from fuzzyfrog.select.parameters import is_index, selected_index

__all__ = [
    "CONFIDENCE",
    "KeepsConnectionMixin",
    "ReductSelector",
    "TableSelector",
    "check_sample",
    "confirmed_interval",
    "front_of",
    "front_through",
    "listed_features",
    "ranks_behind",
    "reducts_of",
    "sampled_measure",
]


class KeepsConnectionMixin:
    """An estimator whose clones use its client too, and whose pickles have none.

    A client is a connection: it cannot be copied, and means nothing in another process. The
    address of a scheduler is a text like any other.
    """

    cluster: object

    def __sklearn_clone__(self) -> Any:
        bare = copy(self)  # which has no client
        clone = super(KeepsConnectionMixin, bare).__sklearn_clone__()  # type: ignore[misc]
        clone.cluster = self.cluster
        return clone

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()  # type: ignore[assignment]
        is_address = isinstance(state.get("cluster"), str)
        return state if is_address else {**state, "cluster": None}


def reducts_of(outcome: Outcome, problem: Problem, names: Sequence[str]) -> list[Reduct]:
    """Return the best subsets, those first whose features most of the others have too."""
    common = [-float(outcome.feature_frequency[one.subset].sum()) for one in outcome.reducts]
    ranked = sorted(zip(common, outcome.reducts, strict=True), key=lambda pair: pair[0])
    return [
        Reduct(*listed_features(one.subset, names), problem.told(one.score), one.minimal)
        for _, one in ranked
    ]


def front_of(outcome: Outcome, problem: Problem, names: Sequence[str]) -> list[FrontPoint]:
    """Return the best subset met of each size, up to the first with the highest score."""
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
    """Return the front with a reduct in place of another subset that is as large and as good."""
    own = FrontPoint(reduct.features, reduct.names, reduct.dependency)

    def is_as_good(point: FrontPoint) -> bool:
        return abs(point.dependency - reduct.dependency) <= tolerance

    return [own if point.size == own.size and is_as_good(point) else point for point in front]


def listed_features(
    subset: NDArray[np.bool_], names: Sequence[str]
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Return the indices and the names of the features of a subset."""
    features = tuple(np.flatnonzero(subset).tolist())
    return features, tuple(names[feature] for feature in features)


CONFIDENCE = 0.95  # of the interval for the dependency of the selected features


def check_sample(sample: object, *, proves: bool, elsewhere: bool) -> None:
    """Raise unless the value is a number of samples, nothing is to be proved, and all is here."""
    if sample is None:
        return
    if not is_index(sample) or sample < 1:  # type: ignore[operator]
        raise ValueError(
            f"sample must be None or a whole number of at least 1, got {shown(sample)}. It is the "
            "number of samples that subsets are measured on."
        )
    if proves:
        raise ValueError(
            "sample must be None together with certify=True or a search that proves, "
            f"got {sample}. A part of the samples proves nothing about the others: leave out the "
            "one or the other."
        )
    if elsewhere:
        raise ValueError(
            f"sample must be None together with a cluster, got {sample}. A part of the samples is "
            "measured on one machine, a cluster measures all of them: leave out the one or the "
            "other."
        )


def sampled_measure(
    measure: Dependency, sample: int | None, seed: int
) -> Dependency | SampledDependency:
    """Return what scores subsets: the measure itself, or a part of its samples."""
    if sample is None or sample >= measure.n_samples:
        return measure
    return SampledDependency(measure, int(sample), seed=seed)


def confirmed_interval(
    evidence: Evidence, features: Sequence[int], n_sampled: int, seed: int, n_jobs: int | None
) -> tuple[float, float]:
    """Return the interval for the dependency of selected features on all samples.

    The samples that the search saw chose the features and so flatter them; the interval comes
    from others.
    """
    measure = Dependency(
        evidence.dataset,
        tnorm=evidence.tnorm,
        spread=evidence.spread,
        missing=evidence.missing,
        n_jobs=n_jobs,
    )
    subset = np.isin(evidence.features, features)
    part = SampledDependency(measure, n_sampled, seed=seed)
    (found,) = part.confirm(subset[np.newaxis], CONFIDENCE)
    return found.low, found.high


class TableSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """A selector that takes any table: numbers, labels, missing values, any frame library."""

    categorical_features: object
    target: str
    support_: NDArray[np.bool_]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]

    def _read(self, X: object, y: object) -> Dataset:
        """Return the checked data, and note its number of features and their names."""
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
        """Return the selected features of a table.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features), or Dataset
            The samples.

        Returns
        -------
        array or frame of shape (n_samples, n_selected)
            An array, or what was chosen with ``set_output``. A frame that stays with its library
            keeps the types of its columns; what Dask is to compute stays to be computed.
        """
        support = self.get_support()
        if isinstance(X, Dataset):
            return self._of_dataset(X)[:, support]
        if is_dask(X):
            validate_data(self, X=without_rows(X), reset=False, skip_check_array=True)
            return dask_columns(X, np.flatnonzero(support))
        if self._output() == "polars" and nw.dependencies.is_polars_dataframe(X):
            # scikit-learn would go through an array of objects here, but does this for pandas.
            validate_data(self, X=X, reset=False, skip_check_array=True)
            return X[:, np.flatnonzero(support).tolist()]
        is_frame = nw.dependencies.is_pandas_dataframe(X) or nw.dependencies.is_polars_dataframe(X)
        if is_frame and self._output() == "default":
            # Before the columns are chosen, one of labels makes an array of objects of all.
            frame = as_frame(X)
            validate_data(self, X=X, reset=False, skip_check_array=True)
            part = frame[:, np.flatnonzero(support).tolist()].to_native()
            allow_nan = self.__sklearn_tags__().input_tags.allow_nan
            return check_array(
                part, dtype=None, ensure_all_finite=not allow_nan, force_writeable=True
            )
        return super().transform(X)

    def _of_dataset(self, dataset: Dataset) -> NDArray[np.float64]:
        """Return the values of a Dataset that has the features of the fitted one."""
        fitted = list(getattr(self, "feature_names_in_", dataset.feature_names))
        if list(dataset.feature_names) != fitted:
            raise DataError(
                f"X must have the {self.n_features_in_} features of the fit in their order, got "
                f"{listed(dataset.feature_names)}. Read the table as for the fit."
            )
        return dataset.values

    def _output(self) -> str:
        """Return what `transform` is to return; scikit-learn has no public name for it."""
        own = getattr(self, "_sklearn_output_config", {})
        return str(own.get("transform", get_config()["transform_output"]))

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def ranks_behind(support: NDArray[np.bool_], importance: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return rank 1 to the selected features and the next ones to the others, by importance."""
    ranks = np.ones(len(support), np.int64)
    _, places = np.unique(-importance[~support], return_inverse=True)
    ranks[~support] = 2 + places
    return ranks


class ReductSelector(TableSelector):
    """A selector that has several reducts to choose from, and evidence for each of them."""

    reducts_: list[Reduct]
    feature_frequency_: NDArray[np.float64]
    front_: list[FrontPoint]
    n_sampled_: int
    seed_: int
    n_jobs: int | None
    _evidence: Evidence
    _tolerance: float

    def select_reduct(self, i: int) -> Self:
        """Select the features of another of the reducts.

        Parameters
        ----------
        i : int
            Position in ``reducts_``; 0 for the one that `fit` selects.

        Returns
        -------
        ReductSelector
            The selector, with ``support_``, ``n_features_``, ``dependency_``, ``ranking_`` and
            the point of ``front_`` of that reduct.
        """
        check_is_fitted(self, "reducts_")
        if not is_index(i) or not 0 <= i < len(self.reducts_):
            raise ValueError(
                f"i must be a position in reducts_, from 0 to {len(self.reducts_) - 1}, "
                f"got {shown(i)}."
            )
        reduct = self.reducts_[i]
        self.support_ = np.zeros(self.n_features_in_, np.bool_)
        self.support_[list(reduct.features)] = True
        self.n_features_ = reduct.size
        self.dependency_ = reduct.dependency
        self.dependency_interval_ = self._interval(reduct)
        self.ranking_ = ranks_behind(self.support_, self.feature_frequency_)
        self.front_ = front_through(self.front_, reduct, self._tolerance)
        return self

    def explain(self, feature: int | str, *, limit: int = 10) -> Explanation:
        """Return why a feature is selected: the pairs of samples that only it tells apart.

        Parameters
        ----------
        feature : int or str
            Index or name of one of the selected features.
        limit : int
            Pairs to give at most.

        Returns
        -------
        Explanation
            How much the dependency falls without the feature, and the pairs of samples of
            different class that are then closest, compared with before; it can be printed.
        """
        check_is_fitted(self)
        check_count("limit", limit)
        selected = np.flatnonzero(self.support_).tolist()
        names = self.get_feature_names_out().tolist()
        index = selected_index(feature, selected, names, getattr(self, "feature_names_in_", ()))
        return self._evidence.explain(selected, index, limit, self.n_jobs)

    def _interval(self, reduct: Reduct) -> tuple[float, float]:
        """Return what is known of the dependency of a reduct on all samples."""
        if self.n_sampled_ == self._evidence.dataset.n_samples:
            return reduct.dependency, reduct.dependency
        try:
            return confirmed_interval(
                self._evidence, reduct.features, self.n_sampled_, self.seed_, self.n_jobs
            )
        except TimeIsUp:  # of the other samples, nothing is known
            share = self.n_sampled_ / self._evidence.dataset.n_samples
            return share * reduct.dependency, share * reduct.dependency + 1.0 - share
