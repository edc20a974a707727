"""The first thing that a report says: which features, why, and how sure that is."""

from typing import Any

from fuzzyfrog.records import Run
from fuzzyfrog.report.text import count, gamma, percent, short, visible

__all__ = ["answer"]

MAX_CHIPS = 60  # features that are named at the top
LONGEST_CHIP = 200  # characters of the name of one
MAX_NOTES = 8  # warnings that are shown


def _goal(run: Run) -> str:
    """Give what features are good for in this run, as the end of "to tell ..."."""
    if run.data.target.is_numeric:
        return "high from low values of the target"
    return "the classes apart"


def _kept_share(run: Run) -> float:
    """Give the share of the full dependency that the selected features keep."""
    return min(1.0, run.dependency / run.full_dependency)


def answer(run: Run) -> dict[str, Any]:
    """Give the opening of the report."""
    losses = {one.feature: one.lost for one in run.explanations}
    by_loss = sorted(run.selected, key=lambda feature: -losses[feature])
    return {
        "headline": _headline(run),
        "chips": [
            {"name": short(name, LONGEST_CHIP), "core": feature in run.core}
            for feature, name in zip(by_loss, run.names(by_loss), strict=True)
        ][:MAX_CHIPS],
        "n_more_chips": max(0, len(run.selected) - MAX_CHIPS),
        "notes": [_sentence(note) for note in run.notes[:MAX_NOTES]],
        "n_more_notes": max(0, len(run.notes) - MAX_NOTES),
        "reasons": [_quality(run), _need(run), _choice(run)],
        "proof": _proof(run),
        "facts": _facts(run),
    }


def _sentence(note: str) -> str:
    shown = visible(note)
    return shown[0].upper() + shown[1:] if note.startswith("feature ") else shown


def _headline(run: Run) -> str:
    if run.full_dependency == 0:
        return f"No feature tells {_goal(run)}, and all of them together do not either."
    n_selected, n_all = len(run.selected), run.data.n_features
    share = _kept_share(run)
    of_all = f"{n_selected:,} of {count(n_all, 'feature')}"
    if n_selected == n_all:
        return f"All {count(n_all, 'feature')} are needed to tell {_goal(run)}."
    tell = "tells" if n_selected == 1 else "tell"
    if share == 1.0:
        return f"{of_all} {tell} {_goal(run)} as well as all of them."
    return f"{of_all} {tell} {_goal(run)} {percent(share)} as well as all of them."


def _quality(run: Run) -> str:
    apart = "another class" if not run.data.target.is_numeric else "a clearly different target"
    scale = (
        "The dependency γ says how surely every sample can be told from all samples of "
        f"{apart}: 1 is certainty, 0 is none."
    )
    kept = f"All features together reach {gamma(run.full_dependency)}"
    if run.dependency == run.full_dependency:
        return f"{scale} {kept}, and so do the selected ones."
    return f"{scale} {kept}, the selected ones {gamma(run.dependency)}."


def _need(run: Run) -> str:
    losses = [one.lost for one in run.explanations]
    if min(losses) <= 0:
        n_idle = sum(loss <= 0 for loss in losses)
        return f"{count(n_idle, 'selected feature')} could go without any loss of γ."
    if len(losses) == 1:
        return f"Without the feature γ falls by {gamma(losses[0])}: it does all the work."
    return (
        f"Each of the {len(losses):,} is needed: without one of them γ falls, by "
        f"{gamma(min(losses))} for the most replaceable and by {gamma(max(losses))} for the "
        "most important."
    )


def _choice(run: Run) -> str:
    if run.is_core_alone:
        return "There is no other reduct: whatever tells as much has all of these features."
    if run.n_reducts == 1:
        return "The search met no other subset that is as good."
    return (
        f"The search met {count(run.n_reducts, 'subset')} that are equally good; this one has "
        "the features that most of them share, unless another was picked."
    )


def _proof(run: Run) -> dict[str, str]:
    if run.is_core_alone:
        return _proof_by_core(run)
    if run.certificate is not None:
        state = "proven" if run.certificate.proven else "open"
        title, _, rest = str(run.certificate).partition(". ")
        return {"state": state, "title": f"{title}.", "text": rest}
    certify = "certify=True" if run.command is None else "--certify"
    minimal = next((one.minimal for one in run.reducts if one.features == run.selected), None)
    if minimal:
        return {
            "state": "checked",
            "title": "Checked: none of them can be left out.",
            "text": "Not proven: that no other, smaller subset does as well. "
            f"A run with {certify} settles that.",
        }
    return {
        "state": "open",
        "title": "Not proven.",
        "text": "This is the best subset that the search met; a smaller one may do as well. "
        f"Give the search more time, or run with {certify}.",
    }


def _proof_by_core(run: Run) -> dict[str, str]:
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


def _facts(run: Run) -> list[dict[str, str]]:
    return [
        {
            "label": "Features",
            "value": f"{len(run.selected):,}",
            "of": f"of {run.data.n_features:,}",
        },
        {
            "label": "Dependency γ kept",
            "value": gamma(run.dependency),
            "of": f"of {gamma(run.full_dependency)}",
        },
        {"label": "Equally good subsets", "value": f"{run.n_reducts:,}", "of": "met"},
        {"label": "Samples", "value": f"{run.data.n_samples:,}", "of": _kinds(run)},
    ]


def _kinds(run: Run) -> str:
    target = run.data.target
    if target.is_numeric:
        return "numeric target"
    return f"in {count(len(target.classes), 'class', 'classes')}"
