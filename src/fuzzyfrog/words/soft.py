"""What may be said of features to predict with."""

from collections.abc import Iterator

from fuzzyfrog.common.messages import count, gamma, named, percent
from fuzzyfrog.result import Result, SoftPath
from fuzzyfrog.result.check import shown as score_shown
from fuzzyfrog.words.columns import substitutes_line
from fuzzyfrog.words.common import Ambiguous, Examples, Fact, Listing, Standing, Words

OFTEN = 0.75  # share of a class from which on always predicting it is hard to beat


class SoftWords(Words):
    """Sentences about features to predict with."""

    measured = "soft dependency"
    kind = "soft measure"
    brief: tuple[str, ...] = ("measured", "substitute")

    def __init__(self, result: Result) -> None:
        super().__init__(result)
        self.is_by_class = isinstance(result.answer, SoftPath) and result.answer.by_class
        if self._usual >= OFTEN and result.chosen_accuracy is not None:
            self.brief = (*self.brief, "kNN")

    @property
    def _chance(self) -> float:
        return self.result.chance or 0.0

    @property
    def is_useless(self) -> bool:
        """Whether the selected features do no better than chance."""
        return self.result.dependency <= self._chance

    def headline(self) -> str:
        """Return how well models, or else neighbors, do with the selected features."""
        result, chance = self.result, percent(self._chance)
        if (verdict := self.verdict()) is not None:
            return verdict
        if self.is_useless:
            return f"No subset does better than chance ({chance})"
        start, others = self._part_of_all("column")
        if self.has_all:
            start = f"all {start.split(' of ', 1)[1]}"
        ours, theirs = percent(result.dependency), percent(result.full_dependency)
        everything = "" if self.has_all else f"{others}: {theirs}, "
        what = f"share their class {ours} of the time"
        if self.is_numeric:
            what = f"have targets {ours} alike"
        figures = f"{everything}chance: {chance}"
        return (
            f"Judged by {start}, similar samples {what} ({figures}), which is optimistic: the "
            "columns were chosen on these samples"
        )

    def listing(self) -> Listing:
        """Return the selected features in the order in which a greedy search added them."""
        added = self.added[: len(self.result.selected)]
        steps = {one.size: one for one in self.result.front}
        if set(added) != set(self.result.selected) or len(added) > len(steps):
            return super().listing()
        rows: list[tuple[str, ...]] = []
        for size, name in enumerate(self.result.names(added), start=1):
            step = steps.get(size)
            if step is None:
                rows.append((name, "", ""))
                continue
            right = "" if step.accuracy is None else score_shown(step.accuracy)
            rows.append((name, f"{step.dependency:.3f}", right))
        right = "kNN R²" if self.is_numeric else "kNN accuracy"
        right = "balanced kNN" if self.is_by_class else right
        return Listing(("feature added", "soft dependency", f"{right} (optimistic)"), rows)

    def size_reason(self) -> str:
        """Return why there are as many features as there are, without a final period."""
        result = self.result
        if result.asked_size is not None:
            return "as requested"
        if not result.added or result.chosen_accuracy is None:
            return "the highest soft dependency that was found"
        if n_redundant := len(result.redundant):
            n_taken, rule = len(result.selected) + n_redundant, result.settings.get("size_rule")
            how = self.option(f"size_rule={rule!r}", "the size rule")
            are = "is" if n_redundant == 1 else "are"
            return f"{n_taken} by {how}, less {n_redundant} that {are} redundant"
        peak = max(result.front, key=lambda one: one.dependency)
        best = max(result.front, key=lambda one: one.accuracy or float("-inf")).size
        right = "neighbors predict best" if self.is_numeric else "neighbors vote best"
        reasons = {
            "peak": "where the soft dependency is highest",
            "accuracy": f"where {right}",
            "one-se": f"the fewest with which neighbors predict no worse than with {best}, up to "
            "one standard error",
        }
        rule = str(result.settings.get("size_rule"))
        if rule in reasons:
            return reasons[rule]
        if len(result.selected) == peak.size:
            return reasons["peak"] + (f" and {right}" if peak.size == best else "")
        reason = reasons["accuracy" if len(result.selected) == best else "one-se"]
        highest = f"the soft dependency is highest with {peak.size:,}, {peak.dependency:.3f}"
        return f"{reason}; {highest}"

    def _own_facts(self) -> Iterator[tuple[str, str]]:
        result = self.result
        yield (
            "soft",
            f"dependency {result.dependency:.4f}; all features {result.full_dependency:.4f}, "
            f"chance {self._chance:.4f}"
            + ("; samples count for more the rarer their class is" if self.is_by_class else ""),
        )
        if result.chosen_accuracy is not None:
            usual = f"; always the most frequent class: {self._usual:.3f}" if self._usual else ""
            yield "kNN", f"{self.accuracy()}: {result.chosen_accuracy:.3f}{usual}"
        if result.estimate is not None:
            yield "measured", result.estimate
        yield "size", f"{len(result.selected):,}, {self.size_reason()}"
        yield from self.alikes()
        if (substitutes := substitutes_line(self.result)) is not None:
            yield "substitute", substitutes
        if fewer := self.fewer():
            yield "fewer", f"soft dependency with {fewer}"

    @property
    def _usual(self) -> float:
        """The accuracy of always predicting the most frequent class; 0 if that is not the score."""
        counts = [one.count for one in self.result.table.target.classes]
        return 0.0 if self.is_numeric or self.is_by_class else max(counts) / sum(counts)

    def _own_numbers(self) -> Iterator[Fact]:
        result = self.result
        others = f"all features: {gamma(result.full_dependency)}, chance: {gamma(self._chance)}"
        yield Fact("Soft dependency", gamma(result.dependency), others)
        right, check = result.chosen_accuracy, result.check
        if right is not None and (check is None or not check.scores):
            yield Fact(self.accuracy(), f"{right:.3f}", "the five nearest others")

    def reasons(self) -> list[str]:
        """Return what the score is, and what each feature adds."""
        result = self.result
        everything = "all features but the excluded ones" if result.excluded else "all features"
        scale = (
            f"{self.meaning()}: {gamma(result.dependency)} with the selected "
            f"features, {gamma(result.full_dependency)} with {everything}, about "
            f"{gamma(self._chance)} with features that say nothing. Noise lowers it, so fewer "
            "features can score higher."
        )
        return [scale, self._need()]

    def meaning(self) -> str:
        """Return what the score is, without a final period."""
        what = "the probability that a random similar sample has the same class"
        if self.is_numeric:
            what = "how alike the targets of similar samples are, from 0 to 1"
        return f"The soft dependency (Γ) is {what}"

    def _need(self) -> str:
        result = self.result
        if not result.is_explained:
            return f"How much each feature adds was not measured, because {result.why_unexplained}."
        losses = [one.lost for one in result.explanations]
        if len(losses) == 1:
            return "A single feature is selected."
        idle = [one.name for one in result.explanations if one.lost <= 0]
        if not idle:
            least, most = gamma(min(losses)), gamma(max(losses))
            return f"Leaving one feature out lowers it by {least} to {most}."
        any_one, them = ("", "it") if len(idle) == 1 else ("any one of ", "them")
        which = f"{any_one}{named(idle)}"
        return (
            f"Leaving out {which} would not lower it: the others make up for {them}, or neighbors "
            f"predict better with {them}."
        )

    def standing(self) -> Standing:
        """Return why the number of features is what it is; nothing is proven."""
        if self.is_useless:
            text = "No subset does better than chance; the table needs other features."
            return Standing("open", f"{self.size}, because something must be selected.", text)
        estimate = self.result.estimate
        part = "" if estimate is None else f"The soft dependency is {estimate}. "
        return self._found(f"Number of features: {self.size_reason()}. {part}")

    def _affected(self, n_affected: int) -> str:
        like = "similar samples less often share the class"
        if self.is_numeric:
            like = "similar samples have less similar targets"
        return f"for {count(n_affected, 'sample')}, {like}"

    def _may_be_noise(self) -> str:
        size = len(self.result.selected)
        these = "This column" if size == 1 else f"Some of these {size:,} columns"
        return f"{these} may be noise"

    def examples(self) -> Examples:
        """Return what to call the samples whose neighborhood gets worse without a feature."""
        how, likely, differ = (
            "how likely a random similar sample shares the class",
            "likely it is that a random similar sample has the same class",
            "of another class",
        )
        if self.is_numeric:
            likely = "alike the targets of similar samples are"
            how, differ = f"how {likely}", "with another target"
        return Examples(
            noun="sample that needs it",
            nouns="samples that need it",
            only="have worse neighbors without it",
            lead="Samples whose neighborhood gets worse",
            note=f"A sample, the sample {differ} that comes closer, and {how}",
            caption="Samples whose neighbors depend on",
            other="closer",
            other_title="Comes closer",
            value="alike",
            explained=f"Alike is how {likely} (the membership). Next to each sample is the unlike "
            "one that comes closer.",
        )

    def ambiguous(self) -> Ambiguous:
        """Return what to call the samples that are unlike their neighbors."""
        result = self.result
        of_all = f"{result.n_ambiguous:,} of {count(result.n_sampled, 'sample')}"
        of_all += " measured" if result.n_sampled < result.table.n_samples else ""
        has, them = ("has", "it") if result.n_ambiguous == 1 else ("have", "them")
        other = "quite different targets" if self.is_numeric else "mostly other classes"
        nearest = "with another target" if self.is_numeric else "of another class"
        return Ambiguous(
            title="Samples unlike their neighbors",
            lead=f"{of_all} {has} neighbors of another kind: the samples most similar to {them} "
            f"have {other}. Models may get {them} wrong; look for errors in the data, or for a "
            "feature that the table lacks.",
            listed=f"Each is listed with the most similar sample {nearest}.",
            worst=("sample least like its neighbors", "samples least like their neighbors"),
            other="most similar sample that differs",
        )
