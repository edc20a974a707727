"""What may be said of each column: its role, what it says alone and adds, why it is left out."""

from __future__ import annotations

from collections.abc import Iterator
from shlex import quote
from typing import TYPE_CHECKING

from fuzzyfrog.common.messages import both_told, count, line_of, named, percent, shown, told_apart
from fuzzyfrog.result import Alike, Check, Column, ColumnTree, Exchange, Result
from fuzzyfrog.result.check import Difference
from fuzzyfrog.result.parts import ROLES, UNSELECTED, Features

if TYPE_CHECKING:  # the words of each kind of answer use this module
    from fuzzyfrog.words.common import Words

RULES = {
    "excluded": "was excluded", "identifier": "looks like an ID", "date": "holds dates",
    "copy": "says the same as another column", "constant": "has a single value",
    "empty": "has no value",
}  # fmt: skip
LOWERS = 2.0  # standard errors by which a column clearly lowers or raises the score
UNREPLACED = "no column tried could take its place"
MARK_NAMES = {str(role): str(role) for role in ROLES} | {"noise": "unneeded, like noise alone"}


def columns_lead(words: Words) -> str:
    """Return what the table of all columns shows, in sentences."""
    halves = ""
    if words.result.stability is not None:
        halves = f" Halves: {words.result.stability.sentence()}."
    many = "" if words.result.n_reducts < 2 else " The share is that of the subsets that have it."
    check, roles = words.result.check, {one.role for one in words.result.columns}
    unneeded = ""
    if check is not None and check.loses and "unneeded" in roles:
        unneeded = " Unneeded columns add little by this measure, but models do worse without them."
    has_errors = any(one.error is not None for one in words.result.columns)
    error = ", with its standard error over the samples" if has_errors else ""
    return (
        f"Alone is {words.score} of the column by itself. Adds is how much higher that of the "
        f"selected columns is with it than without it{error}. A substitute could take the place of "
        f"a selected column; the change is in parentheses, a loss if negative.{unneeded}{many}"
        f"{halves}{''.join(f' {note}' for note in scored_in_part(words))}"
    )


def scored_in_part(words: Words) -> list[str]:
    """Return the notes on columns that were scored on other samples than the selected ones."""
    return [note for note in words.result.notes if note.startswith(UNSELECTED)]


def tree_title(words: Words, tree: ColumnTree) -> str:
    """Return how many columns the tree has, of how many that could be drawn."""
    result, n_drawn = words.result, len(tree.leaves)
    kinds = zip(result.columns, result.table.features, strict=False)
    n_numeric = sum(a.role != "left out" and b.kind == "numeric" for a, b in kinds)
    is_part = n_drawn < n_numeric and not result.has_groups  # which are never drawn
    start = f"The {n_drawn:,} that matter most of " if is_part else ""
    return (
        f"{start}{count(n_numeric if is_part else n_drawn, 'numeric column')} by their correlation"
    )


def tree_lead(words: Words, tree: ColumnTree) -> str:
    """Return how to read the tree of columns, and what it leaves out, in sentences."""
    n_alike = sum(tree.n_alike)
    n_labels = sum(one.kind == "categorical" for one in words.result.table.features)
    n_others = len(words.result.columns) - len(tree.leaves) - n_alike - n_labels
    said = (
        "Columns that join further to the right are more alike; right of 0.9, one could take the "
        "place of another. The larger a mark, the more the column says alone."
    )
    if n_alike:
        they = count(n_alike, "column that resembles", "columns that resemble")
        said += f" Plus signs count {they} one that is drawn (0.7 or more)."
    if n_labels:
        those = count(n_labels, "category is", "categories are")
        said += f" {those} not drawn: there is no correlation with labels."
    if n_others > 0:
        said += f" {count(n_others, 'other column is', 'other columns are')} not drawn."
    return said


