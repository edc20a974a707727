"""Proofs for selectors: the requirements of the data, told to a search that never sees them."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from math import nan
from sys import maxsize
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.params import check_count
from fuzzyfrog.data.scaling import Missing, Spread
from fuzzyfrog.errors import DataError
from fuzzyfrog.measure import Dependency
from fuzzyfrog.measure.dependency import TNorm
from fuzzyfrog.measure.requirements import Requirements
from fuzzyfrog.records import Reduct
from fuzzyfrog.records.certificate import Certificate, Claim
from fuzzyfrog.search import (
    Batch,
    Certified,
    Exact,
    ExactFront,
    Objective,
    Outcome,
    Problem,
    Proposal,
    Search,
    run,
)
from fuzzyfrog.search.backward_elimination import eliminate
from fuzzyfrog.search.constraints import Constraints, check_problem
from fuzzyfrog.search.cover_proof import CoverProof
from fuzzyfrog.search.covering import Oracle, Rows
from fuzzyfrog.select.base import listed_features
from fuzzyfrog.select.parameters import wished_features

__all__ = [
    "certificate_of",
    "certificate_of_subset",
    "core_of",
    "core_of_run",
    "enumerate_reducts",
    "oracle_of",
    "proving",
]

Mask = NDArray[np.bool_]

LARGEST_BLUR = 1e-9  # a difference of dependencies that must never be taken for a tie


def proving(search: Search, certify: bool) -> tuple[Search, bool]:
    """Return the search that does what is asked, and whether it proves something."""
    if isinstance(search, Exact | ExactFront):
        return search, True
    return (Certified(search, Exact()), True) if certify else (search, False)


def oracle_of(measure: Dependency, allowed: Mask) -> Oracle:
    """Return what tells a search which requirements a subset of the allowed features breaks."""
    check_provable(measure)
    requirements: list[Requirements] = []  # made when it is first asked for

    def broken(subset: Mask) -> Rows:
        if not requirements:
            requirements.append(Requirements(measure, allowed))
        return Rows(*requirements[0].broken(subset))

    return broken


def check_provable(measure: Dependency) -> None:
    """Raise unless rounding is too small for a true difference to be taken for a tie."""
    blurred = 2.0 * measure.tolerance
    if blurred > LARGEST_BLUR:
        raise DataError(
            f"what is to be proved must not hang on rounding, which must stay below "
            f"{LARGEST_BLUR:g} in the dependency, got {blurred:.1g}. Leave out columns that lie "
            "far apart or are not needed, or choose spread='range' or tnorm='minimum'."
        )


def certificate_of(outcome: Outcome, problem: Problem) -> Certificate:
    """Return what a run proved."""
    size, n_reducts = int(outcome.subset.sum()), len(outcome.reducts)
    claim: Claim = "product" if problem.ranking == "product" else "fewest"
    if problem.n_features_to_select is not None:
        claim = "size"
    if claim == "fewest" and outcome.score < problem.target:
        # Nothing else is known to reach it than all features together.
        size, n_reducts = Constraints(problem).sizes[1], 1
    return Certificate(
        proven=outcome.proven,
        lower_bound=outcome.lower_bound,
        size=size,
        n_reducts=n_reducts,
        all_listed=outcome.all_listed,
        claim=claim,
    )


def certificate_of_subset(
    measure: Dependency, subset: Mask, max_seconds: float | None
) -> Certificate:
    """Return what can be proved about the fewest features that reach the dependency of a subset."""
    check_provable(measure)
    score, full = measure.score(np.array([subset, np.ones_like(subset)])).tolist()
    is_full = score >= full - measure.tolerance
    problem = Problem(
        n_features=measure.n_features,
        n_cells=measure.n_samples * measure.n_features,
        full_score=full if is_full else score,
        oracle=oracle_of(measure, np.ones_like(subset)) if is_full else None,
        tolerance=measure.tolerance,
    )
    search = Certified(_Given(subset), Exact())
    return certificate_of(run(search, measure, problem, seed=0, max_seconds=max_seconds), problem)


class _Given:
    """A search that proposes one subset, found elsewhere."""

    def __init__(self, subset: Mask) -> None:
        self._subset = subset

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return no parameters."""
        return {}

    def propose(self, problem: Problem, seed: int) -> Proposal:
        """Return the coroutine; see the protocol."""
        return _once(Batch(self._subset[np.newaxis]))


def _once(batch: Batch) -> Proposal:
    yield batch


Masks = NDArray[np.bool_]


def core_of_run(measure: Objective, problem: Problem, outcome: Outcome) -> list[int]:
    """Return the core; what a run met that is good enough spares most of the work."""
    known = [one.subset for one in outcome.reducts if one.score >= problem.target]
    known += [point.subset for point in outcome.front if point.score >= problem.target]
    return core_of(measure, ~np.asarray(problem.exclude), problem.target, np.array(known, np.bool_))


