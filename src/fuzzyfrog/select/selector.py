"""The fuzzy-rough feature selector as an estimator of scikit-learn."""

import os
from copy import copy
from dataclasses import replace
from typing import Any, Literal, Self

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from fuzzyfrog.common.messages import count, listed, shown
from fuzzyfrog.common.params import check_count
from fuzzyfrog.data import Dataset, make_dataset
from fuzzyfrog.data.dask_tables import dask_columns
from fuzzyfrog.data.dataset import as_frame, is_dask, without_rows
from fuzzyfrog.errors import DataError, ParameterError
from fuzzyfrog.records import Check, Run
from fuzzyfrog.select.base import Masks
from fuzzyfrog.select.explain import Explanation, examples_of
from fuzzyfrog.select.parameters import is_index, selected_index
from fuzzyfrog.select.record import record_of
from fuzzyfrog.select.selection import Selection


class TableSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """A selector that takes any table: numbers, categories, missing values, any frame library."""

    categorical_features: object
    target: Literal["auto", "class", "numeric"]
    support_: Masks
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]

    def _read(self, X: object, y: object) -> Dataset:
        """Return the checked data, and set the number of features and their names."""
        if getattr(getattr(y, "dtype", None), "kind", None) == "c":
            raise DataError("y must be real, got complex numbers. Complex data not supported.")
        name = getattr(y, "name", None)  # of a series
        dataset = make_dataset(
            X,
            y,
            categorical_features=self.categorical_features,
            target=self.target,
            target_name=name if isinstance(name, str) and name else "class",
        )
        if isinstance(X, Dataset):
            self.n_features_in_ = dataset.n_features
            self.feature_names_in_ = np.asarray(dataset.feature_names, dtype=object)
        else:
            validate_data(self, X=without_rows(X), y=y, skip_check_array=True)
        return dataset

    def transform(self, X: Any) -> Any:
        """Reduce a table to the selected features.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features), or Dataset
            The samples.

        Returns
        -------
        array or data frame of shape (n_samples, n_selected)
            An array, or the container chosen with ``set_output``. A frame keeps the types of its
            columns if it stays with its library, and a Dask collection stays lazy.
        """
        support = self.get_support()
        if isinstance(X, Dataset):
            return self._values_of(X)[:, support]
        if is_dask(X):
            validate_data(self, X=without_rows(X), reset=False, skip_check_array=True)
            return dask_columns(X, np.flatnonzero(support))
        if self._output() == "polars" and nw.dependencies.is_polars_dataframe(X):
            # scikit-learn does this for pandas; here it would go through an array of objects.
            validate_data(self, X=X, reset=False, skip_check_array=True)
            return X[:, np.flatnonzero(support).tolist()]
        is_frame = nw.dependencies.is_pandas_dataframe(X) or nw.dependencies.is_polars_dataframe(X)
        if is_frame and self._output() == "default":
            # Choose columns first: a single column of labels makes the whole array one of objects.
            frame = as_frame(X)
            validate_data(self, X=X, reset=False, skip_check_array=True)
            part = frame[:, np.flatnonzero(support).tolist()]
            _refuse_mixed_dates(part)
            allow_nan = self.__sklearn_tags__().input_tags.allow_nan
            return check_array(
                part.to_native(), dtype=None, ensure_all_finite=not allow_nan, force_writeable=True
            )
        return super().transform(X)

    def _values_of(self, dataset: Dataset) -> NDArray[np.float64]:
        """Return the values of a Dataset that has the features of the fitted one."""
        fitted = list(getattr(self, "feature_names_in_", dataset.feature_names))
        if list(dataset.feature_names) != fitted:
            features = count(self.n_features_in_, "feature")
            raise DataError(
                f"X must have the {features} of the fit in their order, got "
                f"{listed(dataset.feature_names)}. Read the table as for the fit."
            )
        return dataset.values

    def _output(self) -> str:
        """Return the container set with `set_output`; scikit-learn has no public name for it."""
        own = getattr(self, "_sklearn_output_config", {})
        return str(own.get("transform", get_config()["transform_output"]))

    def _get_support_mask(self) -> Masks:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        return tags


