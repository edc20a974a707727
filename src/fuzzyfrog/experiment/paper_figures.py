"""The figures that the paper printed, to be shown beside ours."""

import csv
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["PaperFigures"]


@dataclass(frozen=True)
class PaperFigures:
    """The figures of the paper, by data set and method."""

    tables: Mapping[str, Mapping[str, Mapping[str, str]]]
    statistics: Mapping[str, Any]

    @classmethod
    def read(cls, folder: Path | None) -> "PaperFigures":
        """Read the tables in a folder; without one there are no figures."""
        if folder is None:
            return cls({}, {})
        tables = {}
        for name in ("sizes", "accuracy_mean", "accuracy_std", "accuracy_best", "seconds"):
            with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
                tables[name] = {row.pop("data"): row for row in csv.DictReader(file)}
        text = (folder / "statistics.json").read_text(encoding="utf-8")
        return cls(tables, json.loads(text))

    def get(self, table: str, data: str, method: str | None) -> str:
        """Give a figure as it is printed; empty where there is none."""
        return self.tables.get(table, {}).get(data, {}).get(method or "", "")
