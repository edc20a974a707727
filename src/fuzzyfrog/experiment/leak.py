"""What it is worth to have selected on the test samples: protocol "paper" minus "nested"."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from fuzzyfrog.experiment.results import Entry, common_classifiers
from fuzzyfrog.experiment.sheet import GAP, Rows

__all__ = ["leak_rows"]

Results = Mapping[str, Mapping[str, Entry]]


def leak_rows(paper: Results, nested: Results, classifiers: Sequence[str]) -> Rows:
    """Give a row for each selector: how much higher its accuracy is when the test samples leak.

    Parameters
    ----------
    paper, nested : mapping of str to mapping of str to Entry
        The results under the two protocols, by data set and selector.
    classifiers : sequence of str
        The classifiers of the panel.

    Returns
    -------
    list of list of str
        With a head.
    """
    head = ["selector", "data sets", "paper", "nested", "leak", "higher", "lower"]
    selectors = list(next(iter(paper.values()), {}))
    return [head] + [_row(name, paper, nested, classifiers) for name in selectors]


def _row(name: str, paper: Results, nested: Results, classifiers: Sequence[str]) -> list[str]:
    pairs = [_pair(paper[data][name], nested[data][name], classifiers) for data in paper]
    done = [pair for pair in pairs if pair is not None]
    if not done:
        return [name, "0", GAP, GAP, GAP, "", ""]
    leaks = [round(one - other, 9) for one, other in done]
    return [
        name,
        str(len(done)),
        f"{fmean(one for one, _ in done):.2f}",
        f"{fmean(other for _, other in done):.2f}",
        f"{fmean(leaks):+.2f}",
        str(sum(leak > 0 for leak in leaks)),
        str(sum(leak < 0 for leak in leaks)),
    ]


def _pair(paper: Entry, nested: Entry, classifiers: Sequence[str]) -> tuple[float, float] | None:
    """Give the mean accuracies over the classifiers that both protocols have."""
    if not paper.accuracies or not nested.accuracies:
        return None
    common = common_classifiers([paper, nested], classifiers)
    one, other = paper.figures(common), nested.figures(common)
    return None if one is None or other is None else (one.mean, other.mean)
