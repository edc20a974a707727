"""The selectors as estimators of scikit-learn: two doors, and a general class for any measure."""

import dataclasses
import os
import sys
import time
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import KW_ONLY, dataclass
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
from fuzzyfrog.common.tnorms import TNorm
from fuzzyfrog.data import Dataset
from fuzzyfrog.data.scaling import Missing, Spread
from fuzzyfrog.errors import DataError, ParameterError, PredictionWarning
from fuzzyfrog.result import (
    Certificate,
    Check,
    Column,
    Explanation,
    HistoryPoint,
    Result,
    Stability,
    Subset,
    Verified,
)
from fuzzyfrog.search import Callback, Moment, Search
from fuzzyfrog.select.explain import (
    Evidence,
    among_all_rows,
    examples_of,
    explained,
    lost_among_all_rows,
)
from fuzzyfrog.select.groups import Groups
from fuzzyfrog.select.held_out import chance_doubts
from fuzzyfrog.select.kind import Custom, Kind, MakeMeasure
from fuzzyfrog.select.outcome import ranks_behind
from fuzzyfrog.select.roles import for_reduct, with_columns
from fuzzyfrog.select.row_groups import with_metadata
from fuzzyfrog.select.selection import select_with_measure, with_groups, with_reduct
from fuzzyfrog.select.settings import RandomState, Settings, checked_callbacks
from fuzzyfrog.select.soft import Soft
from fuzzyfrog.select.strict import Strict
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
            result, measure = select_with_measure(
                dataset, settings, [*callbacks, progress], ConvergenceWarning
            )
            if verbose:
                progress.end(result)
            groups = Groups.of(settings.feature_groups, dataset)
            with limited(Deadline(ALLOWANCE / 2 if whole.expired() else inf)):
                result = with_columns(result, dataset, settings, groups, measure)
                del measure  # as large as the table, which is measured again in part
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
        return lost_among_all_rows(self.result_.reducts, self._sample_weight)

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
        return lost_among_all_rows(self.result_.front, self._sample_weight)

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
        most = min(limit, self.result_.table.n_samples)
        return among_all_rows(examples.explanation(index, most), self._sample_weight)

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
            for name, row in zip(self._groups.names_in(result), rows, strict=True):
                one = taken.get(name)
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
        from fuzzyfrog.words.columns import why_not

        check_is_fitted(self, "result_")
        place = self.result_.place_of(feature)
        if place is not None and self._groups.members[place]:
            (feature,) = self.result_.names([self._groups.first_of(place)])
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


