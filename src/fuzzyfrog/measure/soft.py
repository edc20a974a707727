"""The soft dependency: how likely a random similar sample has the same class.

Where the strict dependency looks at the nearest enemy alone, this one weighs all samples, friends
and enemies, by their similarity. It falls when a feature adds noise, so that the size of a good
subset comes out by itself (docs/measure.md#soft).
"""

from __future__ import annotations

import copy
import math
from functools import cached_property, partial
from itertools import pairwise
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fuzzyfrog.common.arrays import Extensions
from fuzzyfrog.data import Dataset, make_dataset
from fuzzyfrog.data.weights import mean_by
from fuzzyfrog.measure.dependency import checked_masks, one_step, random_order
from fuzzyfrog.measure.geometry import mean_membership
from fuzzyfrog.measure.sampled import mean_interval, weighted_interval
from fuzzyfrog.measure.soft_columns import (
    CELLS_AT_ONCE,
    DOUBLE_PRECISION,
    N_NEIGHBORS,
    SINGLE_PRECISION,
    WIDTHS,
    Precision,
    SoftColumns,
    pieces,
)
from fuzzyfrog.measure.soft_pairs import Pairs, PairsHere
from fuzzyfrog.measure.threads import effective_threads

__all__ = ["N_NEIGHBORS", "WIDTHS", "SoftDependency"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]
PAIRS = 200_000_000  # of anchors and samples: all pairs of 14,142 samples ...
FEWEST_ANCHORS = 2_000  # ... and this many of each larger table, whatever that takes
_STREAM = 0x616E63686F7273  # next to the seed: no other part of a run draws from it

_FIRST_ROUND = 128  # anchors that all extensions of a race are weighed on
_MOST_RACING = 2**20  # memberships of extensions that race together
_FAR_BEHIND = 5.0  # standard errors behind the leader that end the race of an extension
_TOLERANCE = 1e-12  # by which rounding may change a score
_CLOSE = 1e-9  # scores that are scored again, far beyond the rounding of float64


