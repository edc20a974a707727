"""What comes out of a search: reducts and front, the core, the history, what was proved.

Also all reducts of a table, one by one, each with its proof.
"""

import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from itertools import islice
from math import inf, nan
from sys import maxsize
from typing import Literal

import numpy as np
from msgspec import structs

from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.common.messages import Sentence, Setting, count, shown
from fuzzyfrog.common.params import check_count
from fuzzyfrog.common.tnorms import TNorm
from fuzzyfrog.data import Dataset
from fuzzyfrog.data.scaling import Missing, Spread
from fuzzyfrog.errors import DataError, ParameterError
from fuzzyfrog.measure import Dependency
from fuzzyfrog.measure.requirements import Requirements
from fuzzyfrog.result import (
    Alike,
    Certificate,
    ClassCount,
    HistoryPoint,
    Subset,
    TargetSummary,
    Versions,
)
from fuzzyfrog.result.parts import Claim
from fuzzyfrog.search import Moment, Objective, Outcome, Problem, Proposal, ScoredSubset
from fuzzyfrog.search.exact import CoverProof
from fuzzyfrog.search.protocol import (
    Constraints,
    Oracle,
    Rows,
    check_problem,
    cost_of,
    without_each,
)
from fuzzyfrog.search.stepwise import eliminate
from fuzzyfrog.select.groups import Costs, Groups, check_costs
from fuzzyfrog.select.settings import constrained_features

ESTIMATED_PAIRS = 30_000_000  # scored in a fraction of a second, on any table
FEWEST_ESTIMATED = 16
MAX_HISTORY = 400
CONFIDENCE = 0.95  # of the interval for the dependency of the selected features


def ranks_behind(support: Masks, importance: Floats) -> Integers:
    """Return rank 1 for the selected features and ranks from 2 on, by importance, for the rest."""
    ranks = np.ones(len(support), np.int64)
    _, places = np.unique(-importance[~support], return_inverse=True)
    ranks[~support] = 2 + places
    return ranks


def reducts_of(
    outcome: Outcome, problem: Problem, names: Sequence[str], costs: Costs | None
) -> tuple[Subset, ...]:
    """Return the best subsets, the small ones and those with the most frequent features first."""
    frequency = outcome.feature_frequency
    common = [(one.subset.sum(), -frequency[one.subset].sum()) for one in outcome.reducts]
    ranked = sorted(zip(common, outcome.reducts, strict=True), key=lambda pair: pair[0])
    return tuple(
        subset_of(one.subset, problem.told(one.score), names, minimal=one.minimal, costs=costs)
        for _, one in ranked
    )


def front_of(
    outcome: Outcome,
    problem: Problem,
    names: Sequence[str],
    accuracies: Sequence[float | None] | None,
    costs: Costs | None,
    *,
    proves: bool,
) -> tuple[Subset, ...]:
    """Return the best subset found of each size or cost, up to the first with the highest score.

    A proof of the front ends at the first that reaches the target. Of a path, which has accuracies,
    all of it: a larger subset may predict better though it scores lower.
    """
    if accuracies is not None:
        return tuple(
            subset_of(point.subset, point.score, names, accuracy=accuracy)
            for point, accuracy in zip(outcome.front, accuracies, strict=True)
        )
    highest = max(point.score for point in outcome.front) - problem.tolerance
    if proves:
        highest = min(highest, problem.target)
    enough = next(at for at, point in enumerate(outcome.front, 1) if point.score >= highest)
    return tuple(
        subset_of(point.subset, problem.told(point.score), names, costs=costs)
        for point in outcome.front[:enough]
    )


def front_through(front: Sequence[Subset], reduct: Subset, tolerance: float) -> tuple[Subset, ...]:
    """Return the front with a reduct in place of a subset of the same price that is as good."""

    def is_other(point: Subset) -> bool:
        is_as_good = abs(point.dependency - reduct.dependency) <= tolerance
        is_as_good &= point.n_lost == reduct.n_lost
        return point.price == reduct.price and point.features != reduct.features and is_as_good

    own = structs.replace(reduct, minimal=None)
    return tuple(own if is_other(point) else point for point in front)


