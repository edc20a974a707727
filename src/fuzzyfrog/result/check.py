"""The check of a selection: how well models do with it, if it takes noise, and how stable it is."""

from collections import Counter
from collections.abc import Iterable
from html import escape
from math import ceil, sqrt
from statistics import fmean, variance
from typing import Annotated, Literal, NamedTuple

from msgspec import Meta

from fuzzyfrog.common.messages import aligned_lines, count, html_table, listed
from fuzzyfrog.result.parts import Count, Index, Part, Positive, Share

FARTHEST = 1e100  # of a score from 0: its square is finite
Score = Annotated[float, Meta(ge=-FARTHEST, le=FARTHEST)]

FEW_TAKEN = 5  # columns, of which none may be random by luck
CLEARLY = 3.0  # deviations: folds share most of what models learn, and the best of three counts
DIGITS = 3  # of displayed scores; scores that round to the same are the same
NOTABLE = 0.05  # difference of scores
MAY = "may belong together"  # rows of the same value, as of one person
REPEAT = "repeat another one in every feature"
IN_ORDER = "The samples are in the order of"
AFTERWARDS = "may be known only afterwards"
AS_LABELS = "so it is treated as categorical because of"  # a few cells
WITHOUT_TARGET = "have no target and are left out"  # unless the word there is a label
AS_CLASSES = "different values are classes"  # though the target holds numbers or times
FAR = "far from all others of their column"  # as codes of missing values
STANDS_FOR = "how many samples each row stands for"  # of a table of frequencies
THRESHOLD = 0.75  # share of the halves from which on a column counts as stable
SHAKY = 0.5  # share of the halves below which a selected column is doubtful
LEAST_SHOWN = 0.1  # share of the halves of a column that is worth a line
MOST_SHOWN = 40
LONGEST_NAME = 60
NAMES = {"all": "all columns", "selected": "selected", "soft": "soft selection"}


def said_first(notes: Iterable[str]) -> list[str]:
    """Return the notes to be said before any score, which may be too good.

    Rows may not be independent or stand for many, columns not be known when there is something
    to predict, numbers be read as labels, or most rows be left out for a target that is one.
    """
    weighty = MAY, REPEAT, AFTERWARDS, AS_LABELS, AS_CLASSES, WITHOUT_TARGET, FAR, STANDS_FOR
    return [
        note for note in notes if note.startswith(IN_ORDER) or any(one in note for one in weighty)
    ]


class Difference(NamedTuple):
    """How much better models do with some columns than with others.

    Attributes
    ----------
    mean, error : float
        The difference of the scores, averaged over the models, and its standard error.
    best, best_error : float
        The same for the best model with the ones and the best model with the others.
    """

    mean: float
    error: float
    best: float
    best_error: float

    @property
    def is_gain(self) -> bool:
        """Whether models do better on average, and so does the best, beyond a standard error."""
        return _exceeds(self.mean, self.error) and _exceeds(self.best, self.best_error)

    @property
    def is_loss(self) -> bool:
        """Whether models do worse on average, and so does the best, beyond a standard error."""
        return _exceeds(-self.mean, self.error) and _exceeds(-self.best, self.best_error)

    def in_words(self) -> str:
        """Return a gain or loss with its size, uncertain or not, or "no clear difference".

        That is of the best model, and of the average where it is different.
        A gain on average that the best model has not is often that of a poor one, and not said.
        """
        best, average = _change(self.best, self.best_error), _change(self.mean, self.error)
        is_best = _exceeds(abs(self.best), self.best_error)
        is_average = _exceeds(abs(self.mean), self.error)
        if self.is_gain or self.is_loss or not (is_best or (is_average and self.mean < 0)):
            return best
        return f"{best} for the best model and {average} on average"


def _change(value: float, error: float) -> str:
    """Return a difference in words; a notable one is said even if it may be luck."""
    change = f"a {'gain' if value > 0 else 'loss'} of {shown(abs(value))}"
    if _exceeds(abs(value), error):
        return change
    is_notable = abs(value) >= NOTABLE
    return f"{change} (uncertain, ± {shown(error)})" if is_notable else "no clear difference"


def _exceeds(value: float, error: float) -> bool:
    return round(value, DIGITS) > round(error, DIGITS)


