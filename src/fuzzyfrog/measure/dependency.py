"""The measure bound to a table: it scores subsets of features with the engine that suits them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fuzzyfrog.common.arrays import Extensions, Floats, Integers, Masks
from fuzzyfrog.common.params import check_known
from fuzzyfrog.common.tnorms import CODES, LARGEST, N_ROUNDINGS, PRODUCT, TNorm
from fuzzyfrog.data import Dataset, make_dataset
from fuzzyfrog.data.scaling import GRID, MISSING_RULES, ROUNDING, SPREADS, Missing, Spread, snapped
from fuzzyfrog.errors import ParameterError
from fuzzyfrog.measure.engines import (
    SCANS_BY_KIND,
    ArrayEngine,
    Engine,
    LineEngine,
    Nearest,
    PartEngine,
    PlainEngine,
    ScanEngine,
    _kernel_plain,
    seconds_for,
)
from fuzzyfrog.measure.geometry import (
    MARGIN,
    SURE,
    Geometry,
    Subset,
    exact_mean,
    exact_means,
    mean_membership,
    parts_of,
    subset_of,
    total,
)
from fuzzyfrog.measure.greedy import Witnesses, weigh_step
from fuzzyfrog.measure.threads import effective_threads, map_blocks
from fuzzyfrog.measure.tree import TreeEngine

EngineName = Literal["auto", "arrays", "plain", "scan", "tree"]

_ENGINES = ("auto", "arrays", "plain", "scan", "tree")

# From this many pairs of enemies on, the tree beats the scan (benchmarks/README.md#crossover).
_TREE_PAIRS_UP_TO_3 = 10_000_000
_TREE_PAIRS_BEYOND = 40_000_000
_TIMES_NUMERIC = 4  # as many for a numeric target
_TREE_ROWS = 4_000  # requested samples that pay for a tree of all samples
_TREE_ROWS_NUMERIC = 2_000  # the same for a numeric target
_FEW_PAIRS = 100_000  # below this, looking at every pair is cheaper than avoiding it
_MOST_CELLS = 4_000_000  # of masks scored in one go
_LEAST = 256  # ... but this many subsets, before the others must match the best of them
_WORTH_A_LOOK = 1_000_000  # pairs from which on it pays to know which samples need no other look


class Measure(Protocol):
    """What selectors and clusters need of a measure of a table."""

    dataset: Dataset
    _n_threads: int

    def recipe(self) -> Callable[[Dataset], Measure]:
        """Return the function that builds this measure from its table in another process."""

    @property
    def tolerance(self) -> float:
        """By how much rounding may change a score."""

    @property
    def n_features(self) -> int:
        """Number of features, the length of every mask."""

    @property
    def n_samples(self) -> int:
        """Number of samples."""

    @property
    def n_sampled(self) -> int:
        """Number of samples that are measured."""

    @property
    def is_monotone(self) -> bool:
        """Whether adding a feature never lowers the score."""

    def score(self, masks: ArrayLike, at_least: float | ArrayLike | None = None) -> Floats:
        """Return the score of each subset; -inf where it is less than `at_least`."""

    def best(self, masks: ArrayLike) -> Floats:
        """Return the score of the best subsets of a batch, -inf for the others."""

    def on_rows(self, n_rows: int | None, seed: int) -> Any:
        """Return the measure of a random part of the samples, or this one if that is no less."""


class SubsetScores:
    """The mean membership of samples in the positive region, for subsets of features."""

    is_monotone = True  # adding a feature never lowers it
    chance: float | None = None  # nothing is expected of features that say nothing

    def __init__(
        self,
        geometry: Geometry,
        join: int,
        n_threads: int,
        engine: EngineName,
        asked: Integers,
    ) -> None:
        self.n_samples, self.n_features = geometry.n_samples, geometry.n_features
        self.n_sampled, self.n_pairs = asked.size, geometry.n_pairs
        self._geometry = geometry
        self._join = join
        self._n_threads = n_threads
        self._choice = engine
        self._asked = asked
        self._asks_all = asked.size == geometry.n_samples
        self._masses = geometry.masses[asked]
        self._mass = int(self._masses.sum())
        self._n_pairs = geometry.n_pairs_of(asked.size)
        self._made: dict[type[Engine], Engine] = {}
        self._last: tuple[Masks, Integers] | None = None  # a subset, and `_unsure` of it

    @cached_property
    def tolerance(self) -> float:
        """How far apart computed scores may be that are equal by definition (docs/theory.md#error).

        Two equal dependencies never differ by more than this when computed, and two that differ by
        more than twice as much never look equal.
        """
        errors, n_features = self._geometry.errors, self.n_features
        error = float(errors.max(initial=0.0) if self._join == LARGEST else errors.sum())
        if self._join >= PRODUCT:
            error += n_features * N_ROUNDINGS[self._join] * ROUNDING + GRID
        # Both sides of a comparison; the means, the required share and their difference round.
        return 2.0 * (error + self._geometry.target_error) + GRID

    @cached_property
    def full(self) -> float:
        """The score of all features together: no subset has a larger one."""
        return float(self.score(np.ones((1, self.n_features), np.bool_))[0])

    def score(self, masks: ArrayLike, at_least: float | ArrayLike | None = None) -> Floats:
        """Return the dependency of each subset.

        Parameters
        ----------
        masks : bool[n_subsets, n_features]
            The subsets.
        at_least : float or float[n_subsets], optional
            The score that a subset has to reach; one that cannot is abandoned early.

        Returns
        -------
        float64[n_subsets]
            The dependencies; -inf exactly where a dependency is less than `at_least`.
        """
        checked = checked_masks(masks, self.n_features)
        wanted = _checked_bar(at_least, len(checked))
        at_once = max(_LEAST, _MOST_CELLS // self.n_features)  # work space grows with the batch
        parts = [slice(at, at + at_once) for at in range(0, len(checked), at_once)]
        scores = [self._score(checked[part], wanted[part]) for part in parts]
        return np.concatenate([np.empty(0), *scores])

    def _score(self, checked: Masks, wanted: Floats) -> Floats:
        weights = self._weights(checked, self._may_lose(wanted))
        scores = exact_means(weights, self._mass)
        scores[scores < wanted] = -np.inf
        return scores

    def _may_lose(self, wanted: Floats) -> Floats:
        """Return by how much memberships may fall, in all, for a mean of at least `wanted`.

        No membership falls by more than 1, so the least mass is lost if the lightest fall to 0.
        """
        budget, n_samples = self._mass * (1.0 - wanted + MARGIN), self._asked.size
        if self._mass == n_samples:  # each has mass 1
            return np.asarray(budget)
        lost = np.interp(budget, self._lightest, np.arange(n_samples + 1), right=np.inf)
        return np.asarray(lost + n_samples * MARGIN)

    @cached_property
    def _lightest(self) -> Floats:
        """The mass of the k lightest samples, for each k."""
        return np.concatenate([[0.0], np.cumsum(np.sort(self._masses))])

    def _mean(self, membership: Floats) -> float:
        """Return the mean of the memberships of the requested samples, in their order."""
        return mean_membership(membership, self._masses)

    def _weights(self, checked: Masks, allowed: Floats) -> Integers:
        by_arrays = self._suits_arrays(checked)
        step = one_step(checked) if self._is_small and not by_arrays else None
        if step is not None:
            return self._weigh_step(*step)
        weights = np.empty((len(checked), 2), np.int64)
        for engine, rows in self._by_engine(checked, by_arrays).items():
            weights[rows] = self._engine(engine).weigh(checked[rows], allowed[rows])
        return weights

    def _suits_arrays(self, checked: Masks) -> bool:
        """Whether NumPy should score subsets: little work, and no kernel is compiled yet."""
        if self._choice != "auto":
            return self._choice == "arrays"
        return not SCANS_BY_KIND[self._geometry.is_numeric].pay(
            lambda: seconds_for(self._n_pairs, int(checked.sum()), len(checked))
        )

    def best(self, masks: ArrayLike) -> Floats:
        """Return the dependency of the best subsets of a batch, -inf for the others.

        Those within the tolerance of the highest score are all among the best. One that has lost
        more than the best so far is abandoned. If every subset extends a common one by one feature,
        as in a greedy search, enemies that are already known rule out most of them, and samples
        that the common one separates are not looked at again. The answer is the same as if all of
        them were scored.
        """
        checked = checked_masks(masks, self.n_features)
        step = one_step(checked)
        if step is not None and not self._suits_arrays(checked):
            if not self._is_small:
                return self._best_extensions(checked, *step)
            scores = exact_means(self._weigh_step(*step), self._mass)
            scores[scores < scores.max() - self.tolerance] = -np.inf
            return scores
        scores, best = np.full(len(checked), -np.inf), -np.inf
        for start in range(0, len(checked), _LEAST):
            some = slice(start, start + _LEAST)
            scores[some] = self.score(checked[some], at_least=best - self.tolerance)
            best = max(best, float(scores[some].max()))
        scores[scores < best - self.tolerance] = -np.inf
        return scores

    def _best_extensions(self, checked: Masks, base: Masks, added: Integers) -> Floats:
        """Return the same for subsets of which each adds a feature: those with high bounds first.

        Bounds are sums of rounded numbers; each addition is off by half a unit of them at most.
        """
        rows, features = self._unsure(base), np.flatnonzero(base)
        part = self if rows.size == self._asked.size else self._on(self._asked[rows])
        sure = self._mass - part._mass  # samples that are at 1 stay there, whatever is added
        slack = max(1e-6, self._mass * self._asked.size * 2.0**-52)
        scores, best, at_once = np.full(len(checked), -np.inf), -np.inf, self._n_threads
        left = np.arange(len(checked))
        while left.size:
            bounds = sure + self._witnesses.bounds(features, rows, added[left])
            order = np.argsort(-bounds, kind="stable")
            needed = self._mass * (best - self.tolerance) - slack
            left = left[order[bounds[order] >= needed]]
            some, left = left[:at_once], left[at_once:]
            allowed = float(self._may_lose(np.array([best - self.tolerance]))[0])

            def near(k: int, allowed: float = allowed) -> Nearest:
                subset = subset_of(self._geometry, checked[k])
                return part._engine_for(subset).nearest(subset, allowed)

            for k, found in zip(some, map_blocks(near, some, self._n_threads), strict=True):
                self._witnesses.remember(rows, found.enemy)
                if found.complete:
                    coarse, fine = total(found.membership, part._masses)
                    scores[k] = exact_mean(coarse + sure * SURE, fine, self._mass)
                    if scores[k] > best:
                        best = scores[k]
                        self._last = checked[k].copy(), rows[found.membership < 1.0]
            at_once *= 2
        scores[scores < best - self.tolerance] = -np.inf
        return scores

    @cached_property
    def _witnesses(self) -> Witnesses:
        return Witnesses(self._geometry, self._join, self._n_threads, self._asked)

    def _unsure(self, base: Masks) -> Integers:
        """Return which of the samples are below membership 1 under a subset; all if not few.

        A greedy search extends the best subset of its last step, of which that is known. For any
        other one it costs an evaluation, and makes as many cheap as there are features.
        """
        everybody, last = np.arange(self._asked.size), self._last  # another thread may replace it
        if last is None or not np.array_equal(last[0], base):
            if not base.any() or self._n_pairs < _WORTH_A_LOOK:
                return everybody
            self._last = last = base.copy(), np.flatnonzero(self._nearest(base).membership < 1.0)
        return last[1] if 2 * last[1].size <= self._asked.size else everybody

    def _on(self, asked: Integers) -> SubsetScores:
        """Return the scores for some of the requested samples."""
        return SubsetScores(self._geometry, self._join, self._n_threads, self._choice, asked)

    def _nearest(self, mask: ArrayLike) -> Nearest:
        checked = self._checked_one(mask)
        subset = subset_of(self._geometry, checked)
        if self._suits_arrays(checked[np.newaxis]):
            return self._engine(ArrayEngine).nearest(subset, np.inf)
        return self._engine_for(subset).nearest(subset, np.inf)

    def _weigh_step(self, base: Masks, added: Integers) -> Integers:
        return weigh_step(self._geometry, self._join, self._n_threads, base, added)

    @property
    def _is_small(self) -> bool:
        """Whether looking at every pair of enemies costs less than anything that avoids it."""
        is_one_of_few = self._asks_all and self._geometry.n_pairs < _FEW_PAIRS
        return self._choice == "auto" and is_one_of_few

    def _by_engine(self, masks: Masks, by_arrays: bool) -> dict[type[Engine], NDArray[np.intp]]:
        """Return the rows of the subsets for each engine that is to score some of them."""
        if not by_arrays and (self._choice != "auto" or self._is_small):
            return {self._pick(0, True): np.arange(len(masks))}
        gaps = masks[:, self._geometry.has_gaps].any(axis=1)
        # The choice depends on nothing else; sizes above 3 are all alike.
        kind = 2 * np.minimum(masks.sum(axis=1), 4) + gaps
        rows: dict[type[Engine], NDArray[np.intp]] = {}
        for code in np.unique(kind).tolist():
            engine = self._pick(code // 2, bool(code % 2), by_arrays)
            found = np.flatnonzero(kind == code)
            rows[engine] = np.concatenate([rows[engine], found]) if engine in rows else found
        return rows

    def _pick(self, size: int, has_gaps: bool, by_arrays: bool = False) -> type[Engine]:
        """Return the engine that should be the fastest for a subset; NumPy alone `by_arrays`."""
        may_sort = size == 1 and not has_gaps and not self._geometry.is_numeric
        if by_arrays:
            return LineEngine if may_sort else ArrayEngine
        scan = ScanEngine if self._asks_all else PartEngine
        named = {"plain": PlainEngine, "arrays": ArrayEngine, "scan": scan, "tree": TreeEngine}
        if self._choice != "auto":
            return named[self._choice]
        if self._is_small:
            return scan
        crossover, least = _TREE_PAIRS_UP_TO_3 if size <= 3 else _TREE_PAIRS_BEYOND, _TREE_ROWS
        if self._geometry.is_numeric:
            crossover, least = _TIMES_NUMERIC * crossover, _TREE_ROWS_NUMERIC
        elif may_sort:
            return LineEngine
        pays = self._n_pairs >= crossover and self._asked.size >= least
        return TreeEngine if pays else scan

    def _engine_for(self, subset: Subset) -> Engine:
        return self._engine(self._pick(subset.exact.size, subset.gaps))

    def _engine(self, kind: type[Engine]) -> Engine:
        if kind not in self._made:
            make: Callable[..., Engine] = kind
            self._made[kind] = make(self._geometry, self._join, self._n_threads, self._asked)
        return self._made[kind]

    def _checked_one(self, mask: ArrayLike) -> Masks:
        row: Masks = checked_masks(np.asarray(mask)[np.newaxis], self.n_features)[0]
        return row


def checked_masks(masks: ArrayLike, n_features: int) -> Masks:
    """Return the masks as an array; raise unless they are boolean, one row for each subset."""
    array = np.asarray(masks)
    if array.ndim != 2 or array.shape[1] != n_features or array.dtype != np.bool_:
        raise ParameterError(
            "masks",
            f"be boolean with one row per subset and {n_features} columns",
            f"{array.dtype} of shape {array.shape}",
            "To make a mask of features: mask = np.zeros(n_features, bool); mask[features] = True.",
        )
    return array


def one_step(masks: Masks | Extensions) -> tuple[Masks, Integers] | None:
    """Return the common subset and the feature that each mask adds to it, None if there is none."""
    if len(masks) < 2:
        return None
    if isinstance(masks, Extensions):
        return masks.base, masks.added
    base = masks[0] & masks[1]
    more = masks ^ base
    # One for each is enough to count them all: sizes of thousands of wide masks take longer.
    if np.count_nonzero(more) != len(masks):
        return None
    added = np.argmax(more, axis=1)
    is_step = more[np.arange(len(masks)), added].all() and not base[added].any()
    return (base, added) if is_step else None


def _checked_bar(at_least: float | ArrayLike | None, n_subsets: int) -> Floats:
    """Return the score that each subset has to reach."""
    if at_least is None:
        return np.full(n_subsets, -np.inf)
    bar = np.asarray(at_least, np.float64)
    if bar.shape not in ((), (n_subsets,)) or np.isnan(bar).any():
        raise ParameterError(
            "at_least",
            f"be a number or one per subset ({n_subsets}), none of them NaN",
            f"shape {bar.shape}",
            "Leave it out to score every subset.",
        )
    return np.broadcast_to(bar, n_subsets)


def random_order(n_samples: int, seed: int, stream: int) -> Integers:
    """Return the samples in a random order, one of its own for each stream."""
    # Raw words: their sequence is the same in every version of NumPy.
    words = np.random.Philox(key=[int(seed) % 2**64, stream]).random_raw(n_samples)
    return np.argsort(words, kind="stable")


class Dependency(SubsetScores):
    """The fuzzy-rough dependency of a target on subsets of features.

    The dependency of a subset is the mean membership of the samples in the positive region: how
    clearly the features of the subset separate each sample from all samples of other classes. With
    ``Dataset.weights``, it is the mean by these.

    Parameters
    ----------
    X : array-like, data frame or Dataset
        The samples.
    y : array-like, optional
        The target; omit it for a `Dataset`, which has one.
    tnorm : {"lukasiewicz", "minimum", "product"}, default="lukasiewicz"
        How the similarities on single features are combined.
    spread : {"std", "variance", "range"}, default="std"
        The unit in which differences of two values are measured.
    categorical_features : "from_dtype", None, list of names or indices, or mask
        Features whose values are only equal or different.
    missing : {"similar", "different", "raise"}, default="similar"
        A missing value is similar to every value, different from every value, or an error.
    target : {"auto", "class", "numeric"}, default="auto"
        How `y` is read.
    n_jobs : int or None, default=None
        Number of threads; None for all usable CPUs (not 1, as elsewhere in scikit-learn), but 1
        inside a worker of joblib or Dask. The results do not depend on it.
    engine : {"auto", "arrays", "plain", "scan", "tree"}, default="auto"
        How nearest enemies are found. The results do not depend on it.

    Examples
    --------
    >>> from fuzzyfrog import load_dataset
    >>> from fuzzyfrog.measure import Dependency
    >>> wine = Dependency(load_dataset("wine"))
    >>> wine.score([[False] * 12 + [True], [True] * 13]).round(4).tolist()
    [0.1797, 1.0]
    """

    def __init__(
        self,
        X: object,
        y: object = None,
        *,
        tnorm: TNorm = "lukasiewicz",
        spread: Spread = "std",
        categorical_features: object = "from_dtype",
        missing: Missing = "similar",
        target: Literal["auto", "class", "numeric"] = "auto",
        n_jobs: int | None = None,
        engine: EngineName = "auto",
    ) -> None:
        check_known("tnorm", tnorm, CODES)
        check_known("spread", spread, SPREADS)
        check_known("missing", missing, MISSING_RULES)
        check_known("engine", engine, _ENGINES)
        self.dataset: Dataset = make_dataset(
            X, y, categorical_features=categorical_features, target=target
        )
        self._tnorm, self._spread, self._missing = tnorm, spread, missing
        self._n_jobs = n_jobs
        n_threads = effective_threads(n_jobs)
        geometry = Geometry.of(self.dataset, spread, missing, n_threads)
        every_sample = np.arange(geometry.n_samples)
        super().__init__(geometry, CODES[tnorm], n_threads, engine, every_sample)

    def on_rows(self, n_rows: int | None, seed: int) -> SubsetScores:
        """Return the measure of a random part of the samples, or this one if that is no less."""
        if n_rows is None or n_rows >= self.n_samples:
            return self
        from fuzzyfrog.measure.sampled import SampledDependency

        return SampledDependency(self, int(n_rows), seed=seed)

    def recipe(self) -> partial[Dependency]:
        """Return the function that builds this measure from its table in another process."""
        return partial(Dependency, tnorm=self._tnorm, spread=self._spread, missing=self._missing)

    def mean(self, memberships: Floats) -> float:
        """Return the mean of the memberships of all samples, by their weights."""
        return self._mean(memberships[self._geometry.order])

    def memberships(self, mask: ArrayLike) -> Floats:
        """Return how certainly each sample belongs to its class, by the features of a subset."""
        found = self._nearest(mask)
        result = np.empty(self.n_samples)
        result[self._geometry.order] = found.membership
        return result

    def nearest_enemies(self, mask: ArrayLike) -> Integers:
        """Return for each sample the first of its nearest enemies, -1 where its membership is 1."""
        geometry, subset = self._geometry, np.flatnonzero(self._checked_one(mask))
        enemy = self._first_enemies(subset, self._asked, self._nearest(mask).membership)
        result = np.empty(self.n_samples, np.int64)
        result[geometry.order] = np.where(enemy < 0, -1, geometry.order[enemy])
        return result

    def nearest_enemy(self, sample: int, mask: Masks, memberships: Floats) -> int:
        """Return the first of the nearest enemies of a sample with a membership below 1.

        `memberships` are those of all samples, by the same features.
        """
        order = self._geometry.order
        place = np.flatnonzero(order == sample)
        enemy = self._first_enemies(np.flatnonzero(mask), place, memberships[order])
        return int(order[enemy[0]])

    def distance(self, one: int, other: int, mask: Masks) -> float:
        """Return how far two samples are apart by the features of a subset, cut at 1."""
        order = self._geometry.order
        here, there = (int(np.flatnonzero(order == sample)[0]) for sample in (one, other))
        engine = ArrayEngine(self._geometry, self._join, 1, self._asked)
        return engine.distance(here, there, np.flatnonzero(mask))

    def _first_enemies(self, subset: Integers, samples: Integers, membership: Floats) -> Integers:
        """Return the nearest enemies of some samples; of several the first, for any engine."""
        geometry = self._geometry
        n_pairs = samples.size * self.n_samples
        suits_arrays = self._choice == "arrays"
        if self._choice == "auto":
            suits_arrays = not _kernel_plain.pay(lambda: seconds_for(n_pairs, subset.size, 1))
        if suits_arrays:
            ascending = np.sort(samples)
            engine = ArrayEngine(geometry, self._join, self._n_threads, ascending)
            found = engine.first_enemies(subset, membership)
            return np.asarray(found[np.searchsorted(ascending, samples)])
        enemy = np.empty(self.n_samples, np.int64)

        def rows(block: tuple[int, int]) -> None:
            _kernel_plain.nearest(
                geometry.Z, geometry.side, geometry.target, geometry.order, subset,
                self._join, *block, membership, enemy,
            )  # fmt: skip

        everything = samples.size == self.n_samples
        blocks = parts_of(samples.size) if everything else [(i, i + 1) for i in samples.tolist()]
        map_blocks(rows, blocks, self._n_threads if everything else 1)
        return enemy[samples]

    def infimum(self, mask: ArrayLike, concept: Floats) -> Floats:
        """Return the smallest of distance + degree of belonging to a concept over all samples.

        Parameters
        ----------
        mask : bool[n_features]
            The subset that distances are measured on.
        concept : float64[n_samples]
            How much each sample belongs to the concept.
        """
        geometry, subset = self._geometry, np.flatnonzero(self._checked_one(mask))
        arrays = ArrayEngine(geometry, self._join, self._n_threads, self._asked)
        result = np.empty(self.n_samples)
        result[geometry.order] = arrays.infimum(subset, snapped(concept[geometry.order]))
        return result
