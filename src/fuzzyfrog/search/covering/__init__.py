"""Smallest subsets that cover rows of requirements: bounds, proofs, enumeration; no data.

Branching wins where covers are small, an integer program where they are large and rows are sparse.
"""

from fuzzyfrog.search.covering.lp_bound import relaxed, rounded
from fuzzyfrog.search.covering.milp import Answer, smallest_cover
from fuzzyfrog.search.covering.rows import Oracle, Rows, without_fixed
from fuzzyfrog.search.covering.search import CoverSearch, Slice

__all__ = [
    "Answer",
    "CoverSearch",
    "Oracle",
    "Rows",
    "Slice",
    "relaxed",
    "rounded",
    "smallest_cover",
    "without_fixed",
]
