"""A whole run: everything that a report, an explanation or a repetition needs."""

import json
import os
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

__all__ = ["SCHEMA", "Parameter", "Run", "Versions"]

SCHEMA = 1  # raised whenever a field comes, goes or changes its meaning

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
        write_whole(Path(path), self.to_json() + "\n")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Run":
        """Give the run that a file holds."""
        try:
            text = Path(path).read_text(encoding="utf-8")
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


def write_whole(path: Path, text: str) -> None:
    """Write a file that is never seen half written."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
