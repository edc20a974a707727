"""A result -> words, and the content that needs places -> one HTML file that needs nothing else."""

import base64
import hashlib
import json
import os
import re
from functools import cache
from importlib.resources import files
from itertools import accumulate
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from fuzzyfrog.common.messages import capitalized, count
from fuzzyfrog.report.features import LONGEST_NAME, features, named_pair
from fuzzyfrog.report.plot_data import TICKS, across, core, course, forks, front, leaves, models
from fuzzyfrog.report.text import LONG, MAX_CHARACTERS, SHORT, cell, room, seen, short, visible
from fuzzyfrog.result import AmbiguousSample, Result, Subset
from fuzzyfrog.result.parts import ALIKE, leaks_in_words
from fuzzyfrog.result.result import Parameter, write_text
from fuzzyfrog.words import Words, words_of
from fuzzyfrog.words.columns import (
    MARK_NAMES,
    columns_lead,
    columns_order,
    columns_table,
    exchange_sentences,
    exchanges_of,
    tree_lead,
    tree_title,
)

MAX_CHIPS = 60  # features that are named at the top
MAX_NOTES = 8  # warnings that are shown
MAX_MEMBERS = 150_000  # of all reducts together: about 800 kB of the page
MAX_EXPLORER_CHARACTERS = 60_000  # of the names of their features; some take six bytes a character
MAX_LISTED = 12  # reducts in the table for browsers that run no scripts
MAX_LISTED_CHARACTERS = 20_000  # of the names in it
MAX_VALUES = 30  # features of an ambiguous sample
MAX_CLASSES = 100
MAX_COLUMNS = 4_000  # in the table of all columns
MAX_EXCHANGED = 200  # of these that show what the answer would be with an exchange
MAX_EXCHANGED_CHIPS = 20  # features of such an answer that are named
FEWEST_FILTERED = 20  # columns for which a search field is worth its place
# What depends on the machine or on people, so that another run may end elsewhere.
ENDED_BY_TIME = {"max_seconds", "interrupted", "memory", "callback"}
SCRIPTS = ("page.js", "reducts.js")
OPTION = re.compile(r"(?<![\w-])--[a-z]+(?:-[a-z]+)*")


def write_report(result: Result, path: str | os.PathLike[str]) -> None:
    """Write the report of a result to a file; it appears complete or not at all.

    Parameters
    ----------
    result : Result
        The result.
    path : path
        File to write.
    """
    write_text(Path(path), render_report(result))


def render_report(result: Result) -> str:
    """Return the report of a result as one HTML page that needs no network.

    Parameters
    ----------
    result : Result
        The result.

    Returns
    -------
    str
        The page, with its style, its script and its data.
    """
    content = collect(result)
    script = "".join(_resource(name) for name in SCRIPTS)
    # The security policy of the page allows no script but this one.
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest())
    return _environment().get_template("report.html").render(
        content,
        style=Markup(_resource("report.css")),  # noqa: S704 - a file of this package
        script=Markup(script),  # noqa: S704 - files of this package
        script_hash=digest.decode(),
        data=_as_data(content["reducts"]["page"]),
    )  # fmt: skip


def summary_html(result: Result) -> str:
    """Return the short version of the report, for notebooks.

    Parameters
    ----------
    result : Result
        The result.

    Returns
    -------
    str
        A piece of HTML with its own style and without scripts.
    """
    return _environment().get_template("summary.html").render(_summary(words_of(result)))


def collect(result: Result) -> dict[str, Any]:
    """Return the content of the report, in its order; templates read the rest from the words."""
    words = words_of(result)
    return {
        **_summary(words),
        "title": short(result.table.name, SHORT) if result.table.is_named else None,
        "all_features": f"all {count(*words.offered())}",
        "check": check(words),
        "models": models(words),
        "front": front(words),
        "reducts": explorer(words),
        "core": core(words),
        "features": features(words),
        "columns": columns(words),
        "ambiguous": ambiguous(words),
        "course": course(words),
        "run": reproduction(words),
    }


def _summary(words: Words) -> dict[str, Any]:
    """Return the content of the short version."""
    table = words.result.table
    name = visible(table.name) if table.is_named else None
    return {"words": words, "result": words.result, "name": name, "answer": answer(words)}


def answer(words: Words) -> dict[str, Any]:
    """Return the opening of the report: the answer, and right below it what speaks against it."""
    result, doubts, headline = words.result, words.doubts(), words.headline()
    names = [one.name for one in result.table.features]
    leaks, *_ = leaks_in_words(result.suspected_leaks, names)  # a doubt says how they end
    said = tuple(filter(None, (*doubts, leaks)))
    notes = [note for note in result.notes if not note.startswith(said)]
    if result.estimate is not None and headline != words.verdict():  # models are not estimated
        headline += f", {result.estimate}"
    return {
        "headline": f"{headline}.",
        "doubts": doubts,
        "exchange": result.exchange and exchange_sentences(words, result.exchange),
        "chips": [
            {"name": short(name, LONG), "core": feature in (result.core or ())}
            for feature, name in zip(result.by_loss, result.names(result.by_loss), strict=True)
        ][:MAX_CHIPS],
        "n_more_chips": max(0, len(result.selected) - MAX_CHIPS),
        "notes": [_sentence(note) for note in notes[:MAX_NOTES]],
        "n_more_notes": max(0, len(notes) - MAX_NOTES),
    }


