"""What all selectors have: parameters, a fit, its result, and what can be done with that."""

import dataclasses
import os
import sys
import time
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from importlib import import_module
from math import inf
from typing import Any, Literal, Self

import numpy as np
from msgspec.structs import replace
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.common.deadline import ALLOWANCE, Deadline, TimeIsUp, limited, stoppable
from fuzzyfrog.common.messages import count, listed, shown, warn
from fuzzyfrog.common.params import check_count, is_index
from fuzzyfrog.data import Dataset
from fuzzyfrog.errors import DataError, ParameterError, PredictionWarning
from fuzzyfrog.result import (
    Check,
    Column,
    Explanation,
    HistoryPoint,
    Result,
    Stability,
    Subset,
    Verified,
)
from fuzzyfrog.search import Callback, Moment
from fuzzyfrog.select.base import ranks_behind
from fuzzyfrog.select.explain import Evidence, among_all_rows, examples_of, explained
from fuzzyfrog.select.groups import Groups
from fuzzyfrog.select.held_out import chance_doubts
from fuzzyfrog.select.kind import Kind
from fuzzyfrog.select.roles import for_reduct, with_columns
from fuzzyfrog.select.row_groups import with_metadata
from fuzzyfrog.select.selection import select, with_groups, with_reduct
from fuzzyfrog.select.settings import RandomState, Settings, checked_callbacks
from fuzzyfrog.select.swap import swapped
from fuzzyfrog.select.table_selector import TableSelector, read_again
from fuzzyfrog.select.verify import MAX_SECONDS, read_new, verify

INTERVALS = {0: inf, 1: 1.0}  # seconds between two lines of progress, by verbose; else none


@dataclass(eq=False, repr=False, kw_only=True)
class Parameters:
    """The parameters that all selectors have; each of them documents them."""

    n_features_to_select: float | None = None
    must_include: object = None
    exclude: object = None
    feature_groups: Mapping[str, object] | None = None
    copies: Literal["drop", "keep"] = "drop"
    categorical_features: object = "from_dtype"
    target: Literal["auto", "class", "numeric"] = "auto"
    max_seconds: float | None = None
    checkpoint: str | os.PathLike[str] | None = None
    callbacks: Sequence[Callback] = ()
    n_jobs: int | None = None
    cluster: object = None
    random_state: RandomState = None
    verbose: int = 0


