"""Smallest subsets that cover rows of requirements: bounds, proofs, enumeration; no data.

Branching wins where covers are small, an integer program where they are large and rows are sparse.
"""

from fuzzyfrog.search.covering.branching import CoverSearch, Slice
from fuzzyfrog.search.covering.programs import Answer, smallest_cover
from fuzzyfrog.search.covering.relaxing import relaxed, rounded
from fuzzyfrog.search.covering.rows import Oracle, Rows, without_fixed

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