def core_of(measure: Objective, allowed: Masks, required: float, known: Masks) -> list[int]:
    """Return the features without which the others together do not reach what is required.

    A subset that reaches it without a feature proves that the feature is not in the core, so
    only the features that all known subsets share are left to be tried.

    Parameters
    ----------
    measure : Objective
        What scores subsets.
    allowed : bool[n_features]
        The features that may be selected.
    required : float
        The dependency to reach; all allowed features together reach it.
    known : bool[n_subsets, n_features]
        Subsets of the allowed features that reach it.
    """
    if not len(known):
        known = _one_reduct(measure, allowed, required)
    candidates = np.flatnonzero(known.all(axis=0))
    without = np.repeat(allowed[np.newaxis], len(candidates), axis=0)
    without[np.arange(len(candidates)), candidates] = False
    scores = measure.score(without, at_least=required)
    return [int(feature) for feature in candidates[scores < required]]


def _one_reduct(measure: Objective, allowed: Masks, required: float) -> Masks:
    """Return one subset that reaches what is required and of which no feature can go."""
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
    n_jobs: int | None = None,
) -> Iterator[Reduct]:
    """Return all reducts of a size, each as soon as it is found.

    When the iterator ends before `limit`, there are no others: that is proved, not sampled.

    Parameters
    ----------
    X : array-like, data frame or Dataset
        The samples.
    y : array-like, optional
        The target; left out for a `Dataset`.
    size : int, optional
        Number of features of a reduct; the smallest there is if left out. Every reduct is
        checked to be minimal: beyond the smallest size most subsets with the full dependency
        are not, and going through them may take long.
    limit : int, optional
        Reducts to give at most.
    tnorm, spread, categorical_features, missing, target
        As in `fuzzyfrog.measure.Dependency`.
    must_include, exclude : list of names or indices, mask, or None
        Features that every reduct has, even where it could spare them, and features that none has.
    n_jobs : int, optional
        As in `fuzzyfrog.measure.Dependency`.

    Returns
    -------
    iterator of Reduct
        In the order in which they are found, which is the same every time.

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
    measure = Dependency(
        X, y, tnorm=tnorm, spread=spread, categorical_features=categorical_features,
        missing=missing, target=target, n_jobs=n_jobs,
    )  # fmt: skip
    check_provable(measure)
    problem = _problem(measure, must_include, exclude)
    found = _smallest(measure, problem) if size is None else _of_size(measure, problem, size)
    names = measure.dataset.feature_names
    reducts = (
        Reduct(*listed_features(subset, names), problem.told(score), minimal=True)
        for subset, score in found
    )
    return islice(reducts, limit)


def _problem(measure: Dependency, must_include: object, exclude: object) -> Problem:
    dataset = measure.dataset
    included, excluded = wished_features(must_include, exclude, dataset)
    problem = Problem(
        n_features=dataset.n_features,
        n_cells=dataset.n_samples * dataset.n_features,
        full_score=nan,
        must_include=included,
        exclude=excluded,
        tolerance=measure.tolerance,
    )
    check_problem(problem)
    return replace(problem, full_score=float(measure.score(~excluded[np.newaxis])[0]))


def _smallest(measure: Dependency, problem: Problem) -> Iterator[tuple[Masks, float]]:
    """Yield the subsets with the full score whose size is proved to be the smallest."""
    proof = _proof(measure, problem)
    seen = set[bytes]()  # met by chance, before the search that meets each of them once
    for subset, score in _reaching(measure, problem, proof.bound()):
        if subset.sum() == proof.lower_bound and subset.tobytes() not in seen:
            seen.add(subset.tobytes())
            yield subset, score
    for subset, score in _reaching(measure, problem, proof.smallest()):
        if subset.sum() == proof.lower_bound and subset.tobytes() not in seen:
            yield subset, score


def _of_size(measure: Dependency, problem: Problem, size: int) -> Iterator[tuple[Masks, float]]:
    """Yield the subsets of a size that have the full score and lose it with any feature."""
    constraints = Constraints(problem)
    if size > constraints.sizes[1]:
        return
    for subset, score in _reaching(measure, problem, _covers(_proof(measure, problem), size)):
        if subset.sum() == size and _is_minimal(measure, subset, constraints, problem.target):
            yield subset, score


def _proof(measure: Dependency, problem: Problem) -> CoverProof:
    return CoverProof(problem, oracle_of(measure, ~np.asarray(problem.exclude)), maxsize)


def _covers(proof: CoverProof, size: int) -> Proposal:
    yield from proof.covers(size)


def _is_minimal(
    measure: Dependency, subset: Masks, constraints: Constraints, required: float
) -> bool:
    spare = np.flatnonzero(subset & ~constraints.fixed)
    if subset.sum() == 1:
        return True  # nothing is no reduct
    without = np.repeat(subset[np.newaxis], len(spare), axis=0)
    without[np.arange(len(spare)), spare] = False
    return bool((measure.score(without, at_least=required) < required).all())


def _reaching(
    measure: Dependency, problem: Problem, proposal: Proposal
) -> Iterator[tuple[Masks, float]]:
    """Yield the proposed subsets that have the full score, with it."""
    batch = next(proposal, None)
    while batch is not None:
        scores = measure.score(batch.subsets, batch.at_least)
        for row in np.flatnonzero(scores >= problem.target):
            yield batch.subsets[row], float(scores[row])
        try:
            batch = proposal.send(scores)
        except StopIteration:
            return
