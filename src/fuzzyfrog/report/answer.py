"""The opening of the report: which features, how good they are, and how sure that is."""

from typing import Any

from fuzzyfrog.records import Run
from fuzzyfrog.records.statements import (
    Verdict,
    alike,
    are_equal,
    asked_percent,
    goal,
    headline,
    shortcut,
    verdict,
)
from fuzzyfrog.report.text import count, gamma, short, visible

MAX_CHIPS = 60  # features that are named at the top
LONGEST_CHIP = 200  # characters of the name of one
MAX_NOTES = 8  # warnings that are shown

# State, title and text of a verdict; `_proof` words the others.
SAYINGS = {
    Verdict.USELESS: (
        "open",
        "{size}, because something must be selected.",
        "No feature tells {goal}; the table needs other features.",
    ),
    Verdict.ASKED: (
        "open",
        "{size}, as asked for.",
        "It is not proven that no other subset of {size} is better. A run with {certify} tries "
        "to prove it.",
    ),
    Verdict.ONE: (
        "proven",
        "Proven: 1 feature is the fewest.",
        "Nothing is smaller. A run with {certify} lists the other features that are as good.",
    ),
    Verdict.CHECKED: (
        "checked",
        "Checked: none of them can be left out.",
        "It is not proven that no smaller subset is as good. A run with {certify} tries to "
        "prove it.",
    ),
    Verdict.OPEN: (
        "open",
        "Not proven.",
        "This is the best subset that the search found; a smaller one may be as good. Give the "
        "search more time, or run with {certify}.",
    ),
}


def answer(run: Run) -> dict[str, Any]:
    """Return the opening of the report."""
    losses = {one.feature: one.lost for one in run.explanations}
    by_loss = sorted(run.selected, key=lambda feature: -losses.get(feature, 0.0))
    return {
        "headline": _headline(run),
        "chips": [
            {"name": short(name, LONGEST_CHIP), "core": feature in (run.core or ())}
            for feature, name in zip(by_loss, run.names(by_loss), strict=True)
        ][:MAX_CHIPS],
        "n_more_chips": max(0, len(run.selected) - MAX_CHIPS),
        "notes": [_sentence(note) for note in run.notes[:MAX_NOTES]],
        "n_more_notes": max(0, len(run.notes) - MAX_NOTES),
        "reasons": [_quality(run), _need(run), _choice(run), *_next_step(run)],
        "proof": _proof(run),
        "facts": _facts(run),
    }


def _sentence(note: str) -> str:
    shown = visible(note)
    return shown[0].upper() + shown[1:] if note.startswith("feature ") else shown


def _headline(run: Run) -> str:
    return f"{headline(run)}." if run.estimate is None else f"{headline(run)}, {run.estimate}."


def _quality(run: Run) -> str:
    apart = "another class" if not run.data.target.is_numeric else "a clearly different target"
    scale = (
        "The dependency γ measures how surely each sample can be told from all samples of "
        f"{apart}: 1 means certain, 0 not at all."
    )
    everything = "All features but the excluded ones" if run.excluded else "All features"
    kept = f"{everything} together reach {gamma(run.full_dependency)}"
    if run.dependency == run.full_dependency:
        return f"{scale} {kept}, and so do the selected ones."
    required = run.asked_share * run.full_dependency
    is_missed = not run.asks_for_all and not run.is_enough
    missed = f", less than the {gamma(required)} asked for" if is_missed else ""
    return f"{scale} {kept}, the selected ones {gamma(run.dependency)}{missed}."


def _need(run: Run) -> str:
    if not run.is_explained:
        return "How much γ falls without each of them was not measured: time ran out."
    losses = [one.lost for one in run.explanations]
    if min(losses) <= 0:
        n_idle = sum(loss <= 0 for loss in losses)
        return f"{count(n_idle, 'selected feature')} could be left out without any loss of γ."
    if len(losses) == 1:
        return f"Without the feature γ falls by {gamma(losses[0])}: it does all the work."
    return (
        f"Each of the {len(losses):,} is needed: leaving one out lowers γ, by "
        f"{gamma(min(losses))} for the least important and by {gamma(max(losses))} for the most "
        "important."
    )


def _choice(run: Run) -> str:
    if run.is_core_alone:
        return "There is no other reduct: every subset that is as good has all of these features."
    size = count(len(run.selected), "feature")
    if run.n_reducts == 1:
        none = "There is no" if _lists_all(run) else "The search found no"
        good = "as good" if are_equal(run) else "enough"
        return f"{none} other subset of {size} that is {good}."
    found = "There are exactly" if _lists_all(run) else "The search found"
    of_what = "" if are_equal(run) else " of the γ of all features"
    return (
        f"{found} {run.n_reducts:,} {alike(run)}{of_what}; this one has the features that most "
        "of them share, unless another was picked."
    )


def _lists_all(run: Run) -> bool:
    return run.certificate is not None and run.certificate.all_listed


def _next_step(run: Run) -> list[str]:
    """Return what to try if every feature is needed, and what that does not mean."""
    found = shortcut(run)
    if found is None:
        return []
    share, size = found
    option = f"min_dependency={share:g}" if run.command is None else f"--min-dependency {share:g}"
    return [
        f"Nothing can be left out without a loss, but with {option}, "
        f"{count(size, 'feature is', 'features are')} enough. A feature that helps to tell these "
        "samples apart need not help with new ones: noise differs from sample to sample, too."
    ]


def _proof(run: Run) -> dict[str, str]:
    """Return what is proven, checked or open."""
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
        "text": "The search saw a random sample of the rows. The interval is for γ of the selected "
        "features on all samples and comes from rows that the search did not see. Nothing is "
        "proven. The sections below on single features and samples are measured on all samples.",
    }


def _by_core(run: Run) -> dict[str, str]:
    n_selected = len(run.selected)
    is_one = n_selected == 1
    are_the_fewest = f"{count(n_selected, 'feature')} {'is' if is_one else 'are'} the fewest"
    they_are = "It is" if is_one else "They are"
    return {
        "state": "proven",
        "title": f"Proven: {are_the_fewest}, and there is no other reduct.",
        "text": f"{they_are} the core, which nothing can replace, and the core alone is as good as "
        "all features.",
    }


def _facts(run: Run) -> list[dict[str, str]]:
    allowed = " allowed" if run.excluded else ""
    enough = f"Subsets that keep {asked_percent(run)}"
    return [
        {
            "label": "Features",
            "value": f"{len(run.selected):,}",
            "of": f"of {run.n_allowed:,}{allowed}",
        },
        {
            "label": "Dependency γ kept",
            "value": gamma(run.dependency),
            "of": f"of {gamma(run.full_dependency)}",
        },
        {
            "label": "Equally good subsets" if are_equal(run) else enough,
            "value": f"{run.n_reducts:,}",
            "of": "all there are" if _lists_all(run) else "found",
        },
        {"label": "Samples", "value": f"{run.data.n_samples:,}", "of": _kinds(run)},
    ]


def _kinds(run: Run) -> str:
    target = run.data.target
    if target.is_numeric:
        return "numeric target"
    return f"in {count(len(target.classes), 'class', 'classes')}"
