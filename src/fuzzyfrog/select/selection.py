"""A selection from start to end: a table and settings in, a result out.

It does not import scikit-learn, which takes longer than many selections; `estimators` builds on it.
"""

import hashlib
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import replace
from math import nan
from typing import Any

import msgspec
import numpy as np

from fuzzyfrog.common.arrays import Masks
from fuzzyfrog.common.deadline import Limit, TimeIsUp, limited, stop_if_late, stoppable
from fuzzyfrog.common.messages import Sentence, Setting, count, warn
from fuzzyfrog.common.resources import in_memory
from fuzzyfrog.data import Dataset
from fuzzyfrog.data.scaling import column_blocks
from fuzzyfrog.data.weights import without_weightless
from fuzzyfrog.result import FeatureSummary, Leak, Result, Sampling, TableSummary
from fuzzyfrog.search import (
    Callback,
    Checkpoint,
    ExactFront,
    Moment,
    Objective,
    Outcome,
    Problem,
    run,
)
from fuzzyfrog.search.protocol import check_problem
from fuzzyfrog.search.sample_first import SampleFirst
from fuzzyfrog.select.groups import Costs, Groups
from fuzzyfrog.select.kind import Sized
from fuzzyfrog.select.leaks import leak_sentences, suspected_leaks
from fuzzyfrog.select.left_out import LeftOut, left_out, odd_values
from fuzzyfrog.select.losses import Kept, Surviving, check_survivable, surviving_oracle, with_kept
from fuzzyfrog.select.outcome import (
    CONFIDENCE,
    alike_of,
    certificate_of,
    core_of_run,
    early_end,
    front_of,
    front_through,
    history_of,
    n_estimated,
    on_sample_first,
    reducts_of,
    target_summary,
    unsearched,
    versions,
)
from fuzzyfrog.select.row_groups import noted_selected
from fuzzyfrog.select.settings import (
    Settings,
    asked_features,
    check_apart,
    named_features,
    seed_of,
)

SMALLER_TABLE = (
    "Leave out columns (--ignore) or samples, or set FUZZYFROG_SPILL_ABOVE to fewer bytes: larger "
    "arrays are kept on disk."
)
LESS_AT_ONCE = (
    "Score subsets on a part of the samples (sample=, --sample), use fewer threads (n_jobs=1, "
    "--jobs 1), leave out columns (--ignore), or use a cluster (cluster=, --cluster)."
)


def select(
    dataset: Dataset,
    settings: Settings,
    watch: Sequence[Callback] = (),
    end_warning: type[Warning] | None = UserWarning,
) -> Result:
    """Select features of a table.

    Parameters
    ----------
    dataset : Dataset
        The table.
    settings : Settings
        What to select, by which measure and search.
    watch : sequence of callables
        Each is called with a `Moment` after every batch of subsets; one that returns True stops
        the search.
    end_warning : type of warning, or None
        What to warn with if the search was cut short; None if nothing is to be said, so that all
        warnings are only in the notes of the result.

    Returns
    -------
    Result
        The features and all that is known about them but explanations, which `explained` adds.

    Raises
    ------
    DataError
        If the data cannot be used.
    ParameterError
        If a setting does not suit the table. Both are a ValueError.
    """
    return select_with_measure(dataset, settings, watch, end_warning)[0]


def select_with_measure(
    dataset: Dataset,
    settings: Settings,
    watch: Sequence[Callback] = (),
    end_warning: type[Warning] | None = UserWarning,
) -> tuple[Result, Any]:
    """Return what `select` does and the measure of the table, for those who need it again."""
    with stoppable():
        return _Fit(settings, watch, end_warning).result(dataset)


