"""Results -> rows for CSV files."""

from collections.abc import Sequence
from statistics import fmean

from fuzzyfrog.experiment.config import Experiment
from fuzzyfrog.experiment.markdown import Rows
from fuzzyfrog.experiment.paper_figures import PaperFigures
from fuzzyfrog.experiment.results import Entry, Results, common_classifiers

__all__ = ["accuracy_rows", "summary_rows"]

HEAD = ["data", "selector", "size", "dependency", "mean", "std", "best", "over_seeds",
        "classifiers", "evaluations", "seconds", "paper_size", "paper_mean", "paper_std",
        "paper_best", "paper_seconds"]  # fmt: skip
THEIRS = ("sizes", "accuracy_mean", "accuracy_std", "accuracy_best", "seconds")


def summary_rows(
    experiment: Experiment, results: Results, classifiers: Sequence[str], paper: PaperFigures
) -> Rows:
    """Give a row for each data set and selector, with a head.

    Parameters
    ----------
    experiment : Experiment
        What was asked.
    results : mapping of str to mapping of str to Entry
        What came out, by data set and selector.
    classifiers : sequence of str
        Those of the panel; the means of a data set are over the ones that all its selectors have.
    paper : PaperFigures
        The figures in the last columns.

    Returns
    -------
    list of list of str
        The rows.
    """
    rows = [list(HEAD)]
    for data, entries in results.items():
        common = common_classifiers(entries.values(), classifiers)
        for one in experiment.selectors:
            theirs = [paper.get(table, data, one.paper) for table in THEIRS]
            rows.append([data, one.name, *_summary(entries[one.name], common), *theirs])
    return rows


def accuracy_rows(results: Results) -> Rows:
    """Give a row for each data set, selector and classifier, with a head."""
    rows = [["data", "selector", "classifier", "accuracy"]]
    for data, entries in results.items():
        for name, entry in entries.items():
            rows += [
                [data, name, classifier, f"{accuracy:.4f}"]
                for classifier, accuracy in entry.accuracies.items()
            ]
    return rows


def _summary(entry: Entry, classifiers: Sequence[str]) -> list[str]:
    figures = entry.figures(classifiers)
    percents = ["", "", "", ""]
    if figures:
        every = (figures.mean, figures.std, figures.best, figures.over_seeds)
        percents = [f"{value:.4f}" for value in every]
    return [
        f"{fmean(entry.sizes):.2f}" if entry.sizes else "",
        "" if entry.dependency is None else f"{entry.dependency:.6f}",
        *percents,
        str(len(classifiers) if figures else 0),
        "" if entry.evaluations is None else f"{entry.evaluations:g}",
        f"{entry.seconds:.4f}" if entry.sizes else "",
    ]
