"""Samples that are set aside: a few of them make a small subset impossible.

The number of samples that lose membership never rises when a feature is added, so every search and
every proof by scores works with the share that keeps it. A sample that is set aside is excused, but
it stays an enemy of the others (docs/theory.md#set-aside).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.errors import ParameterError
from fuzzyfrog.measure import Dependency
from fuzzyfrog.result import Subset
from fuzzyfrog.result.parts import MAX_LOST
from fuzzyfrog.search import Problem
from fuzzyfrog.search.protocol import Wrapped

if TYPE_CHECKING:
    from fuzzyfrog.select.groups import Groups

MOST_NAMED = 1_000  # subsets whose lost samples are listed


class Kept(Wrapped):
    """A measure whose score is the share of the samples that keep their membership."""

    def __init__(self, measure: Dependency, allowed: Masks) -> None:
        super().__init__(measure)
        # What equals the membership by all features up to rounding is kept.
        self._lowest = measure.memberships(allowed) - measure.tolerance

    def lost(self, mask: Masks) -> Integers:
        """Return the samples that lose membership, those that lose most first."""
        short: Floats = self._lowest - self._measure.memberships(mask)
        order = np.argsort(-short, kind="stable")
        return order[short[order] > 0]

    def score(self, masks: Masks, at_least: float | Floats | None = None) -> Floats:
        """Return the score of each subset; -inf where it is less than `at_least`."""
        lost = np.array([len(self.lost(mask)) for mask in masks], np.float64)
        scores = 1.0 - lost / len(self._lowest)
        return scores if at_least is None else np.where(scores >= at_least, scores, -inf)

    def named(self, subsets: Sequence[Subset], groups: Groups) -> tuple[Subset, ...]:
        """Return subsets scored by the share with their dependency and what they lose."""
        n_samples = len(self._lowest)
        columns = np.arange(self.n_features)
        masks = np.array([groups.expanded(np.isin(columns, one.features)) for one in subsets])
        scores = self._measure.score(masks)
        found = []
        for place, (one, mask, score) in enumerate(zip(subsets, masks, scores, strict=True)):
            lost = self.lost(mask)[:MAX_LOST].tolist() if place < MOST_NAMED else ()
            n_lost = round((1.0 - one.dependency) * n_samples)
            found.append(
                msgspec.structs.replace(
                    one, dependency=float(score), n_lost=n_lost, lost=tuple(lost)
                )
            )
        return tuple(found)


def with_kept(problem: Problem, max_lost: int, n_samples: int) -> Problem:
    """Return the problem with the share that keeps membership as the score."""
    if max_lost >= n_samples:
        raise ParameterError(
            "max_lost", f"be less than the number of samples, {n_samples:,}", str(max_lost)
        )
    return replace(
        problem,
        full_score=1.0,
        min_dependency=1.0 - max_lost / n_samples,
        tolerance=0.25 / n_samples,  # scores are whole numbers of samples
        oracle=None,
    )
