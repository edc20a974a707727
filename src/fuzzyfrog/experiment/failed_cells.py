"""Cells that have a reason in place of a value: which, why, and how many."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from fuzzyfrog.experiment.config import Experiment, Protocol
from fuzzyfrog.experiment.results import Lookup
from fuzzyfrog.experiment.selectors import recipe

__all__ = ["failure_lines", "timeouts"]

TIMEOUT = re.compile(r"it took more than (\S+) seconds")


def failure_lines(
    experiment: Experiment, lookup: Lookup, protocol: Protocol, panel: str
) -> list[str]:
    """Give what failed under a protocol with a panel, one line for each reason.

    Parameters
    ----------
    experiment : Experiment
        What was asked.
    lookup : Lookup
        The cells.
    protocol : Protocol
        Under which protocol.
    panel : str
        Name of the panel; failed selections belong to all panels.

    Returns
    -------
    list of str
        Data set, classifier or selector, reason and number of cells, in the order of the config.
    """
    selectors = {recipe(one): one.name for one in experiment.selectors}
    order = [one.name for one in experiment.data]
    counts: Counter[tuple[str, str, str]] = Counter()
    for cell in _failed(lookup.cells()):
        key = cell["key"]
        judge = key["classifier"] if key.get("panel") == panel else selectors.get(key.get("recipe"))
        if judge and key["data"] in order and _is_of(experiment, protocol, lookup, key):
            counts[key["data"], judge, cell["error"]] += 1
    rows = sorted(counts.items(), key=lambda row: (order.index(row[0][0]), *row[0]))
    return [
        f"{data}: {judge}, {reason.rstrip('.')}: {n_cells:,} cell{'s' if n_cells > 1 else ''}"
        for (data, judge, reason), n_cells in rows
    ]


def timeouts(lookup: Lookup) -> dict[float, int]:
    """Give how many cells were given up, by the seconds that they were allowed."""
    limits = (TIMEOUT.match(cell["error"]) for cell in _failed(lookup.cells()))
    return dict(sorted(Counter(float(found[1]) for found in limits if found).items()))


def _failed(cells: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [cell for cell in cells if "error" in cell]


def _is_of(
    experiment: Experiment, protocol: Protocol, lookup: Lookup, key: Mapping[str, Any]
) -> bool:
    """Tell whether a cell is one of a protocol, with the table and the folds as they are now."""
    in_fold = key.get("fold") is not None
    folds = [experiment.folds, experiment.fold_seed]
    return (
        key["table"] == lookup.table(key["data"])
        and in_fold == (protocol.name == "nested")
        and key.get("folds", folds) == folds
    )
