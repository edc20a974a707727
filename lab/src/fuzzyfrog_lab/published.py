"""The figures that a paper printed, to show them next to ours."""

import csv
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fuzzyfrog_lab.config import SelectorEntry

TABLES = ("datasets", "sizes", "accuracy_mean", "accuracy_std", "accuracy_best", "seconds")


@dataclass(frozen=True)
class PublishedFigures:
    """The figures of a paper, by data set and method."""

    tables: Mapping[str, Mapping[str, Mapping[str, str]]]  # as printed, by data set and column
    statistics: Mapping[str, Any]  # means, wins, ranks and tests over all data sets, by method

    @classmethod
    def read(cls, folder: Path | None) -> "PublishedFigures":
        """Read the tables of a folder; without one there are no figures."""
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
        """The remark of a heading about figures in brackets; empty without figures."""
        return " (paper in brackets)" if self.methods else ""

    @property
    def first(self) -> str:
        """The method that the paper ranks first."""
        ranks: Mapping[str, float] = self.statistics["ranks"]
        return min(ranks, key=lambda method: ranks[method])

    def get(self, table: str, data: str, method: str | None) -> str:
        """Return a figure as printed; empty if there is none."""
        return self.tables.get(table, {}).get(data, {}).get(method or "", "")

    def overall(self, table: str, method: str | None) -> object:
        """Return a figure over all data sets; None if there is none."""
        return self.statistics.get(table, {}).get(method or "")

    def numbers(self, table: str, datasets: Iterable[str]) -> dict[str, dict[str, float | None]]:
        """Return a table for some data sets as numbers; a gap is None."""
        return {
            data: {
                method: float(text) if (text := self.get(table, data, method)) else None
                for method in self.methods
            }
            for data in datasets
        }


def is_as_published(entry: SelectorEntry) -> bool:
    """Whether a selector is the published algorithm; the default frogs are our own."""
    return entry.search != "frogs" or entry.options.get("variant") == "paper"