class Selector(Parameters, TableSelector):
    """What all selectors have: a fit, its result, and what can be done with that."""

    result_: Result

    def _kind(self) -> Kind:
        raise NotImplementedError

    def settings(self) -> Settings:
        """Return the checked settings of the selection.

        Returns
        -------
        Settings
            As `fuzzyfrog.select.selection.select` takes them.
        """
        known = {one.name for one in dataclasses.fields(Settings)}
        given = {name: value for name, value in vars(self).items() if name in known}
        return Settings(kind=self._kind(), **given)  # of a subclass, also what it has fixed

    def fit(
        self, X: object, y: object = None, *, groups: object = None, sample_weight: object = None
    ) -> Self:
        """Select features.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features), or Dataset
            Training data: numbers, categories and missing values, in NumPy, pandas, polars or
            Arrow.
        y : array-like of shape (n_samples,), default=None
            Classes, or numbers. Leave it out if `X` is a `Dataset`, which has its own.
        groups : array-like of shape (n_samples,), default=None
            Samples that belong together, such as those of one patient, have the same label here.
            The soft measure does not compare them with each other. None takes an ID that the table
            has, if several samples share it.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each sample counts. By the soft measure, a sample of weight 2 counts as two of
            one group everywhere; for reducts, the dependency is the mean by weights. Samples of
            weight 0 are left out.

        Returns
        -------
        self : object
            The fitted selector.

        Raises
        ------
        DataError
            If the data cannot be used.
        ParameterError
            If a parameter is not valid. Both are a ValueError.
        """
        settings = self.settings()
        callbacks = checked_callbacks(self.callbacks)
        # Booleans, as in scikit-learn, are 0 and 1.
        verbose = int(self.verbose) if isinstance(self.verbose, bool) else self.verbose
        check_count("verbose", verbose, least=0)
        dataset = self._read(X, y)
        dataset = with_groups(with_metadata(dataset, groups, sample_weight), settings)
        progress = Progress(INTERVALS.get(verbose, 0.0))
        with stoppable():  # a signal ends the work under way, and what is known by then counts
            whole = Deadline()
            result = select(dataset, settings, [*callbacks, progress], ConvergenceWarning)
            if verbose:
                progress.end(result)
            groups = Groups.of(settings.feature_groups, dataset)
            with limited(Deadline(ALLOWANCE / 2 if whole.expired() else inf)):
                result = with_columns(result, dataset, settings, groups)
                is_quick = settings.max_seconds is None and not whole.expired()
                doubts = _doubts(result, dataset, settings, groups, is_quick)
        self._groups, self._evidence = groups, Evidence.of(dataset, result, groups)
        self.result_ = replace(result, notes=(*result.notes, *doubts))
        self._sample_weight = None if sample_weight is None else np.array(sample_weight, np.float64)
        for sentence in doubts:
            warn(sentence, PredictionWarning)
        return self

    @property
    def support_(self) -> Masks:
        """Mask of the selected features."""
        return self._groups.mask(self.result_.selected)

    @property
    def n_features_(self) -> int:
        """Number of selected features; a group counts as one."""
        return len(self.result_.selected)

    @property
    def ranking_(self) -> Integers:
        """1 for the selected features, the others by how close they came."""
        importance = self.feature_frequency_
        if order := self.result_.added if self.result_.chance is not None else ():
            places = np.full(len(importance), -np.inf)
            places[list(order)] = -np.arange(len(order), dtype=np.float64)
            importance = self._groups.spread(places)
        return ranks_behind(self.support_, importance)

    @property
    def dependency_(self) -> float:
        """Dependency of the selected features."""
        return self.result_.dependency

    @property
    def full_dependency_(self) -> float:
        """Dependency of all features that are not excluded."""
        return self.result_.full_dependency

    @property
    def dependency_interval_(self) -> tuple[float, float]:
        """Interval for the dependency of the selected features on all samples."""
        part = self.result_.sampling
        return (self.dependency_,) * 2 if part is None else (part.low, part.high)

    @property
    def n_sampled_(self) -> int:
        """Number of samples that subsets were scored on."""
        return self.result_.n_sampled

    @property
    def reducts_(self) -> list[Subset]:
        """Subsets that are as good as the best one."""
        return list(self.result_.reducts)

    @property
    def core_(self) -> list[int] | None:
        """Indices of the irreplaceable features."""
        return None if self.result_.core is None else list(self.result_.core)

    @property
    def feature_frequency_(self) -> Floats:
        """Share of the reducts that contain each feature."""
        return np.array(self.result_.answer.feature_frequency)

    @property
    def front_(self) -> list[Subset]:
        """The best subset found of each size."""
        return list(self.result_.front)

    @property
    def copies_(self) -> dict[int, int]:
        """For each copy, the feature that may be selected in its place."""
        return {one: group.feature for group in self.result_.copies for one in group.others}

    @property
    def columns_(self) -> list[Column]:
        """The role of every column, in the order of the table."""
        return list(self.result_.columns)

    @property
    def history_(self) -> list[HistoryPoint]:
        """State of the search after its batches."""
        return list(self.result_.history)

    @property
    def n_evaluations_(self) -> int:
        """Number of subsets that the search scored."""
        return self.result_.n_evaluations

    @property
    def stop_reason_(self) -> str:
        """Why the search ended."""
        return self.result_.stop_reason

    @property
    def seed_(self) -> int:
        """The seed of this fit."""
        return self.result_.seed

    def select_reduct(self, i: int) -> Self:
        """Select another reduct.

        Parameters
        ----------
        i : int
            Position in ``reducts_``. `fit` selects 0.

        Returns
        -------
        self : object
            The selector. ``support_``, ``n_features_``, ``dependency_``,
            ``dependency_interval_``, ``ranking_`` and ``front_`` now describe this reduct.
        """
        check_is_fitted(self, "result_")
        n_reducts = len(self.result_.reducts)
        if not is_index(i) or not 0 <= i < n_reducts:
            rule = f"be a position in reducts_, from 0 to {n_reducts - 1}"
            raise ParameterError("i", rule, shown(i))
        measure = self._kind().measured(self._evidence.dataset, self.n_jobs)
        columns = self._groups.mask(self.result_.reducts[i].features)
        support = columns[self._evidence.features]
        chosen = with_reduct(self.result_, int(i), measure, support)
        self.result_ = replace(chosen, columns=for_reduct(chosen))
        return self

    def swap(self, old: int | str, new: int | str, X: object, y: object = None) -> Self:
        """Return a selector with another column in the place of a selected one.

        Parameters
        ----------
        old : int or str
            Index or name of a selected column.
        new : int or str
            Index or name of a column that is not selected.
        X : array-like or data frame of shape (n_samples, n_features), or Dataset
            What the selector was fitted on; it keeps only a part of it.
        y : array-like of shape (n_samples,), default=None
            The target. Leave it out if `X` is a `Dataset`.

        Returns
        -------
        object
            A new, fitted selector. Its `result_` has the whole record of these columns, and in
            ``exchange`` the difference to this answer. Swap again to exchange more columns.

        Raises
        ------
        ParameterError
            If a column cannot be exchanged, or if there are `feature_groups`.

        Examples
        --------
        >>> from fuzzyfrog import SoftSelector, load_dataset
        >>> wine = load_dataset("wine")
        >>> other = SoftSelector().fit(wine).swap("proline", "hue", wine)
        >>> round(other.result_.exchange.lost, 3)
        0.03
        """
        check_is_fitted(self, "result_")
        other: Self = swapped(self, old, new, X, y)
        return other

    def explain(self, feature: int | str, *, limit: int = 10) -> Explanation:
        """Explain why a feature is selected.

        Parameters
        ----------
        feature : int or str
            Index or name of a selected feature.
        limit : int, default=10
            Maximum number of pairs, or of samples, to return.

        Returns
        -------
        Explanation
            How much the dependency falls without the feature, and the pairs of samples from
            different classes that then come closest; with the soft measure, the samples whose
            neighborhood gets worse. Print it to get a table.
        """
        check_is_fitted(self)
        check_count("limit", limit)
        _refuse_group(feature, self._groups, getattr(self, "feature_names_in_", ()))
        if_known = f"why_not({shown(feature)}) says why. "
        index = self.result_.selected_feature(feature, if_known=if_known)
        examples = examples_of(self.result_, self._evidence, self.settings())
        return among_all_rows(examples.explanation(index, limit), self._sample_weight)

    def columns_frame(self, *, stability: Stability | None = None) -> Any:
        """Return the role of every column as a data frame.

        Parameters
        ----------
        stability : Stability, default=None
            The result of :func:`fuzzyfrog.stability`, which adds how often each is selected.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            A row for each column, with what ``columns_`` has: role, what it says alone, what it
            adds, the best exchange, and the share of the reducts that have it if there are
            several. It is of pandas where that is installed, else of polars.
        """
        check_is_fitted(self, "result_")
        result = self.result_
        rows = [
            _frame_row(result, one) | ({"share": share} if result.n_reducts > 1 else {})
            for one, share in zip(result.columns, result.answer.feature_frequency, strict=True)
        ]
        if stability is not None:
            taken = {one.name: one for one in stability.columns}
            for row in rows:
                one = taken.get(row["column"])
                row |= {"halves": one.share if one else 0.0, "is_shaky": bool(one and one.is_shaky)}
        for library in ("pandas", "polars"):
            try:
                return import_module(library).DataFrame(rows)
            except ImportError:
                continue
        raise DataError(
            "columns_frame must have pandas or polars, got neither. Install one of them, or use "
            "columns_."
        )

    def why_not(self, feature: int | str) -> str:
        """Return why a feature is not selected.

        Parameters
        ----------
        feature : int or str
            Index or name of a feature that is not selected.

        Returns
        -------
        str
            Why it was left out, which selected feature it resembles, and what it would change
            where the search adds it.
        """
        from fuzzyfrog.words import words_of
        from fuzzyfrog.words.unselected import why_not

        check_is_fitted(self, "result_")
        explained = f"explain({shown(feature)}) says why."
        place = self.result_.unselected_feature(feature, if_selected=explained)
        return " ".join(why_not(words_of(self.result_), place))

    def verify(
        self, X: object, y: object = None, *, old: object, max_seconds: float = MAX_SECONDS
    ) -> Verified:
        """Return whether the selection still holds with new rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features), or Dataset
            The new rows. Columns of a frame are found by their names; others are ignored.
        y : array-like of shape (n_samples,), default=None
            Their target. Leave it out if `X` is a `Dataset`.
        old : tuple of X and y, or Dataset
            What the selector was fitted on. A selector keeps only the selected columns of it.
        max_seconds : float, default=60
            Time limit of the proof that no fewer columns have to be added, and of the greedy search
            that follows if it is not enough.

        Returns
        -------
        Verified
            For :class:`ReductSelector`, the dependency of old and new rows together, the new rows
            that break the reduct, and the fewest columns to add. For :class:`SoftSelector`, how
            well old neighbors predict the new rows, and which selected columns have shifted. Print
            it to read the answer.
        """
        check_is_fitted(self, "result_")
        given = old if isinstance(old, tuple) and len(old) == 2 else (old, None)
        before = self._read_again(*given)
        new, ignored = read_new(X, y, before)
        settings = self.settings()
        return verify(self.result_, settings, before, new, max_seconds=max_seconds, ignored=ignored)

    def _read_again(self, X: object, y: object) -> Dataset:
        """Return the table of the fit, which is given again, with the groups and weights of it."""
        dataset = with_metadata(read_again(self, X, y), None, self._sample_weight)
        groups = self._evidence.dataset.groups
        if groups is None or len(groups) == dataset.n_samples:
            dataset = dataclasses.replace(dataset, groups=groups)
        return dataset

    def record(
        self,
        *,
        name: str | None = None,
        command: str | None = None,
        check: Check | None = None,
        stability: Stability | None = None,
    ) -> Result:
        """Return the record of the fit: what was selected and why, and how to reproduce it.

        Parameters
        ----------
        name : str, default=None
            Name of the data; None for its own name.
        command : str, default=None
            The command line that started the fit.
        check : Check, default=None
            The result of :func:`fuzzyfrog.check`, which becomes part of the record.
        stability : Stability, default=None
            The result of :func:`fuzzyfrog.stability`, likewise.

        Returns
        -------
        Result
            Plain values with ``to_json``, ``save`` and ``load``. It describes the reduct that is
            selected now. With `max_seconds`, explanations that take longer than the time left
            by the fit, plus an allowance of 3 seconds, are left out with a note.
        """
        check_is_fitted(self, "result_")
        found = explained(self.result_, self._evidence, self.settings(), self._groups)
        table = found.table if name is None else replace(found.table, name=name)
        if stability is not None:
            its = [one.name for one in stability.columns if one.is_selected]
            if sorted(its) != sorted(found.names(found.selected)):
                rule = "be that of these columns"
                raise ParameterError("stability", rule, f"one of {listed(its)}")
        return replace(found, table=table, command=command, check=check, stability=stability)

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        name: str | None = None,
        check: Check | None = None,
        stability: Stability | None = None,
    ) -> None:
        """Write an HTML report.

        It shows the selected features, why each of them is needed, what fewer features would
        cost, and how sure the result is.

        Parameters
        ----------
        path : path-like
            The file to write. It is self-contained and needs no network access.
        name : str, default=None
            Name of the data; None for its own name.
        check : Check, default=None
            The result of :func:`fuzzyfrog.check`, to show how well models do.
        stability : Stability, default=None
            The result of :func:`fuzzyfrog.stability`, to show how often each column is selected.
        """
        from fuzzyfrog.report import write_report

        write_report(self.record(name=name, check=check, stability=stability), path)

    def set_params(self, **params: Any) -> Self:
        """Set parameters, those of the search as ``search__name``.

        Parameters
        ----------
        **params : dict
            Names and values of parameters.

        Returns
        -------
        self : object
            The selector.
        """
        nested = [name for name in params if name.startswith("search__")]
        if nested and isinstance(params.get("search", getattr(self, "search", "")), str):
            rule = f"be an instance to set {nested[0]}"
            hint = f"Start from {type(self).__name__}(search=ShuffledFrogs()), for example."
            raise ParameterError("search", rule, shown(getattr(self, "search", None)), hint)
        super().set_params(**params)
        return self

    def _repr_html_inner(self) -> str:
        """Return the short report once fitted, and before that scikit-learn's own display.

        scikit-learn's ``_repr_html_`` returns this unless ``display`` is set to "text".
        """
        if not hasattr(self, "result_"):
            return str(super()._repr_html_inner())
        from fuzzyfrog.report import summary_html

        return summary_html(self.record())

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        """Return the formats that notebooks ask for first."""
        bundle: dict[str, Any] = super()._repr_mimebundle_()
        if "text/html" in bundle:
            bundle["text/html"] = self._repr_html_inner()
        return bundle

    def __sklearn_clone__(self) -> Any:
        # A client is a connection: clones share it, and it is useless in another process.
        bare = copy(self)  # goes through __getstate__, so it has no client
        clone = super(Selector, bare).__sklearn_clone__()
        clone.cluster = self.cluster
        return clone

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        is_address = isinstance(state.get("cluster"), str)
        return state if is_address else {**state, "cluster": None}


