"""What a run may claim about its features, worded once for the command line and the report."""

from enum import Enum, auto
from typing import TYPE_CHECKING

from fuzzyfrog.common.messages import count, listed, percent, shown

if TYPE_CHECKING:
    from fuzzyfrog.records.run import Run

MAX_NAMED = 8  # features that a sentence lists
LONGEST = 40  # characters of their names
LOW_DEPENDENCY = 0.5  # of all features: below this, even they leave most samples mixed up
SMALL_LOSS = 0.01  # of balanced accuracy or R²
HARDLY_MORE = 0.02  # than chance, or two standard errors: what models reach by luck ...
MUCH_MORE = 0.1  # ... but not as much as this
CHEAPER_SHARES = (0.95, 0.9, 0.8)  # of the dependency: far fewer features may be enough for these


class Verdict(Enum):
    """What is known about the number of selected features."""

    USELESS = auto()  # no feature is informative, but something must be selected
    CERTIFIED = auto()  # there is a certificate, which says how far the proof got
    CORE = auto()  # proven: nothing can replace any of them, and they are enough
    UNPROVABLE = auto()  # the measure has no smallest subset, or none that could be proved
    ESTIMATED = auto()  # a random sample proves nothing
    ASKED = auto()  # the number was given
    ONE = auto()  # nothing is smaller
    CHECKED = auto()  # none can be left out, but another subset may be smaller
    OPEN = auto()


def verdict(run: "Run") -> Verdict:
    """Return what is known about the number of selected features."""
    is_one = len(run.selected) == 1 and run.asks_for_fewest and run.is_enough
    minimal = next((one.minimal for one in run.reducts if one.features == run.selected), None)
    known = [
        (Verdict.USELESS, is_useless(run)),
        (Verdict.UNPROVABLE, not run.is_strict),
        (Verdict.CERTIFIED, run.certificate is not None and run.certificate.proven),
        (Verdict.CORE, run.is_core_alone),
        (Verdict.ESTIMATED, run.sampling is not None),
        (Verdict.CERTIFIED, run.certificate is not None),
        (Verdict.ASKED, run.asked_size is not None),
        (Verdict.ONE, is_one),
        # Features that must be included were never left out to check.
        (Verdict.CHECKED, bool(minimal) and run.parameters.get("must_include") is None),
    ]
    return next((one for one, holds in known if holds), Verdict.OPEN)


def goal(run: "Run") -> str:
    """Return the samples that the features of this run separate, to complete "separate"."""
    if run.data.target.is_numeric:
        return "samples with high targets from those with low ones"
    return "samples of different classes"


def is_useless(run: "Run") -> bool:
    """Whether none of the features found says anything about the target."""
    if run.chance is not None:
        return run.dependency <= run.chance
    return run.is_strict and run.full_dependency <= 0


def headline(run: "Run") -> str:
    """Return what was measured about the selected features, without a final period."""
    if not run.is_strict:
        return _soft_headline(run) if run.is_soft else _own_headline(run)
    n_selected = len(run.selected)
    if run.full_dependency <= 0:
        return f"No feature separates {goal(run)}, nor do all of them together"
    is_free = run.asked_size is None and run.parameters.get("must_include") is None
    if 1 < n_selected == run.n_allowed and is_free:
        return _all_of_them(run)
    start, others = _part_of_all(run)
    share = min(1.0, run.dependency / run.full_dependency)
    how = "as well as" if share == 1.0 else f"{percent(share)} as well as"
    verb = "separates" if n_selected == 1 else "separate"
    return f"{start} {verb} these samples {how} {others} do"


def _part_of_all(run: "Run") -> tuple[str, str]:
    """Return how many of the features are selected, and what to call all of them."""
    n_selected, (n_offered, noun) = len(run.selected), offered(run)
    n_others = run.data.n_features - n_offered
    if not n_others:
        return f"{n_selected:,} of {count(n_offered, noun)}", "all columns"
    are = "is" if n_others == 1 else "are"
    start = f"{n_selected:,} of the {count(n_offered, noun)} ({n_others:,} {are} left out)"
    return start, f"all {n_offered:,}"


def offered(run: "Run") -> tuple[int, str]:
    """Return the number of features to choose from, and what to call one.

    Copies count: another feature represents them.
    """
    n_others = len(run.excluded) - run.n_copies
    return run.data.n_features - n_others, "allowed feature" if n_others else "feature"


