"""Read the config of an experiment from TOML; docs/experiment.md explains every key."""

import os
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from fuzzyfrog.common.messages import listed, shown, suggested
from fuzzyfrog.common.params import check_count, check_known, check_positive
from fuzzyfrog.data import Dataset, load_dataset, read_table
from fuzzyfrog.errors import ConfigError, DataError
from fuzzyfrog.experiment.panel import check_classes

__all__ = [
    "FIGURES_FOLDER",
    "DataEntry",
    "Experiment",
    "Protocol",
    "SelectorEntry",
    "check_experiment",
    "figure_path",
    "read_config",
]

T = TypeVar("T")

FIGURES_FOLDER = "figures"  # below the folder of the results

PROTOCOLS = ("paper", "nested")
RANKINGS = ("lexicographic", "product")
MISSING_RULES = ("similar", "different", "raise")

TEXT, NUMBER, TABLE, LIST = (str,), (int, float), (dict,), (list,)
KIND_NAMES: dict[tuple[type, ...], str] = {
    TEXT: "text",
    NUMBER: "a number",
    TABLE: "a table",
    LIST: "a list",
}
TEXTS = ("title", "file", "target", "separator", "decimal", "encoding", "search", "paper")
KINDS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys((*TEXTS, "missing", "expected"), TEXT),
    **dict.fromkeys(("fold_seed", "classifier_seconds", "max_seconds", "max_evaluations"), NUMBER),
    **dict.fromkeys(("class_labels", "options"), TABLE),
    **dict.fromkeys(("seeds", "ignore", "categorical"), LIST),
}


@dataclass(frozen=True)
class DataEntry:
    """A data set: a registered name, or a file.

    Attributes
    ----------
    name : str
        Its name; without a `file`, one that `load_dataset` knows.
    file : Path or None
        Its table; relative to the folder of the config.
    target : str
        Column of the class in the file.
    class_labels : mapping of str to str
        New labels for the classes. Weka's JRip depends on them.
    ignore, categorical : tuple of str
        Columns of the file to leave out, and columns to treat as categories.
    separator, decimal, encoding, numbers_in_text, row_labels, max_missing, drop_missing_target
        How a file is read, as for `read_table`.
    """

    name: str
    file: Path | None = None
    target: str = "class"
    class_labels: Mapping[str, str] = field(default_factory=dict)
    ignore: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    separator: str | None = None
    decimal: str = "."
    encoding: str = "utf-8"
    numbers_in_text: str = "read"
    row_labels: str | None = None
    max_missing: int | None = None
    drop_missing_target: bool = False

    def load(self, folder: str | os.PathLike[str] | None) -> Dataset:
        """Return the data set with the labels of the config; registered ones are in `folder`."""
        if self.file is None:
            dataset = load_dataset(self.name, folder=folder)
        else:
            dataset = read_table(
                self.file,
                self.target,
                target_kind="class",
                ignore=self.ignore,
                categorical=self.categorical,
                separator=self.separator,
                decimal=self.decimal,
                encoding=self.encoding,
                numbers_in_text=self.numbers_in_text,
                row_labels=self.row_labels,
                max_missing=self.max_missing,
                drop_missing_target=self.drop_missing_target,
            )
        check_classes(dataset)
        labels = [str(label) for label in dataset.classes or ()]
        if unknown := [label for label in self.class_labels if label not in labels]:
            raise DataError(
                f"class_labels must rename classes of the data, got {unknown[0]!r}. "
                f"{suggested(unknown[0], labels)}"
            )
        renamed = tuple(self.class_labels.get(label, label) for label in labels)
        return replace(dataset, classes=renamed, name=self.name)


