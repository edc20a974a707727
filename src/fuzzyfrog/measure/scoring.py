"""The door to the measure: score subsets of features, whatever engine does it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fuzzyfrog.data import Dataset, make_dataset
from fuzzyfrog.data.spread import MISSING_RULES, SPREADS, Missing, Spread, snapped
from fuzzyfrog.measure import _kernel_plain, _kernel_scan
from fuzzyfrog.measure.geometry import Geometry, blocks_of
from fuzzyfrog.measure.scores import ENGINES, EngineName, SubsetScores
from fuzzyfrog.measure.subsets import subset_of
from fuzzyfrog.measure.threads import effective_threads, map_blocks

__all__ = ["Dependency", "TNorm"]

TNorm = Literal["lukasiewicz", "minimum", "product"]

_JOINS = {
    "lukasiewicz": _kernel_scan.SUM,
    "minimum": _kernel_scan.LARGEST,
    "product": _kernel_scan.PRODUCT,
}


class Dependency(SubsetScores):
    """The fuzzy-rough dependency of a target on subsets of features.

    The dependency of a subset is the mean membership of the samples in the positive region: how
    surely the features of the subset tell each sample from all samples of other classes.

    Parameters
    ----------
    X : array-like, data frame or Dataset
        The samples.
    y : array-like, optional
        The target; left out for a `Dataset`, which has one.
    tnorm : {"lukasiewicz", "minimum", "product"}, default="lukasiewicz"
        How similarities on single features are joined.
    spread : {"std", "variance", "range"}, default="std"
        What the difference of two values is compared with.
    categorical_features : "from_dtype", None, list of names or indices, or mask
        Features of which only equality counts.
    missing : {"similar", "different", "raise"}, default="similar"
        A missing value is similar to every value, different from every value, or an error.
    target : {"auto", "class", "numeric"}, default="auto"
        How `y` is read.
    n_jobs : int or None, default=None
        Number of threads; None for all usable CPUs (not 1, as elsewhere in scikit-learn), but 1
        inside a worker of joblib or Dask. The results do not depend on it.
    engine : {"auto", "plain", "scan", "tree"}, default="auto"
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
        _check_name("tnorm", tnorm, tuple(_JOINS))
        _check_name("spread", spread, SPREADS)
        _check_name("missing", missing, MISSING_RULES)
        _check_name("engine", engine, ENGINES)
        self.dataset: Dataset = make_dataset(
            X, y, categorical_features=categorical_features, target=target
        )
        self._tnorm, self._spread, self._missing = tnorm, spread, missing
        self._n_jobs = n_jobs
        geometry = Geometry.of(self.dataset, spread, missing)
        everybody = np.arange(geometry.n_samples)
        super().__init__(geometry, _JOINS[tnorm], effective_threads(n_jobs), engine, everybody)

    def with_target(self, codes: NDArray[np.int64], classes: tuple[Hashable, ...]) -> Dependency:
        """Give the measure of other classes on the same samples, with the same settings."""
        return Dependency(
            replace(self.dataset, target=codes, classes=classes),
            tnorm=self._tnorm,
            spread=self._spread,
            missing=self._missing,
            n_jobs=self._n_jobs,
            engine=self._choice,
        )

    def memberships(self, mask: ArrayLike) -> NDArray[np.float64]:
        """Give how surely each sample belongs to its own class, by the features of a subset."""
        found = self._nearest(mask)
        result = np.empty(self.n_samples)
        result[self._geometry.order] = found.membership
        return result

    def nearest_enemies(self, mask: ArrayLike) -> NDArray[np.int64]:
        """Give for each sample the first of its nearest enemies, -1 where its membership is 1."""
        geometry, subset = self._geometry, subset_of(self._geometry, self._checked_one(mask))
        membership = self._nearest(mask).membership
        enemy = np.empty(self.n_samples, np.int64)

        def rows(block: tuple[int, int]) -> None:
            _kernel_plain.nearest(
                geometry.Z, geometry.side, geometry.target, geometry.order, subset.exact,
                self._join, *block, membership, enemy,
            )  # fmt: skip

        map_blocks(rows, blocks_of(self.n_samples), self._n_threads)
        result = np.empty(self.n_samples, np.int64)
        result[geometry.order] = np.where(enemy < 0, -1, geometry.order[enemy])
        return result

    def infimum(self, mask: ArrayLike, concept: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the smallest of distance + degree of belonging to a concept over all samples.

        Parameters
        ----------
        mask : bool[n_features]
            The subset that distances are measured on.
        concept : float64[n_samples]
            How much each sample belongs to the concept.
        """
        geometry, subset = self._geometry, subset_of(self._geometry, self._checked_one(mask))
        degrees = snapped(concept[geometry.order])
        lowest = np.empty(self.n_samples)

        def rows(block: tuple[int, int]) -> None:
            _kernel_plain.infimum(geometry.Z, degrees, subset.exact, self._join, *block, lowest)

        map_blocks(rows, blocks_of(self.n_samples), self._n_threads)
        result = np.empty(self.n_samples)
        result[geometry.order] = lowest
        return result


def _check_name(parameter: str, value: object, known: Sequence[str]) -> None:
    if not isinstance(value, str) or value not in known:
        names = ", ".join(repr(name) for name in known)
        raise ValueError(f"{parameter} must be one of {names}, got {value!r}.")
