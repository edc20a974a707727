"""Results -> rows for CSV files."""

from statistics import fmean

from fuzzyfrog.experiment.config import Experiment
from fuzzyfrog.experiment.markdown import Rows
from fuzzyfrog.experiment.paper_figures import PaperFigures
from fuzzyfrog.experiment.results import Entry, Results

__all__ = ["accuracy_rows", "summary_rows"]

HEAD = ["data", "selector", "size", "dependency", "mean", "std", "best", "over_seeds",
        "classifiers", "seconds", "paper_size", "paper_mean", "paper_std", "paper_best",
        "paper_seconds"]  # fmt: skip
THEIRS = ("sizes", "accuracy_mean", "accuracy_std", "accuracy_best", "seconds")


def summary_rows(experiment: Experiment, results: Results, paper: PaperFigures) -> Rows:
    """Give a row for each data set and selector, with a head."""
    return [list(HEAD)] + [
        [
            data,
            one.name,
            *_summary(entries[one.name]),
            *(paper.get(table, data, one.paper) for table in THEIRS),
        ]
        for data, entries in results.items()
        for one in experiment.selectors
    ]


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


def _summary(entry: Entry) -> list[str]:
    names = list(entry.accuracies)
    figures = entry.figures(names)
    percents = ["", "", "", ""]
    if figures:
        every = (figures.mean, figures.std, figures.best, figures.over_seeds)
        percents = [f"{value:.4f}" for value in every]
    return [
        f"{fmean(entry.sizes):.2f}" if entry.sizes else "",
        "" if entry.dependency is None else f"{entry.dependency:.6f}",
        *percents,
        str(len(names)),
        f"{entry.seconds:.4f}" if entry.sizes else "",
    ]