def _soft_headline(run: "Run") -> str:
    chance = percent(run.chance or 0.0)
    is_numeric = run.data.target.is_numeric
    if is_useless(run):
        what = "have targets more alike" if is_numeric else "share their class more often"
        return f"No features were found by which similar samples {what} than by chance ({chance})"
    start, others = _part_of_all(run)
    if len(run.selected) == offered(run)[0]:
        start = f"all {count(*offered(run))}"
    check = run.check
    loses = check is not None and check.loses and not has_all(run)
    is_said = loses or _at_best(run) is not None  # by doubts
    if check is not None and check.selected is not None and check.all is not None and not is_said:
        known = {} if has_all(run) else {others: check.shown(check.all.score)}
        if not is_numeric:
            known["chance"] = check.shown(1.0 / len(run.data.target.classes))
        nearby = ", ".join(f"{what}: {score}" for what, score in known.items())
        score = check.shown((check.all if has_all(run) else check.selected).score)
        return f"With {start}, models reach {check.metric} {score}{nearby and f' ({nearby})'}"
    ours, theirs = percent(run.dependency), percent(run.full_dependency)
    everything = "" if has_all(run) else f"{others}: {theirs}, "
    what = f"have targets {ours} alike" if is_numeric else f"share their class {ours} of the time"
    return f"Judged by {start}, similar samples {what} ({everything}chance: {chance})"


def _own_headline(run: "Run") -> str:
    start, others = _part_of_all(run)
    verb = "scores" if len(run.selected) == 1 else "score"
    return f"{start} {verb} {run.dependency:.4g}; {others}: {run.full_dependency:.4g}"


def size_reason(run: "Run") -> str:
    """Return why a run with the soft measure has the size that it has, without a final period."""
    if run.asked_size is not None:
        return "as requested"
    if not run.added or run.chosen_accuracy is None:
        return "the highest soft dependency that was found"
    peak = max(run.front, key=lambda one: one.dependency).size
    best = max(run.front, key=lambda one: one.accuracy or float("-inf")).size
    rule = run.parameters.get("size_rule")
    right = "neighbors predict best" if run.data.target.is_numeric else "neighbors vote best"
    reasons = {
        "peak": "where the soft dependency is highest",
        "accuracy": f"where {right}",
        "one-se": f"the fewest with which neighbors predict no worse than with {best}, up to one "
        "standard error",
    }
    if rule in reasons:
        return reasons[str(rule)]
    if len(run.selected) == peak:
        return reasons["peak"] + (f" and {right}" if peak == best else "")
    highest = max(one.dependency for one in run.front)
    reason = reasons["accuracy" if len(run.selected) == best else "one-se"]
    return f"{reason}; the soft dependency is highest with {peak:,}, {highest:.3f}"


def _all_of_them(run: "Run") -> str:
    n_copies, (n_offered, noun) = run.n_copies, offered(run)
    but = f" but {count(n_copies, 'copy', 'copies')}" if n_copies else ""
    if run.is_core_alone:
        return f"All {n_offered:,} {noun}s{but} are needed to separate these samples this well"
    none = f"No subset of the {n_offered:,} {noun}s{but} was found"
    return f"{none} that separates these samples as well"


def doubts(run: "Run") -> list[str]:
    """Return reasons not to trust the selected features, as sentences, the weightiest first.

    Show them before the headline, which says nothing about new samples.
    """
    found = [_identifier(run, one) for one in run.selected if one in run.identifiers]
    found += _telling(run)
    check = run.check
    if check is not None and (best := _at_best(run)) is not None:
        than = "always predicting the mean" if run.data.target.is_numeric else "chance"
        reached = f"{check.metric} {check.shown(best)} at best"
        found.append(f"With these columns, models are hardly better than {than}: {reached}.")
    elif check is not None and check.selected is not None and check.loses and not has_all(run):
        worse = "slightly worse" if check.selected.difference > -SMALL_LOSS else "worse"
        found.append(f"Models do {worse} with features selected this way: {check.compared()}.")
    elif check is not None and (lost := check.hidden_loss()) and not has_all(run):
        found.append(f"Models do not clearly lose on average, but {lost}.")
    if check is not None and check.noise is not None and check.noise.fails and run.is_strict:
        found.append(
            "The strict measure takes shuffled columns about as often as real ones: "
            f"{check.noise.counted()}."
        )
    if run.is_strict and 0 < run.full_dependency < LOW_DEPENDENCY:
        found.append(
            "Even all columns together separate these samples poorly: their dependency is "
            f"{run.full_dependency:.3f} on a scale from 0 to 1."
        )
    return found


def _identifier(run: "Run", feature: int) -> str:
    """Return the sentence about a selected feature that looks like an identifier."""
    (name,) = run.names((feature,))
    option = "--exclude" if run.command is not None else "exclude"
    return (
        f"The selected {shown(name)} looks like an ID: what it says about these samples may not "
        f"hold for new ones. If it is one, leave it out with {option}."
    )


def _telling(run: "Run") -> list[str]:
    """Return the sentence about features that tell the target alone, if one is put forward."""
    named = {*run.names(run.selected), *(run.check.soft_features if run.check is not None else ())}
    names = [one for one in run.names(run.telling) if one in named]
    if not names:
        return []
    option = "--exclude" if run.command is not None else "exclude"
    if len(names) == 1:
        tells, they_are, them = "alone tells the target almost perfectly", "it is", "it"
    else:
        tells, they_are, them = "each tell the target almost perfectly", "they are", "them"
    return [
        f"{listed(names)} {tells}. If {they_are} recorded after the fact, these scores do not "
        f"hold for new samples: leave {them} out with {option}."
    ]


