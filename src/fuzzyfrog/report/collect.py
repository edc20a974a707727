"""A run -> one plain dict with everything that the page shows."""

from typing import Any

from fuzzyfrog.records import Run
from fuzzyfrog.report.answer import answer, goal, kept_share
from fuzzyfrog.report.details import ambiguous, explanations, reproduction, search
from fuzzyfrog.report.explorer import explorer
from fuzzyfrog.report.pictures import course, frequency, front
from fuzzyfrog.report.text import gamma, percent, visible

__all__ = ["collect", "collect_summary"]


def collect(run: Run) -> dict[str, Any]:
    """Give the content of the report, in its order."""
    return {
        **collect_summary(run),
        "goal": goal(run),
        "is_numeric": run.data.target.is_numeric,
        "full": gamma(run.full_dependency),
        "gamma": gamma(run.dependency),
        "n_selected": len(run.selected),
        "n_features": run.data.n_features,
        "n_reducts": run.n_reducts,
        "front": front(run),
        "reducts": explorer(run),
        "frequency": frequency(run),
        "explanations": explanations(run),
        "ambiguous": ambiguous(run),
        "course": course(run),
        "search": search(run),
        "again": reproduction(run),
    }


def collect_summary(run: Run) -> dict[str, Any]:
    """Give what the short version shows."""
    return {
        "name": visible(run.data.name),
        "answer": answer(run),
        "kept": percent(kept_share(run)),
        "version": visible(run.versions.fuzzyfrog),
    }