class ModelScores(Part, frozen=True):
    """How well models do with the columns of one selection.

    Attributes
    ----------
    name : {"all", "selected", "soft"}
        All columns, those that the selector selects, or those that ``SoftSelector`` selects.
    metric : str
        The score.
    n_features : float
        The number of columns, averaged over the folds.
    folds : tuple of tuple of float
        For each fold the score of each model, in the order of ``Check.models``; its part in the
        R² of all predictions together, of which they are the mean (-1 at least).
    overlap : float
        Samples to predict in a fold, as a share of those to train on.
    above : tuple of float
        For each model how far its predictions are above those for shuffled targets, in standard
        deviations.
    """

    name: Literal["all", "selected", "soft"]
    metric: str
    n_features: Positive
    folds: tuple[tuple[Score, ...], ...]
    overlap: Positive
    above: tuple[Score, ...]

    @property
    def by_model(self) -> tuple[float, ...]:
        """The score of each model, averaged over the folds."""
        return tuple(map(fmean, zip(*self.folds, strict=True)))

    @property
    def score(self) -> float:
        """The score, averaged over folds and models."""
        return fmean(self.by_model)

    @property
    def best(self) -> float:
        """The score of the best model."""
        return max(self.by_model)

    @property
    def standard_error(self) -> float:
        """The standard error of the score."""
        return self._error([fmean(fold) for fold in self.folds])

    @property
    def best_above(self) -> float:
        """How far the best model is above shuffled targets; of several, the least far."""
        scores, best = zip(self.by_model, self.above, strict=True), self.best
        return min(above for score, above in scores if score == best)

    def _error(self, folds: list[float]) -> float:
        """Return the standard error of the mean of folds whose training parts overlap.

        It is that of Nadeau and Bengio.
        """
        return sqrt((1 / len(folds) + self.overlap) * variance(folds))

    def minus(self, other: "ModelScores") -> Difference:
        """Return the difference to another choice of columns, fold by fold."""
        pairs = list(zip(self.folds, other.folds, strict=True))
        mean = [fmean(ours) - fmean(theirs) for ours, theirs in pairs]
        mine, its = self.by_model.index(self.best), other.by_model.index(other.best)
        best = [ours[mine] - theirs[its] for ours, theirs in pairs]
        return Difference(fmean(mean), self._error(mean), fmean(best), self._error(best))

    @property
    def average_size(self) -> str:
        """The number of columns, as in "1 column on average"."""
        number = f"{self.n_features:.3g}"
        return f"{number} column{'' if number == '1' else 's'} on average"


class NoiseGuard(Part, frozen=True):
    """How many random columns a greedy selection takes if there is one for every column.

    Attributes
    ----------
    n_taken : int
        Columns that it took, in all trials together.
    n_random : int
        How many of them are random: the values of a column in another order.
    n_shuffles : int
        The number of trials.
    n_samples : int
        Samples that were used.
    as_noise : float
        The share of random columns from which on the guard fails.
    """

    n_taken: Count
    n_random: Count
    n_shuffles: Count
    n_samples: Count
    as_noise: Annotated[float, Meta(gt=0, le=1)]

    @property
    def share(self) -> float:
        """Share of random columns among those taken."""
        return self.n_random / max(1, self.n_taken)

    @property
    def fails(self) -> bool:
        """Whether so many of the columns taken are random that the others may be noise.

        If the columns carry no information, half of those taken are random on average.
        """
        return self.n_random > 0 and self.n_random >= self.as_noise * self.n_taken

    def __str__(self) -> str:
        trials = "a trial" if self.n_shuffles == 1 else f"{self.n_shuffles} trials"
        few = ", too few to say much" if self.n_taken < FEW_TAKEN and not self.fails else ""
        return (
            f"in {trials} with a random column for every real one, {self.n_random:,} of the "
            f"{count(self.n_taken, 'column')} taken "
            f"{'was' if self.n_random == 1 else 'were'} random{few}"
        )


