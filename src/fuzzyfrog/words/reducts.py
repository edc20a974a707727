"""What may be said of reducts: how far they are proven, and nothing about new samples."""

from collections.abc import Iterator
from math import fsum

from fuzzyfrog.common.messages import MAX_NAMED, capitalized, count, gamma, named, percent
from fuzzyfrog.result import Subset
from fuzzyfrog.words.common import Ambiguous, Examples, Fact, Front, Listing
from fuzzyfrog.words.proofs import ProofWords

CHEAPER_SHARES = (0.95, 0.9, 0.8)  # of the dependency: far fewer features may be enough for these
LOW_DEPENDENCY = 0.5  # of all features: below this, even they leave most samples mixed up
ELBOW_SHARE = 0.95  # of the dependency of the selected features


class ReductWords(ProofWords):
    """Sentences about reducts."""

    measured = "dependency"
    is_monotone = True
    brief = (
        "measured", "dependency", "cost", "gaps", "set aside", "survives", "size", "enough",
        "as good", "core", "curve", "trade-off",
    )  # fmt: skip

    @property
    def added(self) -> tuple[int, ...]:
        """No features: the front has the best subset of each size."""
        return ()

    @property
    def elbow(self) -> Subset | None:
        """The smallest subset of the front that keeps most; None if no smaller one does."""
        result, required = self.result, ELBOW_SHARE * self.result.dependency
        enough = [
            one for one in result.front if one.price < result.price and one.dependency >= required
        ]
        return min(enough, key=lambda one: one.price, default=None)

    @property
    def _is_part(self) -> bool:
        """Whether the headline says how well a part of the features does, and what it costs."""
        is_free = self.result.asked_size is self.result.settings.get("must_include") is None
        finds_all = len(self.result.selected) > 1 and self.has_all and is_free
        return not (self.is_useless or finds_all)

    def headline(self) -> str:
        """Return how well the selected features separate these samples."""
        result = self.result
        if self.is_useless:
            return f"No feature separates {self._goal}, nor do all of them together"
        if not self._is_part:
            return self._all_of_them()
        start, others = self._part_of_all()
        share = min(1.0, result.dependency / result.full_dependency)
        how = "as well as" if share == 1.0 else f"{percent(share)} as well as"
        verb = "separates" if len(result.selected) == 1 else "separate"
        are = "is" if self._survives == 1 else "are"
        despite = f", even if any {self._so_many} {are} lost" if self._survives else ""
        if result.chosen.n_lost:
            despite += f"; {count(result.chosen.n_lost, 'sample is', 'samples are')} set aside"
        if result.cost is not None:
            despite += f", for a cost of {result.cost:.10g} of {self._full_cost:.10g}"
        return f"{start} {verb} these samples {how} {others} do{despite}"

    def _all_of_them(self) -> str:
        n_offered, noun = self.offered()
        if self.result.is_core_alone:
            return f"All {n_offered:,} {noun}s are needed to separate these samples this well"
        none = f"No subset of the {n_offered:,} {noun}s was found"
        is_done = self.result.stop_reason == "converged"
        end = "" if is_done else f" before the search was {self.stopped()}"
        return f"{none} that separates these samples as well{end}"

    def unchecked(self) -> str | None:
        """Return a sentence that keeps a reduct from being taken for a prediction.

        None if models were tried, or if nothing is left out.
        """
        check = self.result.check
        if (check is not None and check.scores) or self.has_all:
            return None
        return (
            "Models were not tried, so this says nothing about predicting new samples; for that, "
            f"see {self._soft}."
        )

    def _own_doubts(self) -> list[str]:
        full = self.result.full_dependency
        if not 0 < full < LOW_DEPENDENCY:
            return []
        return [
            "Even all columns together separate these samples poorly: their dependency is "
            f"{full:.3f} on a scale from 0 to 1."
        ]

    def _way_out(self) -> str:
        check = self.result.check
        if check is None or check.soft is None or check.all is None or check.selected is None:
            return f"For prediction, use {self._soft}."
        if check.soft.minus(check.all).is_loss:
            return f"For prediction, keep all columns; {self._soft} does worse, too."
        change, names = check.soft.minus(check.selected), check.soft_features
        if len(names) == self.result.n_allowed == len(self.result.selected):
            return f"For prediction, keep all columns; so does {self._soft}."
        if change.is_loss:
            return f"For prediction, keep the selected columns; {self._soft} does worse."
        is_lost = check.selected.minus(check.all).is_loss
        is_higher = check.soft.best > check.selected.best
        selects = f"it selects {count(len(names), 'column')} ({named(names)})"
        if change.is_gain or (is_lost and is_higher):
            return f"For prediction, use {self._soft}: {selects}."
        is_better = is_higher or len(names) < len(self.result.selected) or any(self._noisy())
        if is_better and not is_lost:
            return f"For prediction, use {self._soft}: {selects}; {change.in_words()}."
        kept = "all" if is_lost else "the selected"
        return f"For prediction, keep {kept} columns; {self._soft} scores no higher."

    def _may_be_noise(self) -> str:
        return "A column that separates these samples may be noise"

    def listing(self) -> Listing:
        """Return the selected features, and how many of the other subsets have each."""
        result = self.result
        if result.n_reducts == 1:
            return super().listing()
        title = "in equally good subsets" if self.are_equal else "in such subsets"
        rows: list[tuple[str, ...]] = [
            (name, f"{result.answer.feature_frequency[feature]:.0%}")
            for feature, name in zip(result.selected, result.names(result.selected), strict=True)
        ]
        return Listing(("feature", title), rows)

    def _shortcut(self) -> str | None:
        """Return which share of the dependency far fewer features keep, if it is worth a try.

        None if a share or a number of features was given, if the search was stopped, or if no such
        subset was found.
        """
        result = self.result
        is_plain = result.asks_for_all and result.asks_for_fewest and not self.is_useless
        is_plain &= result.max_lost is None
        if not is_plain or not result.is_enough or result.stop_reason != "converged":
            return None
        for share in CHEAPER_SHARES:
            enough = share * result.full_dependency
            enough_for = (one for one in result.front if one.dependency >= enough)
            least = min(enough_for, key=lambda one: one.price, default=None)
            if least is not None and least.price < result.price:
                option = self.option(f"min_dependency={share:g}", f"--min-dependency {share:g}")
                are = "are" if least.cost is None and least.size > 1 else "is"
                return f"with {option}, {self.priced(least)} {are} enough"
        return None

    def _own_facts(self) -> Iterator[tuple[str, str]]:
        result, standing, missed = self.result, self.standing(), ""
        if not (result.is_enough or result.asks_for_all) and result.is_lexicographic:
            missed = f", below the required {result.asked_share * result.full_dependency:.4f}"
        if result.full_dependency < 1:
            missed += ", on a scale from 0 to 1"
        yield "dependency", f"{result.dependency:.4f} of {result.full_dependency:.4f}{missed}"
        if result.cost is not None and not self._is_part:
            yield "cost", f"{result.cost:.10g} of {self._full_cost:.10g}"
        if gaps := self._gaps():
            yield "gaps", gaps
        if result.estimate is not None:
            yield "measured", result.estimate
        if result.chosen.n_lost is not None:
            yield "set aside", self.set_aside(result.chosen)
        if self._survives:
            yield (
                "survives",
                f"the loss of any {self._so_many}; dependencies are those after the worst loss",
            )
        is_proof = standing.line == str(result.certificate)
        start = "" if is_proof else f"{len(result.selected):,}, "
        yield "size", f"{start}{standing.line}"
        if not self.is_useless:
            yield from self._others()
            if result.max_lost is None:
                core = named(result.names(result.core or ()))
                yield "core", f"{core}: {self._about_core()}" if core else self._about_core()
        yield from self.alikes()
        if fewer := self.fewer():
            which = ("cheaper", "for") if self.has_costs else ("fewer", "with")
            if result.max_lost is None:
                yield which[0], f"best dependency {which[1]} {fewer}"
            else:
                yield "curve", f"fewest samples set aside that were found {which[1]} {fewer}"
        if shortcut := self._shortcut():
            yield "trade-off", shortcut

    def fewer(self) -> str:
        """Return what smaller subsets reach, or how many samples they set aside."""
        result = self.result
        if result.max_lost is None:
            return super().fewer()
        smaller = [one for one in result.front if one.price < result.price]
        return ", ".join(f"{self.priced(one)}: {one.n_lost:,}" for one in smaller[-MAX_NAMED:])

    def _gaps(self) -> str | None:
        """Return what the missing values of the selected features count as."""
        result = self.result
        columns = [result.table.features[one] for one in result.selected]
        gaps = [f"{one.name} {one.n_missing:,}" for one in columns if one.n_missing]
        rule = result.settings.get("missing")
        if not gaps or rule not in ("similar", "different"):
            return None
        to = "to every value" if rule == "similar" else "from every value"
        return f"missing values ({named(gaps)}) count as {rule} {to}"

    @property
    def _full_cost(self) -> float:
        """What all features that may be selected cost."""
        features = self.result.table.features
        allowed = set(range(len(features))) - set(self.result.excluded)
        return fsum(features[one].cost or 0.0 for one in allowed)

    def _own_numbers(self) -> Iterator[Fact]:
        result = self.result
        full = f"all features: {gamma(result.full_dependency)}"
        yield Fact("Dependency", gamma(result.dependency), full)
        if result.cost is not None:
            yield Fact("Cost", f"{result.cost:.10g}", f"all features: {self._full_cost:.10g}")
        if result.n_reducts > 1:
            label = "Equally good subsets" if self.are_equal else f"Subsets that keep {self._asked}"
            found = "all there are" if self._lists_all else "found"
            yield Fact(label, f"{result.n_reducts:,}", found)

    def reasons(self) -> list[str]:
        """Return what the score is, whether each feature is needed, and what else is as good."""
        shortcut = self._shortcut()
        more = [] if shortcut is None else [f"{capitalized(shortcut)}."]
        if more and self.has_all:
            more = [
                f"No feature can be left out without a loss, but {shortcut}. A feature that "
                "separates these samples need not help with new ones: noise differs from sample to "
                "sample, too."
            ]
        return [self._quality(), self._need(), self._choice(), *more]

    def meaning(self) -> str:
        """Return what the score is, without a final period."""
        others = "with another target" if self.is_numeric else "of other classes"
        return (
            f"The dependency (γ) is how clearly samples stand apart from those {others}, on "
            "average: 0 not at all, 1 completely"
        )

    def _quality(self) -> str:
        result = self.result
        everything = "All features but the excluded ones" if result.excluded else "All features"
        kept = f"{everything} together reach {gamma(result.full_dependency)}"
        if result.dependency == result.full_dependency:
            return f"{self.meaning()}. {kept}, and so do the selected ones."
        missed = ""
        if not result.asks_for_all and not result.is_enough:
            required = result.asked_share * result.full_dependency
            missed = f", less than the {gamma(required)} asked for"
        return f"{self.meaning()}. {kept}, the selected ones {gamma(result.dependency)}{missed}."

    def _need(self) -> str:
        if not self.result.is_explained:
            why = f"because {self.result.why_unexplained}"
            return f"How much the dependency falls without each of them was not measured, {why}."
        if self._survives:
            left = "the dependency given is what is left after the worst loss"
            return f"Any {self._so_many} may be lost: {left}."
        losses = [one.lost for one in self.result.explanations]
        if min(losses) <= 0:
            n_idle = sum(loss <= 0 for loss in losses)
            return f"{count(n_idle, 'selected feature')} could be left out without any loss."
        if len(losses) == 1:
            return "A single feature does all the work."
        return (
            f"Each of the {len(losses):,} is needed: leaving one out lowers the dependency by "
            f"{gamma(min(losses))} to {gamma(max(losses))}."
        )

    def front(self) -> Front:
        """Return what to call the best subsets of each size, and the elbow."""
        each, fewest, point = "number of features", "fewest", "best found of its size"
        if self.has_costs:
            each, fewest, point = "cost", "cheapest", "best found for its cost"
        lead, bend = f"The best dependency found for each {each}.", self.elbow
        if self._survives:
            lead = f"{lead.rstrip('.')}, after the worst loss of any {self._so_many}."
        if bend is not None:
            left = gamma(max(0.0, self.result.full_dependency - bend.dependency))
            lead += (
                f" The elbow is the {fewest} features that keep 95% of the dependency of the "
                f"selected ones: {self.priced(bend)} with {gamma(bend.dependency)}. All further "
                f"features together add {left}."
            )
        if self.result.max_lost is not None:
            lead = (
                f"For each {each}, the subset found with the fewest samples set aside. Such a "
                "sample is closer to an enemy than by all features: it may be an outlier. It still "
                "counts as an enemy of the others."
            )
        title = "Cost against dependency" if self.has_costs else "The cost of fewer features"
        return Front(title, lead, "The front as a table", point)

    def _affected(self, n_affected: int) -> str:
        closer = "a different target" if self.is_numeric else "another class"
        gets = "gets" if n_affected == 1 else "get"
        return f"{count(n_affected, 'sample')} {gets} closer to {closer}"

    def examples(self) -> Examples:
        """Return what to call the pairs of samples that need a feature."""
        other = "a different target" if self.is_numeric else "another class"
        differ = "with different targets" if self.is_numeric else "of different classes"
        return Examples(
            noun="pair of samples that needs it",
            nouns="pairs of samples that need it",
            only="only this feature tells apart",
            lead=f"Samples that move closer to {other}",
            note=f"Samples {differ}, and their distance from 0 (identical) to 1 (clearly apart)",
            caption="Pairs of samples told apart by",
            other="enemy",
            other_title="Its enemy",
            value="distance",
            explained="Distances are measured on the selected features and capped at 1.",
        )

    def ambiguous(self) -> Ambiguous:
        """Return what to call the samples that do not stand apart."""
        result = self.result
        others = "with a different target" if self.is_numeric else "of other classes"
        nearest = "with a different target" if self.is_numeric else "of another class"
        do = "does" if result.n_ambiguous == 1 else "do"
        of_all = f"{result.n_ambiguous:,} of {count(result.table.n_samples, 'sample')}"
        return Ambiguous(
            title="Ambiguous samples",
            lead=f"{of_all} {do} not stand clearly apart from samples {others}.",
            listed=f"Each is listed with its nearest enemy, the most similar sample {nearest}.",
            worst=("most ambiguous sample", "most ambiguous samples"),
            other="nearest enemy",
        )
