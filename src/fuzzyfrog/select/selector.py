"""Plain progress lines on stderr."""

import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import inf, nan
from typing import Any, Literal

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from fuzzyfrog.cluster import check_cluster, on_cluster
from fuzzyfrog.common.deadline import TimeIsUp, interruptible, limited
from fuzzyfrog.common.messages import counted, shown
from fuzzyfrog.common.resources import in_memory
from fuzzyfrog.data import Dataset
from fuzzyfrog.data.scaling import Missing, Spread
from fuzzyfrog.measure import Dependency
from fuzzyfrog.measure.dependency import TNorm
from fuzzyfrog.search import Callback, Checkpoint, Moment, Objective, Outcome, Problem, Search, run
from fuzzyfrog.search.constraints import check_problem
from fuzzyfrog.search.driver import check_budget
from fuzzyfrog.select.base import (
    KeepsConnectionMixin,
    ReductSelector,
    check_sample,
    front_of,
    reducts_of,
    sampled_measure,
)
from fuzzyfrog.select.certify import certificate_of, core_of_run, oracle_of, proving
from fuzzyfrog.select.column_warnings import suspects
from fuzzyfrog.select.explain import Evidence
from fuzzyfrog.select.limits import Limit, n_estimated, unsearched
from fuzzyfrog.select.parameters import (
    RandomState,
    check_certify,
    check_checkpoint,
    check_share,
    check_size,
    check_verbose,
    checked_callbacks,
    search_of,
    seed_of,
    wished_features,
)
from fuzzyfrog.select.record import FitNotes, ReportsMixin, fingerprint

__all__ = [
    "FuzzyRoughSelector",
    "Progress",
    "early_end",
]


class Progress:
    """A callback that says how a run is going.

    Parameters
    ----------
    interval : float
        Seconds between two lines at least.
    """

    def __init__(self, interval: float) -> None:
        self._interval = interval
        self._start = self._last = time.monotonic()

    def __call__(self, moment: Moment) -> None:
        """Write a line if the last one is old enough."""
        now = time.monotonic()
        if now - self._last >= self._interval:
            self._last = now
            _write(f"{_found(moment.size, moment.score)}; {self._spent(moment.n_evaluations)}")

    def end(self, outcome: Outcome) -> None:
        """Write how the run ended."""
        best = _found(int(outcome.subset.sum()), outcome.score)
        n_best = counted(len(outcome.reducts), "such subset")
        _write(f"{outcome.stop_reason}: {best}, {n_best}; {self._spent(outcome.n_evaluations)}")

    def _spent(self, n_evaluations: int) -> str:
        seconds = time.monotonic() - self._start
        rate = n_evaluations / max(seconds, 1e-6)
        return f"{n_evaluations:,} evaluations in {seconds:.1f} s ({rate:,.0f} per second)"


def _found(size: int, dependency: float) -> str:
    return f"{counted(size, 'feature')}, dependency {dependency:.6f}"


def _write(line: str) -> None:
    sys.stderr.write(f"fuzzyfrog: {line}\n")
    sys.stderr.flush()


def early_end(outcome: Outcome, problem: Problem) -> Iterator[str]:
    """Yield a warning if a search was interrupted, or stopped short of what was asked for."""
    if outcome.n_evaluations == 0 and outcome.stop_reason in {"max_seconds", "interrupted"}:
        is_sized = problem.n_features_to_select is not None
        which = "the first of the features" if is_sized else "all features"
        yield (
            f"The search stopped ({outcome.stop_reason}) before any subset was scored; {which} "
            "that may be selected are."
        )
        return
    size = counted(int(outcome.subset.sum()), "feature")
    score = problem.told(outcome.score)
    at = f"at a dependency of {score:.6g} with {size}"
    if outcome.stop_reason == "interrupted":
        yield f"The search was interrupted {at}; the best subset so far is selected."
    if outcome.stop_reason == "memory":
        yield (
            f"The search ran out of memory {at}; the best subset so far is selected. Give it more "
            "memory, or fewer samples with sample=3000, to search on."
        )
    is_asked_for = problem.ranking == "lexicographic" and problem.n_features_to_select is None
    is_cut_short = outcome.stop_reason in {"max_evaluations", "max_seconds"}
    if is_asked_for and is_cut_short and outcome.score < problem.target:
        yield (
            f"The search stopped ({outcome.stop_reason}) {at}, before it reached the "
            f"{problem.asked:.6g} that min_dependency asks for. Raise its budget."
        )
    is_second_wish = problem.n_features_to_select is not None and problem.min_dependency < 1
    if is_second_wish and outcome.score < problem.target:
        yield (
            f"The best subset met of {size} has a dependency of {score:.6g}, not the "
            f"{problem.asked:.6g} that min_dependency asks for. Raise n_features_to_select, or "
            "leave one of the two out."
        )


