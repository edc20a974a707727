"""What the cells that are missing may cost, by what those that are there took."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fuzzyfrog.experiment.config import Experiment, Protocol, SelectorEntry
from fuzzyfrog.experiment.cost_model import NO_TIME, CostModel, Span
from fuzzyfrog.experiment.keys import accuracy_key, selection_key, selection_runs
from fuzzyfrog.experiment.results import Lookup
from fuzzyfrog.experiment.selectors import recipe
from fuzzyfrog.experiment.shapes import Shape

__all__ = ["NOTHING", "Cost", "missing_cost"]


LIMITED_PANEL = "weka"  # the only one whose classifiers are given up


@dataclass(frozen=True)
class Cost:
    """What is still to be computed.

    Attributes
    ----------
    n_cells : float
        How many cells, about.
    seconds : Span or None
        How long they may take; None if nothing like them was measured.
    """

    n_cells: float
    seconds: Span | None

    def times(self, share: float) -> "Cost":
        """Give the cost of a part."""
        seconds = None if self.seconds is None else self.seconds.times(share)
        return Cost(share * self.n_cells, seconds)

    def __add__(self, other: "Cost") -> "Cost":
        n_cells = self.n_cells + other.n_cells
        if self.seconds is None or other.seconds is None:
            return Cost(n_cells, None)
        return Cost(n_cells, self.seconds + other.seconds)


NOTHING = Cost(0, NO_TIME)


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
    return sum(costs, NOTHING)


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
        return sum((self._run(entry, run) for run in runs), NOTHING)

    def _run(self, entry: SelectorEntry, run: tuple[int, int | None]) -> Cost:
        table = self.lookup.table(self.data)
        line = self.lookup.line(selection_key(self.experiment, self.data, table, entry, run))
        if "error" in line:
            return NOTHING
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
        return selection + sum(judgments, NOTHING).times(share)

    def _judgments(self, table: str, features: Sequence[int], fold: int | None) -> Cost:
        """Give the cost of the classifiers that have not judged some features, once for all."""
        if (tuple(features), fold) in self.seen:
            return NOTHING
        self.seen.add((tuple(features), fold))
        open_ones = [
            (panel, classifier)
            for panel, classifier in self._classifiers()
            if not self.lookup.line(
                accuracy_key(self.experiment, self.data, table, features, fold, panel, classifier)
            )
        ]
        costs = (self._judgment(*one, len(features)) for one in open_ones)
        return sum(costs, NOTHING)

    def _judgment(self, panel: str, classifier: str, size: int) -> Cost:
        if self.shape is None:
            return Cost(1, None)
        n_folds = self.experiment.folds if self.protocol.name == "paper" else 1
        seconds = self.model.accuracy(panel, classifier, self.shape, size, n_folds)
        limit = self.experiment.classifier_seconds
        if seconds is not None and limit is not None and panel == LIMITED_PANEL:
            seconds = seconds.at_most(limit)
        return Cost(1, seconds)

    def _classifiers(self) -> list[tuple[str, str]]:
        return [(panel, name) for panel, names in self.panels.items() for name in names]
