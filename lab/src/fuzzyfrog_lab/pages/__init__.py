"""Write the pages, CSV files and figures of an experiment from its cells.

A page for each panel and protocol, the leak between the protocols, the settings, and an index. The
figures of a paper are shown in brackets if the config names a folder with them.
"""

import csv
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from statistics import fmean

from fuzzyfrog.common.files import Unwritten, written_whole
from fuzzyfrog_lab.cells import read_cells
from fuzzyfrog_lab.config import FIGURES_FOLDER, Experiment, figure_path
from fuzzyfrog_lab.pages.figure_files import write_figures
from fuzzyfrog_lab.pages.markdown import GAP, Rows, bracketed, linked, table
from fuzzyfrog_lab.pages.panel_page import PanelPage
from fuzzyfrog_lab.pages.settings_page import Shape, settings_page, shape_of
from fuzzyfrog_lab.pages.summary_page import leak_page, summary_page
from fuzzyfrog_lab.panel import METRICS, Metric
from fuzzyfrog_lab.published import PublishedFigures
from fuzzyfrog_lab.results import (
    Lineup,
    Lookup,
    Results,
    SelectorResult,
    common_classifiers,
    failure_lines,
    lineups_of,
    read_results,
)

__all__ = ["INDEX_FILE", "SETTINGS_FILE", "PageData", "index_page", "write_pages", "write_text"]

INDEX_FILE = "index.md"
SETTINGS_FILE = "settings.md"
# The pages to list first.
FIRST = {SETTINGS_FILE: "versions, dates, data sets, selectors with all parameters"}
FIGURES = {
    "accuracy": "{plural}",
    "ranks": "ranks with the critical difference",
    "sizes": "numbers of features",
    "seconds": "times",
}
CELLS = (
    "All of it is computed from the cells, one JSON object a line, in `cells.jsonl` or, packed, in "
    "`cells.jsonl.gz`."
)
PERCENT = (
    "A percentage is the share of the cells that are there; `fuzzyfrog-lab reproduce` computes the "
    "rest."
)
HEAD = ["data", "selector", "size", "dependency", "mean", "std", "best", "over_seeds",
        "classifiers", "evaluations", "seconds", "paper_size", "paper_mean", "paper_std",
        "paper_best", "paper_seconds"]  # fmt: skip
PUBLISHED_TABLES = ("sizes", "accuracy_mean", "accuracy_std", "accuracy_best", "seconds")
Place = tuple[str, str]  # panel and protocol


@dataclass(frozen=True, eq=False)
class PageData:
    """Everything that the pages of an experiment show."""

    experiment: Experiment
    lookup: Lookup
    panels: Mapping[str, Sequence[str]]  # classifiers by panel
    results: Mapping[Place, Results]
    published: PublishedFigures
    shapes: Mapping[str, Shape]  # of the data sets that can be read or have cells
    panel_keys: Mapping[str, str] = field(default_factory=dict)  # names in the keys of cells

    @classmethod
    def read(
        cls,
        experiment: Experiment,
        cells: Path,
        panels: Mapping[str, Sequence[str]],
        *,
        data: str | os.PathLike[str] | None = None,
        tables: Mapping[str, str] | None = None,
        panel_keys: Mapping[str, str] | None = None,
    ) -> "PageData":
        """Read the cells; only those of `tables`, digests of data sets, count if it is given."""
        lookup, keys = Lookup(read_cells(cells), tables), panel_keys or {}
        results = {
            (panel, protocol.name): read_results(
                experiment, lookup, protocol, keys.get(panel, panel), classifiers
            )
            for panel, classifiers in panels.items()
            for protocol in experiment.protocols
        }
        shapes = {
            one.name: shape
            for one in experiment.data
            if (shape := shape_of(one, lookup, data)) is not None
        }
        published = PublishedFigures.read(experiment.expected)
        return cls(experiment, lookup, panels, results, published, shapes, keys)

    @cached_property
    def lineups(self) -> dict[Place, list[Lineup]]:
        """The lineups by panel and protocol."""
        return {
            place: lineups_of(self.experiment, results, self.panels[place[0]])
            for place, results in self.results.items()
        }