class _Fit:
    """The state of a running selection; as a callback of the search, it takes the times."""

    def __init__(
        self, settings: Settings, watch: Sequence[Callback], end_warning: type[Warning] | None
    ) -> None:
        self._settings, self._kind = settings, settings.kind
        self._watch, self._end_warning = watch, end_warning
        self._start = time.monotonic()
        self._times: list[float] = []
        self._notes: list[str] = []
        self._leaks: tuple[Leak, ...] = ()
        self._lack = "no time"  # why there is no core, if there is none

    def __call__(self, moment: Moment) -> None:
        """Take the time of a batch."""
        self._times.append(time.monotonic() - self._start)

    def _warn(self, sentences: Iterable[str], kind: type[Warning] | None = None) -> None:
        """Warn the caller, unless nothing is to be said, and keep the warnings for the result."""
        for sentence in sentences:
            self._notes.append(sentence)
            if self._end_warning is not None:
                warn(sentence, kind or UserWarning)

    def result(self, dataset: Dataset) -> tuple[Result, Any]:
        """Return the result and the measure of the table."""
        settings, kind, search = self._settings, self._kind, self._settings.strategy
        dataset = without_weightless(dataset)
        limit = Limit(settings.max_seconds)
        with in_memory(f"the positions of {_size_of(dataset)}", SMALLER_TABLE):
            measure = kind.measured(dataset, settings.n_jobs)
        self._dataset = dataset = measure.dataset
        self._start = time.monotonic()
        self._notes += [*dataset.notes, *kind.notes(measure)]
        self._groups = groups = Groups.of(settings.feature_groups, dataset)
        self._notes += groups.sentences(dataset.feature_names)
        costs = Costs.of(settings.costs, dataset, groups)
        if settings.rule is None and settings.size_rule != "auto":
            sized = Setting("n_features_to_select", settings.n_features_to_select)
            self._notes.append(Sentence(Setting("size_rule"), " is not used: ", sized, "."))
        self._seed = seed_of(settings.random_state)
        here = measure.on_rows(settings.sample, self._seed)
        problem, rest = self._problem(measure, here, costs)
        search.propose(problem, self._seed).close()  # checks the parameters of the search
        allowed = groups.expanded(~np.asarray(problem.exclude))
        names = groups.named(dataset.feature_names)
        offered = {names[one] for one in np.flatnonzero(~np.asarray(problem.exclude))}
        self._warn(costs.sentences(offered) if costs is not None else ())
        is_measured, core, kept = True, None, None
        full_dependency, batch = nan, f"a batch of subsets of {_size_of(dataset)}"
        with ExitStack() as cluster:
            try:
                with limited(limit.for_search), in_memory(batch, LESS_AT_ONCE):
                    objective = placed = cluster.enter_context(self._placed(here))
                    measures = measure, here, placed
                    search, problem = self._begun(search, problem, measures, allowed, rest)
                    if settings.max_lost is not None:
                        objective = kept = Kept(measure, allowed)
                        full_dependency = problem.full_score
                        problem = with_kept(problem, settings.max_lost, dataset.n_samples)
                    grouped = groups.measured(objective)
                    if settings.survives:
                        copies = rest.copies_of(dataset.feature_names)
                        check_survivable(grouped, problem, settings.survives, names, copies)
                        grouped = Surviving(grouped, settings.survives)
                    outcome = self._run(search, grouped, problem, here)
                    core = self._core(grouped, problem, outcome, limit)
            except TimeIsUp:
                n_rows = n_estimated(measure.n_samples, settings.sample)
                placed = here = measure.on_rows(n_rows, self._seed)
                core, is_measured = None, here.n_sampled == measure.n_samples
                reason = limit.for_search.reason
                outcome, full_score = unsearched(groups.measured(here), problem, reason)
                problem = replace(problem, full_score=full_score)
                kept = None
            ending = Sized(outcome)
            if settings.is_path:
                fixed = np.asarray(problem.must_include)
                with limited(limit.for_core()):
                    ending = kind.sized(outcome, placed, groups.orders, fixed, settings.rule)
                outcome = ending.outcome
        certificate = None
        is_known = not settings.survives or outcome.n_evaluations > 0  # else no loss was tried
        if settings.proves and is_measured and is_known:
            certificate = certificate_of(
                outcome, problem, costs, settings.survives, settings.max_lost
            )
        self._notes += on_sample_first(outcome, measure.n_samples)
        if kept is None:
            self._warn(early_end(outcome, problem), self._end_warning)
        elif outcome.stop_reason != "converged":
            stopped = f"The search stopped ({outcome.stop_reason}) with the best subset so far."
            self._warn([stopped], self._end_warning)
        self._warn(self._missing(outcome, problem, here, core, is_measured=is_measured))
        reducts = reducts_of(outcome, problem, names, costs)
        front = front_of(
            outcome, problem, names, ending.accuracies, costs,
            proves=isinstance(settings.strategy, ExactFront),
        )  # fmt: skip
        if kept is not None:
            reducts, front = kept.named(reducts, groups), kept.named(front, groups)
            problem = replace(problem, full_score=full_dependency, tolerance=measure.tolerance)
        found = {
            "reducts": reducts,
            "n_reducts": len(reducts),
            "core": core,
            "feature_frequency": tuple(groups.spread(outcome.feature_frequency).tolist()),
        }
        selected = reducts[0]
        support = groups.mask(selected.features)
        if settings.screens:
            asked = groups.expanded(np.asarray(problem.must_include))
            self._warn(noted_selected(dataset, support & ~asked))
        sampling = None
        if here.n_sampled < dataset.n_samples:
            with limited(limit.for_core()):
                sampling = sampling_of(here, support, selected.dependency)
        seconds = time.monotonic() - self._start
        whole = Result(
            table=_summary_of(dataset, costs),
            settings=settings.parameters(named_features(dataset, settings, groups)),
            seed=self._seed,
            versions=versions(),
            command=None,
            seconds=seconds,
            full_dependency=problem.full_score,
            dependency=selected.dependency,
            selected=selected.features,
            answer=kind.answer(found, measure, certificate),
            front=front_through(front, selected, problem.tolerance),
            history=() if kept is not None else history_of(outcome.history, self._times, costs),
            n_evaluations=outcome.n_evaluations,
            n_resumed=outcome.n_replayed,
            stop_reason=outcome.stop_reason,
            sampling=sampling,
            notes=tuple(self._notes),
            excluded=tuple(np.flatnonzero(~allowed).tolist()),
            identifiers=rest.identifiers,
            suspected_leaks=self._leaks,
            copies=rest.copies,
            correlated=rest.correlated,
            substitutes=alike_of(ending.substitutes),
        )  # fmt: skip
        return whole, measure

    def _problem(self, measure: Any, here: Any, costs: Costs | None) -> tuple[Problem, LeftOut]:
        """Return the checked problem, still without the full score, and what is left out."""
        settings, dataset = self._settings, measure.dataset
        included, excluded, rest = constraints_of(dataset, settings, self._groups)
        self._warn(rest.sentences)
        oracle = None
        if settings.proves or (here is measure and not self._groups):
            allowed = self._groups.expanded(~excluded)
            proves, max_lost = settings.proves, settings.max_lost
            oracle = self._kind.oracle(measure, allowed, max_lost, proves=proves)
            oracle = self._groups.oracle(oracle)
            if oracle is not None and settings.survives:
                oracle = surviving_oracle(oracle, settings.survives)
        problem = Problem(
            n_features=dataset.n_features,
            n_cells=dataset.n_samples * dataset.n_features,
            full_score=nan,
            ranking=settings.ranking,
            must_include=included,
            exclude=excluded,
            n_features_to_select=settings.size_of(int(np.count_nonzero(~excluded))),
            min_dependency=float(settings.min_dependency),
            costs=None if costs is None else costs.units,
            oracle=oracle,
            is_monotone=measure.is_monotone,
            tolerance=measure.tolerance,
        )
        check_problem(problem)
        return problem, rest

    def _begun(
        self,
        search: Any,
        problem: Problem,
        measures: tuple[Any, Any, Any],
        allowed: Masks,
        rest: LeftOut,
    ) -> tuple[Any, Problem]:
        """Return the search and the problem with the score of all features that are allowed."""
        dataset = measures[0].dataset
        if self._settings.screens:
            open_to = ~np.asarray(problem.must_include)
            free, alike = allowed & open_to & ~self._groups.grouped, rest.copies + rest.correlated
            leaks = suspected_leaks(dataset, free, alike, self._settings.n_jobs)
            self._leaks = tuple(leak for leak in leaks if open_to[list(leak.features)].all())
            self._warn(leak_sentences(self._leaks, dataset.feature_names))
            self._warn(odd_values(dataset, allowed & open_to))
        rows = None
        # Else the caller decides, or samples are counted that lose, which a part says nothing of.
        if self._settings.sample is None and self._settings.max_lost is None:
            rows = self._kind.sample_first(search, problem, measures[0], allowed, self._seed)
        if rows is None:
            full_score = float(measures[2].score(allowed[np.newaxis])[0])
            problem = replace(problem, full_score=full_score)
        else:
            on_sample = self._groups.on_sample(rows.on)
            problem = replace(problem, full_score=rows.full_score, on_sample=on_sample)
            search = SampleFirst(search)
        self._warn(self._kind.data_doubts(measures[:2], allowed, problem.full_score))
        return search, problem

    def _placed(self, measure: Any) -> AbstractContextManager[Objective]:
        """Return the context of the measure, on the cluster if there is one."""
        stop_if_late()  # until here there was no answer, so nothing was cut short
        if self._settings.cluster is None:
            return nullcontext(measure)
        from fuzzyfrog.cluster import on_cluster

        return on_cluster(measure, self._settings.cluster)

    def _run(self, search: Any, objective: Objective, problem: Problem, here: Any) -> Outcome:
        settings = self._settings
        checkpoint = None
        if settings.checkpoint is not None:
            checkpoint = Checkpoint(settings.checkpoint, self._fingerprint(here))
        return run(
            search,
            objective,
            problem,
            seed=self._seed,
            max_evaluations=settings.max_evaluations,
            max_seconds=settings.max_seconds,
            callbacks=[self, *self._watch],
            checkpoint=checkpoint,
        )

    def _fingerprint(self, here: Any) -> str:
        is_part = here.n_sampled < here.n_samples
        part = [f"sample {here.n_sampled}"] if is_part else []
        part += [f"survives {self._settings.survives}"] if self._settings.survives else []
        part += ["samples set aside"] if self._settings.max_lost is not None else []
        return fingerprint(self._dataset, *self._kind.identity(), *part, *self._groups.words())

    def _core(
        self, objective: Objective, problem: Problem, outcome: Outcome, limit: Limit
    ) -> tuple[int, ...] | None:
        """Return the core; None if there is none, no time or memory for it, or after Ctrl-C."""
        if not problem.is_monotone or self._settings.max_lost is not None:
            return None
        try:
            with limited(limit.for_core()):
                return tuple(core_of_run(objective, problem, outcome))
        except TimeIsUp:
            return None
        except MemoryError:
            self._lack = "too little memory"
            return None

    def _missing(
        self, outcome: Outcome, problem: Problem, here: Any, core: Any, *, is_measured: bool
    ) -> Iterator[str]:
        """Yield a warning about results that there was no time or memory for."""
        if not is_measured:
            is_limited = self._settings.max_seconds is not None
            hint = (" Raise ", Setting("max_seconds"), ".") if is_limited else ()
            why = "There was no time to score all features together"
            if outcome.stop_reason == "interrupted":
                why = "The fit was interrupted before all features were scored together"
            estimate = f"; their dependency is an estimate from {here.n_sampled:,} samples."
            yield Sentence(why + estimate, *hint)
        elif core is None and problem.is_monotone and self._settings.max_lost is None:
            yield f"There was {self._lack} to determine the core."


