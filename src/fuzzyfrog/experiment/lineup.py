"""Selectors that are ranked against each other: their figures on the data sets that are done."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

from fuzzyfrog.experiment.config import Experiment, SelectorEntry
from fuzzyfrog.experiment.results import Entry, Figures, Results, common_classifiers

__all__ = ["Lineup", "lineups_of", "wins"]

Scores = Mapping[str, Mapping[str, float | None]]


@dataclass(frozen=True, eq=False)
class Lineup:
    """Some selectors with what they gave, with one panel under one protocol.

    Attributes
    ----------
    name : str
        What the config calls it.
    selectors : tuple of SelectorEntry
        Its members, in the order of the config.
    results : mapping of str to mapping of str to Entry
        Entries of all selectors, by data set and selector.
    classifiers : tuple of str
        The classifiers of the panel.
    """

    name: str
    selectors: tuple[SelectorEntry, ...]
    results: Results
    classifiers: tuple[str, ...]

    @cached_property
    def done(self) -> list[str]:
        """The data sets on which every member is done, or failed, and some classifier compares."""
        return [data for data in self.results if self._is_done(data)]

    def entries(self, data: str) -> dict[str, Entry]:
        """Give the entries of the members."""
        return {one.name: self.results[data][one.name] for one in self.selectors}

    def common(self, data: str) -> list[str]:
        """Give the classifiers that all members have; only these compare."""
        return common_classifiers(self.entries(data).values(), self.classifiers)

    def figures(self, data: str) -> dict[str, Figures | None]:
        """Give the accuracies of the members; None for one that has none."""
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
        """Give the mean accuracies on the data sets that are done."""
        return {data: self._each(data, lambda one: one.mean) for data in self.done}

    def sizes(self) -> dict[str, dict[str, float | None]]:
        """Give the mean numbers of features on the data sets that are done."""
        return {
            data: {
                name: fmean(entry.sizes) if entry.sizes else None
                for name, entry in self.entries(data).items()
            }
            for data in self.done
        }

    def seconds(self) -> dict[str, dict[str, float | None]]:
        """Give the times of a selection on the data sets that are done."""
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
    """Give the lineups of the config, with their results."""
    return [
        Lineup(
            name,
            tuple(one for one in experiment.selectors if one.name in members),
            results,
            tuple(classifiers),
        )
        for name, members in experiment.lineups.items()
    ]


def wins(scores: Scores) -> dict[str, int]:
    """Give on how many data sets each method has the highest score, alone or with others."""
    methods = list(next(iter(scores.values()), {}))
    highest = {
        data: max(score for score in row.values() if score is not None)
        for data, row in scores.items()
    }
    return {
        method: sum(scores[data][method] == highest[data] for data in scores) for method in methods
    }