def _at_best(run: "Run") -> float | None:
    """Return the best score of the models if it is hardly better than chance, otherwise None."""
    if run.check is None or not run.check.scores:
        return None
    classes = run.data.target.classes
    chance = 0.0 if run.data.target.is_numeric else 1.0 / len(classes)
    for one in run.check.scores:
        if one.score >= chance + max(HARDLY_MORE, min(2.0 * one.standard_error, MUCH_MORE)):
            return None
    return max(one.score for one in run.check.scores)


def unchecked(run: "Run") -> str | None:
    """Return a sentence that keeps a strict selection from being taken for a prediction.

    None if models were tried, or if nothing is left out.
    """
    is_tried = run.check is not None and bool(run.check.scores)
    if is_tried or not run.is_strict or has_all(run):
        return None
    option = "--measure soft" if run.command is not None else 'measure="soft"'
    return (
        "Models were not tried, so this says nothing about predicting new samples; for that, see "
        f"{option}."
    )


def has_all(run: "Run") -> bool:
    """Whether all features that may be selected are."""
    return len(run.selected) == run.n_allowed


def model_result(run: "Run") -> str:
    """Return how well models do with the selected features, without a final period."""
    check = run.check
    if check is None:
        return "not checked"
    if check.all is not None and has_all(run):
        # In the folds, some may have been left out; here, nothing is lost.
        return f"{check.metric} {check.shown(check.all.score)}; all features are selected"
    return check.conclusion()


def advice(run: "Run") -> str | None:
    """Return what to do about the doubts, as a sentence; None if they say it themselves."""
    n_identifiers = len(set(run.selected) & set(run.identifiers))
    if len(doubts(run)) == n_identifiers + len(_telling(run)):
        return None
    if _at_best(run) is not None:
        return "For prediction, the table needs other columns."
    is_typed = run.command is not None
    if not run.is_strict:
        more = "--n-features N" if is_typed else "n_features_to_select=N"
        return f"For prediction, select more features ({more}), or keep all features."
    option = "--measure soft" if is_typed else 'measure="soft"'
    check = run.check
    if check is None or not check.soft_features:
        return f"For prediction, try {option}."
    if check.soft is not None and check.all is not None and check.selected is not None:
        others = {"the selected features": check.selected, "all features": check.all}
        if check.hidden_loss() is not None:
            del others["the selected features"]
        what, best = max(others.items(), key=lambda one: one[1].score)
        # Fewer features than all are worth a difference that is not clear.
        spare = 0.0 if best is check.selected else check.soft.difference_error
        if best.score - check.soft.score > spare:
            return (
                f"For prediction, keep {what} ({check.metric} {check.shown(best.score)}); {option} "
                f"takes {check.soft.average_size} and reaches {check.shown(check.soft.score)}."
            )
    names = check.soft_features
    most = len(names) if len(names) <= MAX_NAMED + 1 else MAX_NAMED  # never "and 1 more"
    first = ", ".join(
        one if len(one) <= LONGEST else f"{one[: LONGEST - 1]}…" for one in names[:most]
    )
    more = f" and {len(names) - most} more" if len(names) > most else ""
    reached = ""
    if check.soft is not None:
        reached = f", with which models reach {check.metric} {check.shown(check.soft.score)}"
    return (
        f"For prediction, use {option}: it selects {count(len(names), 'feature')} "
        f"({first}{more}){reached}."
    )


def are_equal(run: "Run") -> bool:
    """Whether the subsets next to the selected one are as good, rather than good enough."""
    return run.asks_for_all or not run.is_enough or run.asked_size is not None


def alike(run: "Run") -> str:
    """Return what to call the subsets next to the selected one, in the plural."""
    if are_equal(run):
        return "equally good subsets"
    size = f" of {count(len(run.selected), 'feature')}" if run.is_lexicographic else ""
    return f"subsets{size} that keep at least {asked_percent(run)}"


def asked_percent(run: "Run") -> str:
    """Return the share of the full dependency that must be kept, in percent."""
    return f"{100 * run.asked_share:.6g}%"


def shortcut(run: "Run") -> tuple[float, int] | None:
    """Return a share of the dependency that fewer features keep, and their number.

    None if a share or a number of features was given, if the search was stopped, or if no such
    subset was found.
    """
    is_plain = run.asks_for_all and run.asks_for_fewest and run.full_dependency > 0
    if not is_plain or not run.is_enough or run.stop_reason != "converged":
        return None
    for share in CHEAPER_SHARES:
        enough = share * run.full_dependency
        sizes = [point.size for point in run.front if point.dependency >= enough]
        if sizes and min(sizes) < len(run.selected):
            return share, min(sizes)
    return None
