"""What to say when a search ended before its time."""

from collections.abc import Iterator

from fuzzyfrog.data.wording import counted
from fuzzyfrog.search import Outcome, Problem

__all__ = ["early_end"]


def early_end(outcome: Outcome, problem: Problem) -> Iterator[str]:
    """Yield a warning if a search was interrupted, or stopped short of what was asked for."""
    if outcome.n_evaluations == 0 and outcome.stop_reason in {"max_seconds", "interrupted"}:
        yield (
            f"The search stopped ({outcome.stop_reason}) before any subset was scored; all "
            "features that may be selected are."
        )
        return
    size = counted(int(outcome.subset.sum()), "feature")
    score = problem.told(outcome.score)
    at = f"at a dependency of {score:.6g} with {size}"
    if outcome.stop_reason == "interrupted":
        yield f"The search was interrupted {at}; the best subset so far is selected."
    if outcome.stop_reason == "memory":
        yield (
            f"The search ran out of memory {at}; the best subset so far is selected. Give it more "
            "memory, or fewer samples with sample=3000, to search on."
        )
    is_asked_for = problem.ranking == "lexicographic" and problem.n_features_to_select is None
    is_cut_short = outcome.stop_reason in {"max_evaluations", "max_seconds"}
    if is_asked_for and is_cut_short and outcome.score < problem.target:
        yield (
            f"The search stopped ({outcome.stop_reason}) {at}, before it reached the "
            f"{problem.asked:.6g} that min_dependency asks for. Raise its budget."
        )
    is_second_wish = problem.n_features_to_select is not None and problem.min_dependency < 1
    if is_second_wish and outcome.score < problem.target:
        yield (
            f"The best subset met of {size} has a dependency of {score:.6g}, not the "
            f"{problem.asked:.6g} that min_dependency asks for. Raise n_features_to_select, or "
            "leave one of the two out."
        )
