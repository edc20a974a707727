"""Laws of what cells take, learned from those that are there."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fuzzyfrog.experiment.failed_cells import is_timeout
from fuzzyfrog.experiment.power_law import PowerLaw, fitted
from fuzzyfrog.experiment.shapes import Shape

__all__ = ["NO_TIME", "CostModel", "Span", "held_out"]

Measured = defaultdict[tuple[str, ...], defaultdict[str, list[tuple[float, float]]]]

# Cells that differ by a factor of ten only because the machine was busy are no exception. So two
# laws are fitted: one in ten cells was quicker than the first, and one in ten slower than the last.
QUICK, SLOW = 0.1, 0.9


@dataclass(frozen=True)
class Span:
    """How long something may take, in seconds.

    Attributes
    ----------
    quick, slow : float
        On a machine that does nothing else, and on a busy one.
    """

    quick: float
    slow: float

    def __add__(self, other: "Span") -> "Span":
        return Span(self.quick + other.quick, self.slow + other.slow)

    def times(self, factor: float) -> "Span":
        """Give that of several, or of a part."""
        return Span(factor * self.quick, factor * self.slow)

    def at_most(self, limit: float) -> "Span":
        """Give what is left of it if it is given up in time."""
        return Span(min(self.quick, limit), min(self.slow, limit))


NO_TIME = Span(0.0, 0.0)


@dataclass(frozen=True)
class _Laws:
    """The laws of a kind of cell."""

    quick: PowerLaw
    slow: PowerLaw

    def at(self, weight: float) -> Span:
        return Span(self.quick.at(weight), self.slow.at(weight))


class CostModel:
    """Laws of what cells take, one for each selector and one for each classifier.

    A selection grows with samples x features of the table, a fold of a classifier with samples x
    selected features x classes, and the number of selected features with all features; a kind
    of cell that was never measured takes what all kinds together take.

    Parameters
    ----------
    cells : sequence of dict
        Cells with their times. One that was given up counts as long as it was let run, which is
        the least it takes; others that failed do not count.
    shapes : mapping of str to Shape
        The sizes of the tables by name.
    """

    def __init__(self, cells: Sequence[Mapping[str, Any]], shapes: Mapping[str, Shape]) -> None:
        times: Measured = defaultdict(lambda: defaultdict(list))
        sizes: Measured = defaultdict(lambda: defaultdict(list))
        for cell in cells:
            shape = shapes.get(cell["key"]["data"])
            if shape is not None and _is_timed(cell):
                _add(times, sizes, cell, shape)
        self._new_shares = _new_shares(cells)
        self._times = {
            kind: _Laws(quick, slow)
            for kind, points in times.items()
            if (quick := fitted(points, QUICK)) and (slow := fitted(points, SLOW))
        }
        self._sizes = {kind: fitted(points, least=1.0) for kind, points in sizes.items()}

    def selection(self, recipe_digest: str, shape: Shape) -> Span | None:
        """Give the seconds of a selection."""
        laws = self._laws(("selection", recipe_digest))
        return None if laws is None else laws.at(shape.n_samples * shape.n_features)

    def accuracy(
        self, panel: str, classifier: str, shape: Shape, n_features: int, n_folds: int
    ) -> Span | None:
        """Give the seconds of a classifier on some folds."""
        laws = self._laws(("accuracy", panel, classifier))
        weight = shape.n_samples * n_features * shape.n_classes
        return None if laws is None else laws.at(weight).times(n_folds)

    def size(self, recipe_digest: str, shape: Shape) -> int:
        """Give how many features a selector may find."""
        law = self._sizes.get((recipe_digest,))
        expected = shape.n_features if law is None else law.at(shape.n_features)
        return max(1, min(shape.n_features, round(expected)))

    def new_share(self, *, inside_folds: bool) -> float:
        """Give the share of selections whose features no other selection had found."""
        return self._new_shares.get(inside_folds, 1.0)

    def _laws(self, kind: tuple[str, ...]) -> _Laws | None:
        return self._times.get(kind) or self._times.get(kind[:1])


def _is_timed(cell: Mapping[str, Any]) -> bool:
    return "value" in cell or is_timeout(cell)


def _n_folds(key: Mapping[str, Any]) -> int:
    return int(key["folds"][0]) if key["fold"] is None else 1


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
        point = (float(weight), seconds / _n_folds(key))
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


def held_out(
    cells: Sequence[Mapping[str, Any]], shapes: Mapping[str, Shape], data: str
) -> tuple[Span, float] | None:
    """Give what the cells of a data set took by the laws of the others, and really.

    Parameters
    ----------
    cells : sequence of dict
        The cells, of one kind or of all.
    shapes : mapping of str to Shape
        The sizes of the tables.
    data : str
        The data set that the laws must not know.

    Returns
    -------
    (Span, float) or None
        Seconds as predicted and as measured; None if the others tell nothing.
    """
    model = CostModel([cell for cell in cells if cell["key"]["data"] != data], shapes)
    predicted, measured = NO_TIME, 0.0
    for cell in cells:
        if cell["key"]["data"] == data and _is_timed(cell):
            seconds = _predicted(model, cell, shapes[data])
            if seconds is None:
                return None
            predicted = predicted + seconds
            measured += cell["seconds"]
    return predicted, measured


def _predicted(model: CostModel, cell: Mapping[str, Any], shape: Shape) -> Span | None:
    key = cell["key"]
    if key["kind"] == "selection":
        return model.selection(key["recipe"], shape)
    n_features = len(key["features"])
    return model.accuracy(key["panel"], key["classifier"], shape, n_features, _n_folds(key))
