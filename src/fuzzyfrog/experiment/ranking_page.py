"""Who is first, and whether that is more than chance: the part of a page with the tests."""

from collections.abc import Mapping
from typing import Literal

from fuzzyfrog.experiment.lineup import Lineup, wins
from fuzzyfrog.experiment.markdown import Rows, beside, table
from fuzzyfrog.experiment.paper_figures import PaperFigures
from fuzzyfrog.experiment.statistics import Comparison, compare

__all__ = ["ranking_lines"]

PROCEDURES: tuple[Literal["holm", "nemenyi"], ...] = ("holm", "nemenyi")


def ranking_lines(lineup: Lineup, paper: PaperFigures) -> list[str]:
    """Give wins, ranks and tests over the data sets that are done, the paper's beside them.

    Parameters
    ----------
    lineup : Lineup
        Who is ranked.
    paper : PaperFigures
        What is put in brackets.

    Returns
    -------
    list of str
        Lines of Markdown.
    """
    scores = lineup.scores()
    if len(scores) < 2 or len(lineup.selectors) < 2:
        return ["### Ranks", "", "Too few data sets are done to compare the selectors."]
    as_in_paper = compare(scores, tie_correction=False, missing=0)
    lines = [f"### Wins and ranks{paper.remark}", ""]
    lines += table(_rank_rows(lineup, wins(scores), compare(scores), paper))
    lines += ["", f"### Post-hoc tests{paper.remark}", ""]
    lines += ["As in the paper: Friedman and Li, ties not corrected, a gap counts as 0.", ""]
    lines += table(_friedman_rows(as_in_paper, paper))
    lines += ["", *table(_li_rows(lineup, as_in_paper, paper))]
    lines += ["", "```", *str(as_in_paper).splitlines(), "```"]
    for procedure in PROCEDURES:
        found = compare(scores, posthoc=procedure)
        lines += ["", f"{procedure.capitalize()}; ties corrected, a gap is the worst.", ""]
        lines += table(_posthoc_rows(found))
    return lines


def _rank_rows(
    lineup: Lineup, won: Mapping[str, int], found: Comparison, paper: PaperFigures
) -> Rows:
    selectors = lineup.selectors
    return [
        [f"{found.n_datasets} data sets", *(one.name for one in selectors)],
        ["wins", *(beside(str(won[one.name]), paper.overall("wins", one.paper))
                   for one in selectors)],
        ["mean rank", *(beside(f"{found.ranks[one.name]:.4f}", paper.overall("ranks", one.paper))
                        for one in selectors)],
    ]  # fmt: skip


def _friedman_rows(found: Comparison, paper: PaperFigures) -> Rows:
    theirs = paper.statistics
    return [
        ["chi-square", "p", "Li rejects p up to"],
        [beside(f"{found.statistic:.6f}", theirs.get("statistic")),
         beside(f"{found.p_value:.6f}", theirs.get("p_value")),
         beside(f"{found.threshold:.6f}", theirs.get("threshold"))],
    ]  # fmt: skip


def _li_rows(lineup: Lineup, found: Comparison, paper: PaperFigures) -> Rows:
    """Give the tests of the first against the others; the paper's first is its B-SFLA."""
    method = {one.name: one.paper for one in lineup.selectors}
    same_first = bool(paper.methods) and method[found.control] == paper.first
    rows = [["before", "z", "p", "Li", "significant at 0.05"]]
    for test in found.posthoc:
        other = method[test.worse if test.better == found.control else test.better]
        theirs = [paper.overall(name, other) if same_first else None for name in ("z", "p_values")]
        rows.append(
            [f"{test.better} before {test.worse}", beside(f"{test.z:.6f}", theirs[0]),
             beside(f"{test.p_value:.6f}", theirs[1]), f"{test.threshold:.6f}",
             "yes" if test.significant else "no"]
        )  # fmt: skip
    return rows


def _posthoc_rows(found: Comparison) -> Rows:
    head = ["better", "worse", "z", "p", "adjusted", "significant at 0.05"]
    return [head] + [
        [one.better, one.worse, f"{one.z:.4f}", f"{one.p_value:.6f}", f"{one.adjusted:.6f}",
         "yes" if one.significant else "no"]
        for one in found.posthoc
    ]  # fmt: skip