def write_pages(found: PageData, out: Path, *, figures: bool = True) -> list[Path]:
    """Write all files and return their paths, the index first; the same cells give the same bytes.

    A file that cannot be written costs no other: it is named in an UnwrittenError, at the end.
    """
    unwritten = Unwritten()
    drawn = frozenset[str]()
    if figures:
        drawn = write_figures(found.lineups, found.published, out, unwritten)
    texts = {**_panel_files(found, drawn), **_leak_files(found)}
    texts[SETTINGS_FILE] = settings_page(
        found.experiment, found.shapes, found.published, found.lookup
    )
    files = [*texts, *sorted(drawn)]
    texts[INDEX_FILE] = index_page(found, files)
    for name, text in texts.items():
        with unwritten.noted(out / name):
            write_text(out / name, text)
    unwritten.check()
    return [out / name for name in (INDEX_FILE, *files)]


def write_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    with written_whole(path) as file:
        file.write_text(text, encoding="utf-8", newline="\n")


def _panel_files(found: PageData, drawn: frozenset[str]) -> dict[str, str]:
    """Return a page and two CSV files for each panel and protocol."""
    experiment, texts = found.experiment, {}
    for panel, classifiers in found.panels.items():
        for protocol in experiment.protocols:
            place = (panel, protocol.name)
            results = found.results[place]
            page = PanelPage(
                experiment, protocol, panel, results, found.lineups[place], found.published,
                failures=failure_lines(
                    experiment, found.lookup, protocol, found.panel_keys.get(panel, panel)
                ), figures=drawn,
            )  # fmt: skip
            stem = f"{panel}-{protocol.name}"
            texts[f"{stem}.md"] = page.text()
            if experiment.groups:
                texts[f"{stem}-summary.md"] = summary_page(
                    experiment, protocol, panel, found.lineups[place]
                )
            summary = _summary_rows(experiment, results, classifiers, found.published)
            texts[f"{stem}.csv"] = _csv(summary)
            texts[f"{stem}-{METRICS[experiment.metric].models}.csv"] = _csv(
                _accuracy_rows(results, METRICS[experiment.metric])
            )
    return texts


def _leak_files(found: PageData) -> dict[str, str]:
    """Return a page about the leak for each panel, if the config has both protocols."""
    if {one.name for one in found.experiment.protocols} != {"paper", "nested"}:
        return {}
    return {
        f"{panel}-leak.md": leak_page(
            found.experiment,
            panel,
            found.results[panel, "paper"],
            found.results[panel, "nested"],
            classifiers,
        )
        for panel, classifiers in found.panels.items()
    }


def _csv(rows: Iterable[Sequence[str]]) -> str:
    content = io.StringIO()
    csv.writer(content, lineterminator="\n").writerows(rows)
    return content.getvalue()


def _summary_rows(
    experiment: Experiment,
    results: Results,
    classifiers: Sequence[str],
    published: PublishedFigures,
) -> Rows:
    """Return a row for each data set and selector, with a header.

    The accuracies of a data set are over the classifiers shared by all its selectors.
    """
    models = METRICS[experiment.metric].models
    rows = [[models if name == "classifiers" else name for name in HEAD]]
    for data, entries in results.items():
        common = common_classifiers(entries.values(), classifiers)
        for one in experiment.selectors:
            theirs = [published.get(name, data, one.paper) for name in PUBLISHED_TABLES]
            rows.append([data, one.name, *_summary(entries[one.name], common), *theirs])
    return rows


def _summary(entry: SelectorResult, classifiers: Sequence[str]) -> list[str]:
    figures = entry.figures(classifiers)
    percents = ["", "", "", ""]
    if figures:
        every = (figures.mean, figures.std, figures.best, figures.over_seeds)
        percents = [f"{value:.4f}" for value in every]
    return [
        f"{fmean(entry.sizes):.2f}" if entry.sizes else "",
        "" if entry.dependency is None else f"{entry.dependency:.6f}",
        *percents,
        str(len(classifiers) if figures else 0),
        "" if entry.evaluations is None else f"{entry.evaluations:g}",
        f"{entry.seconds:.4f}" if entry.sizes else "",
    ]