def subset_of(
    mask: Masks,
    score: float,
    names: Sequence[str],
    *,
    minimal: bool | None = None,
    accuracy: float | None = None,
    costs: Costs | None = None,
) -> Subset:
    """Return a subset with the indices and names of its features."""
    features = tuple(np.flatnonzero(mask).tolist())
    cost = None if costs is None else costs.of_features(features)
    named = tuple(names[one] for one in features)
    return Subset(features, score, minimal, accuracy, cost, names=named)


def core_of_run(measure: Objective, problem: Problem, outcome: Outcome) -> list[int]:
    """Return the core; the good subsets that a run found save most of the work."""
    known = [one.subset for one in outcome.reducts if one.score >= problem.required]
    known += [point.subset for point in outcome.front if point.score >= problem.required]
    allowed = ~np.asarray(problem.exclude)
    return core_of(measure, allowed, problem.required, np.array(known, np.bool_))


def core_of(measure: Objective, allowed: Masks, required: float, known: Masks) -> list[int]:
    """Return the features without which all other allowed features fall short of `required`.

    A known subset (a row of `known`) reaches `required`, so the features that it lacks are not
    in the core. Only the features that all known subsets share have to be tried.
    """
    if not len(known):
        known = _one_reduct(measure, allowed, required)
    candidates = np.flatnonzero(known.all(axis=0))
    scores = measure.score(without_each(allowed, candidates), at_least=required)
    return [int(feature) for feature in candidates[scores < required]]


def _one_reduct(measure: Objective, allowed: Masks, required: float) -> Masks:
    """Return one subset, as a row, that reaches `required` and needs all of its features."""
    backwards = np.arange(len(allowed))[np.newaxis, ::-1]
    trials = eliminate(
        allowed[np.newaxis], np.array([required]), np.zeros(len(allowed), np.bool_), backwards
    )
    try:
        batch = next(trials)
        while True:
            batch = trials.send(measure.score(batch.subsets, batch.at_least))
    except StopIteration as end:
        subsets: Masks = end.value[0]
        return subsets


