"""What a fitted selector can be asked: another of its reducts, and why a feature is there."""

from typing import Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from fuzzyfrog.data.wording import shown
from fuzzyfrog.deadline import TimeIsUp
from fuzzyfrog.records import FrontPoint, Reduct
from fuzzyfrog.search.checks import check_count
from fuzzyfrog.select.base import TableSelector, ranks_behind
from fuzzyfrog.select.evidence import Evidence, Explanation
from fuzzyfrog.select.options import is_index, selected_index
from fuzzyfrog.select.results import front_through
from fuzzyfrog.select.sampled import confirmed_interval

__all__ = ["ReductSelector"]


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
        """Give why a feature is selected: the pairs of samples that only it tells apart.

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
        """Give what is known of the dependency of a reduct on all samples."""
        if self.n_sampled_ == self._evidence.dataset.n_samples:
            return reduct.dependency, reduct.dependency
        try:
            return confirmed_interval(
                self._evidence, reduct.features, self.n_sampled_, self.seed_, self.n_jobs
            )
        except TimeIsUp:  # of the other samples, nothing is known
            share = self.n_sampled_ / self._evidence.dataset.n_samples
            return share * reduct.dependency, share * reduct.dependency + 1.0 - share
