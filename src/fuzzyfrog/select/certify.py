"""Proofs about reducts: certificates of a selection, and all reducts one by one."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import islice
from math import nan
from sys import maxsize
from typing import Literal

import numpy as np

from fuzzyfrog.common.arrays import Masks
from fuzzyfrog.common.messages import Sentence, Setting, shown
from fuzzyfrog.common.params import check_count
from fuzzyfrog.common.tnorms import TNorm
from fuzzyfrog.data.scaling import Missing, Spread
from fuzzyfrog.errors import DataError, ParameterError
from fuzzyfrog.measure import Dependency
from fuzzyfrog.measure.requirements import Requirements
from fuzzyfrog.result import Certificate, Subset
from fuzzyfrog.result.parts import Claim
from fuzzyfrog.search import Outcome, Problem, Proposal
from fuzzyfrog.search.exact import CoverProof
from fuzzyfrog.search.protocol import (
    Constraints,
    Oracle,
    Rows,
    check_problem,
    cost_of,
    without_each,
)
from fuzzyfrog.select.base import subset_of
from fuzzyfrog.select.costs import Costs, check_costs
from fuzzyfrog.select.groups import Groups
from fuzzyfrog.select.settings import constrained_features

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
    priced = None
    if costs is not None:
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
