"""What to say when a search ended before its time."""

import warnings

from sklearn.exceptions import ConvergenceWarning

from fuzzyfrog.data.wording import counted
from fuzzyfrog.search import Outcome, Problem

__all__ = ["warn_of_early_end"]


def warn_of_early_end(outcome: Outcome, problem: Problem) -> None:
    """Warn if a search was interrupted, or stopped before it kept the dependency asked for."""
    size = counted(int(outcome.subset.sum()), "feature")
    at = f"at a dependency of {outcome.score:.6g} with {size}"
    if outcome.stop_reason == "interrupted":
        _warn(f"The search was interrupted {at}; the best subset so far is selected.")
    is_asked_for = problem.ranking == "lexicographic" and problem.n_features_to_select is None
    is_cut_short = outcome.stop_reason in {"max_evaluations", "max_seconds"}
    if is_asked_for and is_cut_short and outcome.score < problem.target:
        _warn(
            f"The search stopped ({outcome.stop_reason}) {at}, before it reached the "
            f"{problem.target:.6g} that min_dependency asks for. Raise its budget."
        )


def _warn(sentence: str) -> None:
    warnings.warn(sentence, ConvergenceWarning, stacklevel=4)
