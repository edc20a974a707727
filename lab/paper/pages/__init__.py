"""Write the pages of the paper's experiment: the generic ones, and what only the paper needs.

The verdict on its claims, its settings of the searches, and where each of its tables is.
"""

from pathlib import Path

from fuzzyfrog_lab.pages import (
    INDEX_FILE,
    SETTINGS_FILE,
    PageData,
    index_page,
    write_pages,
    write_text,
)
from paper.pages.settings import settings_lines
from paper.pages.verdict import Verdict

__all__ = ["VERDICT_FILE", "write_paper_pages"]

VERDICT_FILE = "verdict.md"
FIRST = {
    VERDICT_FILE: "which claims of the paper hold, by our figures",
    SETTINGS_FILE: "versions, dates, data sets, selectors with all parameters, numbers of frogs",
}
COUNTERPARTS = """\
## Tables and figures of the paper

| in the paper | here |
|---|---|
| data set characteristics | settings.md, "Data sets"; and below |
| parameters of GA, PSO, SFLA and B-SFLA (five tables) | settings.md, "Selectors" and "Frogs" |
| number of selected features | "Number of features" in every page; figures/sizes-*.svg |
| accuracies: mean, deviation, best | "Accuracy", "Best classifier"; figures/accuracy-*.svg |
| number of wins | "Wins and ranks" |
| average rankings (Friedman) | "Wins and ranks"; figures/ranks-*.svg |
| post-hoc comparison (Li) | "Post-hoc tests" |
| computation time | "Seconds" and "Evaluations of a selection"; figures/seconds-*.svg |
"""


def write_paper_pages(found: PageData, out: Path) -> list[Path]:
    """Write all pages about the cells in a folder, and return their paths, the index first."""
    index, *files = write_pages(found, out)
    verdict = Verdict(found.experiment, found.published, found.lineups, found.results)
    write_text(out / VERDICT_FILE, verdict.page())
    settings = out / SETTINGS_FILE
    extra = settings_lines(found.experiment, found.shapes)
    write_text(settings, "\n".join([settings.read_text(encoding="utf-8"), *extra]))
    files.append(out / VERDICT_FILE)
    names = [file.relative_to(out).as_posix() for file in files]
    text = index_page(found, names, first=FIRST, section=[COUNTERPARTS])
    write_text(out / INDEX_FILE, text)
    return [index, *files]
