"""How sure the number of selected features is, as the report says it."""

from fuzzyfrog.records import Run
from fuzzyfrog.records.claims import Verdict, goal, verdict
from fuzzyfrog.report.text import count

__all__ = ["proof"]

# State, title and text; what is known in other cases is said below.
SAYINGS = {
    Verdict.USELESS: (
        "open",
        "{size}, because something must be selected.",
        "No feature tells {goal}; other ones are needed.",
    ),
    Verdict.ASKED: (
        "open",
        "{size}, as asked for.",
        "Not proven: that no other subset of {size} does better. A run with {certify} settles "
        "that.",
    ),
    Verdict.ONE: (
        "proven",
        "Proven: 1 feature is the fewest.",
        "Nothing is smaller. Which others do as well, a run with {certify} lists.",
    ),
    Verdict.CHECKED: (
        "checked",
        "Checked: none of them can be left out.",
        "Not proven: that no other, smaller subset does as well. A run with {certify} settles "
        "that.",
    ),
    Verdict.OPEN: (
        "open",
        "Not proven.",
        "This is the best subset that the search met; a smaller one may do as well. Give the "
        "search more time, or run with {certify}.",
    ),
}


def proof(run: Run) -> dict[str, str]:
    """Give what is proven, checked or open."""
    known = verdict(run)
    if known is Verdict.CORE:
        return _by_core(run)
    if known is Verdict.ESTIMATED:
        return _no_proof(str(run.estimate))
    if known is Verdict.CERTIFIED and run.certificate is not None:
        title, _, text = str(run.certificate).partition(". ")
        state = "proven" if run.certificate.proven else "open"
        return {"state": state, "title": f"{title}.", "text": text}
    words = {
        "size": count(len(run.selected), "feature"),
        "goal": goal(run),
        "certify": "certify=True" if run.command is None else "--certify",
    }
    state, title, text = SAYINGS[known]
    return {"state": state, "title": title.format(**words), "text": text.format(**words)}


def _no_proof(estimate: str) -> dict[str, str]:
    return {
        "state": "open",
        "title": f"{estimate[0].upper()}{estimate[1:]}.",
        "text": "The search saw a random part of the samples; the interval is for γ of the "
        "selected features on all samples, from others than the search saw. Nothing is proven. "
        "What is told below about single features and samples is measured on all samples.",
    }


def _by_core(run: Run) -> dict[str, str]:
    n_selected = len(run.selected)
    is_one = n_selected == 1
    are_the_fewest = f"{count(n_selected, 'feature')} {'is' if is_one else 'are'} the fewest"
    why = "It is" if is_one else "They are"
    return {
        "state": "proven",
        "title": f"Proven: {are_the_fewest}, and there is no other reduct.",
        "text": f"{why} the core, which nothing can replace, and the core alone does as well as "
        "all features.",
    }
