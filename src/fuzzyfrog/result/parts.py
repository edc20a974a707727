"""The parts of a result: subsets, roles of columns, explanations, the table, the certificate.

Types carry their limits, which are checked when a saved result is read.
"""

import sys
from collections.abc import Sequence
from html import escape
from math import ceil, floor
from typing import Annotated, Literal

from msgspec import Meta, Struct

from fuzzyfrog.common.messages import capitalized, count, first_few, html_table, shown

LARGEST = sys.float_info.max  # numbers are not infinite
Share = Annotated[float, Meta(ge=0.0, le=1.0)]
Number = Annotated[float, Meta(ge=-LARGEST, le=LARGEST)]
Positive = Annotated[float, Meta(ge=0.0, le=LARGEST)]
Count = Annotated[int, Meta(ge=0, le=2**62)]
Index = Count  # of a feature or a sample
Features = tuple[Index, ...]  # ascending
Role = Literal["selected", "substitute", "useful", "unneeded", "left out"]
ALIKE = 0.9  # correlation from which on a column can replace another one
ROLES: tuple[Role, ...] = ("selected", "substitute", "useful", "unneeded", "left out")
UNSELECTED = "Columns that are not selected"  # start of a note on how these were scored
Rule = Literal["", "excluded", "identifier", "date", "copy", "constant", "empty"]
Claim = Literal["fewest", "cheapest", "size", "product"]
Cell = Number | str | None  # a number, a category, or a missing value

_BETTER = {
    "size": "no other subset of {size} has a higher dependency",
    "product": "no subset has a larger product than the best one, of {size}",
}


class Part(Struct, frozen=True, forbid_unknown_fields=True):
    """A record of a result."""


