"""What may be said of any result, and of one by a custom measure; other answers build on these."""

from abc import abstractmethod
from collections.abc import Iterator
from math import inf
from typing import NamedTuple

from fuzzyfrog.common.messages import (
    MAX_NAMED,
    both_told,
    capitalized,
    count,
    gamma,
    named,
    told_apart,
)
from fuzzyfrog.result import Explanation, Result, Subset
from fuzzyfrog.result.check import shown as score_shown
from fuzzyfrog.words.columns import exchange_sentences
from fuzzyfrog.words.doubts import Doubts

STOPPED = {"converged": "finished", "memory": "out of memory"}
NAMED_BY = {
    None: "Samples are numbered from 0, the first row of data.",
    "line": "Samples are named by their lines in the file.",
    "row": "Samples are named by their rows in the sheet.",
    "label": "Samples are named by their labels in the table.",
}
MOST_FRACTIONS = 5  # different values of a target, some with a fractional part, may be classes


class Listing(NamedTuple):
    """The selected features as a table: names first; without titles if there are only names."""

    titles: tuple[str, ...]
    rows: list[tuple[str, ...]]


class Fact(NamedTuple):
    """A number with its label, and what to compare it with."""

    label: str
    value: str
    of: str


class Standing(NamedTuple):
    """How sure an answer is: "proven", "checked" or "open", and why."""

    state: str
    title: str
    text: str
    line: str = ""  # the same in few words, for a terminal


class Front(NamedTuple):
    """What to call the best subsets of each size."""

    title: str
    lead: str
    table: str
    point: str  # one of them


class Examples(NamedTuple):
    """What to call the samples that need a feature."""

    noun: str
    nouns: str
    only: str  # to complete "the samples that"
    lead: str
    note: str
    caption: str
    other: str  # the sample that comes closer
    other_title: str
    value: str  # what the example compares
    explained: str


class Ambiguous(NamedTuple):
    """What to call the samples that the selected features separate least."""

    title: str
    lead: str
    listed: str  # with what each of them is listed
    worst: tuple[str, str]  # one of those that are listed, and several
    other: str  # the sample that each is listed with