@dataclass(eq=False, repr=False)
class SoftSelector(Selector):
    """Select columns to predict with: similar samples should have the same class.

    The soft dependency of a subset of features is how likely a random similar sample has the same
    class, or how alike its target is. It falls when a feature adds noise, so the number of features
    comes out by itself. Features are added one by one, the best one first.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        The exact number of features to select, or a share of them; None for as many as `size_rule`
        says.
    must_include : list of names or indices, mask, or None, default=None
        Features that are always selected.
    exclude : list of names or indices, mask, or None, default=None
        Features that are never selected. Identifiers and dates are left out in any case, unless
        `must_include` names them, with a warning.
    feature_groups : mapping of str to columns, or None, default=None
        Columns that are selected or left out together, such as the one-hot columns of a category:
        for each name of a group a list of names or indices, or a pattern such as "color_*". A group
        counts as one feature, in sizes too, and its name may stand for its columns in
        `must_include` and `exclude`; to name one of its columns there is to name all of them.
    copies : {"drop", "keep"}, default="drop"
        Of columns that say the same (equal, affine or one-to-one recoded), only one may be
        selected; "keep" treats them as separate features.
    categorical_features : "from_dtype", None, list of names or indices, or mask
        Features whose values are only equal or different. The default, "from_dtype", takes
        columns of text and categories.
    target : {"auto", "class", "numeric"}, default="auto"
        How to read `y`; "auto" takes numbers with a fractional part as numeric, and whole numbers
        if there are more than 20 different ones, unless they are codes (consecutive from 0 or 1,
        each in at least ten samples and half as many as the average), or more than five of which
        over a third are in fewer than five samples.
    max_seconds : float or None, default=None
        Time limit for everything after the data is read. The best subset so far is selected. The
        core and the explanations of the result get a tenth of it plus 3 seconds, and are left
        out if they need more.
    checkpoint : path-like or None, default=None
        File to keep the scores in. If a fit is killed, the same call with the same data and
        parameters resumes it, with the same result bit for bit; this needs a `random_state`.
        Meant for a single fit: the folds of a cross-validation have different data.
    callbacks : sequence of callables, default=()
        Each is called with a :class:`~fuzzyfrog.search.Moment` after every batch of subsets; one
        that returns True stops the search.
    n_jobs : int or None, default=None
        Number of threads. None uses all usable CPUs (unlike elsewhere in scikit-learn), but one
        inside a joblib or Dask worker. The results do not depend on it.
    cluster : distributed.Client, str or None, default=None
        The Dask cluster that scores subsets: a client, which is left open, or the address of its
        scheduler; None for this machine. The results do not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the sample, if one is drawn; without one, the result is the same with any seed.
    verbose : int, default=0
        0 prints nothing, 1 at most one line per second on stderr, 2 a line after every batch.
    size_rule : {"auto", "peak", "accuracy", "one-se"}, default="auto"
        How many of the features to take: "peak", where the soft dependency is highest; "accuracy",
        where the five nearest neighbors of a sample, itself left out, predict it best; "one-se",
        the fewest with which they predict as well up to a standard error; "auto", the larger of
        "peak" and "one-se", if beyond the peak their accuracy gains more than the dependency loses,
        else "peak". Not used if `n_features_to_select` is given.
    redundant : {"drop", "keep"}, default="drop"
        Of the features that `size_rule` takes, those are dropped that have a correlation of 0.9 or
        more with another one, if neighbors and a linear model predict as well without them, up to
        two standard errors. They are kept in ``substitutes_``. "keep" selects them.
    sample : int or None, default=None
        Average over this many random samples, each compared with all others; the dependencies are
        then estimates. None stands for all samples of a table with up to 14,142, and fewer beyond:
        200 million divided by their number, but at least 2,000.

    Attributes
    ----------
    result_ : Result
        Everything that is known about the selection; the attributes below are parts of it.
    support_ : ndarray of bool of shape (n_features,)
        Mask of the selected features; never empty.
    n_features_ : int
        Number of selected features. A group counts as one, also in subsets: its first column
        stands for it in lists of indices, and its name in lists of names.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of object of shape (n_features,)
        Names of the features seen during `fit`, if `X` has any.
    ranking_ : ndarray of int of shape (n_features,)
        1 for the selected features; the others from 2 on, in the order in which they would be
        added. Ties share a rank.
    dependency_ : float
        Soft dependency of the selected features; compare it with ``chance_``.
    full_dependency_ : float
        The same for all features that are not excluded.
    dependency_interval_ : tuple of two floats
        Interval that contains the dependency of the selected features on all samples with a
        confidence of 95 %. Both ends are equal unless it is an estimate, which is computed from
        other samples than the search saw, so ``dependency_`` may lie outside.
    n_sampled_ : int
        Number of samples that subsets were scored on.
    front_ : list of Subset
        Every step of the search, with the accuracy of the nearest neighbors. Features that are
        redundant come after those that are selected.
    substitutes_ : dict of int to list of int
        For each redundant feature that was dropped, the selected ones that it could replace.
    copies_ : dict of int to int
        For each feature that is a copy, the index of the one that may be selected in its place.
    chance_ : float
        The dependency of features that say nothing: how often two random samples have the same
        class.
    columns_ : list of Column
        The role of every column (selected, substitute, useful, unneeded or left out), what it says
        alone, what it adds, and what could replace it; :meth:`columns_frame` has it as a table.
    history_ : list of HistoryPoint
        State of the search after its batches; a few hundred at most.
    n_evaluations_ : int
        Number of subsets that the search scored.
    stop_reason_ : str
        Why the search ended: "converged", "max_evaluations", "max_seconds", "callback",
        "interrupted" (Ctrl-C) or "memory" (out of memory). The best subset so far is selected in
        every case.
    seed_ : int
        The seed of this fit.

    See Also
    --------
    ReductSelector : Select the fewest features that separate exactly these samples.
    check : Check by cross-validation whether models do as well with the selected features.

    Notes
    -----
    For :meth:`explain`, a fitted selector keeps a copy of the target and of the selected columns of
    the training data. They are pickled with it.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from fuzzyfrog import SoftSelector
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = SoftSelector(size_rule="peak").fit(X, y)
    >>> [round(one, 3) for one in (selector.dependency_, selector.full_dependency_)]
    [0.841, 0.771]
    >>> round(selector.chance_, 3)
    0.338
    """

    n_features_to_select: float | None = None
    _: KW_ONLY
    size_rule: Literal["auto", "peak", "accuracy", "one-se"] = "auto"
    redundant: Literal["drop", "keep"] = "drop"
    sample: int | None = None

    def _kind(self) -> Kind:
        return Soft(self.redundant)

    @property
    def substitutes_(self) -> dict[int, list[int]]:
        """For each redundant feature, the selected ones that it could replace."""
        return {
            one: [group.feature for group in self.result_.substitutes if one in group.others]
            for one in self.result_.redundant
        }

    @property
    def chance_(self) -> float | None:
        """The dependency of features that say nothing."""
        return self.result_.chance


