"""``fuzzyfrog explain``: why a feature is selected."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from fuzzyfrog.cli import options
from fuzzyfrog.cli.console import aligned, fitted, safe, stdout, tell, write_found
from fuzzyfrog.cli.errors import UsageError
from fuzzyfrog.cli.inputs import SavedRun, loaded_run
from fuzzyfrog.common.messages import shown, suggested

if TYPE_CHECKING:
    from fuzzyfrog.result import Cell, Explanation, Result
    from fuzzyfrog.words import Words

ROOM = 40  # columns of a terminal for the name of a feature in a sentence


def explain(
    run: SavedRun,
    feature: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="The feature to explain, selected or not (default: an overview)."
        ),
    ] = None,
    limit: Annotated[
        int,
        typer.Option(metavar="N", help="Print at most N pairs (a run has 8 for each feature)."),
    ] = 8,
    as_json: options.Json = False,
) -> None:
    """Explain why a feature is selected, or why it is not.

    A feature is needed where samples would be harder to tell apart without it.
    """
    if limit < 0:
        raise UsageError(f"--limit must be at least 0, got {limit}.")
    loaded = loaded_run(run)
    place = None if feature is None else loaded.place_of(feature)
    if place is not None and place not in loaded.selected:
        _say_why_not(loaded, place, as_json=as_json)
        return
    if loaded.has_groups and feature is None:
        sentence = "Features are not explained where columns form groups."
        if as_json:
            tell(sentence)
        write_found([], [sentence], as_json=as_json)
        return
    if not loaded.is_explained:
        way_out = "without --feature-group" if loaded.has_groups else "with more time"
        raise UsageError(
            f"{run} must be a run with explanations, got one without them, because "
            f"{loaded.why_unexplained}. Run it again {way_out}."
        )
    if feature is not None and place is None:
        names = loaded.names(range(loaded.table.n_features))
        raise UsageError(
            "--feature must be the name or the index of a feature of the run, got "
            f"{shown(feature)}. {suggested(feature, names)}"
        )
    from msgspec.structs import replace

    from fuzzyfrog.words import words_of

    chosen = loaded.explanations if feature is None else (loaded.explanation_of(feature),)
    explanations = [replace(one, examples=one.examples[:limit]) for one in chosen]
    words = words_of(loaded)
    lines = _overview(words) if feature is None else _lines(words, explanations[0])
    write_found(explanations, lines, as_json=as_json)


def _say_why_not(result: Result, feature: int, *, as_json: bool) -> None:
    from fuzzyfrog.words import words_of
    from fuzzyfrog.words.columns import why_not

    (name,), words = result.names((feature,)), words_of(result)
    reasons = why_not(words, feature)
    document = {"feature": feature, "name": name, "why_not": reasons}
    meant = _meant(words) if words.score in " ".join(reasons) else ()
    lines = f"{fitted(name, ROOM)} is not selected.", *map(safe, reasons), *meant
    write_found(document, lines, as_json=as_json)


def _overview(words: Words) -> Iterator[str]:
    """Yield one line for each feature, the most important one first."""
    result, examples = words.result, words.examples()
    n_selected, name = len(result.selected), safe(result.table.name)
    each = "the only" if n_selected == 1 else f"each of the {n_selected:,}"
    yield f"Change without {each} selected feature{'s' * (n_selected > 1)} of {name}:"
    head = ["feature", words.measured, *(["samples affected"] if examples else [])]
    room = stdout().width - sum(2 + len(title) for title in head[1:]) - 2
    explanations = sorted(result.explanations, key=lambda one: -one.lost)
    rows = [
        [fitted(one.name, room), f"{-one.lost:+.4f}", f"{one.n_affected:,}"][: len(head)]
        for one in explanations
    ]
    yield from aligned([head, *rows], right={1, 2})
    yield ""
    yield from _meant(words)
    for one in explanations:
        if remark := _remark(words, one):
            yield f"{fitted(one.name, ROOM)} {remark}."
    if examples is not None:
        yield ""
        yield f"Next: --feature NAME shows the samples that {examples.only}"


def _meant(words: Words) -> Iterator[str]:
    """Yield what the score is."""
    if meaning := words.meaning():
        yield f"{meaning}."


def _remark(words: Words, one: Explanation) -> str:
    """Return why a feature that adds nothing measurable is selected, without a period."""
    from fuzzyfrog.words.columns import why_idle

    column = next((column for column in words.result.columns if column.name == one.name), None)
    return "" if column is None else why_idle(words, column)


def _lines(words: Words, one: Explanation) -> Iterator[str]:
    """Yield what is lost without a feature, and which samples need it."""
    yield one.change(fitted(one.name, ROOM), words.measured)
    if leak := words.leak_of(one.feature):
        yield safe(leak)
    if remark := _remark(words, one):
        yield f"It {remark}."
    examples = words.examples()
    if not one.examples or examples is None:
        yield from _meant(words)
        return
    yield f"{examples.lead}: {one.n_affected:,}. The most affected:"
    yield ""
    kind = "target" if words.is_numeric else "class"
    head = ["sample", kind, "value", examples.other, kind, "value", examples.value, "without it"]
    rows = [
        [
            fitted(words.result.row_name(example.sample), 0), fitted(example.sample_target, 0),
            _cell(example.sample_value),
            fitted(words.result.row_name(example.other), 0), fitted(example.other_target, 0),
            _cell(example.other_value),
            f"{example.before:.4f}", f"{example.after:.4f}",
        ]
        for example in one.examples
    ]  # fmt: skip
    yield from aligned([head, *rows], right={0, 2, 3, 5, 6, 7})
    yield ""
    yield f"{words.named_by()} {examples.explained}"
    yield from _meant(words)


def _cell(value: Cell) -> str:
    if value is None:
        return "missing"
    return f"{value:g}" if isinstance(value, float) else fitted(value, 0)
