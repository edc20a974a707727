"""Read the results of each selector on each data set from the cells."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean, median, stdev
from typing import Any

from fuzzyfrog_lab.cells import (
    accuracy_key,
    family,
    reference_run,
    selection_key,
    selection_runs,
)
from fuzzyfrog_lab.config import Experiment, Protocol, SelectorEntry
from fuzzyfrog_lab.panel import METRICS, Metric
from fuzzyfrog_lab.selectors import recipe

TIMEOUT = re.compile(r"it took more than (\S+) seconds")


@dataclass(frozen=True)
class SelectorResult:
    """The result of a selector on a data set, under one protocol with one panel."""

    sizes: tuple[int, ...]  # numbers of features, one for each run
    seconds: float  # median of the runs, so that one that had to compile does not count
    accuracies: Mapping[str, float]  # by classifier, for those with all folds and seeds
    by_seed: Mapping[int, Mapping[str, float]]  # the same for each seed
    dependency: float | None  # mean over the runs, for searches
    errors: tuple[str, ...]  # reasons of failed cells
    n_missing: int  # cells not computed yet
    n_cells: int  # all cells; some may be shared with other selectors
    evaluations: float | None = None  # median number of scored subsets, for searches
    by_fold: Mapping[str, Sequence[float]] | None = None  # mean over seeds; None: not computed

    def figures(self, classifiers: Sequence[str]) -> "Figures | None":
        """Return the accuracy over some classifiers; None if one of them is missing."""
        if not classifiers or any(name not in self.accuracies for name in classifiers):
            return None
        seeds = [[seed[name] for name in classifiers] for seed in self.by_seed.values()]
        mean = fmean(self.accuracies[name] for name in classifiers)
        return Figures(
            mean=round(mean, 9),  # equal counts in another order are a tie
            std=self._deviation(classifiers, seeds),
            best=fmean(map(max, seeds)),
            over_seeds=_deviation([fmean(seed) for seed in seeds]),
        )

    def _deviation(self, classifiers: Sequence[str], seeds: Sequence[Sequence[float]]) -> float:
        """Return the deviation over the classifiers of a seed, or of the mean over the folds."""
        if self.by_fold is None:
            return fmean(map(_deviation, seeds))
        folds = zip(*(self.by_fold[name] for name in classifiers), strict=True)
        return _deviation([fmean(one) for one in folds])


@dataclass(frozen=True)
class Figures:
    """The accuracy of a panel, in the unit of the metric.

    `std` (n - 1) and `best` are taken over the classifiers of one seed, then averaged over seeds;
    an experiment may use the `std` over the folds instead.
    """

    mean: float
    std: float
    best: float
    over_seeds: float  # standard deviation of the mean over the seeds


Results = Mapping[str, Mapping[str, SelectorResult]]  # by data set, then by selector


class Lookup:
    """Look up cells by key; `tables` has the digests of the data sets that can be read."""

    def __init__(
        self, lines: Mapping[str, dict[str, Any]], tables: Mapping[str, str] | None = None
    ) -> None:
        self._lines = lines
        self._last = {family(line["key"]): line for line in lines.values()}
        # Without the data, assume the table of the last new cell.
        self._tables: dict[str, str] = {
            line["key"]["data"]: line["key"]["table"] for line in lines.values()
        }
        self._tables.update(tables or {})

    def cells(self) -> list[dict[str, Any]]:
        """Return all cells."""
        return list(self._lines.values())

    def table(self, data: str) -> str:
        """Return the digest of a data set, or the one of its last new cell if it cannot be read."""
        return self._tables.get(data, "")

    def line(self, key: Mapping[str, Any]) -> dict[str, Any]:
        """Return the last cell of a key, with any versions; empty if it was not computed."""
        return self._last.get(family(key), {})

    def shape(self, data: str) -> tuple[int, int, int] | None:
        """Return the numbers of samples, features and classes recorded by a selection."""
        for line in self._lines.values():
            key, found = line["key"], line.get("value", {}).get("shape")
            if found and key["data"] == data and key["table"] == self.table(data):
                n_samples, n_features, n_classes = found
                return n_samples, n_features, n_classes
        return None


def read_results(
    experiment: Experiment,
    lookup: Lookup,
    protocol: Protocol,
    panel: str,
    classifiers: Sequence[str],
) -> dict[str, dict[str, SelectorResult]]:
    """Return an entry for each data set and selector, even where nothing was computed."""
    reader = _Reader(experiment, lookup, protocol, panel, tuple(classifiers))
    return {
        data.name: {one.name: reader.entry(data.name, one) for one in experiment.selectors}
        for data in experiment.data
    }


@dataclass(frozen=True, eq=False)
class _Reader:
    experiment: Experiment
    lookup: Lookup
    protocol: Protocol
    panel: str
    classifiers: tuple[str, ...]

    def entry(self, data: str, selector: SelectorEntry) -> SelectorResult:
        runs = selection_runs(self.experiment, self.protocol, data, selector)
        found = {run: self._selection(data, selector, run) for run in runs}
        values = {run: line["value"] for run, line in found.items() if "value" in line}
        judged = {run: self._judged(data, run, values[run]) for run in values}
        lines = [*found.values(), *(line for part in judged.values() for line in part.values())]
        scale = METRICS[self.experiment.metric].scale
        parts = _by_seed(runs, judged, self.classifiers)
        by_seed = {
            seed: {name: _score(values, scale) for name, values in own.items()}
            for seed, own in parts.items()
        }
        return SelectorResult(
            sizes=tuple(len(value["features"]) for value in values.values()),
            seconds=median([found[run]["seconds"] for run in values] or [0.0]),
            accuracies=_over_seeds(by_seed),
            by_seed=by_seed,
            dependency=_mean(v["dependency"] for v in values.values() if "dependency" in v),
            errors=tuple(sorted({line["error"] for line in lines if "error" in line})),
            n_missing=sum(not line for line in lines)
            + len(self.classifiers) * sum(not line for line in found.values()),
            n_cells=len(runs) * (1 + len(self.classifiers)),
            evaluations=_median(v["evaluations"] for v in values.values() if "evaluations" in v),
            by_fold=_by_fold(parts, scale) if self.experiment.deviation == "folds" else None,
        )

    def _selection(
        self, data: str, selector: SelectorEntry, run: tuple[int, int | None]
    ) -> dict[str, Any]:
        table, size = self.lookup.table(data), None
        if selector.as_many_as is not None:
            (followed,) = (
                one for one in self.experiment.selectors if one.name == selector.as_many_as
            )
            other_run = reference_run(self.experiment, self.protocol, data, followed, run)
            first = self._selection(data, followed, other_run)
            if "value" not in first:
                return first
            size = len(first["value"]["features"])
        key = selection_key(self.experiment, data, table, selector, run, size=size)
        return self.lookup.line(key)

    def _judged(
        self, data: str, run: tuple[int, int | None], value: Mapping[str, Any]
    ) -> dict[str, dict[str, Any]]:
        table = self.lookup.table(data)
        return {
            name: self.lookup.line(
                accuracy_key(
                    self.experiment, data, table, value["features"], run[1], self.panel, name
                )
            )
            for name in self.classifiers
        }


def common_classifiers(entries: Iterable[SelectorResult], classifiers: Sequence[str]) -> list[str]:
    """Return the classifiers shared by all entries with any accuracy: only these compare."""
    having = [entry for entry in entries if entry.accuracies]
    return [name for name in classifiers if having and all(name in e.accuracies for e in having)]


def _by_seed(
    runs: Sequence[tuple[int, int | None]],
    judged: Mapping[tuple[int, int | None], Mapping[str, Mapping[str, Any]]],
    classifiers: Sequence[str],
) -> dict[int, dict[str, list[Mapping[str, Any]]]]:
    """Return the values of the cells of each seed, for classifiers that have them all."""
    values: dict[int, dict[str, list[Mapping[str, Any]]]] = {}
    for seed in dict.fromkeys(seed for seed, _ in runs):
        own = [judged.get(run, {}) for run in runs if run[0] == seed]
        values[seed] = {
            name: [part[name]["value"] for part in own]
            for name in classifiers
            if all("value" in part.get(name, {}) for part in own)
        }
    return values


def _score(values: Sequence[Mapping[str, Any]], scale: float) -> float:
    """Return the accuracy over the test samples of all folds, or the mean score of the folds."""
    if "scores" in values[0]:
        return fmean(_fold_scores(values, scale))
    correct = sum(sum(value["correct"]) for value in values)
    return scale * correct / sum(sum(value["tested"]) for value in values)


def _fold_scores(values: Sequence[Mapping[str, Any]], scale: float) -> list[float]:
    """Return the score of each fold."""
    return [
        scale * (part if "scores" in value else part / n_tested)
        for value in values
        for part, n_tested in zip(
            value["scores"] if "scores" in value else value["correct"], value["tested"], strict=True
        )
    ]


def _by_fold(
    by_seed: Mapping[int, Mapping[str, Sequence[Mapping[str, Any]]]], scale: float
) -> dict[str, list[float]]:
    """Return the score of each fold, the mean over the seeds, by classifier."""
    seeds = list(by_seed.values())
    names = [name for name in seeds[0] if all(name in seed for seed in seeds)]
    folds = {name: [_fold_scores(seed[name], scale) for seed in seeds] for name in names}
    return {name: [fmean(one) for one in zip(*folds[name], strict=True)] for name in names}


def _over_seeds(by_seed: Mapping[int, Mapping[str, float]]) -> dict[str, float]:
    seeds = list(by_seed.values())
    names = [name for name in seeds[0] if all(name in seed for seed in seeds)]
    return {name: fmean(seed[name] for seed in seeds) for name in names}


def _mean(values: Iterable[float]) -> float | None:
    everything = list(values)
    return fmean(everything) if everything else None


def _median(values: Iterable[float]) -> float | None:
    everything = list(values)
    return median(everything) if everything else None


def _deviation(values: Sequence[float]) -> float:
    return stdev(values) if len(values) > 1 else 0.0


Scores = Mapping[str, Mapping[str, float | None]]


@dataclass(frozen=True, eq=False)
class Lineup:
    """Selectors that are ranked against each other, with one panel under one protocol."""

    name: str
    selectors: tuple[SelectorEntry, ...]
    results: Results
    classifiers: tuple[str, ...]
    metric: Metric = METRICS["accuracy"]

    @cached_property
    def done(self) -> list[str]:
        """The data sets that every member finished (or failed on), with a common classifier."""
        return [data for data in self.results if self._is_done(data)]

    def entries(self, data: str) -> dict[str, SelectorResult]:
        """Return the entries of the members."""
        return {one.name: self.results[data][one.name] for one in self.selectors}

    def common(self, data: str) -> list[str]:
        """Return the classifiers shared by all members; only these compare."""
        return common_classifiers(self.entries(data).values(), self.classifiers)

    def figures(self, data: str) -> dict[str, Figures | None]:
        """Return the accuracies of the members; None for a member without any."""
        return self._all_figures[data]

    @cached_property
    def _all_figures(self) -> dict[str, dict[str, Figures | None]]:
        return {
            data: {
                name: entry.figures(self.common(data)) for name, entry in self.entries(data).items()
            }
            for data in self.results
        }

    def scores(self) -> dict[str, dict[str, float | None]]:
        """Return the mean accuracies on the data sets that are done."""
        return {data: self._each(data, lambda one: one.mean) for data in self.done}

    def sizes(self) -> dict[str, dict[str, float | None]]:
        """Return the mean numbers of features on the data sets that are done."""
        return {
            data: {
                name: fmean(entry.sizes) if entry.sizes else None
                for name, entry in self.entries(data).items()
            }
            for data in self.done
        }

    def seconds(self) -> dict[str, dict[str, float | None]]:
        """Return the times of a selection on the data sets that are done."""
        return {
            data: {
                name: entry.seconds if entry.sizes else None
                for name, entry in self.entries(data).items()
            }
            for data in self.done
        }

    def _each(self, data: str, figure: Callable[[Figures], float]) -> dict[str, float | None]:
        return {name: figure(one) if one else None for name, one in self.figures(data).items()}

    def _is_done(self, data: str) -> bool:
        entries = self.entries(data).values()
        return all(entry.n_missing == 0 for entry in entries) and bool(self.common(data))


def lineups_of(
    experiment: Experiment, results: Results, classifiers: Sequence[str]
) -> list[Lineup]:
    """Return the lineups of the config, with their results."""
    return [
        Lineup(
            name,
            tuple(one for one in experiment.selectors if one.name in members),
            results,
            tuple(classifiers),
            METRICS[experiment.metric],
        )
        for name, members in experiment.lineups.items()
    ]


def wins(scores: Scores) -> dict[str, int]:
    """Return the number of data sets on which each method has the highest score, ties included."""
    methods = list(next(iter(scores.values()), {}))
    highest = {
        data: max(score for score in row.values() if score is not None)
        for data, row in scores.items()
    }
    return {
        method: sum(scores[data][method] == highest[data] for data in scores) for method in methods
    }


def failure_lines(
    experiment: Experiment, lookup: Lookup, protocol: Protocol, panel: str
) -> list[str]:
    """Return a line for each reason of failed cells under a protocol with a panel.

    Failed selections belong to all panels.
    """
    selectors = {(recipe(one), _is_sized(one)): one.name for one in experiment.selectors}
    order = [one.name for one in experiment.data]
    counts: Counter[tuple[str, str, str]] = Counter()
    for cell in _failed(lookup.cells()):
        key = cell["key"]
        by = selectors.get((key.get("recipe", ""), "size" in key))
        judge = key["classifier"] if key.get("panel") == panel else by
        if judge and key["data"] in order and _is_of(experiment, protocol, lookup, key):
            counts[key["data"], judge, cell["error"]] += 1
    rows = sorted(counts.items(), key=lambda row: (order.index(row[0][0]), *row[0]))
    return [
        f"{data}: {judge}, {reason.rstrip('.')}: {n_cells:,} cell{'s' if n_cells > 1 else ''}"
        for (data, judge, reason), n_cells in rows
    ]


def _is_sized(entry: SelectorEntry) -> bool:
    """Whether the keys of its selections hold a number of features."""
    return entry.as_many_as is not None or entry.n_features_to_select is not None


def timeouts(lookup: Lookup) -> dict[float, int]:
    """Return the number of cells that timed out for each time limit in seconds."""
    limits = (TIMEOUT.match(cell["error"]) for cell in _failed(lookup.cells()))
    return dict(sorted(Counter(float(found[1]) for found in limits if found).items()))


def _failed(cells: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [cell for cell in cells if "error" in cell]


def _is_of(
    experiment: Experiment, protocol: Protocol, lookup: Lookup, key: Mapping[str, Any]
) -> bool:
    """Whether a cell belongs to a protocol, with the current table and folds."""
    in_fold = key.get("fold") is not None
    folds = [experiment.folds, experiment.fold_seed]
    return (
        key["table"] == lookup.table(key["data"])
        and in_fold == (protocol.name == "nested")
        and key.get("folds", folds) == folds
    )
