"""Who is first, and whether that is more than chance: the part of a page with the tests."""

from collections.abc import Mapping

from fuzzyfrog.experiment.comparison import Comparison, compare
from fuzzyfrog.experiment.comparison.ranks import ALPHA
from fuzzyfrog.experiment.markdown import Rows, beside, table
from fuzzyfrog.experiment.paper_figures import PaperFigures
from fuzzyfrog.experiment.results import Lineup, wins
from fuzzyfrog.experiment.standing import (
    Standing,
    is_of_paper,
    standing_of_lineup,
    standing_of_paper,
)
from fuzzyfrog.experiment.verdict_procedures import PROCEDURES, compared

__all__ = ["ranking_lines"]

NO_LEAVE = (
    f"Friedman does not reject (p above {ALPHA}): what tests of pairs say after it is a hint at "
    "most."
)


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
    theirs = _paper_on(lineup, paper)
    found = compare(scores, tie_correction=False, missing=0)
    remark = paper.remark if theirs else ""
    lines = [f"### Wins and ranks{remark}", "", *_told_brackets(theirs)]
    lines += table(_rank_rows(lineup, wins(scores), compare(scores), theirs, paper))
    lines += ["", f"### Post-hoc tests{remark}", ""]
    lines += ["As in the paper: Friedman and Li, ties not corrected, a gap counts as 0.", ""]
    lines += table(_friedman_rows(found, theirs))
    lines += ["", *_remark(found), *table(_li_rows(lineup, found, theirs, paper))]
    lines += [*(_as_printed(paper) if theirs else []), "", "```", *str(found).splitlines(), "```"]
    lines += [*_control_lines(lineup, paper), *_procedure_lines(scores)]
    return lines


def _paper_on(lineup: Lineup, paper: PaperFigures) -> Standing | None:
    """Give the paper's figures over the data sets that are done.

    None if it has too few of them, or ranks others: a rank among five is none among twelve.
    """
    if standing_of_lineup(lineup, paper) is None:
        return None
    known = [data for data in lineup.done if data in paper.tables.get("accuracy_mean", {})]
    return standing_of_paper(paper, known) if len(known) > 1 else None


def _told_brackets(theirs: Standing | None) -> list[str]:
    if theirs is None:
        return []
    n_datasets = len(theirs.datasets)
    return [
        f"In brackets what the paper's table gives over the same {n_datasets} data sets; as it is "
        "printed, over all of them, in lines of its own.",
        "",
    ]


def _rank_rows(
    lineup: Lineup,
    won: Mapping[str, int],
    found: Comparison,
    theirs: Standing | None,
    paper: PaperFigures,
) -> Rows:
    selectors = lineup.selectors
    their_wins = wins(theirs.accuracies) if theirs else {}
    their_ranks = {
        method: f"{rank:.4f}" for method, rank in (compared(theirs).ranks if theirs else {}).items()
    }
    rows = [
        [f"{found.n_datasets} data sets", *(one.name for one in selectors)],
        ["wins", *(beside(str(won[one.name]), their_wins.get(one.paper or ""))
                   for one in selectors)],
        ["mean rank", *(beside(f"{found.ranks[one.name]:.4f}", their_ranks.get(one.paper or ""))
                        for one in selectors)],
    ]  # fmt: skip
    if theirs:
        n_all = len(paper.tables["accuracy_mean"])
        for name, label in (("wins", "wins"), ("ranks", "mean rank")):
            printed = [beside("", paper.overall(name, one.paper)).strip() for one in selectors]
            rows.append([f"{label}, as printed over {n_all}", *printed])
    return rows


def _friedman_rows(found: Comparison, theirs: Standing | None) -> Rows:
    own = _friedman_cells(found)
    others = _friedman_cells(compared(theirs)) if theirs else [None] * len(own)
    cells = [beside(one, other) for one, other in zip(own, others, strict=True)]
    return [["chi-square", "p", "Li rejects p up to"], cells]


def _friedman_cells(found: Comparison) -> list[str]:
    return [f"{value:.6f}" for value in (found.statistic, found.p_value, found.threshold)]


def _remark(found: Comparison) -> list[str]:
    return [NO_LEAVE, ""] if found.p_value > ALPHA else []


