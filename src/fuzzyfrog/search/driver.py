"""The one loop that runs every search, and the steps that follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf

import numpy as np

from fuzzyfrog.common.arrays import Extensions, Floats, Masks
from fuzzyfrog.common.deadline import Deadline, TimeIsUp, current_deadline, limited, stoppable
from fuzzyfrog.common.params import check_budget, check_count
from fuzzyfrog.errors import ParameterError
from fuzzyfrog.search.archive import (
    Archive,
    Callback,
    Front,
    Moment,
    Outcome,
    ScoredSubset,
    ranking_of,
)
from fuzzyfrog.search.checkpoint import Checkpoint, ScoreLog, run_header
from fuzzyfrog.search.evaluator import Budget, Evaluator, subset_keys
from fuzzyfrog.search.protocol import (
    Batch,
    Constraints,
    Objective,
    Problem,
    Proof,
    Proposal,
    Search,
    check_problem,
)
from fuzzyfrog.search.stepwise import shorten

FINISH_SHARE = 10  # at most a tenth of the evaluations is kept for the steps after the search
FINISH_SECONDS = 1.0  # for checking the best subset after the search has used its time
CHECKED_TOGETHER = 256  # subsets checked in one batch


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
    check_budget(max_evaluations, max_seconds)
    deadline = current_deadline().within(inf if max_seconds is None else max_seconds)
    budget = Budget(inf if max_evaluations is None else max_evaluations, deadline)
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
        self._history: list[Moment] = []

    def outcome(self, proposal: Proposal) -> Outcome:
        """Follow the search to its end, then finish."""
        try:
            reason = self._follow(proposal, keeps_some=True) or "converged"
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
            everything = self._constraints.allowed[np.newaxis]
            self._enter(everything, np.array([self._problem.full_score]))

    def _follow(self, proposal: Proposal, *, keeps_some: bool = False) -> str | None:
        """Score the proposed batches; return why the search was stopped, None if it finished.

        With `keeps_some`, evaluations are kept for the steps that follow.
        """
        try:
            with limited(self._budget.deadline):
                return self._scored(proposal, keeps_some)
        except TimeIsUp:  # while the search was choosing what to propose
            return self._budget.deadline.reason

    def _scored(self, proposal: Proposal, keeps_some: bool) -> str | None:
        batch = next(proposal, None)
        while batch is not None:
            self._budget.reserve = self._kept_for_finish() if keeps_some else 0
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
        self._follow(self._fill())
        if not len(self._archive) or self._is_smallest():
            return  # without a feature it would be a subset that was proved not to exist
        if reason == "converged":
            # First the best alone: larger subsets then need no check.
            self._follow(self._reduce_best())
            self._follow(self._check_all())
        if reason != "callback":
            self._allow_a_check()  # a few trials, most of them rejected early
            self._follow(self._reduce_best())

    def _allow_a_check(self) -> None:
        """Allow a little extra time for the steps that an answer needs."""
        deadline = self._budget.deadline
        if deadline.expired() and deadline.reason == "max_seconds":
            self._budget.deadline = Deadline(FINISH_SECONDS)

    def _is_smallest(self) -> bool:
        """Whether the best subsets reach the target and none that costs less does."""
        problem, archive = self._problem, self._archive
        reaches = archive.score >= problem.target and archive.cost == self._proof.lower_bound
        return problem.asks_for_fewest and reaches

    def _result(self, reason: str) -> Outcome:
        subsets, scores = self._archive.ranked()
        is_smallest = self._is_smallest()
        proven = self._proof.is_best or is_smallest
        return Outcome(
            subset=subsets[0],
            score=float(scores[0]),
            reducts=tuple(
                ScoredSubset(one, score, is_smallest or self._is_minimal(one, score))
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

    # The last steps of a run, as coroutines like those of a search.

    @property
    def _is_sized(self) -> bool:
        """Whether no feature should be left out: the goal is a given size, or the best score."""
        problem = self._problem
        return problem.n_features_to_select is not None or not problem.is_monotone

    def _kept_for_finish(self) -> int:
        """Return the number of evaluations to keep for these steps."""
        n_needed = self._archive.size
        if self._is_sized:
            n_needed = 0 if len(self._archive) else 1
        return int(min(n_needed, max(1, self._budget.max_evaluations / FINISH_SHARE)))

    def _fill(self) -> Proposal:
        """Complete the largest subset found, lowest features first, if none has the right size."""
        if len(self._archive):
            return
        points = self._front.points()
        subset = (points[-1].subset if points else self._constraints.fixed).copy()
        absent = self._constraints.free[~subset[self._constraints.free]]
        subset[absent[: self._constraints.sizes[0] - int(subset.sum())]] = True
        yield Batch(subset[np.newaxis])

    def _reduce_best(self) -> Proposal:
        """Remove features that the best subset does not need, costly and high ones first."""
        subsets, scores = self._archive.ranked()
        if self._is_sized or self._is_minimal(subsets[0], float(scores[0])):
            return
        yield from shorten(self._problem, subsets[0], float(scores[0]))

    def _check_all(self) -> Proposal:
        """Try to remove one feature from each of the best subsets, until all are minimal."""
        cost = -1
        while not self._is_sized and cost != self._archive.cost:
            cost = self._archive.cost
            subsets, scores = self._archive.ranked()
            required = self._problem.kept(scores)
            for start in range(0, len(subsets), CHECKED_TOGETHER):
                smaller = [
                    self._constraints.without_one(one) for one in subsets[start:][:CHECKED_TOGETHER]
                ]
                bars = np.repeat(required[start:][: len(smaller)], [len(one) for one in smaller])
                if len(bars):
                    yield Batch(np.concatenate(smaller), at_least=bars)
                if cost != self._archive.cost:  # a better subset: the others no longer count
                    break

    def _is_minimal(self, subset: Masks, score: float) -> bool:
        """Whether each feature that may be left out is known to be needed."""
        required = float(self._problem.kept(np.array([score]))[0])
        smaller = self._constraints.without_one(subset)
        return all(self._evaluator.ledger.is_below(key, required) for key in subset_keys(smaller))


def _diversity(subsets: Masks | Extensions) -> float | None:
    if not len(subsets):
        return None
    if isinstance(subsets, Extensions):
        counts = np.bincount(subsets.added, minlength=len(subsets.base))  # the base is in all
    else:
        counts = np.add.reduce(subsets.view(np.uint8), axis=0, dtype=np.uint32)  # fast
    share = counts / len(subsets)
    return float(np.mean(4 * share * (1 - share)))
