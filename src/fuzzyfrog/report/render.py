"""A result -> words, and the content that needs places -> one HTML file that needs nothing else."""

import base64
import hashlib
import json
import os
import re
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from fuzzyfrog.common.messages import count
from fuzzyfrog.report.features import features
from fuzzyfrog.report.plot_data import core, course, front, models
from fuzzyfrog.report.sections import ambiguous, answer, check, columns, explorer, reproduction
from fuzzyfrog.report.text import SHORT, seen, short, visible
from fuzzyfrog.result import Result
from fuzzyfrog.result.result import write_text
from fuzzyfrog.words import Words, words_of

__all__ = ["render_report", "summary_html", "write_report"]

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
    return _environment().get_template("report.html").render(
        content,
        style=Markup(_resource("report.css")),  # noqa: S704 - a file of this package
        script=Markup(script),  # noqa: S704 - files of this package
        script_hash=_hash(script),
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


def _hash(script: str) -> str:
    """Return the hash by which the security policy of the page allows its one script."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _as_data(value: Any) -> Markup:
    """Return a value as JSON that cannot close the element around it."""
    text = json.dumps(value, separators=(",", ":"))  # ASCII: line separators are escaped too
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 - nothing is left that HTML would read
