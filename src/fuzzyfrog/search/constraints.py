"""Subsets that are allowed: what must be in, what must stay out, and how many."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fuzzyfrog.search.protocol import Integers, Masks, Problem
from fuzzyfrog.search.random_stream import Stream
from fuzzyfrog.search.ranking import ranking_of

__all__ = ["Constraints", "check_problem"]


@dataclass(frozen=True, eq=False)
class Constraints:
    """The allowed subsets of a problem; nothing else is ever proposed.

    Parameters
    ----------
    problem : Problem
        The problem, already checked by :func:`check_problem`.
    """

    problem: Problem

    @cached_property
    def fixed(self) -> Masks:
        """Features that every subset has."""
        return _mask_or_none(self.problem.must_include, self.problem.n_features)

    @cached_property
    def free(self) -> Integers:
        """Indices of the features that a subset may have or not."""
        banned = _mask_or_none(self.problem.exclude, self.problem.n_features)
        return np.flatnonzero(~self.fixed & ~banned).astype(np.int64)

    @cached_property
    def sizes(self) -> tuple[int, int]:
        """Smallest and largest size of a subset."""
        exact = self.problem.n_features_to_select
        if exact is not None:
            return exact, exact
        n_fixed = int(self.fixed.sum())
        return max(1, n_fixed), n_fixed + len(self.free)

    def has_allowed_size(self, subsets: Masks) -> Masks:
        """Tell for each subset whether it has not too few features and not too many."""
        sizes = subsets.sum(axis=1)
        return np.asarray((self.sizes[0] <= sizes) & (sizes <= self.sizes[1]))

    @property
    def one_size(self) -> bool:
        """Whether all subsets have the same size, so that features can only be exchanged."""
        return self.sizes[0] == self.sizes[1]

    def random_subsets(self, sizes: Integers, stream: Stream) -> Masks:
        """Return random subsets of the given sizes, which must be allowed ones."""
        keys = stream.words((len(sizes), len(self.free)))
        return self._first_free(np.argsort(keys, axis=1, kind="stable"), sizes)

    def repair(self, subsets: Masks, stream: Stream) -> Masks:
        """Change as little as is needed, at random, to make subsets allowed."""
        repaired = np.repeat(self.fixed[np.newaxis], len(subsets), axis=0)
        repaired[:, self.free] = subsets[:, self.free]
        wanted = np.clip(repaired.sum(axis=1), *self.sizes)
        wrong = np.flatnonzero(repaired.sum(axis=1) != wanted)
        keys = stream.floats((len(wrong), len(self.free)))
        absent = ~repaired[np.ix_(wrong, self.free)]
        order = np.argsort(keys + absent, axis=1, kind="stable")  # present features come first
        repaired[wrong] = self._first_free(order, wanted[wrong])
        return repaired

    def _first_free(self, order: Integers, sizes: Integers) -> Masks:
        """Take in each row as many free features, in the given order, as make up its size."""
        n_wanted = sizes - int(self.fixed.sum())
        chosen = np.zeros(order.shape, dtype=np.bool_)
        taken = np.arange(order.shape[1]) < n_wanted[:, np.newaxis]
        np.put_along_axis(chosen, order, taken, axis=1)
        subsets = np.repeat(self.fixed[np.newaxis], len(sizes), axis=0)
        subsets[:, self.free] = chosen
        return subsets


def check_problem(problem: Problem) -> None:
    """Raise a ValueError with a sentence for a problem that makes no sense."""
    fixed = _mask_or_none(problem.must_include, problem.n_features)
    banned = _mask_or_none(problem.exclude, problem.n_features)
    both = np.flatnonzero(fixed & banned)
    if len(both):
        raise ValueError(
            f"must_include and exclude must not meet, got {_listed(both)} in both. "
            "Remove these features from one of them."
        )
    if banned.all():
        raise ValueError("exclude must leave at least one feature, got all of them.")
    if not 0 < problem.min_dependency <= 1:
        raise ValueError(
            f"min_dependency must be above 0 and at most 1, got {problem.min_dependency!r}."
        )
    ranking_of(problem)  # tells the known ones
    _check_size(problem, int(fixed.sum()), int((~banned).sum()))


def _check_size(problem: Problem, n_fixed: int, n_allowed: int) -> None:
    size = problem.n_features_to_select
    if size is not None and not max(1, n_fixed) <= size <= n_allowed:
        raise ValueError(
            f"n_features_to_select must be from {max(1, n_fixed)} (those of must_include, at "
            f"least 1) to {n_allowed} (all that are not excluded), got {size!r}."
        )


def _mask_or_none(mask: Masks | None, n_features: int) -> Masks:
    if mask is None:
        return np.zeros(n_features, dtype=np.bool_)
    mask = np.asarray(mask)
    if mask.dtype != np.bool_ or mask.shape != (n_features,):
        raise ValueError(
            f"must_include and exclude must be masks of {n_features} booleans, "
            f"got {mask.dtype} of shape {mask.shape}."
        )
    return mask


def _listed(features: Sequence[int] | Integers) -> str:
    return ", ".join(str(feature) for feature in features)
