"""The tables of figures behind a verdict."""

from collections.abc import Iterable, Mapping
from typing import Literal

from fuzzyfrog.experiment.claims import compared
from fuzzyfrog.experiment.markdown import GAP, Rows
from fuzzyfrog.experiment.paper_figures import PaperFigures
from fuzzyfrog.experiment.posthoc import ALPHA
from fuzzyfrog.experiment.standing import Case, Standing, standing_of_paper
from fuzzyfrog.experiment.statistics import Comparison, compare

__all__ = ["accuracy_rows", "rank_rows"]

PROCEDURES: tuple[Literal["holm", "nemenyi"], ...] = ("holm", "nemenyi")


def accuracy_rows(cases: Mapping[Case, Standing], paper: PaperFigures, subject: str) -> Rows:
    """Give accuracy and size of a method beside the paper's, with a head.

    Parameters
    ----------
    cases : mapping of Case to Standing
        Our figures.
    paper : PaperFigures
        The paper's.
    subject : str
        The method, as the paper calls it.

    Returns
    -------
    list of list of str
        A row for each case.
    """
    head = ["case", "accuracy", "paper", "difference", "higher", "lower", "Wilcoxon p", "features",
            "paper", "fewer", "more"]  # fmt: skip
    return [head] + [_accuracy_row(case, one, paper, subject) for case, one in cases.items()]


def _accuracy_row(case: Case, ours: Standing, paper: PaperFigures, subject: str) -> list[str]:
    theirs = standing_of_paper(paper, ours.datasets)
    pairs = {
        data: {"ours": ours.accuracies[data][subject], "paper": theirs.accuracies[data][subject]}
        for data in ours.datasets
    }
    (test,) = compare(pairs, control="ours").signed_rank
    sizes = [
        (own, other)
        for data in ours.datasets
        if (own := ours.sizes[data][subject]) is not None
        and (other := theirs.sizes[data][subject]) is not None
    ]
    own_mean, other_mean = ours.mean("accuracies", subject), theirs.mean("accuracies", subject)
    difference = None if own_mean is None or other_mean is None else own_mean - other_mean
    return [
        str(case),
        _shown(own_mean, ".2f"),
        _shown(other_mean, ".2f"),
        _shown(difference, "+.2f"),
        str(test.wins),
        str(test.losses),
        f"{test.p_value:.4f}",
        _shown(ours.mean("sizes", subject), ".2f"),
        _shown(theirs.mean("sizes", subject), ".2f"),
        str(sum(own < other for own, other in sizes)),
        str(sum(own > other for own, other in sizes)),
    ]


def rank_rows(cases: Mapping[Case, Standing], paper: PaperFigures, subject: str) -> Rows:
    """Give the ranks and tests of every case, with a head; the paper's come first.

    The parameters are those of `accuracy_rows`.
    """
    head = ["case", "rank", "place", "first", "Friedman p", "corrected", "Li", "Holm", "Nemenyi",
            "Wilcoxon (Holm)"]  # fmt: skip
    same = next(iter(cases.values())).datasets
    every = {
        "the paper": standing_of_paper(paper, paper.tables["accuracy_mean"]),
        "the paper, same data": standing_of_paper(paper, same),
        **{str(case): standing for case, standing in cases.items()},
    }
    return [head] + [_test_row(label, one, subject) for label, one in every.items()]


def _test_row(label: str, standing: Standing, subject: str) -> list[str]:
    found = compared(standing, subject)
    corrected = compare(standing.accuracies, control=subject)
    others = [
        compare(standing.accuracies, control=subject, posthoc=procedure) for procedure in PROCEDURES
    ]
    ranks = found.ranks
    place = 1 + sum(rank < ranks[subject] for rank in ranks.values())
    first = [name for name in ranks if ranks[name] == min(ranks.values())]
    signed = [
        f"{'+' if test.effect > 0 else '-'}{test.method}"
        for test in corrected.signed_rank
        if test.adjusted <= ALPHA
    ]
    return [
        label,
        f"{ranks[subject]:.4f}",
        str(place),
        ", ".join(first),
        f"{found.p_value:.6f}",
        f"{corrected.p_value:.6f}",
        *(_told(_significant(one, subject)) for one in (found, *others)),
        _told(signed),
    ]


def _significant(found: Comparison, subject: str) -> list[str]:
    """Give the methods that differ from one significantly, with + if it is better than they."""
    signed = []
    for test in found.posthoc:
        if test.significant and subject in (test.better, test.worse):
            is_better = test.better == subject
            signed.append(f"+{test.worse}" if is_better else f"-{test.better}")
    return signed


def _told(names: Iterable[str]) -> str:
    return " ".join(names) or "none"


def _shown(value: float | None, form: str) -> str:
    return GAP if value is None else format(value, form)
