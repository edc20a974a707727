"""The dependency of the paper: whether features separate exactly these samples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.common.deadline import stop_if_late
from fuzzyfrog.common.messages import Sentence, Setting, count
from fuzzyfrog.common.params import check_known
from fuzzyfrog.common.tnorms import CODES, TNorm
from fuzzyfrog.data import Dataset
from fuzzyfrog.data.scaling import (
    MISSING_RULES,
    SPREADS,
    Missing,
    Spread,
)
from fuzzyfrog.measure import Dependency, SoftDependency
from fuzzyfrog.measure.dependency import random_order
from fuzzyfrog.measure.sampled import FEWEST_PAIRS, RowSample
from fuzzyfrog.result import BrokenRow, Certificate, Reducts, VerifiedReduct
from fuzzyfrog.result.result import Parameter
from fuzzyfrog.search import Problem, QuickReduct, Search
from fuzzyfrog.search.protocol import Oracle
from fuzzyfrog.select.explain import Evidence, Examples, Explains, Pair
from fuzzyfrog.select.kind import Kind
from fuzzyfrog.select.losses import Surviving
from fuzzyfrog.select.outcome import is_provable, oracle_of
from fuzzyfrog.select.row_groups import noted_patients, warned
from fuzzyfrog.select.soft import Soft
from fuzzyfrog.select.verify import NewRows, asked_again, repaired, shifts_of
from fuzzyfrog.words.verified import reduct_verified

MOST_COMPARED = 1_000  # samples by which the selected features are compared with all
COMPARED_CELLS = 10_000_000  # of pairs and features, which NumPy compares in a moment
FEWEST_COMPARED = 30  # with fewer samples, a mean says little
GROUPS_UNUSED = (
    "Groups of samples do not change the dependency, which is about exactly these samples; a check "
    "keeps each group in one fold."
)
FEW_ROWS = 0.05  # of all rows, which should not rule the answer
NOTICEABLE = 0.005  # change of the dependency
MOST_RESCORED = 20_000  # samples for which a second score costs little
MOST_BROKEN = 100  # new rows that are named
COMPARING = 0x636F6D70617265  # next to the seed: no other part of a run draws from it


@dataclass(frozen=True)
class Strict(Kind):
    """The fuzzy-rough dependency, which no feature lowers.

    Attributes
    ----------
    tnorm : {"lukasiewicz", "minimum", "product"}
        How the similarities on single features are combined.
    spread : {"std", "variance", "range"}
        The unit in which differences of numeric features are measured.
    missing : {"similar", "different", "raise"}
        What a missing value counts as.
    """

    tnorm: TNorm = "lukasiewicz"
    spread: Spread = "std"
    missing: Missing = "similar"

    search = "frogs"
    can_prove = True
    can_sample = True
    compares_with_all = True
    name = "strict"

    def __post_init__(self) -> None:
        check_known("tnorm", self.tnorm, CODES)
        check_known("spread", self.spread, SPREADS)
        check_known("missing", self.missing, MISSING_RULES)

    @property
    def rival(self) -> Kind:
        """The soft measure, which is for prediction."""
        return Soft()

    def parameters(self) -> dict[str, Parameter]:
        """Return the settings by their names."""
        return {"tnorm": self.tnorm, "spread": self.spread, "missing": self.missing}

    def identity(self) -> tuple[str, ...]:
        """Return the settings."""
        return self.tnorm, self.spread, self.missing

    def grouped(self, dataset: Dataset, included: Masks, excluded: Masks) -> Dataset:
        """Return the table with a note if groups do not matter here, or samples may form some.

        Two samples of a group that are enemies still have to be told apart: leaving them out would
        certify subsets that do not separate exactly these samples.
        """
        if dataset.groups is None:
            return noted_patients(dataset, ~included & ~excluded)
        return warned(dataset, GROUPS_UNUSED)

    def measured(self, dataset: Dataset, n_jobs: int | None) -> Dependency:
        """Return the measure of a table."""
        return Dependency(
            dataset, tnorm=self.tnorm, spread=self.spread, missing=self.missing, n_jobs=n_jobs
        )

    def oracle(
        self, measure: Any, allowed: Masks, max_lost: int | None, *, proves: bool
    ) -> Oracle | None:
        """Return the function that says why a subset falls short; None for a large table.

        The frogs ask it without any proof. Requirements are about single columns and all samples,
        as a proof is. Of large tables, a sample is asked first instead.
        """
        if proves or (not _is_large(measure) and is_provable(measure)):
            return oracle_of(measure, allowed, max_lost)
        return None

    def sample_first(
        self, search: Search, problem: Problem, measure: Any, allowed: Masks, seed: int
    ) -> RowSample | None:
        """Return the sample of the rows of a large table that a search starts on.

        That is for the fewest features that keep the dependency of all. A greedy search promises
        its very path, and a proof is about all rows.
        """
        starts_on_sample = (
            problem.asks_for_fewest
            and problem.min_dependency == 1
            and problem.costs is None
            and problem.oracle is None
            and not isinstance(search, QuickReduct)
            and _is_large(measure)
        )
        return RowSample(measure, allowed, seed=seed) if starts_on_sample else None

    def data_doubts(self, measures: tuple[Any, Any], allowed: Masks, full: float) -> Iterator[str]:
        """Yield a warning if a few rows, nearly without values, lower the dependency."""
        measure, here = measures
        dataset = measure.dataset
        if here is not measure or dataset.n_samples > MOST_RESCORED:
            return
        gaps = np.isnan(dataset.values[:, allowed]).sum(axis=1)
        least = max(2, (int(np.count_nonzero(allowed)) + 1) // 2)
        stay = gaps < least
        n_few = int((~stay).sum())
        if not 0 < n_few <= FEW_ROWS * dataset.n_samples:
            return
        if np.unique(dataset.target[stay]).size < min(np.unique(dataset.target).size, 2):
            return
        rest = self.measured(dataset.take(np.flatnonzero(stay)), measure._n_jobs)
        without = float(rest.score([allowed])[0])
        if without - full > NOTICEABLE:
            lower = "lowers" if n_few == 1 else "lower"
            yield Sentence(
                f"{count(n_few, 'row')} with {least} or more missing values {lower} the dependency "
                f"of all features from {without:.3f} to {full:.3f}. Leave them out with ",
                Setting("max_missing", least - 1), " when the table is read.",
            )  # fmt: skip

    def answer(
        self, found: dict[str, Any], measure: Any, certificate: Certificate | None
    ) -> Reducts:
        """Return the reducts."""
        return Reducts(**found, certificate=certificate)

    def doubts(self, dataset: Dataset, subset: Masks, allowed: Masks) -> Iterator[str]:
        """Yield a warning if similar samples are less alike than by all features."""
        if np.array_equal(subset, allowed):
            return
        ours, others, error = soft_comparison(dataset, subset, allowed)
        if others - ours > error:
            what = "a similar target" if dataset.classes is None else "the same class"
            yield Sentence(
                f"Samples that are similar by the selected features have {what} less often than "
                f"those that are similar by all features (soft dependency {ours:.3f} against "
                f"{others:.3f}): models may do worse with the selected ones. For prediction, use ",
                Setting("SoftSelector"), ".",
            )  # fmt: skip

    def examples(self, measure: Any, evidence: Evidence, selected: tuple[int, ...]) -> Explains:
        """Return the samples that each feature separates from others."""
        return _Examples(measure, evidence, selected, 1.0 - measure.tolerance)

    def verified(self, rows: NewRows) -> VerifiedReduct:
        """Return whether a reduct still holds, on old and new rows together."""
        joined, asked, support = rows.joined, asked_again(rows, self), rows.support
        measure = self.measured(joined, rows.n_jobs)
        memberships, of_all = measure.memberships(support), measure.memberships(rows.needed)
        short = of_all - memberships
        order = np.argsort(-short, kind="stable")
        lost = order[short[order] > measure.tolerance]
        is_new = lost >= rows.old.n_samples
        full = measure.mean(of_all)
        subset = np.isin(np.arange(len(support)), rows.features)[np.newaxis]
        grouped = rows.groups.measured(measure)
        score = float(Surviving(grouped, asked.survives).score(subset)[0])
        if asked.max_lost is None:
            holds = score >= max(0.0, asked.min_dependency * full - measure.tolerance)
        else:
            holds = len(lost) <= asked.max_lost
        repair = None if holds else repaired(asked, joined)
        added = None if repair is None else sorted(set(repair[0]) - set(rows.features))
        broken = (
            BrokenRow(
                rows.called(sample)[0], float(memberships[sample]), float(of_all[sample]),
                *rows.called(measure.nearest_enemy(sample, support, memberships)),
            )
            for sample in lost[is_new][:MOST_BROKEN].tolist()
        )  # fmt: skip
        found = VerifiedReduct(
            holds, rows.old.n_samples, rows.new.n_samples, rows.selected, rows.notes,
            shifts=shifts_of(rows.old, rows.new, np.flatnonzero(support)),
            dependency=full if score >= full - measure.tolerance else score,
            full_dependency=full,
            full_dependency_before=rows.result.full_dependency,
            share=float(asked.min_dependency),
            survives=asked.survives,
            max_lost=asked.max_lost,
            n_broken=int(is_new.sum()),
            n_old_broken=int((~is_new).sum()),
            broken=tuple(broken),
            added=None if added is None else tuple(rows.names[one] for one in added),
            cost=sum(rows.costs[one] for one in added) if rows.costs and added else None,
            is_fewest=repair is not None and repair[1],
        )  # fmt: skip
        return msgspec.structs.replace(found, sentences=tuple(reduct_verified(found)))


def _is_large(measure: Dependency) -> bool:
    """Whether a search is to begin on a sample of the rows."""
    return measure.n_pairs >= FEWEST_PAIRS


def soft_comparison(dataset: Dataset, subset: Masks, allowed: Masks) -> tuple[float, float, float]:
    """Return the soft dependency of a subset and of all allowed features, and a standard error.

    The error is that of their difference. Of a large table, both are those of some random rows.
    Nothing is compiled for it.
    """
    rows = _some_rows(dataset, int(subset.sum() + allowed.sum()))
    soft = SoftDependency(dataset.take(rows), n_jobs=1)
    ours, others = soft.memberships_in_numpy(subset), soft.memberships_in_numpy(allowed)
    apart = others - ours
    error = float(soft.standard_errors(apart)) if len(apart) > 1 else np.inf
    return float(soft.means(ours)), float(soft.means(others)), error


def _some_rows(dataset: Dataset, n_columns: int) -> Integers:
    affordable = int(np.sqrt(COMPARED_CELLS / max(1, n_columns)))
    n_rows = min(dataset.n_samples, max(FEWEST_COMPARED, min(MOST_COMPARED, affordable)))
    return np.sort(random_order(dataset.n_samples, 0, COMPARING)[:n_rows])


class _Examples(Examples):
    """Finds the pairs of enemies that explain a selection.

    The measure gives the memberships of all samples. Nearest enemies are searched only for the
    few samples that become examples, which keeps this fast for large tables.
    """

    kind = "distance"

    def _pairs(self, affected: list[int], rest: Masks, without: Floats) -> Iterator[Pair]:
        """Yield samples and their nearest enemies without a feature, each pair once."""
        seen, measure = set[frozenset[int]](), self._measure
        for sample in affected:
            stop_if_late()
            enemy = measure.nearest_enemy(sample, rest, without)
            if frozenset((sample, enemy)) not in seen:
                seen.add(frozenset((sample, enemy)))
                before = measure.distance(sample, enemy, self._subset)
                yield (sample, enemy), before, measure.distance(sample, enemy, rest)

    def _nearest(self, place: int) -> tuple[int, int]:
        stop_if_late()
        return place, self._measure.nearest_enemy(place, self._subset, self.memberships)
