"""What is left of a subset after the loss of any few of its features.

The least score after a loss never falls when a feature is added, so every search and every proof
works with it. Its requirements are those of the measure with the weights of the lost features at 0
(docs/theory.md#survives).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice
from math import inf
from typing import Any

import numpy as np

from fuzzyfrog.common.arrays import Floats, Masks
from fuzzyfrog.common.messages import Sentence, Setting, count, listed
from fuzzyfrog.errors import ParameterError
from fuzzyfrog.search import Problem
from fuzzyfrog.search.protocol import Oracle, Rows, Wrapped, without_each

BATCH_CELLS = 2**24  # subsets times features that are scored together
ENOUGH_ROWS = 64  # of different losses, for one answer of the oracle


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


def check_survivable(measure: Any, problem: Problem, n_lost: int, names: tuple[str, ...]) -> None:
    """Raise if even all features together fall short after a loss, and say which one it is."""
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
    hint = Sentence(
        f"{why}: without {losses}, even all others may reach only {reached:.4f} of "
        f"{problem.full_score:.4f}. "
        + ("Ask for less with " if share > 0 else "Leave it out, or add features like them"),
        *((Setting("min_dependency", float(share)),) if share > 0 else ()),
        ".",
    )  # fmt: skip
    rule = f"be less than {n_lost} for this table and dependency"
    raise ParameterError("survives", rule, str(n_lost), hint)
