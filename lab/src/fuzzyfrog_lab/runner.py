"""Run an experiment: every cell once, cheap ones first, whatever fails on the way."""

import hashlib
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from pathlib import Path
from threading import Timer
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.messages import count, listed, shown, suggested
from fuzzyfrog.common.params import check_known
from fuzzyfrog.data import Dataset
from fuzzyfrog.errors import ParameterError
from fuzzyfrog_lab.cells import (
    Cells,
    accuracy_key,
    canonical,
    package_versions,
    packed_file,
    reference_run,
    selection_key,
    selection_runs,
    table_digest,
    table_digests,
)
from fuzzyfrog_lab.config import (
    ConfigError,
    Experiment,
    Protocol,
    SelectorEntry,
    check_experiment,
    imported,
    read_config,
)
from fuzzyfrog_lab.folds import Fold, folds_along, stratified_folds
from fuzzyfrog_lab.pages import PageData, write_pages
from fuzzyfrog_lab.panel import CellError, Panel, SklearnPanel, check_target, reason_of
from fuzzyfrog_lab.results import TIMEOUT
from fuzzyfrog_lab.selectors import check_selector, made_with, selected
from fuzzyfrog_lab.weka import WekaPanel
from fuzzyfrog_lab.weka.process import WekaNotFoundError

CELLS_FILE = "cells.jsonl"


@dataclass(frozen=True)
class Reproduction:
    """The result of `reproduce`; it can be printed.

    Attributes
    ----------
    computed, reused : int
        Numbers of cells computed in this call, and of cells that were there already.
    failures : tuple of str
        One sentence for each cell or data set without a result.
    tables : tuple of Path
        The files that were written.
    """

    computed: int
    reused: int
    failures: tuple[str, ...]
    tables: tuple[Path, ...]

    def __str__(self) -> str:
        lines = [
            f"{count(self.computed, 'cell')} computed, {self.reused:,} were there, "
            f"{len(self.failures):,} failed."
        ]
        return "\n".join([*lines, *(f"  {one}" for one in self.failures), *map(str, self.tables)])


def reproduce(
    config: str | os.PathLike[str] | Experiment,
    data: str | os.PathLike[str] | None,
    out: str | os.PathLike[str],
    *,
    only: Sequence[str] | None = None,
    panels: Sequence[str] | None = None,
    retry_failed: bool = False,
    n_jobs: int | None = None,
    quiet: bool = False,
    figures: bool = True,
) -> Reproduction:
    """Run an experiment, or resume it, and write its pages.

    Parameters
    ----------
    config : path-like or Experiment
        A TOML file (see docs/experiment.md), or its content.
    data : path-like or None
        Folder with the files of registered data sets; None looks where `load_dataset` does.
    out : path-like
        Folder for the cells (one JSON object a line) and the pages. A run that was stopped or
        killed resumes from there; nothing is computed twice.
    only : sequence of str, optional
        Names of data sets to run; all by default.
    panels : sequence of str, optional
        Names of panels to run; all by default. The pages are about all of them.
    retry_failed : bool
        Whether to compute failed cells again.
    n_jobs : int or None
        Threads of the selectors; None for all usable CPUs.
    quiet : bool
        Whether to write no progress to stderr.
    figures : bool
        Whether to draw figures.

    Returns
    -------
    Reproduction
        The numbers of cells, the failures and the files.

    Raises
    ------
    ConfigError
        If the config is invalid.
    WekaNotFoundError
        If the config needs Weka, which is not installed.
    """
    whole = _checked(config)
    experiment = _chosen(whole, only, panels)
    folder = Path(out)
    every = _panels(whole)
    judges = {name: every[name] for name in experiment.panels}
    try:
        with Cells(folder / CELLS_FILE, _versions(experiment, judges.values())) as cells:
            if retry_failed:
                cells.forget_failures()
            run = _Runner(experiment, cells, judges, folder, CellProgress(quiet=quiet), n_jobs)
            run.everything(data)
    finally:
        for panel in judges.values():
            panel.close()
    found = _page_data(whole, every, folder / CELLS_FILE, data)
    files = write_pages(found, folder, figures=figures)
    return Reproduction(run.computed, run.reused, tuple(run.failures), tuple(files))


