"""Run the selectors of a config."""

import functools
import hashlib
import json
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog import search as searches
from fuzzyfrog.common.messages import listed, shown
from fuzzyfrog.common.params import check_budget
from fuzzyfrog.data import Dataset, make_dataset
from fuzzyfrog.errors import CheckpointError, ParameterError
from fuzzyfrog.result import Result
from fuzzyfrog.search import Search
from fuzzyfrog.search.protocol import Problem
from fuzzyfrog.select.kind import Custom, Kind
from fuzzyfrog.select.selection import select
from fuzzyfrog.select.settings import Settings
from fuzzyfrog.select.soft import Soft
from fuzzyfrog.select.strict import Strict
from fuzzyfrog_lab.boosted import BoostedSelector
from fuzzyfrog_lab.config import ConfigError, SelectorEntry, imported, module_beside

SEARCHES = {
    name: search for name, search in searches.SEARCHES.items() if name not in searches.PROVING
}
DETERMINISTIC = {*searches.DETERMINISTIC, "none"}
# The parameters for the number of features, of scikit-learn's selectors and ours.
SIZE_PARAMETERS = ("n_features_to_select", "max_features", "k")
A_PROBLEM = Problem(n_features=100, n_cells=1_000_000, full_score=1.0)
A_TABLE = np.arange(60.0)[:, np.newaxis], np.arange(60) // 30


class _Searching:
    """A selection that leaves nothing out by itself: all selectors get the same features."""

    result: Result

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def fit(self, dataset: Dataset) -> None:
        """Select features."""
        self.result = select(dataset, self.settings)

    def get_support(self) -> NDArray[np.bool_]:
        """Return which features are selected."""
        return np.isin(np.arange(self.result.table.n_features), self.result.selected)

    @property
    def stop_reason_(self) -> str:
        """Why the search ended."""
        return self.result.stop_reason


def is_random(entry: SelectorEntry) -> bool:
    """Whether seeds make a difference."""
    return entry.search not in DETERMINISTIC


def check_selector(entry: SelectorEntry) -> None:
    """Raise ConfigError unless the selector can be constructed and its values are valid.

    The values of a "module:Class" are checked by its own `fit` only.
    """
    where = f"selectors.{entry.name}"
    try:
        if entry.search == "none" and entry.options:
            raise ParameterError("options", "be empty for all features", listed(entry.options))
        check_budget(entry.max_evaluations, entry.max_seconds)
        _check_meaning(entry)
        if entry.search != "none":
            is_sized = entry.as_many_as is not None or _number(entry, n_features=1) is not None
            size = 1 if is_sized else None  # the table to try it on has one feature
            found = _selector(entry, size, seed=0, checkpoint=Path(), n_jobs=1)
            is_plain = (entry.measure, entry.size_rule, size) == ("strict", "auto", None)
            _try_out(found, where, is_plain=is_plain)
    except ConfigError:
        raise
    except Exception as error:  # a class of the user's may raise anything
        raise ConfigError(f"{where}: {error}") from None


def _check_meaning(entry: SelectorEntry) -> None:
    """Raise if the entry has a setting that its selector would ignore."""
    if entry.search in SEARCHES:
        strict_only = ("ranking", "min_dependency", "missing") if entry.measure == "soft" else ()
        for name in strict_only:
            given, usual = getattr(entry, name), getattr(SelectorEntry, name)
            if given != usual:
                raise ParameterError(name, f"be {shown(usual)} for the soft measure", shown(given))
        return
    for name in ("measure", "min_dependency", "size_rule"):
        if getattr(entry, name) != getattr(SelectorEntry, name):
            raise ParameterError(name, "be left out without a search", shown(getattr(entry, name)))
    size = entry.as_many_as or entry.n_features_to_select
    if size is not None and entry.search in {"boosted", "none"}:
        name = "as_many_as" if entry.as_many_as else "n_features_to_select"
        raise ParameterError(name, f"be left out with search = {entry.search!r}", shown(size))


def parameters(entry: SelectorEntry) -> dict[str, Any]:
    """Return all parameters of a selector, including the defaults."""
    if entry.search in SEARCHES:
        return dict(_search(entry).get_params())
    if entry.search == "boosted":
        every = BoostedSelector(**entry.options).get_params()
        return {name: every[name] for name in every if name not in {"n_jobs", "random_state"}}
    return dict(entry.options)


