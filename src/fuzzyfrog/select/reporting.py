"""What a fit writes down for its record, and the report that is made of it."""

import os
import time
import warnings
from collections.abc import Iterable
from math import inf
from typing import Any

import numpy as np

from fuzzyfrog.data import Dataset
from fuzzyfrog.records import ClassCount, FeatureSummary, Run, TableSummary, TargetSummary
from fuzzyfrog.search import Moment
from fuzzyfrog.select.fingerprint import fingerprint

__all__ = ["FitNotes", "ReportsMixin"]


class FitNotes:
    """What a fit writes down for its record; a callback of the search, to take the times.

    Parameters
    ----------
    dataset : Dataset
        What the selector is fitted to.
    """

    def __init__(self, dataset: Dataset) -> None:
        self._start = time.monotonic()
        self.data = _summary_of(dataset)
        self.warnings = list(dataset.notes)
        self.excluded: tuple[int, ...] = ()
        self.n_resumed = 0
        self.times: list[float] = []
        self.seconds = 0.0
        self.spare = inf  # seconds that explaining may take

    def __call__(self, moment: Moment) -> None:
        """Take the time of a batch."""
        self.times.append(time.monotonic() - self._start)

    def warn(self, sentences: Iterable[str], kind: type[Warning] = UserWarning) -> None:
        """Warn whoever called the fit, and keep the warnings for the record."""
        for sentence in sentences:
            self.warnings.append(sentence)
            warnings.warn(sentence, kind, stacklevel=3)

    def end(self, spare: float) -> None:
        """Take the time of the whole fit, and what is left for explaining it."""
        self.seconds = time.monotonic() - self._start
        self.spare = spare


def _summary_of(dataset: Dataset) -> TableSummary:
    """Give what a record says of a table."""
    gaps = np.isnan(dataset.values).sum(axis=0).tolist()
    kinds = ["nominal" if nominal else "numeric" for nominal in dataset.nominal]
    return TableSummary(
        name=str(dataset.name),
        n_samples=dataset.n_samples,
        features=tuple(map(FeatureSummary, dataset.feature_names, kinds, gaps)),  # type: ignore[arg-type]
        target=_target_of(dataset),
        sha256=fingerprint(dataset).removeprefix("sha256:"),
    )


def _target_of(dataset: Dataset) -> TargetSummary:
    name = str(dataset.target_name)
    if dataset.classes is None:
        lowest, highest = float(dataset.target.min()), float(dataset.target.max())
        return TargetSummary(name, (), lowest, highest)
    counts = np.bincount(dataset.target.astype(np.int64), minlength=len(dataset.classes))
    classes = tuple(map(ClassCount, map(str, dataset.classes), counts.tolist()))
    return TargetSummary(name, classes, None, None)


class ReportsMixin:
    """A selector that can tell about its run: as a record, as a page and in a notebook."""

    _notes: FitNotes

    def record(self, *, name: str | None = None, command: str | None = None) -> Run:
        """Give all that is worth keeping of the run.

        Parameters
        ----------
        name : str, optional
            What to call the data; its own name if left out.
        command : str, optional
            The command line that asked for the run.

        Returns
        -------
        Run
            A record with ``to_json``, ``save`` and ``load``; it describes the reduct that is
            selected now. With `max_seconds`, explanations that take longer than what the fit
            left of it, plus an allowance of 3 seconds, are left out, with a note.
        """
        from fuzzyfrog.select.recording import record_of

        return record_of(self, name=name, command=command)  # type: ignore[arg-type]

    def report(self, path: str | os.PathLike[str], *, name: str | None = None) -> None:
        """Write a page for people: which features, why, and how sure that is.

        Parameters
        ----------
        path : path
            File to write; one HTML file that needs no network.
        name : str, optional
            What to call the data; its own name if left out.
        """
        from fuzzyfrog.report import write_report

        write_report(self.record(name=name), path)

    def _repr_html_inner(self) -> str:
        """Give the short report once fitted, before that what scikit-learn shows.

        scikit-learn's ``_repr_html_`` hands this out unless ``display`` is set to "text".
        """
        if not hasattr(self, "reducts_"):
            return str(super()._repr_html_inner())  # type: ignore[misc]
        from fuzzyfrog.report import summary_html

        return summary_html(self.record())

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        """Give what notebooks show; they ask here first."""
        bundle: dict[str, Any] = super()._repr_mimebundle_()  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] = self._repr_html_inner()
        return bundle
