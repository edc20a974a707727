"""How the methods of the paper compare: in our results, and in the paper's own tables."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean

from fuzzyfrog_lab.comparison import Comparison, compare
from fuzzyfrog_lab.comparison.ranks import ALPHA
from fuzzyfrog_lab.pages.markdown import GAP, Rows, joined
from fuzzyfrog_lab.pages.panel_page import PROCEDURES, compare_as_published
from fuzzyfrog_lab.published import PublishedFigures, is_as_published
from fuzzyfrog_lab.results import Lineup

__all__ = [
    "N_CLASSIFIERS",
    "Case",
    "ImpossibleCell",
    "Standing",
    "accuracy_rows",
    "compared",
    "impossible_cells",
    "paper_standings",
    "rank_rows",
    "standing_of_lineup",
    "standing_of_paper",
]

Table = Mapping[str, Mapping[str, float | None]]

N_CLASSIFIERS = 9
# The largest of n values is at most (n - 1) / sqrt(n) standard deviations (n - 1) above their mean.
MOST_ABOVE = (N_CLASSIFIERS - 1) / sqrt(N_CLASSIFIERS)
ROUNDED = 0.005  # the largest rounding error of a figure with two digits


@dataclass(frozen=True)
class Case:
    """A lineup with a panel under a protocol."""

    lineup: str
    panel: str
    protocol: str

    def __str__(self) -> str:
        return f"{self.lineup}, {self.panel}, {self.protocol}"


@dataclass(frozen=True, eq=False)
class Standing:
    """Figures by data set and by the paper's names of the methods; a gap is None."""

    subject: str  # the method that the paper proposes, or our own in its place
    accuracies: Table
    sizes: Table
    seconds: Table

    @property
    def datasets(self) -> list[str]:
        """The data sets."""
        return list(self.accuracies)

    @property
    def methods(self) -> list[str]:
        """The methods."""
        return list(next(iter(self.accuracies.values()), {}))

    def mean(self, table: str, method: str) -> float | None:
        """Return the mean of a table over the data sets without gaps; None if all are gaps."""
        rows: Table = getattr(self, table)
        told = [value for row in rows.values() if (value := row[method]) is not None]
        return fmean(told) if told else None


def standing_of_lineup(lineup: Lineup, paper: PublishedFigures) -> Standing | None:
    """Return our figures; None unless each method of the paper has exactly one member.

    Members get their names in the paper, except our own algorithm in the place of the paper's.
    """
    if not paper.methods or sorted(str(one.paper) for one in lineup.selectors) != sorted(
        paper.methods
    ):
        return None
    names = {
        one.name: one.name
        if one.paper == paper.first and not is_as_published(one)
        else str(one.paper)
        for one in lineup.selectors
    }
    subject = next(names[one.name] for one in lineup.selectors if one.paper == paper.first)

    def renamed(table: Table) -> Table:
        return {
            data: {names[name]: value for name, value in row.items()} for data, row in table.items()
        }

    return Standing(
        subject, renamed(lineup.scores()), renamed(lineup.sizes()), renamed(lineup.seconds())
    )


def standing_of_paper(paper: PublishedFigures, datasets: Iterable[str]) -> Standing:
    """Return the paper's figures for some data sets."""
    names = list(datasets)
    return Standing(
        paper.first,
        paper.numbers("accuracy_mean", names),
        paper.numbers("sizes", names),
        paper.numbers("seconds", names),
    )


def paper_standings(
    paper: PublishedFigures, ours: Iterable[Standing]
) -> list[tuple[str, Standing]]:
    """Return the paper's figures with labels: over all its data sets, and over parts of them.

    The parts are those without an impossible cell, without a gap, and our data sets.
    """
    whole = list(paper.tables["accuracy_mean"])
    flawed = list(dict.fromkeys(cell.data for cell in impossible_cells(paper)))
    gaps = paper.numbers("accuracy_mean", whole)
    parts = [("the paper", whole)]
    if flawed:
        sound = [data for data in whole if data not in flawed]
        parts.append((f"the paper without {joined(flawed)}", sound))
    complete = [data for data in whole if None not in gaps[data].values()]
    parts.append(("the paper, complete rows only", complete))
    parts += [
        (f"the paper, same {len(same)} data sets", list(same))
        for same in dict.fromkeys(tuple(standing.datasets) for standing in ours)
        if set(same) != set(whole)
    ]
    return [(label, standing_of_paper(paper, datasets)) for label, datasets in parts]


@dataclass(frozen=True)
class ImpossibleCell:
    """An accuracy of the paper that no nine values can have."""

    data: str
    method: str
    best: float  # of the nine, as printed
    limit: float  # the largest that the printed mean and deviation allow


def impossible_cells(paper: PublishedFigures) -> list[ImpossibleCell]:
    """Return the cells whose best classifier is further above the mean than possible."""
    found = []
    for data in paper.tables.get("accuracy_mean", {}):
        for method in paper.methods:
            names = ("accuracy_mean", "accuracy_std", "accuracy_best")
            texts = [paper.get(name, data, method) for name in names]
            if "" in texts:
                continue
            mean, std, best = map(float, texts)
            limit = mean + MOST_ABOVE * std
            if best > limit + ROUNDED * (2 + MOST_ABOVE):
                found.append(ImpossibleCell(data, method, best, limit))
    return found


def compared(standing: Standing) -> Comparison:
    """Compare as in the paper, with the subject as the control."""
    return compare_as_published(standing.accuracies, standing.subject)


def accuracy_rows(standings: Iterable[tuple[str, Standing]], paper: PublishedFigures) -> Rows:
    """Return a row for each standing, with a header: its subject next to the paper's."""
    head = ["figures of", "accuracy", "paper", "difference", "higher", "lower", "Wilcoxon p",
            "features", "paper's", "fewer", "more"]  # fmt: skip
    return [head] + [_accuracy_row(label, one, paper) for label, one in standings]


def _accuracy_row(label: str, ours: Standing, paper: PublishedFigures) -> list[str]:
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
    """Return a row for each standing, with a header: ranks and tests of its subject."""
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
    """Return the methods that differ significantly from the subject, with + if it is better."""
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
