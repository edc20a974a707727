"""What a selection must stand: the loss of any few features, or few samples that lose membership.

The least score after a loss never falls when a feature is added, so every search and every proof
works with it. Its requirements are those of the measure with the weights of the lost features at 0
(docs/theory.md#survives).

The number of samples that lose membership never rises when a feature is added, so every search and
every proof by scores works with the share that keeps it. A sample that is set aside is excused, but
it stays an enemy of the others (docs/theory.md#set-aside).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, islice
from math import inf
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.common.messages import Sentence, Setting, count, listed
from fuzzyfrog.errors import ParameterError
from fuzzyfrog.measure import Dependency
from fuzzyfrog.result import Subset
from fuzzyfrog.result.parts import MAX_LOST
from fuzzyfrog.search import Problem
from fuzzyfrog.search.protocol import Oracle, Rows, Wrapped, without_each

if TYPE_CHECKING:
    from fuzzyfrog.select.groups import Groups

BATCH_CELLS = 2**24  # subsets times features that are scored together
ENOUGH_ROWS = 64  # of different losses, for one answer of the oracle
MOST_NAMED = 1_000  # subsets whose lost samples are listed


class Surviving(Wrapped):
    """A measure whose score is the least one after the loss of any `n_lost` features."""

    def __init__(self, measure: Any, n_lost: int) -> None:
        super().__init__(measure)
        self._n_lost = n_lost

    def score(self, masks: Masks, at_least: float | Floats | None = None) -> Floats:
        """Return the score of each subset; -inf where it is less than `at_least`."""
        bars = np.broadcast_to(np.asarray(-inf if at_least is None else at_least), len(masks))
        scores = np.full(len(masks), inf)
        n_together = max(1, BATCH_CELLS // max(1, masks.shape[1]))
        losses = (
            (row, rest) for row, mask in enumerate(masks) for rest in left(mask, self._n_lost)
        )
        while some := list(islice(losses, n_together)):
            rows = np.array([row for row, _ in some])
            is_open = scores[rows] > -inf
            rests, rows = np.array([rest for _, rest in some])[is_open], rows[is_open]
            if len(rows):
                lowest = bars[rows] if at_least is not None else None
                np.minimum.at(scores, rows, self._measure.score(rests, lowest))
        return np.where(scores >= bars, scores, -inf)


def left(subset: Masks, n_lost: int) -> Iterator[Masks]:
    """Yield what is left of a subset after each loss."""
    features = np.flatnonzero(subset).tolist()
    for lost in combinations(features, min(n_lost, len(features))):
        rest = subset.copy()
        rest[list(lost)] = False
        yield rest


def surviving_oracle(broken: Oracle, n_lost: int) -> Oracle:
    """Return the oracle for the least score after a loss."""

    def after_losses(subset: Masks) -> Rows:
        found, n_rows = [Rows.none(len(subset))], 0
        for rest in left(subset, n_lost):
            rows = broken(rest)
            # Whatever is chosen, it must do without these.
            weights = np.where(subset & ~rest, 0.0, rows.weights)
            found.append(Rows(weights, rows.needed))
            n_rows += len(rows)
            if n_rows >= ENOUGH_ROWS:
                break
        return Rows.joined(found)

    return after_losses


def check_survivable(
    measure: Any,
    problem: Problem,
    n_lost: int,
    names: tuple[str, ...],
    copies: Mapping[str, list[str]],
) -> None:
    """Raise if even all features together fall short after a loss, and say which one it is.

    `copies` are those that are left out, by the names of the features that stay for them.
    """
    allowed = ~np.asarray(problem.exclude)
    reached = float(Surviving(measure, n_lost).score(allowed[np.newaxis])[0])
    if reached >= problem.target:
        return
    each = np.flatnonzero(allowed)
    alone = measure.score(without_each(allowed, each), problem.target)
    core = [names[one] for one in each[alone < problem.target]]
    losses = count(n_lost, "feature")
    why = f"Nothing can replace {listed(core)}" if core else f"Some {losses} cannot be replaced"
    share = np.floor(1000.0 * reached / problem.full_score) / 1000.0 if problem.full_score else 0.0
    spare = [copy for name in core for copy in copies.get(name, ())]
    are = f" {listed(spare)} {'is' if len(spare) == 1 else 'are'} left out as "
    ways_out = (
        (are, "copies; to count them, pass ", Setting("copies", "keep"), ".") if spare else ()
    )
    hint = Sentence(
        f"{why}: without {losses}, even all others may reach only {reached:.4f} of "
        f"{problem.full_score:.4f}. "
        + ("Ask for less with " if share > 0 else "Leave it out, or add features like them"),
        *((Setting("min_dependency", float(share)),) if share > 0 else ()),
        ".",
        *ways_out,
    )  # fmt: skip
    rule = f"be less than {n_lost} for this table and dependency"
    raise ParameterError("survives", rule, str(n_lost), hint)


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
        masks = np.array([groups.mask(one.features) for one in subsets])
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
    share = 1.0 - max_lost / n_samples
    return replace(
        problem,
        full_score=1.0,
        min_dependency=share,
        oracle_share=share,
        tolerance=0.25 / n_samples,  # scores are whole numbers of samples
    )