def _sentence(note: str) -> str:
    """Return a note as a sentence; a parameter at its start, as size_rule, stays as it is."""
    return visible(capitalized(note) if note.partition(" ")[0].isalpha() else note)


def check(words: Words) -> dict[str, Any]:
    """Return how well models do with the selected features, or why it is not known."""
    found, doubts = words.result.check, words.doubts()
    return {
        "sentence": f"{capitalized(words.models())}.",
        "taken": not words.result.exchange
        and found
        and found.taken
        and f"{found.taken_in_words()}.",
        "notes": [] if found is None else [one for one in found.notes if one not in doubts],
    }


def explorer(words: Words) -> dict[str, Any]:
    """Return the reducts, as positions in a list of the features that they have."""
    result = words.result
    kept = _affordable(result.reducts)
    used = sorted({feature for one in kept for feature in one.features})
    place = {feature: at for at, feature in enumerate(used)}
    most = room(len(used), MAX_EXPLORER_CHARACTERS, LONGEST_NAME)
    n_listed = sum(one.size for one in kept[:MAX_LISTED])
    most_listed = room(n_listed, MAX_LISTED_CHARACTERS, SHORT)
    return {
        "title": f"{result.n_reducts:,} {words.alike()}",
        "page": {
            "symbol": words.measured,
            "names": [short(name, most) for name in result.names(used)],
            "core": [place[feature] for feature in result.core or () if feature in place],
            "reducts": [[place[feature] for feature in one.features] for one in kept],
            "gammas": [words.number(one.dependency) for one in kept],
            "minimal": [bool(one.minimal) for one in kept],
            "chosen": next(
                (at for at, one in enumerate(kept) if one.features == result.selected), None
            ),
        },
        "listed": [
            {"number": at + 1,
             "names": [short(name, most_listed) for name in result.names(one.features)],
             "size": one.size, "gamma": words.number(one.dependency)}
            for at, one in enumerate(kept[:MAX_LISTED])
        ],
        "n_kept": len(kept),
        "n_left_out": result.n_reducts - len(kept),
    }  # fmt: skip


def _affordable(reducts: tuple[Subset, ...]) -> tuple[Subset, ...]:
    """Return the first reducts that fit into a page, one at least."""
    totals = accumulate(one.size for one in reducts)
    n_that_fit = sum(total <= MAX_MEMBERS for total in totals)
    return reducts[: max(1, n_that_fit)]


def columns(words: Words) -> dict[str, Any] | None:
    """Return every column with its role; None if there are none to know."""
    if not words.result.columns:
        return None
    (titles, rows), order = columns_table(words), columns_order(words)
    most = room(min(len(rows), MAX_COLUMNS), MAX_CHARACTERS, SHORT)
    return {
        "lead": columns_lead(words),
        "titles": [capitalized(title) for title in titles[2:-1]],
        "rows": [
            {"name": short(name, most), "role": role, "numbers": list(numbers), "at": at,
             "remark": short(remark, LONG) if remark else "",
             "exchanges": _exchanges(words, at) if place < MAX_EXCHANGED else []}
            for place, (at, (name, role, *numbers, remark)) in enumerate(
                zip(order[:MAX_COLUMNS], rows, strict=False)
            )
        ],
        "tree": tree(words),
        "has_filter": len(rows) > FEWEST_FILTERED,
        "n_hidden": max(0, len(rows) - MAX_COLUMNS),
    }  # fmt: skip


def _exchanges(words: Words, at: int) -> list[dict[str, Any]]:
    """Return the answers that there would be with an exchange of a column, from stored figures."""
    return [
        {"said": sentence, "more": max(0, len(after) - MAX_EXCHANGED_CHIPS),
         "chips": [{"name": short(name, SHORT), "new": one == new}
                   for one, name in zip(after, words.result.names(after), strict=True)
                   if one == new or after.index(one) < MAX_EXCHANGED_CHIPS]}
        for after, new, sentence in exchanges_of(words, at)
    ]  # fmt: skip


