"""The data of a run, without the data."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["UNNAMED", "ClassCount", "FeatureSummary", "TableSummary", "TargetSummary"]

UNNAMED = "table"  # what a table is called that was given no name


@dataclass(frozen=True)
class FeatureSummary:
    """A feature of the table.

    Attributes
    ----------
    name : str
        Its name.
    kind : {"numeric", "nominal"}
        Whether differences count, or only equality.
    n_missing : int
        Samples without a value.
    """

    name: str
    kind: Literal["numeric", "nominal"]
    n_missing: int


@dataclass(frozen=True)
class ClassCount:
    """A class and the number of its samples."""

    name: str
    count: int


@dataclass(frozen=True)
class TargetSummary:
    """The target of the table.

    Attributes
    ----------
    name : str
        Name of the column.
    classes : tuple of ClassCount
        The classes in their order; empty for a numeric target.
    lowest, highest : float or None
        Range of a numeric target; None for classes.
    """

    name: str
    classes: tuple[ClassCount, ...]
    lowest: float | None
    highest: float | None

    @property
    def is_numeric(self) -> bool:
        """Whether the target is a number."""
        return not self.classes


@dataclass(frozen=True)
class TableSummary:
    """What can be told of a table without showing it.

    Attributes
    ----------
    name : str
        What to call it.
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
    n_samples: int
    features: tuple[FeatureSummary, ...]
    target: TargetSummary
    sha256: str

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
