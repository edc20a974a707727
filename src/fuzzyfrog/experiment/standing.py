"""How the methods of the paper stand to each other: in our results, and in the paper's tables."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean

from fuzzyfrog.experiment.lineup import Lineup
from fuzzyfrog.experiment.paper_figures import PaperFigures

__all__ = ["Case", "Standing", "standing_of_lineup", "standing_of_paper"]

Table = Mapping[str, Mapping[str, float | None]]


@dataclass(frozen=True)
class Case:
    """Where figures come from.

    Attributes
    ----------
    lineup, panel, protocol : str
        The names of the config.
    """

    lineup: str
    panel: str
    protocol: str

    def __str__(self) -> str:
        return f"{self.lineup}, {self.panel}, {self.protocol}"


@dataclass(frozen=True, eq=False)
class Standing:
    """Figures by data set and by method, under the paper's names of the methods.

    Attributes
    ----------
    accuracies, sizes, seconds : mapping of str to mapping of str to float or None
        Mean accuracy, number of features, time of a selection; None is a gap.
    """

    accuracies: Table
    sizes: Table
    seconds: Table

    @property
    def datasets(self) -> list[str]:
        """The data sets."""
        return list(self.accuracies)

    def mean(self, table: str, method: str) -> float | None:
        """Give the mean of a table over the data sets, gaps left out; None if there are only gaps.

        Parameters
        ----------
        table : {"accuracies", "sizes", "seconds"}
            Which figures.
        method : str
            Of which method.

        Returns
        -------
        float or None
            The mean.
        """
        rows: Table = getattr(self, table)
        told = [value for row in rows.values() if (value := row[method]) is not None]
        return fmean(told) if told else None


def standing_of_lineup(lineup: Lineup, paper: PaperFigures) -> Standing | None:
    """Give our figures; None unless each method of the paper has exactly one member."""
    names = {one.name: one.paper for one in lineup.selectors}
    if not paper.methods or sorted(map(str, names.values())) != sorted(paper.methods):
        return None

    def renamed(table: Table) -> Table:
        return {
            data: {str(names[name]): value for name, value in row.items()}
            for data, row in table.items()
        }

    return Standing(renamed(lineup.scores()), renamed(lineup.sizes()), renamed(lineup.seconds()))


def standing_of_paper(paper: PaperFigures, datasets: Iterable[str]) -> Standing:
    """Give the paper's figures for some data sets."""
    names = list(datasets)
    return Standing(
        paper.numbers("accuracy_mean", names),
        paper.numbers("sizes", names),
        paper.numbers("seconds", names),
    )
