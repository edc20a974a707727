"""Smallest subsets of features that cover rows of requirements; knows nothing of the data.

`linear_program` says what a cover is, bounds its size from below by a relaxation, and solves an
integer program, which is best for large covers of sparse rows. `search` lists all covers of one
size by branch and bound, which is best for small covers, and `cheapest` those within a budget.
`exact.CoverProof` puts them together.
`row_weighting` finds a small cover quickly and proves nothing; the frogs use it.
"""
