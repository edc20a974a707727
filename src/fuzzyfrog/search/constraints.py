"""The allowed subsets of a problem, by required and excluded features and size; random ones."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fuzzyfrog.common.messages import Sentence, Setting, listed, shown
from fuzzyfrog.common.params import check_share
from fuzzyfrog.errors import ParameterError
from fuzzyfrog.search.archive import without_each
from fuzzyfrog.search.protocol import Integers, Masks, Problem
from fuzzyfrog.search.random_stream import Stream
from fuzzyfrog.search.ranking import ranking_of


@dataclass(frozen=True, eq=False)
class Constraints:
    """The allowed subsets of a problem, which `check_problem` has checked."""

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
        """Return for each subset whether it has neither too few features nor too many."""
        sizes = subsets.sum(axis=1)
        return np.asarray((self.sizes[0] <= sizes) & (sizes <= self.sizes[1]))

    @property
    def one_size(self) -> bool:
        """Whether all subsets have the same size, so that features can only be exchanged."""
        return self.sizes[0] == self.sizes[1]

    def without_one(self, subset: Masks) -> Masks:
        """Return the subset without each of its free features in turn; never an empty one."""
        spare = self.free[subset[self.free]] if subset.sum() > 1 else self.free[:0]
        return without_each(subset, spare)

    def random_subsets(self, sizes: Integers, stream: Stream) -> Masks:
        """Return random subsets of the given sizes, which must be allowed ones."""
        keys = stream.words((len(sizes), len(self.free)))
        return self._first_free(np.argsort(keys, axis=1, kind="stable"), sizes)

    def repair(self, subsets: Masks, stream: Stream) -> Masks:
        """Make subsets allowed by the fewest changes, chosen at random."""
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
        """Return subsets of these sizes: the first free features in the order of each row."""
        n_wanted = sizes - int(self.fixed.sum())
        chosen = np.zeros(order.shape, dtype=np.bool_)
        taken = np.arange(order.shape[1]) < n_wanted[:, np.newaxis]
        np.put_along_axis(chosen, order, taken, axis=1)
        subsets = np.repeat(self.fixed[np.newaxis], len(sizes), axis=0)
        subsets[:, self.free] = chosen
        return subsets


def diverse_sizes(n_subsets: int, smallest: int, largest: int) -> Integers:
    """Return sizes from the smallest to the largest, as many small ones as large ones.

    Half of them grow evenly and half by a constant factor: coin flips would never draw a small
    subset of 10,000 features, and constant factors alone hardly a large one.
    """
    position = (np.arange(n_subsets) + 0.5) / n_subsets
    evenly = smallest + position * (largest - smallest)
    by_factor = smallest * (largest / smallest) ** position
    sizes = np.where(np.arange(n_subsets) % 2 == 0, evenly, by_factor)
    return np.clip(np.rint(sizes), smallest, largest).astype(np.int64)


def diverse_subsets(n_subsets: int, constraints: Constraints, stream: Stream) -> Masks:
    """Return random allowed subsets of diverse sizes, in random order: any part is diverse too."""
    sizes = diverse_sizes(n_subsets, *constraints.sizes)
    return constraints.random_subsets(sizes[stream.order(n_subsets)], stream)


def check_problem(problem: Problem) -> None:
    """Raise ParameterError for a problem that makes no sense."""
    fixed = _mask_or_none(problem.must_include, problem.n_features)
    banned = _mask_or_none(problem.exclude, problem.n_features)
    both = np.flatnonzero(fixed & banned)
    if len(both):
        raise ParameterError(
            ("must_include", "exclude"), "not overlap", f"{listed(both.tolist())} in both",
            "Remove these features from one of them.",
        )  # fmt: skip
    if banned.all():
        raise ParameterError("exclude", "leave at least one feature", "all of them")
    check_share("min_dependency", problem.min_dependency, zero=False)
    ranking_of(problem)  # raises for an unknown ranking
    _check_size(problem, int(fixed.sum()), int((~banned).sum()))


def _check_size(problem: Problem, n_fixed: int, n_allowed: int) -> None:
    size = problem.n_features_to_select
    if size is not None and not max(1, n_fixed) <= size <= n_allowed:
        raise ParameterError(
            "n_features_to_select",
            Sentence(
                f"be from {max(1, n_fixed)} (those of ", Setting("must_include"), ", at least 1) "
                f"to {n_allowed} (all that are not excluded)",
            ),
            shown(size),
        )  # fmt: skip


def _mask_or_none(mask: Masks | None, n_features: int) -> Masks:
    if mask is None:
        return np.zeros(n_features, dtype=np.bool_)
    mask = np.asarray(mask)
    if mask.dtype != np.bool_ or mask.shape != (n_features,):
        raise ParameterError(
            ("must_include", "exclude"),
            f"be masks of {n_features} booleans",
            f"{mask.dtype} of shape {mask.shape}",
        )
    return mask
