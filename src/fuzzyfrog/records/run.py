"""A whole run: everything needed to report, explain or reproduce it."""

import errno
import json
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from fuzzyfrog.common.files import written_whole
from fuzzyfrog.common.messages import close_to, listed, shown
from fuzzyfrog.errors import DataError, ParameterError
from fuzzyfrog.records.certificate import Certificate
from fuzzyfrog.records.codec import decoded, encoded, parsed
from fuzzyfrog.records.consistency import check_run
from fuzzyfrog.records.parts import (
    AmbiguousSample,
    FeatureExplanation,
    FeatureSet,
    HistoryPoint,
    Sampling,
    TableSummary,
)

MAX_BYTES = 64 * 2**20  # of a saved run; a thousand times what most have
SCHEMA = 4  # raised whenever a field is added, removed or changes its meaning
BEFORE_LIMITS = 3  # always explained, with a core
BEFORE_SAMPLING = 2  # lacks only these fields:
LATER_FIELDS: dict[str, object] = {"sampling": None, "excluded": [], "n_resumed": 0}

Parameter = str | int | float | bool | None  # anything else is kept as its repr


@dataclass(frozen=True)
class Versions:
    """The versions that the run was made with."""

    fuzzyfrog: str
    python: str
    numpy: str
    numba: str
    scikit_learn: str


@dataclass(frozen=True)
class Run:
    """The record of one run of a selector.

    Attributes
    ----------
    data : TableSummary
        The table, without its values.
    parameters : dict of str to text, number, bool or None
        The parameters of the selector.
    seed : int
        The seed of all random numbers.
    versions : Versions
        Versions of the software.
    command : str or None
        The command line, if the run was started from one.
    seconds : float
        Duration of the fit.
    full_dependency, dependency : float
        Dependency of all features but the excluded ones, and of the selected ones.
    selected : tuple of int
        Indices of the selected features, ascending.
    reducts : tuple of FeatureSet
        Subsets as good as the selected one, which is among them; at most a few thousand.
    n_reducts : int
        Number of such subsets found.
    core : tuple of int or None
        Features that nothing can replace; None if there was no time to find them.
    feature_frequency : tuple of float
        For each feature, the share of all reducts found that have it.
    front : tuple of FeatureSet
        The best subset found of each size, ascending.
    history : tuple of HistoryPoint
        The course of the search, thinned.
    n_evaluations : int
        Subsets scored.
    stop_reason : str
        Why the search ended.
    certificate : Certificate or None
        How far the size was proved, if a proof was asked for.
    explanations : tuple of FeatureExplanation
        One for each selected feature, in their order; empty if there was no time for that.
    ambiguous : tuple of AmbiguousSample
        The samples that are told apart least well, the worst first; at most 20.
    n_ambiguous : int
        Number of samples whose membership is below 1; 0 if nothing was explained.
    notes : tuple of str
        The warnings from reading the data and from fitting the selector.
    sampling : Sampling or None
        How the dependencies were estimated; None if all samples were measured.
    excluded : tuple of int
        Features that must not be selected; `full_dependency` is that of the others.
    n_resumed : int
        Number of subsets whose scores came from the earlier run that this one resumed.
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
        """Number of features that may be selected."""
        return self.data.n_features - len(self.excluded)

    @property
    def asked_share(self) -> float:
        """Share of the full dependency that the selected features must keep."""
        share = self.parameters.get("min_dependency")
        return float(share) if isinstance(share, int | float) else 1.0

    @property
    def asked_size(self) -> int | None:
        """Number of features that was asked for; None for as few as possible."""
        size = self.parameters.get("n_features_to_select")
        return size if isinstance(size, int) else None

    @property
    def is_lexicographic(self) -> bool:
        """Whether dependency is never traded for fewer features."""
        return self.parameters.get("ranking") == "lexicographic"

    @property
    def asks_for_all(self) -> bool:
        """Whether the selected features must keep the full dependency."""
        return self.asked_share == 1

    @property
    def asks_for_fewest(self) -> bool:
        """Whether the fewest features that keep the required dependency were asked for."""
        return self.is_lexicographic and self.asked_size is None

    @property
    def is_enough(self) -> bool:
        """Whether the selected features keep the required dependency."""
        return self.dependency >= self.asked_share * self.full_dependency

    @property
    def is_explained(self) -> bool:
        """Whether there was time to explain the selected features."""
        return len(self.explanations) > 0

    @property
    def is_core_alone(self) -> bool:
        """Whether the selected features are the core, and so the smallest and only reduct.

        Every subset that keeps the full dependency contains the core. If the core alone keeps
        it, that is the proof, without a certificate. A random sample proves nothing.
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
        return None if self.sampling is None else self.sampling.in_words(self.data.n_samples)

    def names(self, features: Iterable[int]) -> tuple[str, ...]:
        """Return the names of features."""
        return tuple(self.data.features[feature].name for feature in features)

    def explanation_of(self, feature: str | int) -> FeatureExplanation:
        """Return why a feature is selected, given its name, or its index if no name matches."""
        if not self.is_explained:
            raise DataError(
                "the run must be explained, got one that ran out of time before that. Run it "
                "again with more time."
            )
        for explanation in self.explanations:
            if feature == explanation.name:
                return explanation
        for explanation in self.explanations:
            if str(feature) == str(explanation.feature):
                return explanation
        names = [explanation.name for explanation in self.explanations]
        got, close = shown(feature), close_to(feature, names)
        if any(feature == one.name for one in self.data.features):
            got, close = f"{got}, which is a feature but not selected", []
        guess = f"Did you mean {shown(close[0])}? " if close else ""
        raise ParameterError(
            "feature",
            "be the name or the index of a selected feature",
            got,
            f"{guess}Selected: {listed(names)}.",
        )

    def to_json(self) -> str:
        """Return the run as text."""
        return json.dumps({"schema": SCHEMA, "run": encoded(self)}, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> "Run":
        """Return the run in a JSON text.

        Raises
        ------
        DataError
            If the text is not a run; the sentence names the field.
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
        """Return the run in a file."""
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
    """Return the bytes of a file, unless it is not a regular file or far too large."""
    if "\0" in str(path):
        raise FileNotFoundError(errno.ENOENT, "no file has a NUL in its name")
    if not stat.S_ISREG(path.stat().st_mode):  # a pipe or a device may never end
        raise DataError(
            f"a run must be a regular file, got {os.fspath(path)!r}, which is not. "
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
    """Write a text file; it appears under its name complete or not at all."""
    with (
        written_whole(path) as temporary,
        temporary.open("w", encoding="utf-8", newline="\n") as file,
    ):
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
