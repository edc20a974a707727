"""Cells -> figures: what each selector gave on each data set, under a protocol, with a panel."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median, stdev
from typing import Any

from fuzzyfrog.experiment.config import Experiment, Protocol, SelectorEntry
from fuzzyfrog.experiment.keys import accuracy_key, selection_key, selection_runs
from fuzzyfrog.experiment.store import canonical

__all__ = ["Entry", "Figures", "Lookup", "Results", "common_classifiers", "read_results"]


@dataclass(frozen=True)
class Entry:
    """What a selector gave on a data set: one square of the tables.

    Attributes
    ----------
    sizes : tuple of int
        Numbers of features, one for each run.
    seconds : float
        Median time of a run; 0 without runs. One that had to compile first, or stood still while
        the machine did something else, does not count.
    accuracies : dict of str to float
        Percent of right test samples for each classifier, the mean over the seeds; only of
        classifiers that have all their folds and seeds.
    by_seed : dict of int to dict of str to float
        The same for each seed; a classifier may have some of the seeds only.
    dependency : float or None
        Mean dependency of the features, where a search gave it.
    errors : tuple of str
        Reasons of failed cells.
    n_missing : int
        Cells that were not computed yet.
    n_cells : int
        Cells that there are in all; some may be shared with other selectors.
    evaluations : float or None
        Median number of subsets that a run scored, where a search counted them.
    """

    sizes: tuple[int, ...]
    seconds: float
    accuracies: Mapping[str, float]
    by_seed: Mapping[int, Mapping[str, float]]
    dependency: float | None
    errors: tuple[str, ...]
    n_missing: int
    n_cells: int
    evaluations: float | None = None

    def figures(self, classifiers: Sequence[str]) -> "Figures | None":
        """Give the figures over some classifiers; None if one of them is missing."""
        if not classifiers or any(name not in self.accuracies for name in classifiers):
            return None
        seeds = [[seed[name] for name in classifiers] for seed in self.by_seed.values()]
        mean = fmean(self.accuracies[name] for name in classifiers)
        return Figures(
            mean=round(mean, 9),  # equal counts in another order are a tie
            std=fmean(map(_deviation, seeds)),
            best=fmean(map(max, seeds)),
            over_seeds=_deviation([fmean(seed) for seed in seeds]),
        )


@dataclass(frozen=True)
class Figures:
    """The accuracy of a panel, in percent.

    Attributes
    ----------
    mean, std, best : float
        Mean, standard deviation (n - 1) and largest over the classifiers of one run; of several
        seeds the mean of each.
    over_seeds : float
        Standard deviation of the mean over the seeds.
    """

    mean: float
    std: float
    best: float
    over_seeds: float


Results = Mapping[str, Mapping[str, Entry]]  # by data set, then by selector


class Lookup:
    """Cells by key, and by what is known without the data.

    Parameters
    ----------
    lines : mapping of str to dict
        What `read_cells` gives.
    tables : mapping of str to str, optional
        Digests of the data sets that can be read, as `table_digests` gives them.
    """

    def __init__(
        self, lines: Mapping[str, dict[str, Any]], tables: Mapping[str, str] | None = None
    ) -> None:
        self._lines = lines
        # Without the data it is a guess that the table of the last new cell is still the one.
        self._tables: dict[str, str] = {
            line["key"]["data"]: line["key"]["table"] for line in lines.values()
        }
        self._tables.update(tables or {})

    def cells(self) -> list[dict[str, Any]]:
        """Give all cells."""
        return list(self._lines.values())

    def table(self, data: str) -> str:
        """Give the digest of a data set as it is, or else as it last had a new cell."""
        return self._tables.get(data, "")

    def line(self, key: Mapping[str, Any]) -> dict[str, Any]:
        """Give a line; an empty one if it is not there."""
        return self._lines.get(canonical(key), {})


def read_results(
    experiment: Experiment,
    lookup: Lookup,
    protocol: Protocol,
    panel: str,
    classifiers: Sequence[str],
) -> dict[str, dict[str, Entry]]:
    """Give the entries by data set and selector, as far as they were computed.

    Parameters
    ----------
    experiment : Experiment
        What was asked.
    lookup : Lookup
        The cells.
    protocol : Protocol
        Which of the protocols.
    panel : str
        Name of the panel.
    classifiers : sequence of str
        Its classifiers.

    Returns
    -------
    dict of str to dict of str to Entry
        One entry for each data set and selector, also where nothing was computed.
    """
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

    def entry(self, data: str, selector: SelectorEntry) -> Entry:
        runs = selection_runs(self.experiment, self.protocol.name, self.protocol.seeds, selector)
        found = {run: self._selection(data, selector, run) for run in runs}
        values = {run: line["value"] for run, line in found.items() if "value" in line}
        judged = {run: self._judged(data, run, values[run]) for run in values}
        lines = [*found.values(), *(line for part in judged.values() for line in part.values())]
        by_seed = _by_seed(runs, judged, self.classifiers)
        return Entry(
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
        )

    def _selection(
        self, data: str, selector: SelectorEntry, run: tuple[int, int | None]
    ) -> dict[str, Any]:
        table = self.lookup.table(data)
        return self.lookup.line(selection_key(self.experiment, data, table, selector, run))

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


def common_classifiers(entries: Iterable[Entry], classifiers: Sequence[str]) -> list[str]:
    """Give the classifiers that all selectors with any accuracy have: only these compare."""
    having = [entry for entry in entries if entry.accuracies]
    return [name for name in classifiers if having and all(name in e.accuracies for e in having)]


def _by_seed(
    runs: Sequence[tuple[int, int | None]],
    judged: Mapping[tuple[int, int | None], Mapping[str, Mapping[str, Any]]],
    classifiers: Sequence[str],
) -> dict[int, dict[str, float]]:
    """Give the accuracy of each seed: all test samples of all folds counted together."""
    accuracies: dict[int, dict[str, float]] = {}
    for seed in dict.fromkeys(seed for seed, _ in runs):
        own = [judged.get(run, {}) for run in runs if run[0] == seed]
        accuracies[seed] = {
            name: _percent([part[name]["value"] for part in own])
            for name in classifiers
            if all("value" in part.get(name, {}) for part in own)
        }
    return accuracies


def _percent(values: Sequence[Mapping[str, Any]]) -> float:
    correct = sum(sum(value["correct"]) for value in values)
    return 100.0 * correct / sum(sum(value["tested"]) for value in values)


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
