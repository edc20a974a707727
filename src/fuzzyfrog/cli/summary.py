"""The result of a run as text: the features, how good they are, and whether that is proven."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from fuzzyfrog.cli.console import aligned, cut, fitted, safe, stdout
from fuzzyfrog.common.messages import count, told_apart
from fuzzyfrog.records.statements import (
    Verdict,
    advice,
    alike,
    are_equal,
    asked_percent,
    doubts,
    headline,
    is_useless,
    model_result,
    shortcut,
    size_reason,
    unchecked,
    verdict,
)

if TYPE_CHECKING:
    from rich.console import RenderableType

    from fuzzyfrog.records import Check, FeatureSet, Run, TableSummary

MAX_FEATURES = 40  # shown one by one
MAX_NAMES = 8  # shown in one line

STOPPED = {
    "converged": "finished",
    "max_evaluations": "stopped by --max-evaluations",
    "max_seconds": "stopped by --max-seconds",
    "interrupted": "interrupted",
    "memory": "out of memory",
}


def result_lines(run: Run) -> Iterator[RenderableType]:
    """Yield the lines that describe a run."""
    from rich.text import Text

    yield Text(size_of(run.data), "bold")
    yield ""
    if doubted := doubts(run):
        for sentence in doubted:
            yield Text(safe(sentence), "bold yellow")
        if (recommended := advice(run)) is not None:
            yield Text(safe(recommended), "bold")
        yield ""
    yield Text(_headline(run), _color(run))
    if (warning := unchecked(run)) is not None:
        yield Text(warning, "yellow")
    yield ""
    if not run.is_strict:
        yield from _steps(run)
        yield ""
        measured = _soft_facts(run) if run.is_soft else _own_facts(run)
        yield from facts([*_checked(run), *measured])
        return
    shares = [f"{run.feature_frequency[feature]:.0%}" for feature in run.selected]
    yield from shown_features(
        run.names(run.selected), shares if run.n_reducts > 1 else None, _share_of(run)
    )
    yield ""
    yield from facts([*_checked(run), *_facts(run)])


def _color(run: Run) -> str:
    """Return the style of the headline: green only if models confirm it, not for a proof."""
    if is_useless(run):
        return "bold yellow"
    is_confirmed = run.check is not None and bool(run.check.scores) and not doubts(run)
    return "bold green" if is_confirmed else "bold"


def size_of(data: TableSummary) -> str:
    """Return the size of a table in one line."""
    kind = "a numeric target" if data.target.is_numeric else f"{len(data.target.classes)} classes"
    features = count(data.n_features, "feature")
    return f"{safe(data.name)}: {data.n_samples:,} samples, {features}, {kind}"


def _share_of(run: Run) -> str:
    return "in equally good subsets" if are_equal(run) else "in such subsets"


def shown_features(
    names: Sequence[str], shares: Sequence[str] | None, title: str = ""
) -> Iterator[str]:
    """Yield a line for each feature, cut if the terminal is too narrow for its name."""
    taken = 2 if shares is None else 4 + len(title)
    shown = [fitted(name, stdout().width - taken) for name in names[:MAX_FEATURES]]
    if shares is None:
        yield from (f"  {name}" for name in shown)
    else:
        rows = [list(row) for row in zip(shown, shares[:MAX_FEATURES], strict=True)]
        yield from aligned([["feature", title], *rows], right={1})
    if len(names) > MAX_FEATURES:
        yield f"  and {len(names) - MAX_FEATURES:,} more; --json lists all of them"


def facts(pairs: Iterable[tuple[str, str]]) -> Iterator[RenderableType]:
    """Yield labeled sentences; on a terminal they are wrapped next to their labels."""
    from rich.table import Table
    from rich.text import Text

    if not stdout().is_terminal:
        yield from (f"{label:<10}  {sentence}" for label, sentence in pairs)
        return
    grid = Table.grid(padding=(0, 2, 0, 0))
    for label, sentence in pairs:
        grid.add_row(Text(label, "dim"), Text(sentence))
    yield grid


def named(names: Sequence[str]) -> str:
    """Return some names in one line."""
    most = len(names) if len(names) <= MAX_NAMES + 1 else MAX_NAMES  # never "and 1 more"
    shown = ", ".join(cut(safe(name), 40) for name in names[:most])
    return shown if len(names) == most else f"{shown} and {len(names) - most} more"


def _headline(run: Run) -> str:
    where = "" if run.sampling is None else f" on {run.sampling.n_sampled:,} random samples"
    if unchecked(run) is not None:
        return f"{headline(run)}{where}."  # a warning follows, and then the features
    return f"{headline(run)}{where}{'; selected:' if is_useless(run) else ':'}"


def _steps(run: Run) -> Iterator[str]:
    """Yield the selected features, in the order in which a greedy search added them."""
    is_path = set(run.added[: len(run.selected)]) == set(run.selected)
    if not is_path or not run.is_soft:
        yield from shown_features(run.names(run.selected), None)
        return
    accuracy = accuracy_name(run)
    sizes = {one.size: one for one in run.front}
    head = ["feature added", "soft dependency", accuracy]
    room = stdout().width - sum(2 + len(title) for title in head[1:]) - 2
    rows = []
    for size, name in enumerate(run.names(run.added[: len(run.selected)][:MAX_FEATURES]), start=1):
        step = sizes.get(size)
        rows.append([fitted(name, room), *(_step(step) if step else ("", ""))])
    yield from aligned([head, *rows], right={1, 2})
    if len(run.selected) > MAX_FEATURES:
        yield f"  and {len(run.selected) - MAX_FEATURES:,} more; --json lists all of them"


def _step(step: FeatureSet) -> tuple[str, str]:
    accuracy = "" if step.accuracy is None else f"{step.accuracy:.3f}"
    return f"{step.dependency:.3f}", accuracy


def accuracy_name(run: Run) -> str:
    """Return what the accuracy of a path is called: R² for numbers."""
    return "R² of neighbors" if run.data.target.is_numeric else "neighbors right"


def _soft_facts(run: Run) -> Iterator[tuple[str, str]]:
    chance = 0.0 if run.chance is None else run.chance
    yield (
        "soft",
        f"dependency {run.dependency:.4f}; all features {run.full_dependency:.4f}, "
        f"chance {chance:.4f}",
    )
    if run.chosen_accuracy is not None:
        yield "neighbors", _by_neighbors(run, run.chosen_accuracy)
    if run.estimate is not None:
        yield "measured", run.estimate
    yield "size", f"{len(run.selected)}, {size_reason(run)}"
    yield from _alikes(run)
    if fewer := _fewer(run):
        yield "fewer", f"soft dependency with {fewer}"
    yield "search", _spent(run)


def _by_neighbors(run: Run, accuracy: float) -> str:
    if run.data.target.is_numeric:
        how = f"the mean target of the five nearest others predicts with R² {accuracy:.3f}"
    else:
        counts = [one.count for one in run.data.target.classes]
        most = max(counts) / sum(counts)
        how = (
            f"the five nearest others vote for the right class in {accuracy:.1%} of these samples "
            f"(always the most frequent class: {most:.1%})"
        )
    return f"{how}; features were chosen on them, so expect less on new ones"


def _own_facts(run: Run) -> Iterator[tuple[str, str]]:
    yield "score", f"{run.dependency:.6g}; all features {run.full_dependency:.6g}"
    yield "measure", safe(run.measure)
    yield "search", _spent(run)


def models_line(check: Check | None, result: str) -> str:
    """Return how well models do, in one line."""
    if check is None:
        return "not checked (--no-check)"
    end = ""
    if check.elbow is not None:
        size = check.elbow.average_size
        end = f"; at the elbow ({size}) {check.shown(check.elbow.score)}"
    if check.selected is not None:
        size = check.selected.average_size
        end = f"{end}; selected again in each of {check.folds} folds, {size}"
    return f"{result}{end}"


def _checked(run: Run) -> Iterator[tuple[str, str]]:
    yield "models", models_line(run.check, model_result(run))
    if run.check is not None and run.check.noise is not None:
        # A verdict only for the strict measure: others choose the size in another way.
        yield "noise", str(run.check.noise) if run.is_strict else run.check.noise.counted()
    for note in () if run.check is None else run.check.notes:
        yield "check", safe(note)


def _facts(run: Run) -> Iterator[tuple[str, str]]:
    yield "dependency", f"{run.dependency:.4f} of {run.full_dependency:.4f}{_missed(run)}"
    if run.estimate is not None:
        yield "measured", run.estimate
    yield "size", _proof(run)
    if run.full_dependency > 0:
        yield from _others(run)
        yield "core", _core(run)
    yield from _alikes(run)
    if fewer := _fewer(run):
        yield "fewer", f"best dependency with {fewer}"
    if cheaper := shortcut(run):
        share, size = cheaper
        noun = "feature is" if size == 1 else "features are"
        yield "trade-off", f"with --min-dependency {share:g}, {size} {noun} enough"
    yield "search", _spent(run)


def _alikes(run: Run) -> Iterator[tuple[str, str]]:
    """Yield which columns say the same, or nearly the same."""
    for label, groups, verb in (
        ("copies", run.copies, "says the same as"),
        ("correlated", run.correlated, "is correlated (0.98 or more) with"),
    ):
        for group in groups[:MAX_NAMES]:
            others = named(run.names(group.others))
            is_one = len(group.others) == 1
            verbs = verb if is_one else verb.replace("says", "say").replace("is ", "are ", 1)
            yield label, f"{others} {verbs} {named(run.names((group.feature,)))}"
        if len(groups) > MAX_NAMES:
            yield label, f"and {len(groups) - MAX_NAMES:,} more groups; --json lists all of them"


def _missed(run: Run) -> str:
    """Return the required dependency if it was not reached, as a given size may prevent."""
    if run.is_enough or run.asks_for_all or not run.is_lexicographic:
        return ""
    return f", below the required {run.asked_share * run.full_dependency:.4f}"


def _spent(run: Run) -> str:
    ended = STOPPED.get(run.stop_reason, run.stop_reason)
    before = f" ({run.n_resumed:,} before resuming)" if run.n_resumed else ""
    spent = f"{run.n_evaluations:,} evaluations{before}, {run.seconds:.1f} s"
    return f"{safe(run.parameters.get('search'))}, {ended} after {spent}"


def _proof(run: Run) -> str:
    known = verdict(run)
    if known is Verdict.CERTIFIED:
        return str(run.certificate)
    best = "smallest" if run.is_lexicographic else "best"
    sayings = {
        Verdict.USELESS: "because at least one feature must be selected",
        Verdict.CORE: "proven for these samples: the core alone is enough, so no subset is smaller",
        Verdict.ESTIMATED: "not proven: a sample of the rows cannot prove it",
        Verdict.ASKED: "as requested; --certify tries to prove that no others are better",
        Verdict.ONE: "the fewest possible",
    }
    unproven = f"not proven to be the {best}; --certify tries to prove it"
    if run.asks_for_fewest and not run.is_enough and run.stop_reason != "converged":
        unproven = f"too few: {STOPPED.get(run.stop_reason, run.stop_reason)}"
    return f"{len(run.selected)}, {sayings.get(known, unproven)}"


def _others(run: Run) -> Iterator[tuple[str, str]]:
    """Yield how many other subsets are as good, unless the certificate says so."""
    are_all = run.certificate is not None and run.certificate.all_listed
    if not are_equal(run) and run.n_reducts > 1:
        yield "enough", f"{'' if are_all else 'found '}{run.n_reducts:,} {alike(run)}"
    elif not are_equal(run) and not are_all:
        yield "enough", f"found no other subset that keeps at least {asked_percent(run)}"
    elif run.certificate is None:
        yield "as good", _alike(run)


def _alike(run: Run) -> str:
    size = len(run.selected)
    if run.is_core_alone:
        return "no other subset of this size (by the same proof)"
    if run.n_reducts == 1:
        return f"found no other subset of size {size}"
    checked = sum(bool(reduct.minimal) for reduct in run.reducts)
    is_checked = checked == run.n_reducts and run.parameters.get("must_include") is None
    spare = "; every feature in them is needed" if is_checked else ""
    return f"found {run.n_reducts:,} subsets of size {size}{spare}"


def _core(run: Run) -> str:
    if run.core is None:
        return "not determined: the time limit was reached"
    if run.asks_for_all and run.asked_size is None:
        nothing, something = "every feature can be replaced by others", "cannot be replaced"
        if any(group.feature in run.core for group in run.copies):
            something += ", except by copies"
    else:
        goal = "match all features together" if run.asks_for_all else f"keep {asked_percent(run)}"
        nothing, something = f"no single feature is needed to {goal}", f"needed to {goal}"
    if not run.core:
        return f"none: {nothing}"
    return f"{named(run.names(run.core))}: {something}{_missing_core(run)}"


def _missing_core(run: Run) -> str:
    """Return which features of the core are not selected, as after a search that was cut short."""
    missing = sorted(set(run.core or ()) - set(run.selected))
    if not missing:
        return ""
    which = f"; {named(run.names(missing))} {'is' if len(missing) == 1 else 'are'} not selected"
    if run.asked_size is not None:
        were = "was" if run.asked_size == 1 else "were"
        return f"{which}, because {count(run.asked_size, 'feature')} {were} asked for"
    if run.stop_reason == "converged":
        return which
    return f"{which}, because the search was {STOPPED.get(run.stop_reason, 'cut short')}"


def _fewer(run: Run) -> str:
    """Return the best dependencies of smaller subsets, each better than those of fewer features."""
    best, points = -math.inf, []
    for point in run.front:
        if point.size < len(run.selected) and point.dependency > best:
            best = point.dependency
            points.append(point)
    return ", ".join(
        f"{one.size if place else count(one.size, 'feature')}: "
        f"{told_apart(one.dependency, run.dependency)}"
        for place, one in enumerate(points[-MAX_NAMES:])
    )