@dataclass(frozen=True)
class SelectorEntry:
    """A selector.

    Attributes
    ----------
    name : str
        Its name in the tables.
    search : str
        "frogs", "genetic", "swarm", "quickreduct", "boosted", "none" (all features), or
        "module:Class" for your own scikit-learn selector.
    ranking : str
        "lexicographic" or "product"; for the searches.
    options : mapping
        Parameters of the search, of `BoostedSelector`, or of your own class.
    max_seconds, max_evaluations : float or None, int or None
        Budget of a search, which then returns the best so far.
    paper : str or None
        The method of the paper whose figures are shown in brackets.
    missing : str
        How a missing value compares to others: "similar", "different" or "raise"; for the
        searches.
    """

    name: str
    search: str
    ranking: str = "lexicographic"
    options: Mapping[str, Any] = field(default_factory=dict)
    max_seconds: float | None = None
    max_evaluations: int | None = None
    paper: str | None = None
    missing: str = "similar"


@dataclass(frozen=True)
class Protocol:
    """Which samples the features are selected on.

    Attributes
    ----------
    name : str
        "paper" (select on all samples, then cross-validate: the test samples leak) or "nested"
        (select on the training part of every fold).
    seeds : tuple of int
        Seeds of the selectors; a deterministic one runs with the first only.
    """

    name: str
    seeds: tuple[int, ...] = (0,)


@dataclass(frozen=True)
class Experiment:
    """The config of an experiment.

    Attributes
    ----------
    title : str
        Heading of the pages.
    data : tuple of DataEntry
        The data sets, in the order of the tables.
    selectors : tuple of SelectorEntry
        The selectors.
    protocols : tuple of Protocol
        One or both.
    panels : tuple of str
        "sklearn", "weka", or "module:Class" for your own.
    lineups : mapping of str to tuple of str
        Selectors that are ranked against each other.
    folds, fold_seed : int
        The cross-validation.
    classifier_seconds : float or None
        Time limit of a Weka classifier on one table.
    expected : Path or None
        Folder with the published figures of a paper.
    """

    title: str
    data: tuple[DataEntry, ...]
    selectors: tuple[SelectorEntry, ...]
    protocols: tuple[Protocol, ...]
    panels: tuple[str, ...]
    lineups: Mapping[str, tuple[str, ...]]
    folds: int = 10
    fold_seed: int = 1
    classifier_seconds: float | None = None
    expected: Path | None = None


def read_config(path: str | os.PathLike[str]) -> Experiment:
    """Read and check a config.

    Parameters
    ----------
    path : path-like
        A TOML file.

    Returns
    -------
    Experiment
        The experiment.

    Raises
    ------
    ConfigError
        If the file is missing, or a key or a value is invalid.
    """
    path = Path(path)
    if path.exists() and not path.is_file():  # a pipe would block
        raise ConfigError(f"{path.name}: config must be a TOML file, got no regular file.")
    try:
        with path.open("rb") as file:
            found = tomllib.load(file)
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"{path.name}: config must be a TOML file, got: {error}.") from None
    try:
        experiment = _experiment(found, path.parent)
        check_experiment(experiment)
    except ValueError as error:
        raise ConfigError(f"{path.name}: {error}") from None
    return experiment


def figure_path(kind: str, lineup: str, *where: str) -> str:
    """Return the path of a figure below the folder of the results, with slashes as in a link.

    `where` names the panel and the protocol, as far as they make a difference.
    """
    words = "".join(letter if letter.isalnum() else " " for letter in lineup).split()
    return f"{FIGURES_FOLDER}/{'-'.join([kind, *where, *words])}.svg"


def _experiment(found: dict[str, Any], folder: Path) -> Experiment:
    parts: dict[str, Any] = {**found}
    for key, kind in (("data", DataEntry), ("selectors", SelectorEntry), ("protocols", Protocol)):
        parts[key] = tuple(
            _made(
                kind, _place(key, name), {"name": name, **_table(_place(key, name), entry)}, folder
            )
            for name, entry in _table(key, parts.get(key, {})).items()
        )
    parts["panels"] = _texts("panels", parts.get("panels", ["sklearn"]))
    everyone = {"all": [one.name for one in parts["selectors"]]}
    lineups = _table("lineups", parts.get("lineups", everyone))
    parts["lineups"] = {name: _texts(_place("lineups", name), one) for name, one in lineups.items()}
    return _made(Experiment, "config", {"title": "Experiment", **parts}, folder)


