"""What the cells that are missing may cost, by what those that are there took."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fuzzyfrog.experiment.config import Experiment, Protocol, SelectorEntry
from fuzzyfrog.experiment.keys import accuracy_key, selection_key, selection_runs
from fuzzyfrog.experiment.power_law import PowerLaw, fitted
from fuzzyfrog.experiment.results import Lookup
from fuzzyfrog.experiment.selectors import recipe
from fuzzyfrog.experiment.shapes import Shape

__all__ = ["Cost", "CostModel", "missing_cost"]

Measured = defaultdict[tuple[str, ...], defaultdict[str, list[tuple[float, float]]]]


@dataclass(frozen=True)
class Cost:
    """What is still to be computed.

    Attributes
    ----------
    n_cells : float
        How many cells, about.
    seconds : float or None
        How long they may take; None if nothing like them was measured.
    """

    n_cells: float
    seconds: float | None

    def times(self, share: float) -> "Cost":
        """Give the cost of a part."""
        return Cost(share * self.n_cells, None if self.seconds is None else share * self.seconds)

    def __add__(self, other: "Cost") -> "Cost":
        known = self.seconds is not None and other.seconds is not None
        return Cost(
            self.n_cells + other.n_cells,
            (self.seconds or 0.0) + (other.seconds or 0.0) if known else None,
        )


class CostModel:
    """Laws of what cells take, one for each selector and one for each classifier.

    A selection grows with samples x features of the table, a fold of a classifier with samples x
    selected features x classes, and the number of selected features with all features; a kind
    of cell that was never measured takes what all kinds together take.

    Parameters
    ----------
    cells : sequence of dict
        Cells with their times; failed ones do not count.
    shapes : mapping of str to Shape
        The sizes of the tables by name.
    """

    def __init__(self, cells: Sequence[Mapping[str, Any]], shapes: Mapping[str, Shape]) -> None:
        times: Measured = defaultdict(lambda: defaultdict(list))
        sizes: Measured = defaultdict(lambda: defaultdict(list))
        for cell in cells:
            shape = shapes.get(cell["key"]["data"])
            if shape is not None and "value" in cell:
                _add(times, sizes, cell, shape)
        self._new_shares = _new_shares(cells)
        self._times = {kind: fitted(points) for kind, points in times.items()}
        self._sizes = {kind: fitted(points, least=1.0) for kind, points in sizes.items()}

    def selection(self, recipe_digest: str, shape: Shape) -> float | None:
        """Give the seconds of a selection."""
        law = self._law(("selection", recipe_digest))
        return None if law is None else law.at(shape.n_samples * shape.n_features)

    def accuracy(
        self, panel: str, classifier: str, shape: Shape, n_features: int, n_folds: int
    ) -> float | None:
        """Give the seconds of a classifier on some folds."""
        law = self._law(("accuracy", panel, classifier))
        weight = shape.n_samples * n_features * shape.n_classes
        return None if law is None else n_folds * law.at(weight)

    def size(self, recipe_digest: str, shape: Shape) -> int:
        """Give how many features a selector may find."""
        law = self._sizes.get((recipe_digest,))
        expected = shape.n_features if law is None else law.at(shape.n_features)
        return max(1, min(shape.n_features, round(expected)))

    def new_share(self, *, inside_folds: bool) -> float:
        """Give the share of selections whose features no other selection had found."""
        return self._new_shares.get(inside_folds, 1.0)

    def _law(self, kind: tuple[str, ...]) -> PowerLaw | None:
        return self._times.get(kind) or self._times.get(kind[:1])


def _add(times: Measured, sizes: Measured, cell: Mapping[str, Any], shape: Shape) -> None:
    key, seconds = cell["key"], cell["seconds"]
    if key["kind"] == "selection":
        kind: tuple[str, ...] = ("selection", key["recipe"])
        point = (float(shape.n_samples * shape.n_features), seconds)
        size = float(len(cell["value"]["features"]))
        sizes[key["recipe"],][key["data"]].append((float(shape.n_features), size))
    else:
        kind = ("accuracy", key["panel"], key["classifier"])
        weight = shape.n_samples * len(key["features"]) * shape.n_classes
        point = (float(weight), seconds / len(cell["value"]["tested"]))
    for one in (kind, kind[:1]):
        times[one][key["data"]].append(point)


def _new_shares(cells: Iterable[Mapping[str, Any]]) -> dict[bool, float]:
    found: dict[bool, list[tuple[Any, ...]]] = defaultdict(list)
    for cell in cells:
        key = cell["key"]
        if key["kind"] == "selection" and "value" in cell:
            features = tuple(cell["value"]["features"])
            found[key.get("fold") is not None].append((key["data"], key.get("fold"), features))
    return {inside: len(set(every)) / len(every) for inside, every in found.items()}


def missing_cost(
    experiment: Experiment,
    lookup: Lookup,
    model: CostModel,
    data: str,
    shape: Shape | None,
    protocol: Protocol,
    panels: Mapping[str, Sequence[str]],
) -> Cost:
    """Give what is missing of a data set under a protocol.

    Selectors often find the same features and share their accuracies; where the selections are
    not there, as many are taken to do so as in those that are.

    Parameters
    ----------
    experiment : Experiment
        What was asked.
    lookup : Lookup
        The cells.
    model : CostModel
        What cells take.
    data : str
        Name of the data set.
    shape : Shape or None
        Its size, None if that is not known.
    protocol : Protocol
        Under which protocol.
    panels : mapping of str to sequence of str
        The classifiers of each panel.

    Returns
    -------
    Cost
        0 cells if all are there; seconds are None without a size.
    """
    counter = _Counter(experiment, lookup, model, data, shape, protocol, panels)
    costs = [counter.selector(entry) for entry in experiment.selectors]
    return sum(costs, Cost(0, 0.0))


@dataclass(frozen=True, eq=False)
class _Counter:
    experiment: Experiment
    lookup: Lookup
    model: CostModel
    data: str
    shape: Shape | None
    protocol: Protocol
    panels: Mapping[str, Sequence[str]]
    seen: set[tuple[tuple[int, ...], int | None]] = field(default_factory=set)

    def selector(self, entry: SelectorEntry) -> Cost:
        runs = selection_runs(self.experiment, self.protocol.name, self.protocol.seeds, entry)
        return sum((self._run(entry, run) for run in runs), Cost(0, 0.0))

    def _run(self, entry: SelectorEntry, run: tuple[int, int | None]) -> Cost:
        table = self.lookup.table(self.data)
        line = self.lookup.line(selection_key(self.experiment, self.data, table, entry, run))
        if "error" in line:
            return Cost(0, 0.0)
        if line:
            return self._judgments(table, line["value"]["features"], run[1])
        return self._unknown(entry)

    def _unknown(self, entry: SelectorEntry) -> Cost:
        if self.shape is None:
            return Cost(1 + len(self._classifiers()), None)
        selection = Cost(1, self.model.selection(recipe(entry), self.shape))
        size = self.model.size(recipe(entry), self.shape)
        judgments = (self._judgment(*one, size) for one in self._classifiers())
        share = self.model.new_share(inside_folds=self.protocol.name == "nested")
        return selection + sum(judgments, Cost(0, 0.0)).times(share)

    def _judgments(self, table: str, features: Sequence[int], fold: int | None) -> Cost:
        """Give the cost of the classifiers that have not judged some features, once for all."""
        if (tuple(features), fold) in self.seen:
            return Cost(0, 0.0)
        self.seen.add((tuple(features), fold))
        open_ones = [
            (panel, classifier)
            for panel, classifier in self._classifiers()
            if not self.lookup.line(
                accuracy_key(self.experiment, self.data, table, features, fold, panel, classifier)
            )
        ]
        costs = (self._judgment(*one, len(features)) for one in open_ones)
        return sum(costs, Cost(0, 0.0))

    def _judgment(self, panel: str, classifier: str, size: int) -> Cost:
        if self.shape is None:
            return Cost(1, None)
        n_folds = self.experiment.folds if self.protocol.name == "paper" else 1
        seconds = self.model.accuracy(panel, classifier, self.shape, size, n_folds)
        limit = self.experiment.classifier_seconds
        if seconds is not None and limit is not None:
            seconds = min(seconds, limit)
        return Cost(1, seconds)

    def _classifiers(self) -> list[tuple[str, str]]:
        return [(panel, name) for panel, names in self.panels.items() for name in names]


def held_out(
    cells: Sequence[Mapping[str, Any]], shapes: Mapping[str, Shape], data: str
) -> tuple[float, float] | None:
    """Give what the cells of a data set took by the laws of the others, and really.

    Parameters
    ----------
    cells : sequence of dict
        All cells.
    shapes : mapping of str to Shape
        The sizes of the tables.
    data : str
        The data set that the laws must not know.

    Returns
    -------
    (float, float) or None
        Seconds as predicted and as measured; None if the others tell nothing.
    """
    model = CostModel([cell for cell in cells if cell["key"]["data"] != data], shapes)
    predicted = measured = 0.0
    for cell in cells:
        if cell["key"]["data"] == data and "value" in cell:
            seconds = _predicted(model, cell, shapes[data])
            if seconds is None:
                return None
            predicted += seconds
            measured += cell["seconds"]
    return predicted, measured


def _predicted(model: CostModel, cell: Mapping[str, Any], shape: Shape) -> float | None:
    key = cell["key"]
    if key["kind"] == "selection":
        return model.selection(key["recipe"], shape)
    n_folds = len(cell["value"]["tested"])
    return model.accuracy(key["panel"], key["classifier"], shape, len(key["features"]), n_folds)
