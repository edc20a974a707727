"""The result of a selection: everything needed to report, explain or repeat it."""

import errno
import hashlib
import json
import os
import stat
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

from msgspec import ValidationError, convert, to_builtins
from msgspec.structs import replace

from fuzzyfrog.common.files import written_whole
from fuzzyfrog.common.messages import close_to, listed, shown, suggested
from fuzzyfrog.errors import DataError, ParameterError
from fuzzyfrog.result.check import Check, ModelScores, Stability
from fuzzyfrog.result.parts import (
    Alike,
    AmbiguousSample,
    Certificate,
    Column,
    ColumnTree,
    Count,
    DataSample,
    Explanation,
    Features,
    HistoryPoint,
    Leak,
    Number,
    Part,
    Positive,
    RowNames,
    Sampling,
    Share,
    Subset,
    TableSummary,
)

MAX_REDUCTS = 5_000  # that are saved
MAX_BYTES = 64 * 2**20  # of a saved result; a thousand times the usual size
MAX_CHARACTERS = 200  # of a value quoted in a message
SAVE_ONE = "Save one with `fuzzyfrog select --save` or Result.save."
SCHEMA = 2  # raised whenever a field is added, removed or changes its meaning

Parameter = str | int | float | bool | None  # anything else is kept as its repr


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


class Versions(Part, frozen=True):
    """The versions that the result was computed with."""

    fuzzyfrog: str
    python: str
    numpy: str
    numba: str
    scikit_learn: str


class Answer(Part, frozen=True, tag_field="kind"):
    """What a selection found; each kind of measure adds what only it knows.

    Attributes
    ----------
    reducts : tuple of Subset
        Subsets as good as the selected one, which is among them; a few thousand are saved.
    n_reducts : int
        Number of such subsets found.
    feature_frequency : tuple of float
        For each feature, the share of all these subsets that have it.
    core : tuple of int or None
        Features that nothing can replace; None if there was no time to find them, and for a
        measure that features can lower.
    """

    reducts: tuple[Subset, ...]
    n_reducts: Count
    feature_frequency: tuple[Share, ...]
    core: Features | None = None


class Reducts(Answer, frozen=True, tag="reducts"):
    """Reducts of the paper's measure, which no feature lowers.

    Attributes
    ----------
    certificate : Certificate or None
        How far the size was proved, if a proof was requested.
    """

    certificate: Certificate | None = None


class SoftPath(Answer, frozen=True, tag="soft"):
    """Features to predict with, by the soft dependency.

    Attributes
    ----------
    chance : float
        The dependency of uninformative features.
    by_class : bool
        Whether samples count for more the rarer their class is.
    """

    chance: Share = 0.0
    by_class: bool = False


class Scored(Answer, frozen=True, tag="scored"):
    """Features that score best by a custom measure.

    Attributes
    ----------
    measure : str
        The name of the measure.
    """

    measure: str = ""