class Check(Part, frozen=True):
    """How well models do with the selected columns, and with all of them.

    Attributes
    ----------
    metric : str
        The score by which models are compared; more is better.
    models : tuple of str
        The models.
    folds, seed : int
        The folds of the cross-validation, and the seed of their random numbers.
    n_samples : int
        Samples that were used; fewer than there are for a large table.
    n_groups : int
        Their number if those that belong together count once.
    chance : float
        The score of a model that sees no column.
    scores : tuple of ModelScores
        One for each way of choosing columns and each metric; empty if models were left out.
    selections : tuple of tuple of str
        The columns that were selected in each fold.
    soft_features : tuple of str
        The columns that ``SoftSelector`` selects on all these samples, where it was tried.
    noise : NoiseGuard or None
        How many random columns the measure takes; None if that was left out.
    far_out : str or None
        What to know about a few values of a numeric target on which R² depends, as a sentence.
    left_out : str or None
        Why models were left out, as a sentence; None if they were not.
    notes : tuple of str
        Other things to know, as sentences.
    """

    metric: str
    models: tuple[str, ...]
    folds: Count
    seed: Count
    n_samples: Count
    n_groups: Count
    chance: Score
    scores: tuple[ModelScores, ...]
    selections: tuple[tuple[str, ...], ...]
    soft_features: tuple[str, ...]
    noise: NoiseGuard | None
    far_out: str | None
    left_out: str | None
    notes: tuple[str, ...]

    @classmethod
    def without(cls, reason: str) -> "Check":
        """Return a check whose models were left out for a reason, given as a sentence."""
        return cls("", (), 0, 0, 0, 0, 0.0, (), (), (), None, None, reason, ())

    def of(self, name: str, metric: str | None = None) -> ModelScores | None:
        """Return the scores of "all", "selected" or "soft"; None if there are none."""
        key = (name, metric or self.metric)
        return next((one for one in self.scores if (one.name, one.metric) == key), None)

    @property
    def all(self) -> ModelScores | None:
        """The scores with all columns."""
        return self.of("all")

    @property
    def selected(self) -> ModelScores | None:
        """The scores with the selected columns."""
        return self.of("selected")

    @property
    def soft(self) -> ModelScores | None:
        """The scores with the columns of the soft measure; None if it was not tried."""
        return self.of("soft")

    @property
    def metrics(self) -> tuple[str, ...]:
        """All scores, the one by which models are compared first."""
        return tuple(dict.fromkeys(one.metric for one in self.scores))

    @property
    def taken(self) -> dict[str, int]:
        """In how many folds each column was selected, the most frequent first."""
        counts = Counter(name for names in self.selections for name in names)
        return dict(sorted(counts.items(), key=lambda one: -one[1]))

    @property
    def is_better_than_chance(self) -> bool:
        """Whether the best model with the selected columns clearly beats chance."""
        return self.selected is not None and self.beats_chance(self.selected)

    def beats_chance(self, one: ModelScores) -> bool:
        """Whether the best model with some columns clearly beats chance.

        Its score is above chance, and its predictions are those of targets in another order in
        hardly any case: by three standard deviations.
        """
        return one.best > self.chance and one.best_above > CLEARLY

    @property
    def has_few_groups(self) -> bool:
        """Whether no score can be clearly above chance: those of so few groups vary too much."""
        return self.n_groups <= 1 + CLEARLY**2

    @property
    def units(self) -> str:
        """What is independent of each other: samples, or groups of those that belong together."""
        return "samples" if self.n_groups == self.n_samples else "groups"

    def may_beat_chance(self, one: ModelScores) -> bool:
        """Whether the best model with some columns beats chance by a standard deviation."""
        return one.best > self.chance and one.best_above > 1.0

    def doubt_about(self, one: ModelScores) -> str:
        """Return that the best model does not clearly beat chance, with a comma; empty if it does.

        The comma is for what follows: "no better than chance, the best model scores".
        """
        if self.beats_chance(one):
            return ""
        if self.has_few_groups:
            return f"{self.n_groups} {self.units} are too few to tell it from chance, "
        how = "not clearly" if self.may_beat_chance(one) else "no"
        return f"{how} better than chance, "

    @property
    def loses(self) -> bool:
        """Whether models do worse with the selected columns than with others.

        These are all columns or, if it was tried, the soft selection. It must hold for the best
        model and on average, by more than one standard error.
        """
        if self.selected is None:
            return False
        others = [one for one in (self.all, self.soft) if one is not None]
        return any(self.selected.minus(one).is_loss for one in others)

    @property
    def best_loses(self) -> bool:
        """Whether the best model does worse than with all columns, by more than a standard error.

        On average over the models, it may be otherwise.
        """
        if self.selected is None or self.all is None:
            return False
        found = self.selected.minus(self.all)
        return _exceeds(-found.best, found.best_error)

    def verdict(self, start: str, others: str = "all columns", soft: str = "SoftSelector") -> str:
        """Return the sentence about models, without a period: the only one that compares scores.

        Parameters
        ----------
        start : str
            The selected columns, such as "5 of 13 columns".
        others : str
            What to call all columns; empty if these are selected.
        soft : str
            What to call the selector of the soft measure.
        """
        if self.selected is None or self.all is None:
            return f"not checked: {self.left_out}".rstrip(".")
        ours = self.selected if others else self.all
        scored = f"the best model scores {shown(ours.best)} {self.metric}"
        chance, everything = f"(chance {shown(self.chance)})", shown(self.all.best)
        if doubt := self.doubt_about(ours):
            is_less = bool(others) and self.all.best > ours.best
            end = f"; with {others}, it scores {everything}" if is_less else ""
            return f"{start}: {doubt}{scored} {chance}{end}"
        compared = f", with {others} {everything}" if others else ""
        if self.soft is not None:
            compared += f", with those of {soft} {shown(self.soft.best)}"
        said = ""
        rivals = [one for one in (self.all if others else None, self.soft) if one is not None]
        losses = [found for one in rivals if (found := ours.minus(one)).is_loss]
        if losses:
            said = f": {min(losses, key=lambda found: found.best).in_words()}"
        elif others:
            said = f": {ours.minus(self.all).in_words()}"
        return f"{start}: {scored}{compared} {chance}{said}"

    def apart(self, one: ModelScores) -> str:
        """Return the mean difference to all columns with its standard error."""
        if self.all is None or one.name == "all":
            return ""
        found = one.minus(self.all)
        return f"{shown(found.mean, signed=True)} ± {shown(found.error)}"

    def table(self) -> list[tuple[str, ...]]:
        """Return titles, and a row for each way of choosing columns."""
        others = [metric for metric in self.metrics if metric != self.metric]
        rows = [("", "columns", *self.models, "mean", "difference", *others)]
        for one in self.scores:
            if one.metric != self.metric:
                continue
            start = NAMES.get(one.name, one.name), f"{one.n_features:.1f}"
            scores = *map(shown, one.by_model), shown(one.score), self.apart(one)
            more = (self.of(one.name, metric) for metric in others)
            rows.append((*start, *scores, *(shown(found.score) for found in more if found)))
        return rows

    def __str__(self) -> str:
        if not self.scores:
            return f"Models were not tried: {self.left_out}"
        table = self.table()
        lines = aligned_lines(table, range(1, len(table[0])))
        return "\n".join([self._caption, *lines, *self._sentences()])

    @property
    def _caption(self) -> str:
        return f"{self.metric}, {self.folds} folds, {self.n_samples:,} samples"

    def _sentences(self) -> list[str]:
        doubts = said_first(self.notes)
        lines = [*doubts, *filter(None, [self.far_out])]
        if self.noise is not None and self.noise.fails:
            lines.append(f"Random columns are often taken: {self.noise}.")
        lines.append(f"{self.verdict('The selected columns')}.")
        if self.taken:
            lines.append(f"Selected in the folds: {self.taken_in_words()}.")
        if self.soft_features:
            many = count(len(self.soft_features), "column")
            lines.append(f"SoftSelector selects {many}: {', '.join(self.soft_features)}.")
        if self.noise is not None and not self.noise.fails:
            lines.append(f"Noise guard: {self.noise}.")
        return [*lines, *(f"Note: {note}" for note in self.notes if note not in doubts)]

    def taken_in_words(self, most: int = 12) -> str:
        """Return how often columns were selected, without a period, the most frequent first."""
        pairs = list(self.taken.items())
        named = ", ".join(f"{name} {times} of {self.folds}" for name, times in pairs[:most])
        return named if len(pairs) <= most else f"{named} and {len(pairs) - most:,} more"

    def __repr__(self) -> str:
        if self.selected is None or self.all is None:
            return f"<Check: not checked, {self.left_out}>"
        ours, everything = shown(self.selected.best), shown(self.all.best)
        chance = "" if self.is_better_than_chance else " (not clearly better than chance)"
        scores = f"{self.metric} {ours}{chance}, all columns {everything}"
        return f"<Check: {scores}, {self.folds} folds>"

    def _repr_html_(self) -> str:
        """Return the table and its sentences for a notebook."""
        if not self.scores:
            return f"<p>{escape(str(self))}</p>"
        return html_table(self._caption, self.table(), self._sentences())