class Subset(Part, frozen=True, omit_defaults=True):
    """A subset of the features.

    Attributes
    ----------
    features : tuple of int
        Indices of the features, ascending.
    dependency : float
        The score by the measure that was asked for.
    minimal : bool or None
        Whether it was checked that no feature can be left out without the dependency falling
        below the required one (or below its own, if it does not reach that); None where that has
        no meaning.
    accuracy : float or None
        On a path of the soft measure: the share of samples whose class their five nearest
        neighbors vote for, or R² of their mean for a numeric target. None elsewhere, or without
        time.
    cost : float or None
        What its features cost together; None if they have no costs.
    n_lost : int or None
        Number of samples that lose membership, if some may be set aside; else None.
    lost : tuple of int
        These samples, those that lose most first; at most 100, and of many subsets none.
    names : tuple of str
        The names of the features; not saved, since the table has them.
    """

    features: Features
    dependency: Number
    minimal: bool | None = None
    accuracy: Annotated[float, Meta(ge=-LARGEST, le=1.0)] | None = None
    cost: Positive | None = None
    n_lost: Count | None = None
    lost: tuple[Index, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Number of features."""
        return len(self.features)

    @property
    def price(self) -> float:
        """What it costs; the number of features if they have no costs."""
        return self.size if self.cost is None else self.cost


class HistoryPoint(Part, frozen=True):
    """The state of the search at one point in time.

    Attributes
    ----------
    n_evaluations : int
        Subsets scored so far.
    seconds : float or None
        Time since the start, if it was measured.
    dependency, size : float, int
        Of the best subset so far.
    n_reducts : int
        Distinct subsets found that are as good.
    diversity : float or None
        How much the subsets of the batch differ, from 0 (all the same) to 1; None for an empty
        batch.
    lower_bound : int or None
        Least number of features of any reduct, as far as proved by then.
    """

    n_evaluations: Count
    seconds: Positive | None
    dependency: Number
    size: Count
    n_reducts: Count
    diversity: Share | None
    lower_bound: int | None


class Replacement(Part, frozen=True, omit_defaults=True):
    """A feature in the place of a selected one.

    Attributes
    ----------
    feature : int
        Index of the feature that comes in.
    lost : float
        How much the dependency falls by the exchange; negative if it rises.
    error : float or None
        Standard error of `lost` over the samples; None for a measure without memberships.
    accuracy : float or None
        How well the five nearest neighbors do after the exchange, as in `Subset.accuracy`.
    """

    feature: Index
    lost: Number
    error: Positive | None = None
    accuracy: Number | None = None


class Column(Part, frozen=True, omit_defaults=True):
    """A column of the table and its role.

    Attributes
    ----------
    name : str
        Its name.
    role : {"selected", "substitute", "useful", "unneeded", "left out"}
        A substitute is in another subset that is as good, or has a correlation of 0.9 or more with
        a selected column. A useful column would add something to the selected ones, by more than
        two standard errors, if more were selected; an unneeded one would not. What is left out was
        not considered.
    rule : {"", "excluded", "identifier", "date", "copy", "constant", "empty"}
        Why it is left out.
    of : tuple of int
        The selected columns that a substitute could replace, or the column that a copy repeats.
    alone : float or None
        The dependency of the column alone. This and what follows is None where there was no time.
    relevant : bool or None
        Whether that is more than each of 100 shuffled columns reaches.
    adds : float or None
        How much higher the dependency of the selected columns is with it than without it.
    error : float or None
        Standard error of `adds` over the samples; None for a measure without memberships.
    replacements : tuple of Replacement
        Of a selected column: what could take its place, the best first; at most half of what
        the column adds is lost. Of a substitute: what is lost if it takes the place of a column
        in `of`; `feature` is that column.
    """

    name: str
    role: Role
    rule: Rule = ""
    of: Features = ()
    alone: Number | None = None
    relevant: bool | None = None
    adds: Number | None = None
    error: Positive | None = None
    replacements: tuple[Replacement, ...] = ()

    def __repr__(self) -> str:
        """Return its name, role and what it adds."""
        adds = "" if self.adds is None else f", adds {self.adds:+.4f}"
        return f"<Column {self.name!r}: {self.role}{adds}>"

    @property
    def is_measurable(self) -> bool:
        """Whether what it adds is more than its standard error, or there is none."""
        return self.adds is None or self.error is None or self.adds > self.error

    @property
    def cost(self) -> Replacement | None:
        """The exchange that costs least; None if none was scored."""
        return min(self.replacements, key=lambda one: one.lost, default=None)


class Join(Part, frozen=True):
    """Two branches of a tree that join, and how alike they are.

    Attributes
    ----------
    left, right : int
        Each the place of a leaf or, from the number of leaves on, an earlier join.
    correlation : float
        The mean absolute correlation of their columns, from 0 to 1.
    """

    left: Index
    right: Index
    correlation: Share


class ColumnTree(Part, frozen=True):
    """The columns that matter most, by how alike they are.

    Attributes
    ----------
    leaves : tuple of int
        The columns, from top to bottom.
    joins : tuple of Join
        How they join, the most alike first; one fewer than there are leaves.
    n_alike : tuple of int
        For each leaf, the number of columns that are not drawn and resemble it most (a correlation
        of 0.7 or more).
    """

    leaves: tuple[Index, ...]
    joins: tuple[Join, ...]
    n_alike: tuple[Count, ...]


class Example(Part, frozen=True):
    """A sample that is worse off without a feature, and the other sample that comes closer.

    Attributes
    ----------
    sample, other : int
        Rows of the training data, counted from 0. The other one has a different class, or a
        different target.
    sample_target, other_target : str
        Their classes, or their numbers.
    sample_value, other_value : float, str or None
        Their values of the feature.
    before, after : float
        With the feature and without it: the distance of the two on the selected features, capped
        at 1; or the membership of the sample, how likely it is that a random similar sample has
        its class. `Explanation.kind` says which.
    """

    sample: Index
    other: Index
    sample_target: str
    other_target: str
    sample_value: Cell
    other_value: Cell
    before: Share
    after: Share


class Explanation(Part, frozen=True):
    """Why a feature is among the selected ones; print it to get the numbers as a table.

    Attributes
    ----------
    feature : int
        Index of the feature.
    name : str
        Its name.
    dependency, dependency_without : float
        Of all selected features, and of all but this one.
    n_affected : int
        Samples that get closer to an enemy without the feature ("distance"), or whose
        neighborhood gets worse ("membership").
    kind : {"distance", "membership", "score"}
        What the examples compare; a custom measure has only scores and no examples.
    examples : tuple of Example
        Some of these samples, those that lose most first. No pair of samples is listed twice.
    """

    feature: Index
    name: str
    dependency: Number
    dependency_without: Number
    n_affected: Count
    kind: Literal["distance", "membership", "score"]
    examples: tuple[Example, ...] = ()

    @property
    def lost(self) -> float:
        """How much the dependency falls without the feature; negative if it rises."""
        return self.dependency - self.dependency_without

    def change(self, name: str, measured: str = "dependency") -> str:
        """Return how a measure changes without the feature, which has a name, as a sentence."""
        return (
            f"Without {name} the {measured} {'rises' if self.lost < 0 else 'falls'} by "
            f"{abs(self.lost):.6f}, from {self.dependency:.6f} to {self.dependency_without:.6f}."
        )

    def __str__(self) -> str:
        lines = [self.change(self.name)]
        if self.examples:
            rows = (f"{a:>8}  {b:>15}  {c:>15}  {d:>9}" for a, b, c, d in self._rows())
            lines += [self._caption(), *rows]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return the change and the samples for a notebook."""
        head = self.change(self.name)
        if not self.examples:
            return f"<p>{escape(head)}</p>"
        return html_table(self._caption(), self._rows(), [head])

    def _caption(self) -> str:
        what = "Samples that come closer to an enemy"
        if self.kind == "membership":
            what = "Samples whose neighborhood gets worse"
        return f"{what}: {self.n_affected:,}. Most of all:"

    def _rows(self) -> list[tuple[str, ...]]:
        """Return titles, and a row for each example."""
        other = "enemy" if self.kind == "distance" else "unlike neighbor"
        rows = [
            (str(one.sample), str(one.other), f"{one.before:.6f}", f"{one.after:.6f}")
            for one in self.examples
        ]
        return [("sample", other, f"{self.kind} with", "without"), *rows]


class AmbiguousSample(Part, frozen=True):
    """A sample that the selected features do not clearly separate from another class.

    Attributes
    ----------
    sample, other : int
        Rows of the training data, counted from 0; the other one is the most similar sample that
        differs.
    sample_target, other_target : str
        Their classes, or their numbers.
    membership : float
        How certainly the sample belongs to its class, from 0 to 1.
    sample_values, other_values : tuple of float, str or None
        Their values of the selected features, in the order of the selection.
    """

    sample: Index
    other: Index
    sample_target: str
    other_target: str
    membership: Share
    sample_values: tuple[Cell, ...]
    other_values: tuple[Cell, ...]


UNNAMED = "table"  # the name of a table without a name


class FeatureSummary(Part, frozen=True, omit_defaults=True):
    """A feature of the table.

    Attributes
    ----------
    name : str
        Its name.
    kind : {"numeric", "categorical"}
        Whether differences count, or only equality.
    n_missing : int
        Samples without a value.
    cost : float or None
        What it costs; None if no costs were given.
    """

    name: str
    kind: Literal["numeric", "categorical"]
    n_missing: Count
    cost: Positive | None = None


class ClassCount(Part, frozen=True):
    """A class and the number of its samples."""

    name: str
    count: Count


class TargetSummary(Part, frozen=True):
    """The target of the table.

    Attributes
    ----------
    name : str
        Name of the column.
    classes : tuple of ClassCount
        The classes in their order; empty for a numeric target.
    lowest, highest : float or None
        Range of a numeric target; None for classes.
    n_values : int
        Number of different values of a numeric target; 0 for classes.
    is_whole : bool
        Whether all of them are whole numbers.
    """

    name: str
    classes: tuple[ClassCount, ...]
    lowest: Number | None
    highest: Number | None
    n_values: Count = 0
    is_whole: bool = False

    @property
    def is_numeric(self) -> bool:
        """Whether the target is a number."""
        return not self.classes


class TableSummary(Part, frozen=True):
    """A table without its values.

    Attributes
    ----------
    name : str
        Its name.
    n_samples : int
        Number of samples.
    features : tuple of FeatureSummary
        All features, in their order.
    target : TargetSummary
        The target.
    sha256 : str
        Digest of the values, the kinds of the features and the target, in hexadecimal; names
        are not part of it.
    """

    name: str
    n_samples: Count
    features: tuple[FeatureSummary, ...]
    target: TargetSummary
    sha256: Annotated[str, Meta(pattern="^[0-9a-fA-F]{64}$")]

    @property
    def is_named(self) -> bool:
        """Whether the table was given a name."""
        return self.name != UNNAMED

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.features)

    @property
    def n_missing(self) -> int:
        """Number of missing values."""
        return sum(feature.n_missing for feature in self.features)