def recipe(entry: SelectorEntry) -> str:
    """Return a digest of all settings of a selector but its name, its role in a paper and its size.

    It includes the defaults of a search; the number of features is a part of the key of its own.
    """
    hidden = {"name", "paper", "folder", "as_many_as", "n_features_to_select"}
    settings = {name: value for name, value in asdict(entry).items() if name not in hidden}
    settings["options"] = parameters(entry)
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:16]


def made_with(entry: SelectorEntry) -> dict[str, str]:
    """Return the versions of the packages, other than ours, that decide what a selector finds.

    A module next to the config has no version but a digest of its file.
    """
    if entry.search == "boosted":
        return {"lightgbm": version("lightgbm")}
    versions: dict[str, str] = {}
    for name in _classes(entry):
        where = name.partition(":")[0]
        module = module_beside(where, entry.folder)
        if module is not None and module.__file__:
            versions[where] = hashlib.sha256(Path(module.__file__).read_bytes()).hexdigest()[:16]
            made = imported(f"selectors.{entry.name}", name, entry.folder)
            for package in getattr(made, "packages", ()):
                versions[package] = version(package)
        else:
            versions.update(_version_of(where.partition(".")[0]))
    return versions


def _classes(entry: SelectorEntry) -> Iterator[str]:
    """Yield every "module:Class" of an entry."""
    if ":" in entry.search:
        yield entry.search
    if ":" in entry.measure:
        yield entry.measure
    waiting: list[object] = list(entry.options.values())
    while waiting:
        value = waiting.pop()
        if isinstance(value, Mapping):
            if isinstance(value.get("class"), str):
                yield value["class"]
            waiting.extend(value.values())


# Reads the list of files of every installed distribution, which takes a third of a second.
_distributions = functools.cache(packages_distributions)


def _version_of(package: str) -> dict[str, str]:
    """Return the version of the distribution that an imported package belongs to, if any."""
    for distribution in _distributions().get(package, [])[:1]:
        try:
            return {distribution: version(distribution)}
        except PackageNotFoundError:
            break
    return {}


def selected(
    entry: SelectorEntry,
    dataset: Dataset,
    seed: int,
    checkpoint: Path,
    n_jobs: int | None,
    size: int | None = None,
) -> dict[str, Any]:
    """Return the features that a selector finds, and details such as the dependency for searches.

    A search keeps its scores in the checkpoint until it is done, and resumes from there after a
    crash; a checkpoint that cannot be used is deleted. `size` is how many features the selector
    that it follows has chosen.
    """
    if entry.search == "none":
        return {"features": list(range(dataset.n_features))}
    if size is None:
        size = _number(entry, dataset.n_features)
    selector = _selector(entry, size, seed, checkpoint, n_jobs)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            _fit(selector, entry, dataset)
        except CheckpointError:  # damaged or of another version
            checkpoint.unlink(missing_ok=True)
            _fit(selector, entry, dataset)
    found: dict[str, Any] = {"features": np.flatnonzero(selector.get_support()).tolist()}
    if isinstance(selector, _Searching):
        found.update(_details(selector.result))
        checkpoint.unlink(missing_ok=True)
    if caught:
        found["warnings"] = sorted({str(warning.message) for warning in caught})
    return found


def _number(entry: SelectorEntry, n_features: int) -> int | None:
    """Return the number of features that the config sets; None if it leaves that open."""
    share = entry.n_features_to_select
    return max(1, int(share * n_features)) if isinstance(share, float) else share


def _selector(
    entry: SelectorEntry, size: int | None, seed: int, checkpoint: Path, n_jobs: int | None
) -> Any:
    where = f"selectors.{entry.name}"
    try:
        if entry.search == "boosted":
            return BoostedSelector(**entry.options, random_state=seed, n_jobs=n_jobs)
        if entry.search in SEARCHES:
            settings = Settings(
                kind=_kind(entry),
                search=_search(entry),
                size_rule=entry.size_rule,
                ranking=entry.ranking,
                min_dependency=entry.min_dependency,
                n_features_to_select=size,
                copies="keep",  # as in the paper
                max_seconds=entry.max_seconds,
                max_evaluations=entry.max_evaluations,
                checkpoint=checkpoint,
                random_state=seed,
                n_jobs=n_jobs,
                screens=False,
            )
            if entry.size_rule != "auto" and not settings.is_path:
                rule = "be 'auto' unless the soft measure is searched greedily"
                raise ParameterError("size_rule", rule, shown(entry.size_rule))
            return _Searching(settings)
        if ":" in entry.search:
            made = imported(f"{where}: search", entry.search, entry.folder)
            own = made(**_with_objects(entry, entry.options))
            return _seeded_and_sized(own, seed, size)
    except TypeError as error:
        raise ConfigError(f"{where}: options must fit, got: {error}.") from None
    known = [*SEARCHES, "boosted", "none", "module:Class"]
    raise ConfigError(f"{where}: search must be one of {listed(known)}, got {shown(entry.search)}.")


