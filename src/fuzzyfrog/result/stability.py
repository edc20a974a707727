"""How often a selection takes each column on halves of the samples."""

from math import ceil
from typing import Annotated

from msgspec import Meta

from fuzzyfrog.common.messages import count, html_table, listed
from fuzzyfrog.result.parts import Count, Index, Part, Positive, Share, aligned

THRESHOLD = 0.75  # share of the halves from which on a column counts as stable
SHAKY = 0.5  # share of the halves below which a selected column is doubtful
LEAST_SHOWN = 0.1  # share of the halves of a column that is worth a line
MOST_SHOWN = 40
LONGEST_NAME = 60


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
                said += "; hardly any column gets there by luck"
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
        return "\n".join([*aligned(self.table(), {0, 3}), f"{self.sentence()}."])
