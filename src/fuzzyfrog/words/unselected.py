"""Why a feature is not selected: left out, replaced by another, or needed less than others."""

from collections.abc import Iterator

from fuzzyfrog.common.messages import count, percent, shown
from fuzzyfrog.result import Alike, Result
from fuzzyfrog.words.columns import adds, alone, remark, scored_in_part, signed
from fuzzyfrog.words.common import Words
from fuzzyfrog.words.text import both_told


def why_not(words: Words, feature: int) -> list[str]:
    """Return sentences on why a feature is not selected, and what it would change."""
    result = words.result
    reasons = list(_left_out(words, feature))
    if feature in result.excluded:
        return reasons
    for groups, verb in (
        (result.substitutes, "is redundant next to {}, which is selected, and could replace it"),
        (result.correlated, "orders the samples nearly as {} (a rank correlation of 0.98 or more)"),
    ):
        if (other := _relative(result, groups, feature)) is not None:
            reasons.append(f"It {verb.format(shown(result.names((other,))[0]))}.")
    told = _on_the_path(words, feature), _figures(words, feature), _in_others(words, feature)
    return [*reasons, *(sentence for some in told for sentence in some)]


def _left_out(words: Words, feature: int) -> Iterator[str]:
    """Yield why a feature could not be selected."""
    result = words.result
    (name,) = result.names((feature,))
    if feature not in result.excluded:
        return
    start = f"feature {shown(name)} "
    notes = [note.removeprefix(start) for note in result.notes if note.startswith(start)]
    one = result.columns[feature] if result.columns else None
    if notes:
        yield f"It {notes[0]}"
    elif one is not None and one.rule not in ("", "excluded"):  # the note is about several
        yield f"It {remark(words, one)}."
    else:
        yield "It was excluded before the search."


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
    after, before = steps.get(size), steps.get(size - 1)
    if after is None or before is None:
        return
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
    yield (
        f"Next to the selected ones, it changes {words.score} by {adds(one)}; alone, it has "
        f"{alone(one)}."
    )
    if one.role == "substitute" and one.cost is not None:
        (other,) = words.result.names((one.cost.feature,))
        change = signed(-one.cost.lost)
        yield f"In the place of {shown(other)}, it changes {words.score} by {change}."
    yield from scored_in_part(words)


def _in_others(words: Words, feature: int) -> Iterator[str]:
    """Yield how many of the equally good subsets have a feature."""
    result = words.result
    if result.n_reducts < 2:
        return
    share = result.answer.feature_frequency[feature]
    subsets = f"the {count(result.n_reducts, 'subset')} found that are as good"
    yield f"It is in {percent(share)} of {subsets}." if share else f"None of {subsets} has it."
