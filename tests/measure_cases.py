"""Tables together with the settings of the measure, for the tests in tests/measure."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from fuzzyfrog.common.tnorms import CODES
from fuzzyfrog.measure import Dependency
from naive import twins
from strategies import Table, recipes_for, subsets, tables

ENGINES = ("auto", "arrays", "plain", "scan", "tree")
TNORMS = tuple(CODES)
SPREADS = ("std", "variance", "range")
KINDS = ("class", "numeric")


@dataclass(frozen=True)
class Case:
    """A table, subsets of its features, and all settings but the t-norm and the engine."""

    table: Table
    masks: np.ndarray
    kind: str
    spread: str
    missing: str

    @property
    def keywords(self):
        """Settings as the public functions take them."""
        return {
            "spread": self.spread,
            "missing": self.missing,
            "target": self.kind,
            "categorical_features": self.table.categorical,
        }

    def measure(self, tnorm="lukasiewicz", engine="auto", n_jobs=1):
        """Build the object under test."""
        return Dependency(
            self.table.X, self.table.y, tnorm=tnorm, engine=engine, n_jobs=n_jobs, **self.keywords
        )

    def similarities(self, tnorm):
        """Return the twin's R_P of every subset."""
        table = self.table
        each = twins.all_similarities(
            table.X, categorical=table.categorical, spread=self.spread, missing=self.missing
        )
        return [twins.join(each, mask, tnorm) for mask in self.masks]

    def twin_memberships(self, tnorm):
        """Return the twin's memberships of every subset, one row per subset."""
        y = self.table.y
        if self.kind == "class":
            rows = [twins.positive_region_of_classes(R, y) for R in self.similarities(tnorm)]
        else:
            rows = [
                twins.positive_region_of_numbers(R, y, self.spread)
                for R in self.similarities(tnorm)
            ]
        return np.array(rows)


@st.composite
def cases(draw, *, kinds=KINDS, spreads=SPREADS, recipes=None):
    """Draw a case; `recipes` narrows the features of its larger tables."""
    kind, spread = draw(st.sampled_from(kinds)), draw(st.sampled_from(spreads))
    table = draw(
        tables(kind=kind, recipes=recipes or recipes_for(spread), gaps=draw(st.booleans()))
    )
    missing = draw(st.sampled_from(["similar", "different"]))
    return Case(table, draw(subsets(table.n_features)), kind, spread, missing)


def with_table(case, *, X=None, y=None, categorical=None, masks=None):
    """Return the same case with another table or other subsets."""
    table = case.table
    changed = Table(
        table.X if X is None else X,
        table.y if y is None else y,
        table.categorical if categorical is None else categorical,
    )
    masks = case.masks if masks is None else masks
    return Case(changed, masks, case.kind, case.spread, case.missing)