def _doubts(
    result: Result, dataset: Dataset, settings: Settings, groups: Groups, has_time: bool
) -> tuple[str, ...]:
    """Return reasons why models may do worse with the selected features, if there is time."""
    support, allowed = groups.mask(result.selected), ~groups.mask(result.excluded)
    doubts: list[str] = []
    try:
        doubts += settings.kind.doubts(dataset, support, allowed)
        if has_time and settings.kind.can_sample and result.stop_reason == "converged":
            doubts += chance_doubts(result, settings, dataset, groups)
    except TimeIsUp:
        pass
    return tuple(doubts)


def _refuse_group(feature: object, groups: Groups, known: Sequence[str]) -> None:
    """Raise if a feature is a group or one of its columns, which do nothing alone."""
    if not groups:
        return
    columns = np.flatnonzero(groups.grouped).tolist()
    names = [known[one] for one in columns] if len(known) else []
    if feature in [*groups.columns, *columns, *names]:
        rule = "be a column that belongs to no group"
        raise ParameterError("feature", rule, shown(feature), "Groups are not explained.")


def _frame_row(result: Result, one: Column) -> dict[str, Any]:
    """Return a column and its role as a row of a frame."""
    cost = one.cost
    return {
        "column": one.name,
        "role": one.role,
        "rule": one.rule,
        "of": ", ".join(result.names(one.of)),
        "alone": one.alone,
        "relevant": one.relevant,
        "adds": one.adds,
        "error": one.error,
        "replacement": None if cost is None else result.names((cost.feature,))[0],
        "lost": None if cost is None else cost.lost,
    }