def _made(kind: type[T], where: str, found: dict[str, Any], folder: Path) -> T:
    """Return a part of the config; raise ConfigError for an unknown or missing key."""
    known = {one.name: one for one in fields(kind)}  # type: ignore[arg-type]
    for key in found:
        if key not in known:
            raise ConfigError(f"{where} has no key {shown(key)}. {suggested(key, list(known))}")
    needed = [name for name, one in known.items() if one.default is one.default_factory is MISSING]
    if absent := [name for name in needed if name not in found]:
        raise ConfigError(f"{where} must have {listed(absent)}, got {listed(found)}.")
    values = {**found}
    for key, value in values.items():
        _check_kind(f"{where}.{key}", KINDS.get(key), value)
    for key in {"file", "expected"} & values.keys():
        values[key] = folder / Path(values[key]).expanduser()
    for key in {"seeds", "ignore", "categorical"} & values.keys():
        values[key] = tuple(values[key])
    return kind(**values)


def _check_kind(where: str, kind: tuple[type, ...] | None, value: object) -> None:
    """Raise ConfigError unless a TOML value has the kind of its key."""
    if kind is not None and (not isinstance(value, kind) or isinstance(value, bool)):
        raise ConfigError(f"{where} must be {KIND_NAMES[kind]}, got {shown(value)}.")


def _place(key: str, name: str) -> str:
    """Return the place in the config for a message; names may hold anything."""
    return f"{key}.{name if name.isprintable() else shown(name)}"


def _texts(where: str, found: object) -> tuple[str, ...]:
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise ConfigError(f"{where} must be a list of texts, got {shown(found)}.")
    return tuple(found)


def _table(where: str, found: object) -> dict[str, Any]:
    if not isinstance(found, dict):
        raise ConfigError(f"{where} must be a table, got {shown(found)}.")
    return found


def check_experiment(experiment: Experiment) -> None:
    """Raise ConfigError if a value of the experiment is invalid."""
    try:
        _check(experiment)
    except ValueError as error:
        raise ConfigError(str(error)) from None


def _check(experiment: Experiment) -> None:
    for key in ("data", "selectors", "protocols", "panels", "lineups"):
        if not getattr(experiment, key):
            raise ConfigError(f"{key} must name at least one, got none.")
    check_count("folds", experiment.folds, least=2)
    check_count("fold_seed", experiment.fold_seed, least=0)
    if experiment.classifier_seconds is not None:
        check_positive("classifier_seconds", experiment.classifier_seconds)
    _check_distinct("panels", experiment.panels)
    for selector in experiment.selectors:
        check_known(f"{_place('selectors', selector.name)}: ranking", selector.ranking, RANKINGS)
        check_known(
            f"{_place('selectors', selector.name)}: missing", selector.missing, MISSING_RULES
        )
    for protocol in experiment.protocols:
        check_known("protocols", protocol.name, PROTOCOLS)
        _check_seeds(f"protocols.{protocol.name}", protocol.seeds)
    _check_lineups(experiment.lineups, [selector.name for selector in experiment.selectors])


def _check_seeds(where: str, seeds: Sequence[object]) -> None:
    if not seeds:
        raise ConfigError(f"{where}: seeds must name at least one, got none.")
    for seed in seeds:
        check_count(f"{where}: a seed", seed, least=0)
    _check_distinct(f"{where}: seeds", seeds)


def _check_distinct(where: str, values: Sequence[object]) -> None:
    for value, count in Counter(values).items():
        if count > 1:
            raise ConfigError(f"{where} must be distinct, got {shown(value)} {count} times.")


def _check_lineups(lineups: Mapping[str, Sequence[str]], selectors: Sequence[str]) -> None:
    """Raise unless the members are selectors and lineups have distinct figure files."""
    owners: dict[str, str] = {}
    for lineup, members in lineups.items():
        for member in members:
            check_known(_place("lineups", lineup), member, selectors)
        # Some disks ignore case.
        owner = owners.setdefault(figure_path("", lineup).casefold(), lineup)
        if owner != lineup:
            raise ConfigError(
                "lineups must have names that differ in letters or digits, which their figures are "
                f"called by, got {shown(owner)} and {shown(lineup)}. Rename one of them."
            )
