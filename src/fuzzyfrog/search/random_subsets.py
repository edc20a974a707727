"""Random subsets: the baseline that any search has to beat."""

from fuzzyfrog.common.params import Parametrized, check_count
from fuzzyfrog.search.protocol import Batch, Constraints, Problem, Proposal, Stream, diverse_subsets

BATCH_ROWS = 900


class RandomSubsets(Parametrized):
    """Random subsets of diverse sizes; their scores are not used.

    Parameters
    ----------
    n_subsets : int
        Number of subsets to draw; the paper starts with 900 frogs.

    Examples
    --------
    >>> from fuzzyfrog.search import RandomSubsets
    >>> RandomSubsets(n_subsets=5000).n_subsets
    5000
    """

    def __init__(self, *, n_subsets: int = 900) -> None:
        self.n_subsets = n_subsets

    def propose(self, problem: Problem, seed: int) -> Proposal:
        """Check the parameters, then return the coroutine that yields batches."""
        check_count("n_subsets", self.n_subsets)
        return self._draw(Constraints(problem), seed)

    def _draw(self, constraints: Constraints, seed: int) -> Proposal:
        for start in range(0, self.n_subsets, BATCH_ROWS):
            n_rows = min(BATCH_ROWS, self.n_subsets - start)
            yield Batch(diverse_subsets(n_rows, constraints, Stream(seed, "random", start)))
