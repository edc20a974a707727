"""The figures that the paper printed, to be shown beside ours."""

import csv
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["PaperFigures"]

TABLES = ("datasets", "sizes", "accuracy_mean", "accuracy_std", "accuracy_best", "seconds")


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