def constraints_of(
    dataset: Dataset, settings: Settings, groups: Groups
) -> tuple[Masks, Masks, LeftOut]:
    """Return what must be and must not be selected, and what of the latter is left out."""
    included, excluded = asked_features(dataset, settings, groups)
    included = groups.joined(included)
    excluded = groups.expanded(groups.joined(excluded))
    costs = Costs.of(settings.costs, dataset, groups)
    check_apart(included, excluded, groups.named(dataset.feature_names))
    rest = left_out(
        dataset,
        included,
        excluded | groups.grouped,  # these belong together, whatever they say
        drop_copies=settings.copies == "drop",
        drop_doubtful=settings.screens,
        costs=None if costs is None else costs.units,
        n_jobs=settings.n_jobs,
    )
    return included, excluded | rest.mask | groups.members, rest


def with_groups(dataset: Dataset, settings: Settings) -> Dataset:
    """Return the table with the groups of samples that a selection uses, also to explain it."""
    if not settings.screens:  # a part of a table that has its groups
        return dataset
    groups = Groups.of(settings.feature_groups, dataset)
    asked = asked_features(dataset, settings, groups)
    return settings.kind.grouped(dataset, *asked)


def with_reduct(result: Result, i: int, measure: Any, support: Masks) -> Result:
    """Return the result with another reduct selected; `measure` and `support` are of its table."""
    reduct = result.reducts[i]
    sampling = result.sampling
    if sampling is not None:
        here = measure.on_rows(sampling.n_sampled, result.seed)
        sampling = sampling_of(here, support, reduct.dependency)
    return msgspec.structs.replace(
        result,
        selected=reduct.features,
        dependency=reduct.dependency,
        sampling=sampling,
        front=front_through(result.front, reduct, measure.tolerance),
    )


