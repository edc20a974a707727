"""The parts of a selection: its reducts and front, the core, the history, an early end."""

import platform
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from math import inf

import numpy as np
from msgspec.structs import replace

from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.common.messages import Sentence, Setting, count
from fuzzyfrog.data import Dataset
from fuzzyfrog.measure.dependency import Measure
from fuzzyfrog.result import Alike, ClassCount, HistoryPoint, Subset, TargetSummary, Versions
from fuzzyfrog.search import Moment, Objective, Outcome, Problem, ScoredSubset
from fuzzyfrog.search.protocol import Constraints, without_each
from fuzzyfrog.search.stepwise import eliminate
from fuzzyfrog.select.costs import Costs

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
) -> tuple[Subset, ...]:
    """Return the best subset found of each size or cost, up to the first with the highest score.

    Of a path, which has accuracies, all of it: a larger subset may predict better though it scores
    lower.
    """
    if accuracies is not None:
        return tuple(
            subset_of(point.subset, point.score, names, accuracy=accuracy)
            for point, accuracy in zip(outcome.front, accuracies, strict=True)
        )
    highest = max(point.score for point in outcome.front) - problem.tolerance
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

    own = replace(reduct, minimal=None)
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
    known = [one.subset for one in outcome.reducts if one.score >= problem.target]
    known += [point.subset for point in outcome.front if point.score >= problem.target]
    return core_of(measure, ~np.asarray(problem.exclude), problem.target, np.array(known, np.bool_))


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


def unsearched(measure: Measure, problem: Problem, reason: str) -> tuple[Outcome, float]:
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
    if is_second_wish and outcome.score < problem.target:
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