class Words(Doubts):
    """Sentences about a result.

    Parameters
    ----------
    result : Result
        The result.

    Attributes
    ----------
    measured : str
        The name of the score.
    is_monotone : bool
        Whether features never lower the score, so that larger subsets with a lower one are beaten.
    is_bounded : bool
        Whether it is between 0 and 1.
    kind : str
        What to call the measure.
    brief : tuple of str
        The labels of the facts that a terminal shows without being asked.
    """

    measured: str
    is_monotone = False
    is_bounded = True
    brief: tuple[str, ...] = ("measured",)

    def __init__(self, result: Result) -> None:
        super().__init__(result)
        self.size = count(len(result.selected), "feature")
        if result.stop_reason != "converged":
            self.brief = (*self.brief, "search")
        if result.exchange is not None:
            self.brief = (*self.brief, "exchange")

    @property
    def score(self) -> str:
        """What a sentence calls the score."""
        return f"the {self.measured}"

    # What each kind of answer says in its own way.

    @property
    def is_useless(self) -> bool:
        """Whether none of the features found says anything about the target."""
        return False

    def unchecked(self) -> str | None:
        """Return a sentence that keeps the answer from being taken for a prediction, if needed."""
        return None

    def listing(self) -> Listing:
        """Return the selected features and what is known about each."""
        return Listing((), [(name,) for name in self.result.names(self.result.selected)])

    def meaning(self) -> str:
        """Return what the score is, without a final period; empty if only its author knows."""
        return ""

    @abstractmethod
    def reasons(self) -> list[str]:
        """Return paragraphs on what the score means, and how good the selected features are."""

    @abstractmethod
    def standing(self) -> Standing:
        """Return how sure the answer is."""

    def _found(self, why: str) -> Standing:
        return Standing(
            "open",
            f"{self.size}, found by a search.",
            f"{why}Nothing is proven: another subset may score higher, and since a feature can "
            "also lower this measure, there is no smallest subset that keeps it.",
        )

    def front(self) -> Front:
        """Return what to call the best subsets of each size, or the steps of a search."""
        title = "One feature after another" if self.added else "More or fewer features"
        lead = f"The best {self.measured} found for each number of features."
        if self.added:
            lead = (
                f"Each step adds the feature with which {self.score} is highest; the search "
                "continues for a while after it starts to fall."
            )
        if any(one.accuracy is not None for one in self.result.front):
            curve = "share of samples for which the five nearest neighbors vote for the right class"
            if self.is_numeric:
                curve = "R² of predicting a sample by the mean target of its five nearest neighbors"
            lead = f"{lead} The dashed curve is the {curve}."
        return Front(title, lead, "The curves as a table", self.measured)

    def noise(self) -> str | None:
        """Return how many random columns the measure takes, without a period, if it was tried."""
        noise = None if self.result.check is None else self.result.check.noise
        return None if noise is None else str(noise)

    def core(self) -> tuple[str, tuple[int, ...], str] | None:
        """Return a sentence about the core: its start, the features to name, and its end."""
        return None

    def examples(self) -> Examples | None:
        """Return what to call the samples that need a feature; None if there are none."""
        return None

    def ambiguous(self) -> Ambiguous | None:
        """Return what to call the samples that are least separated; None if there are none."""
        return None

    @property
    def elbow(self) -> Subset | None:
        """The smallest subset of the front that keeps most; None if there is nothing to mark."""
        return None

    def number(self, value: float) -> str:
        """Return a score as text."""
        return gamma(value)

    def alike(self) -> str:
        """Return what to call the subsets next to the selected one, in the plural."""
        return "equally good subsets"

    def _affected(self, n_affected: int) -> str:
        return ""

    @abstractmethod
    def _own_facts(self) -> Iterator[tuple[str, str]]: ...

    @abstractmethod
    def _own_numbers(self) -> Iterator[Fact]: ...

    # What all of them share.

    @property
    def added(self) -> tuple[int, ...]:
        """The features in the order in which the front adds them; empty if it does not."""
        return self.result.added

    def table(self) -> str:
        """Return the size of the table and what the target is, in one line."""
        table, target = self.result.table, self.result.table.target
        size = f"{table.name}: {table.n_samples:,} samples, {count(table.n_features, 'feature')}"
        if not self.is_numeric:
            return f"{size}, {self._classes()}"
        quantity = f"{size}; {target.name}: a quantity"
        is_sure = not target.is_whole and target.n_values > MOST_FRACTIONS
        if is_sure or "--target-kind" in (self.result.command or ""):
            return quantity
        values = "whole numbers" if target.is_whole else "values"
        hint = self.option("", "; --target-kind class if these are classes")
        return f"{quantity}, {target.n_values:,} different {values}{hint}"

    def _classes(self) -> str:
        """Return the number of classes, with a hint if they may be amounts."""
        number = count(len(self.result.table.target.classes), "class", "classes")
        codes = self._maybe_amounts()
        if not codes:
            return number
        some = ", ".join(map(str, codes[:6])) + (", ..." if len(codes) > 6 else "")
        if codes[-1] - codes[0] == len(codes) - 1:
            some = f"{codes[0]} to {codes[-1]}"
        hint = self.option("", "; --target-kind numeric if these are amounts")
        return f"{number} ({some}{hint})"

    def columns(self) -> Listing:
        """Return the selected features, and in how many folds each was selected."""
        found, check = self.listing(), self.result.check
        is_given = self.result.exchange is not None  # in every fold
        if check is None or not check.selections or self.result.has_groups or is_given:
            return found
        taken, folds = check.taken, check.folds
        rows = [(*row, f"{taken.get(row[0], 0)} of {folds}") for row in found.rows]
        return Listing((*(found.titles or ("feature",)), "in folds"), rows)

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield labeled sentences, without final periods."""
        check = self.result.check
        if self.result.exchange is not None:
            yield "exchange", exchange_sentences(self, self.result.exchange).rstrip(".")
        elif check is not None and check.taken:
            yield "in folds", check.taken_in_words()
        if (noise := self.noise()) is not None:
            yield "noise", noise
        yield from self._own_facts()
        yield "search", self.spent()

    def numbers(self) -> Iterator[Fact]:
        """Yield the numbers at the top of a report."""
        result, check = self.result, self.result.check
        n_offered, noun = self.offered()
        allowed = " allowed" if noun != "feature" else ""
        yield Fact("Features", f"{len(result.selected):,}", f"of {n_offered:,}{allowed}")
        yield from self._own_numbers()
        if check is not None and check.selected and check.all and not self.has_all:
            known = f"all: {score_shown(check.all.best)}, chance: {score_shown(check.chance)}"
            label = f"{capitalized(check.metric)} of the best model"
            yield Fact(label, score_shown(check.selected.best), known)
        n_classes = count(len(result.table.target.classes), "class", "classes")
        kind = "numeric target" if self.is_numeric else f"in {n_classes}"
        yield Fact("Samples", f"{result.table.n_samples:,}", kind)

    def alikes(self) -> Iterator[tuple[str, str]]:
        """Yield a label and a sentence, without a period, for columns that are nearly identical."""
        for label, groups, verbs, end in (
            ("copies", self.result.copies, ("says", "say"), "the same as {kept}"),
            ("correlated", self.result.correlated, ("orders", "order"),
             "the samples nearly as {kept} (a rank correlation of 0.98 or more)"),
        ):  # fmt: skip
            for group in groups[:MAX_NAMED]:
                others = named(self.result.names(group.others))
                kept = named(self.result.names((group.feature,)))
                verb = verbs[len(group.others) > 1]
                yield label, f"{others} {verb} {end.format(kept=kept)}"
            if n_more := len(groups[MAX_NAMED:]):
                more = count(n_more, "more group of columns", "more groups of columns")
                yield label, f"and {more}"

    def alikes_title(self) -> str:
        """Return how many columns are copies or strongly correlated."""
        n_copies = sum(len(group.others) for group in self.result.copies)
        n_correlated = sum(len(group.others) for group in self.result.correlated)
        parts = [count(n_copies, "copy", "copies")] if n_copies else []
        parts += [count(n_correlated, "strongly correlated column")] if n_correlated else []
        return " and ".join(parts)

    def stopped(self) -> str:
        """Return why the search ended, in a word or two."""
        reason = self.result.stop_reason
        if reason.startswith("max_"):
            return f"stopped by {self.option(reason, '--' + reason.replace('_', '-'))}"
        return STOPPED.get(reason, reason)

    def spent(self) -> str:
        """Return the search, why it ended and what it took, without a final period."""
        result = self.result
        before = f" ({result.n_resumed:,} before resuming)" if result.n_resumed else ""
        spent = f"{result.n_evaluations:,} evaluations{before}, {result.seconds:.1f} s"
        return f"{result.settings.get('search')}, {self.stopped()} after {spent}"

    def features_title(self, *, has_pictures: bool) -> str:
        """Return the title of the section on the selected features."""
        if not has_pictures:
            return "What each feature contributes"
        by = "and the target" if self.is_numeric else "by class"
        return f"The selected features {by}"

    def features_lead(self) -> str:
        """Return what the pictures and numbers of the selected features show."""
        result, sample = self.result, self.result.data_sample
        measured = f"The number next to a feature is the change of {self.score} without it."
        if not result.is_explained:
            why = f"because {result.why_unexplained}"
            measured = f"How {self.score} changes without each of them was not measured, {why}."
        if sample is None:
            return measured
        n_classes, n_drawn = len(result.table.target.classes), len(sample.targets)
        is_part = n_drawn < result.table.n_samples
        has_every = 0 < n_classes == len(set(sample.targets)) and is_part
        every = ", with some of every class" if has_every else ""
        return f"Drawn from {self.drawn()}{every}. {measured}"

    def drawn(self) -> str:
        """Return how many samples are drawn."""
        sample, n_samples = self.result.data_sample, self.result.table.n_samples
        n_drawn = 0 if sample is None else len(sample.targets)
        if n_drawn == n_samples:
            return f"all {count(n_drawn, 'sample')}"
        return f"{n_drawn:,} random samples of {n_samples:,}"

    def without(self, one: Explanation) -> str:
        """Return what happens without a feature, as a sentence."""
        before, after = self.number(one.dependency), self.number(one.dependency_without)
        if before == after:
            before, after = both_told(one.dependency, one.dependency_without)
        if before == after:
            return f"Without it, {self.score} stays at {before}."
        moves = "rises" if one.lost < 0 else "falls"
        affected = self._affected(one.n_affected) if one.n_affected else ""
        end = f"; {affected}." if affected else "."
        return f"Without it, {self.score} {moves} from {before} to {after}{end}"

    def sample(self, sample: int) -> str:
        """Return what a sample is called: its label, its line in the file, or its index."""
        name, rows = self.result.row_name(sample), self.result.rows
        if rows is None:
            return f"sample {name}"
        return name if rows.kind == "label" else f"{rows.kind} {name}"

    def named_by(self) -> str:
        """Return how samples are named, as a sentence."""
        return NAMED_BY[None if self.result.rows is None else self.result.rows.kind]

    def target(self, text: str) -> str:
        """Return a class or a numeric target, named as such where it is a bare number."""
        if self.is_numeric:
            return f"target {text}"
        return f"class {text}" if text.replace(".", "", 1).lstrip("-").isdigit() else text

    def accuracy(self) -> str:
        """Return what the accuracy of nearest neighbors is called."""
        what = f"{'balanced ' * self.is_by_class}kNN {'R²' if self.is_numeric else 'accuracy'}"
        return f"{what} on these rows (optimistic)"

    @property
    def has_costs(self) -> bool:
        """Whether features have costs, so that subsets are compared by these."""
        return self.result.cost is not None

    def priced(self, subset: Subset) -> str:
        """Return the size of a subset, or what it costs."""
        if subset.cost is not None:
            return f"a cost of {subset.cost:.10g}"
        return count(subset.size, "feature")

    def set_aside(self, subset: Subset) -> str:
        """Return which samples lose membership by a subset."""
        if not subset.n_lost:
            return "no sample"
        names = [self.sample(one) for one in subset.lost[:MAX_NAMED]]
        n_more = subset.n_lost - len(names)
        more = f" and {n_more:,} more" if names and n_more else ""
        some = f": {named(names)}{more}" if names else ""
        return f"{count(subset.n_lost, 'sample')}{some}"

    def fewer(self) -> str:
        """Return the best scores of smaller subsets, each better than those of fewer features."""
        best, points = -inf, []
        for point in self.result.front:
            if point.price < self.result.price and point.dependency > best:
                best = point.dependency
                points.append(point)
        return ", ".join(
            f"{f'{one.price:.10g}' if place else self.priced(one)}: "
            f"{told_apart(one.dependency, self.result.dependency)}"
            for place, one in enumerate(points[-MAX_NAMED:])
        )


class ScoredWords(Words):
    """Sentences about the scores of a custom measure."""

    measured = "score"
    is_bounded = False

    def __init__(self, result: Result, measure: str) -> None:
        super().__init__(result)
        self._measure = measure

    def number(self, value: float) -> str:
        """Return a score as text; it may be of any size."""
        return f"{value:.4g}"

    def headline(self) -> str:
        """Return the scores of the selected features and of all."""
        start, others = self._part_of_all()
        verb = "scores" if len(self.result.selected) == 1 else "score"
        ours, full = self.number(self.result.dependency), self.number(self.result.full_dependency)
        return f"{start} {verb} {ours}; {others}: {full}"

    def standing(self) -> Standing:
        """Return that nothing is proven."""
        return self._found("")

    def reasons(self) -> list[str]:
        """Return the name of the measure, and the scores."""
        return [
            f"By the measure {self._measure}, the selected features score "
            f"{self.result.dependency:.6g}, all features {self.result.full_dependency:.6g}."
        ]

    def _own_facts(self) -> Iterator[tuple[str, str]]:
        result = self.result
        yield "score", f"{result.dependency:.6g}; all features {result.full_dependency:.6g}"
        yield "measure", self._measure

    def _own_numbers(self) -> Iterator[Fact]:
        full = self.number(self.result.full_dependency)
        yield Fact("Score", self.number(self.result.dependency), f"all features {full}")