def n_estimated(n_samples: int, sample: int | None) -> int:
    """Return the number of samples that can be scored at once, at most `sample`."""
    most = max(FEWEST_ESTIMATED, ESTIMATED_PAIRS // n_samples)
    return most if sample is None else min(most, sample)


def unsearched(measure: Objective, problem: Problem, reason: str) -> tuple[Outcome, float]:
    """Return the outcome without a search, and the full score.

    It is all features that may be selected, or the first ones up to the size asked for.
    """
    constraints = Constraints(problem)
    subset = constraints.fixed.copy()
    subset[constraints.free[: constraints.sizes[1] - int(subset.sum())]] = True
    full, score = measure.score(np.array([constraints.allowed, subset])).tolist()
    outcome = Outcome(
        subset=subset,
        score=score,
        reducts=(ScoredSubset(subset, score, minimal=False),),
        front=(ScoredSubset(subset, score),),
        feature_frequency=subset.astype(np.float64),
        stop_reason=reason,
        lower_bound=constraints.least_cost,
    )
    return outcome, full


def on_sample_first(outcome: Outcome, n_samples: int) -> Iterator[str]:
    """Yield what was scored on a sample of the rows, and that the answer was not."""
    if outcome.n_on_sample:
        n_on_all = outcome.n_evaluations - outcome.n_on_sample
        yield (
            f"The search scored {count(outcome.n_on_sample, 'subset')} on a sample of the "
            f"{n_samples:,} rows, and {n_on_all:,} on all rows. Every dependency shown was "
            "computed on all rows."
        )


def early_end(outcome: Outcome, problem: Problem) -> Iterator[str]:
    """Yield a warning if a search was interrupted, or fell short of what was asked for."""
    if outcome.n_evaluations == 0 and outcome.stop_reason in {"max_seconds", "interrupted"}:
        is_sized = problem.n_features_to_select is not None
        which = "the first allowed features" if is_sized else "all allowed features"
        yield (
            f"The search stopped ({outcome.stop_reason}) before it scored any subset, so {which} "
            "are selected."
        )
        return
    size = count(int(outcome.subset.sum()), "feature")
    score = problem.told(outcome.score)
    at = f"at a dependency of {score:.6g} with {size}"
    if outcome.stop_reason == "interrupted":
        yield f"The search was interrupted {at}; the best subset so far is selected."
    if outcome.stop_reason == "memory":
        yield Sentence(
            f"The search ran out of memory {at}; the best subset so far is selected. To search "
            "further, use a machine with more memory, or fewer samples with ",
            Setting("sample", 3000), ".",
        )  # fmt: skip
    if not problem.is_monotone:
        return  # nothing was asked for that could be missed
    is_cut_short = outcome.stop_reason in {"max_evaluations", "max_seconds"}
    if problem.asks_for_fewest and is_cut_short and outcome.score < problem.target:
        yield Sentence(
            f"The search stopped ({outcome.stop_reason}) {at}, before it reached the "
            f"{problem.asked:.6g} that ", Setting("min_dependency"), " asks for. Raise the budget.",
        )  # fmt: skip
    is_second_wish = problem.n_features_to_select is not None and problem.min_dependency < 1
    if is_second_wish and outcome.score < problem.required:
        yield Sentence(
            f"The best subset found with {size} has a dependency of {score:.6g}, less than the "
            f"{problem.asked:.6g} that ", Setting("min_dependency"), " asks for. Raise ",
            Setting("n_features_to_select"), ", or leave out one of the two.",
        )  # fmt: skip


def history_of(
    moments: Sequence[Moment], times: Sequence[float], costs: Costs | None
) -> tuple[HistoryPoint, ...]:
    """Return the first moment, the last, and some in between; bounds are of sizes, not costs."""
    scored = [at for at, moment in enumerate(moments) if moment.score > -inf]
    return tuple(
        HistoryPoint(
            n_evaluations=moments[at].n_evaluations,
            seconds=times[at],
            dependency=moments[at].score,
            size=moments[at].size,
            n_reducts=moments[at].n_best,
            diversity=moments[at].diversity,
            lower_bound=moments[at].lower_bound if costs is None else None,
        )
        for at in _thinned(scored)
    )


def _thinned(places: list[int]) -> list[int]:
    if len(places) <= MAX_HISTORY:
        return places
    # Most improvements come early, so half of the points are spaced logarithmically.
    even = np.linspace(0, len(places) - 1, MAX_HISTORY // 2)
    early = np.geomspace(1, len(places), MAX_HISTORY // 2) - 1
    chosen: Integers = np.unique(np.rint(np.concatenate([even, early])).astype(np.int64))
    return [places[at] for at in chosen]


def alike_of(substitutes: Mapping[int, tuple[int, ...]]) -> tuple[Alike, ...]:
    """Return the selected features that have substitutes, with these."""
    selected = sorted({one for alike in substitutes.values() for one in alike})
    return tuple(
        Alike(feature, tuple(one for one in sorted(substitutes) if feature in substitutes[one]))
        for feature in selected
    )


def target_summary(dataset: Dataset) -> TargetSummary:
    """Return the classes and their counts, or the range of a numeric target."""
    name = str(dataset.target_name)
    if dataset.classes is None:
        values = np.unique(dataset.target)
        ends = float(values[0]), float(values[-1])
        return TargetSummary(name, (), *ends, len(values), bool((values % 1 == 0).all()))
    counts = np.bincount(dataset.target.astype(np.int64), minlength=len(dataset.classes))
    classes = tuple(map(ClassCount, map(str, dataset.classes), counts.tolist()))
    return TargetSummary(name, classes, None, None)


@cache  # a check selects a dozen times
def versions() -> Versions:
    """Return the versions of the software."""
    packages = map(version, ("numpy", "numba", "scikit-learn"))
    return Versions(version("fuzzyfrog"), platform.python_version(), *packages)


LARGEST_BLUR = 1e-9  # a difference of dependencies that must never be taken for a tie


def enumerate_reducts(
    X: object,
    y: object = None,
    *,
    size: int | None = None,
    limit: int | None = None,
    tnorm: TNorm = "lukasiewicz",
    spread: Spread = "std",
    categorical_features: object = "from_dtype",
    missing: Missing = "similar",
    target: Literal["auto", "class", "numeric"] = "auto",
    must_include: object = None,
    exclude: object = None,
    costs: Mapping[object, object] | None = None,
    n_jobs: int | None = None,
) -> Iterator[Subset]:
    """Enumerate all reducts of a given size, or all smallest or cheapest reducts.

    A reduct is a subset of the features that has the dependency of all of them and loses it
    without any of its features. Reducts are yielded as soon as they are found. If the iterator
    ends before `limit`, there are provably no others.

    Parameters
    ----------
    X : array-like, data frame or Dataset
        The samples.
    y : array-like, default=None
        The target. Leave it out if `X` is a `Dataset`, which has its own.
    size : int, default=None
        Number of features of a reduct; None for the smallest size there is. Every reduct is
        checked to be minimal. Above the smallest size, most subsets with the full dependency are
        not, and going through them may take long.
    limit : int, default=None
        Maximum number of reducts to yield; None for all of them.
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
        if there are more than 20 different ones, unless they are codes (consecutive from 0 or 1,
        each in at least ten samples and half as many as the average), or more than five of which
        over a third are in fewer than five samples.
    must_include : list of names or indices, mask, or None, default=None
        Features that every reduct has, even those it could do without.
    exclude : list of names or indices, mask, or None, default=None
        Features that no reduct has.
    costs : mapping of features to numbers, or None, default=None
        What features cost, 1 where nothing is given. With costs, all reducts of the lowest cost are
        yielded, as soon as that cost is proved; `size` must be None.
    n_jobs : int or None, default=None
        Number of threads; None for all usable CPUs. The results do not depend on it.

    Returns
    -------
    iterator of Subset
        The reducts, in the same order every time.

    See Also
    --------
    ReductSelector : Select one reduct; with ``certify=True`` it also lists all others.

    Examples
    --------
    >>> from fuzzyfrog import enumerate_reducts, load_dataset
    >>> sum(1 for reduct in enumerate_reducts(load_dataset("wine")))
    343
    >>> next(enumerate_reducts(load_dataset("wine"), must_include=["ash", "hue"])).size
    5
    """
    if limit is not None:
        check_count("limit", limit)
    if size is not None:
        check_count("size", size)
    if costs is not None:
        check_costs(costs)
        if size is not None:
            rule = Sentence("be left out with ", Setting("costs"))
            raise ParameterError("size", rule, shown(size))
    measure = Dependency(
        X, y, tnorm=tnorm, spread=spread, categorical_features=categorical_features,
        missing=missing, target=target, n_jobs=n_jobs,
    )  # fmt: skip
    check_provable(measure)
    priced = Costs.of(costs, measure.dataset, Groups.of(None, measure.dataset))
    problem = _problem(measure, must_include, exclude, priced)
    found = _smallest(measure, problem) if size is None else _of_size(measure, problem, size)
    names = measure.dataset.feature_names
    reducts = (
        subset_of(subset, problem.told(score), names, minimal=True, costs=priced)
        for subset, score in found
    )
    return islice(reducts, limit)


def _problem(
    measure: Dependency, must_include: object, exclude: object, costs: Costs | None
) -> Problem:
    dataset = measure.dataset
    included, excluded = constrained_features(must_include, exclude, dataset)
    problem = Problem(
        n_features=dataset.n_features,
        n_cells=dataset.n_samples * dataset.n_features,
        full_score=nan,
        must_include=included,
        exclude=excluded,
        costs=None if costs is None else costs.units,
        tolerance=measure.tolerance,
    )
    check_problem(problem)
    return replace(problem, full_score=float(measure.score(~excluded[np.newaxis])[0]))


def _smallest(measure: Dependency, problem: Problem) -> Iterator[tuple[Masks, float]]:
    """Yield the subsets with the full score whose size or cost is proved to be the lowest."""
    proof = _proof(measure, problem)
    seen = set[bytes]()  # found by chance, before the search that finds each of them once
    for proposal in (proof.bound(), proof.smallest()):
        for subset, score in _reaching(measure, problem, proposal):
            cost = int(cost_of(subset[np.newaxis], problem.costs)[0])
            if cost == proof.lower_bound and subset.tobytes() not in seen:
                seen.add(subset.tobytes())
                yield subset, score


def _of_size(measure: Dependency, problem: Problem, size: int) -> Iterator[tuple[Masks, float]]:
    """Yield the subsets of a size that have the full score and lose it with any feature."""
    constraints = Constraints(problem)
    if size > constraints.sizes[1]:
        return
    for subset, score in _reaching(measure, problem, _proof(measure, problem).covers(size)):
        if subset.sum() == size and _is_minimal(measure, subset, constraints, problem.target):
            yield subset, score


def _proof(measure: Dependency, problem: Problem) -> CoverProof:
    return CoverProof(problem, oracle_of(measure, ~np.asarray(problem.exclude)), maxsize)


def _reaching(
    measure: Dependency, problem: Problem, proposal: Proposal
) -> Iterator[tuple[Masks, float]]:
    """Yield the proposed subsets that have the full score, and their scores."""
    batch = next(proposal, None)
    while batch is not None:
        scores = measure.score(batch.subsets, batch.at_least)
        for row in np.flatnonzero(scores >= problem.target):
            yield batch.subsets[row], float(scores[row])
        try:
            batch = proposal.send(scores)
        except StopIteration:
            return


def _is_minimal(
    measure: Dependency, subset: Masks, constraints: Constraints, required: float
) -> bool:
    spare = np.flatnonzero(subset & ~constraints.fixed)
    if subset.sum() == 1:
        return True  # the empty set is not a reduct
    scores = measure.score(without_each(subset, spare), at_least=required)
    return bool((scores < required).all())


def certificate_of(
    outcome: Outcome,
    problem: Problem,
    costs: Costs | None = None,
    survives: int = 0,
    max_lost: int | None = None,
) -> Certificate:
    """Return what a run proved."""
    best, n_reducts = outcome.subset, len(outcome.reducts)
    size = min(int(one.subset.sum()) for one in outcome.reducts)
    claim: Claim = "product" if problem.ranking == "product" else "fewest"
    if problem.n_features_to_select is not None:
        claim = "size"
    if claim == "fewest" and outcome.score < problem.target:
        # Only all features together are known to reach it.
        best, n_reducts = Constraints(problem).allowed, 1
        size = int(best.sum())
    lower_bound: float = outcome.lower_bound
    cost = None
    if costs is not None:
        claim, lower_bound = "cheapest", costs.in_full(outcome.lower_bound)
        cost = costs.of_features(np.flatnonzero(best).tolist())
    return Certificate(
        proven=outcome.proven,
        lower_bound=lower_bound,
        size=size,
        n_reducts=n_reducts,
        all_listed=outcome.all_listed,
        claim=claim,
        cost=cost,
        survives=survives,
        max_lost=max_lost,
    )


def oracle_of(measure: Dependency, allowed: Masks, max_lost: int | None = None) -> Oracle:
    """Return the function that lists the requirements a subset of the allowed features breaks.

    `max_lost` is the number of samples that may lose membership; None for requirements about the
    dependency.
    """
    check_provable(measure)
    requirements = cache(lambda: Requirements(measure, allowed))  # on first use

    def broken(subset: Masks) -> Rows:
        if max_lost is None:
            return Rows(*requirements().broken(subset))
        return Rows(*requirements().broken_beyond(subset, max_lost))

    return broken


def is_provable(measure: Dependency) -> bool:
    """Whether rounding is too small for a true difference to be taken for a tie."""
    return 2.0 * measure.tolerance <= LARGEST_BLUR


def check_provable(measure: Dependency) -> None:
    """Raise unless rounding is too small for a true difference to be taken for a tie."""
    if not is_provable(measure):
        blurred = 2.0 * measure.tolerance
        raise DataError(
            Sentence(
                f"rounding errors of the dependency must stay below {LARGEST_BLUR:g} for a proof, "
                f"got {blurred:.1g}. Drop columns with extreme values or columns that are not "
                "needed, or choose ", Setting("spread", "range"), " or ",
                Setting("tnorm", "minimum"), ".",
            )
        )  # fmt: skip