class SoftDependency:
    """The soft dependency of a target on subsets of features.

    The membership of a sample is the share of its similar samples, weighed by similarity, that
    have its class (for a numeric target: how alike their targets are). The dependency is the mean
    over the samples; compare it with :attr:`chance`. Samples of the same group
    (``Dataset.groups``) are left out of each other's memberships and neighbors, and a sample of
    weight 2 (``Dataset.weights``) counts as two such samples of one group.

    Parameters
    ----------
    X : array-like, data frame or Dataset
        The samples.
    y : array-like, optional
        The target; left out for a `Dataset`, which has one.
    categorical_features : "from_dtype", None, list of names or indices, or mask
        Features of which only equality counts.
    target : {"auto", "class", "numeric"}, default="auto"
        How `y` is read.
    n_jobs : int or None, default=None
        Number of threads; None for all usable CPUs. The results do not depend on it.
    sample : int or None, default=None
        Number of random samples whose memberships are averaged, each against all samples; None
        for as many as make 200 million pairs, which are all up to 14,142, and for at least 2,000.
    seed : int, default=0
        Which samples are drawn.
    masses : float64[n_samples] or None, default=None
        How many samples each one counts as; None for the weights of the table.

    Examples
    --------
    >>> from fuzzyfrog import load_dataset
    >>> from fuzzyfrog.measure import SoftDependency
    >>> wine = SoftDependency(load_dataset("wine"))
    >>> round(wine.chance, 3)
    0.338
    >>> wine.score([[False] * 12 + [True], [True] * 13]).round(3).tolist()
    [0.625, 0.771]
    """

    is_monotone = False  # a feature can lower it
    takes_extensions = True  # in place of masks
    tolerance = _TOLERANCE

    def __init__(
        self,
        X: object,
        y: object = None,
        *,
        categorical_features: object = "from_dtype",
        target: Literal["auto", "class", "numeric"] = "auto",
        n_jobs: int | None = None,
        sample: int | None = None,
        seed: int = 0,
        masses: Floats | None = None,
    ) -> None:
        self.dataset: Dataset = make_dataset(
            X, y, categorical_features=categorical_features, target=target
        )
        self._n_threads = effective_threads(n_jobs)
        self._latest: tuple[Integers, SoftColumns, Integers, Floats, Mask] | None = None
        self._columns = SoftColumns.of(self.dataset, masses, self._n_threads)
        self._pairs: Pairs = PairsHere(self._n_threads)
        self._draw(sample, seed)

    def _draw(self, sample: int | None, seed: int) -> None:
        self._sample, self._seed = sample, seed
        n = self.n_samples
        n_anchors = min(n, sample or max(FEWEST_ANCHORS, PAIRS // max(n, 1)))
        # Of all samples only the order is random, in which a race takes them: the same every time.
        self._order: Integers = random_order(n, seed if n_anchors < n else 0, _STREAM)
        self._drawn: Integers = self._order[:n_anchors]
        self.anchors: Integers = np.sort(self._drawn)
        self.__dict__.pop("_racing", None)  # of other anchors

    @cached_property
    def _racing(self) -> Self:
        """The measure on which extensions race: with fewer samples, but the same anchors."""
        if self.n_racing == self.n_samples:
            return self
        rows = np.sort(self._order[: self.n_racing])
        part = copy.copy(self)
        part.dataset = self.dataset.take(rows)
        part._columns = self._columns.of_rows(part.dataset, rows)
        part._drawn = np.searchsorted(rows, self._drawn)
        part.anchors = np.sort(part._drawn)
        return part

    def on_rows(self, n_rows: int | None, seed: int) -> Self:
        """Return the measure of the same table with the memberships of other samples."""
        other = copy.copy(self)
        other._draw(n_rows, seed)
        return other

    def with_pairs(self, pairs: Pairs) -> Self:
        """Return the measure whose pairs of samples are looked at elsewhere, to the same bits."""
        other = copy.copy(self)
        other._pairs = pairs
        other.__dict__.pop("_racing", None)  # which looks at them here
        return other

    def with_new(self, joined: Dataset) -> Self:
        """Return the measure of new samples against these, in units of these.

        `joined` has the same samples first. The new ones are the anchors, a random part of them if
        there are very many; they must form a group, so that they are not compared with each other.
        """
        other = copy.copy(self)
        other.dataset, other._columns = joined, self._columns.with_new(joined)
        n_new = joined.n_samples - self.n_samples
        some = random_order(n_new, 0, _STREAM)[: max(FEWEST_ANCHORS, PAIRS // joined.n_samples)]
        other.anchors = self.n_samples + np.sort(some)
        return other

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.dataset.n_features

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.dataset.n_samples

    @property
    def n_sampled(self) -> int:
        """Number of samples whose memberships count."""
        return len(self.anchors)

    @property
    def n_racing(self) -> int:
        """Number of samples that anchors are compared with to decide which feature comes next."""
        return min(self.n_samples, max(self.n_sampled, PAIRS // FEWEST_ANCHORS))

    @property
    def together(self) -> Integers:
        """The same number for samples that are left out of each other's memberships."""
        return self._columns.together

    @property
    def masses(self) -> Floats | None:
        """How many samples each one counts as; None if all count once."""
        return self._columns.masses

    def mean(self, memberships: Floats) -> float:
        """Return the mean of the memberships of the anchors."""
        if self.masses is None:
            return mean_membership(memberships)
        return _mean(memberships, self._masses_of(self.anchors))

    def means(self, values: Floats) -> Floats:
        """Return means over the anchors by their masses, float64[..., n_anchors] -> [...]."""
        return mean_by(values, self._masses_of(self.anchors))

    def _masses_of(self, samples: Integers) -> Floats | None:
        return None if self.masses is None else self.masses[samples]

    @cached_property
    def chance(self) -> float:
        """The dependency of a feature that says nothing: how alike two random samples are."""
        return _mean(self._columns.chances(), self.masses)

    def score(
        self, masks: ArrayLike, at_least: float | ArrayLike | None = None
    ) -> NDArray[np.float64]:
        """Return the soft dependency of each subset.

        Parameters
        ----------
        masks : bool[n_subsets, n_features]
            The subsets, none of them empty.
        at_least : float or float[n_subsets], optional
            What a subset has to reach to be of interest.

        Returns
        -------
        float64[n_subsets]
            The dependencies; -inf where a dependency is less than `at_least`.
        """
        checked = checked_masks(masks, self.n_features)
        masses = self._masses_of(self.anchors)
        scores = np.array([_mean(self._of_subset(mask), masses) for mask in checked])
        if at_least is not None:
            scores[scores < np.asarray(at_least, dtype=np.float64)] = -np.inf
        return scores

    def best(self, masks: ArrayLike) -> NDArray[np.float64]:
        """Return the soft dependency of the best subsets of a batch, -inf for the others.

        Subsets that extend a common one by a feature each race in float32, on more and more
        anchors; those that could be the best are scored again in float64, on all anchors. A subset
        drops out when it is five standard errors behind the leader, so the best one can be missed,
        though rarely (docs/theory.md#soft-factors). Where scores are estimates, the first of those
        that could be the best counts as it, and 2,000 anchors decide if all of them are a clear
        fall. With more than 100,000 samples, the anchors of a race are compared with this many
        random ones; the scores are by all samples.
        """
        checked = _checked(masks, self.n_features)
        step = one_step(checked)
        scores = np.full(len(checked), -np.inf)
        rows = np.arange(len(checked))
        if step is not None:
            rows = self._finalists(*step, self._winners(*step))
        scores[rows] = self.score(checked[rows])
        scores[scores < scores.max(initial=-np.inf) - self.tolerance] = -np.inf
        return scores

    def interval(self, mask: ArrayLike, confidence: float = 0.95) -> tuple[float, float]:
        """Return an interval that contains the dependency on all samples with some confidence.

        It comes from samples that are no anchors, as many of them: features that were chosen for
        these anchors look better on them than they are.
        """
        seen = self.score(np.atleast_2d(mask))[0]
        n_rest = self.n_samples - self.n_sampled
        if not n_rest:
            return float(seen), float(seen)
        others = copy.copy(self)
        drawn = self._order[self.n_sampled : 2 * self.n_sampled]
        others.anchors = np.sort(drawn) if self.masses is None else drawn
        memberships = others.memberships(mask)
        if self.masses is None:
            low, high = mean_interval(memberships, _mean(memberships, None), n_rest, confidence)
            known, share = seen * self.n_sampled / self.n_samples, n_rest / self.n_samples
        else:
            masses = self.masses[self._order[self.n_sampled :]]
            low, high = weighted_interval(memberships, masses, confidence)
            share = masses.sum() / self.masses.sum()
            known = seen * (1.0 - share)
        return float(known + share * low), float(known + share * high)

    def recipe(self) -> partial[SoftDependency]:
        """Return what makes this measure of its table, to be sent to another process."""
        own = None if self.dataset.weights is not None else self.masses
        return partial(SoftDependency, sample=self._sample, seed=self._seed, masses=own)

    def memberships(self, masks: ArrayLike) -> NDArray[np.float64]:
        """Return how much of what is similar to each anchor has its class, by some features.

        For several subsets, there is a row for each. Subsets that extend a common one by a feature
        each are far cheaper than others.
        """
        is_one = not isinstance(masks, Extensions) and np.ndim(masks) == 1
        checked = _checked(np.atleast_2d(masks) if is_one else masks, self.n_features)
        if (step := one_step(checked)) is None:
            found = np.array([self._of_subset(mask) for mask in np.asarray(checked)])
        else:
            found = self._of_extensions(np.flatnonzero(step[0]), step[1])
        return found[0] if is_one else found

    def left_out_losses(self, path: ArrayLike, start: int = 0) -> NDArray[np.float64]:
        """Return how wrong the five nearest other samples of each anchor are, for each size.

        Samples at the same distance as the fifth share the places that are left, so that the order
        of the table does not matter.

        Parameters
        ----------
        path : int64[n_steps]
            Features in the order in which they come in.
        start : int, default=0
            The first step whose losses are wanted.

        Returns
        -------
        float64[n_steps - start, n_anchors]
            For classes 0 where most of the neighbors have the class of the anchor, 1 where they
            have another one, and in between where several classes have as many; for a numeric
            target the squared difference to their mean, in variances of the target.
        """
        features = np.asarray(path, dtype=np.int64)
        if self.n_samples < 2:
            return np.zeros((len(features) - start, len(self.anchors)))
        return self._pairs.losses(self._columns, features, start, self.anchors)

    def standard_errors(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the standard errors of means over the anchors, float64[..., n_anchors] -> [...].

        Anchors of the same group are alike, so groups are what varies.
        """
        _, group = np.unique(self.together[self.anchors], return_inverse=True)
        n_anchors: float = len(group)
        n_groups, masses = int(group.max()) + 1, self._masses_of(self.anchors)
        if n_groups == n_anchors and masses is None:
            spread = values.std(axis=-1, ddof=min(1, n_anchors - 1))
            return np.asarray(spread / np.sqrt(n_anchors))
        apart = values - mean_by(values, masses)[..., np.newaxis]
        if masses is not None:
            apart, n_anchors = apart * masses, masses.sum()
        order = np.argsort(group, kind="stable")
        starts = np.flatnonzero(np.diff(group[order], prepend=-1))
        sums = np.add.reduceat(apart[..., order], starts, axis=-1)
        factor = n_groups / max(1, n_groups - 1)
        return np.asarray(np.sqrt(factor * (sums**2).sum(axis=-1)) / n_anchors)

    def neighborhood(self, sample: int, mask: ArrayLike) -> NDArray[np.float64]:
        """Return the share of each sample in the neighborhood of one, by some features.

        The membership of the sample is the mean of the likeness of all samples, weighed by these.
        """
        features = np.flatnonzero(checked_masks(np.atleast_2d(mask), self.n_features)[0])
        delta = self._columns.mean_differences(features, np.array([sample]))[0]
        delta[self._columns.together == self._columns.together[sample]] = np.inf
        delta -= delta.min()  # cancels in the shares, and nothing underflows
        masses = 1.0 if self.masses is None else self.masses
        similar = [np.exp(-delta / width) * masses for width in WIDTHS]
        return np.asarray(sum(one / one.sum() for one in similar) / len(WIDTHS))

    def likeness(self, sample: int) -> NDArray[np.float64]:
        """Return how alike the targets of all samples are to that of one, from 0 to 1."""
        return np.asarray(self._columns.likeness(np.array([sample]))[0])

    def memberships_in_numpy(self, mask: ArrayLike) -> NDArray[np.float64]:
        """Return the memberships of the anchors in NumPy alone: slow, but nothing is compiled."""
        features = np.flatnonzero(checked_masks(np.atleast_2d(mask), self.n_features)[0])
        at_once = max(1, CELLS_AT_ONCE // self.n_samples)
        return np.concatenate(
            [
                self._columns.memberships(features, self.anchors[first:last])
                for first, last in pieces(len(self.anchors), at_once)
            ]
        )

    def _of_subset(self, mask: Mask) -> Floats:
        features = np.flatnonzero(mask)
        if not len(features):  # nothing tells samples apart: all are equally similar
            return self._columns.chances()[self.anchors]
        return np.asarray(self._of_extensions(features[:-1], features[-1:])[0])

    @property
    def _precision(self) -> Precision:
        """That of a score: single where it is an estimate, which is off by far more than that."""
        is_estimate = self.n_samples**2 > PAIRS and self.n_sampled < self.n_samples
        return SINGLE_PRECISION if is_estimate else DOUBLE_PRECISION

    def _of_extensions(self, base: Integers, added: Integers) -> Floats:
        """Return the memberships for each extension of a base, all of them sure."""
        found, is_unsure = self._weighed(base, added, self._precision, self.anchors)
        if len(added) == 1:  # a subset, which may be extended next
            subset = np.append(base, added)
            self._latest = subset, self._columns, self.anchors, found[0].copy(), is_unsure[0]
        again = np.flatnonzero(is_unsure.any(axis=0))
        if self._precision is SINGLE_PRECISION and len(again):
            sure, _ = self._weighed(base, added, DOUBLE_PRECISION, self.anchors[again])
            found[:, again] = np.where(is_unsure[:, again], sure, found[:, again])
        return found

    def _winners(self, base: Mask, added: Integers) -> Integers:
        """Return the contenders of races between as many extensions as fit into memory."""
        left = np.empty(0, np.int64)
        for part in pieces(len(added), max(1, _MOST_RACING // len(self._drawn))):
            some = np.arange(*part)
            if self._precision is SINGLE_PRECISION:  # it cannot tell those that are left apart
                some = some[self._racing._contenders(base, added[some])[:1]]
                left = np.append(left, some)
            else:  # next to the best so far, most others drop out soon
                some = np.append(left, some)
                left = some[self._racing._contenders(base, added[some])]
        return left

    def _contenders(self, base: Mask, added: Integers) -> Integers:
        """Return the extensions of which one is the best, as far as a race can tell.

        On all anchors the answer is certain. Before, the anchors are a random sample of them.
        """
        features, n_anchors = np.flatnonzero(base), len(self._drawn)
        left = np.arange(len(added))
        found, n_unsure = np.empty((len(added), 0)), np.zeros((2, len(added)))
        for first, last in _rounds(n_anchors):
            anchors = self._drawn[first:last]
            more, is_unsure = self._weighed(features, added[left], SINGLE_PRECISION, anchors)
            masses = self._masses_of(self._drawn[:last])
            counts = np.ones(last) if masses is None else masses / masses.mean()
            found = np.hstack([found, more]) if first else more
            if is_unsure.any():
                powers = np.vstack([counts[first:], counts[first:] ** 2])
                n_unsure = n_unsure + powers @ is_unsure.T
            doubt = _doubt(len(features) + 1, is_weighted=masses is not None) + n_unsure[0] / last
            scores = mean_by(found, masses)
            leader = int(np.argmax(scores - doubt))
            behind = (scores - doubt)[leader] - (scores + doubt)
            error = np.zeros(len(left))  # on all anchors, the scores are no estimates
            if last < n_anchors:
                # An unsure membership may be anything from 0 to 1.
                variance = _variances(found[leader] - found, masses)
                variance += (n_unsure[1] + n_unsure[1, leader]) / last
                error = np.sqrt(variance / last * (1 - last / n_anchors))
            stays = behind <= _FAR_BEHIND * error
            left, found, n_unsure = left[stays], found[stays], n_unsure[:, stays]
            if len(left) == 1:
                break
            if FEWEST_ANCHORS <= last < n_anchors and self._is_fall(features, found, doubt, last):
                leading: Integers = left[[int(np.argmax(scores[stays]))]]
                return leading
        return left

    def _is_fall(self, base: Integers, found: Floats, doubt: Floats, n_drawn: int) -> bool:
        """Whether all extensions of a base lower its score by far, as far as the anchors tell.

        Then it matters little which of them comes next, where the score is an estimate anyway.
        """
        if self._precision is DOUBLE_PRECISION or not len(base):
            return False
        anchors, masses = self._drawn[:n_drawn], self._masses_of(self._drawn[:n_drawn])
        before, is_unsure = self._before(base, anchors)
        lost = before - found
        variance = _variances(lost, masses) + is_unsure.mean()
        error = np.sqrt(variance / n_drawn)
        unsure = 2 * doubt.max() + is_unsure.mean()
        return bool((mean_by(lost, masses) - unsure > _FAR_BEHIND * error).all())

    def _before(self, subset: Integers, anchors: Integers) -> tuple[Floats, Mask]:
        """Return what `_weighed` says of a subset in float32; it is known if it was scored last."""
        if self._latest is not None:
            known, columns, of, found, is_unsure = self._latest
            if columns is self._columns and of is self.anchors and np.array_equal(known, subset):
                places = np.searchsorted(of, anchors)
                return found[np.newaxis, places], is_unsure[np.newaxis, places]
        return self._weighed(subset[:-1], subset[-1:], SINGLE_PRECISION, anchors)

    def _finalists(self, base: Mask, added: Integers, rows: Integers) -> Integers:
        """Return the contenders that have the highest score up to the rounding of float64.

        They are weighed together, which is far cheaper than to score each as a subset of its own.
        """
        if len(rows) == 1:
            return rows
        features = np.flatnonzero(base)
        found, _ = self._weighed(features, added[rows], DOUBLE_PRECISION, self.anchors)
        scores = self.means(found)
        highest: Integers = rows[scores >= scores.max() - _CLOSE]
        return highest

    def _weighed(
        self, base: Integers, added: Integers, precision: Precision, anchors: Integers
    ) -> tuple[Floats, Mask]:
        """Return the memberships for each extension of a base, and which of them are unsure.

        In float64 the unsure ones are computed again, one by one.
        """
        places = self._columns.place[anchors]
        found, is_unsure = self._pairs.memberships(self._columns, base, added, precision, places)
        if precision is DOUBLE_PRECISION:
            for k, place in zip(*np.nonzero(is_unsure), strict=True):
                features = np.append(base, added[k])
                found[k, place] = self._columns.memberships(features, anchors[[place]])[0]
        return found, is_unsure


def _checked(masks: ArrayLike, n_features: int) -> Mask | Extensions:
    return masks if isinstance(masks, Extensions) else checked_masks(masks, n_features)


def _rounds(n_anchors: int) -> list[tuple[int, int]]:
    """Return the anchors of each round of a race: twice as many as before, and in the end all."""
    if n_anchors < 2 * _FIRST_ROUND:  # a race does not pay
        return [(0, n_anchors)]
    ends = [0, _FIRST_ROUND]
    while 3 * ends[-1] < n_anchors:
        ends.append(2 * ends[-1])
    return list(pairwise([*ends, n_anchors]))


def _doubt(size: int, *, is_weighted: bool) -> float:
    """Return by how much float32 may change a sure membership (docs/theory.md#soft-factors)."""
    return (10 * size + 72 + 208 * is_weighted) * 2.0**-25


def _variances(values: Floats, masses: Floats | None) -> Floats:
    """Return the variances of rows; by masses, what a mean of n has n times the variance of."""
    if masses is None:
        return np.asarray(np.var(values, axis=1))
    apart = values - mean_by(values, masses)[:, np.newaxis]
    return np.asarray(((apart * masses) ** 2).mean(axis=1) / masses.mean() ** 2)


def _mean(memberships_: Floats, masses: Floats | None) -> float:
    """Return the mean by masses, rounded so that it is the same for any order."""
    if masses is None:
        return math.fsum(memberships_.tolist()) / len(memberships_)
    return math.fsum((masses * memberships_).tolist()) / math.fsum(masses.tolist())
