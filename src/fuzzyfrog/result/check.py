"""The check of a selection: how well models do with it, and whether it tells columns from noise."""

from collections.abc import Sequence
from math import inf
from typing import Literal, Protocol, TypeVar

from fuzzyfrog.common.messages import count
from fuzzyfrog.result.parts import Count, Number, Part, Positive

FEW_TAKEN = 5  # columns, of which none may be a twin by luck
AS_NOISE = 0.4  # of the columns taken are twins, in most tables where all columns are noise

LOW_DEPENDENCY = 0.5  # of all features: below this, even they leave most samples mixed up
ELBOW_SHARE = 0.95  # of what the selected features gain over chance
DIGITS = 3  # of displayed scores; scores that round to the same are the same
NAMES = {
    "all": "all features",
    "selected": "selected",
    "elbow": "elbow",
    "soft": "soft measure",
}


class _Point(Protocol):
    @property
    def price(self) -> float: ...
    @property
    def dependency(self) -> float: ...


P = TypeVar("P", bound=_Point)


def elbow_of(front: Sequence[P], price: float, dependency: float, chance: float = 0.0) -> P | None:
    """Return the smallest subset of a front that keeps most of what a selection gains.

    Most is 95 % of the gain of its dependency over chance. None if no smaller subset does.

    Parameters
    ----------
    front : sequence of Subset
        The best subsets of each size.
    price, dependency : float, float
        Of the selected features: their number or cost, and their dependency.
    chance : float
        The dependency of uninformative features: 0 for reducts.
    """
    required = chance + ELBOW_SHARE * (dependency - chance)
    enough = [one for one in front if one.price < price and one.dependency >= required]
    return min(enough, key=lambda one: one.price, default=None)


class ModelScores(Part, frozen=True):
    """How well models do with the features of one selection.

    Attributes
    ----------
    name : {"all", "selected", "elbow", "soft"}
        All features, those that the selector selects, the smallest subset of its front that
        keeps 95 % of their dependency (of the gain over chance), or those that
        ``SoftSelector`` selects.
    n_features : float
        Their number, averaged over the folds.
    score : float
        The score on the samples left out, averaged over folds and models.
    standard_error : float
        Its standard error.
    difference, difference_error : float
        The score minus that of all features, fold by fold, and its standard error; both
        are 0 for all features.
    by_model : tuple of float
        The score of each model, in the order of ``Check.models``.
    """

    name: Literal["all", "selected", "elbow", "soft"]
    n_features: Positive
    score: Number
    standard_error: Positive
    difference: Number
    difference_error: Positive
    by_model: tuple[Number, ...]

    @property
    def average_size(self) -> str:
        """The number of features, as in "1 feature on average"."""
        number = f"{self.n_features:.3g}"
        return f"{number} feature{'' if number == '1' else 's'} on average"

    @property
    def loses(self) -> bool:
        """Whether models do worse than with all features, by more than one standard error."""
        return round(-self.difference, DIGITS) > round(self.difference_error, DIGITS)

    @property
    def gains(self) -> bool:
        """Whether models do better than with all features, by more than one standard error."""
        return round(self.difference, DIGITS) > round(self.difference_error, DIGITS)


class NoiseGuard(Part, frozen=True):
    """How many shuffled columns a greedy selection takes if every column has a shuffled twin.

    Attributes
    ----------
    n_taken : int
        Columns that it took, in all shuffles together.
    n_twins : int
        How many of them are shuffled twins, which carry no information.
    n_shuffles : int
        How often the columns were shuffled.
    n_samples : int
        Samples that were used.
    """

    n_taken: Count
    n_twins: Count
    n_shuffles: Count
    n_samples: Count

    def __post_init__(self) -> None:
        if not 0 <= self.n_twins <= self.n_taken:
            raise ValueError(f"n_twins must be from 0 to {self.n_taken}, got {self.n_twins}.")

    @property
    def share(self) -> float:
        """Share of twins among the columns taken."""
        return self.n_twins / max(1, self.n_taken)

    @property
    def fails(self) -> bool:
        """Whether two fifths of the columns taken are twins: it cannot tell them from noise.

        If the columns carry no information, half of those taken are twins on average, and at least
        two fifths in 94 % of the tables that were tried (docs/howto/check.md).
        """
        return self.n_twins > 0 and self.n_twins >= AS_NOISE * self.n_taken

    def counted(self) -> str:
        """Return how many twins were taken, in words."""
        trials = "a trial" if self.n_shuffles == 1 else f"{self.n_shuffles} trials"
        few = ", too few to say much" if self.n_taken < FEW_TAKEN and not self.fails else ""
        return (
            f"in {trials} with a shuffled twin of every column, {self.n_twins:,} of the "
            f"{count(self.n_taken, 'column')} taken "
            f"{'was a twin' if self.n_twins == 1 else 'were twins'}{few}"
        )

    def __str__(self) -> str:
        end = ", as many as if all columns were noise" if self.fails else ""
        return f"{self.counted()}{end}"