class Result(Part, frozen=True):
    """The result of a selection, in plain types that can be saved and shared.

    Parameters
    ----------
    table : TableSummary
        The table, without its values.
    settings : dict of str to text, number, bool or None
        The parameters of the selector.
    seed : int
        The seed of all random numbers.
    versions : Versions
        Versions of the software.
    command : str or None
        The command line, if the selection was started from one.
    seconds : float
        Duration of the fit.
    full_dependency, dependency : float
        Dependency of all features but the excluded ones, and of the selected ones.
    selected : tuple of int
        Indices of the selected features, ascending.
    answer : Reducts, SoftPath or Scored
        What the measure found.
    front : tuple of Subset
        The best subset found of each size, or for each cost, ascending; for a greedy search with
        the soft measure, all steps of it, with accuracies.
    history : tuple of HistoryPoint
        The course of the search, thinned.
    n_evaluations : int
        Subsets scored.
    n_resumed : int
        Number of them whose scores came from the earlier run that this one resumed.
    stop_reason : str
        Why the search ended.
    sampling : Sampling or None
        How the dependencies were estimated; None if all samples were measured.
    notes : tuple of str
        The warnings from reading the data and from fitting the selector.
    excluded : tuple of int
        Features that must not be selected; `full_dependency` is that of the others.
    identifiers : tuple of int
        Features that look like identifiers, but may be selected without being asked for.
    suspected_leaks : tuple of Leak
        Features that predict the target suspiciously well, alone or together, as those do that are
        recorded after the fact.
    copies : tuple of Alike
        Features that represent others that say the same; those are among the excluded ones.
    correlated : tuple of Alike
        Numeric features with a rank correlation of at least 0.98, which may be selected.
    substitutes : tuple of Alike
        Selected features with those that could replace them, and are redundant next to them.
    columns : tuple of Column
        What each column does, one for each feature of the table; empty if that was not computed.
    tree : ColumnTree or None
        The columns that matter most, by how alike they are; None if that was not computed.
    explanations : tuple of Explanation
        One for each selected feature, in the same order; empty if there was no time for that.
    ambiguous : tuple of AmbiguousSample
        The samples that are least well separated from other classes, the worst first; at most 20.
    n_ambiguous : int
        Number of samples whose membership is below 1; 0 if nothing was explained.
    rows : RowNames or None
        What the samples are called; None for their index.
    data_sample : DataSample or None
        Values of the selected features and of the target in some rows; None if they were left out.
    check : Check or None
        How well models do with the selected features; None if that was not checked.
    stability : Stability or None
        How often each column is selected on halves of the samples; None if that was not tried.
    exchange : Exchange or None
        The difference to the answer before; None if no column of it was exchanged.
    """

    table: TableSummary
    settings: dict[str, Parameter]
    seed: Count
    versions: Versions
    command: str | None
    seconds: Positive
    full_dependency: Number
    dependency: Number
    selected: Features
    answer: Reducts | SoftPath | Scored
    front: tuple[Subset, ...]
    history: tuple[HistoryPoint, ...]
    n_evaluations: Count
    n_resumed: Count
    stop_reason: str
    sampling: Sampling | None
    notes: tuple[str, ...]
    excluded: Features
    identifiers: Features
    suspected_leaks: tuple[Leak, ...]
    copies: tuple[Alike, ...]
    correlated: tuple[Alike, ...]
    substitutes: tuple[Alike, ...] = ()
    columns: tuple[Column, ...] = ()
    tree: ColumnTree | None = None
    explanations: tuple[Explanation, ...] = ()
    ambiguous: tuple[AmbiguousSample, ...] = ()
    n_ambiguous: Count = 0
    rows: RowNames | None = None
    data_sample: DataSample | None = None
    check: Check | None = None
    stability: Stability | None = None
    exchange: Exchange | None = None

    @property
    def reducts(self) -> tuple[Subset, ...]:
        """Subsets as good as the selected one, which is among them."""
        return self.answer.reducts

    @property
    def n_reducts(self) -> int:
        """Number of subsets found that are as good as the selected one."""
        return self.answer.n_reducts

    @property
    def core(self) -> Features | None:
        """Features that nothing can replace; None if there are none to know."""
        return self.answer.core

    @property
    def certificate(self) -> Certificate | None:
        """What was proved; None without a proof."""
        return self.answer.certificate if isinstance(self.answer, Reducts) else None

    @property
    def chance(self) -> float | None:
        """The dependency of uninformative features, where a measure has one."""
        return self.answer.chance if isinstance(self.answer, SoftPath) else None

    @property
    def cost(self) -> float | None:
        """What the selected features cost; None if no costs were given."""
        return self.chosen.cost

    @property
    def price(self) -> float:
        """What the selected features cost; their number if they have no costs."""
        return len(self.selected) if self.cost is None else self.cost

    @property
    def added(self) -> tuple[int, ...]:
        """The features in the order in which a greedy search added them; empty otherwise."""
        if not str(self.settings.get("search")).lower().startswith("quickreduct"):
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
    def n_sampled(self) -> int:
        """Number of samples that subsets were scored on."""
        return self.table.n_samples if self.sampling is None else self.sampling.n_sampled

    @property
    def n_allowed(self) -> int:
        """Number of features that may be selected."""
        return self.table.n_features - len(self.excluded)

    @property
    def redundant(self) -> Features:
        """The features that were dropped because selected ones say nearly the same."""
        return tuple(sorted({one for group in self.substitutes for one in group.others}))

    @property
    def asked_share(self) -> float:
        """Share of the full dependency that the selected features must keep."""
        share = self.settings.get("min_dependency")
        return float(share) if isinstance(share, int | float) else 1.0

    @property
    def asked_size(self) -> int | None:
        """The requested number of features; None for as few as possible."""
        size = self.settings.get("n_features_to_select")
        if isinstance(size, float):  # a share
            return max(1, int(size * self.n_allowed))
        return size if isinstance(size, int) else None

    @property
    def is_lexicographic(self) -> bool:
        """Whether dependency is never traded for fewer features."""
        return self.settings.get("ranking", "lexicographic") == "lexicographic"

    @property
    def survives(self) -> int:
        """Number of selected features whose loss must not matter."""
        number = self.settings.get("survives")
        return number if isinstance(number, int) else 0

    @property
    def max_lost(self) -> int | None:
        """Number of samples that may be set aside; None if the dependency decides."""
        number = self.settings.get("max_lost")
        return number if isinstance(number, int) else None

    @property
    def chosen(self) -> Subset:
        """The selected one of the reducts."""
        plain = Subset(self.selected, self.dependency)
        return next((one for one in self.reducts if one.features == self.selected), plain)

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
        if self.max_lost is not None:
            return (self.chosen.n_lost or 0) <= self.max_lost
        return self.dependency >= self.asked_share * self.full_dependency

    @property
    def is_explained(self) -> bool:
        """Whether the selected features are explained."""
        return len(self.explanations) > 0

    @property
    def has_groups(self) -> bool:
        """Whether some columns were selected together; then no feature is explained."""
        return self.settings.get("feature_groups") is not None

    @property
    def why_unexplained(self) -> str:
        """The reason if no feature is explained."""
        if self.has_groups:
            return "columns form groups"
        return "it was interrupted" if self.stop_reason == "interrupted" else "time ran out"

    @property
    def is_core_alone(self) -> bool:
        """Whether the selected features are the core, and so the smallest and only reduct.

        Every subset that keeps the full dependency contains the core. If the core alone keeps
        it, that is the proof, without a certificate. A random sample proves nothing.
        """
        return (
            self.sampling is None
            and self.max_lost is None
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
        return None if self.sampling is None else self.sampling.in_words(self.table.n_samples)

    def names(self, features: Iterable[int]) -> tuple[str, ...]:
        """Return the names of features."""
        return tuple(self.table.features[feature].name for feature in features)

    def place_of(self, feature: str | int) -> int | None:
        """Return the index of a feature, given its name, or its index if no name matches."""
        names = self.names(range(self.table.n_features))
        if feature in names:
            return names.index(str(feature))
        is_index = str(feature).isdecimal() and int(feature) < len(names)
        return int(feature) if is_index else None

    def explanation_of(self, feature: str | int) -> Explanation:
        """Return why a feature is selected, given its name, or its index if no name matches."""
        if not self.is_explained:
            way_out = "without groups" if self.has_groups else "with more time"
            raise DataError(
                f"the result must be explained, got one that is not, because "
                f"{self.why_unexplained}. Run it again {way_out}."
            )
        index = self.selected_feature(feature)
        return next(one for one in self.explanations if one.feature == index)

    def selected_feature(
        self, feature: str | int, parameter: str = "feature", if_known: str = ""
    ) -> int:
        """Return the index of a selected feature, given its name, or its index if no name matches.

        Raises
        ------
        ParameterError
            If there is none; `if_known` is a way out for features that are not selected.
        """
        place = self.place_of(feature)
        if place in self.selected:
            return place
        got, hint = shown(feature), ""
        if place is not None:
            got, hint = f"{got}, which is a feature but not selected", if_known
        elif close := close_to(feature, self.names(range(self.table.n_features))):
            hint = f"Did you mean {shown(close[0])}? "
        hint += f"Selected: {listed(self.names(self.selected))} ({listed(self.selected)})."
        rule = "be the name or the index of a selected feature"
        raise ParameterError(parameter, rule, got, hint)

    def unselected_feature(
        self, feature: str | int, parameter: str = "feature", if_selected: str = ""
    ) -> int:
        """Return the index of a feature that is not selected; raise as `selected_feature` does."""
        place = self.place_of(feature)
        if place is not None and place not in self.selected:
            return place
        got, hint = f"{shown(feature)}, which is selected", if_selected
        if place is None:
            others = [one for one in range(self.table.n_features) if one not in self.selected]
            got, hint = shown(feature), suggested(feature, self.names(others))
        raise ParameterError(parameter, "be a column that is not selected", got, hint)

    def without_rows(self) -> Self:
        """Return the result without the values and names of single rows, to share it.

        What remains of the data are the names of features and classes, the number of samples of
        each class or the range of a numeric target, and warnings, which may quote values.
        """
        bare = tuple(replace(one, examples=()) for one in self.explanations)
        front = tuple(replace(one, lost=()) for one in self.front)
        answer = replace(self.answer, reducts=tuple(replace(one, lost=()) for one in self.reducts))
        return replace(
            self, explanations=bare, ambiguous=(), rows=None, data_sample=None, front=front,
            answer=answer,
        )  # fmt: skip

    def to_json(self) -> str:
        """Return the result as text, the names of the selected features and of the core first."""
        names = {
            "selected": self.names(self.selected),
            "core": None if self.core is None else self.names(self.core),
        }
        saved = to_builtins(_nameless(self), enc_hook=_plain)
        content = {"schema": SCHEMA, "names": names, "sha256": _digest(saved), "result": saved}
        return json.dumps(content, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> "Result":
        """Return the result in a JSON text.

        Raises
        ------
        DataError
            If the text is not a result, where the sentence names the field, or was changed.
        """
        content = _parsed(text)
        fields = {"schema", "sha256", "result"}
        if not isinstance(content, dict) or content.keys() - {"names"} != fields:
            raise DataError(
                "a saved result must be an object with the fields schema, sha256 and result, got "
                f"something else. {SAVE_ONE}"
            )
        if content["schema"] != SCHEMA or isinstance(content["schema"], bool):
            raise DataError(
                f"schema must be {SCHEMA}, got {shown(content['schema'])}. The result was saved by "
                "another version of fuzzyfrog; run the selection again."
            )
        try:
            found = convert(content["result"], cls)
        except (ValidationError, UnicodeEncodeError) as error:  # half of a character
            raise DataError(
                "a saved result must be as fuzzyfrog wrote it, got one that does not fit: "
                f"{_clean(str(error))}. {SAVE_ONE}"
            ) from None
        if content["sha256"] != _digest(content["result"]):
            raise DataError(
                "a saved result must be as fuzzyfrog wrote it, got one that was changed since. "
                f"{SAVE_ONE}"
            )
        return _with_names(found, found.names)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the result to a file, completely or not at all."""
        write_text(Path(path), self.to_json() + "\n")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Result":
        """Return the result in a file."""
        try:
            text = _content_of(Path(path)).decode("utf-8")
        except OSError as error:
            raise DataError(
                f"a saved result must be a file that can be read, got {os.fspath(path)!r}: "
                f"{error.strerror}. {SAVE_ONE}"
            ) from None
        except UnicodeDecodeError:
            raise DataError(
                f"a saved result must be text, got {os.fspath(path)!r}, which is not. {SAVE_ONE}"
            ) from None
        return cls.from_json(text)

    def __repr__(self) -> str:
        kind = type(self.answer).__name__
        return f"<Result of {self.table.name}: {kind}, {len(self.selected)} selected>"


def _with_names(result: Result, names: Any) -> Result:
    """Return a result whose subsets have the names that a function gives for features."""

    def renamed(subsets: tuple[Subset, ...]) -> tuple[Subset, ...]:
        return tuple(replace(one, names=names(one.features)) for one in subsets)

    answer = replace(result.answer, reducts=renamed(result.answer.reducts))
    return replace(result, answer=answer, front=renamed(result.front))


def _nameless(result: Result) -> Result:
    """Return a result as it is saved: without names, and with some thousand reducts at most."""
    bare = _with_names(result, lambda features: ())
    if len(bare.reducts) <= MAX_REDUCTS:
        return bare
    kept = bare.reducts[:MAX_REDUCTS]
    if all(one.features != bare.selected for one in kept):
        chosen = next(one for one in bare.reducts if one.features == bare.selected)
        kept = (chosen, *kept[:-1])
    return replace(bare, answer=replace(bare.answer, reducts=kept))


def _plain(value: object) -> str:
    """Return a sentence as plain text."""
    if isinstance(value, str):
        return str(value)
    raise TypeError(f"a result must have plain values, got {type(value).__name__}")


def _digest(saved: Any) -> str:
    """Return the digest of a result as it is saved: its parts agree only as they were computed."""
    text = json.dumps(saved, sort_keys=True)  # 1e999 is read as infinite, and never written
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _parsed(text: str) -> Any:
    """Return the value of a JSON text; NaN is an error."""
    try:
        return json.loads(text, parse_constant=_refused)
    except DataError:
        raise
    except (ValueError, RecursionError) as error:
        reason = "too deeply nested" if isinstance(error, RecursionError) else str(error)
        raise DataError(
            f"a saved result must be JSON, got something else: {reason}. {SAVE_ONE}"
        ) from None


def _refused(constant: str) -> Any:
    raise DataError(f"numbers of a result must be finite, got {constant}. {SAVE_ONE}")


def _clean(text: str) -> str:
    clean = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    return clean if len(clean) <= MAX_CHARACTERS else f"{clean[:MAX_CHARACTERS]}..."


def _content_of(path: Path) -> bytes:
    """Return the bytes of a file, unless it is not a regular file or far too large."""
    if "\0" in str(path):
        raise FileNotFoundError(errno.ENOENT, "no file has a NUL in its name")
    if not stat.S_ISREG(path.stat().st_mode):  # a pipe or a device may never end
        raise DataError(
            f"a saved result must be a regular file, got {os.fspath(path)!r}, which is not. "
            f"{SAVE_ONE}"
        )
    with path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise DataError(
            f"a saved result must have at most {MAX_BYTES:,} bytes, got {os.fspath(path)!r}, "
            f"which has more. {SAVE_ONE}"
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
