"""Scores batches of subsets within a budget, every subset once."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import compress
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.arrays import Extensions, Floats, Integers, Masks
from fuzzyfrog.common.deadline import Deadline, TimeIsUp
from fuzzyfrog.search.checkpoint import ScoreLog, foreign, scores_in
from fuzzyfrog.search.protocol import Batch, Objective, packed

KEY_BYTES = 16
MASK_CELLS = 2**24  # of masks at once, for an objective that takes nothing else
CHUNK_SECONDS = 0.5  # work that a killed or stopped run may lose
GROWTH = 4  # a chunk may be this much larger than the last, which may have been easy
CHUNKS_OF_ALL = 4  # subsets in a chunk for each that the objective scores in parallel


@dataclass
class Budget:
    """What a run may spend."""

    max_evaluations: float  # infinity for no limit
    deadline: Deadline
    reserve: int = 0  # evaluations kept for the steps that follow the search


class Evaluator:
    """Scores batches within a budget, every subset once.

    If the objective has a number ``n_at_once`` of subsets that it scores at the same time, as a
    cluster does, chunks are large enough to keep all of it busy.

    Scores on a sample of the rows (`Problem.on_sample`) are kept apart from those on all rows.
    """

    def __init__(
        self,
        objective: Objective,
        budget: Budget,
        log: ScoreLog | None,
        on_sample: Callable[[Masks], Objective] | None = None,
    ) -> None:
        self.budget = budget
        self.n_evaluations = 0
        self.n_on_sample = 0
        self.n_replayed = 0
        self.log = log
        self._on_sample = on_sample
        self._all_rows = self._rows = _Rows(lambda: objective)
        self.ledger = self._all_rows.ledger  # the scores on all rows
        self._sample: tuple[bytes, _Rows] | None = None  # the latest one

    def evaluate(self, batch: Batch) -> tuple[Floats, str | None]:
        """Return the scores of a batch, and why it was cut short, None if it was not.

        A score is minus infinity where a subset was rejected or not scored.
        """
        self._rows = self._rows_of(batch.sample)
        keys = subset_keys(batch.subsets)
        lowest = -inf if batch.at_least is None else batch.at_least
        bars = np.broadcast_to(np.asarray(lowest, dtype=np.float64), len(keys))
        n_before = self.n_evaluations
        try:
            if batch.only_best:
                return self._only_best(batch.subsets, keys, bars, batch.within)
            return self._each(batch.subsets, keys, bars)
        finally:
            if batch.sample is not None:
                self.n_on_sample += self.n_evaluations - n_before

    def _rows_of(self, sample: Masks | None) -> _Rows:
        """Return what is known of all rows, or of a sample that grows with the failed subsets."""
        if sample is None:
            return self._all_rows
        if self._on_sample is None:
            raise ValueError("a batch on a sample needs a problem with on_sample.")
        if self._sample is None or self._sample[0] != sample.tobytes():
            make = partial(self._on_sample, sample)
            self._sample = sample.tobytes(), _Rows(make)
        return self._sample[1]

    def _scores(self, keys: list[bytes]) -> Floats:
        """Return the scores of subsets; -inf where a subset was rejected or not scored."""
        if self._rows.ledger.is_new(keys):
            return np.full(len(keys), -inf)
        found = [self._rows.ledger.known(key, -inf) for key in keys]
        return np.array([-inf if score is None else score for score in found])

    def _each(self, subsets: Masks, keys: list[bytes], bars: Floats) -> tuple[Floats, str | None]:
        rows, lowest = self._unknown(keys, bars)
        n_allowed, cut = self._allowed(len(rows))
        n_done = 0
        while n_done < n_allowed:
            left = [keys[row] for row in rows[n_done:]]
            scores = self._replayed(left)
            if scores is None:
                some = slice(n_done, min(n_done + self._rows.chunk, n_allowed))
                try:
                    scores = self._score(subsets[rows[some]], lowest[some], left)
                except TimeIsUp:
                    cut = self.budget.deadline.reason
                    break
            scores = scores[: n_allowed - n_done]
            self._enter(left[: len(scores)], scores, lowest[n_done : n_done + len(scores)])
            n_done += len(scores)
            if n_done < n_allowed and self.budget.deadline.expired():
                cut = self.budget.deadline.reason
                break
        found = self._scores(keys)
        return np.where(found >= bars, found, -inf), cut

    def _only_best(
        self, subsets: Masks, keys: list[bytes], bars: Floats, within: float
    ) -> tuple[Floats, str | None]:
        rows = np.arange(len(keys))
        if not self._rows.ledger.is_new(keys):
            highest = self._scores(keys).max(initial=-inf)
            rows, _ = self._unknown(keys, np.full(len(keys), highest - within))
        n_allowed, cut = self._allowed(len(rows))
        is_all = n_allowed == len(keys)
        new = keys if is_all else [keys[row] for row in rows[:n_allowed]]
        scores: Any = None
        if new:
            try:
                # The best of a part is not the best of all: a cut batch is not kept in the log.
                some = subsets if is_all else subsets[rows[:n_allowed]]
                scores = self._best(some, new, self.log if not cut else None)
                self._enter(new, scores, np.full(len(new), np.max(scores) - within))
            except TimeIsUp:
                cut = self.budget.deadline.reason
        is_partial = scores is None or not is_all
        all_scores = self._scores(keys) if is_partial else scores
        among_best = all_scores >= all_scores.max(initial=-inf) - within
        return np.where(among_best & (all_scores >= bars), all_scores, -inf), cut

    def _best(self, subsets: Any, keys: list[bytes], log: ScoreLog | None) -> Floats:
        """Return the scores of the best subsets, -inf for others; from the log if it has them."""
        known = None if log is None else self._replayed(keys)
        if known is not None:
            if len(known) != len(keys):
                raise foreign()
            return known
        objective = self._rows.objective
        if isinstance(subsets, Extensions) and not getattr(objective, "takes_extensions", False):
            n_rows = max(1, MASK_CELLS // len(subsets.base))
            starts = range(0, len(subsets), n_rows)
            found = [objective.best(subsets[start : start + n_rows]) for start in starts]
            scores = np.concatenate(found).astype(np.float64)
        else:
            scores = np.asarray(objective.best(subsets), np.float64)
        if log is not None:
            self._keep(keys, scores)
        return scores

    def _allowed(self, n_wanted: int) -> tuple[int, str | None]:
        left = max(0, self.budget.max_evaluations - self.budget.reserve - self.n_evaluations)
        return (n_wanted, None) if n_wanted <= left else (int(left), "max_evaluations")

    def _unknown(self, keys: list[bytes], bars: Floats) -> tuple[Integers, Floats]:
        """Return the first row of each subset to be scored, and its lowest bar."""
        if self._rows.ledger.is_new(keys):
            return np.arange(len(keys)), np.asarray(bars)
        lowest: dict[bytes, float] = {}
        first: dict[bytes, int] = {}
        for row, (key, bar) in enumerate(zip(keys, bars.tolist(), strict=True)):
            if self._rows.ledger.known(key, bar) is None:
                first.setdefault(key, row)
                lowest[key] = min(bar, lowest.get(key, inf))
        return np.array(list(first.values()), dtype=np.int64), np.array(list(lowest.values()))

    def _score(self, subsets: Masks, bars: Floats, keys: list[bytes]) -> Floats:
        """Score a chunk, save the scores in the log, and choose the size of the next chunk."""
        start = time.monotonic()
        at_least = bars if (bars > -inf).any() else None
        scores = np.asarray(self._rows.objective.score(subsets, at_least), dtype=np.float64)
        rows, rate = self._rows, len(scores) / max(time.monotonic() - start, 1e-6)
        most = max(rows.smallest, GROWTH * rows.chunk)
        rows.chunk = int(np.clip(rate * CHUNK_SECONDS, rows.smallest, most))
        scores = np.where(scores < bars, -inf, scores)  # the same log for any evaluator
        self._keep(keys[: len(scores)], scores)
        return scores

    def _enter(self, keys: list[bytes], scores: Floats, bars: Floats) -> None:
        if np.isnan(scores).any():
            raise ValueError("objective must return numbers as scores, got nan.")
        self._rows.ledger.enter(keys, scores, bars)
        self.n_evaluations += len(keys)

    def _keep(self, keys: list[bytes], scores: Floats) -> None:
        if self.log is not None and keys:
            self.log.append(_fingerprint(keys), scores.astype("<f8").tobytes())

    def _replayed(self, keys: list[bytes]) -> Floats | None:
        """Return the next scores of the log, for the first of these subsets; None at its end."""
        record = None if self.log is None else self.log.next_record()
        if record is None:
            return None
        fingerprint, scores = record[0], scores_in(record[1])
        is_longer = len(scores) > len(keys)
        if is_longer or np.isnan(scores).any() or fingerprint != _fingerprint(keys[: len(scores)]):
            raise foreign()
        self.n_replayed += len(scores)
        return scores


class _Rows:
    """The objective on all rows or on a sample of them, made when it is needed, and its scores."""

    def __init__(self, make: Callable[[], Objective]) -> None:
        self.ledger = Ledger()
        self._make = make

    @cached_property
    def objective(self) -> Objective:
        return self._make()

    @cached_property
    def n_at_once(self) -> int:
        return int(getattr(self.objective, "n_at_once", 1))

    @cached_property
    def chunk(self) -> int:
        """Subsets to score next: one, to see how long it takes, or one for each worker."""
        return self.n_at_once

    @property
    def smallest(self) -> int:
        return 1 if self.n_at_once == 1 else CHUNKS_OF_ALL * self.n_at_once


def _fingerprint(keys: list[bytes]) -> bytes:
    return hashlib.blake2b(b"".join(keys), digest_size=8).digest()


class Ledger:
    """Scores of subsets, and for rejected ones the value that their score is below."""

    def __init__(self) -> None:
        self._scores: dict[bytes, float] = {}
        self._below: dict[bytes, float] = {}

    def known(self, key: bytes, bar: float) -> float | None:
        """Return the score of a subset, -inf if it is below ``bar``; None if not known."""
        score = self._scores.get(key)
        if score is not None:
            return score if score >= bar else -np.inf
        return -np.inf if self.is_below(key, bar) else None

    def is_new(self, keys: list[bytes]) -> bool:
        """Return whether nothing is known of any of these subsets, which all differ."""
        parts = self._scores.keys(), self._below.keys()
        return len(set(keys)) == len(keys) and all(some.isdisjoint(keys) for some in parts)

    def is_below(self, key: bytes, value: float) -> bool:
        """Return whether the score of a subset is known to be below a value."""
        if key in self._scores:
            return self._scores[key] < value
        return self._below.get(key, np.inf) <= value

    def enter(self, keys: list[bytes], scores: Floats, bars: Floats) -> None:
        """Record the scores of subsets; one below its bar stands for a rejection."""
        is_score = scores >= bars
        for place in np.flatnonzero(is_score).tolist():
            self._scores[keys[place]] = float(scores[place])
            self._below.pop(keys[place], None)
        rejected = [*compress(keys, (~is_score).tolist())]
        below = bars[~is_score].tolist()
        if self._below.keys().isdisjoint(rejected):  # as in most greedy steps, many subsets
            self._below.update(zip(rejected, below, strict=True))
            return
        for key, bar in zip(rejected, below, strict=True):
            self._below[key] = min(bar, self._below.get(key, np.inf))


def subset_keys(subsets: Any) -> list[bytes]:
    """Return a short key for each subset: its bits, or where that is shorter, a sum of features.

    The sum is the exclusive or of random words, one for each feature, so that a feature more
    changes a key at once. Two subsets have the same one by a chance of 2^-128.
    """
    is_step = isinstance(subsets, Extensions)
    n_features = len(subsets.base if is_step else subsets.T)
    if n_features <= 8 * KEY_BYTES:
        return packed(np.asarray(subsets))
    words, add = _words_of_features(n_features), np.bitwise_xor.reduce
    if is_step:
        keys = words[subsets.added] ^ add(words[subsets.base], axis=0)
    else:
        keys = np.array([add(words[subset], axis=0) for subset in subsets], words.dtype)
    found: list[bytes] = np.ascontiguousarray(keys).view(f"V{KEY_BYTES}").ravel().tolist()
    return found


@lru_cache(maxsize=1)
def _words_of_features(n_features: int) -> NDArray[np.uint64]:
    return np.random.Philox(key=n_features).random_raw((n_features, KEY_BYTES // 8))