class Progress:
    """A callback that prints lines of progress on stderr, `interval` seconds apart at least."""

    def __init__(self, interval: float) -> None:
        self._interval = interval
        self._start = self._last = time.monotonic()

    def __call__(self, moment: Moment) -> None:
        """Print a line if the last one is old enough."""
        now = time.monotonic()
        if now - self._last >= self._interval:
            self._last = now
            best = _found(moment.size, moment.score)
            _print(f"best so far {best}; {self._spent(moment.n_evaluations)}")

    def end(self, result: Result) -> None:
        """Print how the search ended."""
        best = _found(len(result.selected), result.dependency)
        others = f", as for {n - 1:,} other sets" if (n := result.n_reducts) > 1 else ""
        end = "done" if result.stop_reason == "converged" else f"ended by {result.stop_reason}"
        _print(f"{end}: {best}{others}; {self._spent(result.n_evaluations)}")

    def _spent(self, n_evaluations: int) -> str:
        seconds = time.monotonic() - self._start
        rate = n_evaluations / max(seconds, 1e-6)
        return f"{n_evaluations:,} sets tried in {seconds:.1f} s ({rate:,.0f} per second)"


def _found(size: int, dependency: float) -> str:
    return f"{count(size, 'column')}, dependency {dependency:.6f}"


def _print(line: str) -> None:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    # A notebook, whose shell has a kernel, shows stderr in red, as errors.
    stream = sys.stdout if hasattr(shell, "kernel") else sys.stderr
    stream.write(f"fuzzyfrog: {line}\n")
    stream.flush()