def _kind(entry: SelectorEntry) -> Kind:
    """Return the measure by its name, or a function of the user's."""
    if entry.measure == "strict":
        return Strict(missing=entry.missing)  # type: ignore[arg-type]
    if entry.measure == "soft":
        return Soft()
    if ":" not in entry.measure:
        rule = "be 'strict', 'soft', or a function that makes a measure, as module:function"
        raise ParameterError("measure", rule, shown(entry.measure))
    return Custom(imported(f"selectors.{entry.name}: measure", entry.measure, entry.folder))


def _with_objects(entry: SelectorEntry, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options in which every table with a class has become an object."""
    made: dict[str, Any] = {}
    for name, value in options.items():
        if isinstance(value, Mapping) and "class" in value:
            where = f"selectors.{entry.name}: options.{name}"
            if unknown := set(value) - {"class", "options"}:
                raise ConfigError(f"{where} must have class and options, got {listed(unknown)}.")
            inner = _with_objects(entry, value.get("options", {}))
            made[name] = imported(where, str(value["class"]), entry.folder)(**inner)
        else:
            made[name] = value
    return made


def _seeded_and_sized(own: Any, seed: int, size: int | None) -> Any:
    """Return a third-party selector with the seed and the size, where it takes them."""
    known = own.get_params() if hasattr(own, "get_params") else {}
    seeds = [name for name in known if name.rpartition("__")[2] == "random_state"]
    if seeds:
        own = own.set_params(**dict.fromkeys(seeds, seed))
    if size is not None:
        sizes = [name for name in SIZE_PARAMETERS if name in known]
        if not sizes:
            rule = f"be left out for a selector without a parameter {listed(SIZE_PARAMETERS)}"
            raise ParameterError("n_features_to_select, as_many_as", rule, type(own).__name__)
        own = own.set_params(**{sizes[0]: size})
    return own


def _try_out(selector: Any, where: str, *, is_plain: bool) -> None:
    """Make one of our own selectors check its values, which it does on first use.

    A plain one, with nothing but a search, need not be fitted for that.
    """
    if isinstance(selector, _Searching):
        selector.settings.strategy.propose(A_PROBLEM, 0).close()
        if is_plain:
            return
        with warnings.catch_warnings(action="ignore"):
            _Searching(replace(selector.settings, checkpoint=None)).fit(make_dataset(*A_TABLE))
    elif isinstance(selector, BoostedSelector):
        with warnings.catch_warnings(action="ignore"):
            selector.fit(*A_TABLE)
    elif absent := [name for name in ("fit", "get_support") if not hasattr(selector, name)]:
        raise ConfigError(
            f"{where}: search must be a selector, got {type(selector).__name__} without "
            f"{listed(absent)}."
        )


def _search(entry: SelectorEntry) -> Search:
    return SEARCHES[entry.search](**entry.options)


def _fit(selector: Any, entry: SelectorEntry, dataset: Dataset) -> None:
    if entry.search in {*SEARCHES, "boosted"}:
        selector.fit(dataset)
    else:
        selector.fit(dataset.values, dataset.target)
    if getattr(selector, "stop_reason_", None) == "interrupted":
        raise KeyboardInterrupt  # the best so far is not a result
    if getattr(selector, "stop_reason_", None) == "memory":
        raise MemoryError("the search ran out of memory")


def _details(result: Result) -> dict[str, Any]:
    return {
        "dependency": result.dependency,
        "full_dependency": result.full_dependency,
        "evaluations": result.n_evaluations,
        "reducts": result.n_reducts,
        "stop_reason": result.stop_reason,
    }
