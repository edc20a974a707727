"""The claims of the paper about its method, each tested with a set of figures."""

from collections.abc import Callable
from dataclasses import dataclass

from fuzzyfrog_lab.comparison.ranks import ALPHA
from fuzzyfrog_lab.pages.markdown import joined
from fuzzyfrog_lab.published import PublishedFigures
from fuzzyfrog_lab.results import wins
from paper.pages.standing import Standing, compared, standing_of_paper

__all__ = ["Claim", "Finding", "claims_of"]


@dataclass(frozen=True)
class Finding:
    """Whether a claim holds, and the figure that decides it."""

    holds: bool
    figure: str


@dataclass(frozen=True, eq=False)
class Claim:
    """A sentence of the paper that figures can confirm or refute.

    Other panels than the paper's decide it only if `any_panel`: not where our figures are compared
    with the paper's, nor where classifiers play no part, since each panel would count the same
    sizes and times again.
    """

    name: str  # a few words, for the header of a table
    sentence: str
    judge: Callable[[Standing], Finding | None]  # None without figures
    any_panel: bool = False


def claims_of(paper: PublishedFigures) -> list[Claim]:
    """Return the claims about accuracy, then size, then time, of the method it ranks first."""
    subject = paper.first
    return [
        *_accuracy_claims(paper, subject),
        *_rank_claims(paper, subject),
        *_size_claims(paper, subject),
        _time_claim(paper, subject),
    ]


def _accuracy_claims(paper: PublishedFigures, subject: str) -> list[Claim]:
    def reached(standing: Standing) -> Finding | None:
        theirs = standing_of_paper(paper, standing.datasets)
        return _difference(standing, theirs, "accuracies", wanted=+1)

    def highest(standing: Standing) -> Finding | None:
        means = {name: standing.mean("accuracies", name) or 0.0 for name in standing.methods}
        best = max(means, key=lambda method: means[method])
        return Finding(means[standing.subject] == means[best], f"{best} {means[best]:.2f}")

    def most_wins(standing: Standing) -> Finding | None:
        won = wins(standing.accuracies)
        own, most = won[standing.subject], max(won.values())
        return Finding(own == most, f"{own}, the most are {most}")

    printed = paper.overall("mean_accuracy", subject)
    return [
        Claim("accuracy", f"The mean accuracy of {subject} is that of the paper ({printed} over "
              f"all its data sets) or higher, on the same data sets.", reached),
        Claim("highest", f"{subject} has the highest mean accuracy.", highest,
              any_panel=True),
        Claim("wins", f"{subject} has the most wins.", most_wins, any_panel=True),
    ]  # fmt: skip


def _rank_claims(paper: PublishedFigures, subject: str) -> list[Claim]:
    p_values = paper.statistics["p_values"]
    beaten = [name for name in p_values if p_values[name] <= paper.statistics["threshold"]]

    def first(standing: Standing) -> Finding | None:
        ranks = compared(standing).ranks
        own = ranks[standing.subject]
        return Finding(own == min(ranks.values()), f"rank {own:.2f}")

    def unequal(standing: Standing) -> Finding | None:
        found = compared(standing)
        first = min(found.ranks, key=lambda method: found.ranks[method])
        return Finding(found.p_value <= ALPHA, f"p {found.p_value:.4f} ({first} first)")

    def significant(standing: Standing) -> Finding | None:
        tests = compared(standing).posthoc
        own = standing.subject
        behind = [one.worse for one in tests if one.better == own and one.significant]
        found = [name for name in beaten if name in behind]
        return Finding(found == beaten, f"{len(found)} of {len(beaten)}")

    return [
        Claim("first", f"{subject} has the best mean rank.", first, any_panel=True),
        Claim("Friedman", f"The methods are not equal (Friedman, p at most {ALPHA}).", unequal,
              any_panel=True),
        Claim("Li", f"{subject} is significantly better than {joined(beaten)} (Li).", significant,
              any_panel=True),
    ]  # fmt: skip


def _size_claims(paper: PublishedFigures, subject: str) -> list[Claim]:
    whole = standing_of_paper(paper, paper.tables["sizes"])
    larger = [
        method
        for method in paper.methods
        if (whole.mean("sizes", method) or 0.0) > (whole.mean("sizes", subject) or 0.0)
    ]

    def as_small(standing: Standing) -> Finding | None:
        theirs = standing_of_paper(paper, standing.datasets)
        return _difference(standing, theirs, "sizes", wanted=-1)

    def smaller(standing: Standing) -> Finding | None:
        means = {name: standing.mean("sizes", name) for name in larger}
        own = standing.mean("sizes", standing.subject)
        if own is None:
            return None
        below = [
            name
            for name in larger
            if (other := means[name]) is not None
            and own < other
            and _is_mostly_less(standing, name)
        ]
        return Finding(below == larger, f"{len(below)} of {len(larger)}")

    return [
        Claim("size", f"{subject} selects as few features as in the paper, or fewer, on average "
              "over the same data sets.", as_small),
        Claim("smaller", f"{subject} selects fewer features than {joined(larger)}, on average "
              "and on more data sets than it selects more.",
              smaller),
    ]  # fmt: skip


def _is_mostly_less(standing: Standing, other: str) -> bool:
    """Whether the subject has smaller subsets more often than larger ones."""
    pairs = [(row[standing.subject], row[other]) for row in standing.sizes.values()]
    both = [(own, theirs) for own, theirs in pairs if own is not None and theirs is not None]
    return sum(own < theirs for own, theirs in both) > sum(own > theirs for own, theirs in both)


def _time_claim(paper: PublishedFigures, subject: str) -> Claim:
    timed = next(iter(paper.tables["seconds"].values()))
    others = [method for method in timed if method != subject]

    def quicker(standing: Standing) -> Finding | None:
        names = (standing.subject, *others)
        rows = [[row[name] for name in names] for row in standing.seconds.values()]
        told = [[one for one in row if one is not None] for row in rows if None not in row]
        if not told:
            return None
        n_quicker = sum(row[0] < min(row[1:]) for row in told)
        return Finding(2 * n_quicker > len(told), f"{n_quicker} of {len(told)}")

    return Claim(
        "quicker", f"{subject} is quicker than {joined(others)} on most data sets.", quicker
    )


def _difference(ours: Standing, theirs: Standing, table: str, *, wanted: int) -> Finding | None:
    """Compare two means; `wanted` is +1 where more is better, -1 where less is."""
    own, other = ours.mean(table, ours.subject), theirs.mean(table, theirs.subject)
    if own is None or other is None:
        return None
    return Finding(wanted * round(own - other, 9) >= 0, f"{own:.2f} ({own - other:+.2f})")
