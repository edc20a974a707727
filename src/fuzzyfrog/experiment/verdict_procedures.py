"""The tests behind a verdict: as the paper compares, and what other procedures say."""

from collections.abc import Iterable, Sequence
from typing import Literal

from fuzzyfrog.experiment.comparison import Comparison, compare
from fuzzyfrog.experiment.comparison.ranks import ALPHA
from fuzzyfrog.experiment.markdown import GAP, Rows
from fuzzyfrog.experiment.paper_figures import PaperFigures
from fuzzyfrog.experiment.standing import Standing, standing_of_paper

__all__ = ["PROCEDURES", "accuracy_rows", "compared", "rank_rows"]

PROCEDURES: tuple[Literal["holm", "nemenyi"], ...] = ("holm", "nemenyi")  # beside the paper's Li


def compared(standing: Standing) -> Comparison:
    """Compare as the paper does, with the method that it speaks for as the control."""
    return compare(standing.accuracies, control=standing.subject, tie_correction=False, missing=0)


def accuracy_rows(standings: Iterable[tuple[str, Standing]], paper: PaperFigures) -> Rows:
    """Give accuracy and size of the subjects beside the paper's, with a head.

    Parameters
    ----------
    standings : iterable of (str, Standing)
        Our figures, each with a label.
    paper : PaperFigures
        The paper's.

    Returns
    -------
    list of list of str
        A row for each of them.
    """
    head = ["figures of", "accuracy", "paper", "difference", "higher", "lower", "Wilcoxon p",
            "features", "paper's", "fewer", "more"]  # fmt: skip
    return [head] + [_accuracy_row(label, one, paper) for label, one in standings]


def _accuracy_row(label: str, ours: Standing, paper: PaperFigures) -> list[str]:
    theirs = standing_of_paper(paper, ours.datasets)
    pairs = {
        data: {
            "ours": ours.accuracies[data][ours.subject],
            "paper": theirs.accuracies[data][theirs.subject],
        }
        for data in ours.datasets
    }
    (test,) = compare(pairs, control="ours").signed_rank
    own_mean, other_mean = (one.mean("accuracies", one.subject) for one in (ours, theirs))
    difference = None if own_mean is None or other_mean is None else own_mean - other_mean
    return [
        label,
        _shown(own_mean, ".2f"),
        _shown(other_mean, ".2f"),
        _shown(difference, "+.2f"),
        str(test.wins),
        str(test.losses),
        f"{test.p_value:.4f}",
        *_size_cells(ours, theirs),
    ]


def _size_cells(ours: Standing, theirs: Standing) -> list[str]:
    both = [
        (own, other)
        for data in ours.datasets
        if (own := ours.sizes[data][ours.subject]) is not None
        and (other := theirs.sizes[data][theirs.subject]) is not None
    ]
    return [
        _shown(ours.mean("sizes", ours.subject), ".2f"),
        _shown(theirs.mean("sizes", theirs.subject), ".2f"),
        str(sum(own < other for own, other in both)),
        str(sum(own > other for own, other in both)),
    ]


def rank_rows(standings: Iterable[tuple[str, Standing]]) -> Rows:
    """Give ranks and tests of the subjects, with a head.

    Parameters
    ----------
    standings : iterable of (str, Standing)
        Figures, each with a label.

    Returns
    -------
    list of list of str
        A row for each of them.
    """
    head = ["figures of", "data sets", "rank", "place", "first", "Friedman p", "corrected", "Li",
            "Holm", "Nemenyi", "Wilcoxon (Holm)"]  # fmt: skip
    return [head] + [_test_row(label, one) for label, one in standings]


def _test_row(label: str, standing: Standing) -> list[str]:
    subject = standing.subject
    found = compared(standing)
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
        str(len(standing.datasets)),
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


def _told(names: Sequence[str]) -> str:
    return " ".join(names) or "none"


def _shown(value: float | None, form: str) -> str:
    return GAP if value is None else format(value, form)