class Leak(Part, frozen=True, omit_defaults=True):
    """Features that predict the target suspiciously well.

    Attributes
    ----------
    features : tuple of int
        Indices of the features, ascending; several do so together.
    relation : str
        What they are of the target, as a sentence without a period; "alone" for a feature that is
        merely as good as a model can be.
    may_stay : tuple of int
        Those of several features without which the others do not tell the target.
    """

    features: Features
    relation: str
    may_stay: Features = ()

    @property
    def to_leave_out(self) -> Features:
        """The features without which the relation is broken."""
        return tuple(one for one in self.features if one not in self.may_stay)


def leaks_in_words(leaks: Sequence[Leak], names: Sequence[str]) -> tuple[str, list[str], str]:
    """Return how features leak the target, up to what to do about it; their names; a pronoun.

    All are empty if there are no leaks. Features that are merely good are none.
    """
    found = [leak for leak in leaks if leak.relation != "alone"]
    features = list(dict.fromkeys(names[one] for leak in found for one in leak.to_leave_out))
    if not found:
        return "", [], ""
    single: dict[str, list[str]] = {}  # columns with the same relation are told together
    said: dict[str, str] = {}
    for leak in found:
        its = [shown(names[one]) for one in leak.features]
        if len(its) > 1:
            formula = leak.relation.rpartition(" is ")[0]  # it may name them itself
            if not all(one in formula for one in its):
                formula = f"{first_few(its, ', ' if len(its) > 3 else ' and ')} ({leak.relation})"
            said[f"{its}"] = formula
            continue
        alike = single.setdefault(leak.relation, [])
        alike += its
        each = "each of " if len(alike) > 1 else ""
        said[leak.relation] = f"{each}{first_few(alike)} ({leak.relation})"
    they_are, them = ("it is", "it") if len(features) == 1 else ("they are", "them")
    if len(features) == 1 and not single:
        they_are = f"{shown(features[0])} is"
    start = f"The target is almost perfectly predicted by {first_few([*said.values()], '; by ')}."
    if len(said) == 1:
        (how,), (relation, *_) = said.values(), (leak.relation for leak in found)
        predict = "alone predicts" if single else "predict"
        start = f"{how} {predict} the target almost perfectly."
        if relation.startswith(how):
            start = f"{relation}."
    start += f" If {they_are} recorded after the fact or computed from the target,"
    return capitalized(start), features, them


