"""How the methods of the paper stand to each other: in our results, and in the paper's tables."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean

from fuzzyfrog.experiment.config import SelectorEntry
from fuzzyfrog.experiment.markdown import joined
from fuzzyfrog.experiment.paper_figures import PaperFigures
from fuzzyfrog.experiment.results import Lineup

__all__ = [
    "Case",
    "Standing",
    "is_of_paper",
    "paper_standings",
    "standing_of_lineup",
    "standing_of_paper",
]

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
    subject : str
        The method that the claims are put to: the one that the paper speaks for, or, under its
        own name, what takes its place.
    accuracies, sizes, seconds : mapping of str to mapping of str to float or None
        Mean accuracy, number of features, time of a selection; None is a gap.
    """

    subject: str
    accuracies: Table
    sizes: Table
    seconds: Table

    @property
    def datasets(self) -> list[str]:
        """The data sets."""
        return list(self.accuracies)

    @property
    def methods(self) -> list[str]:
        """The methods."""
        return list(next(iter(self.accuracies.values()), {}))

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
    """Give our figures; None unless each method of the paper has exactly one member.

    Members are called as in the paper, except another algorithm in the place of the paper's.
    """
    if not paper.methods or sorted(str(one.paper) for one in lineup.selectors) != sorted(
        paper.methods
    ):
        return None
    names = {
        one.name: one.name if one.paper == paper.first and not is_of_paper(one) else str(one.paper)
        for one in lineup.selectors
    }
    subject = next(names[one.name] for one in lineup.selectors if one.paper == paper.first)

    def renamed(table: Table) -> Table:
        return {
            data: {names[name]: value for name, value in row.items()} for data, row in table.items()
        }

    return Standing(
        subject, renamed(lineup.scores()), renamed(lineup.sizes()), renamed(lineup.seconds())
    )


def is_of_paper(entry: SelectorEntry) -> bool:
    """Tell whether a selector is as the paper describes it; the default frogs are our own."""
    return entry.search != "frogs" or entry.options.get("variant") == "paper"


def standing_of_paper(paper: PaperFigures, datasets: Iterable[str]) -> Standing:
    """Give the paper's figures for some data sets."""
    names = list(datasets)
    return Standing(
        paper.first,
        paper.numbers("accuracy_mean", names),
        paper.numbers("sizes", names),
        paper.numbers("seconds", names),
    )


def paper_standings(paper: PaperFigures, ours: Iterable[Standing]) -> list[tuple[str, Standing]]:
    """Give the paper's figures over all its data sets and over parts of them, each with a label.

    Parameters
    ----------
    paper : PaperFigures
        Its figures.
    ours : iterable of Standing
        Ours; the paper's over the same data sets are given too.

    Returns
    -------
    list of (str, Standing)
        All data sets; those without a cell that cannot be; those without a gap; those of ours.
    """
    whole = list(paper.tables["accuracy_mean"])
    flawed = list(dict.fromkeys(cell.data for cell in paper.impossible_cells()))
    gaps = paper.numbers("accuracy_mean", whole)
    parts = [("the paper", whole)]
    if flawed:
        sound = [data for data in whole if data not in flawed]
        parts.append((f"the paper without {joined(flawed)}", sound))
    complete = [data for data in whole if None not in gaps[data].values()]
    parts.append(("the paper, complete rows only", complete))
    parts += [
        (f"the paper, same {len(same)} data sets", list(same))
        for same in dict.fromkeys(tuple(standing.datasets) for standing in ours)
        if set(same) != set(whole)
    ]
    return [(label, standing_of_paper(paper, datasets)) for label, datasets in parts]
