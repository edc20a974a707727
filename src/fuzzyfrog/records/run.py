"""A whole run: everything that a report, an explanation or a repetition needs."""

import errno
import json
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from fuzzyfrog.common.files import written_whole
from fuzzyfrog.errors import DataError
from fuzzyfrog.records.certificate import Certificate
from fuzzyfrog.records.codec import decoded, encoded, parsed, shown
from fuzzyfrog.records.consistency import check_run
from fuzzyfrog.records.parts import (
    AmbiguousSample,
    FeatureExplanation,
    FeatureSet,
    HistoryPoint,
    Sampling,
    TableSummary,
)

__all__ = [
    "SCHEMA",
    "Parameter",
    "Run",
    "Versions",
]

MAX_BYTES = 64 * 2**20  # of a saved run; a thousand times what most have
SCHEMA = 4  # raised whenever a field comes, goes or changes its meaning
BEFORE_LIMITS = 3  # the schema in which everything was explained and the core was known
BEFORE_SAMPLING = 2  # the schema that lacked only these fields:
LATER_FIELDS: dict[str, object] = {"sampling": None, "excluded": [], "n_resumed": 0}

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
        Of all features but the excluded ones, and of the selected ones.
    selected : tuple of int
        Indices of the selected features, ascending.
    reducts : tuple of FeatureSet
        Subsets as good as the selected one, which is among them; at most some thousand.
    n_reducts : int
        How many were found.
    core : tuple of int or None
        Features that nothing can replace; None if the time did not suffice to find them.
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
        One for each selected feature, in their order; none at all if there was no time for that.
    ambiguous : tuple of AmbiguousSample
        The samples that are told apart least, the worst first; at most 20.
    n_ambiguous : int
        Samples whose membership is below 1; like these, 0 if nothing was explained.
    notes : tuple of str
        The warnings that were given when the data was read and while the selector was fitted.
    sampling : Sampling or None
        How the dependencies were estimated; None if all samples were measured.
    excluded : tuple of int
        Features that were not to be selected; `full_dependency` is that of the others.
    n_resumed : int
        Subsets whose scores came from an earlier run that this one went on with.
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
    core: tuple[int, ...] | None
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
    sampling: Sampling | None
    excluded: tuple[int, ...]
    n_resumed: int

    @property
    def n_allowed(self) -> int:
        """Number of features that might be selected."""
        return self.data.n_features - len(self.excluded)

    @property
    def asked_share(self) -> float:
        """Share of the full dependency that was to be kept."""
        share = self.parameters.get("min_dependency")
        return float(share) if isinstance(share, int | float) else 1.0

    @property
    def asked_size(self) -> int | None:
        """Number of features that was asked for; None for as few as possible."""
        size = self.parameters.get("n_features_to_select")
        return size if isinstance(size, int) else None

    @property
    def is_lexicographic(self) -> bool:
        """Whether dependency was never traded for fewer features."""
        return self.parameters.get("ranking") == "lexicographic"

    @property
    def asks_for_all(self) -> bool:
        """Whether the full dependency was to be kept."""
        return self.asked_share == 1

    @property
    def asks_for_fewest(self) -> bool:
        """Whether the fewest features were looked for that keep what was to be kept."""
        return self.is_lexicographic and self.asked_size is None

    @property
    def is_enough(self) -> bool:
        """Whether the selected features keep what was to be kept."""
        return self.dependency >= self.asked_share * self.full_dependency

    @property
    def is_explained(self) -> bool:
        """Whether there was time to say what each feature tells apart."""
        return len(self.explanations) > 0

    @property
    def is_core_alone(self) -> bool:
        """Whether the selected features are the core, and so the smallest and only reduct.

        Whatever keeps the full dependency has the core. If the core alone keeps it, that is
        the proof, without any certificate. A part of the samples proves nothing.
        """
        return (
            self.sampling is None
            and self.selected == self.core
            and self.asks_for_all
            and self.is_enough
            and self.asks_for_fewest
        )

    @property
    def estimate(self) -> str | None:
        """How the dependencies were estimated, in words; None if all samples were measured."""
        return None if self.sampling is None else self.sampling.told(self.data.n_samples)

    def names(self, features: Iterable[int]) -> tuple[str, ...]:
        """Return the names of features."""
        return tuple(self.data.features[feature].name for feature in features)

    def explanation_of(self, feature: str | int) -> FeatureExplanation:
        """Return why a feature is selected; by its name, or by its index if no name is the same."""
        if not self.is_explained:
            raise ValueError(
                "a run must be explained to be asked why, got one whose time was up before. Run "
                "it again with more time."
            )
        for explanation in self.explanations:
            if feature == explanation.name:
                return explanation
        for explanation in self.explanations:
            if str(feature) == str(explanation.feature):
                return explanation
        names = [explanation.name for explanation in self.explanations]
        known = ", ".join(shown(repr(name)) for name in names)
        raise ValueError(
            "feature must be the name or the index of a selected feature, "
            f"got {shown(repr(feature))}{self._why_not(feature, names)} Selected: {known}."
        )

    def _why_not(self, feature: str | int, names: list[str]) -> str:
        if any(feature == one.name for one in self.data.features):
            return ", which is a feature but not selected."
        close = get_close_matches(str(feature)[:60], names, n=1)
        return f". Did you mean {shown(repr(close[0]))}?" if close else "."

    def to_json(self) -> str:
        """Return the run as text."""
        return json.dumps({"schema": SCHEMA, "run": encoded(self)}, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> "Run":
        """Return the run that a text holds.

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
        schema = content["schema"]
        if type(schema) is not int or schema not in (BEFORE_SAMPLING, BEFORE_LIMITS, SCHEMA):
            raise DataError(
                f"schema must be from {BEFORE_SAMPLING} to {SCHEMA}, got {str(schema)[:20]!r}. "
                "Read the run with the version of fuzzyfrog that saved it, or run it again."
            )
        if schema == BEFORE_SAMPLING and isinstance(content["run"], dict):
            content["run"] = {**LATER_FIELDS, **content["run"]}
        run: Run = decoded(cls, content["run"], "run")
        check_run(run)
        return run

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the run to a file; it appears under its name complete or not at all."""
        write_text(Path(path), self.to_json() + "\n")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Run":
        """Return the run that a file holds."""
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
    """Return the bytes of a file, unless it is no plain file or far too large."""
    if "\0" in str(path):
        raise FileNotFoundError(errno.ENOENT, "no file has a NUL in its name")
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
