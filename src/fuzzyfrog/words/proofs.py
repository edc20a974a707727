"""How far reducts are proven, what else is as good, and what nothing can replace."""

from collections.abc import Iterator

from fuzzyfrog.common.messages import capitalized, count, named
from fuzzyfrog.words.common import Standing, Words

ABOUT_PART = (
    "The search saw only a random part of the samples. The interval is for the dependency of the "
    "selected features on all samples and comes from samples that the search did not see. Nothing "
    "is proven. What the sections below say about single features and samples was measured on all "
    "samples."
)
ABOUT_SAMPLES = "This is about these samples, not about how well models predict new ones."


class ProofWords(Words):
    """Sentences about what is proven of reducts."""

    kind = "strict measure"

    @property
    def is_useless(self) -> bool:
        """Whether all features together separate nothing."""
        return self.result.full_dependency <= 0

    @property
    def _goal(self) -> str:
        if self.is_numeric:
            return "samples with high targets from those with low ones"
        return "samples of different classes"

    @property
    def _survives(self) -> int:
        """Number of features that may be lost; 0 if the run ended before any loss was tried."""
        return self.result.survives if self.result.n_evaluations else 0

    @property
    def _so_many(self) -> str:
        return "one of them" if self._survives == 1 else f"{self._survives} of them"

    def standing(self) -> Standing:
        """Return what is proven, checked or open."""
        result, proof, size = self.result, self.result.certificate, self.size
        certify = self.option("certify=True", "--certify")
        prove = f"A run with {certify} tries to prove it."
        if self.is_useless:
            title = f"{size}, because something must be selected."
            text = f"No feature separates {self._goal}; the table needs other features."
            return Standing("open", title, text, "because at least one feature must be selected")
        if result.survives > self._survives:
            text = f"The search was {self.stopped()} before any loss was tried."
            line = f"not known to survive a loss: the search was {self.stopped()}"
            return Standing("open", "Not known to survive a loss.", text, line)
        if result.is_core_alone and not (proof is not None and proof.proven):
            return self._by_core()
        if result.estimate is not None:
            line = "not proven: a sample of the rows cannot prove it"
            return Standing("open", f"{capitalized(result.estimate)}.", ABOUT_PART, line)
        if proof is not None:
            title, _, text = str(proof).partition(". ")
            state = "proven" if proof.proven else "open"
            return Standing(state, f"{title}.", f"{text} {ABOUT_SAMPLES}", str(proof))
        if result.asked_size is not None:
            text = f"It is not proven that no other subset of {size} is better. {prove}"
            line = f"as requested; {certify} tries to prove that no others are better"
            return Standing("open", f"{size}, as asked for.", text, line)
        is_single = len(result.selected) == 1 and not self.has_costs
        if is_single and result.asks_for_fewest and result.is_enough:
            text = (
                f"No subset is smaller. A run with {certify} lists other features that are as good."
            )
            title = "1 feature is the fewest there can be."
            return Standing("proven", title, text, "the fewest possible")
        smaller, best = "smaller", "smallest" if result.is_lexicographic else "best"
        if self.has_costs:
            smaller, best = "cheaper", "cheapest"
        line = f"not proven to be the {best}; {certify} tries to prove it"
        if result.asks_for_fewest and not result.is_enough and result.stop_reason != "converged":
            line = f"too few: {self.stopped()}"
        # Features that must be included were never left out to check.
        is_free = result.settings.get("must_include") is None
        if is_free and any(
            one.minimal for one in result.reducts if one.features == result.selected
        ):
            text = f"It is not proven that no {smaller} subset is as good. {prove}"
            despite = f" if any {self._so_many} may be lost" if self._survives else ""
            return Standing("checked", f"None of them can be left out{despite}.", text, line)
        text = (
            f"This is the best subset that the search found; a {smaller} one may be as good. Give "
            f"the search more time, or run it with {certify}."
        )
        return Standing("open", "Not proven.", text, line)

    def _by_core(self) -> Standing:
        are, they_are = ("is", "It is") if len(self.result.selected) == 1 else ("are", "They are")
        title = f"{self.size} {are} the fewest, and there is no other reduct."
        text = (
            f"{they_are} the core, which nothing can replace, and the core alone keeps the "
            f"dependency of all features. {ABOUT_SAMPLES}"
        )
        line = "proven for these samples: the core alone is enough, so no subset is smaller"
        return Standing("proven", f"Proven for these samples: {title}", text, line)

    @property
    def are_equal(self) -> bool:
        """Whether the subsets next to the selected one are as good, rather than good enough."""
        result = self.result
        return result.asks_for_all or not result.is_enough or result.asked_size is not None

    @property
    def _asked(self) -> str:
        return f"{100 * self.result.asked_share:.6g}%"

    def alike(self) -> str:
        """Return what to call the subsets next to the selected one, in the plural."""
        if self.are_equal:
            return super().alike()
        size = f" of {self.size}" if self.result.is_lexicographic else ""
        if self.has_costs:
            size = f" {self._at_this_cost}"
        return f"subsets{size} that keep at least {self._asked}"

    @property
    def _lists_all(self) -> bool:
        return self.result.certificate is not None and self.result.certificate.all_listed

    @property
    def _at_this_cost(self) -> str:
        return f"at a cost of {self.result.cost:.10g}"

    def _others(self) -> Iterator[tuple[str, str]]:
        """Yield how many other subsets are as good, unless the certificate says so."""
        result, are_all = self.result, self._lists_all
        if not self.are_equal and result.n_reducts > 1:
            yield "enough", f"{'' if are_all else 'found '}{result.n_reducts:,} {self.alike()}"
        elif not self.are_equal and not are_all:
            yield "enough", f"found no other subset that keeps at least {self._asked}"
        elif result.certificate is None:
            yield "as good", self._as_good()

    def _as_good(self) -> str:
        result, size = self.result, f"of size {len(self.result.selected):,}"
        if result.is_core_alone:
            return "no other subset of this size (by the same proof)"
        if self.has_costs:
            size = self._at_this_cost
        if result.n_reducts == 1:
            return f"found no other subset {size}"
        n_checked = sum(bool(one.minimal) for one in result.reducts)
        is_checked = n_checked == result.n_reducts and result.settings.get("must_include") is None
        spare = "; every feature in them is needed" if is_checked else ""
        return f"found {result.n_reducts:,} subsets {size}{spare}"

    def _choice(self) -> str:
        result, are_all = self.result, self._lists_all
        if result.is_core_alone:
            return (
                "There is no other reduct: every subset that is as good has all of these features."
            )
        if result.n_reducts == 1:
            good = "as good" if self.are_equal else "enough"
            none = "There is no" if are_all else "The search found no"
            which = self._at_this_cost if self.has_costs else f"of {self.size}"
            return f"{none} other subset {which} that is {good}."
        found = "There are exactly" if are_all else "The search found"
        of_what = "" if self.are_equal else " of the dependency of all features"
        reducts = result.reducts
        is_first = len(reducts) == result.n_reducts and reducts[0].features == result.selected
        first = "; this one has the features that most of them share" if is_first else ""
        return f"{found} {result.n_reducts:,} {self.alike()}{of_what}{first}."

    def _about_core(self) -> str:
        """Return what the core is, to follow the names of its features if it has any."""
        result = self.result
        if result.core is None:
            is_late = result.stop_reason != "interrupted" and result.settings.get("max_seconds")
            why = "the time limit was reached" if is_late else "the run was interrupted"
            return f"not determined: {why}"
        if result.asks_for_all and result.asked_size is None:
            nothing, something = "every feature can be replaced by others", "cannot be replaced"
            if any(group.feature in result.core for group in result.copies):
                something += ", except by copies"
        else:
            goal = "match all features together" if result.asks_for_all else f"keep {self._asked}"
            nothing, something = f"no single feature is needed to {goal}", f"needed to {goal}"
        if not result.core:
            return f"empty: {nothing}"
        return f"{something}{self._missing_core(result.core)}"

    def _missing_core(self, core: tuple[int, ...]) -> str:
        """Return which features of the core are not selected, as after a search cut short."""
        result, missing = self.result, sorted(set(core) - set(self.result.selected))
        if not missing:
            return ""
        are = "is" if len(missing) == 1 else "are"
        which = f"; {named(result.names(missing))} {are} not selected"
        if result.asked_size is not None:
            were = "was" if result.asked_size == 1 else "were"
            return f"{which}, because {count(result.asked_size, 'feature')} {were} asked for"
        if result.stop_reason == "converged":
            return which
        return f"{which}, because the search was {self.stopped()}"

    def core(self) -> tuple[str, tuple[int, ...], str]:
        """Return a sentence about the core: its start, the features to name, and its end."""
        if self.result.max_lost is not None:
            return "There is no core if samples may be set aside.", (), ""
        if not self.result.core:
            return f"The core is {self._about_core()}.", (), ""
        return "The core is", self.result.core, f": {self._about_core()}."
