"""The fuzzy-rough feature selector."""

import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from math import inf, nan
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from fuzzyfrog.common.deadline import (
    Interrupted,
    Limit,
    Preparation,
    TimeIsUp,
    ending_at_ctrl_c,
    interruptible,
    limited,
)
from fuzzyfrog.common.messages import Sentence, Setting, count, shown
from fuzzyfrog.common.params import check_budget, check_share
from fuzzyfrog.common.resources import in_memory
from fuzzyfrog.common.tnorms import TNorm
from fuzzyfrog.data import Dataset
from fuzzyfrog.data.scaling import Missing, Spread
from fuzzyfrog.errors import ParameterError, PredictionWarning
from fuzzyfrog.measure import Dependency, SoftDependency
from fuzzyfrog.measure.row_sample import RowSample
from fuzzyfrog.search import (
    Callback,
    Checkpoint,
    Moment,
    Objective,
    Outcome,
    Problem,
    QuickReduct,
    Reduct,
    Search,
    run,
)
from fuzzyfrog.search.protocol import check_problem
from fuzzyfrog.search.sample_first import SampleFirst
from fuzzyfrog.select.base import (
    Evidence,
    Masks,
    ReductSelector,
    core_of_run,
    early_end,
    front_of,
    n_estimated,
    on_sample_first,
    reducts_of,
    unsearched,
)
from fuzzyfrog.select.certify import certificate_of, is_provable, oracle_of
from fuzzyfrog.select.column_warnings import LeftOut, left_out, ruling_gaps, telling
from fuzzyfrog.select.groups import Groups, check_groups
from fuzzyfrog.select.measures import (
    MakeMeasure,
    MeasureSettings,
    OwnMeasure,
    Path,
    is_large,
    sampled,
    soft_comparison,
    starts_on_sample,
)
from fuzzyfrog.select.parameters import (
    RandomState,
    check_apart,
    check_certify,
    check_checkpoint,
    check_copies,
    check_sample,
    check_size,
    check_size_rule,
    check_verbose,
    checked_callbacks,
    constrained_features,
    search_of,
    seed_of,
    size_asked,
)
from fuzzyfrog.select.record import FitNotes, ReportsMixin, fingerprint

INTERVALS = {0: inf, 1: 1.0}  # seconds between two lines of progress, by verbose; else none
SMALLER_TABLE = (
    "Leave out columns (--ignore) or samples, or set FUZZYFROG_SPILL_ABOVE to fewer bytes: larger "
    "arrays are kept on disk."
)
LESS_AT_ONCE = (
    "Score subsets on a part of the samples (sample=, --sample), use fewer threads (n_jobs=1, "
    "--jobs 1), leave out columns (--ignore), or use a cluster (cluster=, --cluster)."
)


