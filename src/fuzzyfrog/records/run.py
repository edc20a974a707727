"""A whole run: everything that a report, an explanation or a repetition needs."""

import json
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from fuzzyfrog.errors import DataError
from fuzzyfrog.records.certificate import Certificate
from fuzzyfrog.records.checks import check_run
from fuzzyfrog.records.codec import decoded, encoded, parsed
from fuzzyfrog.records.findings import (
    AmbiguousSample,
    FeatureExplanation,
    FeatureSet,
    HistoryPoint,
)
from fuzzyfrog.records.table import TableSummary
from fuzzyfrog.writing import written_whole

__all__ = ["SCHEMA", "Parameter", "Run", "Versions"]

MAX_BYTES = 64 * 2**20  # of a saved run; a thousand times what most have
SCHEMA = 2  # raised whenever a field comes, goes or changes its meaning

Parameter = str | int | float | bool | None  # anything else is kept as Python writes it


@dataclass(frozen=True)
class Versions:
    """What the run was made with."""

    fuzzyfrog: str
    python: str
    numpy: str
    numba: str
    scikit_learn: str


@dataclass(frozen=True)
class Run:
    """All that is kept of a run of a selector.

    Attributes
    ----------
    data : TableSummary
        The table, without its values.
    parameters : dict of str to text, number, bool or None
        The parameters of the selector.
    seed : int
        Where all random numbers came from.
    versions : Versions
        What it was made with.
    command : str or None
        The command line, if there was one.
    seconds : float
        Duration of the fit.
    full_dependency, dependency : float
        Of all features, and of the selected ones.
    selected : tuple of int
        Indices of the selected features, ascending.
    reducts : tuple of FeatureSet
        Subsets as good as the selected one, which is among them; at most some thousand.
    n_reducts : int
        How many were found.
    core : tuple of int
        Features that nothing can replace.
    feature_frequency : tuple of float
        For each feature the share of all found reducts that have it.
    front : tuple of FeatureSet
        The best subset met of each size, ascending.
    history : tuple of HistoryPoint
        The course of the search, thinned.
    n_evaluations : int
        Subsets scored.
    stop_reason : str
        Why the search ended.
    certificate : Certificate or None
        How far the size was proved, if that was asked.
    explanations : tuple of FeatureExplanation
        One for each selected feature, in their order.
    ambiguous : tuple of AmbiguousSample
        The samples that are told apart least, the worst first; at most 20.
    n_ambiguous : int
        Samples whose membership is below 1.
    notes : tuple of str
        The warnings that were given when the data was read and while the selector was fitted.
    """

    data: TableSummary
    parameters: dict[str, Parameter]
    seed: int
    versions: Versions
    command: str | None
    seconds: float
    full_dependency: float
    dependency: float
    selected: tuple[int, ...]
    reducts: tuple[FeatureSet, ...]
    n_reducts: int
    core: tuple[int, ...]
    feature_frequency: tuple[float, ...]
    front: tuple[FeatureSet, ...]
    history: tuple[HistoryPoint, ...]
    n_evaluations: int
    stop_reason: str
    certificate: Certificate | None
    explanations: tuple[FeatureExplanation, ...]
    ambiguous: tuple[AmbiguousSample, ...]
    n_ambiguous: int
    notes: tuple[str, ...]

    @property
    def is_core_alone(self) -> bool:
        """Whether the selected features are the core, and so the smallest and only reduct.

        Whatever keeps the full dependency has the core. If the core alone keeps it, that is
        the proof, without any certificate.
        """
        asked = self.parameters
        return (
            self.selected == self.core
            and self.dependency >= self.full_dependency
            and asked.get("min_dependency") == 1
            and asked.get("ranking") == "lexicographic"
            and asked.get("n_features_to_select") is None
        )

    def names(self, features: Iterable[int]) -> tuple[str, ...]:
        """Give the names of features."""
        return tuple(self.data.features[feature].name for feature in features)

    def explanation_of(self, feature: str | int) -> FeatureExplanation:
        """Give why a feature is selected; by its name, or by its index if no name is the same."""
        for explanation in self.explanations:
            if feature == explanation.name:
                return explanation
        for explanation in self.explanations:
            if str(feature) == str(explanation.feature):
                return explanation
        known = ", ".join(repr(explanation.name) for explanation in self.explanations)
        raise ValueError(
            f"feature must be the name or the index of a selected feature, got {feature!r}. "
            f"Selected: {known}."
        )

    def to_json(self) -> str:
        """Give the run as text."""
        return json.dumps({"schema": SCHEMA, "run": encoded(self)}, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> "Run":
        """Give the run that a text holds.

        Raises
        ------
        DataError
            If it is not one; the sentence names the field.
        """
        content = parsed(text)
        if not isinstance(content, dict) or content.keys() != {"schema", "run"}:
            raise DataError(
                "a run must be an object with the fields schema and run, got something else. "
                "Save it with `fuzzyfrog select --save` or Run.save."
            )
        if type(content["schema"]) is not int or content["schema"] != SCHEMA:
            raise DataError(
                f"schema must be {SCHEMA}, got {str(content['schema'])[:20]!r}. "
                "Read the run with the version of fuzzyfrog that saved it, or run it again."
            )
        run: Run = decoded(cls, content["run"], "run")
        check_run(run)
        return run

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the run to a file; it appears under its name complete or not at all."""
        write_text(Path(path), self.to_json() + "\n")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Run":
        """Give the run that a file holds."""
        try:
            text = _content_of(Path(path)).decode("utf-8")
        except OSError as error:
            raise DataError(
                f"a run must be a file that can be read, got {os.fspath(path)!r}: "
                f"{error.strerror}. Save one with `fuzzyfrog select --save` or Run.save."
            ) from None
        except UnicodeDecodeError:
            raise DataError(
                f"a run must be saved as text, got {os.fspath(path)!r}, which is not. "
                "Save it with `fuzzyfrog select --save` or Run.save."
            ) from None
        return cls.from_json(text)


def _content_of(path: Path) -> bytes:
    """Give the bytes of a file, unless it is no plain file or far too large."""
    if not stat.S_ISREG(path.stat().st_mode):  # a pipe or a device may never end
        raise DataError(
            f"a run must be a regular file, got {os.fspath(path)!r}, which is none. "
            "Save one with `fuzzyfrog select --save` or Run.save."
        )
    with path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise DataError(
            f"a run must have at most {MAX_BYTES:,} bytes, got {os.fspath(path)!r}, which has "
            "more. Save one with `fuzzyfrog select --save` or Run.save."
        )
    return content


def write_text(path: Path, text: str) -> None:
    """Write a file of text that appears under its name complete or not at all."""
    with (
        written_whole(path) as temporary,
        temporary.open("w", encoding="utf-8", newline="\n") as file,
    ):
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
