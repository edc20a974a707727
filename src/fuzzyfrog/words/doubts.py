"""What speaks against an answer, how models do with it, and what to do about it."""

import re
import shlex
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

from fuzzyfrog.common.messages import count, line_of, listed, named, shown
from fuzzyfrog.result import Result
from fuzzyfrog.result.check import IN_ORDER, STANDS_FOR, said_first
from fuzzyfrog.result.check import shown as score_shown
from fuzzyfrog.result.parts import leaks_in_words
from fuzzyfrog.words.columns import change_of_models, let_in_sentences, models_exchanged

NEAR_PERFECT = 0.975  # accuracy or R² that few honest columns allow
RARE = 0.99  # accuracy that few honest columns reach together
WHOLE = re.compile(r"-?[0-9]+(\.0*)?")
SETTLE = "Settle the doubts first: until then, scores do not say which columns to keep."
FEW = 3  # selected features that may all be suspects
FEW_CODES = 5  # of classes, which nobody takes for amounts
OTHER_SIZE = 0.2  # of the columns: by which selections in the folds differ much


class Doubts(ABC):
    """Sentences about how far a result can be trusted; `kind` is what to call the measure."""

    kind = "measure"
    is_by_class = False  # whether samples count for more the rarer their class is

    def __init__(self, result: Result) -> None:
        self.result = result
        self.is_numeric = result.table.target.is_numeric

    @abstractmethod
    def headline(self) -> str:
        """Return what was measured about the selected features, without a final period."""

    def option(self, python: str, typed: str) -> str:
        """Return a parameter as it was given: in Python, or on the command line."""
        return python if self.result.command is None else typed

    @property
    def has_all(self) -> bool:
        """Whether all features that may be selected are."""
        return len(self.result.selected) == self.result.n_allowed

    def offered(self) -> tuple[int, str]:
        """Return the number of features to choose from, and what to call one."""
        noun = "allowed feature" if self.result.excluded else "feature"
        return self.result.n_allowed, noun

    def _part_of_all(self, thing: str = "feature") -> tuple[str, str]:
        """Return how many of the features are selected, and what to call all of them."""
        n_selected, n_offered = len(self.result.selected), self.result.n_allowed
        start = f"{n_selected:,} of {count(n_offered, thing)}"
        n_others = self.result.table.n_features - n_offered
        if not n_others:
            return start, "all columns"
        others = f"{n_others:,} more {'is' if n_others == 1 else 'are'} left out"
        these = f"both {thing}s" if n_offered == 2 else f"all {count(n_offered, thing)}"
        return f"{start} ({others})", these

    @property
    def is_confirmed(self) -> bool:
        """Whether models confirm the answer: they were tried, and nothing speaks against it."""
        exchange, check = self.result.exchange, self.result.check
        change = None if exchange is None else change_of_models(exchange, check)
        is_worse = self.is_refuted or (change is not None and change.is_loss)
        return self.verdict() is not None and not is_worse and not self.doubts()

    @property
    def is_refuted(self) -> bool:
        """Whether models do worse with the selected columns, or no better than chance."""
        check = self.result.check
        if check is None or not check.scores:
            return False
        return not check.is_better_than_chance or (check.loses and not self.has_all)

    def verdict(self) -> str | None:
        """Return how well models do, without a period; None if they were not tried.

        The headline, the models and the report say no other sentence about it.
        """
        check = self.result.check
        if check is None or not check.scores:
            return None
        exchange = self.result.exchange
        if exchange is not None and (said := models_exchanged(exchange, check)) is not None:
            return said
        start, others = self._part_of_all("column")
        if self.has_all:
            start = f"All {start.split(' of ', 1)[1]}"
            start, others = start.replace("All 1 ", "The only "), ""
        return check.verdict(start, others, self._soft)

    @property
    def _soft(self) -> str:
        return self.option("SoftSelector", "fuzzyfrog select")

    def models(self) -> str:
        """Return how well models do, or why it is not known, without a final period."""
        check = self.result.check
        if check is not None:
            return self.verdict() or f"not checked: {check.left_out}".rstrip(".")
        how = self.option(
            "pass the result of fuzzyfrog.check(selector, X, y) to the report",
            "run again without --no-check",
        )
        return f"not checked; {how} to find out"

    def doubts(self) -> list[str]:
        """Return reasons not to trust the selected features, as sentences, the weightiest first.

        Show them before the headline, which says nothing about new samples.
        """
        check, exchange, verdict = self.result.check, self.result.exchange, self.verdict()
        is_lost = self.is_refuted and verdict != self.headline()
        return [
            *(() if exchange is None else let_in_sentences(exchange)),
            *self._leaks(),
            *said_first(self.result.notes),
            *self._not_checked(),
            *([] if check is None or check.far_out is None else [check.far_out]),
            *([f"{verdict}."] if is_lost else []),
            *self._other_sizes(),
            *self._noisy(),
            *self._own_doubts(),
        ]

    def advice(self) -> str | None:
        """Return what to do about the doubts, as a sentence; None if they say it themselves."""
        check, codes = self.result.check, self._maybe_amounts()
        if any(STANDS_FOR in note for note in self.result.notes):
            return SETTLE
        is_chance = check is not None and check.scores and not check.is_better_than_chance
        if is_chance and len(codes) > FEW_CODES:
            numeric = self.option("target='numeric'", "--target-kind numeric")
            return f"{codes[0]} to {codes[-1]} may be amounts, not classes: try {numeric}."
        if check is not None and check.scores and not any(map(check.beats_chance, check.scores)):
            is_loss = check.selected and check.all and check.selected.minus(check.all).is_loss
            if is_loss and check.all and check.may_beat_chance(check.all):
                return "For prediction, keep all columns; more samples would tell more."
            if check.far_out is not None:
                return "If the values far out are errors, correct them or remove their rows."
            if check.has_few_groups:
                return f"To tell whether models can predict at all takes more {check.units}."
            samples = "more samples or " if any(map(check.may_beat_chance, check.scores)) else ""
            return f"For prediction, the table needs {samples}other columns."
        is_worse = self.is_refuted or (check is not None and check.best_loses and not self.has_all)
        is_open = bool([*self._leaks(), *said_first(self.result.notes)])
        if is_worse or [*self._noisy(), *self._own_doubts()]:
            return SETTLE if is_open else self._way_out()
        change = check.selected.minus(check.all) if check and check.selected and check.all else None
        return SETTLE if is_open and change is not None and change.is_gain else None

    def _way_out(self) -> str:
        check = self.result.check
        if check is not None and check.selections and not (self.is_refuted or check.best_loses):
            names = self.result.names(self.result.selected)
            stable = [name for name in names if check.taken.get(name) == check.folds]
            if not stable:
                return "No column is selected in every fold."
            return f"Selected in every fold: {named(stable)}."
        # A selection that fits these samples too well cannot say how many columns others need.
        size = 2 * len(self.result.selected)
        if size >= self.result.n_allowed:
            return "For prediction, keep all columns."
        more = self.option(f"n_features_to_select={size}", f"--n-features {size}")
        return f"For prediction, try twice as many columns ({more}), or keep all columns."

    def _not_checked(self) -> Iterator[str]:
        """Yield why models were not tried, if they should have been."""
        check = self.result.check
        if check is not None and not check.scores:
            yield f"Not checked with models: {check.left_out}"

    def _other_sizes(self) -> Iterator[str]:
        """Yield a sentence if the folds selected other columns, of which the scores are."""
        check, names = self.result.check, self.result.names(self.result.selected)
        if check is None or check.selected is None or self.result.has_groups:
            return
        size, in_folds = len(names), check.selected.n_features
        absent = [one for one in names if one not in check.taken] if check.taken else []
        if abs(in_folds - size) <= OTHER_SIZE * size and not absent:
            return
        never = f" {named(absent)} {'was' if len(absent) == 1 else 'were'} selected in no fold."
        end = never if absent else ""
        average, best = check.selected.average_size, score_shown(check.selected.best)
        if self.has_all:
            yield f"The folds selected {average}, with which the best model scores {best}.{end}"
            return
        these = "this one" if size == 1 else f"these {size:,}"
        said = f"The scores are of selections repeated in the folds ({average}), not of exactly"
        yield f"{said} {these}.{end}"

    def _noisy(self) -> Iterator[str]:
        """Yield a sentence if the measure cannot tell these columns from noise."""
        noise = None if self.result.check is None else self.result.check.noise
        if noise is not None and noise.fails and not self._predicts_alone():
            yield f"{self._may_be_noise()}: {noise}."

    def _predicts_alone(self) -> bool:
        """Whether a single column is selected, in every fold, and clearly better than chance."""
        check, names = self.result.check, self.result.names(self.result.selected)
        is_stable = check is not None and check.taken.get(names[0]) == check.folds
        return len(names) == 1 and is_stable and check is not None and check.is_better_than_chance

    def _maybe_amounts(self) -> list[int]:
        """Return the classes if they are whole numbers that may be amounts, in order."""
        names = [one.name for one in self.result.table.target.classes]
        typed, given = "--target-kind" in (self.result.command or ""), self.result.settings
        is_asked = typed or given.get("target") == "class"
        if self.is_numeric or is_asked or not all(map(WHOLE.fullmatch, names)):
            return []
        codes = sorted(int(float(name)) for name in names)
        few = [0, 1, 2], [1, 2, 3]  # as most codes of classes
        return [] if len(codes) < len(few[0]) or codes in few else codes

    def _leaks(self) -> Iterator[str]:
        """Yield sentences about features whose values may mean nothing for new samples."""
        result = self.result
        for name in result.names(one for one in result.selected if one in result.identifiers):
            yield (
                f"The selected {shown(name)} looks like an ID: what it says about these samples "
                "may not hold for new ones. If it is one, leave it out with "
                f"{self._without([name])}."
            )
        proposed = () if result.check is None else result.check.soft_features
        known = {*result.names(result.selected), *proposed}
        everything = [one.name for one in result.table.features]
        leaks = sorted(
            result.suspected_leaks,
            key=lambda leak: len({*leak.features}.difference(result.selected)) / len(leak.features),
        )
        start, leaking, them = leaks_in_words(leaks, everything)
        leaking.sort(key=lambda name: name not in known)  # the selected ones first
        is_used = bool(known.intersection(leaking)) or (bool(leaking) and result.check is None)
        if leaking:
            these = "these scores do" if is_used else "the score of all columns does"
            yield (
                f"{start} {these} not hold for new samples: leave {them} out with "
                f"{self._without(leaking)}."
            )
        if not is_used:
            yield from self._too_good()

    def leak_of(self, feature: int) -> str:
        """Return the sentence about a feature that may leak the target, empty if it does not."""
        leaks = [one for one in self.result.suspected_leaks if feature in one.to_leave_out]
        start, leaking, them = leaks_in_words(
            leaks, [one.name for one in self.result.table.features]
        )
        return f"{start} leave {them} out with {self._without(leaking)}." if leaking else ""

    def _too_good(self) -> Iterator[str]:
        """Yield a sentence if few columns predict better than measurements do."""
        best, alone = self._near_perfect(), self._good_alone()
        names = self.result.names(self.result.selected)
        if best is None:
            return
        score, reached = best
        is_rare = self.is_numeric or (score >= RARE and not self.has_all)
        if len(names) == 1 or (not alone and len(names) <= FEW and is_rare):
            start = f"{reached} with {listed(names)} alone, which is rare."
        else:
            each, names = "each of " if len(alone) > 1 else "", alone
            start = f"{reached}, which is rare, and nearly that with {each}{listed(names)} alone."
        said = " ".join(said_first(self.result.notes))
        is_said = IN_ORDER in said or any(f"the same {shown(name)}" in said for name in names)
        if not names or is_said:
            return
        it_is, them, without = "some of them are", "those", self.option("exclude", "--ignore")
        if len(names) == 1:
            it_is, them, without = "it is", "it", self._without(names)
        yield (
            f"{start} If {it_is} recorded after the fact or computed from the target, this does "
            f"not hold for new samples: leave {them} out with {without}."
        )

    def _without(self, names: Sequence[str]) -> str:
        """Return how to leave features out."""
        return self.option(f"exclude={[*names]}", f"--ignore {shlex.quote(line_of(names))}")

    def _near_perfect(self) -> tuple[float, str] | None:
        """Return a score that is almost perfect, and of what, or None."""
        check, best, what = self.result.check, self.result.chosen_accuracy, "Neighbors"
        accuracy = "a balanced accuracy of" if self.is_by_class else "an accuracy of"
        metric = "R²" if self.is_numeric else accuracy
        if check is not None and (scores := check.all if self.has_all else check.selected):
            # Of a large table, models get a part; neighbors may know a plane by its other flights.
            is_part = check.n_samples < self.result.table.n_samples
            if best is None or not is_part or best < scores.best:
                best, what, metric = scores.best, "Models", check.metric
        if best is None or best < NEAR_PERFECT:
            return None
        return best, f"{what} reach {metric} {best:.3f}"

    def _good_alone(self) -> tuple[str, ...]:
        """Return the selected features that are nearly enough, each alone."""
        result = self.result
        good = {one for leak in result.suspected_leaks for one in leak.features}
        chosen = [one for one in result.selected if one in good]
        # Where several columns are to be included, the first subset has all of these.
        first = next((one for one in result.front[:1] if one.size == 1), None)
        if not chosen and first is not None and (first.accuracy or 0.0) >= NEAR_PERFECT:
            chosen = [one for one in first.features if one in result.selected]
        return result.names(chosen)

    def _may_be_noise(self) -> str:
        return f"The {self.kind} often takes random columns"

    def _own_doubts(self) -> list[str]:
        return []
