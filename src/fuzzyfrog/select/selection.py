"""A selection from start to end: parameters in, features and what is known about them out.

It does not import scikit-learn, which takes longer than many selections; `selector` makes an
estimator of it.
"""

import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from math import inf, nan
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog import records
from fuzzyfrog.common.deadline import (
    Interrupted,
    Limit,
    Preparation,
    TimeIsUp,
    ending_at_ctrl_c,
    interruptible,
    limited,
)
from fuzzyfrog.common.messages import Sentence, Setting, count
from fuzzyfrog.common.params import Parametrized, check_budget, check_share
from fuzzyfrog.common.resources import in_memory
from fuzzyfrog.common.tnorms import TNorm
from fuzzyfrog.data import Dataset, make_dataset
from fuzzyfrog.data.scaling import Missing, Spread
from fuzzyfrog.errors import ParameterError, PredictionWarning
from fuzzyfrog.measure import Dependency, SoftDependency
from fuzzyfrog.measure.row_sample import RowSample
from fuzzyfrog.records import FrontPoint
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
    CONFIDENCE,
    Evidence,
    Masks,
    core_of_run,
    early_end,
    front_of,
    front_through,
    n_estimated,
    on_sample_first,
    ranks_behind,
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
    interval_of,
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
from fuzzyfrog.select.record import FitNotes, fingerprint

INTERVALS = {0: inf, 1: 1.0}  # seconds between two lines of progress, by verbose; else none
SMALLER_TABLE = (
    "Leave out columns (--ignore) or samples, or set FUZZYFROG_SPILL_ABOVE to fewer bytes: larger "
    "arrays are kept on disk."
)
LESS_AT_ONCE = (
    "Score subsets on a part of the samples (sample=, --sample), use fewer threads (n_jobs=1, "
    "--jobs 1), leave out columns (--ignore), or use a cluster (cluster=, --cluster)."
)


class Selection(Parametrized):
    """Select features of a `Dataset`.

    `FuzzyRoughSelector` does the same for tables of any kind, and documents parameters and results.
    """

    support_: Masks
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    front_: list[FrontPoint]

    _end_warning: type[Warning] = UserWarning  # of a search that was cut short
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

    def fit(self, X: object, y: object = None) -> Self:
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
        self._notes.warn(early_end(outcome, problem), self._end_warning)
        self._notes.warn(self._left_out(is_measured=is_measured))
        with limited(limit.for_core(interrupted=outcome.stop_reason == "interrupted")):
            self._choose(0)
        if settings.is_strict:
            worse = _worse_neighbors(measure.dataset, self.support_, allowed)
            self._notes.warn(worse, PredictionWarning)
        self._notes.end(limit.for_explaining())
        return self

    def get_support(self) -> Masks:
        """Return which features are selected."""
        return self.support_

    def get_feature_names_out(self) -> NDArray[np.object_]:
        """Return the names of the selected features."""
        return self.feature_names_in_[self.support_]

    def _read(self, X: object, y: object) -> Dataset:
        """Return the table, and set the number of features and their names."""
        if not isinstance(X, Dataset):
            raise ParameterError("X", "be a Dataset", type(X).__name__)
        dataset = make_dataset(
            X, y, categorical_features=self.categorical_features, target=self.target
        )
        self.n_features_in_ = dataset.n_features
        self.feature_names_in_ = np.asarray(dataset.feature_names, dtype=object)
        return dataset

    def _choose(self, i: int) -> None:
        """Select a reduct."""
        reduct = self.reducts_[i]
        subset = np.zeros(self.n_features_in_, np.bool_)
        subset[list(reduct.features)] = True
        self.support_ = self._all_columns(subset)
        self.n_features_ = reduct.size
        self.dependency_ = reduct.dependency
        self.dependency_interval_ = self._interval(reduct)
        self.ranking_ = ranks_behind(self.support_, self._importance())
        self.front_ = front_through(self.front_, reduct, self._tolerance)

    def _interval(self, reduct: records.Reduct) -> tuple[float, float]:
        """Return the interval for the dependency of a reduct on all samples.

        The samples that the search saw chose the features and so flatter them; the interval
        comes from other samples.
        """
        n_samples = self._evidence.dataset.n_samples
        if self.n_sampled_ == n_samples:
            return reduct.dependency, reduct.dependency
        subset = self.support_[self._evidence.features]
        try:
            measure = self._evidence.measure(self.n_jobs)
            part = sampled(measure, self.n_sampled_, self.seed_)
            return interval_of(part, subset, CONFIDENCE)
        except (TimeIsUp, MemoryError):  # nothing is known about the other samples
            share = self.n_sampled_ / n_samples
            return share * reduct.dependency, share * reduct.dependency + 1.0 - share

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
        """Return the columns that a subset of the features stands for."""
        return self._groups.expanded(subset)

    def _importance(self) -> NDArray[np.float64]:
        """Return how close each feature came to be selected."""
        if self._path is None:
            return self._groups.spread(self.feature_frequency_)
        places = np.full(self.n_features_in_, -np.inf)
        places[self._path.features] = -np.arange(len(self._path.features), dtype=np.float64)
        return self._groups.spread(places)

    def _core(
        self, objective: Objective, problem: Problem, outcome: Outcome, limit: Limit
    ) -> list[int] | None:
        """Return the core; None if there is none, no time or memory for it, or after Ctrl-C."""
        if not problem.is_monotone:
            return None
        is_interrupted = outcome.stop_reason == "interrupted"
        try:
            with interruptible(), limited(limit.for_core(interrupted=is_interrupted)):
                return core_of_run(objective, problem, outcome)
        except TimeIsUp:
            return None
        except MemoryError:
            self._notes.lack = "too little memory"
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
        """Yield a warning about results that there was no time or memory for."""
        if not is_measured:
            hint = () if self.max_seconds is None else (" Raise ", Setting("max_seconds"), ".")
            why = "There was no time to score all features together"
            if self.stop_reason_ == "interrupted":
                why = "The fit was interrupted before all features were scored together"
            estimate = f"; their dependency is an estimate from {self.n_sampled_:,} samples."
            yield Sentence(why + estimate, *hint)
        elif self.core_ is None and MeasureSettings.of(self).is_strict:
            yield f"There was {self._notes.lack} to determine the core."


def _size_of(dataset: Dataset) -> str:
    return f"{dataset.n_samples:,} samples on {count(dataset.n_features, 'feature')}"


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