def _accuracy_rows(results: Results, metric: Metric) -> Rows:
    """Return a row for each data set, selector and classifier, with a header."""
    rows = [["data", "selector", metric.model, metric.title]]
    for data, entries in results.items():
        for name, entry in entries.items():
            rows += [
                [data, name, classifier, f"{accuracy:.4f}"]
                for classifier, accuracy in entry.accuracies.items()
            ]
    return rows


def index_page(
    found: PageData,
    files: Sequence[str],
    *,
    first: Mapping[str, str] = FIRST,
    section: Sequence[str] = (),
) -> str:
    """Return the first page: all other files, and which data sets are done.

    `files` are paths below the folder of the results, `first` describes those to list first, and
    `section` is put before the data sets.
    """
    lines = [f"# {found.experiment.title}: results", "", *_file_lines(found, files, first), ""]
    lines += [CELLS, ""]
    lines += [*section, "## Data sets", "", *table(_status_rows(found)), ""]
    is_complete = all(
        entry.n_missing == 0
        for results in found.results.values()
        for entries in results.values()
        for entry in entries.values()
    )
    return "\n".join([*lines, "Nothing is missing." if is_complete else PERCENT, ""])


def _file_lines(found: PageData, files: Sequence[str], first: Mapping[str, str]) -> list[str]:
    pages = [name for name in files if not name.startswith(f"{FIGURES_FOLDER}/")]
    rows: Rows = [["file", "what"]]
    ordered = sorted(pages, key=[*first, *pages].index)
    metric = METRICS[found.experiment.metric]
    rows += [[linked(name), first.get(name) or _description(name, metric)] for name in ordered]
    figures = _figure_rows(found, set(files) - set(pages))
    return [*table(rows), "", *table(figures)] if len(figures) > 1 else table(rows)


def _description(name: str, metric: Metric) -> str:
    if name.endswith("-summary.md"):
        return "a row for each selector, over all data sets and each group of them"
    if name.endswith("-leak.md"):
        return "what selecting on the test samples is worth"
    if name.endswith(f"-{metric.models}.csv"):
        return f"every {metric.title}"
    if name.endswith(".csv"):
        return "a row for each data set and selector"
    return f"sizes, {metric.plural}, wins, ranks, tests and times"


def _figure_rows(found: PageData, paths: set[str]) -> Rows:
    """Return a row for each kind of figure and a column for each lineup."""
    experiment = found.experiment
    places = [(), *((protocol.name,) for protocol in experiment.protocols), *found.results]
    rows: Rows = [["figures", *experiment.lineups]]
    for kind, description in FIGURES.items():
        for place in places:
            links = [figure_path(kind, one, *place) for one in experiment.lineups]
            if paths.intersection(links):
                cells = [f"[svg]({path})" if path in paths else GAP for path in links]
                told = description.format(plural=METRICS[experiment.metric].plural)
                rows.append([", ".join([told, *place]), *cells])
    return rows


def _status_rows(found: PageData) -> Rows:
    """Return a row for each data set: its size, and how far each panel and protocol is."""
    places = [f"{panel}, {protocol}" for panel, protocol in found.results]
    has_classes = METRICS[found.experiment.metric].models == "classifiers"
    rows = [["data", "samples", "features", *(["classes"] if has_classes else []), *places]]
    for name in (one.name for one in found.experiment.data):
        sizes = [GAP, GAP, *([GAP] if has_classes else [])]
        if shape := found.shapes.get(name):
            sizes = [
                bracketed(str(shape.n_samples), found.published.get("datasets", name, "samples")),
                bracketed(str(shape.n_features), found.published.get("datasets", name, "features")),
                *([str(shape.n_classes)] if has_classes else []),
            ]
        rows.append([name, *sizes, *(_status(one[name]) for one in found.results.values())])
    return rows


def _status(entries: Mapping[str, SelectorResult]) -> str:
    n_missing = sum(entry.n_missing for entry in entries.values())
    n_cells = sum(entry.n_cells for entry in entries.values())
    failed = ", some failed" if any(entry.errors for entry in entries.values()) else ""
    if n_missing == 0:
        return f"done{failed}"
    if n_missing == n_cells:
        return "missing"
    return f"{100 * (n_cells - n_missing) // n_cells} %{failed}"