def columns_table(words: Words) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return titles, and a row for each column, those that matter most first."""
    stability, has_share = words.result.stability, words.result.n_reducts > 1
    taken = {} if stability is None else {one.feature: one.share for one in stability.columns}
    more = [*(["share"] if has_share else []), *([] if stability is None else ["halves"])]
    titles = ("column", "role", "alone", "adds", *more, "")
    rows = []
    for at in columns_order(words):
        one = words.result.columns[at]
        share = [f"{words.result.answer.feature_frequency[at]:.0%}"] if has_share else []
        halves = [] if stability is None else [f"{taken.get(at, 0.0):.0%}"]
        numbers = alone(one), adds(one), *share, *halves
        rows.append((one.name, one.role, *numbers, remark(words, one)))
    return titles, rows


def columns_order(words: Words) -> list[int]:
    """Return the columns in the order of their table."""
    return sorted(range(len(words.result.columns)), key=lambda at: _place(words, at))


def exchanges_of(words: Words, at: int) -> Iterator[tuple[Features, int, str]]:
    """Yield other answers with, or without, a column: their columns, the new one, what changes."""
    result, one = words.result, words.result.columns[at]
    for other in one.replacements:
        old, new = (at, other.feature) if one.role == "selected" else (other.feature, at)
        found = Exchange(
            result.names((old,)), result.names((new,)), result.dependency, other.lost, other.error,
            result.chosen_accuracy, other.accuracy,
        )  # fmt: skip
        after = tuple(new if feature == old else feature for feature in result.by_loss)
        yield after, new, f"{_change(words, found)}."


def _place(words: Words, at: int) -> tuple[float, ...]:
    one = words.result.columns[at]
    matters = one.adds if one.role == "selected" else one.alone
    return ROLES.index(one.role), -(matters or 0.0), at


def alone(one: Column) -> str:
    """Return what a column says alone."""
    return "" if one.alone is None else f"{one.alone:.3f}"


def adds(one: Column) -> str:
    """Return what a column adds to the selected ones, with its standard error."""
    if one.adds is None:
        return ""
    return signed(one.adds) + ("" if one.error is None else f" ± {one.error:.4f}")


def remark(words: Words, one: Column) -> str:
    """Return why a column has its role, or what could replace it, without a final period."""
    result = words.result
    if one.role == "left out":
        return _why_left_out(words, one)
    if one.role == "substitute":
        cost = one.cost
        if cost is None:
            return f"for {named(result.names(one.of))}" if one.of else "in other subsets"
        others = [of for of in one.of if of != cost.feature]
        price = f"for {named(result.names((cost.feature,)))} ({signed(-cost.lost)})"
        return f"{price}; also for {named(result.names(others))}" if others else price
    if one.role == "selected":
        stability = result.stability
        said = [idle] if (idle := why_idle(words, one)) else []
        if stability is not None and one.name in stability.shaky:
            said.insert(0, "in fewer than half of the halves")
        if one.cost is not None:
            best = named(result.names((one.cost.feature,)))
            change = f"({signed(-one.cost.lost)})"
            higher = f"{best} in its place raises the dependency {change}"
            lower = f"could be replaced by {best} {change}"
            said.append(higher if _is_better(result, one) else lower)
        elif one.error is not None and one.is_measurable:  # a measure that tries exchanges
            said.append(UNREPLACED)
        return "; ".join(said)
    if one.role == "useful":
        asked = result.asked_size
        few = "" if asked is None else f", but the number asked for is {asked:,}"
        return f"would add to the selected{few}"
    if one.relevant is None:
        return ""
    return "relevant alone" if one.relevant else "not told apart from shuffled columns"


def _is_better(result: Result, one: Column) -> bool:
    """Whether the best column in the place of a selected one clearly scores higher."""
    cost = one.cost
    if one.role != "selected" or cost is None or cost.error is None:
        return False
    is_as_right = (cost.accuracy or 0.0) >= (result.chosen_accuracy or 0.0)
    return is_as_right and -cost.lost > LOWERS * cost.error


def why_idle(words: Words, one: Column) -> str:
    """Return why a selected column is there that adds nothing measurable, or lowers the score.

    Without a period; empty if it adds something, or nobody knows why it adds nothing.
    """
    result = words.result
    if one.is_measurable:
        return ""
    lowers = (one.adds or 0.0) < -LOWERS * (one.error or 0.0)
    said = f"lowers {words.score}" if lowers else "adds nothing measurable"
    unknown = said if lowers else ""
    if result.asked_size is not None:
        return f"{said}, but {count(result.asked_size, 'column')} were asked for"
    if repr(one.name) in str(result.settings.get("must_include")):
        return f"{said}, but was to be included"
    names = result.names(result.added)
    if one.name not in names:
        return unknown
    peak = max(result.front, key=lambda one: one.dependency)
    chosen = next((one for one in result.front if one.features == result.selected), peak)
    step, scores = names.index(one.name), {one.size: one.dependency for one in result.front}
    if step < peak.size:
        helped = scores.get(step + 1, 0.0) > scores.get(step, words.result.chance or 0.0)
        did = "raised it" if lowers else "did"
        return (
            f"{said} next to the others, but {did} before they were chosen" if helped else unknown
        )
    if not chosen.accuracy or not peak.accuracy or chosen.accuracy <= peak.accuracy:
        return unknown
    right = "predict better" if words.is_numeric else "are right more often"
    return (
        f"{said}, but neighbors {right} with {chosen.size:,} columns than with {peak.size:,} "
        f"({chosen.accuracy:.3f}, {peak.accuracy:.3f})"
    )


def _why_left_out(words: Words, one: Column) -> str:
    if one.rule == "excluded":
        return f"excluded, as {words.option('exclude', '--ignore')} asks"
    why = RULES[one.rule]
    if one.rule in ("constant", "empty"):
        return why
    if one.rule == "copy":
        why = f"says the same as {named(words.result.names(one.of))}"
    include = words.option(
        f"must_include=[{one.name!r}]", f"--include {quote(line_of([one.name]))}"
    )
    return f"{why}; {include} keeps it"


def exchange_sentences(words: Words, one: Exchange) -> str:
    """Return what an exchange of columns changed, in sentences."""
    said = f"{named(one.new)} in the place of {named(one.old)}: {_change(words, one)}."
    if words.result.exchange is one and words.result.check is not None:
        said += (
            " The check has these columns in every fold; they were chosen on all samples, so "
            "expect a little less on new ones."
        )
    return said


def let_in_sentences(one: Exchange) -> Iterator[str]:
    """Yield which columns of an exchange had been left out, and why."""
    for name, rule in one.let_in:
        why = f", because it {RULES[rule]}" if rule in RULES else ""
        yield f"{name} had been left out{why}. All columns now include it."


def models_exchanged(one: Exchange, check: Check | None) -> str | None:
    """Return how models do after an exchange and before it, without a period; None if unknown."""
    change = change_of_models(one, check)
    if change is None or check is None or check.selected is None or one.scores_before is None:
        return None
    ours, before = check.selected, one.scores_before
    everything = "" if check.all is None else f"; with all columns {check.all.best:.3f}"
    return (
        f"{named(one.new)} in the place of {named(one.old)}: {check.doubt_about(ours)}the best "
        f"model scores {ours.best:.3f} {check.metric}, before {before.best:.3f} (chance "
        f"{check.chance:.3f}): {change.in_words()}{everything}"
    )


def change_of_models(one: Exchange, check: Check | None) -> Difference | None:
    """Return the difference of models to those before; None if they are not comparable."""
    before = one.scores_before
    if check is None or check.selected is None or before is None or before.metric != check.metric:
        return None
    sizes = [(len(scores.folds), *map(len, scores.folds)) for scores in (check.selected, before)]
    return check.selected.minus(before) if sizes[0] == sizes[1] else None


def _change(words: Words, one: Exchange) -> str:
    """Return the figures before and after an exchange, without a final period."""
    now, error = one.before - one.lost, "" if one.error is None else f" ± {one.error:.4f}"
    said = (
        f"{words.score} is {told_apart(now, one.before)}, before {told_apart(one.before, now)} "
        f"({signed(-one.lost)}{error})"
    )
    if one.accuracy is None or one.accuracy_before is None:
        return said
    change = signed(one.accuracy - one.accuracy_before, 3)
    before = f"before {one.accuracy_before:.3f} ({change})"
    return f"{said}; {words.accuracy()} is {one.accuracy:.3f}, {before}"


def signed(value: float, digits: int = 4) -> str:
    """Return a difference with its sign, unless it is 0."""
    text = f"{value:+.{digits}f}"
    return text if float(text) else text[1:]


def substitutes_line(result: Result) -> str | None:
    """Return which columns could replace selected ones, without a period; None if there are none.

    The cheapest exchanges come first.
    """
    pairs = [
        (one.cost.lost, one.name, one.cost.feature, f" (dependency {signed(-one.cost.lost)})")
        for one in result.columns
        if one.role == "substitute" and one.cost is not None
    ] or [
        (0.0, name, group.feature, "")
        for group in result.substitutes
        for name in result.names(group.others)
    ]
    said = [f"{name} for {result.names((of,))[0]}{cost}" for _, name, of, cost in sorted(pairs)]
    better: dict[int, str] = {}  # where each gains most
    for one in sorted(result.columns, key=lambda one: 0.0 if one.cost is None else one.cost.lost):
        if one.cost is not None and _is_better(result, one):
            (new,), gained = result.names((one.cost.feature,)), signed(-one.cost.lost)
            better.setdefault(one.cost.feature, f"{new} for {one.name} (dependency {gained})")
    said = [one for one in said if one not in better.values()]
    return (
        "; ".join([*better.values(), *([named(said, longest=80, most=3)] if said else [])]) or None
    )


def why_not(words: Words, feature: int) -> list[str]:
    """Return sentences on why a feature is not selected, and what it would change."""
    result, reasons = words.result, []
    if feature in result.excluded:
        return [_left_out(words, feature)]
    for groups, verb in (
        (result.substitutes, "is redundant next to {}, which is selected, and could replace it"),
        (result.correlated, "orders the samples nearly as {} (a rank correlation of 0.98 or more)"),
    ):
        if (other := _relative(result, groups, feature)) is not None:
            reasons.append(f"It {verb.format(shown(result.names((other,))[0]))}.")
    told = _on_the_path(words, feature), _figures(words, feature), _in_others(words, feature)
    return [*reasons, *(sentence for some in told for sentence in some)]


def _left_out(words: Words, feature: int) -> str:
    """Return why a feature could not be selected."""
    result = words.result
    start = f"feature {shown(*result.names((feature,)))} "
    for note in result.notes:
        if note.startswith(start) and "left out" in note:  # others are about its cells
            return f"It {note.removeprefix(start)}"
    one = result.columns[feature] if result.columns else None
    if one is not None and one.rule not in ("", "excluded"):  # the note is about several
        return f"It {remark(words, one)}."
    return "It was excluded before the search."


def _relative(result: Result, groups: tuple[Alike, ...], feature: int) -> int | None:
    """Return the feature that a group puts next to another, one that is selected if there is."""
    for group in groups:
        members = {group.feature, *group.others}
        if feature in members:
            selected = sorted(members & set(result.selected))
            return selected[0] if selected else min(members - {feature})
    return None


def _on_the_path(words: Words, feature: int) -> Iterator[str]:
    """Yield what a feature changes where a greedy search adds it."""
    result = words.result
    if not result.added:
        return
    if feature not in result.added:
        yield f"At each step of the search, other features raised {words.score} more."
        return
    steps = {point.size: point for point in result.front}
    size = result.added.index(feature) + 1
    if size not in steps or size - 1 not in steps:
        return
    after, before = steps[size], steps[size - 1]
    low, high = both_told(before.dependency, after.dependency)
    place = f"number {size} in the order of the search"
    yield f"It is {place}, where {words.score} goes from {low} to {high}."
    if before.accuracy is not None and after.accuracy is not None:
        low, high = both_told(before.accuracy, after.accuracy)
        what = "R²" if words.is_numeric else f"{'balanced ' * words.is_by_class}accuracy"
        yield f"There, the {what} of the five nearest neighbors goes from {low} to {high}."


def _figures(words: Words, feature: int) -> Iterator[str]:
    """Yield what a feature would add to the selected ones, and what it could replace."""
    one = words.result.columns[feature] if words.result.columns else None
    if one is None or one.adds is None:
        return
    change = f"changes {words.score} by"
    yield f"Next to the selected ones, it {change} {adds(one)}; alone, it has {alone(one)}."
    if one.role == "substitute" and one.cost is not None:
        (other,) = words.result.names((one.cost.feature,))
        yield f"In the place of {shown(other)}, it {change} {signed(-one.cost.lost)}."
    yield from scored_in_part(words)


def _in_others(words: Words, feature: int) -> Iterator[str]:
    """Yield how many of the equally good subsets have a feature."""
    result = words.result
    if result.n_reducts < 2:
        return
    share = result.answer.feature_frequency[feature]
    subsets = f"the {count(result.n_reducts, 'subset')} found that are as good"
    yield f"It is in {percent(share)} of {subsets}." if share else f"None of {subsets} has it."
