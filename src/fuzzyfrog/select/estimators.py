"""The selectors as estimators of scikit-learn: two doors, and a general class for any measure."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

from fuzzyfrog.common.tnorms import TNorm
from fuzzyfrog.data.scaling import Missing, Spread
from fuzzyfrog.result import Certificate
from fuzzyfrog.search import Search
from fuzzyfrog.select.custom import Custom, MakeMeasure
from fuzzyfrog.select.kind import Kind
from fuzzyfrog.select.selector import Selector
from fuzzyfrog.select.soft import Soft
from fuzzyfrog.select.strict import Strict


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
        contains the core. None if there was no time to compute it, because of `max_seconds` or
        Ctrl-C.
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
