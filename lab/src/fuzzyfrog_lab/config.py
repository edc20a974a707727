"""Read the config of an experiment from TOML; docs/experiment.md explains every key."""

import hashlib
import os
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import numpy as np

from fuzzyfrog.common.messages import listed, shown, suggested
from fuzzyfrog.common.params import check_count, check_known, check_positive, check_share
from fuzzyfrog.data import Dataset, make_dataset, read_table
from fuzzyfrog.errors import DataError, FuzzyfrogError
from fuzzyfrog.search.protocol import RANKINGS
from fuzzyfrog_lab.catalog import dataset_names, load_dataset
from fuzzyfrog_lab.panel import METRICS

T = TypeVar("T")

FIGURES_FOLDER = "figures"  # below the folder of the results

PROTOCOLS = ("paper", "nested")
MISSING_RULES = ("similar", "different", "raise")
TARGET_KINDS = ("auto", "class", "numeric")
DEVIATIONS = ("classifiers", "folds")

TEXT, NUMBER, TABLE, LIST = (str,), (int, float), (dict,), (list,)
KIND_NAMES: dict[tuple[type, ...], str] = {
    TEXT: "text",
    NUMBER: "a number",
    TABLE: "a table",
    LIST: "a list",
}
TEXTS = ("title", "file", "target", "separator", "decimal", "encoding", "search", "paper",
         "missing", "expected", "loader", "measure", "size_rule", "as_many_as", "target_kind",
         "metric", "deviation")  # fmt: skip
NUMBERS = ("fold_seed", "classifier_seconds", "max_seconds", "max_evaluations", "max_samples",
           "min_dependency")  # fmt: skip
KINDS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(TEXTS, TEXT),
    **dict.fromkeys(NUMBERS, NUMBER),
    **dict.fromkeys(("class_labels", "options"), TABLE),
    **dict.fromkeys(("seeds", "ignore", "categorical"), LIST),
}
OF_A_FILE = ("target", "ignore", "categorical", "separator", "decimal", "encoding")
NOT_IN_A_CONFIG = {"folder"}  # it is known from where the config lies


class ConfigError(FuzzyfrogError, ValueError):
    """The config of an experiment is not valid."""


@dataclass(frozen=True)
class DataEntry:
    """A data set: a registered name, a file, or what a function returns.

    Attributes
    ----------
    name : str
        Its name; without a `file` and a `loader`, one that `load_dataset` knows.
    file : Path or None
        Its table; relative to the folder of the config.
    target : str
        Column of the class in the file.
    target_kind : str
        "class", "numeric" or "auto", as for `read_table`; for a file or a `loader`.
    class_labels : mapping of str to str
        New labels for the classes. Weka's JRip depends on them.
    ignore, categorical : tuple of str
        Columns of the file to leave out, and columns to treat as categories.
    separator, decimal, encoding, row_labels, max_missing
        How a file is read, as for `read_table`.
    dates : str
        "keep" or "parts", as for `read_table`.
    loader : str or None
        "module:function", called with the name; it returns `X, y` or a `Dataset`.
    max_samples : int or None
        A larger table is cut to this many samples, drawn with a fixed seed so that every class
        keeps its share.
    seeds : tuple of int
        Seeds on this data set, such as fewer on a large one; those of the protocol by default.
    folder : Path or None
        Folder of the config, where modules are looked for first.
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
    row_labels: str | None = None
    max_missing: int | None = None
    dates: str = "keep"
    target_kind: str = "class"
    loader: str | None = None
    max_samples: int | None = None
    seeds: tuple[int, ...] = ()
    folder: Path | None = None

    def load(self, folder: str | os.PathLike[str] | None) -> Dataset:
        """Return the data set with the labels of the config; registered ones are in `folder`."""
        dataset = self._read(folder)
        if self.max_samples is not None and dataset.n_samples > self.max_samples:
            dataset = _sampled(dataset, self.max_samples)
        labels = [str(label) for label in dataset.classes or ()]
        if unknown := [label for label in self.class_labels if label not in labels]:
            raise DataError(
                f"class_labels must rename classes of the data, got {unknown[0]!r}. "
                f"{suggested(unknown[0], labels)}"
            )
        if dataset.classes is None:
            return replace(dataset, name=self.name)
        renamed = tuple(self.class_labels.get(label, label) for label in labels)
        return replace(dataset, classes=renamed, name=self.name)

    def _read(self, folder: str | os.PathLike[str] | None) -> Dataset:
        if self.loader is not None:
            return self._loaded(imported(f"data.{self.name}: loader", self.loader, self.folder))
        if self.file is None:
            return load_dataset(self.name, folder=folder)
        return read_table(
            self.file,
            self.target,
            target_kind=self.target_kind,
            ignore=self.ignore,
            categorical=self.categorical,
            separator=self.separator,
            decimal=self.decimal,
            encoding=self.encoding,
            row_labels=self.row_labels,
            max_missing=self.max_missing,
            dates=self.dates,
        )

    def _loaded(self, load: Callable[[str], Any]) -> Dataset:
        """Return what a function of the user's returns; it may raise anything."""
        try:
            loaded = load(self.name)
            if isinstance(loaded, Dataset):
                return loaded
            X, y = loaded
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            raise DataError(f"loader must return X, y or a Dataset, got {reason}.") from None
        return make_dataset(X, y, target=self.target_kind)