SMALLER_TABLE = (
    "Leave out columns (--ignore) or samples, or set FUZZYFROG_SPILL_ABOVE to fewer bytes: larger "
    "arrays are kept on disk."
)
LESS_AT_ONCE = (
    "Measure a part of the samples (sample=, --sample), use fewer threads (n_jobs=1, --jobs 1), "
    "leave out columns (--ignore), or score on a cluster (cluster=, --cluster)."
)
INTERVALS = {0: inf, 1: 1.0}  # seconds between two lines of progress, by verbose; else none


class FuzzyRoughSelector(ReportsMixin, KeepsConnectionMixin, ReductSelector):
    """Select the fewest features that tell the classes apart as well as all of them do.

    How well features do that is their fuzzy-rough dependency: the mean, over the samples, of the
    distance to the nearest sample of another class, cut at 1.

    Parameters
    ----------
    search : {"frogs", "genetic", "swarm", "quickreduct", "exact", "front"} or instance
        What looks for subsets; "frogs" by default. "exact" proves what it finds, "front" does so
        for every size. An instance, such as ``ShuffledFrogs(patience=3)``, is a nested
        estimator: its parameters are ``search__patience`` and so on.
    tnorm : {"lukasiewicz", "minimum", "product"}, default="lukasiewicz"
        How similarities on single features are joined.
    spread : {"std", "variance", "range"}, default="std"
        What the difference of two values is compared with.
    categorical_features : "from_dtype", None, list of names or indices, or mask
        Features of which only equality counts.
    missing : {"similar", "different", "raise"}, default="similar"
        A missing value is similar to every value, different from every value, or an error.
    target : {"auto", "class", "numeric"}, default="auto"
        How `y` is read; "auto" takes numbers with a fractional part as numeric.
    ranking : {"lexicographic", "product"}, default="lexicographic"
        Which subset is better: the one with the higher dependency, then the smaller one; or the
        one with the larger dependency · (1 - size / number of features).
    min_dependency : float, default=1.0
        Share of the full dependency that must be kept. A search that is stopped before it gets
        there warns. With ``ranking="product"`` more is not looked for, but less may win.
    n_features_to_select : int or None, default=None
        The exact number of features to select; None for as few as possible.
    must_include, exclude : list of names or indices, mask, or None, default=None
        Features that are selected in any case, and features that never are.
    certify : bool, default=False
        Whether to prove, after the search and within its budget, that no subset is better, and to
        list all that are as good; what is better is used. With ``search="exact"`` always.
    sample : int or None, default=None
        Number of random samples that subsets are measured on, for very many samples; their
        enemies are looked for among all. None, or as many as there are, for all of them. All
        dependencies are then estimates, and nothing can be certified.
    max_seconds, max_evaluations : float or None, int or None, default=None
        When to stop with the best subset so far. `max_seconds` covers everything after the data
        is read; the core and the explanations of the record have a tenth of it, plus 3 seconds,
        and are left out if they do not fit. `max_evaluations` counts what the search scores.
    checkpoint : path or None, default=None
        File that the scores are kept in. A fit that was killed goes on from it, bit for bit,
        when it is called again with the same data and parameters; needs a `random_state`. For
        single fits: the folds of a cross-validation have different data and need files apart.
    callbacks : sequence of callables, default=()
        Each is called after every batch with a :class:`~fuzzyfrog.search.Moment`; a true answer
        stops the search.
    n_jobs : int or None, default=None
        Number of threads; None for all usable CPUs (not 1, as elsewhere in scikit-learn), but 1
        inside a worker of joblib or Dask. The results do not depend on it.
    cluster : distributed.Client, str or None, default=None
        Where subsets are scored: a client of a Dask cluster, which is left open, the address
        of its scheduler, or None for this machine. The results do not depend on it.
    random_state : None, int, RandomState or Generator, default=None
        Where the seed comes from; an integer gives the same result every time.
    verbose : int, default=0
        0 for silence, 1 for at most one line a second on stderr, 2 for a line after every batch.

    Attributes
    ----------
    support_ : bool[n_features]
        The selected features; never empty.
    n_features_ : int
        How many they are.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : object[n_features]
        Their names, if `X` had some.
    ranking_ : int64[n_features]
        1 for the selected features; the others follow from 2 on, those first that occur in more
        of the reducts. Equally frequent ones share a rank.
    dependency_ : float
        Dependency of the selected features.
    full_dependency_ : float
        Dependency of all features but the excluded ones.
    dependency_interval_ : tuple of float
        The lowest and the highest value that the dependency of the selected features has on all
        samples, with a confidence of 95 %; equal unless `sample` is given. It comes from other
        samples than the search saw, so ``dependency_`` may lie outside.
    n_sampled_ : int
        Samples that subsets were measured on.
    reducts_ : list of Reduct
        All distinct subsets met that are as good as the best one. The first, which is selected,
        is the one whose features are the most frequent in all of them.
    core_ : list of int or None
        Features that nothing can replace: all other features that are not excluded do not reach
        the required dependency together. Every reduct that reaches it has them. None if there
        was no time to find them, within `max_seconds` or after Ctrl-C.
    feature_frequency_ : float64[n_features]
        Share of the reducts that have a feature.
    front_ : list of FrontPoint
        The best subset met of each size, from the smallest size to the first with the highest
        dependency met; more features gain nothing. Of several the selected one, if it is as good.
    certificate_ : Certificate or None
        What was proved, in numbers and as a sentence that can be printed; None unless asked for,
        and if `max_seconds` did not suffice to measure all features.
    history_ : list of Moment
        Where the search stood after each batch.
    n_evaluations_ : int
        Subsets that the search scored.
    stop_reason_ : str
        Why the search ended: "converged", "max_evaluations", "max_seconds", "callback",
        "interrupted" or "memory"; after Ctrl-C, and where memory ran out, the best subset so far
        is selected.
    seed_ : int
        The seed of this fit.

    Notes
    -----
    A fitted selector keeps a copy of those columns of the training data that occur in a reduct,
    and the target, for :meth:`explain`. They are pickled with it.

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
    """

    def __init__(
        self,
        search: str | Search = "frogs",
        *,
        tnorm: TNorm = "lukasiewicz",
        spread: Spread = "std",
        categorical_features: object = "from_dtype",
        missing: Missing = "similar",
        target: Literal["auto", "class", "numeric"] = "auto",
        ranking: Literal["lexicographic", "product"] = "lexicographic",
        min_dependency: float = 1.0,
        n_features_to_select: int | None = None,
        must_include: object = None,
        exclude: object = None,
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
        self.tnorm = tnorm
        self.spread = spread
        self.categorical_features = categorical_features
        self.missing = missing
        self.target = target
        self.ranking = ranking
        self.min_dependency = min_dependency
        self.n_features_to_select = n_features_to_select
        self.must_include = must_include
        self.exclude = exclude
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
        X : array-like or frame of shape (n_samples, n_features), or Dataset
            Numbers or labels; missing values are allowed. pandas, polars or Arrow.
        y : array-like of shape (n_samples,)
            The class of each sample, or a number; left out for a Dataset, which has its own.

        Returns
        -------
        FuzzyRoughSelector
            The fitted selector.

        Raises
        ------
        DataError
            If the data cannot be used; a ValueError, like those for bad parameters.
        """
        check_certify(self.certify)
        search, proves = proving(search_of(self.search), bool(self.certify))
        callbacks = checked_callbacks(self.callbacks)
        check_share("min_dependency", self.min_dependency)
        check_checkpoint(self.checkpoint, self.random_state)
        check_verbose(self.verbose)
        check_cluster(self.cluster)
        check_sample(self.sample, proves=proves, elsewhere=self.cluster is not None)
        check_budget(self.max_evaluations, self.max_seconds)
        check_size(self.n_features_to_select)
        dataset = self._read(X, y)
        limit = Limit(self.max_seconds)
        measure = self._measure(dataset)
        self._notes = FitNotes(measure.dataset)
        self.seed_ = seed_of(self.random_state)
        here = sampled_measure(measure, self.sample, self.seed_)
        self.n_sampled_ = here.n_sampled
        problem = self._problem(measure, proves)
        search.propose(problem, self.seed_).close()  # refuses bad parameters of its own
        allowed = ~np.asarray(problem.exclude)
        self._notes.warn(suspects(measure.dataset, allowed))
        self._notes.excluded = tuple(np.flatnonzero(~allowed).tolist())
        is_measured = True
        try:
            with (
                limited(limit.for_search()),
                on_cluster(measure, self.cluster, self._fingerprint) as anywhere,
                in_memory(f"a batch of subsets of {_size_of(measure.dataset)}", LESS_AT_ONCE),
            ):
                objective = anywhere if here is measure else here
                full_score = float(here.score(allowed[np.newaxis])[0])
                problem = replace(problem, full_score=full_score)
                outcome = self._run(search, objective, problem, callbacks, measure.dataset)
                self.core_ = self._core(objective, problem, outcome, limit)
        except TimeIsUp:
            n_part = n_estimated(measure.n_samples, self.sample)
            here = sampled_measure(measure, n_part, self.seed_)
            self.n_sampled_, self.core_ = here.n_sampled, None
            is_measured = here.n_sampled == measure.n_samples
            outcome, full_score = unsearched(here, problem)
            problem = replace(problem, full_score=full_score)
        self._keep(outcome, problem, measure.dataset)
        self.full_dependency_ = problem.full_score
        self.certificate_ = certificate_of(outcome, problem) if proves and is_measured else None
        self._notes.warn(early_end(outcome, problem), ConvergenceWarning)
        self._notes.warn(self._left_out(is_measured=is_measured))
        with limited(limit.for_core(interrupted=outcome.stop_reason == "interrupted")):
            self.select_reduct(0)
        self._notes.end(limit.for_explaining())
        return self

    def _core(
        self, objective: Objective, problem: Problem, outcome: Outcome, limit: Limit
    ) -> list[int] | None:
        """Return the core; None if there is no time for it, or if Ctrl-C is pressed."""
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

    def _left_out(self, *, is_measured: bool) -> Iterator[str]:
        """Yield what there was no time for."""
        if not is_measured:
            yield (
                "There was no time to measure the dependency of all features; what is told of it "
                f"is an estimate from {self.n_sampled_:,} samples. Raise max_seconds."
            )
        elif self.core_ is None:
            yield "There was no time to determine the core."

    def _measure(self, dataset: Dataset) -> Dependency:
        with in_memory(f"the positions of {_size_of(dataset)}", SMALLER_TABLE):
            return Dependency(
                dataset,
                tnorm=self.tnorm,
                spread=self.spread,
                missing=self.missing,
                n_jobs=self.n_jobs,
            )

    def _problem(self, measure: Dependency, proves: bool) -> Problem:
        """Return what is asked, checked before anything is sent or measured; no full score yet."""
        dataset = measure.dataset
        included, excluded = wished_features(self.must_include, self.exclude, dataset)
        problem = Problem(
            n_features=dataset.n_features,
            n_cells=dataset.n_samples * dataset.n_features,
            full_score=nan,
            ranking=self.ranking,
            must_include=included,
            exclude=excluded,
            n_features_to_select=self.n_features_to_select,
            min_dependency=float(self.min_dependency),
            oracle=oracle_of(measure, ~excluded) if proves else None,
            tolerance=measure.tolerance,
        )
        check_problem(problem)
        return problem

    def _fingerprint(self, dataset: Dataset) -> str:
        is_part = self.n_sampled_ < dataset.n_samples
        part = [f"sample {self.n_sampled_}"] if is_part else []
        return fingerprint(dataset, self.tnorm, self.spread, self.missing, *part)

    def _run(
        self,
        search: Search,
        objective: Objective,
        problem: Problem,
        callbacks: Sequence[Callback],
        dataset: Dataset,
    ) -> Outcome:
        progress = Progress(INTERVALS.get(self.verbose, 0.0))
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

    def set_params(self, **params: Any) -> "FuzzyRoughSelector":
        """Set parameters, those of the search as ``search__name``.

        Parameters
        ----------
        **params : dict
            Names and values.

        Returns
        -------
        FuzzyRoughSelector
            The selector itself.
        """
        nested = [name for name in params if name.startswith("search__")]
        if nested and isinstance(params.get("search", self.search), str):
            raise ValueError(
                f"search must be an instance to set {nested[0]}, got {shown(self.search)}. "
                "Start from FuzzyRoughSelector(ShuffledFrogs()), for example."
            )
        super().set_params(**params)
        return self

    def _keep(self, outcome: Outcome, problem: Problem, dataset: Dataset) -> None:
        """Take over what a run found."""
        self._tolerance = problem.tolerance
        self.reducts_ = reducts_of(outcome, problem, dataset.feature_names)
        self.front_ = front_of(outcome, problem, dataset.feature_names)
        self.feature_frequency_ = outcome.feature_frequency
        self.history_: list[Moment] = list(outcome.history)
        self.n_evaluations_ = outcome.n_evaluations
        self._notes.n_resumed = outcome.n_replayed
        self.stop_reason_ = outcome.stop_reason
        used = outcome.feature_frequency > 0
        self._evidence = Evidence.of(dataset, used, self.tnorm, self.spread, self.missing)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "raise"
        return tags


def _size_of(dataset: Dataset) -> str:
    return f"{dataset.n_samples:,} samples on {dataset.n_features:,} features"
