"""Smallest subsets of features that cover rows of requirements; knows nothing of the data.

`rows` says what a cover is; `lp_bound` bounds its size from below; `search` lists all covers of one
size by branch and bound, which is best for small covers; `milp` solves an integer program, which is
best for large covers of sparse rows. `cover_proof` puts them together.
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
