"""The limits of a fit: how much time each part gets, and what is left when it ends early."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from math import inf
from types import TracebackType
from typing import Self

import numpy as np

from fuzzyfrog.common.deadline import Deadline, TimeIsUp, interruptible, uninterrupted
from fuzzyfrog.common.messages import Sentence, Setting, count
from fuzzyfrog.measure.dependency import Measure
from fuzzyfrog.search import FrontPoint, Outcome, Problem, Reduct
from fuzzyfrog.search.protocol import Constraints

ALLOWANCE = 3.0  # seconds after a limit, or after Ctrl-C, for the core and the explanations
SEARCH_SHARE = 0.9  # of a limit; the rest is for what follows the search
CORE_SHARE = 0.95
ESTIMATED_PAIRS = 30_000_000  # scored in a fraction of a second, on any table
FEWEST_ESTIMATED = 16


class Interrupted(TimeIsUp):
    """Ctrl-C came before the search began."""


class Preparation:
    """A context that is finished in spite of Ctrl-C, since without it there is no answer at all."""

    def __init__(self) -> None:
        self._is_interrupted = False
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._stack.enter_context(interruptible())
        self._stack.enter_context(uninterrupted())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._stack.__exit__(kind, error, trace)
        except KeyboardInterrupt:  # it was held back
            if kind is not None:
                raise
            self._is_interrupted = True

    def end_if_interrupted(self) -> None:
        """Raise `Interrupted` if there was a Ctrl-C."""
        if self._is_interrupted:
            raise Interrupted("the fit was interrupted while it was prepared")


@contextmanager
def ending_at_ctrl_c() -> Iterator[None]:
    """Raise `Interrupted` at Ctrl-C: there is an answer, though nothing was searched."""
    try:
        with interruptible():
            yield
    except KeyboardInterrupt:
        raise Interrupted("the fit was interrupted before its search") from None


class Limit:
    """When the parts of a fit must end, counted from now; None for no limit."""

    def __init__(self, max_seconds: float | None) -> None:
        self._seconds = inf if max_seconds is None else max_seconds
        self._start = time.monotonic()

    def for_search(self) -> Deadline:
        """Return the deadline of the search."""
        return Deadline(self._left(SEARCH_SHARE))

    def for_core(self, *, interrupted: bool) -> Deadline:
        """Return the deadline of the core; an interrupted fit has only the allowance."""
        left = max(0.0, self._left(CORE_SHARE)) + ALLOWANCE / 2
        return Deadline(min(left, ALLOWANCE / 2) if interrupted else left)

    def for_explaining(self) -> float:
        """Return the seconds that are left for explaining the result."""
        return max(self._left() + ALLOWANCE, ALLOWANCE / 2)

    def _left(self, share: float = 1.0) -> float:
        return self._start + share * self._seconds - time.monotonic()


def n_estimated(n_samples: int, sample: int | None) -> int:
    """Return the number of samples that can be scored at once, at most `sample`."""
    most = max(FEWEST_ESTIMATED, ESTIMATED_PAIRS // n_samples)
    return most if sample is None else min(most, sample)


def unsearched(measure: Measure, problem: Problem, reason: str) -> tuple[Outcome, float]:
    """Return the outcome without a search, and the full score.

    It is all features that may be selected, or the first ones up to the size asked for.
    """
    constraints = Constraints(problem)
    subset, allowed = constraints.fixed.copy(), constraints.fixed.copy()
    allowed[constraints.free] = True
    subset[constraints.free[: constraints.sizes[1] - int(subset.sum())]] = True
    full, score = measure.score(np.array([allowed, subset])).tolist()
    outcome = Outcome(
        subset=subset,
        score=score,
        reducts=(Reduct(subset, score, minimal=False),),
        front=(FrontPoint(int(subset.sum()), score, subset),),
        feature_frequency=subset.astype(np.float64),
        history=(),
        n_evaluations=0,
        n_on_sample=0,
        n_replayed=0,
        stop_reason=reason,
        lower_bound=constraints.sizes[0],
        proven=False,
        all_listed=False,
    )
    return outcome, full


def on_sample_first(outcome: Outcome, n_samples: int) -> Iterator[str]:
    """Yield what was scored on a sample of the rows, and that the answer was not."""
    if outcome.n_on_sample:
        n_on_all = outcome.n_evaluations - outcome.n_on_sample
        yield (
            f"The search scored {outcome.n_on_sample:,} subsets on a sample of the {n_samples:,} "
            f"rows first, then {n_on_all:,} on all rows: every dependency shown is that on all "
            "rows."
        )


def early_end(outcome: Outcome, problem: Problem) -> Iterator[str]:
    """Yield a warning if a search was interrupted, or fell short of what was asked for."""
    if outcome.n_evaluations == 0 and outcome.stop_reason in {"max_seconds", "interrupted"}:
        is_sized = problem.n_features_to_select is not None
        which = "the first features" if is_sized else "all features"
        yield (
            f"The search stopped ({outcome.stop_reason}) before any subset was scored, so "
            f"{which} that may be selected are."
        )
        return
    size = count(int(outcome.subset.sum()), "feature")
    score = problem.told(outcome.score)
    at = f"at a dependency of {score:.6g} with {size}"
    if outcome.stop_reason == "interrupted":
        yield f"The search was interrupted {at}; the best subset so far is selected."
    if outcome.stop_reason == "memory":
        yield Sentence(
            f"The search ran out of memory {at}; the best subset so far is selected. To search "
            "further, use a machine with more memory, or fewer samples with ",
            Setting("sample", 3000), ".",
        )  # fmt: skip
    if not problem.is_monotone:
        return  # nothing was asked for that could be missed
    is_asked_for = problem.ranking == "lexicographic" and problem.n_features_to_select is None
    is_cut_short = outcome.stop_reason in {"max_evaluations", "max_seconds"}
    if is_asked_for and is_cut_short and outcome.score < problem.target:
        yield Sentence(
            f"The search stopped ({outcome.stop_reason}) {at}, before it reached the "
            f"{problem.asked:.6g} that ", Setting("min_dependency"), " asks for. Raise the budget.",
        )  # fmt: skip
    is_second_wish = problem.n_features_to_select is not None and problem.min_dependency < 1
    if is_second_wish and outcome.score < problem.target:
        yield Sentence(
            f"The best subset found with {size} has a dependency of {score:.6g}, less than the "
            f"{problem.asked:.6g} that ", Setting("min_dependency"), " asks for. Raise ",
            Setting("n_features_to_select"), ", or leave out one of the two.",
        )  # fmt: skip