def _sampled(dataset: Dataset, n_samples: int) -> Dataset:
    """Return some samples, in their order, of every class about the share that it has."""
    drawn = np.random.default_rng(0).permutation(dataset.n_samples)
    by_class = drawn[np.argsort(dataset.target[drawn], kind="stable")]
    rows = np.sort(by_class[np.arange(n_samples) * dataset.n_samples // n_samples])
    return replace(dataset, values=dataset.values[rows], target=dataset.target[rows])


@dataclass(frozen=True)
class SelectorEntry:
    """A selector.

    Attributes
    ----------
    name : str
        Its name in the tables.
    search : str
        "frogs", "genetic", "swarm", "quickreduct", "boosted", "none" (all features), or
        "module:Class" for any scikit-learn selector.
    ranking : str
        "lexicographic" or "product"; for the searches.
    options : mapping
        Parameters of the search, of `BoostedSelector`, or of the class. A table with a `class`,
        "module:Class", and perhaps `options` becomes an object of that class.
    max_seconds, max_evaluations : float or None, int or None
        Budget of a search, which then returns the best so far.
    paper : str or None
        The method of the paper whose figures are shown in brackets.
    missing : str
        How a missing value compares to others: "similar", "different" or "raise"; for the
        searches.
    measure : str
        "strict", "soft", or "module:function" for a measure of your own; for the searches.
    min_dependency : float
        The share of the dependency of all features to keep; for the searches.
    n_features_to_select : int, float or None
        The number of features to select, or their share of all features (below 1); None for as
        many as the selector chooses.
    size_rule : str
        How the soft measure chooses the number of features; see `SoftSelector`.
    as_many_as : str or None
        Name of another selector: select as many features as it does, with the same samples.
    folder : Path or None
        Folder of the config, where modules are looked for first.
    """

    name: str
    search: str
    ranking: str = "lexicographic"
    options: Mapping[str, Any] = field(default_factory=dict)
    max_seconds: float | None = None
    max_evaluations: int | None = None
    paper: str | None = None
    missing: str = "similar"
    measure: str = "strict"
    min_dependency: float = 1.0
    n_features_to_select: int | float | None = None
    size_rule: str = "auto"
    as_many_as: str | None = None
    folder: Path | None = None


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
    classifiers : mapping of str to tuple of str
        Classifiers of a panel to run; all of them by default.
    groups : mapping of str to tuple of str
        Data sets to report apart as well, such as those that no decision was based on.
    metric : str
        What models are judged by: "accuracy", "balanced-accuracy", "auc" or "f1" (means over the
        classes), or "r2", with regressors, if the targets are numbers.
    deviation : str
        What the deviation behind a mean is taken over: "classifiers", as in the paper, or "folds".
    folds, fold_seed : int
        The cross-validation.
    classifier_seconds : float or None
        CPU time limit of a Weka classifier. One that exceeds it with some features of a data set
        is not tried with others: its cells there count as failed.
    expected : Path or None
        Folder with the published figures of a paper.
    folder : Path or None
        Folder of the config, where modules are looked for first.
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
    classifiers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    metric: str = "accuracy"
    deviation: str = "classifiers"
    folder: Path | None = None


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
    parts["lineups"] = lineups
    for key in ("lineups", "classifiers", "groups"):
        found_lists = _table(key, parts.get(key, {}))
        parts[key] = {name: _texts(_place(key, name), one) for name, one in found_lists.items()}
    return _made(Experiment, "config", {"title": "Experiment", **parts}, folder)


def _made(kind: type[T], where: str, found: dict[str, Any], folder: Path) -> T:
    """Return a part of the config; raise ConfigError for an unknown or missing key."""
    known = {
        one.name: one
        for one in fields(kind)  # type: ignore[arg-type]
        if one.name not in NOT_IN_A_CONFIG
    }
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
    for key in {"ignore", "categorical"} & values.keys():
        values[key] = _texts(f"{where}.{key}", values[key])
    if "seeds" in values:
        values["seeds"] = tuple(values["seeds"])
    if "folder" in {one.name for one in fields(kind)}:  # type: ignore[arg-type]
        values["folder"] = folder
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
    check_known("metric", experiment.metric, METRICS)
    check_known("deviation", experiment.deviation, DEVIATIONS)
    check_count("folds", experiment.folds, least=2)
    check_count("fold_seed", experiment.fold_seed, least=0)
    if experiment.classifier_seconds is not None:
        check_positive("classifier_seconds", experiment.classifier_seconds)
    _check_distinct("panels", experiment.panels)
    for data in experiment.data:
        _check_data(_place("data", data.name), data)
    for selector in experiment.selectors:
        _check_selector(_place("selectors", selector.name), selector, experiment.selectors)
    for protocol in experiment.protocols:
        check_known("protocols", protocol.name, PROTOCOLS)
        _check_seeds(f"protocols.{protocol.name}", protocol.seeds)
    _check_lineups(experiment.lineups, [selector.name for selector in experiment.selectors])
    for group, members in experiment.groups.items():
        for member in members:
            check_known(_place("groups", group), member, [one.name for one in experiment.data])
    if experiment.expected is not None and not experiment.expected.is_dir():
        got = shown(experiment.expected.name)
        raise ConfigError(f"expected must be a folder next to the config, got {got}.")


def _check_data(where: str, entry: DataEntry) -> None:
    """Raise unless it can be known where the table is, and every key has a meaning."""
    if entry.file is not None and entry.loader is not None:
        raise ConfigError(f"{where} must have a file or a loader, got both.")
    if entry.file is None:
        defaults = DataEntry(entry.name)
        for key in OF_A_FILE:
            if getattr(entry, key) != getattr(defaults, key):
                raise ConfigError(f"{where}: {key} must come with a file, got no file.")
        if entry.loader is None and entry.target_kind != defaults.target_kind:
            raise ConfigError(f"{where}: target_kind must come with a file or a loader.")
        if entry.loader is None and entry.name not in dataset_names():
            raise ConfigError(
                f"{where} must have a file, a loader or the name of a known data set, got none of "
                f"them. {suggested(entry.name, dataset_names())}"
            )
    check_known(f"{where}: target_kind", entry.target_kind, TARGET_KINDS)
    if entry.seeds:
        _check_seeds(where, entry.seeds)
    if entry.max_samples is not None:
        check_count(f"{where}: max_samples", entry.max_samples, least=2)
    for old, new in entry.class_labels.items():
        _check_kind(f"{where}.class_labels.{old}", TEXT, new)


def _check_selector(where: str, entry: SelectorEntry, everyone: Sequence[SelectorEntry]) -> None:
    check_known(f"{where}: ranking", entry.ranking, RANKINGS)
    check_known(f"{where}: missing", entry.missing, MISSING_RULES)
    check_share(f"{where}: min_dependency", entry.min_dependency, zero=False)
    size = entry.n_features_to_select
    if isinstance(size, float):
        check_share(f"{where}: n_features_to_select", size, zero=False)
    elif size is not None:
        check_count(f"{where}: n_features_to_select", size)
    if entry.as_many_as is None:
        return
    if size is not None:
        raise ConfigError(f"{where} must have n_features_to_select or as_many_as, got both.")
    others = [one.name for one in everyone if one.as_many_as is None]
    check_known(f"{where}: as_many_as", entry.as_many_as, others)


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


def imported(where: str, name: str, folder: Path | None = None) -> Any:
    """Return the object that "module:Class" names; a module next to the config comes first."""
    module, _, attribute = name.partition(":")
    try:
        found = module_beside(module, folder) or import_module(module)
        return getattr(found, attribute)
    except Exception as error:  # a module of the user's may raise anything
        kind = (
            "" if isinstance(error, ImportError | AttributeError) else f"{type(error).__name__}: "
        )
        raise ConfigError(
            f"{where} must be a known name or 'module:Class', got {shown(name)}: {kind}{error}."
        ) from None


def module_beside(name: str, folder: Path | None) -> ModuleType | None:
    """Return the module of a file next to the config; None if there is no such file.

    It is kept under a name that holds the folder: configs in two folders may have modules of the
    same name. Modules next to it can be imported while it is loaded.
    """
    file = None if folder is None else folder.resolve() / f"{name}.py"
    if file is None or not name.isidentifier() or not file.is_file():
        return None
    own_name = f"_beside_{hashlib.sha256(str(file).encode()).hexdigest()[:16]}_{name}"
    if own_name in sys.modules:
        return sys.modules[own_name]
    spec = spec_from_file_location(own_name, file)
    if spec is None or spec.loader is None:
        return None
    module = sys.modules[own_name] = module_from_spec(spec)
    sys.path.insert(0, str(file.parent))
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[own_name]
        raise
    finally:
        sys.path.remove(str(file.parent))
    return module
