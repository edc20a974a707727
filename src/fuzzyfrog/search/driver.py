"""The one loop that runs every search, and the steps that follow it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf, nan
from numbers import Real
from pathlib import Path

import numpy as np

from fuzzyfrog.common.deadline import Deadline, TimeIsUp, current_deadline, interruptible, limited
from fuzzyfrog.common.params import check_count
from fuzzyfrog.errors import ParameterError
from fuzzyfrog.search.archive import Archive, Callback, Front, Moment, Outcome, Reduct
from fuzzyfrog.search.backward_elimination import eliminate
from fuzzyfrog.search.checkpoint import Checkpoint, ScoreLog, run_header
from fuzzyfrog.search.constraints import Constraints, check_problem
from fuzzyfrog.search.evaluation import Budget, Evaluator, Ledger, subset_keys
from fuzzyfrog.search.proof_log import ProofLog
from fuzzyfrog.search.protocol import (
    Batch,
    Floats,
    Masks,
    Objective,
    Problem,
    Proof,
    Proposal,
    Search,
)
from fuzzyfrog.search.ranking import ranking_of

FINISH_SHARE = 10  # at most a tenth of the evaluations is kept for the steps after the search
FINISH_SECONDS = 1.0  # for the check of the best subset, after the time for the search
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
        If there was not enough time to score one subset of the size asked for.
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
        known = {**run_header(search, problem, seed), "data": checkpoint.data}
        problem = replace(problem, proof_log=ProofLog(Path(checkpoint.path), known))
    proposal = search.propose(problem, seed)
    log = None if checkpoint is None else checkpoint.open(run_header(search, problem, seed))
    try:
        return _Run(objective, problem, budget, callbacks, log).outcome(proposal)
    finally:
        proposal.close()
        if problem.proof_log is not None:
            problem.proof_log.close()
        if log is not None:
            log.close()


def check_budget(max_evaluations: object, max_seconds: object) -> None:
    """Raise unless each is None or a number above 0, the first one an integer."""
    if max_evaluations is not None:
        check_count("max_evaluations", max_evaluations)
    is_number = isinstance(max_seconds, Real) and not isinstance(max_seconds, bool)
    is_positive = is_number and float(max_seconds) > 0  # type: ignore[arg-type]
    if max_seconds is not None and not is_positive:
        raise ParameterError(
            "max_seconds", "be a number above 0", repr(max_seconds), "None sets no limit."
        )


def _budget(max_evaluations: int | None, max_seconds: float | None) -> Budget:
    check_budget(max_evaluations, max_seconds)
    return Budget(
        inf if max_evaluations is None else max_evaluations,
        Deadline(min(inf if max_seconds is None else max_seconds, current_deadline().remaining())),
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
        self._evaluator = Evaluator(objective, budget, log)
        self._callbacks = callbacks
        self._problem = problem
        self._constraints = Constraints(problem)
        self._proof = Proof(self._constraints.sizes[0])
        self._archive = Archive(ranking_of(problem))
        self._front = Front(problem.n_features, problem.tolerance)
        self._finish = Finish(problem, self._archive, self._front)
        self._history: list[Moment] = []

    def outcome(self, proposal: Proposal) -> Outcome:
        """Follow the search to its end, then finish."""
        try:
            with interruptible():
                reason = self._follow(proposal, self._kept_for_finish) or "converged"
                self._end(reason)
            return self._result(reason)
        except (KeyboardInterrupt, MemoryError) as error:
            self._resort_to_all()
            if not len(self._archive):
                raise  # nothing of the size asked for was scored, so there is no best so far
            reason = "interrupted" if isinstance(error, KeyboardInterrupt) else "memory"
        return self._result(reason)

    def _resort_to_all(self) -> None:
        """Take all features if nothing was scored yet: their score is known."""
        if not len(self._archive) and self._problem.n_features_to_select is None:
            constraints = self._constraints
            everything = constraints.fixed.copy()
            everything[constraints.free] = True
            self._enter(everything[np.newaxis], np.array([self._problem.full_score]))

    def _follow(self, proposal: Proposal, reserve: Callable[[], int]) -> str | None:
        """Score what is proposed; return why it was stopped, None if it ended by itself."""
        try:
            with limited(self._budget.deadline):
                return self._scored(proposal, reserve)
        except TimeIsUp:  # while the search was choosing what to propose
            return "max_seconds"

    def _scored(self, proposal: Proposal, reserve: Callable[[], int]) -> str | None:
        batch = next(proposal, None)
        while batch is not None:
            self._budget.reserve = reserve()
            scores, reason = self._evaluated(batch)
            reason = self._hear(batch, scores) or reason
            if reason is None and self._budget.deadline.expired():
                reason = "max_seconds"
            if reason is not None:
                return reason
            try:
                batch = proposal.send(scores)
            except StopIteration:
                return None
        return None

    def _evaluated(self, batch: Batch) -> tuple[Floats, str | None]:
        """Score a batch; after Ctrl-C the subsets that were scored by then count."""
        try:
            return self._evaluator.evaluate(batch)
        except KeyboardInterrupt:
            scores = self._evaluator.known(batch)
            self._enter(batch.subsets[scores > -inf], scores[scores > -inf])
            raise

    def _kept_for_finish(self) -> int:
        most = max(1, self._budget.max_evaluations / FINISH_SHARE)
        return int(min(self._finish.n_evaluations(), most))

    def _hear(self, batch: Batch, scores: Floats) -> str | None:
        """Record a scored batch and call the callbacks; one of them may stop the run."""
        if batch.proof is not None:
            self._proof = batch.proof
        self._enter(batch.subsets, scores)
        moment = Moment(
            n_evaluations=self._evaluator.n_evaluations,
            score=self._archive.score,
            size=self._archive.size,
            n_best=len(self._archive),
            diversity=_diversity(batch.subsets),
            lower_bound=self._proof.lower_bound,
        )
        self._history.append(moment)
        stops = [callback(moment) for callback in self._callbacks]
        return "callback" if any(stops) else None

    def _enter(self, subsets: Masks, scores: Floats) -> None:
        # The front first: Ctrl-C may come in between, and it must have all that the archive has.
        self._front.add(subsets, scores)
        allowed = self._constraints.has_allowed_size(subsets)
        self._archive.add(subsets[allowed], scores[allowed])

    def _end(self, reason: str) -> None:
        """Make sure that there is an allowed subset and, within the budget, that it is minimal."""
        if reason != "converged":
            self._evaluator.log = None  # a longer run resumes the search, not these steps
        if reason == "max_seconds":
            self._resort_to_all()
        self._allow_a_check()
        self._follow(self._finish.fill(), _nothing)
        if not len(self._archive):
            raise TimeIsUp("no subset of the size asked for was scored in time")
        if self._is_smallest():
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
        if self._budget.deadline.expired():
            self._budget.deadline = Deadline(FINISH_SECONDS)

    def _is_smallest(self) -> bool:
        """Whether the best subsets reach the target and none with fewer features does."""
        problem, archive = self._problem, self._archive
        is_asked_for = problem.ranking == "lexicographic" and problem.n_features_to_select is None
        reaches = archive.score >= problem.target and archive.size == self._proof.lower_bound
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
        # With a given size, or the highest score asked for, no feature is to be left out.
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
        """Remove features that the best subset does not need, high ones first."""
        subsets, scores = self._archive.ranked()
        if self._sized or self.is_minimal(subsets[0], float(scores[0]), ledger):
            return
        orders = np.arange(subsets.shape[1])[np.newaxis, ::-1]
        yield from eliminate(
            subsets[:1], self._required(scores[:1]), self._constraints.fixed, orders
        )

    def check_all(self) -> Proposal:
        """Try to remove one feature from each of the best subsets, until all are minimal."""
        size = -1
        while not self._sized and size != self._archive.size:
            size = self._archive.size
            subsets, scores = self._archive.ranked()
            required = self._required(scores)
            for start in range(0, len(subsets), CHECKED_TOGETHER):
                smaller = [
                    self._constraints.without_one(one) for one in subsets[start:][:CHECKED_TOGETHER]
                ]
                bars = np.repeat(required[start:][: len(smaller)], [len(one) for one in smaller])
                if len(bars):
                    yield Batch(np.concatenate(smaller), at_least=bars)
                if size != self._archive.size:  # a better subset: the others no longer count
                    break

    def is_minimal(self, subset: Masks, score: float, ledger: Ledger) -> bool:
        """Whether each feature that may be left out is known to be needed."""
        required = float(self._required(np.array([score]))[0])
        smaller = self._constraints.without_one(subset)
        return all(ledger.is_below(key, required) for key in subset_keys(smaller))


def _nothing() -> int:
    return 0


def _diversity(subsets: Masks) -> float:
    if not len(subsets):
        return nan
    share = subsets.mean(axis=0)
    return float(np.mean(4 * share * (1 - share)))