def sampling_of(here: Any, support: Masks, dependency: float) -> Sampling:
    """Return the interval for the dependency of a subset on all samples.

    The samples that the search saw chose the features and so flatter them; the interval comes
    from other samples.
    """
    n_sampled, n_samples = here.n_sampled, here.n_samples
    try:
        low, high = here.interval(support, CONFIDENCE)
    except (TimeIsUp, MemoryError):  # nothing is known about the other samples
        share = n_sampled / n_samples
        low, high = share * dependency, share * dependency + 1.0 - share
    return Sampling(n_sampled, low, high, CONFIDENCE)


def _size_of(dataset: Dataset) -> str:
    return f"{dataset.n_samples:,} samples on {count(dataset.n_features, 'feature')}"


def _summary_of(dataset: Dataset, costs: Costs | None) -> TableSummary:
    gaps = np.isnan(dataset.values).sum(axis=0).tolist()
    kinds = ["categorical" if categorical else "numeric" for categorical in dataset.categorical]
    columns = range(dataset.n_features)
    each = [None if costs is None else costs.of_features([one]) for one in columns]
    return TableSummary(
        name=str(dataset.name),
        n_samples=dataset.n_samples,
        features=tuple(map(FeatureSummary, dataset.feature_names, kinds, gaps, each)),  # type: ignore[arg-type]
        target=target_summary(dataset),
        sha256=fingerprint(dataset).removeprefix("sha256:"),
    )


def fingerprint(dataset: Dataset, *options: str) -> str:
    """Return the digest of a table and of the options it is measured with.

    Names of features and classes are left out, since they change no score. Zeros of either sign
    count as equal, and so do all bit patterns of a missing value.
    """
    digest = hashlib.sha256("\0".join(options).encode())
    for some in column_blocks(*dataset.values.shape):
        columns = dataset.values[:, some].T + 0.0
        columns[np.isnan(columns)] = np.nan
        digest.update(columns.astype("<f8").tobytes())
    digest.update(dataset.categorical.tobytes())
    kind = "<f8" if dataset.classes is None else "<i8"
    digest.update(dataset.target.astype(kind).tobytes())
    if dataset.groups is not None:
        digest.update(np.unique(dataset.groups, return_inverse=True)[1].astype("<i8").tobytes())
    if dataset.weights is not None:
        digest.update(b"weights" + dataset.weights.astype("<f8").tobytes())
    return f"sha256:{digest.hexdigest()}"
