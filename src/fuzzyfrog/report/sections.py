"""The sections of a report as plain values: the answer, the features, the samples, the run."""

from itertools import takewhile
from typing import Any

from fuzzyfrog.records import AmbiguousSample, FeatureSet, Run
from fuzzyfrog.records.run import Parameter
from fuzzyfrog.records.statements import (
    Verdict,
    advice,
    alike,
    are_equal,
    asked_percent,
    doubts,
    goal,
    has_all,
    headline,
    model_result,
    offered,
    shortcut,
    unchecked,
    verdict,
)
from fuzzyfrog.report import other_measures
from fuzzyfrog.report.features import (
    LONGEST_CAPTION,
    LONGEST_CLASS,
    LONGEST_NAME,
    MAX_CHARACTERS,
    target_of,
)
from fuzzyfrog.report.text import cell, count, gamma, room, row_of, seconds, short, visible

MAX_CHIPS = 60  # features that are named at the top
LONGEST_CHIP = 200  # characters of the name of one
MAX_NOTES = 8  # warnings that are shown
MAX_ALIKE = 5  # groups of columns that say the same, and columns of one

ABOUT_SAMPLES = "This is about γ on these samples, not about how well models predict new ones."
# State, title and text of a verdict; `_proof` words the others.
SAYINGS = {
    Verdict.USELESS: (
        "open",
        "{size}, because something must be selected.",
        "No feature separates {goal}; the table needs other features.",
    ),
    Verdict.ASKED: (
        "open",
        "{size}, as asked for.",
        "It is not proven that no other subset of {size} is better. A run with {certify} tries "
        "to prove it.",
    ),
    Verdict.ONE: (
        "proven",
        "1 feature is the fewest there can be.",
        "No subset is smaller. A run with {certify} lists other features that are as good.",
    ),
    Verdict.CHECKED: (
        "checked",
        "None of them can be left out.",
        "It is not proven that no smaller subset is as good. A run with {certify} tries to "
        "prove it.",
    ),
    Verdict.OPEN: (
        "open",
        "Not proven.",
        "This is the best subset that the search found; a smaller one may be as good. Give the "
        "search more time, or run it with {certify}.",
    ),
}


def answer(run: Run) -> dict[str, Any]:
    """Return the opening of the report."""
    return {
        **_opening(run),
        "chips": [
            {"name": short(name, LONGEST_CHIP), "core": feature in (run.core or ())}
            for feature, name in zip(run.by_loss, run.names(run.by_loss), strict=True)
        ][:MAX_CHIPS],
        "n_more_chips": max(0, len(run.selected) - MAX_CHIPS),
        "notes": [_sentence(note) for note in run.notes[:MAX_NOTES]],
        "n_more_notes": max(0, len(run.notes) - MAX_NOTES),
        "alike": _alikes(run),
        "alike_title": _alike_title(run),
        **(_strict_words(run) if run.is_strict else _other_words(run)),
    }


def _strict_words(run: Run) -> dict[str, Any]:
    return {
        "reasons": [_quality(run), _need(run), _choice(run), *_next_step(run)],
        "proof": _proof(run),
        "facts": _facts(run),
    }


def _other_words(run: Run) -> dict[str, Any]:
    return {
        "reasons": other_measures.reasons(run),
        "proof": other_measures.standing(run),
        "facts": [*other_measures.facts(run), *_models_fact(run), _samples_fact(run)],
    }


def _sentence(note: str) -> str:
    shown = visible(note)
    return shown[0].upper() + shown[1:] if note.startswith("feature ") else shown


def _opening(run: Run) -> dict[str, Any]:
    """Return the headline: what speaks against the selection comes before what was measured."""
    first, *others = [*doubts(run), _headline(run)]
    return {
        "headline": first,
        "doubts": others[:-1],
        "claim": others[-1] if others else None,
        "advice": advice(run),
        "unchecked": unchecked(run),
    }