class Check(Part, frozen=True):
    """How well models do with the selected features, and with all of them.

    Attributes
    ----------
    metric : {"balanced accuracy", "R²"}
        The score: the mean over the classes of the share of samples that are predicted right, or
        for a numeric target the share of its variance that is predicted, which is negative if
        models do worse than the mean of the target.
    models : tuple of str
        The models.
    folds, seed : int
        The folds of the cross-validation, and the seed of their random numbers.
    n_samples : int
        Samples that were used; fewer than there are for a very large table.
    scores : tuple of ModelScores
        One for each way of choosing features; empty if models were left out.
    soft_features : tuple of str
        The features that ``SoftSelector`` selects on all these samples, if there was a reason
        to try it; else empty.
    noise : NoiseGuard or None
        How many shuffled columns the measure takes for features; None if that was left out.
    left_out : str or None
        Why models were left out, as a sentence; None if they were not.
    notes : tuple of str
        Other things to know, as sentences.
    """

    metric: Literal["balanced accuracy", "R²"]
    models: tuple[str, ...]
    folds: Count
    seed: Count
    n_samples: Count
    scores: tuple[ModelScores, ...]
    soft_features: tuple[str, ...]
    noise: NoiseGuard | None
    left_out: str | None
    notes: tuple[str, ...]

    def __post_init__(self) -> None:
        names = [one.name for one in self.scores]
        if len(set(names)) != len(names) or (names and not {"all", "selected"} <= set(names)):
            raise ValueError(f"scores must have all and selected, each name once, got {names}.")
        if any(len(one.by_model) != len(self.models) for one in self.scores):
            raise ValueError("scores must have a score for each model.")
        if (self.left_out is None) == (not names):
            raise ValueError("left_out must say why there are no scores, and only then.")
        lowest = -inf if self.metric == "R²" else 0.0
        scores = [one for tried in self.scores for one in (tried.score, *tried.by_model)]
        if any(not lowest <= one <= 1.0 for one in scores):
            raise ValueError("scores must be between 0 and 1; only R² may be negative.")

    @classmethod
    def without(cls, is_numeric: bool, reason: str) -> "Check":
        """Return a check whose models were left out for a reason, given as a sentence."""
        metric: Literal["balanced accuracy", "R²"] = "R²" if is_numeric else "balanced accuracy"
        return cls(metric, (), 0, 0, 0, (), (), None, reason, ())

    def of(self, name: str) -> ModelScores | None:
        """Return the scores of "all", "selected", "elbow" or "soft"; None if there are none."""
        return next((one for one in self.scores if one.name == name), None)

    @property
    def all(self) -> ModelScores | None:
        """The scores with all features."""
        return self.of("all")

    @property
    def selected(self) -> ModelScores | None:
        """The scores with the selected features."""
        return self.of("selected")

    @property
    def elbow(self) -> ModelScores | None:
        """The scores with the elbow; None if no smaller subset keeps most."""
        return self.of("elbow")

    @property
    def soft(self) -> ModelScores | None:
        """The scores with the features of the soft measure; None if it was not tried."""
        return self.of("soft")

    @property
    def loses(self) -> bool:
        """Whether models do worse with the selected features, by more than a standard error."""
        return self.selected is not None and self.selected.loses

    def shown(self, value: float, *, signed: bool = False) -> str:
        """Return a score, or with `signed` a difference of scores, formatted for display."""
        if self.metric == "R²":
            text = f"{value:+.3f}" if signed else f"{value:.3f}"
        else:
            text = f"{100 * value:+.1f}" if signed else f"{value:.1%}"
        return text.replace("-", "−")

    def conclusion(self) -> str:
        """Return a sentence, without a period, on how models do with the selected features."""
        if self.selected is None:
            return f"not checked: {self.left_out}".rstrip(".")
        said = "no clear difference"
        if self.selected.loses or self.selected.gains:
            said = "a loss" if self.selected.loses else "a gain"
        return f"{self.compared()}: {said}"

    def compared(self) -> str:
        """Return the scores with the selected features and with all, and their difference."""
        if self.selected is None or self.all is None:
            return ""
        scores = (
            f"{self.shown(self.selected.score)}, with all features {self.shown(self.all.score)}"
        )
        unit = "" if self.metric == "R²" else " points"
        return f"{self.metric} {scores} ({self.apart(self.selected)}{unit})"

    def apart(self, one: ModelScores) -> str:
        """Return the difference to all features with its standard error."""
        error = self.shown(one.difference_error, signed=True).lstrip("+")
        return f"{self.shown(one.difference, signed=True)} ± {error}"

    def __str__(self) -> str:
        if not self.scores:
            lines = [f"Models were not tried: {self.left_out}"]
        else:
            models = ", ".join(self.models)
            lines = [
                f"{self.metric}, mean of {models}, {self.folds} folds, {self.n_samples:,} samples",
                f"{'':<14}{'features':>9}{'score':>8}  difference to all features",
            ]
            lines += [self._line(one) for one in self.scores]
            lines.append(f"Models with the selected features: {self.conclusion()}.")
        if self.soft_features:
            many = count(len(self.soft_features), "feature")
            lines.append(f"SoftSelector selects {many}: {', '.join(self.soft_features)}")
        if self.noise is not None:
            lines.append(f"Noise guard: {self.noise}.")
        return "\n".join([*lines, *(f"Note: {note}" for note in self.notes)])

    def _line(self, one: ModelScores) -> str:
        apart = "" if one.name == "all" else f"  {self.apart(one)}"
        return f"{NAMES[one.name]:<14}{one.n_features:>9.1f}{self.shown(one.score):>8}{apart}"
