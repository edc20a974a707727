"""What each column of a table does: whether it is selected, and if not, why."""

from typing import Literal

from fuzzyfrog.result.check import ModelScores
from fuzzyfrog.result.parts import Count, Features, Index, Number, Part, Positive, Share

Role = Literal["selected", "substitute", "useful", "unneeded", "left out"]
ALIKE = 0.9  # correlation from which on a column can replace another one
ROLES: tuple[Role, ...] = ("selected", "substitute", "useful", "unneeded", "left out")
UNSELECTED = "Columns that are not selected"  # start of a note on how these were scored
Rule = Literal["", "excluded", "identifier", "date", "copy", "constant", "empty"]


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


class Exchange(Part, frozen=True, omit_defaults=True):
    """How an answer differs from the one before, some of whose columns were exchanged.

    Attributes
    ----------
    old, new : tuple of str
        The columns that went, and those that came in their place.
    before : float
        The dependency before.
    lost : float
        How much it fell by the exchange; negative if it rose.
    error : float or None
        Standard error of `lost` over the samples; None for a measure without memberships.
    accuracy_before, accuracy : float or None
        How well the five nearest neighbors do before and after, as in `Subset.accuracy`.
    scores_before : ModelScores or None
        How well models did before; None if they were not tried.
    let_in : tuple of (str, str)
        Columns that came although they had been left out, each with its rule.
    """

    old: tuple[str, ...]
    new: tuple[str, ...]
    before: Number
    lost: Number
    error: Positive | None = None
    accuracy_before: Number | None = None
    accuracy: Number | None = None
    scores_before: ModelScores | None = None
    let_in: tuple[tuple[str, str], ...] = ()


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