class Alike(Part, frozen=True):
    """A feature, and others that say the same or nearly the same.

    Attributes
    ----------
    feature : int
        Index of the feature.
    others : tuple of int
        Indices of the others, ascending.
    """

    feature: Index
    others: Features


class RowNames(Part, frozen=True):
    """What the samples that a result mentions are called.

    Attributes
    ----------
    kind : {"line", "row", "label"}
        The lines of the file or rows of the sheet that they are in, or labels that the table has.
    names : dict of str to str
        The names by the index of the sample, which is text in JSON.
    """

    kind: Literal["line", "row", "label"]
    names: dict[str, str]


WIDE = 0.5  # of a scale from 0 to 1: an interval that says nothing
EXACT = 1e-9  # a narrower one is a point: all samples are measured
MAX_LOST = 100  # samples that are listed as set aside
MAX_SAMPLED_ROWS = 400  # enough for a picture of a distribution
MAX_SAMPLED_COLUMNS = 12  # the report draws no more


class SampledColumn(Part, frozen=True):
    """The values of a selected feature in some rows.

    Attributes
    ----------
    feature : int
        Index of the feature.
    values : tuple of int, float or None
        One for each row: a number, a position in `labels`, or None for a missing value.
    labels : tuple of str or None
        The categories that occur, shortened where they are long; None for a numeric feature.
    """

    feature: Index
    values: tuple[int | Number | None, ...]
    labels: tuple[str, ...] | None


class DataSample(Part, frozen=True):
    """Some rows of the table, for the pictures of a report.

    Attributes
    ----------
    targets : tuple of int or float
        One for each row: a position in the classes of the table, or a number.
    columns : tuple of SampledColumn
        The selected features that matter most, ascending by index.
    """

    targets: Annotated[tuple[int | Number, ...], Meta(min_length=1, max_length=MAX_SAMPLED_ROWS)]
    columns: Annotated[
        tuple[SampledColumn, ...], Meta(min_length=1, max_length=MAX_SAMPLED_COLUMNS)
    ]


