"""The summary of a panel under a protocol: who is how good, over all data sets and in groups."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean

from fuzzyfrog.experiment.comparison import compare
from fuzzyfrog.experiment.config import Experiment, Protocol
from fuzzyfrog.experiment.pages.markdown import GAP, Rows, table
from fuzzyfrog.experiment.pages.panel_page import LEAKS
from fuzzyfrog.experiment.results import Lineup, wins

__all__ = ["summary_page"]

Scores = Mapping[str, Mapping[str, float | None]]

EXPLAINED = (
    "Mean accuracy of {classifiers} in percent, {folds} stratified folds. {selected} Means are "
    "over the data sets that every member of a table finished. Differences are to the selector in "
    "italics, with the number of data sets on which a selector is better or worse, and the p-value "
    "of Wilcoxon's signed-rank test, adjusted by Holm over the table."
)
HEAD = ("selector", "features", "accuracy", "mean rank", "wins", "difference", "better, worse", "p")


def summary_page(
    experiment: Experiment, protocol: Protocol, panel: str, lineups: Sequence[Lineup]
) -> str:
    """Return the Markdown page: for each lineup a table over all data sets, and for each group.

    The other selectors are compared with the first one that the config names in the lineup.
    """
    told = EXPLAINED.format(
        classifiers=", ".join(lineups[0].classifiers),
        folds=experiment.folds,
        selected=LEAKS[protocol.name],
    )
    lines = [f"# {experiment.title}: {panel}, protocol {protocol.name}", "", told]
    for lineup in lineups:
        first = experiment.lineups[lineup.name][0]
        lines += ["", f"## {lineup.name}", "", "### All data sets", "", *_lines(lineup, first)]
        for group, members in experiment.groups.items():
            part = replace(lineup, results={data: lineup.results[data] for data in members})
            lines += ["", f"### {group}", "", *_lines(part, first)]
    return "\n".join([*lines, ""])


def _lines(lineup: Lineup, first: str) -> list[str]:
    """Return a row for each selector, the best rank first, and the tests of ranks."""
    scores = lineup.scores()
    if len(scores) < 2 or len(lineup.selectors) < 2:
        return ["Too few data sets are done to compare the selectors."]
    found = compare(scores, posthoc="holm")
    against = {test.method: test for test in compare(scores, control=first).signed_rank}
    sizes, won = lineup.sizes(), wins(scores)
    rows: Rows = [list(HEAD)]
    for name in sorted(found.ranks, key=lambda one: found.ranks[one]):
        pair = [GAP, GAP, GAP]
        if name != first:
            test = against[name]  # counts are those of the first one
            pair = [f"{_difference(scores, name, first):+.2f}", f"{test.losses}, {test.wins}",
                    f"{test.adjusted:.4f}"]  # fmt: skip
        rows.append([
            f"*{name}*" if name == first else name, _mean(sizes, name, 1), _mean(scores, name, 2),
            f"{found.ranks[name]:.2f}", str(won[name]), *pair,
        ])  # fmt: skip
    ranks = [line for line in str(found).splitlines() if line.startswith("Friedman")]
    tests = [
        f"- {one.worse}: p = {one.p_value:.4f}, adjusted {one.adjusted:.4f}"
        for one in found.posthoc
    ]
    return [
        *table(rows), "", f"{len(scores)} data sets: {', '.join(scores)}.", "",
        f"{ranks[0]}. The best mean rank, of {found.control}, against the others by Holm:", "",
        *tests,
    ]  # fmt: skip


def _difference(scores: Scores, name: str, first: str) -> float:
    """Return the mean difference over the data sets that both have."""
    return fmean(
        mine - theirs
        for row in scores.values()
        if (mine := row[name]) is not None and (theirs := row[first]) is not None
    )


def _mean(figures: Scores, name: str, digits: int) -> str:
    known = [value for row in figures.values() if (value := row[name]) is not None]
    return f"{fmean(known):.{digits}f}" if known else GAP
