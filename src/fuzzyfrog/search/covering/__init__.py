"""Smallest subsets that cover rows of requirements: bounds, proofs, enumeration; no data.

Branching wins where covers are small, programs where they are large and the rows are sparse.
"""

from fuzzyfrog.search.covering.branching import CoverSearch, Slice
from fuzzyfrog.search.covering.greedy import greedy_cover
from fuzzyfrog.search.covering.programs import Answer, lp_bound, smallest_cover
from fuzzyfrog.search.covering.reduction import core, reduced, without_fixed
from fuzzyfrog.search.covering.rows import Oracle, Rows

__all__ = [
    "Answer",
    "CoverSearch",
    "Oracle",
    "Rows",
    "Slice",
    "core",
    "greedy_cover",
    "lp_bound",
    "reduced",
    "smallest_cover",
    "without_fixed",
]