def _headline(run: Run) -> str:
    return f"{headline(run)}." if run.estimate is None else f"{headline(run)}, {run.estimate}."


def check(run: Run) -> dict[str, Any]:
    """Return how well models do with the selected features, and why it is not known."""
    found = run.check
    if found is None:
        how = "fuzzyfrog.check(selector, X, y)" if run.command is None else "--check"
        sentence = f"Not checked. Run again with {how} to find out."
        if run.command is None:
            sentence = f"Not checked. Pass the result of {how} to the report to find out."
        return {"sentence": sentence, "noise": None, "notes": []}
    sentence = model_result(run)
    return {
        "sentence": f"{sentence[0].upper()}{sentence[1:]}.",
        "noise": found.noise and f"{found.noise if run.is_strict else found.noise.counted()}.",
        "notes": list(found.notes),
    }


def _quality(run: Run) -> str:
    others = "with a clearly different target" if run.data.target.is_numeric else "of other classes"
    scale = (
        f"The dependency γ says how clearly each sample stands apart from all samples {others}, "
        "from 0 (not at all) to 1 (completely), on average."
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
        why = f"because {run.why_unexplained}"
        return f"How much γ falls without each of them was not measured, {why}."
    losses = [one.lost for one in run.explanations]
    if min(losses) <= 0:
        n_idle = sum(loss <= 0 for loss in losses)
        return f"{count(n_idle, 'selected feature')} could be left out without any loss of γ."
    if len(losses) == 1:
        return "A single feature does all the work."
    return (
        f"Each of the {len(losses):,} is needed: leaving one out lowers γ by "
        f"{gamma(min(losses))} to {gamma(max(losses))}."
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
    is_first = len(run.reducts) == run.n_reducts and run.reducts[0].features == run.selected
    return (
        f"{found} {run.n_reducts:,} {alike(run)}{of_what}"
        f"{'; this one has the features that most of them share' if is_first else ''}."
    )


def _lists_all(run: Run) -> bool:
    return run.certificate is not None and run.certificate.all_listed


def _alikes(run: Run) -> list[str]:
    """Return which columns say the same as another one, or nearly the same."""
    sentences = []
    for groups, verb in (
        (run.copies, "the same as"),
        (run.correlated, "nearly the same (a correlation of 0.98 or more) as"),
    ):
        for group in groups[:MAX_ALIKE]:
            names = [short(name, LONGEST_CAPTION) for name in run.names(group.others[:MAX_ALIKE])]
            n_more = len(group.others) - len(names)
            others = ", ".join(names) + (f" and {n_more:,} more" if n_more else "")
            says = "says" if len(group.others) == 1 else "say"
            (kept,) = run.names((group.feature,))
            sentences.append(f"{others} {says} {verb} {short(kept, LONGEST_CAPTION)}.")
        if len(groups) > MAX_ALIKE:
            sentences.append(f"So do {len(groups) - MAX_ALIKE:,} more groups of columns.")
    return sentences


def _alike_title(run: Run) -> str:
    n_copies = sum(len(group.others) for group in run.copies)
    n_correlated = sum(len(group.others) for group in run.correlated)
    parts = [count(n_copies, "copy", "copies")] if n_copies else []
    parts += [count(n_correlated, "strongly correlated column")] if n_correlated else []
    return " and ".join(parts)


def _next_step(run: Run) -> list[str]:
    """Return what to try if every feature is needed, and what that does not mean."""
    found = shortcut(run)
    if found is None:
        return []
    share, size = found
    option = f"min_dependency={share:g}" if run.command is None else f"--min-dependency {share:g}"
    enough = f"{option}, {count(size, 'feature is', 'features are')} enough"
    if len(run.selected) < run.n_allowed:
        return [f"With {enough}."]
    return [
        f"No feature can be left out without a loss, but with {enough}. A feature that separates "
        "these samples need not help with new ones: noise differs from sample to sample, too."
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
        return {"state": state, "title": f"{title}.", "text": f"{text} {ABOUT_SAMPLES}"}
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
        "text": "The search saw only a random part of the samples. The interval is for γ of the "
        "selected features on all samples and comes from samples that the search did not see. "
        "Nothing is proven. What the sections below say about single features and samples was "
        "measured on all samples.",
    }


def _by_core(run: Run) -> dict[str, str]:
    n_selected = len(run.selected)
    is_one = n_selected == 1
    are_the_fewest = f"{count(n_selected, 'feature')} {'is' if is_one else 'are'} the fewest"
    they_are = "It is" if is_one else "They are"
    return {
        "state": "proven",
        "title": f"Proven for these samples: {are_the_fewest}, and there is no other reduct.",
        "text": f"{they_are} the core, which nothing can replace, and the core alone keeps the γ "
        f"of all features. {ABOUT_SAMPLES}",
    }


def _facts(run: Run) -> list[dict[str, str]]:
    n_offered, noun = offered(run)
    allowed = " allowed" if noun != "feature" else ""
    enough = f"Subsets that keep {asked_percent(run)}"
    subsets = {
        "label": "Equally good subsets" if are_equal(run) else enough,
        "value": f"{run.n_reducts:,}",
        "of": "all there are" if _lists_all(run) else "found",
    }
    return [
        {
            "label": "Features",
            "value": f"{len(run.selected):,}",
            "of": f"of {n_offered:,}{allowed}",
        },
        {
            "label": "Dependency γ",
            "value": gamma(run.dependency),
            "of": f"all features: {gamma(run.full_dependency)}",
        },
        *([subsets] if run.n_reducts > 1 else []),
        *_models_fact(run),
        _samples_fact(run),
    ]


def _models_fact(run: Run) -> list[dict[str, str]]:
    """Return the score of models with the selected features, if it was measured."""
    found = run.check
    if found is None or found.selected is None or found.all is None or has_all(run):
        return []
    full = f"all features: {found.shown(found.all.score)}"
    label = f"{found.metric[0].upper()}{found.metric[1:]} of models"
    return [{"label": label, "value": found.shown(found.selected.score), "of": full}]


def _samples_fact(run: Run) -> dict[str, str]:
    return {"label": "Samples", "value": f"{run.data.n_samples:,}", "of": _kind_of_target(run)}


def _kind_of_target(run: Run) -> str:
    target = run.data.target
    if target.is_numeric:
        return "numeric target"
    return f"in {count(len(target.classes), 'class', 'classes')}"


MAX_MEMBERS = 150_000  # of all reducts together: about 800 kB of the page
MAX_EXPLORER_CHARACTERS = 60_000  # of the names of their features; some take six bytes a character
MAX_LISTED = 12  # reducts in the table for browsers that run no scripts
MAX_LISTED_CHARACTERS = 20_000  # of the names in it
MAX_VALUES = 30  # features of an ambiguous sample
MAX_CLASSES = 100

REASONS = {
    "converged": "The search finished: it found nothing better for a while.",
    "max_evaluations": "The search used up its budget of evaluations.",
    "max_seconds": "The search ran out of time.",
    "callback": "A callback stopped the search.",
    "interrupted": "The search was interrupted; the best subset so far was kept.",
    "memory": "The search ran out of memory; the best subset so far was kept.",
}
# What depends on the machine or on people, so that another run may end elsewhere.
ENDED_BY_TIME = {"max_seconds", "interrupted", "memory", "callback"}


def explorer(run: Run) -> dict[str, Any]:
    """Return the reducts, as positions in a list of the features that they have."""
    kept = _affordable(run.reducts)
    used = sorted({feature for one in kept for feature in one.features})
    place = {feature: at for at, feature in enumerate(used)}
    most = room(len(used), MAX_EXPLORER_CHARACTERS, LONGEST_NAME)
    n_listed = sum(one.size for one in kept[:MAX_LISTED])
    most_listed = room(n_listed, MAX_LISTED_CHARACTERS, 80)
    return {
        "title": f"{run.n_reducts:,} {alike(run)}",
        "page": {
            "names": [short(name, most) for name in run.names(used)],
            "core": [place[feature] for feature in run.core or () if feature in place],
            "reducts": [[place[feature] for feature in one.features] for one in kept],
            "gammas": [gamma(one.dependency) for one in kept],
            "minimal": [bool(one.minimal) for one in kept],
            "chosen": next(
                (at for at, one in enumerate(kept) if one.features == run.selected), None
            ),
        },
        "listed": [
            {"number": at + 1,
             "names": [short(name, most_listed) for name in run.names(one.features)],
             "size": one.size, "gamma": gamma(one.dependency)}
            for at, one in enumerate(kept[:MAX_LISTED])
        ],
        "n_kept": len(kept),
        "n_left_out": run.n_reducts - len(kept),
    }  # fmt: skip


def _affordable(reducts: tuple[FeatureSet, ...]) -> list[FeatureSet]:
    """Return the first reducts that fit into a page, one at least."""
    total = 0

    def fits(one: FeatureSet) -> bool:
        nonlocal total
        total += one.size
        return total <= MAX_MEMBERS

    return list(takewhile(fits, reducts)) or list(reducts[:1])


def ambiguous(run: Run) -> dict[str, Any]:
    """Return the samples that the selected features tell apart least."""
    n_listed = len(run.ambiguous)
    kind = "most ambiguous sample" if run.is_strict else "sample with the lowest membership"
    kinds = "most ambiguous samples" if run.is_strict else "samples with the lowest membership"
    are_all = n_listed == run.n_ambiguous
    return {
        "title": "Ambiguous samples" if run.is_strict else "Samples unlike their neighbors",
        "n_ambiguous": run.n_ambiguous,
        "lead": _ambiguous_lead(run),
        "listed": "The list" if are_all else f"The {count(n_listed, kind, kinds)}",
        "rows": [_sample(run, one) for one in run.ambiguous],
        "n_values_hidden": max(0, len(run.selected) - MAX_VALUES),
    }


def _ambiguous_lead(run: Run) -> str:
    is_numeric = run.data.target.is_numeric
    n_measured = run.sampling.n_sampled if run.is_soft and run.sampling else run.data.n_samples
    of_all = f"{run.n_ambiguous:,} of {count(n_measured, 'sample')}"
    if n_measured < run.data.n_samples:
        of_all += " measured"
    one = run.n_ambiguous == 1
    counted = "" if run.rows is not None else " Samples are counted from 0, the first row of data."
    if run.is_strict:
        others = "samples with a different target" if is_numeric else "samples of other classes"
        parts = f"{of_all} {'does' if one else 'do'} not stand clearly apart from {others}."
        nearest = "with a different target" if is_numeric else "of another class"
        listed = f" Each is listed with its nearest enemy, the most similar sample {nearest}."
    else:
        other = "quite different targets" if is_numeric else "mostly other classes"
        parts = (
            f"{of_all} {'has' if one else 'have'} a membership below one half: the samples most "
            f"similar to {'it' if one else 'them'} have {other}. Models may get "
            f"{'it' if one else 'them'} wrong; look for errors in the data, or for a feature that "
            "the table lacks."
        )
        nearest = "with another target" if is_numeric else "of another class"
        listed = f" Each is listed with the most similar sample {nearest}."
    return f"{parts}{listed}{counted}" if run.ambiguous else parts


def _sample(run: Run, one: AmbiguousSample) -> dict[str, Any]:
    n_names = len(run.ambiguous) * min(len(run.selected), MAX_VALUES)
    most = room(n_names, MAX_CHARACTERS, LONGEST_CAPTION)
    names = [short(name, most) for name in run.names(run.selected)]
    return {
        "sample": row_of(run, one.sample),
        "enemy": row_of(run, one.enemy),
        "sample_target": target_of(run, one.sample_target),
        "enemy_target": target_of(run, one.enemy_target),
        "missing": _gaps_of(one),
        "membership": gamma(one.membership),
        "width": round(100 * one.membership, 2),
        "values": [
            {"name": name, "sample": cell(own), "enemy": cell(other), "same": own == other}
            for name, own, other in zip(names, one.sample_values, one.enemy_values, strict=True)
        ][:MAX_VALUES],
    }


def _gaps_of(one: AmbiguousSample) -> str:
    """Return how many values a sample lacks; empty if it has all."""
    n_missing = sum(value is None for value in one.sample_values)
    return f"{n_missing} of {len(one.sample_values)} values missing" if n_missing else ""


def search(run: Run) -> dict[str, Any]:
    """Return how long the search took and why it ended."""
    n_own = run.n_evaluations - run.n_resumed
    rate = f"{n_own / run.seconds:,.0f} a second" if run.seconds > 0 else ""
    if run.n_resumed:
        rate = f"{run.n_resumed:,} of them before it was resumed; since then {rate}"
    duration = seconds(run.seconds) if run.seconds > 0 else "not measured"
    name, _, settings = visible(str(run.parameters.get("search"))).partition("(")
    given = f" ({settings.removesuffix(')')})" if settings else ""
    scored = count(run.n_evaluations, "subset")
    return {
        "facts": f"{name}{given}: {scored} scored in {duration}{f', {rate}' if rate else ''}.",
        "reason": _reason(run),
    }


def _reason(run: Run) -> str:
    if run.stop_reason == "converged" and run.certificate is not None and run.certificate.proven:
        return "The search ended with a proof."
    return REASONS.get(run.stop_reason) or f"The search ended: {visible(run.stop_reason)}."


def reproduction(run: Run) -> dict[str, Any]:
    """Return everything needed to reproduce the result."""
    data, target = run.data, run.data.target
    span = f"{target.lowest:.6g} to {target.highest:.6g}" if target.lowest is not None else ""
    return {
        "command": None if run.command is None else visible(run.command),
        "is_timed": run.stop_reason in ENDED_BY_TIME,
        "seed": run.seed,
        "parameters": [
            {"name": visible(name), "value": visible(_as_typed(value))}
            for name, value in run.parameters.items()
        ],
        "versions": [
            {"name": "fuzzyfrog", "value": run.versions.fuzzyfrog},
            {"name": "Python", "value": run.versions.python},
            {"name": "NumPy", "value": run.versions.numpy},
            {"name": "Numba", "value": run.versions.numba},
            {"name": "scikit-learn", "value": run.versions.scikit_learn},
        ],
        "sha256": data.sha256,
        "samples": count(data.n_samples, "sample"),
        "features": _kinds_of_features(run),
        "missing": count(data.n_missing, "missing value"),
        "target": visible(target.name),
        "span": span,
        "classes": [
            {"name": short(one.name, LONGEST_CLASS), "count": f"{one.count:,}"}
            for one in target.classes[:MAX_CLASSES]
        ],
        "n_classes_hidden": max(0, len(target.classes) - MAX_CLASSES),
    }


def _as_typed(value: Parameter) -> str:
    """Return a value as Python writes it; records keep lists as such a text already."""
    return value if isinstance(value, str) and value.startswith("[") else repr(value)


def _kinds_of_features(run: Run) -> str:
    n_categorical = sum(feature.kind == "categorical" for feature in run.data.features)
    n_numeric = run.data.n_features - n_categorical
    if not n_categorical:
        return count(n_numeric, "numeric feature")
    if not n_numeric:
        return count(n_categorical, "categorical feature")
    return f"{n_numeric:,} numeric and {count(n_categorical, 'categorical feature')}"
