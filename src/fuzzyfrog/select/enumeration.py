"""All reducts of a size, one after the other as they are found."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from math import nan
from sys import maxsize
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.data.spread import Missing, Spread
from fuzzyfrog.measure import Dependency
from fuzzyfrog.measure.scoring import TNorm
from fuzzyfrog.records import Reduct
from fuzzyfrog.search import Problem, Proposal
from fuzzyfrog.search.checks import check_count
from fuzzyfrog.search.constraints import Constraints, check_problem
from fuzzyfrog.search.proving import CoverProof
from fuzzyfrog.select.certifying import check_provable, oracle_of
from fuzzyfrog.select.options import wished_features
from fuzzyfrog.select.results import listed_features

__all__ = ["enumerate_reducts"]

Masks = NDArray[np.bool_]


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
    """Give all reducts of a size, each as soon as it is found.

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
    """Give the subsets with the full score whose size is proved to be the smallest."""
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
    """Give the subsets of a size that have the full score and lose it with any feature."""
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
    """Give the proposed subsets that have the full score, with it."""
    batch = next(proposal, None)
    while batch is not None:
        scores = measure.score(batch.subsets, batch.at_least)
        for row in np.flatnonzero(scores >= problem.target):
            yield batch.subsets[row], float(scores[row])
        try:
            batch = proposal.send(scores)
        except StopIteration:
            return
