"""Whether a selection still holds with new rows."""

from fuzzyfrog.result.parts import Count, Number, Part, Share


class BrokenRow(Part, frozen=True):
    """A new row that the selected columns separate less well than all columns do.

    Attributes
    ----------
    row : str
        What it is called in the new table: its label, "in line" with its line, or its index.
    membership, membership_of_all : float
        Its distance from the nearest enemy, cut at 1, by the selected and by all columns.
    enemy : str
        What the nearest enemy by the selected columns is called.
    is_enemy_new : bool
        Whether that is in the new table.
    """

    row: str
    membership: Share
    membership_of_all: Share
    enemy: str
    is_enemy_new: bool


class Shift(Part, frozen=True):
    """A selected column whose values have changed.

    Attributes
    ----------
    name : str
        Its name.
    what : str
        What differs most clearly: "mean", "standard deviation", "missing", or a category.
    is_share : bool
        Whether the two numbers are shares of the rows.
    before, now : float
        In the old and in the new rows.
    p_value : float
        Of the test, corrected for the number of tests (Holm).
    """

    name: str
    what: str
    is_share: bool
    before: Number
    now: Number
    p_value: Share


class Verified(Part, frozen=True):
    """Whether a selection still holds with new rows; print it to read the answer.

    Attributes
    ----------
    holds : bool
        Whether it does.
    n_old, n_new : int
        Number of rows in the old and in the new table.
    selected : tuple of str
        The selected features.
    notes : tuple of str
        What is new in the table: categories, classes, gaps, columns.
    shifts : tuple of Shift
        Selected columns whose values have changed.
    sentences : tuple of str
        The answer in words.
    """

    holds: bool
    n_old: Count
    n_new: Count
    selected: tuple[str, ...]
    notes: tuple[str, ...]
    shifts: tuple[Shift, ...]
    sentences: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join((*self.sentences, *(f"Note: {note}" for note in self.notes)))


class VerifiedReduct(Verified, frozen=True, kw_only=True):
    """Whether a reduct still holds, with old and new rows together; print it to read the answer.

    Attributes
    ----------
    dependency, full_dependency : float
        Of the selected and of all columns; with `survives`, the former after the worst loss.
    full_dependency_before : float
        Of all columns, on the old rows alone.
    share : float
        The share of the full dependency that has to be kept.
    survives : int
        Number of features whose loss must not matter.
    max_lost : int or None
        Number of rows that may lose membership; None if the dependency decides.
    n_broken, n_old_broken : int
        New and old rows whose membership is lower by the selected than by all columns.
    broken : tuple of BrokenRow
        Some of the new ones, those that lose most first.
    added : tuple of str or None
        Features to add so that it holds; None if none are needed, or none are enough.
    cost : float or None
        What these cost; None without costs.
    is_fewest : bool
        Whether it is proved that no fewer (with costs: no cheaper) ones do.
    """

    dependency: Share
    full_dependency: Share
    full_dependency_before: Share
    share: Share
    survives: Count
    max_lost: Count | None
    n_broken: Count
    n_old_broken: Count
    broken: tuple[BrokenRow, ...]
    added: tuple[str, ...] | None = None
    cost: Number | None = None
    is_fewest: bool = False


class VerifiedSoft(Verified, frozen=True, kw_only=True):
    """Whether columns still predict new rows as well as old ones; print it to read the answer.

    Attributes
    ----------
    membership, membership_before : float
        How much of what is similar to a row, among the old rows, has its class: the mean of the
        new rows, and of the old ones. For classes, it is averaged by class, so that it does not
        depend on how many rows each has, and decides whether the selection holds.
    accuracy, accuracy_before : float
        How often five neighbors among the old rows are right, averaged by class; for a numeric
        target R², which decides.
    error : float
        Standard error of the difference of the two that decide.
    is_numeric : bool
        Whether the target is numeric.
    n_tested : int
        New rows that these are means of; random ones if there are very many.
    chance : float
        The membership by columns that say nothing; 0 for a numeric target.
    absent : tuple of str
        Classes that no new row has; they are not compared.
    rarest : str or None
        The class with the fewest new rows of those that are compared.
    n_rarest : int
        Number of its new rows.
    class_shift : Shift or None
        The class whose share has changed most, if shares of classes have clearly changed.
    """

    membership: Share
    membership_before: Share
    accuracy: Number
    accuracy_before: Number
    error: Number
    is_numeric: bool
    n_tested: Count
    chance: Share = 0.0
    absent: tuple[str, ...] = ()
    rarest: str | None = None
    n_rarest: Count = 0
    class_shift: Shift | None = None
