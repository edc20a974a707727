"""Figures -> Markdown and CSV, the paper's beside ours."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from fuzzyfrog.experiment.config import Experiment
from fuzzyfrog.experiment.leak import leak_rows
from fuzzyfrog.experiment.paper_figures import PaperFigures
from fuzzyfrog.experiment.results import read_results
from fuzzyfrog.experiment.sheet import Rows, Sheet, markdown

__all__ = ["write_tables"]

LEAK = (
    "Mean accuracy over the data sets that both protocols have, in percent: with features selected "
    "on all samples, with features selected inside every fold, and the difference; then on how "
    "many data sets the first is higher and lower."
)


def write_tables(
    experiment: Experiment, cells: Path, out: Path, panels: Mapping[str, Sequence[str]]
) -> list[Path]:
    """Write the tables of every panel and protocol, as far as cells were computed.

    Parameters
    ----------
    experiment : Experiment
        What was asked.
    cells : Path
        The file of cells.
    out : Path
        Folder for the tables.
    panels : mapping of str to sequence of str
        The classifiers of each panel.

    Returns
    -------
    list of Path
        The files.
    """
    paper = PaperFigures.read(experiment.expected)
    written: list[Path] = []
    for panel, classifiers in panels.items():
        results = {
            protocol.name: read_results(experiment, cells, protocol, panel, classifiers)
            for protocol in experiment.protocols
        }
        for protocol in experiment.protocols:
            found = results[protocol.name]
            sheet = Sheet(experiment, protocol, panel, tuple(classifiers), found, paper)
            written += _sheet_files(sheet, out / f"{panel}-{protocol.name}")
        if len(results) == 2:
            rows = leak_rows(results["paper"], results["nested"], classifiers)
            title = f"# {experiment.title}: {panel}, what the leak is worth"
            page = "\n".join([title, "", LEAK, "", *markdown(rows), ""])
            written.append(_write(out / f"{panel}-leak.md", page))
    return written


def _sheet_files(sheet: Sheet, stem: Path) -> list[Path]:
    return [
        _write(stem.with_name(f"{stem.name}.md"), sheet.page()),
        _write_rows(stem.with_name(f"{stem.name}.csv"), sheet.summary()),
        _write_rows(stem.with_name(f"{stem.name}-classifiers.csv"), sheet.every_accuracy()),
    ]


def _write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def _write_rows(path: Path, rows: Rows) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
    return path
