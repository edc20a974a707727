"""The one loop that runs every search, scores each subset once, and the steps that follow."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import inf, nan

import numpy as np

from fuzzyfrog.common.deadline import Deadline, TimeIsUp, current_deadline, limited, stoppable
from fuzzyfrog.common.params import check_budget, check_count
from fuzzyfrog.errors import ParameterError
from fuzzyfrog.search.archive import Archive, Callback, Front, Moment, Outcome, Reduct, ranking_of
from fuzzyfrog.search.checkpoint import Checkpoint, ScoreLog, foreign, run_header, scores_in
from fuzzyfrog.search.protocol import (
    Batch,
    Constraints,
    Floats,
    Integers,
    Masks,
    Objective,
    Problem,
    Proof,
    Proposal,
    Search,
    check_problem,
    packed,
)
from fuzzyfrog.search.stepwise import eliminate

FINISH_SHARE = 10  # at most a tenth of the evaluations is kept for the steps after the search
FINISH_SECONDS = 1.0  # for checking the best subset after the search has used its time
CHECKED_TOGETHER = 256  # subsets checked in one batch

# Of scoring:
KEY_BYTES = 16
CHUNK_SECONDS = 0.5  # work that a killed or stopped run may lose
GROWTH = 4  # a chunk may be this much larger than the last, which may have been easy
CHUNKS_OF_ALL = 4  # subsets in a chunk for each that the objective scores in parallel


def run(
    search: Search,
    objective: Objective,
    problem: Problem,
    *,
    seed: int,
    max_evaluations: int | None = None,
    max_seconds: float | None = None,
    callbacks: Sequence[Callback] = (),
    checkpoint: Checkpoint | None = None,
) -> Outcome:
    """Run a search until it converges or is stopped, and return what it found.

    The same seed gives the same run, whatever the objective does in parallel; ``max_seconds`` is
    the only limit that depends on the machine.

    Parameters
    ----------
    search : Search
        Proposes subsets.
    objective : Objective
        Scores them.
    problem : Problem
        What the search knows.
    seed : int
        Seed of all random numbers.
    max_evaluations : int, optional
        Maximum number of subsets to score, including the last checks.
    max_seconds : float, optional
        Time after which the running evaluation is abandoned; the check of the best subset may
        take another second. Infinity for no limit. An outer deadline holds as well.
    callbacks : sequence of callables
        Each is called with the :class:`Moment` after every batch; a true value stops the run.
    checkpoint : Checkpoint, optional
        File in which scores are kept, and from which a run is resumed.

    Returns
    -------
    Outcome
        The best subsets and how they were found; also after Ctrl-C. If nothing was scored by then,
        all allowed features, whose score is known.

    Raises
    ------
    TimeIsUp
        If there was not enough time to score one subset of the given size.
    """
    check_problem(problem)
    check_count("seed", seed, least=0)
    if objective.n_features != problem.n_features:
        raise ParameterError(
            "objective",
            f"have the {problem.n_features} features of the problem",
            str(objective.n_features),
        )
    budget = _budget(max_evaluations, max_seconds)
    if checkpoint is not None:
        checkpoint.check_path()
        search.propose(problem, seed).close()  # checks the parameters before there is a file
        problem = replace(problem, log=checkpoint.open(run_header(search, problem, seed)))
    log, proposal = problem.log, search.propose(problem, seed)
    try:
        with stoppable():
            return _Run(objective, problem, budget, callbacks, log).outcome(proposal)
    finally:
        proposal.close()
        if log is not None:
            log.close()


def _budget(max_evaluations: int | None, max_seconds: float | None) -> Budget:
    check_budget(max_evaluations, max_seconds)
    return Budget(
        inf if max_evaluations is None else max_evaluations,
        current_deadline().within(inf if max_seconds is None else max_seconds),
    )


class _Run:
    """The state of one run: what it has scored and found."""

    def __init__(
        self,
        objective: Objective,
        problem: Problem,
        budget: Budget,
        callbacks: Sequence[Callback],
        log: ScoreLog | None,
    ) -> None:
        self._budget = budget
        self._evaluator = Evaluator(objective, budget, log, problem.on_sample)
        self._callbacks = callbacks
        self._problem = problem
        self._constraints = Constraints(problem)
        self._proof = Proof(self._constraints.least_cost)
        self._archive = Archive(ranking_of(problem))
        self._front = Front(problem.n_features, problem.tolerance, problem.costs)
        self._finish = Finish(problem, self._archive, self._front)
        self._history: list[Moment] = []

    def outcome(self, proposal: Proposal) -> Outcome:
        """Follow the search to its end, then finish."""
        try:
            reason = self._follow(proposal, self._kept_for_finish) or "converged"
            if reason != "interrupted":
                self._end(reason)
        except MemoryError:
            self._resort_to_all()
            if not len(self._archive):
                raise  # nothing of the given size was scored, so there is no best so far
            return self._result("memory")
        if self._budget.deadline.reason == "interrupted":  # perhaps in the last steps
            reason = "interrupted"
            self._resort_to_all()
        if not len(self._archive):
            raise TimeIsUp("no subset of the given size was scored in time")
        return self._result(reason)

    def _resort_to_all(self) -> None:
        """Take all features if nothing was scored yet: their score is known."""
        if not len(self._archive) and self._problem.n_features_to_select is None:
            constraints = self._constraints
            everything = constraints.fixed.copy()
            everything[constraints.free] = True
            self._enter(everything[np.newaxis], np.array([self._problem.full_score]))

    def _follow(self, proposal: Proposal, reserve: Callable[[], int]) -> str | None:
        """Score the proposed batches; return why the search was stopped, None if it finished."""
        try:
            with limited(self._budget.deadline):
                return self._scored(proposal, reserve)
        except TimeIsUp:  # while the search was choosing what to propose
            return self._budget.deadline.reason

    def _scored(self, proposal: Proposal, reserve: Callable[[], int]) -> str | None:
        batch = next(proposal, None)
        while batch is not None:
            self._budget.reserve = reserve()
            scores, reason = self._evaluator.evaluate(batch)
            reason = self._hear(batch, scores) or reason
            if reason is None and self._budget.deadline.expired():
                reason = self._budget.deadline.reason
            if reason is not None:
                return reason
            try:
                batch = proposal.send(scores)
            except StopIteration:
                return None
        return None

    def _kept_for_finish(self) -> int:
        most = max(1, self._budget.max_evaluations / FINISH_SHARE)
        return int(min(self._finish.n_evaluations(), most))

    def _hear(self, batch: Batch, scores: Floats) -> str | None:
        """Record a scored batch and call the callbacks; one of them may stop the run."""
        if batch.proof is not None:
            self._proof = batch.proof
        if batch.sample is None:
            self._enter(batch.subsets, scores)
        else:
            self._resort_to_all()  # until a smaller subset is confirmed on all rows
        moment = Moment(
            n_evaluations=self._evaluator.n_evaluations,
            score=self._archive.score,
            size=self._archive.size,
            n_best=len(self._archive),
            diversity=_diversity(batch.subsets),
            lower_bound=self._proof.lower_bound,
            on_sample=batch.sample is not None,
        )
        self._history.append(moment)
        stops = [callback(moment) for callback in self._callbacks]
        return "callback" if any(stops) else None

    def _enter(self, subsets: Masks, scores: Floats) -> None:
        is_known = scores > -inf
        subsets, scores = subsets[is_known], scores[is_known]
        self._front.add(subsets, scores)
        allowed = self._constraints.has_allowed_size(subsets)
        self._archive.add(subsets[allowed], scores[allowed])

    def _end(self, reason: str) -> None:
        """Ensure that there is an allowed subset and, within the budget, that it is minimal."""
        if reason != "converged":
            self._evaluator.log = None  # a longer run resumes the search, not these steps
        if reason == "max_seconds":
            self._resort_to_all()
        self._allow_a_check()
        self._follow(self._finish.fill(), _nothing)
        if not len(self._archive) or self._is_smallest():
            return  # without a feature it would be a subset that was proved not to exist
        if reason == "converged":
            # First the best alone: larger subsets then need no check.
            self._follow(self._finish.reduce_best(self._evaluator.ledger), _nothing)
            self._follow(self._finish.check_all(), _nothing)
        if reason != "callback":
            self._allow_a_check()  # a few trials, most of them rejected early
            self._follow(self._finish.reduce_best(self._evaluator.ledger), _nothing)

    def _allow_a_check(self) -> None:
        """Allow a little extra time for the steps that an answer needs."""
        deadline = self._budget.deadline
        if deadline.expired() and deadline.reason == "max_seconds":
            self._budget.deadline = Deadline(FINISH_SECONDS)

    def _is_smallest(self) -> bool:
        """Whether the best subsets reach the target and none that costs less does."""
        problem, archive = self._problem, self._archive
        is_asked_for = problem.ranking == "lexicographic" and problem.n_features_to_select is None
        reaches = archive.score >= problem.target and archive.cost == self._proof.lower_bound
        return is_asked_for and reaches

    def _result(self, reason: str) -> Outcome:
        subsets, scores = self._archive.ranked()
        ledger, is_smallest = self._evaluator.ledger, self._is_smallest()
        proven = self._proof.is_best or is_smallest
        return Outcome(
            subset=subsets[0],
            score=float(scores[0]),
            reducts=tuple(
                Reduct(one, score, is_smallest or self._finish.is_minimal(one, score, ledger))
                for one, score in zip(subsets, scores.tolist(), strict=True)
            ),
            front=self._front.points(),
            feature_frequency=subsets.mean(axis=0),
            history=tuple(self._history),
            n_evaluations=self._evaluator.n_evaluations,
            n_on_sample=self._evaluator.n_on_sample,
            # A record that exceeds a smaller budget is read whole, but counts in part.
            n_replayed=min(self._evaluator.n_replayed, self._evaluator.n_evaluations),
            stop_reason=reason,
            lower_bound=self._proof.lower_bound,
            proven=proven,
            all_listed=proven and self._proof.all_listed,
        )


class Finish:
    """The last steps of a run, as coroutines like those of a search.

    The driver adds the subsets that these steps score to the archive and to the front.
    """

    def __init__(self, problem: Problem, archive: Archive, front: Front) -> None:
        self._required = problem.kept
        self._constraints = Constraints(problem)
        self._archive = archive
        self._front = front
        # With a given size, or if the goal is the highest score, no feature should be left out.
        self._sized = problem.n_features_to_select is not None or not problem.is_monotone

    def n_evaluations(self) -> int:
        """Return the number of evaluations to keep for these steps."""
        if self._sized:
            return 0 if len(self._archive) else 1
        return self._archive.size

    def fill(self) -> Proposal:
        """Complete the largest subset found, lowest features first, if none has the right size."""
        if len(self._archive):
            return
        points = self._front.points()
        subset = (points[-1].subset if points else self._constraints.fixed).copy()
        absent = self._constraints.free[~subset[self._constraints.free]]
        subset[absent[: self._constraints.sizes[0] - int(subset.sum())]] = True
        yield Batch(subset[np.newaxis])

    def reduce_best(self, ledger: Ledger) -> Proposal:
        """Remove features that the best subset does not need, costly and high ones first."""
        subsets, scores = self._archive.ranked()
        if self._sized or self.is_minimal(subsets[0], float(scores[0]), ledger):
            return
        orders = self._constraints.removal_order[np.newaxis]
        yield from eliminate(
            subsets[:1], self._required(scores[:1]), self._constraints.fixed, orders
        )

    def check_all(self) -> Proposal:
        """Try to remove one feature from each of the best subsets, until all are minimal."""
        cost = -1
        while not self._sized and cost != self._archive.cost:
            cost = self._archive.cost
            subsets, scores = self._archive.ranked()
            required = self._required(scores)
            for start in range(0, len(subsets), CHECKED_TOGETHER):
                smaller = [
                    self._constraints.without_one(one) for one in subsets[start:][:CHECKED_TOGETHER]
                ]
                bars = np.repeat(required[start:][: len(smaller)], [len(one) for one in smaller])
                if len(bars):
                    yield Batch(np.concatenate(smaller), at_least=bars)
                if cost != self._archive.cost:  # a better subset: the others no longer count
                    break

    def is_minimal(self, subset: Masks, score: float, ledger: Ledger) -> bool:
        """Whether each feature that may be left out is known to be needed."""
        required = float(self._required(np.array([score]))[0])
        smaller = self._constraints.without_one(subset)
        return all(ledger.is_below(key, required) for key in subset_keys(smaller))


def _nothing() -> int:
    return 0


def _diversity(subsets: Masks) -> float | None:
    if not len(subsets):
        return None
    share = subsets.view(np.uint8).sum(axis=0, dtype=np.uint32) / len(subsets)
    return float(np.mean(4 * share * (1 - share)))


@dataclass
class Budget:
    """What a run may spend."""

    max_evaluations: float  # infinity for no limit
    deadline: Deadline
    reserve: int = 0  # evaluations kept for the steps that follow the search

    def evaluations_left(self, n_evaluations: int) -> float:
        """Return the evaluations that are left, not counting the reserve."""
        return max(0, self.max_evaluations - self.reserve - n_evaluations)


class Evaluator:
    """Scores batches within a budget, every subset once.

    If the objective has a number ``n_at_once`` of subsets that it scores at the same time, as a
    cluster does, chunks are large enough to keep all of it busy. If it has a method ``race``, as
    `fuzzyfrog.measure.Dependency` does, a batch of which only the best count is kept in parts.

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
        self._sample: tuple[bytes, _Rows] | None = None  # the latest one
        self._part_due = -inf  # when the next part of a batch is saved

    @property
    def ledger(self) -> Ledger:
        """The scores on all rows."""
        return self._all_rows.ledger

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

    def _scores(self, keys: list[bytes], ledger: Ledger) -> Floats:
        found = [ledger.known(key, -inf) for key in keys]
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
        ledger = self._rows.ledger
        known = [ledger.known(key, bar) for key, bar in zip(keys, bars.tolist(), strict=True)]
        return np.array([-inf if score is None else score for score in known]), cut

    def _only_best(
        self, subsets: Masks, keys: list[bytes], bars: Floats, within: float
    ) -> tuple[Floats, str | None]:
        known = [self._rows.ledger.known(key, -inf) for key in keys]
        highest = max((score for score in known if score is not None), default=-inf)
        rows, _ = self._unknown(keys, np.full(len(keys), highest - within))
        n_allowed, cut = self._allowed(len(rows))
        new = [keys[row] for row in rows[:n_allowed]]
        if new:
            try:
                # The best of a part is not the best of all: a cut batch is not kept in the log.
                some = subsets if len(new) == len(keys) else subsets[rows[:n_allowed]]
                scores = self._best(some, new, self.log if not cut else None)
                self._enter(new, scores, np.full(len(new), np.max(scores) - within))
            except TimeIsUp:
                cut = self.budget.deadline.reason
        all_scores = self._scores(keys, self._rows.ledger)
        among_best = all_scores >= all_scores.max(initial=-inf) - within
        return np.where(among_best & (all_scores >= bars), all_scores, -inf), cut

    def _best(self, subsets: Masks, keys: list[bytes], log: ScoreLog | None) -> Floats:
        """Return the scores of the best subsets, -inf for the others, as far as known from the log.

        A greedy step of a huge table takes minutes, so what is known of it is kept now and then: a
        record with NaN for the subsets that are still in the race.
        """
        race = getattr(self._rows.objective, "race", None)
        known = np.full(len(keys), nan)
        while log is not None and (record := self._next_of(keys)) is not None:
            if len(record) != len(keys):
                raise foreign()
            known = record
            if not np.isnan(known).any():
                self.n_replayed += len(keys)
                return known
        if race is None:
            scores = np.asarray(self._rows.objective.best(subsets), np.float64)
        else:
            scores = race(subsets, known, lambda: self._keep_part(keys, known, log))
        if log is not None:
            self._keep(keys, scores)
        return scores

    def _keep_part(self, keys: list[bytes], known: Floats, log: ScoreLog | None) -> None:
        """Keep what is known of a race, if the last record is old enough."""
        now = time.monotonic()
        if log is not None and now >= self._part_due and np.isnan(known).any():
            self._keep(keys, known)
            self._part_due = now + CHUNK_SECONDS

    def _allowed(self, n_wanted: int) -> tuple[int, str | None]:
        left = self.budget.evaluations_left(self.n_evaluations)
        return (n_wanted, None) if n_wanted <= left else (int(left), "max_evaluations")

    def _unknown(self, keys: list[bytes], bars: Floats) -> tuple[Integers, Floats]:
        """Return the first row of each subset to be scored, and its lowest bar."""
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
        """Return the next scores of the log; None when it has no more."""
        scores = self._next_of(keys)
        if scores is not None:
            if np.isnan(scores).any():
                raise foreign()
            self.n_replayed += len(scores)
        return scores

    def _next_of(self, keys: list[bytes]) -> Floats | None:
        """Return the next record of the log, which must be of the first of these subsets."""
        record = None if self.log is None else self.log.next_record()
        if record is None:
            return None
        fingerprint, scores = record[0], scores_in(record[1])
        if len(scores) > len(keys) or fingerprint != _fingerprint(keys[: len(scores)]):
            raise foreign()
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
    def chunk(self) -> int:
        """Subsets to score next: one, to see how long it takes, or one for each worker."""
        return int(getattr(self.objective, "n_at_once", 1))

    @cached_property
    def smallest(self) -> int:
        n_at_once = int(getattr(self.objective, "n_at_once", 1))
        return 1 if n_at_once == 1 else CHUNKS_OF_ALL * n_at_once


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

    def is_below(self, key: bytes, value: float) -> bool:
        """Return whether the score of a subset is known to be below a value."""
        if key in self._scores:
            return self._scores[key] < value
        return self._below.get(key, np.inf) <= value

    def enter(self, keys: list[bytes], scores: Floats, bars: Floats) -> None:
        """Record the scores of subsets; one below its bar stands for a rejection."""
        for key, score, bar in zip(keys, scores.tolist(), bars.tolist(), strict=True):
            if score >= bar:
                self._scores[key] = score
                self._below.pop(key, None)
            else:
                self._below[key] = min(bar, self._below.get(key, np.inf))


def subset_keys(subsets: Masks) -> list[bytes]:
    """Return a short key for each subset: its bits, or their digest where that is shorter."""
    rows = packed(subsets)
    if subsets.shape[1] <= 8 * KEY_BYTES:
        return rows
    return [hashlib.blake2b(row, digest_size=KEY_BYTES).digest() for row in rows]