class Sampling(Part, frozen=True):
    """How the dependencies of a result were estimated from a random sample.

    Attributes
    ----------
    n_sampled : int
        Number of samples that subsets were scored on, each against all samples.
    low, high : float
        The interval for the dependency of the selected features on all samples. It comes from
        samples that the search did not see.
    confidence : float
        The confidence level of the interval.
    """

    n_sampled: Annotated[int, Meta(ge=1, le=2**62)]
    low: Share
    high: Share
    confidence: Share

    def in_words(self, n_samples: int) -> str:
        """Return the estimate in words, to end a sentence."""
        low, high = floor(1000 * self.low) / 1000, ceil(1000 * self.high) / 1000
        said = f"estimated from {self.n_sampled:,} of {n_samples:,} samples"
        if self.high - self.low < EXACT:
            return f"{said}, but {self.low:.4f} for the selected features by all of them"
        if high - low > WIDE:
            return f"{said}, too few to say how exactly"
        which = "interval for the dependency of the selected features"
        return f"{said}, {self.confidence:.0%} {which} [{low:.3f}, {high:.3f}]"


class Certificate(Part, frozen=True):
    """What was proved about the best subsets.

    Attributes
    ----------
    proven : bool
        Whether no subset is better, by proof.
    lower_bound : int or float
        No allowed subset with fewer features is as good, by proof, even if `proven` is False.
        If the size was given, it is that size, since no other is allowed. With the claim
        "cheapest", none that costs less is as good.
    size : int
        Number of features of the best known subset.
    n_reducts : int
        Number of known subsets that are as good as the best one.
    all_listed : bool
        Whether these are all of them, by proof.
    claim : {"fewest", "cheapest", "size", "product"}
        What "better" means: fewer or cheaper features that reach the required dependency, a higher
        dependency with as many features, or a larger dependency · (1 - size / all features).
    cost : float or None
        What the best known subsets cost, with the claim "cheapest".
    survives : int
        Number of features whose loss must not matter; 0 if that was not asked for.
    max_lost : int or None
        Number of samples that may be set aside; None if that was not asked for.

    Examples
    --------
    >>> from fuzzyfrog.result import Certificate
    >>> print(Certificate(True, 5, 5, n_reducts=343, all_listed=True))
    Proven for these samples: 5 features are the fewest. There are exactly 343 such subsets.
    >>> print(Certificate(False, 4, 7, n_reducts=12, all_listed=False))
    Not proven: the fewest are between 4 and 7 features (gap 3). 12 subsets of 7 are known.
    """

    proven: bool
    lower_bound: Count | Positive
    size: Count
    n_reducts: Count
    all_listed: bool
    claim: Claim = "fewest"
    cost: Positive | None = None
    survives: Count = 0
    max_lost: Count | None = None

    def __post_init__(self) -> None:
        if self.lower_bound > self._price:
            name = "size" if self.cost is None else "cost"
            raise ValueError(
                f"lower_bound must be at most {name}, {self._price}, got {self.lower_bound}."
            )

    @property
    def _price(self) -> float:
        return self.size if self.cost is None else self.cost

    @property
    def gap(self) -> float:
        """How many fewer features, or what lower cost, might be enough: 0 if proven."""
        return 0 if self.proven else self._price - self.lower_bound

    def __str__(self) -> str:
        if self.proven:
            return f"Proven for these samples: {self._claimed()}. {self._counted()}"
        if self.claim == "cheapest":
            between = f"between {self.lower_bound:.10g} and {self.cost:.10g} (gap {self.gap:.10g})"
            return f"Not proven: the lowest cost{self._despite()} is {between}. {self._counted()}"
        if self.claim != "fewest":
            return f"Not proven: that {self._claimed()}. {self._counted()}"
        between = f"between {self.lower_bound} and {_features(self.size)} (gap {self.gap})"
        known = count(self.n_reducts, f"subset of {self.size} is", f"subsets of {self.size} are")
        return f"Not proven: the fewest{self._despite()} are {between}. {known} known."

    def _claimed(self) -> str:
        if self.claim == "fewest":
            are = "is" if self.size == 1 else "are"
            return f"{_features(self.size)} {are} the fewest{self._despite()}"
        if self.claim == "cheapest":
            return f"a cost of {self.cost:.10g} is the lowest{self._despite()}"
        return _BETTER[self.claim].format(size=_features(self.size))

    def _despite(self) -> str:
        which = ""
        if self.survives:
            which = f" of which any {'one' if self.survives == 1 else self.survives} may be lost"
        if self.max_lost is not None:
            which += f" with at most {count(self.max_lost, 'sample')} set aside"
        return which

    def _counted(self) -> str:
        there = "There is" if self.n_reducts == 1 else "There are"
        how_many = "exactly" if self.all_listed else "at least"
        return f"{there} {how_many} {count(self.n_reducts, 'such subset')}."


def _features(number: int) -> str:
    return count(number, "feature")
