"""The figures that the paper printed, to be shown beside ours."""

import csv
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import Any

__all__ = ["ImpossibleCell", "PaperFigures"]

TABLES = ("datasets", "sizes", "accuracy_mean", "accuracy_std", "accuracy_best", "seconds")
N_CLASSIFIERS = 9
# The largest of n values is at most (n - 1) / sqrt(n) standard deviations (n - 1) above their mean.
MOST_ABOVE = (N_CLASSIFIERS - 1) / sqrt(N_CLASSIFIERS)
ROUNDED = 0.005  # how far a figure with two digits may be from the one that was computed


@dataclass(frozen=True)
class ImpossibleCell:
    """A cell of the paper's accuracies that no nine values can have.

    Attributes
    ----------
    data, method : str
        Where it is.
    best : float
        The best of the nine, as printed.
    limit : float
        The largest that the printed mean and deviation allow.
    """

    data: str
    method: str
    best: float
    limit: float


@dataclass(frozen=True)
class PaperFigures:
    """The figures of the paper, by data set and method.

    Attributes
    ----------
    tables : mapping of str to mapping
        Each of the tables: figures as they are printed, by data set and column.
    statistics : mapping
        Figures over all data sets: means, wins, ranks and tests, by method.
    """

    tables: Mapping[str, Mapping[str, Mapping[str, str]]]
    statistics: Mapping[str, Any]

    @classmethod
    def read(cls, folder: Path | None) -> "PaperFigures":
        """Read the tables in a folder; without one there are no figures."""
        if folder is None:
            return cls({}, {})
        tables = {}
        for name in TABLES:
            with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
                tables[name] = {row.pop("data"): row for row in csv.DictReader(file)}
        text = (folder / "statistics.json").read_text(encoding="utf-8")
        return cls(tables, json.loads(text))

    @property
    def methods(self) -> list[str]:
        """The methods that the paper ranks; none without figures."""
        return list(self.statistics.get("ranks", {}))

    @property
    def remark(self) -> str:
        """What a heading says of the figures in brackets; nothing without figures."""
        return " (paper in brackets)" if self.methods else ""

    @property
    def first(self) -> str:
        """The method that the paper ranks first."""
        ranks: Mapping[str, float] = self.statistics["ranks"]
        return min(ranks, key=lambda method: ranks[method])

    def get(self, table: str, data: str, method: str | None) -> str:
        """Give a figure as it is printed; empty where there is none."""
        return self.tables.get(table, {}).get(data, {}).get(method or "", "")

    def overall(self, table: str, method: str | None) -> object:
        """Give a figure over all data sets; None where there is none."""
        return self.statistics.get(table, {}).get(method or "")

    def numbers(self, table: str, datasets: Iterable[str]) -> dict[str, dict[str, float | None]]:
        """Give a table for some data sets, as numbers; None where the paper has a gap."""
        return {
            data: {
                method: float(text) if (text := self.get(table, data, method)) else None
                for method in self.methods
            }
            for data in datasets
        }

    def impossible_cells(self) -> list[ImpossibleCell]:
        """Give the cells whose best classifier is further above the mean than it can be."""
        found = []
        for data in self.tables.get("accuracy_mean", {}):
            for method in self.methods:
                names = ("accuracy_mean", "accuracy_std", "accuracy_best")
                texts = [self.get(name, data, method) for name in names]
                if "" in texts:
                    continue
                mean, std, best = map(float, texts)
                limit = mean + MOST_ABOVE * std
                if best > limit + ROUNDED * (2 + MOST_ABOVE):
                    found.append(ImpossibleCell(data, method, best, limit))
        return found
