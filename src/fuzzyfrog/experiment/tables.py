"""Cells -> all pages, CSV files and figures of an experiment, the paper's figures beside ours."""

import csv
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from fuzzyfrog.experiment.cells import read_cells
from fuzzyfrog.experiment.config import Experiment, Protocol
from fuzzyfrog.experiment.figure_files import can_draw, write_figures
from fuzzyfrog.experiment.index_page import Index
from fuzzyfrog.experiment.leak import leak_rows
from fuzzyfrog.experiment.markdown import table
from fuzzyfrog.experiment.paper_figures import PaperFigures
from fuzzyfrog.experiment.result_rows import accuracy_rows, summary_rows
from fuzzyfrog.experiment.results import (
    Lineup,
    Lookup,
    Results,
    failure_lines,
    lineups_of,
    read_results,
)
from fuzzyfrog.experiment.settings_page import settings_page
from fuzzyfrog.experiment.shapes import shape_of
from fuzzyfrog.experiment.sheet import Sheet
from fuzzyfrog.experiment.verdict import Verdict
from fuzzyfrog.writing import written_whole

__all__ = ["INDEX_FILE", "write_tables"]

INDEX_FILE = "index.md"
LEAK = (
    "Mean accuracy over the data sets that both protocols have, in percent: with features selected "
    "on all samples, with features selected inside every fold; the mean difference, its standard "
    "error and the median; on how many data sets the first is higher and lower; Wilcoxon's "
    "signed-rank p. Both with the same seeds: {seeds}. So few seeds and data sets show a tendency "
    "at most: a mean that is not two standard errors away from 0 may well be chance, and the "
    "p-values are not adjusted for the number of selectors."
)
Place = tuple[str, str]  # panel and protocol


def write_tables(
    experiment: Experiment,
    cells: Path,
    out: Path,
    panels: Mapping[str, Sequence[str]],
    *,
    data: str | os.PathLike[str] | None = None,
    tables: Mapping[str, str] | None = None,
    figures: bool = True,
) -> list[Path]:
    """Write all pages of an experiment, as far as cells were computed; the same cells, same bytes.

    Parameters
    ----------
    experiment : Experiment
        What was asked.
    cells : Path
        The file of cells.
    out : Path
        Folder for the files.
    panels : mapping of str to sequence of str
        The classifiers of each panel.
    data : path-like or None
        Folder with the files of registered data sets.
    tables : mapping of str to str, optional
        Digests of the data sets that can be read; only their cells count then.
    figures : bool
        Whether to draw figures, if matplotlib is there.

    Returns
    -------
    list of Path
        The files, the index first.
    """
    lookup = Lookup(read_cells(cells), tables)
    results = {
        (panel, protocol.name): read_results(experiment, lookup, protocol, panel, classifiers)
        for panel, classifiers in panels.items()
        for protocol in experiment.protocols
    }
    paper = PaperFigures.read(experiment.expected)
    writer = _Writer(experiment, paper, lookup, panels, results, out)
    draws = figures and can_draw()
    drawn = write_figures(writer.lineups, writer.paper, out) if draws else frozenset()
    writer.sheets(drawn)
    writer.leaks()
    shapes = {
        one.name: shape for one in experiment.data if (shape := shape_of(one, data)) is not None
    }
    writer.text("settings.md", settings_page(experiment, shapes, writer.paper, lookup))
    if writer.paper.methods:
        verdict = Verdict(experiment, writer.paper, writer.lineups, results)
        writer.text("verdict.md", verdict.page())
    index = Index(experiment, writer.paper, shapes, results)
    files = [*writer.names, *sorted(drawn)]
    writer.text(INDEX_FILE, index.page(files, has_figures=draws or not figures))
    return [out / name for name in (INDEX_FILE, *files)]


@dataclass(eq=False)
class _Writer:
    """Writes files into a folder and remembers their names."""

    experiment: Experiment
    paper: PaperFigures
    lookup: Lookup
    panels: Mapping[str, Sequence[str]]
    results: Mapping[Place, Results]
    out: Path
    names: list[str] = field(default_factory=list)

    @cached_property
    def lineups(self) -> dict[Place, list[Lineup]]:
        """All lineups by panel and protocol."""
        return {
            place: lineups_of(self.experiment, results, self.panels[place[0]])
            for place, results in self.results.items()
        }

    def sheets(self, drawn: frozenset[str]) -> None:
        """Write a page and two CSV files for each panel and protocol."""
        for panel, classifiers in self.panels.items():
            for protocol in self.experiment.protocols:
                found = self.results[panel, protocol.name]
                stem = f"{panel}-{protocol.name}"
                self.text(f"{stem}.md", self._sheet(panel, protocol, drawn).page())
                summary = summary_rows(self.experiment, found, classifiers, self.paper)
                self.rows(f"{stem}.csv", summary)
                self.rows(f"{stem}-classifiers.csv", accuracy_rows(found))

    def _sheet(self, panel: str, protocol: Protocol, drawn: frozenset[str]) -> Sheet:
        place = (panel, protocol.name)
        return Sheet(
            self.experiment, protocol, panel, self.results[place], self.lineups[place], self.paper,
            failures=failure_lines(self.experiment, self.lookup, protocol, panel), figures=drawn,
        )  # fmt: skip

    def leaks(self) -> None:
        """Write what the leak is worth, if both protocols were asked for."""
        seeds = {one.name: one.seeds for one in self.experiment.protocols}
        if set(seeds) != {"paper", "nested"}:
            return
        shared = [str(seed) for seed in seeds["paper"] if seed in seeds["nested"]]
        told = LEAK.format(seeds=", ".join(shared) or "there are none")
        for panel, classifiers in self.panels.items():
            both = [self.results[panel, name] for name in ("paper", "nested")]
            title = f"# {self.experiment.title}: {panel}, what the leak is worth"
            lines = table(leak_rows(both[0], both[1], classifiers))
            self.text(f"{panel}-leak.md", "\n".join([title, "", told, "", *lines, ""]))

    def text(self, name: str, content: str) -> None:
        """Write a text file."""
        with written_whole(self.out / name) as path:
            path.write_text(content, encoding="utf-8", newline="\n")
        if name != INDEX_FILE:
            self.names.append(name)

    def rows(self, name: str, rows: Iterable[Sequence[str]]) -> None:
        """Write a CSV file."""
        content = io.StringIO()
        csv.writer(content, lineterminator="\n").writerows(rows)
        self.text(name, content.getvalue())