@dataclass(eq=False, repr=False)
class ReductSelector(Selector):
    """Select the fewest features that separate these samples as well as all features do.

    The quality of a subset of features is its fuzzy-rough dependency: the mean, over all samples,
    of the distance to the nearest sample of another class, cut at 1. Subsets that reach the
    dependency of all features, and lose it without any of their own, are called reducts.

    Separating the samples at hand and predicting new ones are different problems. For prediction,
    use :class:`SoftSelector`.

    Parameters
    ----------
    search : str or search instance, default="auto"
        How to search for subsets. A string must be one of:

        - "auto" is "frogs";
        - "frogs", a shuffled frog-leaping algorithm, finds the smallest subsets and the most of
          them;
        - "genetic" and "swarm" are a genetic algorithm and a particle swarm;
        - "quickreduct" is a greedy forward selection, the fastest;
        - "exact" proves that its subsets are the best;
        - "front" proves the best dependency of every size.

        An instance such as ``ShuffledFrogs(patience=3)`` has parameters of its own,
        ``search__patience`` and so on.
    n_features_to_select : int, float or None, default=None
        The exact number of features to select, or a share of them; None for as few as possible.
    must_include : list of names or indices, mask, or None, default=None
        Features that are always selected.
    exclude : list of names or indices, mask, or None, default=None
        Features that are never selected. Identifiers and dates are left out in any case, unless
        `must_include` names them, with a warning.
    feature_groups : mapping of str to columns, or None, default=None
        Columns that are selected or left out together, such as the one-hot columns of a category:
        for each name of a group a list of names or indices, or a pattern such as "color_*". A group
        counts as one feature, in sizes too, and its name may stand for its columns in
        `must_include` and `exclude`; to name one of its columns there is to name all of them.
    copies : {"drop", "keep"}, default="drop"
        Of columns that say the same (equal, affine or one-to-one recoded), only one may be
        selected; "keep" treats them as separate features.
    categorical_features : "from_dtype", None, list of names or indices, or mask
        Features whose values are only equal or different. The default, "from_dtype", takes
        columns of text and categories.
    target : {"auto", "class", "numeric"}, default="auto"
        How to read `y`; "auto" takes numbers with a fractional part as numeric, and whole numbers
        if there are more than 20 different ones, unless they are codes (consecutive from 0 or 1,
        each in at least ten samples and half as many as the average), or more than five of which
        over a third are in fewer than five samples.
    max_seconds : float or None, default=None
        Time limit for everything after the data is read. The best subset so far is selected. The
        core and the explanations of the result get a tenth of it plus 3 seconds, and are left
        out if they need more.
    checkpoint : path-like or None, default=None
        File to keep the scores in. If a fit is killed, the same call with the same data and
        parameters resumes it, with the same result bit for bit; this needs a `random_state`.
        Meant for a single fit: the folds of a cross-validation have different data.
    callbacks : sequence of callables, default=()
        Each is called with a :class:`~fuzzyfrog.search.Moment` after every batch of subsets; one
        that returns True stops the search.
    n_jobs : int or None, default=None
        Number of threads. None uses all usable CPUs (unlike elsewhere in scikit-learn), but one
        inside a joblib or Dask worker. The results do not depend on it.
    cluster : distributed.Client, str or None, default=None
        The Dask cluster that scores subsets: a client, which is left open, or the address of its
        scheduler; None for this machine. The results do not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the search. Pass an integer for the same result every time.
    verbose : int, default=0
        0 prints nothing, 1 at most one line per second on stderr, 2 a line after every batch.
    tnorm : {"lukasiewicz", "minimum", "product"}, default="lukasiewicz"
        How the similarities on single features are combined.
    spread : {"std", "variance", "range"}, default="std"
        The unit in which differences of numeric features are measured.
    missing : {"similar", "different", "raise"}, default="similar"
        Whether a missing value counts as similar to every value, as different from every value,
        or raises an error.
    ranking : {"lexicographic", "product"}, default="lexicographic"
        Which of two subsets is better: "lexicographic" prefers the higher dependency, then the
        smaller size; "product" the larger dependency · (1 - size / number of features).
    min_dependency : float, default=1.0
        The share of the full dependency to keep. A search that is stopped before it gets there
        warns. With ``ranking="product"``, a higher dependency counts for nothing, but a subset
        with a lower one may win.
    certify : bool, default=False
        Whether to prove, after the search and within its budget, that no subset is better, and
        to list all subsets that are as good. If the proof finds a better subset, that one is
        selected. Implied by ``search="exact"`` and ``search="front"``.
    costs : mapping of features to numbers, or None, default=None
        What features cost, by name, index or name of a group, such as ``{"mri": 400, "blood":
        12}``; 1 where nothing is given. The features with the lowest total cost are selected,
        instead of the fewest, and proofs, lists and the front are about costs. A group costs what
        is given for its name, or else for its columns together.
    survives : int, default=0
        Number of features whose loss must not matter: without any `survives` of them, the others
        still have the required dependency. An error names the features that nothing can replace.
    max_lost : int or None, default=None
        Number of samples that may be set aside: all others must keep the membership they have by
        all features. None if the dependency decides, as with 0. Then ``n_lost`` and ``lost`` of
        the subsets in ``reducts_`` and ``front_`` say which samples lose membership.
    sample : int or None, default=None
        Score subsets on a random sample of this many rows, for large tables; each is still
        compared with all rows. All dependencies are then estimates, and nothing can be certified.
        None for exact results: in large tables, the search may start on a sample, but its answer
        is confirmed on all rows. Pass the number of rows to score every subset on all of them.
    max_evaluations : int or None, default=None
        Maximum number of subsets to score in the search; in a large table, also on a sample of it.

    Attributes
    ----------
    result_ : Result
        Everything that is known about the selection; the attributes below are parts of it.
    support_ : ndarray of bool of shape (n_features,)
        Mask of the selected features; never empty.
    n_features_ : int
        Number of selected features. A group counts as one, also in subsets: its first column
        stands for it in lists of indices, and its name in lists of names.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of object of shape (n_features,)
        Names of the features seen during `fit`, if `X` has any.
    ranking_ : ndarray of int of shape (n_features,)
        1 for the selected features; the others from 2 on, by ``feature_frequency_``. Ties share
        a rank.
    dependency_ : float
        Dependency of the selected features.
    full_dependency_ : float
        The same for all features that are not excluded.
    dependency_interval_ : tuple of two floats
        Interval that contains the dependency of the selected features on all samples with a
        confidence of 95 %. Both ends are equal unless it is an estimate, which is computed from
        other samples than the search saw, so ``dependency_`` may lie outside.
    n_sampled_ : int
        Number of samples that subsets were scored on.
    front_ : list of Subset
        The best subset found of each size, up to the first size with the highest dependency; with
        costs, each subset found that no cheaper one equals. If several are equally good, the
        selected one.
    copies_ : dict of int to int
        For each feature that is a copy, the index of the one that may be selected in its place.
    reducts_ : list of Subset
        All distinct subsets found that are as good as the best one, those with the most frequent
        features first. `fit` selects the first.
    core_ : list of int or None
        Indices of the irreplaceable features: without one of them, all other features that are
        not excluded do not reach the required dependency together. Every reduct that reaches it
        contains the core. None with `max_lost`, or if there was no time to compute it, because of
        `max_seconds` or Ctrl-C.
    feature_frequency_ : ndarray of float of shape (n_features,)
        Share of the reducts that contain each feature.
    certificate_ : Certificate or None
        What was proved; print it to get a sentence. None without a proof, or if `max_seconds`
        was too short to score even all features together.
    columns_ : list of Column
        The role of every column (selected, substitute, useful, unneeded or left out), what it says
        alone, what it adds, and what could replace it; :meth:`columns_frame` has it as a table.
    history_ : list of HistoryPoint
        State of the search after its batches; a few hundred at most.
    n_evaluations_ : int
        Number of subsets that the search scored.
    stop_reason_ : str
        Why the search ended: "converged", "max_evaluations", "max_seconds", "callback",
        "interrupted" (Ctrl-C) or "memory" (out of memory). The best subset so far is selected in
        every case.
    seed_ : int
        The seed of this fit.

    See Also
    --------
    SoftSelector : Select columns to predict with.
    enumerate_reducts : Enumerate all reducts of a given size.

    Notes
    -----
    For :meth:`explain`, a fitted selector keeps a copy of the target and of the columns of the
    training data that occur in a reduct. They are pickled with it.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from fuzzyfrog import ReductSelector
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = ReductSelector("quickreduct").fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['alcohol', 'flavanoids', 'color_intensity', 'hue', 'proline']
    >>> selector.dependency_
    1.0
    """

    search: str | Search = "auto"
    _: KW_ONLY
    tnorm: TNorm = "lukasiewicz"
    spread: Spread = "std"
    missing: Missing = "similar"
    ranking: Literal["lexicographic", "product"] = "lexicographic"
    min_dependency: float = 1.0
    certify: bool = False
    costs: Mapping[object, object] | None = None
    survives: int = 0
    max_lost: int | None = None
    sample: int | None = None
    max_evaluations: int | None = None

    def _kind(self) -> Kind:
        return Strict(self.tnorm, self.spread, self.missing)

    @property
    def certificate_(self) -> Certificate | None:
        """What was proved."""
        return self.result_.certificate

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "raise"
        return tags


