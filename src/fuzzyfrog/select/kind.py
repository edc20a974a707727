"""What a selection needs to know about a measure: everything in which one differs from another.

`strict`, `soft` and `custom` are the three kinds there are, and the only modules that know which
one they are.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.data import Dataset
from fuzzyfrog.errors import DataError
from fuzzyfrog.measure.sampled import RowSample
from fuzzyfrog.result import Certificate, Reducts, Scored, SoftPath, Verified
from fuzzyfrog.result.result import Parameter
from fuzzyfrog.search import Outcome, Problem, Search
from fuzzyfrog.search.protocol import Oracle
from fuzzyfrog.select.explain import Evidence, Explains

if TYPE_CHECKING:
    from fuzzyfrog.select.verify import NewRows

Orders = Callable[[Sequence[int]], tuple[Integers, list[int]]]


@dataclass(frozen=True)
class Sized:
    """An outcome with the size that was chosen for it.

    Attributes
    ----------
    outcome : Outcome
        The outcome.
    accuracies : list of (float or None), or None
        Those of its front; None if that is not a path.
    substitutes : dict of int to tuple of int
        Redundant features that were dropped, each with the selected ones that it resembles.
    """

    outcome: Outcome
    accuracies: list[float | None] | None = None
    substitutes: Mapping[int, tuple[int, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Kind:
    """A measure by its settings; what is said here holds for a measure that nothing is known of."""

    search = "quickreduct"  # the search that "auto" stands for
    can_prove = False  # whether something can be proved about subsets
    can_sample = False  # whether subsets can be scored on a part of the samples
    scores_all_rows = True  # whether a cluster scores subsets on all samples
    has_path = False  # whether the size is chosen along the path of a greedy search
    compares_with_all = False  # whether new rows are verified next to all columns
    affordable = 2**28  # pairs of samples, times subsets, that are scored in seconds
    as_noise = 0.4  # share of random columns among those taken that makes the noise guard fail
    exchanges_tried = 0  # columns that say most alone, and that add most, tried for each other one

    @property
    def name(self) -> str:
        """The name of the measure."""
        raise NotImplementedError

    @property
    def rival(self) -> "Kind | None":
        """The measure to compare with where models lose; None if this is as good for them."""
        return None

    def parameters(self) -> dict[str, Parameter]:
        """Return the settings by their names, for the result."""
        return {}

    def identity(self) -> tuple[str, ...]:
        """Return what makes scores comparable, for the fingerprint of a checkpoint."""
        return (self.name,)

    def grouped(self, dataset: Dataset, included: Masks, excluded: Masks) -> Dataset:
        """Return the table with the groups of samples that the measure uses."""
        return dataset

    def measured(self, dataset: Dataset, n_jobs: int | None) -> Any:
        """Return the measure of a table: a `Measure` of `measure/dependency.py` with its `dataset`.

        `CustomMeasure` makes one of any object that scores subsets.
        """
        raise NotImplementedError

    def notes(self, measure: Any) -> Iterator[str]:
        """Yield what to know about how a table is measured, as sentences."""
        yield from ()

    def oracle(
        self, measure: Any, allowed: Masks, max_lost: int | None, *, proves: bool
    ) -> Oracle | None:
        """Return the function that says why a subset falls short; None if there is none."""
        return None

    def sample_first(
        self, search: Search, problem: Problem, measure: Any, allowed: Masks, seed: int
    ) -> RowSample | None:
        """Return the sample of the rows that a search starts on; None if it starts on all rows."""
        return None

    def data_doubts(self, measures: tuple[Any, Any], allowed: Masks, full: float) -> Iterator[str]:
        """Yield warnings about the table, before the search."""
        yield from ()

    def sized(
        self, outcome: Outcome, measure: Any, orders: Orders, fixed: Masks, rule: str | None
    ) -> Sized:
        """Return the outcome with the size that a rule chooses; `fixed` features stay.

        `orders` returns the columns of features in their order, and the last place of each.
        """
        return Sized(outcome)

    def answer(
        self, found: dict[str, Any], measure: Any, certificate: Certificate | None
    ) -> Reducts | SoftPath | Scored:
        """Return the answer; `found` is what all kinds of answers have."""
        return Scored(**found, measure=self.name)

    def doubts(self, dataset: Dataset, subset: Masks, allowed: Masks) -> Iterator[str]:
        """Yield warnings about a selection."""
        yield from ()

    def weighed(self, measure: Any, masks: Masks) -> Floats:
        """Return what each subset scores, in a row with a value for each sample if there are any.

        The mean of a row is the score. Without memberships, a row is the score alone; that of an
        empty subset counts as 0.
        """
        masks = np.asarray(masks)
        scores, is_some = np.zeros((len(masks), 1)), masks.any(axis=1)
        scores[is_some, 0] = measure.score(masks[is_some])
        return scores

    def accuracy(self, measure: Any, subset: Masks) -> float | None:
        """Return how well neighbors predict with a subset; None where that is not asked."""
        return None

    def verified(self, rows: "NewRows") -> Verified:
        """Return whether a selection still holds with new rows."""
        raise DataError(
            f"verify must be called for SoftSelector or ReductSelector, got {self.name}. "
            "Compute it for the old and new rows together instead."
        )

    def examples(self, measure: Any, evidence: Evidence, selected: tuple[int, ...]) -> Explains:
        """Return what explains a selection: here, how much each feature adds to the score."""
        return Explains(measure, evidence, selected)