def _li_rows(
    lineup: Lineup, found: Comparison, theirs: Standing | None, paper: PaperFigures
) -> Rows:
    """Give the tests of the first against the others; the paper's are of its B-SFLA."""
    method = {one.name: one.paper or "" for one in lineup.selectors}
    tests = {}
    if theirs and method[found.control] == paper.first:
        tests = {
            one.worse if one.better == paper.first else one.better: one
            for one in compared(theirs).posthoc
        }
    rows = [["before", "z", "p", "Li", f"significant at {ALPHA}"]]
    for test in found.posthoc:
        other = tests.get(method[test.worse if test.better == found.control else test.better])
        rows.append(
            [f"{test.better} before {test.worse}",
             beside(f"{test.z:.6f}", other and f"{other.z:.6f}"),
             beside(f"{test.p_value:.6f}", other and f"{other.p_value:.6f}"),
             f"{test.threshold:.6f}", _yes(test.significant)]
        )  # fmt: skip
    return rows


def _as_printed(paper: PaperFigures) -> list[str]:
    """Give the tests that the paper printed, over all its data sets."""
    printed = paper.statistics
    tests = [f"{name} z {z}, p {printed['p_values'][name]}" for name, z in printed["z"].items()]
    return [
        "",
        f"As printed in the paper, over its {len(paper.tables['accuracy_mean'])} data sets: "
        f"chi-square {printed['statistic']}, p {printed['p_value']}, Li rejects p up to "
        f"{printed['threshold']}; {paper.first} against {'; '.join(tests)}.",
    ]


def _control_lines(lineup: Lineup, paper: PaperFigures) -> list[str]:
    """Give Wilcoxon's tests of the member that stands for the paper's method, if there is one."""
    own = [one for one in lineup.selectors if paper.methods and one.paper == paper.first]
    if len(own) != 1:
        return []
    name, first = own[0].name, paper.first
    told = name if is_of_paper(own[0]) else f"{name}, our own search in the place of {first},"
    tests = compare(lineup.scores(), control=name).signed_rank
    rows: Rows = [["against", "wins", "ties", "losses", "median difference", "p", "Holm", "effect",
                   f"significant at {ALPHA}"]]  # fmt: skip
    rows += [
        [one.method, str(one.wins), str(one.ties), str(one.losses),
         f"{one.median_difference:+.3f}", f"{one.p_value:.4f}", f"{one.adjusted:.4f}",
         f"{one.effect:+.3f}", _yes(one.adjusted <= ALPHA)]
        for one in tests
    ]  # fmt: skip
    return [
        "",
        f"Wilcoxon's signed-rank test of {told} against each of the others, its p-value also "
        "adjusted by Holm. The effect is the rank-biserial correlation: from -1, it always loses, "
        "to 1, it always wins.",
        "",
        *table(rows),
    ]


def _procedure_lines(scores: Mapping[str, Mapping[str, float | None]]) -> list[str]:
    found = compare(scores)
    told = f"Friedman p {found.p_value:.6f} with ties corrected, where a gap is the worst."
    lines = ["", told, "", *_remark(found)]
    for procedure in PROCEDURES:
        lines += _posthoc_lines(compare(scores, posthoc=procedure))
    return lines[:-1]


def _posthoc_lines(found: Comparison) -> list[str]:
    """Give the significant pairs, and how many are not; some procedures test very many."""
    told = [one for one in found.posthoc if one.significant]
    n_others = len(found.posthoc) - len(told)
    counted = (
        f"{found.procedure.capitalize()}: of {len(found.posthoc)} pairs {n_others} are not "
        f"significant at {ALPHA}."
    )
    if not told:
        closest = min(found.posthoc, key=lambda one: one.adjusted)
        pair = f"{closest.better} before {closest.worse}"
        return [f"{counted} The closest is {pair}, adjusted p {closest.adjusted:.6f}.", ""]
    rows = [["better", "worse", "z", "p", "adjusted"]] + [
        [one.better, one.worse, f"{one.z:.4f}", f"{one.p_value:.6f}", f"{one.adjusted:.6f}"]
        for one in told
    ]
    return [f"{counted} The others:", "", *table(rows), ""]


def _yes(significant: bool) -> str:
    return "yes" if significant else "no"