def tree(words: Words) -> dict[str, Any] | None:
    """Return the tree of the columns that matter most; None if there is none."""
    result, found = words.result, words.result.tree
    if found is None or len(found.leaves) < 2:
        return None
    rows = leaves(result, found)
    lines = (
        f"M{100 * one.starts[0]:.4g} {one.rows[0] + 0.5:g}H{100 * one.at:.4g}"
        f"V{one.rows[1] + 0.5:g}H{100 * one.starts[1]:.4g}"
        for one in forks(found)
    )
    marks = [mark for mark in MARK_NAMES if any(one.mark == mark for one in rows)]
    return {
        "title": tree_title(words, found),
        "lead": tree_lead(words, found),
        "lines": "".join(lines),
        "alike": round(100 * across(ALIKE), 2),
        "ticks": [{"at": round(100 * across(one), 2), "label": f"{one:g}"} for one in TICKS],
        "marks": [{"style": mark.replace(" ", "-"), "name": MARK_NAMES[mark]} for mark in marks],
        "rows": [
            {"name": short(one.name, SHORT), "style": one.mark.replace(" ", "-"),
             "size": round(one.size, 3), "at": one.feature, "n_alike": one.n_alike}
            for one in rows
        ],
    }  # fmt: skip


def ambiguous(words: Words) -> dict[str, Any] | None:
    """Return the samples that the selected features tell apart least; None if there are none."""
    result, said = words.result, words.ambiguous()
    if said is None or not result.n_ambiguous:
        return None
    n_listed, lead = len(result.ambiguous), said.lead
    if n_listed:
        counted = " Samples are counted from 0, the first row of data." * (result.rows is None)
        lead = f"{lead} {said.listed}{counted}"
    are_all = n_listed == result.n_ambiguous
    return {
        "lead": lead,
        "listed": "The list" if are_all else f"The {count(n_listed, *said.worst)}",
        "rows": [_sample(words, one) for one in result.ambiguous],
        "n_values_hidden": max(0, len(result.selected) - MAX_VALUES),
    }


def _sample(words: Words, one: AmbiguousSample) -> dict[str, Any]:
    result = words.result
    n_names = len(result.ambiguous) * min(len(result.selected), MAX_VALUES)
    most = room(n_names, MAX_CHARACTERS, SHORT)
    names = [short(name, most) for name in result.names(result.selected)]
    n_missing, n_values = sum(value is None for value in one.sample_values), len(one.sample_values)
    return {
        **named_pair(words, one),
        "missing": f"{n_missing} of {n_values} values missing" if n_missing else "",
        "membership": words.number(one.membership),
        "width": round(100 * one.membership, 2),
        "values": [
            {"name": name, "sample": cell(own), "other": cell(other), "same": own == other}
            for name, own, other in zip(names, one.sample_values, one.other_values, strict=True)
        ][:MAX_VALUES],
    }


def reproduction(words: Words) -> dict[str, Any]:
    """Return how the search ended, and everything needed to reproduce the result."""
    result, table, target = words.result, words.result.table, words.result.table.target
    span = f"{target.lowest:.6g} to {target.highest:.6g}" if target.lowest is not None else ""
    return {
        "facts": visible(f"{capitalized(words.spent())}."),
        "command": None if result.command is None else visible(result.command),
        "is_timed": result.stop_reason in ENDED_BY_TIME,
        "parameters": [
            {"name": visible(name), "value": visible(_as_typed(value))}
            for name, value in result.settings.items()
        ],
        "samples": count(table.n_samples, "sample"),
        "features": _kinds_of_features([feature.kind for feature in table.features]),
        "missing": count(table.n_missing, "missing value"),
        "target": visible(target.name),
        "span": span,
        "classes": [
            {"name": short(one.name, LONG), "count": f"{one.count:,}"}
            for one in target.classes[:MAX_CLASSES]
        ],
        "n_classes_hidden": max(0, len(target.classes) - MAX_CLASSES),
    }


def _as_typed(value: Parameter) -> str:
    """Return a value as Python writes it; records keep lists as such a text already."""
    return value if isinstance(value, str) and value.startswith("[") else repr(value)


def _kinds_of_features(kinds: list[str]) -> str:
    *first, last = (kind for kind in ("numeric", "categorical") if kind in kinds)
    numeric = "".join(f"{kinds.count(kind):,} {kind} and " for kind in first)
    return f"{numeric}{count(kinds.count(last), f'{last} feature')}"


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("fuzzyfrog.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_seen,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["options"] = _unbroken_options
    return environment


def _seen(value: Any) -> Any:
    """Return a value as a page shows it: of a text that is not HTML, every character."""
    return seen(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _unbroken_options(text: str) -> Markup:
    """Return a text whose lines do not break inside an option such as --min-dependency."""
    harmless = str(escape(seen(text)))  # not Markup, which would escape the span as well
    return Markup(OPTION.sub(r'<span class="option">\g<0></span>', harmless))  # noqa: S704


@cache
def _resource(name: str) -> str:
    return (files("fuzzyfrog.report") / "templates" / name).read_text(encoding="utf-8")


def _as_data(value: Any) -> Markup:
    """Return a value as JSON that cannot close the element around it."""
    text = json.dumps(value, separators=(",", ":"))  # ASCII: line separators are escaped too
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 - nothing is left that HTML would read
