"""A whole run: everything needed to report, explain or repeat it."""

import errno
import json
import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from fuzzyfrog.common.files import written_whole
from fuzzyfrog.common.messages import close_to, listed, shown
from fuzzyfrog.errors import DataError, ParameterError
from fuzzyfrog.records.check import Check
from fuzzyfrog.records.codec import decoded, encoded, parsed
from fuzzyfrog.records.parts import (
    MAX_SAMPLED_COLUMNS,
    MAX_SAMPLED_ROWS,
    Alike,
    AmbiguousSample,
    Certificate,
    DataSample,
    FeatureExplanation,
    FeatureSet,
    HistoryPoint,
    RowNames,
    Sampling,
    TableSummary,
)

MAX_BYTES = 64 * 2**20  # of a saved run; a thousand times the usual size
ROUNDING = 1e-9  # sums of the same numbers may differ by this much
SCHEMA = 8  # raised whenever a field is added, removed or changes its meaning
OLDEST = 2  # schema that can be read; it lacks only the fields below
# The schema in which a field came, and its value in the records before.
LATER_FIELDS: dict[str, tuple[int, object]] = {
    "sampling": (3, None), "excluded": (3, []), "n_resumed": (3, 0),
    "chance": (5, None), "check": (5, None), "copies": (5, []),
    "correlated": (5, []), "rows": (5, None), "data_sample": (6, None), "identifiers": (7, []),
    "telling": (8, []),
}  # fmt: skip

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
        Features that nothing can replace; None if there was no time to find them, or if the
        measure has no core.
    feature_frequency : tuple of float
        For each feature, the share of all reducts found that have it.
    front : tuple of FeatureSet
        The best subset found of each size, ascending; for a greedy search with the soft measure,
        all steps of it, with accuracies.
    history : tuple of HistoryPoint
        The course of the search, thinned.
    n_evaluations : int
        Subsets scored.
    stop_reason : str
        Why the search ended.
    certificate : Certificate or None
        How far the size was proved, if a proof was requested.
    explanations : tuple of FeatureExplanation
        One for each selected feature, in the same order; empty if there was no time for that.
    ambiguous : tuple of AmbiguousSample
        The samples that are least well separated from other classes, the worst first; at most 20.
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
    chance : float or None
        With the soft measure: the dependency of uninformative features.
    copies : tuple of Alike
        Features that represent others that say the same; those are among the excluded ones.
    correlated : tuple of Alike
        Numeric features with a correlation of at least 0.98, which may be selected.
    rows : RowNames or None
        What the samples are called; None for their index.
    check : Check or None
        How well models do with the selected features; None if that was not checked.
    data_sample : DataSample or None
        Values of the selected features and of the target in some rows; None if they were left out.
    identifiers : tuple of int
        Features that look like identifiers, but may be selected without being asked for.
    telling : tuple of int
        Features each of which tells the target almost perfectly, as those do that are recorded
        after the fact.
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
    chance: float | None = None
    copies: tuple[Alike, ...] = ()
    correlated: tuple[Alike, ...] = ()
    rows: RowNames | None = None
    check: Check | None = None
    data_sample: DataSample | None = None
    identifiers: tuple[int, ...] = ()
    telling: tuple[int, ...] = ()

    @property
    def measure(self) -> str:
        """The measure: "strict", "soft", or the name of a custom one."""
        return str(self.parameters.get("measure", "strict"))

    @property
    def is_strict(self) -> bool:
        """Whether the dependency is the one of the paper, which no feature lowers."""
        return self.measure == "strict"

    @property
    def is_soft(self) -> bool:
        """Whether the dependency is the soft one, to be read next to chance."""
        return self.measure == "soft"

    @property
    def symbol(self) -> str:
        """The symbol for the dependency: strict, soft, or the score of a custom measure."""
        return "γ" if self.is_strict else "Γ" if self.is_soft else "score"

    @property
    def added(self) -> tuple[int, ...]:
        """The features in the order in which a greedy search added them; empty otherwise."""
        if not str(self.parameters.get("search")).lower().startswith("quickreduct"):
            return ()
        order = list(self.front[0].features) if self.front else []
        for smaller, larger in pairwise(self.front):
            new = set(larger.features) - set(smaller.features)
            if larger.size != smaller.size + 1 or len(new) != 1:
                return ()
            order += new
        return tuple(order)

    @property
    def by_loss(self) -> tuple[int, ...]:
        """The selected features, the one that would be missed most first."""
        lost = {one.feature: one.lost for one in self.explanations}
        return tuple(sorted(self.selected, key=lambda feature: -lost.get(feature, 0.0)))

    @property
    def chosen_accuracy(self) -> float | None:
        """How often five neighbors are right on the selected features, if it was measured."""
        accuracies = [one.accuracy for one in self.front if one.features == self.selected]
        return accuracies[0] if accuracies else None

    @property
    def n_allowed(self) -> int:
        """Number of features that may be selected."""
        return self.data.n_features - len(self.excluded)

    @property
    def n_copies(self) -> int:
        """Number of features that are excluded because they say the same as another one."""
        return len({one for group in self.copies for one in group.others} & set(self.excluded))

    @property
    def asked_share(self) -> float:
        """Share of the full dependency that the selected features must keep."""
        share = self.parameters.get("min_dependency")
        return float(share) if isinstance(share, int | float) else 1.0

    @property
    def asked_size(self) -> int | None:
        """The requested number of features; None for as few as possible."""
        size = self.parameters.get("n_features_to_select")
        if isinstance(size, float):  # a share
            return max(1, int(size * self.n_allowed))
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
        """Whether the goal was the fewest features that keep the required dependency."""
        return self.is_lexicographic and self.asked_size is None

    @property
    def is_enough(self) -> bool:
        """Whether the selected features keep the required dependency."""
        return self.dependency >= self.asked_share * self.full_dependency

    @property
    def is_explained(self) -> bool:
        """Whether the selected features are explained."""
        return len(self.explanations) > 0

    @property
    def has_groups(self) -> bool:
        """Whether some columns were selected together; then no feature is explained."""
        return self.parameters.get("groups") not in (None, "{}")

    @property
    def why_unexplained(self) -> str:
        """The reason if no feature is explained."""
        return "columns form groups" if self.has_groups else "time ran out"

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

    def row_name(self, sample: int) -> str:
        """Return what a sample is called: its label or line, or its index."""
        return str(sample) if self.rows is None else self.rows.names.get(str(sample), str(sample))

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
            way_out = "without groups" if self.has_groups else "with more time"
            raise DataError(
                f"the run must be explained, got one that is not, because {self.why_unexplained}. "
                f"Run it again {way_out}."
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

    def without_rows(self) -> "Run":
        """Return the run without the values and names of single rows, to share it.

        What remains of the data are the names of features and classes, the number of samples of
        each class or the range of a numeric target, and warnings, which may quote values.
        """
        bare = tuple(replace(one, pairs=(), samples=()) for one in self.explanations)
        return replace(self, explanations=bare, ambiguous=(), rows=None, data_sample=None)

    def to_json(self) -> str:
        """Return the run as text, with the names of the selected features and of the core first."""
        names = {
            "selected": self.names(self.selected),
            "core": None if self.core is None else self.names(self.core),
        }
        return json.dumps({"schema": SCHEMA, "names": names, "run": encoded(self)}, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> "Run":
        """Return the run in a JSON text.

        Raises
        ------
        DataError
            If the text is not a run; the sentence names the field.
        """
        content = parsed(text)
        if not isinstance(content, dict) or content.keys() - {"names"} != {"schema", "run"}:
            raise DataError(
                "a run must be an object with the fields schema and run, got something else. "
                "Save it with `fuzzyfrog select --save` or Run.save."
            )
        schema = content["schema"]
        if type(schema) is not int or not OLDEST <= schema <= SCHEMA:
            raise DataError(
                f"schema must be from {OLDEST} to {SCHEMA}, got {str(schema)[:20]!r}. "
                "Read the run with the version of fuzzyfrog that saved it, or run it again."
            )
        if isinstance(content["run"], dict):
            later = {k: value for k, (first, value) in LATER_FIELDS.items() if schema < first}
            content["run"] = {**later, **content["run"]}
        run: Run = decoded(cls, content["run"], "run")
        check_run(run)
        return run

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the run to a file, completely or not at all."""
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
    """Write a text file, completely or not at all."""
    with (
        written_whole(path) as temporary,
        temporary.open("w", encoding="utf-8", newline="\n") as file,
    ):
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def check_run(run: "Run") -> None:
    """Raise one sentence with the name of the field if parts of a run contradict each other."""
    _check_ranges(run)
    _check_parameters(run)
    _check_table(run)
    _check_features(run)
    _check_lengths(run)
    _check_samples(run)
    _check_reducts(run)
    _check_certificate(run)
    _check_sampling(run)
    _check_measure(run)
    if run.data_sample is not None:
        _check_data_sample(run, run.data_sample)


def _check_parameters(run: "Run") -> None:
    """Check the parameters that statements about a run rely on."""
    most, size = run.data.n_features, run.parameters.get("n_features_to_select")
    is_share = isinstance(size, float) and 0 < size < 1
    is_count = type(size) is int and 1 <= size <= most
    if not (size is None or is_share or is_count):
        raise DataError(
            f"run.parameters.n_features_to_select must be from 1 to {most}, or a share below 1, "
            f"got {shown(size)}."
        )
    share = run.parameters.get("min_dependency")
    if isinstance(share, int | float) and not 0 <= share <= 1:
        raise DataError(
            f"run.parameters.min_dependency must be between 0 and 1, got {shown(share)}."
        )


def _check_data_sample(run: "Run", sample: DataSample) -> None:
    n_rows, n_classes = len(sample.targets), len(run.data.target.classes)
    most = min(MAX_SAMPLED_ROWS, run.data.n_samples)
    if not 1 <= n_rows <= most:
        raise DataError(f"run.data_sample.targets must be 1 to {most} samples, got {n_rows}.")
    if n_classes and any(not _is_place(one, n_classes) for one in sample.targets):
        raise DataError(
            f"run.data_sample.targets must be positions in the {n_classes} classes of the table."
        )
    features = [column.feature for column in sample.columns]
    if features != [one for one in run.selected if one in set(features)]:
        raise DataError("run.data_sample.columns must be selected features, in their order.")
    if not 1 <= len(features) <= MAX_SAMPLED_COLUMNS:
        raise DataError(
            f"run.data_sample.columns must be 1 to {MAX_SAMPLED_COLUMNS} features, "
            f"got {len(features)}."
        )
    for at, column in enumerate(sample.columns):
        where = f"run.data_sample.columns[{at}]"
        if len(column.values) != n_rows:
            raise DataError(
                f"{where}.values must have {n_rows} items, one for each target, "
                f"got {len(column.values)}."
            )
        if (column.labels is None) != (run.data.features[column.feature].kind == "numeric"):
            raise DataError(f"{where}.labels must be null for a numeric feature, and only then.")
        known = [one for one in column.values if one is not None]
        if column.labels is not None and not all(
            _is_place(one, len(column.labels)) for one in known
        ):
            raise DataError(f"{where}.values must be positions in its labels.")


def _is_place(value: float, length: int) -> bool:
    return isinstance(value, int) and 0 <= value < length


def _check_measure(run: "Run") -> None:
    if run.is_soft == (run.chance is None):
        raise DataError("run.chance must be a number for the soft measure, and null for others.")
    if not run.is_strict and (run.core is not None or run.certificate is not None):
        raise DataError(
            f"run.core and certificate must be null for the measure {run.measure[:40]!a}, with "
            "which nothing can be proved."
        )
    for at, point in enumerate(run.front):
        if point.accuracy is not None and point.accuracy > 1.0:
            raise DataError(f"run.front[{at}].accuracy must be at most 1, got {point.accuracy!r}.")


def _check_ranges(run: "Run") -> None:
    is_bounded = run.is_strict or run.is_soft  # a custom measure may have any scores
    for where, share in _shares(run):
        if not 0.0 <= share <= 1.0 and (is_bounded or not where.endswith("dependency")):
            raise DataError(f"run.{where} must be between 0 and 1, got {share!r}.")
    for where, count in _counts(run):
        if count < 0:
            raise DataError(f"run.{where} must be at least 0, got {count!r}.")
    for where, count in _parts(run):
        if count > run.data.n_samples:
            raise DataError(
                f"run.{where} must be at most the number of samples, {run.data.n_samples}, "
                f"got {count}."
            )


def _check_table(run: "Run") -> None:
    if not re.fullmatch("[0-9a-fA-F]{64}", run.data.sha256):
        raise DataError(
            f"run.data.sha256 must be 64 hexadecimal digits, got {run.data.sha256[:70]!a}."
        )
    target = run.data.target
    if (target.lowest is None) != (target.highest is None):
        raise DataError("run.data.target.lowest and highest must both be numbers or both be null.")
    if (target.lowest is None) == target.is_numeric:
        raise DataError("run.data.target must have either classes or a lowest and a highest value.")
    if target.lowest is not None and target.highest is not None and target.lowest > target.highest:
        raise DataError(
            f"run.data.target.lowest must be at most highest, {target.highest!r}, "
            f"got {target.lowest!r}."
        )
    n_counted = sum(one.count for one in target.classes)
    if target.classes and n_counted != run.data.n_samples:
        raise DataError(
            f"run.data.target.classes must add up to the {run.data.n_samples} samples, "
            f"got {n_counted}."
        )


def _check_reducts(run: "Run") -> None:
    if set(run.excluded) & set(run.selected):
        raise DataError("run.excluded must have none of the selected features.")
    if run.n_resumed > run.n_evaluations:
        raise DataError(
            f"run.n_resumed must be at most n_evaluations, {run.n_evaluations}, "
            f"got {run.n_resumed}."
        )
    if all(reduct.features != run.selected for reduct in run.reducts):
        raise DataError("run.reducts must have the selected features as one of them.")
    for at, (smaller, larger) in enumerate(pairwise(run.front), start=1):
        if larger.size <= smaller.size:
            raise DataError(
                f"run.front[{at}].features must be more than the {smaller.size} of the point "
                f"before, got {larger.size}."
            )
    if run.is_strict and run.dependency > run.full_dependency + ROUNDING:
        raise DataError(
            f"run.dependency must be at most full_dependency, {run.full_dependency!r}, "
            f"got {run.dependency!r}."
        )


def _check_certificate(run: "Run") -> None:
    """Compare the sizes if the certificate is about the selected features.

    If the search fell short of the required dependency, the certificate is about all allowed
    features; subsets with the same product may differ in size.
    """
    if run.certificate is None:
        return
    size, n_selected = run.certificate.size, len(run.selected)
    if size > run.data.n_features:
        raise DataError(
            f"run.certificate.size must be at most the {run.data.n_features} features, got {size}."
        )
    fell_short = run.certificate.claim == "fewest" and run.dependency < run.full_dependency
    may_be_more = fell_short and size > n_selected
    if run.certificate.claim != "product" and size != n_selected and not may_be_more:
        raise DataError(
            f"run.certificate.size must be the number of selected features, {n_selected}, "
            f"got {size}."
        )


def _check_sampling(run: "Run") -> None:
    if run.sampling is None:
        return
    if not 1 <= run.sampling.n_sampled < run.data.n_samples:
        raise DataError(
            f"run.sampling.n_sampled must be a part of the {run.data.n_samples} samples, "
            f"got {run.sampling.n_sampled}."
        )
    if run.sampling.low > run.sampling.high:
        raise DataError(
            f"run.sampling.low must be at most high, {run.sampling.high!r}, "
            f"got {run.sampling.low!r}."
        )
    if run.certificate is not None:
        raise DataError("run.certificate must be null for a random sample, which proves nothing.")


def _check_features(run: "Run") -> None:
    for where, features in _subsets(run):
        is_ascending = all(low < high for low, high in pairwise(features))
        if not is_ascending or any(not 0 <= one < run.data.n_features for one in features):
            raise DataError(
                f"run.{where} must be ascending indices of the {run.data.n_features} features, "
                f"got {str(list(features))[:60]}."
            )


def _subsets(run: "Run") -> Iterator[tuple[str, tuple[int, ...]]]:
    yield "selected", run.selected
    yield "core", run.core or ()
    yield "excluded", run.excluded
    yield "identifiers", run.identifiers
    yield "telling", run.telling
    for name, groups in (("copies", run.copies), ("correlated", run.correlated)):
        for at, group in enumerate(groups):
            yield f"{name}[{at}].feature", (group.feature,)
            yield f"{name}[{at}].others", group.others
    for at, reduct in enumerate(run.reducts):
        yield f"reducts[{at}].features", reduct.features
    for at, point in enumerate(run.front):
        yield f"front[{at}].features", point.features


def _check_lengths(run: "Run") -> None:
    if not run.selected:
        raise DataError("run.selected must have a feature, got none.")
    explained = [explanation.feature for explanation in run.explanations]
    if explained and explained != list(run.selected):
        raise DataError("run.explanations must be those of the selected features, in their order.")
    for at, explanation in enumerate(run.explanations):
        if explanation.name != run.data.features[explanation.feature].name:
            raise DataError(
                f"run.explanations[{at}].name must be that of feature {explanation.feature}, "
                f"got {explanation.name[:60]!a}."
            )
    n_features, n_shares = run.data.n_features, len(run.feature_frequency)
    if n_shares != n_features:
        raise DataError(
            f"run.feature_frequency must have {n_features} items, one for each feature, "
            f"got {n_shares}."
        )
    if run.n_reducts < len(run.reducts):
        raise DataError(
            f"run.n_reducts must be at least the {len(run.reducts)} reducts that are listed, "
            f"got {run.n_reducts}."
        )
    if not explained and (run.ambiguous or run.n_ambiguous):
        raise DataError("run.ambiguous must have no samples if nothing is explained.")
    for at, one in enumerate(run.ambiguous):
        if {len(one.sample_values), len(one.enemy_values)} != {len(run.selected)}:
            raise DataError(
                f"run.ambiguous[{at}] must have {len(run.selected)} values of the sample and of "
                "its enemy, one for each selected feature."
            )


def _check_samples(run: "Run") -> None:
    for where, sample in _samples(run):
        if not 0 <= sample < run.data.n_samples:
            raise DataError(
                f"run.{where} must be a sample from 0 to {run.data.n_samples - 1}, got {sample}."
            )


def _samples(run: "Run") -> Iterator[tuple[str, int]]:
    for at, one in enumerate(run.ambiguous):
        yield f"ambiguous[{at}].sample", one.sample
        yield f"ambiguous[{at}].enemy", one.enemy
    for i, explanation in enumerate(run.explanations):
        for j, pair in enumerate(explanation.pairs):
            yield f"explanations[{i}].pairs[{j}].sample", pair.sample
            yield f"explanations[{i}].pairs[{j}].enemy", pair.enemy
        for j, worse in enumerate(explanation.samples):
            yield f"explanations[{i}].samples[{j}].sample", worse.sample
            yield f"explanations[{i}].samples[{j}].neighbor", worse.neighbor


def _shares(run: "Run") -> Iterator[tuple[str, float]]:
    yield "full_dependency", run.full_dependency
    yield "dependency", run.dependency
    yield "chance", run.chance or 0.0
    yield from _numbered("feature_frequency[{}]", run.feature_frequency)
    yield from _numbered("reducts[{}].dependency", (one.dependency for one in run.reducts))
    yield from _numbered("front[{}].dependency", (one.dependency for one in run.front))
    yield from _numbered("history[{}].dependency", (one.dependency for one in run.history))
    yield from _numbered("history[{}].diversity", (one.diversity or 0.0 for one in run.history))
    yield from _numbered("ambiguous[{}].membership", (one.membership for one in run.ambiguous))
    if run.sampling is not None:
        yield "sampling.low", run.sampling.low
        yield "sampling.high", run.sampling.high
        yield "sampling.confidence", run.sampling.confidence
    for at, tried in enumerate([] if run.check is None else run.check.scores):
        scores = [tried.score, *tried.by_model]
        if run.check is not None and run.check.metric == "R²":  # may be negative
            scores = [max(0.0, score) for score in scores]
        else:
            yield f"check.scores[{at}].difference", abs(tried.difference)
        yield f"check.scores[{at}].score", scores[0]
        yield from _numbered(f"check.scores[{at}].by_model[{{}}]", scores[1:])
    for at, one in enumerate(run.explanations):
        yield f"explanations[{at}].dependency", one.dependency
        yield f"explanations[{at}].dependency_without", one.dependency_without
        for i, pair in enumerate(one.pairs):
            yield f"explanations[{at}].pairs[{i}].distance_with", pair.distance_with
            yield f"explanations[{at}].pairs[{i}].distance_without", pair.distance_without
        for i, worse in enumerate(one.samples):
            yield f"explanations[{at}].samples[{i}].membership_with", worse.membership_with
            yield f"explanations[{at}].samples[{i}].membership_without", worse.membership_without


def _counts(run: "Run") -> Iterator[tuple[str, float]]:
    yield "seed", run.seed
    yield "seconds", run.seconds
    yield "n_evaluations", run.n_evaluations
    yield "n_resumed", run.n_resumed
    yield "n_ambiguous", run.n_ambiguous
    yield from _numbered("explanations[{}].n_affected", (e.n_affected for e in run.explanations))
    yield "data.n_samples", run.data.n_samples
    yield from _numbered("data.features[{}].n_missing", (f.n_missing for f in run.data.features))
    yield from _numbered(
        "data.target.classes[{}].count", (c.count for c in run.data.target.classes)
    )
    if run.certificate is not None:
        yield "certificate.lower_bound", run.certificate.lower_bound
        yield "certificate.size", run.certificate.size
        yield "certificate.n_reducts", run.certificate.n_reducts
    if run.check is not None:
        yield "check.folds", run.check.folds
        yield "check.seed", run.check.seed
        for at, tried in enumerate(run.check.scores):
            yield f"check.scores[{at}].n_features", tried.n_features
            yield f"check.scores[{at}].standard_error", tried.standard_error
            yield f"check.scores[{at}].difference_error", tried.difference_error
    for at, point in enumerate(run.history):
        yield f"history[{at}].n_evaluations", point.n_evaluations
        yield f"history[{at}].size", point.size
        yield f"history[{at}].n_reducts", point.n_reducts
        yield f"history[{at}].seconds", point.seconds or 0.0


def _parts(run: "Run") -> Iterator[tuple[str, float]]:
    """Yield the counts of samples, which cannot exceed their number."""
    yield "n_ambiguous", run.n_ambiguous
    yield from _numbered("explanations[{}].n_affected", (e.n_affected for e in run.explanations))
    yield from _numbered("data.features[{}].n_missing", (f.n_missing for f in run.data.features))
    if run.check is not None:
        yield "check.n_samples", run.check.n_samples
        yield "check.noise.n_samples", 0 if run.check.noise is None else run.check.noise.n_samples


def _numbered(where: str, values: Iterable[float]) -> Iterator[tuple[str, float]]:
    for at, value in enumerate(values):
        yield where.format(at), value
