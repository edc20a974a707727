"""A run -> one plain dict with everything that the page shows."""

from typing import Any

from fuzzyfrog.records import Run
from fuzzyfrog.records.statements import alike
from fuzzyfrog.report.answer import answer
from fuzzyfrog.report.details import ambiguous, explanations, reproduction, search
from fuzzyfrog.report.explorer import explorer
from fuzzyfrog.report.plot_data import course, frequency, front
from fuzzyfrog.report.text import all_seen, count, short, visible

__all__ = ["collect", "collect_summary"]

LONGEST_TITLE = 80


def collect(run: Run) -> dict[str, Any]:
    """Return the content of the report, in its order."""
    noun = "allowed feature" if run.excluded else "feature"
    content = {
        "title": short(run.data.name, LONGEST_TITLE) if run.data.is_named else None,
        "version": visible(run.versions.fuzzyfrog),
        "is_numeric": run.data.target.is_numeric,
        "all_features": f"all {count(run.n_allowed, noun)}",
        "n_reducts": run.n_reducts,
        "alike": alike(run),
        "front": front(run),
        "reducts": explorer(run),
        "frequency": frequency(run),
        "explanations": explanations(run),
        "ambiguous": ambiguous(run),
        "course": course(run),
        "search": search(run),
        "again": reproduction(run),
    }
    return {**collect_summary(run), **all_seen(content)}


def collect_summary(run: Run) -> dict[str, Any]:
    """Return what the short version shows."""
    content: dict[str, Any] = all_seen(
        {
            "name": visible(run.data.name) if run.data.is_named else None,
            "answer": answer(run),
        }
    )
    return content