def _refuse_mixed_dates(frame: nw.DataFrame[Any]) -> None:
    """Refuse dates next to numbers: no array holds both as they are."""
    dates = [name for name, kind in frame.schema.items() if kind in (nw.Datetime, nw.Date)]
    if dates and any(kind.is_numeric() or kind == nw.Boolean for kind in frame.schema.values()):
        raise DataError(
            f"the selected features must fit into one array, got dates in {listed(dates)} next to "
            "numbers. Call set_output(transform='pandas') or 'polars' to get a frame, or convert "
            "dates to numbers, for example to days since the first."
        )


class FuzzyRoughSelector(TableSelector, Selection):
    """Select the fewest features that separate the classes as well as all features do.

    The quality of a subset of features is its fuzzy-rough dependency: the mean, over all samples,
    of the distance to the nearest sample of another class, cut at 1. Subsets that reach the
    dependency of all features, and lose it without any of their own, are called reducts.

    For prediction, use ``measure="soft"``: the soft dependency is how likely a random similar
    sample has the same class. It falls when a feature adds noise, so the number of features comes
    out by itself.

    Parameters
    ----------
    search : str or search instance, default="auto"
        How to search for subsets. A string must be one of:

        - "auto" is "frogs" for the strict measure and "quickreduct" for others;
        - "frogs", a shuffled frog-leaping algorithm, finds the smallest subsets and the most of
          them;
        - "genetic" and "swarm" are a genetic algorithm and a particle swarm;
        - "quickreduct" is a greedy forward selection, the fastest;
        - "exact" proves that its subsets are the best;
        - "front" proves the best dependency of every size.

        An instance such as ``ShuffledFrogs(patience=3)`` has parameters of its own,
        ``search__patience`` and so on.
    measure : {"strict", "soft"} or callable, default="strict"
        What makes a subset good. "strict" is the dependency of the paper, which asks whether these
        very samples can be told apart; "soft" is for prediction. A function makes a measure of
        your own: it is called with the `Dataset` and returns an object with a method
        ``score(masks)``. Proofs, the core and reducts are those of the strict measure; `tnorm`,
        `spread`, `ranking` and `min_dependency` belong to it, too.
    tnorm : {"lukasiewicz", "minimum", "product"}, default="lukasiewicz"
        How the similarities on single features are combined.
    spread : {"std", "variance", "range"}, default="std"
        The unit in which differences of numeric features are measured.
    categorical_features : "from_dtype", None, list of names or indices, or mask
        Features whose values are only equal or different. The default, "from_dtype", takes
        columns of text and categories.
    missing : {"similar", "different", "raise"}, default="similar"
        Whether a missing value counts as similar to every value, as different from every value,
        or raises an error.
    target : {"auto", "class", "numeric"}, default="auto"
        How to read `y`; "auto" takes numbers with a fractional part as numeric, and whole numbers
        if there are more than 20 different ones and more than a tenth of the samples.
    ranking : {"lexicographic", "product"}, default="lexicographic"
        Which of two subsets is better: "lexicographic" prefers the higher dependency, then the
        smaller size; "product" the larger dependency · (1 - size / number of features).
    min_dependency : float, default=1.0
        The share of the full dependency to keep. A search that is stopped before it gets there
        warns. With ``ranking="product"``, a higher dependency counts for nothing, but a subset
        with a lower one may win.
    n_features_to_select : int or None, default=None
        The exact number of features to select; None for as few as possible, or for as many as
        `size_rule` says.
    size_rule : {"auto", "peak", "accuracy", "one-se"}, default="auto"
        How many features to take of those that a greedy search with the soft measure adds one by
        one: "peak", where the soft dependency is highest; "accuracy", where the five nearest
        neighbors of a sample, itself left out, predict it best; "one-se", the fewest with which
        they predict as well up to a standard error; "auto", the larger of "peak" and "one-se", if
        beyond the peak their accuracy gains more than the dependency loses, else "peak".
    must_include : list of names or indices, mask, or None, default=None
        Features that are always selected.
    exclude : list of names or indices, mask, or None, default=None
        Features that are never selected. Identifiers and dates are left out in any case, unless
        `must_include` names them, with a warning.
    groups : mapping of str to columns, or None, default=None
        Columns that are selected or left out together, such as the one-hot columns of a category:
        for each name of a group a list of names or indices, or a pattern such as "color_*". A group
        counts as one feature, in sizes too, and its name may stand for its columns in
        `must_include` and `exclude`; to name one of its columns there is to name all of them. In
        ``reducts_``, ``front_`` and ``core_`` the first column of a group has its name and stands
        for all. Nothing can be certified with groups.
    copies : {"drop", "keep"}, default="drop"
        Of columns that say the same (equal, affine or one-to-one recoded), only the first may be
        selected; "keep" treats them as separate features.
    certify : bool, default=False
        Whether to prove, after the search and within its budget, that no subset is better, and
        to list all subsets that are as good. If the proof finds a better subset, that one is
        selected. Implied by ``search="exact"`` and ``search="front"``.
    sample : int or None, default=None
        Score subsets on a random sample of this many rows, for large tables; each is still
        compared with all rows. All dependencies are then estimates, and nothing can be certified.
        None for exact results: in large tables, the search may start on a sample, but its answer
        is confirmed on all rows. Pass the number of rows to score every subset on all of them.
        With the soft measure, None stands for 2,000 rows of a table with more than 20,000.
    max_seconds : float or None, default=None
        Time limit for everything after the data is read. The best subset so far is selected. The
        core and the explanations of the record get a tenth of it plus 3 seconds, and are left
        out if they need more.
    max_evaluations : int or None, default=None
        Maximum number of subsets to score in the search; in a large table, also on a sample of it.
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
        Seed of the search. Pass an integer for the same result every time; the soft measure gives
        it with any seed as long as all samples are measured and the search is greedy.
    verbose : int, default=0
        0 prints nothing, 1 at most one line per second on stderr, 2 a line after every batch.

    Attributes
    ----------
    support_ : ndarray of bool of shape (n_features,)
        Mask of the selected features; never empty.
    n_features_ : int
        Number of selected features. A group counts as one, also in reducts, core and front: its
        first column stands for it in lists of indices, and its name in lists of names.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of object of shape (n_features,)
        Names of the features seen during `fit`, if `X` has any.
    ranking_ : ndarray of int of shape (n_features,)
        1 for the selected features. The others are ranked from 2 on by ``feature_frequency_``,
        or in the order in which a greedy search with the soft measure would add them; ties share
        a rank.
    dependency_ : float
        Dependency of the selected features, by the measure that was asked for.
    full_dependency_ : float
        Dependency of all features that are not excluded.
    chance_ : float or None
        With the soft measure, the dependency of features that say nothing: how often two random
        samples have the same class. None with other measures.
    dependency_interval_ : tuple of two floats
        Interval that contains the dependency of the selected features on all samples with a
        confidence of 95 %. Both ends are equal unless `sample` is given. It is computed from other
        samples than the search saw, so ``dependency_`` may lie outside.
    n_sampled_ : int
        Number of samples that subsets were scored on.
    reducts_ : list of Reduct
        All distinct subsets found that are as good as the best one, those with the most frequent
        features first. `fit` selects the first.
    core_ : list of int or None
        Indices of the irreplaceable features: without one of them, all other features that are
        not excluded do not reach the required dependency together. Every reduct that reaches it
        contains the core. None if there was no time to compute it, because of `max_seconds` or
        Ctrl-C, and with a measure that features can lower, which has no core.
    copies_ : dict of int to int
        For each feature that is a copy, the index of the one that may be selected in its place.
    feature_frequency_ : ndarray of float of shape (n_features,)
        Share of the reducts that contain each feature.
    front_ : list of FrontPoint
        The best subset found of each size, up to the first size with the highest dependency. If
        several are equally good, the selected one. For a greedy search with the soft measure,
        every step of it, with the accuracy of the nearest neighbors.
    certificate_ : Certificate or None
        What was proved; print it to get a sentence. None without a proof, or if `max_seconds`
        was too short to score even all features together.
    history_ : list of Moment
        State of the search after each batch.
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
    BoostedSelector : Select the features that boosted trees use.
    enumerate_reducts : Enumerate all reducts of a given size.

    Notes
    -----
    For :meth:`explain`, a fitted selector keeps a copy of the target and of the columns of the
    training data that occur in a reduct. They are pickled with it.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from fuzzyfrog import FuzzyRoughSelector
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = FuzzyRoughSelector("quickreduct").fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['alcohol', 'flavanoids', 'color_intensity', 'hue', 'proline']
    >>> selector.dependency_
    1.0

    >>> soft = FuzzyRoughSelector(measure="soft", size_rule="peak").fit(X, y)
    >>> round(soft.dependency_, 3), round(soft.full_dependency_, 3), round(soft.chance_, 3)
    (0.841, 0.771, 0.338)
    """

    _end_warning = ConvergenceWarning

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
        check_is_fitted(self, "reducts_")
        if not is_index(i) or not 0 <= i < len(self.reducts_):
            rule = f"be a position in reducts_, from 0 to {len(self.reducts_) - 1}"
            raise ParameterError("i", rule, shown(i))
        self._choose(i)
        return self

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
        _refuse_group(feature, self._groups, self)
        selected = np.flatnonzero(self.support_).tolist()
        names = self.get_feature_names_out().tolist()
        index = selected_index(feature, selected, names, getattr(self, "feature_names_in_", ()))
        examples = examples_of(self._evidence, tuple(selected), self.n_jobs)
        return Explanation.of(examples.explanation(index, limit))

    def record(
        self, *, name: str | None = None, command: str | None = None, check: Check | None = None
    ) -> Run:
        """Return the record of the fit: what was selected and why, and how to reproduce it.

        Parameters
        ----------
        name : str, default=None
            Name of the data; None for its own name.
        command : str, default=None
            The command line that started the fit.
        check : Check, default=None
            The result of :func:`fuzzyfrog.check`, which becomes part of the record.

        Returns
        -------
        Run
            Plain values with ``to_json``, ``save`` and ``load``. It describes the reduct that is
            selected now. With `max_seconds`, explanations that take longer than the time left
            by the fit, plus an allowance of 3 seconds, are left out with a note.
        """
        check_is_fitted(self, "reducts_")
        return replace(record_of(self, name=name, command=command), check=check)

    def report(
        self, path: str | os.PathLike[str], *, name: str | None = None, check: Check | None = None
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
        """
        from fuzzyfrog.report import write_report

        write_report(self.record(name=name, check=check), path)

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
        if nested and isinstance(params.get("search", self.search), str):
            raise ParameterError(
                "search",
                f"be an instance to set {nested[0]}",
                shown(self.search),
                "Start from FuzzyRoughSelector(ShuffledFrogs()), for example.",
            )
        super().set_params(**params)
        return self

    def _repr_html_inner(self) -> str:
        """Return the short report once fitted, and before that scikit-learn's own display.

        scikit-learn's ``_repr_html_`` returns this unless ``display`` is set to "text".
        """
        if not hasattr(self, "reducts_"):
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
        clone = super(FuzzyRoughSelector, bare).__sklearn_clone__()
        clone.cluster = self.cluster
        return clone

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        is_address = isinstance(state.get("cluster"), str)
        return state if is_address else {**state, "cluster": None}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "raise"
        return tags


def _refuse_group(feature: object, groups: Any, selector: Any) -> None:
    """Raise if a feature is a group or one of its columns, which do nothing alone."""
    if not groups:
        return
    names = [*groups.columns, *np.flatnonzero(groups.grouped).tolist()]
    known = getattr(selector, "feature_names_in_", ())
    names += [known[one] for one in np.flatnonzero(groups.grouped)] if len(known) else []
    if feature in names:
        rule = "be a column that belongs to no group"
        raise ParameterError("feature", rule, shown(feature), "Groups are not explained.")