def write_report(
    config: str | os.PathLike[str],
    data: str | os.PathLike[str] | None,
    out: str | os.PathLike[str],
) -> tuple[Path, ...]:
    """Write the pages, tables and figures of existing cells without computing any.

    Parameters
    ----------
    config : path-like
        A TOML file; see docs/experiment.md.
    data : path-like or None
        Folder with the files of registered data sets; the paper's need not be there.
    out : path-like
        Folder with the cells.

    Returns
    -------
    tuple of Path
        The files; the same cells give the same bytes.

    Raises
    ------
    ConfigError
        If the config is invalid, or there are no cells.
    """
    return tuple(write_pages(page_data(config, data, out), Path(out)))


def page_data(
    config: str | os.PathLike[str] | Experiment,
    data: str | os.PathLike[str] | None,
    out: str | os.PathLike[str],
) -> PageData:
    """Return what the pages show, from the cells in a folder; the arguments of `write_report`."""
    # Pages need no foreign selectors, so they are not imported.
    experiment = config if isinstance(config, Experiment) else read_config(config)
    folder = Path(out)
    cells = folder / CELLS_FILE
    if not cells.exists() and not packed_file(cells).exists():
        raise ConfigError(
            f"out must be a folder with {CELLS_FILE} or {packed_file(cells).name}, got "
            f"{str(folder)!r}. Compute some cells first."
        )
    return _page_data(experiment, _panels(experiment), cells, data)


def _page_data(
    experiment: Experiment,
    panels: Mapping[str, Panel],
    cells: Path,
    data: str | os.PathLike[str] | None,
) -> PageData:
    return PageData.read(
        experiment,
        cells,
        {panel.name: panel.classifiers for panel in panels.values()},
        data=data,
        tables=table_digests(experiment.data, data),
        panel_keys={panel.name: _panel_key(name, panel) for name, panel in panels.items()},
    )


def _checked(config: str | os.PathLike[str] | Experiment) -> Experiment:
    """Return the experiment of a config, checked with its parts before anything runs."""
    experiment = config if isinstance(config, Experiment) else read_config(config)
    check_experiment(experiment)
    for data in experiment.data:
        if data.loader is not None:
            imported(f"data.{data.name}: loader", data.loader, data.folder)
    for entry in experiment.selectors:
        check_selector(entry)
    return experiment


class CellProgress:
    """Count cells and write, now and then, the one at work and the time left to stderr.

    The time left assumes that the remaining cells take as long as the computed ones on average.
    Nothing is said about it at first: the first cells also compile.
    """

    def __init__(
        self, *, quiet: bool = False, interval: float = 5.0, silent_seconds: float = 30.0
    ) -> None:
        self._quiet = quiet
        self._interval = interval
        self._silent_seconds = silent_seconds
        self._start = time.monotonic()
        self._last = -interval
        self._n_all = self._n_done = self._n_computed = 0

    def expect(self, n_cells: int) -> None:
        """Add cells to do; a negative number takes back those that turned out to be shared."""
        self._n_all += n_cells

    def reused(self) -> None:
        """Count a cell that was there."""
        self._n_done += 1

    @contextmanager
    def computing(self, what: str) -> Iterator[None]:
        """Count a cell that is computed, and name it as soon as the last line is old enough."""
        wait = self._last + self._interval - time.monotonic()
        later = Timer(max(0.0, wait), self._write, [what])
        later.daemon = True
        if not self._quiet and wait <= 0:
            self._write(what)
        elif not self._quiet:
            later.start()
        try:
            yield
        finally:
            later.cancel()
        self._n_done += 1
        self._n_computed += 1

    def _write(self, what: str) -> None:
        self._last = time.monotonic()
        seconds, left = self._last - self._start, ""
        if seconds >= self._silent_seconds and self._n_computed:
            pace = seconds / self._n_computed
            left = f"; about {duration(pace * (self._n_all - self._n_done))} left"
        sys.stderr.write(f"fuzzyfrog: {self._n_done:,} of {self._n_all:,} cells; {what}{left}\n")
        sys.stderr.flush()