class Chosen(Part, frozen=True):
    """How often a column is selected.

    Attributes
    ----------
    feature : int
        Index of the column.
    name : str
        Its name.
    share : float
        Share of the halves in which it is selected.
    with_substitutes : float
        Share of the halves in which it is selected, or a column that has a correlation of 0.9 or
        more with it.
    is_selected : bool
        Whether it is selected on all samples.
    """

    feature: Index
    name: str
    share: Share
    with_substitutes: Share
    is_selected: bool

    @property
    def is_shaky(self) -> bool:
        """Whether it is selected, but with its substitutes in fewer than half of the halves."""
        return self.is_selected and self.with_substitutes < SHAKY


class Stability(Part, frozen=True):
    """How often a selection takes each column on halves of the samples; print it for a table.

    Attributes
    ----------
    n_pairs : int
        Number of random splits into two halves; each half has its own selection.
    n_samples : int
        Samples that were split.
    mean_size : float
        Number of columns that are selected on a half, on average.
    n_offered : int
        Number of columns that could be selected.
    columns : tuple of Chosen
        The columns that are selected on some half or on all samples, the most frequent first.
    """

    n_pairs: Annotated[int, Meta(ge=1, le=2**31)]
    n_samples: Count
    mean_size: Positive
    n_offered: Count
    columns: tuple[Chosen, ...]

    def by_luck(self, threshold: float = THRESHOLD) -> float:
        """Return the bound on the expected number of columns that are stable by luck.

        These are columns with less than an average chance to be selected on a half, which are
        nevertheless selected in at least this share of the halves. The bound is ``q**2 / ((2 *
        threshold - 1) * p)`` for `q` of `p` columns (Shah and Samworth 2013, theorem 1).

        Parameters
        ----------
        threshold : float, default=0.75
            The share of the halves, above one half.
        """
        if not 0.5 < threshold <= 1.0:
            raise ValueError(f"threshold must be above 0.5 and at most 1, got {threshold!r}.")
        return self.mean_size**2 / ((2.0 * threshold - 1.0) * max(1, self.n_offered))

    @property
    def shaky(self) -> tuple[str, ...]:
        """The selected columns that, with their substitutes, fewer than half of the halves have."""
        return tuple(one.name for one in self.columns if one.is_shaky)

    def table(self) -> list[tuple[str, ...]]:
        """Return the lines of a table, titles first: selected columns and frequent ones."""
        shown = [one for one in self.columns if one.is_selected or one.share >= LEAST_SHOWN]
        marks = {True: "selected, but in fewer than half", False: "selected"}
        return [
            ("column", "halves", "with substitutes", ""),
            *(
                (one.name[:LONGEST_NAME], f"{one.share:.0%}", f"{one.with_substitutes:.0%}",
                 marks[one.is_shaky] if one.is_selected else "")
                for one in shown[:MOST_SHOWN]
            ),
        ]  # fmt: skip

    def sentence(self) -> str:
        """Return what the table means, without a final period."""
        n_stable = sum(one.share >= THRESHOLD for one in self.columns)
        said = (
            f"The selection was repeated on {2 * self.n_pairs:,} random halves of the "
            f"{self.n_samples:,} samples and took {self.mean_size:.1f} of "
            f"{count(self.n_offered, 'column')} on average. "
        )
        if not n_stable:
            said += "No column is in three quarters of the halves, so others may be as good"
        else:
            those = count(n_stable, "column is", "columns are")
            said += f"{those} in three quarters of the halves or more"
            if self.by_luck() < 1:
                said += "; a column of noise would hardly get there"
            elif n_stable <= ceil(self.by_luck()):
                said += "; in a table of so few columns, that can be luck"
            else:
                said += f"; up to {ceil(self.by_luck()):,} could be there by luck"
        if self.shaky:
            are = "is" if len(self.shaky) == 1 else "are"
            said += f". {listed(self.shaky)} {are} selected, but in fewer than half of the halves"
        return said

    def __repr__(self) -> str:
        n_halves, n_columns = 2 * self.n_pairs, len(self.columns)
        return f"<Stability: {n_halves} halves, {n_columns} columns selected in any>"

    def _repr_html_(self) -> str:
        """Return the table and what it means for a notebook."""
        return html_table(
            "how often each column is selected", self.table(), [f"{self.sentence()}."]
        )

    def __str__(self) -> str:
        return "\n".join([*aligned_lines(self.table(), {1, 2}), f"{self.sentence()}."])


def shown(value: float, *, signed: bool = False) -> str:
    """Return a score, or with `signed` a difference of scores, formatted for display."""
    text = f"{value:+.{DIGITS}f}" if signed else f"{value:.{DIGITS}f}"
    return text.replace("-", "−")
