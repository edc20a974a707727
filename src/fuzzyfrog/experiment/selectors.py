"""Run the selectors of a config."""

import hashlib
import json
import warnings
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from fuzzyfrog.common.messages import listed, shown
from fuzzyfrog.data import Dataset
from fuzzyfrog.errors import CheckpointError, ConfigError, ParameterError
from fuzzyfrog.experiment.config import SelectorEntry
from fuzzyfrog.search import Search, registry
from fuzzyfrog.search.driver import check_budget
from fuzzyfrog.search.protocol import Problem
from fuzzyfrog.select import BoostedSelector, FuzzyRoughSelector

__all__ = ["check_selector", "imported", "is_random", "parameters", "recipe", "selected"]

SEARCHES = {
    name: search for name, search in registry.SEARCHES.items() if name not in registry.PROVING
}
DETERMINISTIC = {*registry.DETERMINISTIC, "none"}
A_PROBLEM = Problem(n_features=100, n_cells=1_000_000, full_score=1.0)
A_TABLE = np.arange(60.0)[:, np.newaxis], np.arange(60) // 30


def is_random(entry: SelectorEntry) -> bool:
    """Whether seeds make a difference."""
    return entry.search not in DETERMINISTIC


def check_selector(entry: SelectorEntry) -> None:
    """Raise ConfigError unless the selector can be constructed and its values are valid.

    The values of a "module:Class" are checked by its own `fit` only.
    """
    try:
        if entry.search == "none" and entry.options:
            raise ParameterError("options", "be empty for all features", listed(entry.options))
        check_budget(entry.max_evaluations, entry.max_seconds)
        if entry.search != "none":
            _try_out(_selector(entry, seed=0, checkpoint=Path(), n_jobs=1))
    except ConfigError:
        raise
    except (ValueError, ImportError) as error:
        raise ConfigError(f"selectors.{entry.name}: {error}") from None


def parameters(entry: SelectorEntry) -> dict[str, Any]:
    """Return all parameters of a selector, including the defaults."""
    if entry.search in SEARCHES:
        return dict(_search(entry).get_params())
    if entry.search == "boosted":
        every = BoostedSelector(**entry.options).get_params()
        return {name: every[name] for name in every if name not in {"n_jobs", "random_state"}}
    return dict(entry.options)


def recipe(entry: SelectorEntry) -> str:
    """Return a digest of all settings of a selector, without its name and its role in a paper."""
    settings = {k: v for k, v in asdict(entry).items() if k not in {"name", "paper"}}
    if entry.missing == SelectorEntry.missing:
        del settings["missing"]  # cells from before there was a choice stay valid
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:16]


def selected(
    entry: SelectorEntry, dataset: Dataset, seed: int, checkpoint: Path, n_jobs: int | None
) -> dict[str, Any]:
    """Return the features that a selector finds, and details such as the dependency for searches.

    A search keeps its scores in the checkpoint until it is done, and resumes from there after a
    crash; a checkpoint that cannot be used is deleted.
    """
    if entry.search == "none":
        return {"features": list(range(dataset.n_features))}
    selector = _selector(entry, seed, checkpoint, n_jobs)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            _fit(selector, entry, dataset)
        except CheckpointError:  # damaged or of another version
            checkpoint.unlink(missing_ok=True)
            _fit(selector, entry, dataset)
    found: dict[str, Any] = {"features": np.flatnonzero(selector.get_support()).tolist()}
    if isinstance(selector, FuzzyRoughSelector):
        found.update(_details(selector))
        checkpoint.unlink(missing_ok=True)
    if caught:
        found["warnings"] = sorted({str(warning.message) for warning in caught})
    return found


def imported(where: str, name: str) -> Any:
    """Return the object that "module:Class" names."""
    module, _, attribute = name.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise ConfigError(
            f"{where} must be a known name or 'module:Class', got {shown(name)}: {error}."
        ) from None


def _selector(entry: SelectorEntry, seed: int, checkpoint: Path, n_jobs: int | None) -> Any:
    try:
        if entry.search == "boosted":
            return BoostedSelector(**entry.options, random_state=seed, n_jobs=n_jobs)
        if entry.search in SEARCHES:
            return FuzzyRoughSelector(
                _search(entry),
                ranking=entry.ranking,  # type: ignore[arg-type]
                missing=entry.missing,  # type: ignore[arg-type]
                copies="keep",  # as in the paper
                max_seconds=entry.max_seconds,
                max_evaluations=entry.max_evaluations,
                checkpoint=checkpoint,
                random_state=seed,
                n_jobs=n_jobs,
            )
        if ":" in entry.search:
            own = imported(f"selectors.{entry.name}: search", entry.search)(**entry.options)
            seeded = "random_state" in own.get_params()
            return own.set_params(random_state=seed) if seeded else own
    except TypeError as error:
        raise ConfigError(f"selectors.{entry.name}: options must fit, got: {error}.") from None
    known = [*SEARCHES, "boosted", "none", "module:Class"]
    raise ConfigError(
        f"selectors.{entry.name}: search must be one of {listed(known)}, got {shown(entry.search)}."
    )


def _try_out(selector: Any) -> None:
    """Let one of our own selectors check its values, which it does on first use."""
    if isinstance(selector, FuzzyRoughSelector):
        search: Search = selector.search  # type: ignore[assignment]
        search.propose(A_PROBLEM, 0).close()
    elif isinstance(selector, BoostedSelector):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            selector.fit(*A_TABLE)


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


def _details(selector: FuzzyRoughSelector) -> dict[str, Any]:
    return {
        "dependency": selector.dependency_,
        "full_dependency": selector.full_dependency_,
        "evaluations": selector.n_evaluations_,
        "reducts": len(selector.reducts_),
        "stop_reason": selector.stop_reason_,
    }