class FuzzyRoughSelector(ReportsMixin, ReductSelector):
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

        An instance such as ``ShuffledFrogs(patience=3)`` is a nested estimator, with parameters
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
        they predict as well up to a standard error; "auto", the larger of "peak" and "one-se".
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
        Seed of the search. Pass an integer for the same result every time.
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

    # Identifiers and dates; experiments compare selectors on the same features.
    _drops_doubtful = True
    # What to leave out, if that was decided on a larger table of which this one is a part.
    _decided: LeftOut | None = None

    def __init__(
        self,
        search: str | Search = "auto",
        *,
        measure: str | MakeMeasure = "strict",
        tnorm: TNorm = "lukasiewicz",
        spread: Spread = "std",
        categorical_features: object = "from_dtype",
        missing: Missing = "similar",
        target: Literal["auto", "class", "numeric"] = "auto",
        ranking: Literal["lexicographic", "product"] = "lexicographic",
        min_dependency: float = 1.0,
        n_features_to_select: float | None = None,
        size_rule: Literal["auto", "peak", "accuracy", "one-se"] = "auto",
        must_include: object = None,
        exclude: object = None,
        groups: Mapping[str, object] | None = None,
        copies: Literal["drop", "keep"] = "drop",
        certify: bool = False,
        sample: int | None = None,
        max_seconds: float | None = None,
        max_evaluations: int | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        callbacks: Sequence[Callback] = (),
        n_jobs: int | None = None,
        cluster: object = None,
        random_state: RandomState = None,
        verbose: int = 0,
    ) -> None:
        self.search = search
        self.measure = measure
        self.tnorm = tnorm
        self.spread = spread
        self.categorical_features = categorical_features
        self.missing = missing
        self.target = target
        self.ranking = ranking
        self.min_dependency = min_dependency
        self.n_features_to_select = n_features_to_select
        self.size_rule = size_rule
        self.must_include = must_include
        self.exclude = exclude
        self.groups = groups
        self.copies = copies
        self.certify = certify
        self.sample = sample
        self.max_seconds = max_seconds
        self.max_evaluations = max_evaluations
        self.checkpoint = checkpoint
        self.callbacks = callbacks
        self.n_jobs = n_jobs
        self.cluster = cluster
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: object, y: object = None) -> "FuzzyRoughSelector":
        """Select features.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features), or Dataset
            Training data: numbers, categories and missing values, in NumPy, pandas, polars or
            Arrow.
        y : array-like of shape (n_samples,), default=None
            Classes, or numbers. Leave it out if `X` is a `Dataset`, which has its own.

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
        check_certify(self.certify)
        settings = MeasureSettings.of(self)
        search, proves = search_of(self.search, settings, certify=bool(self.certify))
        check_groups(self.groups, search, certify=bool(self.certify))
        callbacks = checked_callbacks(self.callbacks)
        hint = "With 1, the selected features keep the dependency of all features."
        check_share("min_dependency", self.min_dependency, zero=False, hint=hint)
        check_checkpoint(self.checkpoint, self.random_state)
        check_verbose(self.verbose)
        if self.cluster is not None:
            from fuzzyfrog.cluster import check_cluster

            check_cluster(self.cluster)
        is_shared = self.cluster is not None and not settings.is_soft
        check_sample(self.sample, settings, proves=proves, on_cluster=is_shared)
        check_budget(self.max_evaluations, self.max_seconds)
        check_size(self.n_features_to_select)
        check_copies(self.copies)
        check_size_rule(self.size_rule, self.n_features_to_select, search, settings)
        dataset = self._read(X, y)
        limit = Limit(self.max_seconds)
        preparation = Preparation()
        with preparation:
            with in_memory(f"the positions of {_size_of(dataset)}", SMALLER_TABLE):
                measure = settings.measured(dataset, self.n_jobs)
            self._notes = FitNotes(measure.dataset)
            self._groups = Groups.of(self.groups, measure.dataset)
            self._notes.warnings += self._groups.sentences(measure.dataset.feature_names)
            self.seed_ = seed_of(self.random_state)
            here = sampled(measure, self.sample, self.seed_)
            self.n_sampled_ = here.n_sampled
            problem = self._problem(measure, proves)
            search.propose(problem, self.seed_).close()  # checks the parameters of the search
            allowed = self._all_columns(~np.asarray(problem.exclude))
            self._notes.excluded = tuple(np.flatnonzero(~allowed).tolist())
        is_measured = True
        try:
            preparation.end_if_interrupted()
            with (
                limited(limit.for_search()),
                self._placed(here) as objective,
                in_memory(f"a batch of subsets of {_size_of(measure.dataset)}", LESS_AT_ONCE),
            ):
                with ending_at_ctrl_c():
                    search, problem = self._begun(search, problem, measure, here, settings)
                grouped = self._groups.measured(objective)
                outcome = self._run(search, grouped, problem, callbacks, measure.dataset)
                self.core_ = self._core(grouped, problem, outcome, limit)
        except TimeIsUp as end:
            n_part = n_estimated(measure.n_samples, self.sample)
            here = sampled(measure, n_part, self.seed_)
            self.n_sampled_, self.core_ = here.n_sampled, None
            is_measured = here.n_sampled == measure.n_samples
            reason = "interrupted" if isinstance(end, Interrupted) else "max_seconds"
            outcome, full_score = unsearched(self._groups.measured(here), problem, reason)
            problem = replace(problem, full_score=full_score)
        is_path = settings.is_soft and isinstance(search, QuickReduct)
        self._path = self._walked(outcome, here, limit) if is_path else None
        self._keep(self._sized(outcome), problem, measure.dataset, settings)
        self.full_dependency_ = problem.full_score
        self.chance_ = measure.chance if isinstance(measure, SoftDependency) else None
        self.certificate_ = certificate_of(outcome, problem) if proves and is_measured else None
        self._notes.warnings += on_sample_first(outcome, measure.n_samples)
        self._notes.warn(early_end(outcome, problem), ConvergenceWarning)
        self._notes.warn(self._left_out(is_measured=is_measured))
        with limited(limit.for_core(interrupted=outcome.stop_reason == "interrupted")):
            self.select_reduct(0)
        if settings.is_strict:
            worse = _worse_neighbors(measure.dataset, self.support_, allowed)
            self._notes.warn(worse, PredictionWarning)
        self._notes.end(limit.for_explaining())
        return self

    def _begun(
        self,
        search: Search,
        problem: Problem,
        measure: Dependency | SoftDependency | OwnMeasure,
        here: Any,
        settings: MeasureSettings,
    ) -> tuple[Search, Problem]:
        """Return the search and the problem with the score of all features that are allowed."""
        allowed = self._all_columns(~np.asarray(problem.exclude))
        if self._drops_doubtful:
            free = allowed & ~np.asarray(problem.must_include) & ~self._groups.grouped
            found = telling(measure.dataset, free)
            self._notes.telling = tuple(found)
            self._notes.warn(found.values())
        if starts_on_sample(measure, search, problem, self.sample):
            rows = RowSample(measure, allowed, seed=self.seed_)
            search, full_score = SampleFirst(search), rows.full_score
            problem = replace(problem, on_sample=self._groups.on_sample(rows.on))
        else:
            full_score = float(here.score(allowed[np.newaxis])[0])
        if settings.is_strict and here is measure:

            def score(rest: Dataset) -> float:
                return float(settings.measured(rest, self.n_jobs).score([allowed])[0])

            self._notes.warn(ruling_gaps(measure.dataset, allowed, full_score, score))
        return search, replace(problem, full_score=full_score)

    def _placed(self, measure: Any) -> AbstractContextManager[Objective]:
        """Return the context of the measure, on the cluster if there is one."""
        if self.cluster is None:
            return nullcontext(measure)
        from fuzzyfrog.cluster import on_cluster

        return on_cluster(measure, self.cluster, self._fingerprint)

    def _constrained(self, dataset: Dataset) -> tuple[Masks, Masks, LeftOut]:
        """Return what must be and must not be selected, and what of the latter is left out."""
        groups = Groups.of(self.groups, dataset)
        included, excluded = constrained_features(
            groups.with_columns(self.must_include), groups.with_columns(self.exclude), dataset
        )
        included = groups.joined(included)
        excluded = groups.expanded(groups.joined(excluded))
        check_apart(included, excluded, groups.named(dataset.feature_names))
        rest = self._decided or left_out(
            dataset,
            included,
            excluded | groups.grouped,  # these belong together, whatever they say
            drop_copies=self.copies == "drop",
            drop_doubtful=self._drops_doubtful,
        )
        return included, excluded | rest.mask | groups.members, rest

    def _problem(self, measure: Dependency | SoftDependency | OwnMeasure, proves: bool) -> Problem:
        """Return the checked problem, still without the full score."""
        dataset = measure.dataset
        included, excluded, rest = self._constrained(dataset)
        self._notes.warn(rest.sentences)
        self._notes.copies, self._notes.correlated = rest.copies, rest.correlated
        self._notes.identifiers = rest.identifiers
        self.copies_ = {one: group.feature for group in rest.copies for one in group.others}
        oracle = None
        if isinstance(measure, Dependency) and (proves or self._can_ask(measure)):
            oracle = oracle_of(measure, ~excluded)
        problem = Problem(
            n_features=dataset.n_features,
            n_cells=dataset.n_samples * dataset.n_features,
            full_score=nan,
            ranking=self.ranking,
            must_include=included,
            exclude=excluded,
            n_features_to_select=size_asked(
                self.n_features_to_select, int(np.count_nonzero(~excluded))
            ),
            min_dependency=float(self.min_dependency),
            oracle=oracle,
            is_monotone=measure.is_monotone,
            tolerance=measure.tolerance,
        )
        check_problem(problem)
        return problem

    def _can_ask(self, measure: Dependency) -> bool:
        """Whether the frogs can ask the measure why a subset falls short, without any proof.

        Requirements are about single columns and all samples, as a proof is. Of large tables, a
        sample is asked first instead.
        """
        is_whole = self.n_sampled_ == measure.n_samples and not is_large(measure)
        return is_whole and not self._groups and is_provable(measure)

    def _run(
        self,
        search: Search,
        objective: Objective,
        problem: Problem,
        callbacks: Sequence[Callback],
        dataset: Dataset,
    ) -> Outcome:
        progress = _Progress(INTERVALS.get(self.verbose, 0.0))
        checkpoint = None
        if self.checkpoint is not None:
            checkpoint = Checkpoint(self.checkpoint, self._fingerprint(dataset))
        outcome = run(
            search,
            objective,
            problem,
            seed=self.seed_,
            max_evaluations=self.max_evaluations,
            max_seconds=self.max_seconds,
            callbacks=[self._notes, *callbacks, progress],
            checkpoint=checkpoint,
        )
        if self.verbose:
            progress.end(outcome)
        return outcome

    def _fingerprint(self, dataset: Dataset) -> str:
        is_part = self.n_sampled_ < dataset.n_samples
        part = [f"sample {self.n_sampled_}"] if is_part else []
        words = (*MeasureSettings.of(self).words(), *part, *self._groups.words())
        return fingerprint(dataset, *words)

    def _all_columns(self, subset: Masks) -> Masks:
        return self._groups.expanded(subset)

    def _importance(self) -> NDArray[np.float64]:
        return self._groups.spread(super()._importance())

    def _core(
        self, objective: Objective, problem: Problem, outcome: Outcome, limit: Limit
    ) -> list[int] | None:
        """Return the core; None if there is none, no time for it, or after Ctrl-C."""
        if not problem.is_monotone:
            return None
        is_interrupted = outcome.stop_reason == "interrupted"
        try:
            with interruptible(), limited(limit.for_core(interrupted=is_interrupted)):
                return core_of_run(objective, problem, outcome)
        except TimeIsUp:
            return None
        except KeyboardInterrupt:
            if is_interrupted:
                raise  # the second Ctrl-C ends everything
            return None

    def _walked(self, outcome: Outcome, measure: SoftDependency, limit: Limit) -> Path | None:
        """Return the path of a greedy search, with accuracies if there is time for them."""
        is_interrupted = outcome.stop_reason == "interrupted"
        with limited(limit.for_core(interrupted=is_interrupted)):
            return Path.of(outcome.front, measure, self._groups.orders)

    def _sized(self, outcome: Outcome) -> Outcome:
        """Return the outcome with the size that the rule chooses, if it is a greedy path."""
        if self._path is None or self.n_features_to_select is not None:
            return outcome
        point = self._path.chosen_by(self.size_rule)
        return replace(
            outcome,
            subset=point.subset,
            score=point.score,
            reducts=(Reduct(point.subset, point.score, minimal=False),),
            feature_frequency=point.subset.astype(np.float64),
        )

    def _keep(
        self, outcome: Outcome, problem: Problem, dataset: Dataset, settings: MeasureSettings
    ) -> None:
        """Set the attributes that describe the outcome of a run."""
        self._tolerance = problem.tolerance
        names = self._groups.named(dataset.feature_names)
        self.reducts_ = reducts_of(outcome, problem, names)
        self.front_ = front_of(outcome, problem, names, self._path)
        self.feature_frequency_ = self._groups.spread(outcome.feature_frequency)
        self.history_: list[Moment] = list(outcome.history)
        self.n_evaluations_ = outcome.n_evaluations
        self._notes.n_resumed = outcome.n_replayed
        self.stop_reason_ = outcome.stop_reason
        used = self._all_columns(outcome.feature_frequency > 0)
        part = self.n_sampled_, self.seed_
        self._evidence = Evidence.of(dataset, used, settings, part)

    def _left_out(self, *, is_measured: bool) -> Iterator[str]:
        """Yield a warning about results that there was no time for."""
        if not is_measured:
            hint = () if self.max_seconds is None else (" Raise ", Setting("max_seconds"), ".")
            why = "There was no time to score all features together"
            if self.stop_reason_ == "interrupted":
                why = "The fit was interrupted before all features were scored together"
            estimate = f"; their dependency is an estimate from {self.n_sampled_:,} samples."
            yield Sentence(why + estimate, *hint)
        elif self.core_ is None and MeasureSettings.of(self).is_strict:
            yield "There was no time to determine the core."

    def set_params(self, **params: Any) -> "FuzzyRoughSelector":
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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "raise"
        return tags


def _size_of(dataset: Dataset) -> str:
    return f"{dataset.n_samples:,} samples on {dataset.n_features:,} features"


def _worse_neighbors(dataset: Dataset, subset: Any, allowed: Any) -> Iterator[str]:
    """Yield a warning if similar samples are less alike by the selected features than by all."""
    if np.array_equal(subset, allowed):
        return
    ours, others, error = soft_comparison(dataset, subset, allowed)
    if others - ours > error:
        what = "a similar target" if dataset.classes is None else "the same class"
        yield Sentence(
            f"Samples that are similar by the selected features have {what} less often than those "
            f"that are similar by all features (soft dependency {ours:.3f} against {others:.3f}): "
            "models may do worse with the selected ones. For prediction, use ",
            Setting("measure", "soft"), ".",
        )  # fmt: skip


class _Progress:
    """A callback that prints lines of progress on stderr, `interval` seconds apart at least."""

    def __init__(self, interval: float) -> None:
        self._interval = interval
        self._start = self._last = time.monotonic()

    def __call__(self, moment: Moment) -> None:
        """Print a line if the last one is old enough."""
        now = time.monotonic()
        if now - self._last >= self._interval:
            self._last = now
            _print(f"{_found(moment.size, moment.score)}; {self._spent(moment.n_evaluations)}")

    def end(self, outcome: Outcome) -> None:
        """Print how the run ended."""
        best = _found(int(outcome.subset.sum()), outcome.score)
        n_best = count(len(outcome.reducts), "such subset")
        _print(f"{outcome.stop_reason}: {best}, {n_best}; {self._spent(outcome.n_evaluations)}")

    def _spent(self, n_evaluations: int) -> str:
        seconds = time.monotonic() - self._start
        rate = n_evaluations / max(seconds, 1e-6)
        return f"{n_evaluations:,} evaluations in {seconds:.1f} s ({rate:,.0f} per second)"


def _found(size: int, dependency: float) -> str:
    return f"{count(size, 'feature')}, dependency {dependency:.6f}"


def _print(line: str) -> None:
    sys.stderr.write(f"fuzzyfrog: {line}\n")
    sys.stderr.flush()
