"""Every selector against no selection: what selecting features is worth at all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from fuzzyfrog_lab.comparison import compare
from fuzzyfrog_lab.comparison.ranks import ALPHA, SignedRankTest, holm_adjusted
from fuzzyfrog_lab.config import Experiment
from fuzzyfrog_lab.pages.markdown import Rows, joined, table
from fuzzyfrog_lab.results import Lineup, Results, SelectorResult, common_classifiers

__all__ = ["AgainstAll", "against_all", "against_rows", "no_selection_lines"]

EXPLAINED = (
    "Each selector next to the whole table, with the panel `{panel}`, on the data sets that both "
    "have and with the classifiers that both have there: mean accuracies, on how many data sets "
    "the selector is higher, lower, equal; Wilcoxon's signed-rank test, and its p-value adjusted "
    "by Holm for the number of selectors; mean numbers of features. Under `paper` the selectors "
    "have seen the test samples, which favors them: `nested` is the fair one."
)


@dataclass(frozen=True)
class AgainstAll:
    """A selector next to all features, on the same data sets with the same classifiers."""

    name: str
    accuracies: tuple[float, ...]  # mean accuracy on each data set
    all_accuracies: tuple[float, ...]
    size: float  # mean number of features
    all_size: float
    test: SignedRankTest
    adjusted: float  # its p-value, adjusted by Holm for the number of selectors

    @property
    def difference(self) -> float:
        """Mean accuracy of the selector minus that of all features."""
        return fmean(self.accuracies) - fmean(self.all_accuracies)

    @property
    def is_significant(self) -> bool:
        """Whether the difference is significant, adjusted for the number of selectors."""
        return self.adjusted <= ALPHA


def against_all(
    results: Results, whole: str, selectors: Sequence[str], classifiers: Sequence[str], least: int
) -> list[AgainstAll]:
    """Return each selector with at least `least` data sets next to `whole`, all features."""
    pairs = {
        name: [
            pair
            for entries in results.values()
            if (pair := _pair(entries[name], entries[whole], classifiers))
        ]
        for name in selectors
    }
    told = {name: some for name, some in pairs.items() if len(some) >= max(least, 2)}
    tests = [_test(some) for some in told.values()]
    adjusted = holm_adjusted([test.p_value for test in tests]) if tests else []
    return [
        AgainstAll(name, *_columns(told[name]), test, p_value)
        for name, test, p_value in zip(told, tests, adjusted, strict=True)
    ]


@dataclass(frozen=True)
class _Pair:
    accuracy: float
    all_accuracy: float
    size: float
    all_size: float


def _pair(entry: SelectorResult, whole: SelectorResult, classifiers: Sequence[str]) -> _Pair | None:
    """Return both with their common classifiers; None unless both are done."""
    if entry.n_missing or whole.n_missing:
        return None
    common = common_classifiers((entry, whole), classifiers)
    own, other = entry.figures(common), whole.figures(common)
    if own is None or other is None:
        return None
    return _Pair(own.mean, other.mean, fmean(entry.sizes), fmean(whole.sizes))


def _test(pairs: Sequence[_Pair]) -> SignedRankTest:
    scores = {
        str(place): {"selector": pair.accuracy, "all": pair.all_accuracy}
        for place, pair in enumerate(pairs)
    }
    (test,) = compare(scores, control="selector").signed_rank
    return test


def _columns(
    pairs: Sequence[_Pair],
) -> tuple[tuple[float, ...], tuple[float, ...], float, float]:
    return (
        tuple(pair.accuracy for pair in pairs),
        tuple(pair.all_accuracy for pair in pairs),
        fmean(pair.size for pair in pairs),
        fmean(pair.all_size for pair in pairs),
    )


def against_rows(found: Sequence[AgainstAll]) -> Rows:
    """Return a row for each selector, with a header."""
    head = ["selector", "data sets", "accuracy", "all features", "difference", "higher", "lower",
            "ties", "Wilcoxon p", "Holm", "features", "of all"]  # fmt: skip
    return [head] + [
        [
            one.name,
            str(len(one.accuracies)),
            f"{fmean(one.accuracies):.2f}",
            f"{fmean(one.all_accuracies):.2f}",
            f"{one.difference:+.2f}",
            str(one.test.wins),
            str(one.test.losses),
            str(one.test.ties),
            f"{one.test.p_value:.4f}",
            f"{one.adjusted:.4f}",
            f"{one.size:.2f}",
            f"{one.all_size:.2f}",
        ]
        for one in found
    ]


def no_selection_lines(
    experiment: Experiment, lineups: Mapping[str, Sequence[Lineup]], panel: str, least: int
) -> list[str]:
    """Return the section that compares every selector with all features; maybe empty."""
    whole = next((one.name for one in experiment.selectors if one.search == "none"), None)
    if whole is None:
        return []
    others = [one.name for one in experiment.selectors if one.name != whole]
    lines: list[str] = []
    for protocol, some in lineups.items():
        results, classifiers = some[0].results, some[0].classifiers
        found = against_all(results, whole, others, classifiers, least)
        if found:
            ranks = [text for one in some if (text := _told_rank(one, whole, least))]
            told = " ".join([f"Under `{protocol}` {_told(found)}", *ranks])
            lines += [f"### {protocol}", "", told, "", *table(against_rows(found)), ""]
    if not lines:
        return []
    return ["## Against no selection", "", EXPLAINED.format(panel=panel), "", *lines]


def _told(found: Sequence[AgainstAll]) -> str:
    """Return a summary of the rows."""
    higher = [one.name for one in found if one.difference > 0]
    best = max(found, key=lambda one: one.difference)
    sizes = [one.size for one in found]
    count = f"{len(higher)} of {len(found)} selectors ({joined(higher)})"
    told = f"by {count}" if higher else f"by none of {len(found)} selectors"
    return (
        f"the mean accuracy of all features is exceeded {told}; the best difference is "
        f"{best.difference:+.2f} points, of {best.name}. {_told_significance(found)} The "
        f"gain is fewer features: {min(sizes):.1f} to {max(sizes):.1f} on average, of "
        f"{fmean(one.all_size for one in found):.1f}."
    )


def _told_significance(found: Sequence[AgainstAll]) -> str:
    parts = []
    for word, sign in (("better", 1), ("worse", -1)):
        names = [one.name for one in found if one.is_significant and sign * one.test.effect > 0]
        parts.append(f"{joined(names) or 'none'} significantly {word}")
    return f"By Wilcoxon and Holm at {ALPHA}: {', '.join(parts)}."


def _told_rank(lineup: Lineup, whole: str, least: int) -> str:
    """Return a sentence about the rank of all features in a lineup; empty if it is not a member."""
    if whole not in [one.name for one in lineup.selectors] or len(lineup.done) < least:
        return ""
    found = compare(lineup.scores(), control=whole, posthoc="holm")
    ranks = found.ranks
    place = 1 + sum(rank < ranks[whole] for rank in ranks.values())
    told = f"In the line-up `{lineup.name}` {whole} has the mean rank {ranks[whole]:.2f}"
    other = min((name for name in ranks if name != whole), key=lambda name: ranks[name])
    word = "next" if place == 1 else "first"
    behind = [one.worse for one in found.posthoc if one.significant and one.better == whole]
    return (
        f"{told}, place {place} of {len(ranks)}; {word} is {other} with {ranks[other]:.2f}. By "
        f"mean ranks (Friedman p {found.p_value:.4f}, Holm) it is significantly before "
        f"{joined(behind) or 'none'}."
    )