@dataclass(eq=False, repr=False)
class FeatureSelector(Selector):
    """Select the features that score best by a custom measure.

    Parameters
    ----------
    measure : callable
        A function that makes a measure: it is called with the `Dataset` and returns an object with
        a method ``score(masks)``, which returns a number for each row of bool[n_subsets,
        n_features]. If the object has a true ``is_monotone``, the fewest features that keep the
        score of all features are searched for, else the highest score.
    search : str or search instance, default="auto"
        How to search for subsets. A string must be one of:

        - "auto" is "quickreduct";
        - "frogs", a shuffled frog-leaping algorithm, finds the smallest subsets and the most of
          them;
        - "genetic" and "swarm" are a genetic algorithm and a particle swarm;
        - "quickreduct" is a greedy forward selection, the fastest.

        An instance such as ``ShuffledFrogs(patience=3)`` has parameters of its own,
        ``search__patience`` and so on.
    n_features_to_select : int, float or None, default=None
        The exact number of features to select, or a share of them; None for as few as possible.
    must_include : list of names or indices, mask, or None, default=None
        Features that are always selected.
    exclude : list of names or indices, mask, or None, default=None
        Features that are never selected. Identifiers and dates are left out in any case, unless
        `must_include` names them, with a warning.
    feature_groups : mapping of str to columns, or None, default=None
        Columns that are selected or left out together, such as the one-hot columns of a category:
        for each name of a group a list of names or indices, or a pattern such as "color_*". A group
        counts as one feature, in sizes too, and its name may stand for its columns in
        `must_include` and `exclude`; to name one of its columns there is to name all of them.
    copies : {"drop", "keep"}, default="drop"
        Of columns that say the same (equal, affine or one-to-one recoded), only one may be
        selected; "keep" treats them as separate features.
    categorical_features : "from_dtype", None, list of names or indices, or mask
        Features whose values are only equal or different. The default, "from_dtype", takes
        columns of text and categories.
    target : {"auto", "class", "numeric"}, default="auto"
        How to read `y`; "auto" takes numbers with a fractional part as numeric, and whole numbers
        if there are more than 20 different ones, unless they are codes (consecutive from 0 or 1,
        each in at least ten samples and half as many as the average), or more than five of which
        over a third are in fewer than five samples.
    max_seconds : float or None, default=None
        Time limit for everything after the data is read. The best subset so far is selected. The
        core and the explanations of the result get a tenth of it plus 3 seconds, and are left
        out if they need more.
    checkpoint : path-like or None, default=None
        File to keep the scores in. If a fit is killed, the same call with the same data and
        parameters resumes it, with the same result bit for bit; this needs a `random_state`.
        Meant for a single fit: the folds of a cross-validation have different data.
    callbacks : sequence of callables, default=()
        Each is called with a :class:`~fuzzyfrog.search.Moment` after every batch of subsets; one
        that returns True stops the search.
    n_jobs : int or None, default=None
        Number of threads. None uses all usable CPUs (unlike elsewhere in scikit-learn), but one
        inside a joblib or Dask worker. The results do not depend on it.
    cluster : distributed.Client, str or None, default=None
        The Dask cluster that scores subsets: a client, which is left open, or the address of its
        scheduler; None for this machine. The results do not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the search. Pass an integer for the same result every time.
    verbose : int, default=0
        0 prints nothing, 1 at most one line per second on stderr, 2 a line after every batch.
    min_dependency : float, default=1.0
        With a monotone measure, the share of the score of all features to keep.
    max_evaluations : int or None, default=None
        Maximum number of subsets to score in the search.

    Attributes
    ----------
    result_ : Result
        Everything that is known about the selection; the attributes below are parts of it.
    support_ : ndarray of bool of shape (n_features,)
        Mask of the selected features; never empty.
    n_features_ : int
        Number of selected features. A group counts as one, also in subsets: its first column
        stands for it in lists of indices, and its name in lists of names.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of object of shape (n_features,)
        Names of the features seen during `fit`, if `X` has any.
    ranking_ : ndarray of int of shape (n_features,)
        1 for the selected features; the others from 2 on, by ``feature_frequency_``. Ties share
        a rank.
    dependency_ : float
        Score of the selected features.
    full_dependency_ : float
        The same for all features that are not excluded.
    dependency_interval_ : tuple of two floats
        Interval that contains the dependency of the selected features on all samples with a
        confidence of 95 %. Both ends are equal unless it is an estimate, which is computed from
        other samples than the search saw, so ``dependency_`` may lie outside.
    n_sampled_ : int
        Number of samples that subsets were scored on.
    front_ : list of Subset
        The best subset found of each size, up to the first size with the highest score.
    copies_ : dict of int to int
        For each feature that is a copy, the index of the one that may be selected in its place.
    reducts_ : list of Subset
        All distinct subsets found that are as good as the best one. `fit` selects the first.
    core_ : list of int or None
        With a monotone measure, the irreplaceable features.
    feature_frequency_ : ndarray of float of shape (n_features,)
        Share of these subsets that contain each feature.
    columns_ : list of Column
        The role of every column (selected, substitute, useful, unneeded or left out), what it says
        alone, what it adds, and what could replace it; :meth:`columns_frame` has it as a table.
    history_ : list of HistoryPoint
        State of the search after its batches; a few hundred at most.
    n_evaluations_ : int
        Number of subsets that the search scored.
    stop_reason_ : str
        Why the search ended: "converged", "max_evaluations", "max_seconds", "callback",
        "interrupted" (Ctrl-C) or "memory" (out of memory). The best subset so far is selected in
        every case.
    seed_ : int
        The seed of this fit.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_wine
    >>> from fuzzyfrog import FeatureSelector
    >>> class Cheap:
    ...     def __init__(self, dataset):
    ...         self.worth = np.abs(np.corrcoef(dataset.values.T, dataset.target)[-1, :-1])
    ...     def score(self, masks):
    ...         return masks @ self.worth - 0.5 * masks.sum(axis=1)
    >>> FeatureSelector(Cheap).fit(*load_wine(return_X_y=True)).n_features_
    6
    """

    measure: MakeMeasure
    search: str | Search = "auto"
    _: KW_ONLY
    min_dependency: float = 1.0
    max_evaluations: int | None = None

    def _kind(self) -> Kind:
        return Custom(self.measure)