def duration(seconds: float) -> str:
    """Return a time in at most two units, such as "2 h 13 min"."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes} min"
    return f"{hours // 24} d {hours % 24} h"


@dataclass(frozen=True, eq=False)
class _Block:
    """A data set under a protocol."""

    dataset: Dataset
    table: str
    protocol: Protocol
    folds: Sequence[Fold]

    @property
    def shape(self) -> list[int]:
        """Numbers of samples, features and classes."""
        classes = self.dataset.classes or ()
        return [self.dataset.n_samples, self.dataset.n_features, len(classes)]

    @property
    def order(self) -> tuple[int, bool, str]:
        """Sort key, cheap blocks first: a nested block selects once for each fold."""
        is_nested = self.protocol.name == "nested"
        n_runs = len(self.folds) if is_nested else 1
        return self.dataset.values.size * n_runs, is_nested, self.dataset.name


@dataclass(eq=False)
class _Runner:
    """One call of `reproduce`: computes the missing cells and counts what happened."""

    experiment: Experiment
    cells: Cells
    panels: Mapping[str, Panel]  # by their names in the config
    folder: Path
    progress: CellProgress
    n_jobs: int | None
    computed: int = 0
    reused: int = 0
    failures: list[str] = field(default_factory=list)
    # Classifiers that took too long for some features of a table, and which limit that was: with
    # other features they are not even tried, since one that is missing for a selector cannot count.
    _given_up: dict[tuple[str, bool, str, str], str] = field(default_factory=dict)

    def everything(self, data: str | os.PathLike[str] | None) -> None:
        """Compute the missing cells."""
        blocks = sorted(self._blocks(data), key=lambda block: block.order)
        for block in blocks:
            for entry in self.experiment.selectors:
                self.progress.expect(len(self._runs(block, entry)) * (1 + self._n_classifiers))
        for block in blocks:
            self._block(block)

    def _blocks(self, data: str | os.PathLike[str] | None) -> list[_Block]:
        blocks: list[_Block] = []
        for entry in self.experiment.data:
            try:
                dataset = entry.load(data)
                check_target(dataset, self.experiment.metric)
                deal = folds_along if dataset.classes is None else stratified_folds
                folds = deal(
                    dataset.target.tolist(), self.experiment.folds, self.experiment.fold_seed
                )
            except (ValueError, OSError) as error:  # the other data sets can still be done
                self.failures.append(f"{entry.name}: {error}")
                continue
            blocks.extend(
                _Block(dataset, table_digest(dataset), protocol, folds)
                for protocol in self.experiment.protocols
            )
        return blocks

    def _block(self, block: _Block) -> None:
        """Select with every selector, then evaluate with one classifier after the other."""
        found: dict[tuple[tuple[int, ...], int | None], int] = {}
        for entry in self.experiment.selectors:
            for run in self._runs(block, entry):
                features = self._selection(block, entry, run)
                if features is None or (features, run[1]) in found:
                    self.progress.expect(-self._n_classifiers)  # nothing to evaluate, or shared
                else:
                    found[features, run[1]] = len(features)
        subsets = sorted(found, key=lambda one: found[one])
        for judge in self._judges:
            for features, fold in subsets:
                self._judgment(block, features, fold, judge)

    @property
    def _n_classifiers(self) -> int:
        return sum(len(panel.classifiers) for panel in self.panels.values())

    def _runs(self, block: _Block, entry: SelectorEntry) -> list[tuple[int, int | None]]:
        return selection_runs(self.experiment, block.protocol, block.dataset.name, entry)

    def _selection(
        self, block: _Block, entry: SelectorEntry, run: tuple[int, int | None]
    ) -> tuple[int, ...] | None:
        """Return the features that a selector finds; None if it failed, or the one it follows."""
        name = block.dataset.name
        seed, fold = run
        size = None
        if entry.as_many_as is not None:
            features = self._followed(block, entry.as_many_as, run)
            if features is None:
                return None
            size = len(features)
        key = selection_key(
            self.experiment, name, block.table, entry, run, size=size,
            made_with=self._made_with[entry.name],
        )  # fmt: skip
        part = "" if fold is None else f", fold {fold}"

        def compute() -> dict[str, Any]:
            rows = np.arange(block.dataset.n_samples) if fold is None else block.folds[fold].train
            seen = _with_rows(block.dataset, np.sort(rows))
            found = selected(entry, seen, seed, self._checkpoint(key), self.n_jobs, size)
            return {"by": entry.name, "shape": block.shape, **found}

        what = f"{name}: {entry.name}, seed {seed}{part}"
        value = self._cell(key, what, compute)
        return None if value is None else tuple(value["features"])

    def _followed(
        self, block: _Block, name: str, run: tuple[int, int | None]
    ) -> tuple[int, ...] | None:
        """Return the features of the selector that another one follows in its size."""
        (entry,) = (one for one in self.experiment.selectors if one.name == name)
        data = block.dataset.name
        own_run = reference_run(self.experiment, block.protocol, data, entry, run)
        key = selection_key(
            self.experiment, data, block.table, entry, own_run,
            made_with=self._made_with[name],
        )  # fmt: skip
        line = self.cells.get(key)
        if line is None:  # it comes later in the config
            return self._selection(block, entry, own_run)
        return tuple(line["value"]["features"]) if "value" in line else None

    @cached_property
    def _made_with(self) -> dict[str, dict[str, str]]:
        """The versions in the keys of each selector."""
        return {one.name: made_with(one) for one in self.experiment.selectors}

    @cached_property
    def _judges(self) -> list[tuple[Panel, str, str, dict[str, str]]]:
        """Every classifier: its panel, the key of that, its name, and what it is made with."""
        return [
            (panel, _panel_key(name, panel), classifier, _judged_with(panel, classifier))
            for name, panel in self.panels.items()
            for classifier in panel.classifiers
        ]

    def _judgment(
        self,
        block: _Block,
        features: tuple[int, ...],
        fold: int | None,
        judge: tuple[Any, str, str, dict[str, str]],
    ) -> None:
        """Evaluate some features with a classifier."""
        panel, panel_key, classifier, versions = judge
        name, table = block.dataset.name, block.table
        key = accuracy_key(
            self.experiment, name, table, features, fold, panel_key, classifier, versions
        )
        one = table, fold is None, panel_key, classifier

        def compute() -> dict[str, Any]:
            if one in self._given_up:
                raise CellError(self._given_up[one])
            reduced = _with_columns(block.dataset, features)
            folds = list(block.folds) if fold is None else [block.folds[fold]]
            tested, metric = [len(part.test) for part in folds], self.experiment.metric
            if metric == "accuracy":
                correct = [int(n) for n in panel.correct(reduced, classifier, folds)]
                return {"correct": correct, "tested": tested}
            scores = panel.scores(reduced, classifier, folds, metric)
            return {"scores": [float(score) for score in scores], "tested": tested}

        self._cell(key, f"{name}: {classifier}, {count(len(features), 'feature')}", compute)
        if limit := self._exceeded(key):
            self._given_up.setdefault(one, f"{limit} with {len(features)} other features")

    def _exceeded(self, key: dict[str, Any]) -> str | None:
        """Return which limit a cell exceeded, if that is not less than the one of this run."""
        found = TIMEOUT.match((self.cells.get(key) or {}).get("error", ""))
        if found is None or float(found[1]) < (self.experiment.classifier_seconds or inf):
            return None
        return found[0]

    def _cell(
        self, key: dict[str, Any], what: str, compute: Callable[[], dict[str, Any]]
    ) -> dict[str, Any] | None:
        """Return the value of a cell, computed if necessary; None if it failed."""
        line = self.cells.get(key)
        if line is not None:
            self.reused += 1
            self.progress.reused()
        else:
            with self.progress.computing(what):
                line = self._kept(key, compute)
            self.computed += 1
        if "error" in line:
            self.failures.append(f"{what}: {line['error']}")
        value: dict[str, Any] | None = line.get("value")
        return value

    def _kept(self, key: dict[str, Any], compute: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        start = time.perf_counter()
        try:
            value = compute()
        except WekaNotFoundError:  # all other cells would fail as well
            raise
        except Exception as error:  # user classes may raise anything
            return self.cells.add(key, error=reason_of(error), seconds=time.perf_counter() - start)
        return self.cells.add(key, value=value, seconds=time.perf_counter() - start)

    def _checkpoint(self, key: dict[str, Any]) -> Path:
        """Return the checkpoint of a selection, named by a digest: data sets may have any name."""
        folder = self.folder / "checkpoints"
        folder.mkdir(exist_ok=True)
        return folder / f"{hashlib.sha256(canonical(key).encode()).hexdigest()[:32]}.scores"


def _chosen(
    experiment: Experiment, only: Sequence[str] | None, panels: Sequence[str] | None
) -> Experiment:
    names = [entry.name for entry in experiment.data]
    wanted = _known("only must name data sets", only, names)
    judging = _known("panels must name panels", panels, experiment.panels)
    return replace(
        experiment, data=tuple(one for one in experiment.data if one.name in wanted), panels=judging
    )


def _known(rule: str, given: Sequence[str] | None, names: Sequence[str]) -> tuple[str, ...]:
    """Return the requested names in the order of the config; all by default."""
    if given is None:
        return tuple(names)
    for name in given:
        if name not in names:
            raise ConfigError(f"{rule} of the config, got {name!r}. {suggested(name, names)}")
    return tuple(name for name in names if name in given)


def _with_rows(dataset: Dataset, rows: NDArray[np.int64]) -> Dataset:
    return replace(dataset, values=dataset.values[rows], target=dataset.target[rows])


def _with_columns(dataset: Dataset, features: Sequence[int]) -> Dataset:
    chosen = list(features)
    return replace(
        dataset,
        values=np.ascontiguousarray(dataset.values[:, chosen]),
        feature_names=tuple(dataset.feature_names[feature] for feature in chosen),
        categorical=dataset.categorical[chosen],
    )


def _panels(experiment: Experiment) -> dict[str, Panel]:
    """Return the panels by their names in the config, checked before anything runs."""
    panels = {name: _panel(name, experiment) for name in experiment.panels}
    for name, panel in panels.items():
        if experiment.metric != "accuracy" and not hasattr(panel, "scores"):
            raise ConfigError(
                f"metric must be 'accuracy' for the panel {shown(name)}, which counts correct "
                f"predictions only, got {shown(experiment.metric)}. Use the panel 'sklearn'."
            )
    owners: dict[str, str] = {}
    for source, panel in panels.items():
        if panel.name in owners:
            raise ConfigError(
                f"panels must have different names, got {shown(panel.name)} for "
                f"{shown(owners[panel.name])} and {shown(source)}."
            )
        owners[panel.name] = source
    try:
        for name, chosen in experiment.classifiers.items():
            check_known("classifiers: a panel", name, owners)
            panel = panels[owners[name]]
            for classifier in chosen:
                check_known(f"classifiers.{name}", classifier, panel.classifiers)
            panel.classifiers = chosen
    except ParameterError as error:
        raise ConfigError(str(error)) from None
    return panels


def _panel(name: str, experiment: Experiment) -> Panel:
    if name == "sklearn":
        return SklearnPanel(experiment.metric)
    if name == "weka":
        return WekaPanel(max_seconds=experiment.classifier_seconds)
    made = imported("panels", name, experiment.folder)
    try:
        panel: Panel = made()
    except Exception as error:  # a class of the user's may raise anything
        raise ConfigError(f"panels: {shown(name)} must be usable, got: {error}.") from None
    needed = ("name", "classifiers", "version", "correct", "close")
    if absent := [one for one in needed if not hasattr(panel, one)]:
        raise ConfigError(
            f"panels: {shown(name)} must have {listed(needed)}, lacks {listed(absent)}."
        )
    return panel


def _panel_key(source: str, panel: Panel) -> str:
    """Return the name of a panel in keys: two of the same name do not share their cells."""
    return panel.name if source == panel.name else f"{panel.name}, {source}"


def _judged_with(panel: Panel, classifier: str) -> dict[str, str]:
    """Return the versions and settings in the key of an accuracy."""
    if hasattr(panel, "made_with"):
        return dict(panel.made_with(classifier))
    return {panel.name: panel.version}


def _versions(experiment: Experiment, panels: Iterable[Panel]) -> dict[str, str]:
    versions = {panel.name: panel.version for panel in panels}
    for entry in experiment.selectors:
        versions.update(made_with(entry))
    return {**versions, **package_versions()}
