"""The record of a run -> a plain dict -> one HTML file that needs nothing else."""

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

from fuzzyfrog.records import Run
from fuzzyfrog.records.run import write_text
from fuzzyfrog.records.statements import alike, offered
from fuzzyfrog.report.features import features
from fuzzyfrog.report.other_measures import path
from fuzzyfrog.report.plot_data import course, frequency, front, models
from fuzzyfrog.report.sections import (
    ambiguous,
    answer,
    check,
    explorer,
    reproduction,
    search,
)
from fuzzyfrog.report.text import all_seen, count, short, visible

__all__ = ["render_report", "summary_html", "write_report"]

LONGEST_TITLE = 80
SCRIPTS = ("page.js", "reducts.js")
OPTION = re.compile(r"(?<![\w-])--[a-z]+(?:-[a-z]+)*")


def write_report(run: Run, path: str | os.PathLike[str]) -> None:
    """Write the report of a run to a file; it appears complete or not at all.

    Parameters
    ----------
    run : Run
        The record of the run.
    path : path
        File to write.
    """
    write_text(Path(path), render_report(run))


def render_report(run: Run) -> str:
    """Return the report of a run as one HTML page that needs no network.

    Parameters
    ----------
    run : Run
        The record of the run.

    Returns
    -------
    str
        The page, with its style, its script and its data.
    """
    content = collect(run)
    script = "".join(_resource(name) for name in SCRIPTS)
    return _environment().get_template("report.html").render(
        content,
        style=Markup(_resource("report.css")),  # noqa: S704 - a file of this package
        script=Markup(script),  # noqa: S704 - files of this package
        script_hash=_hash(script),
        data=_as_data(content["reducts"]["page"]),
    )  # fmt: skip


def summary_html(run: Run) -> str:
    """Return the short version of the report, for notebooks.

    Parameters
    ----------
    run : Run
        The record of the run.

    Returns
    -------
    str
        A piece of HTML with its own style and without scripts.
    """
    return _environment().get_template("summary.html").render(collect_summary(run))


def collect(run: Run) -> dict[str, Any]:
    """Return the content of the report, in its order."""
    content = {
        "title": short(run.data.name, LONGEST_TITLE) if run.data.is_named else None,
        "version": visible(run.versions.fuzzyfrog),
        "is_numeric": run.data.target.is_numeric,
        "all_features": f"all {count(*offered(run))}",
        "n_reducts": run.n_reducts,
        "alike": alike(run),
        "is_strict": run.is_strict,
        "symbol": run.symbol,
        "has_samples": run.is_strict or run.is_soft,
        "check": check(run),
        "models": models(run),
        "front": front(run) if run.is_strict else path(run),
        "reducts": explorer(run),
        "frequency": frequency(run),
        "features": features(run),
        "ambiguous": ambiguous(run),
        "course": course(run),
        "search": search(run),
        "reproduce": reproduction(run),
    }
    return {**collect_summary(run), **all_seen(content)}


def collect_summary(run: Run) -> dict[str, Any]:
    """Return the content of the short version."""
    content: dict[str, Any] = all_seen(
        {
            "name": visible(run.data.name) if run.data.is_named else None,
            "answer": answer(run),
        }
    )
    return content


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("fuzzyfrog.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["options"] = _unbroken_options
    return environment


def _unbroken_options(text: str) -> Markup:
    """Return a text whose lines do not break inside an option such as --min-dependency."""
    harmless = str(escape(text))  # not Markup, which would escape the span as well
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
