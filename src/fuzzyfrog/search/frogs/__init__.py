"""Shuffled frogs: the binary frog-leaping search of the paper, with an optional local search."""

from dataclasses import dataclass, fields, replace

from fuzzyfrog.common.params import Parametrized, check_count, check_known
from fuzzyfrog.errors import ParameterError
from fuzzyfrog.search.frogs.local_search import CoverPond, LocalPond
from fuzzyfrog.search.frogs.pond import DISSIMILARITIES, FrogCounts, Pond, preset_counts
from fuzzyfrog.search.protocol import Problem, Proposal

__all__ = ["ShuffledFrogs"]

VARIANTS = {"learning": CoverPond, "local": LocalPond, "paper": Pond}


@dataclass(eq=False, repr=False, kw_only=True)
class ShuffledFrogs(Parametrized):
    """Frogs in memeplexes that leap towards better ones, and are shuffled again and again.

    Parameters
    ----------
    variant : {"learning", "local", "paper"}
        ``"paper"`` is the published algorithm. ``"local"`` adds steps before each round of
        leaps: the leaders drop features that they do not need and try neighbors, the best subsets
        try neighbors and climb among subsets that are one feature smaller, and when the frogs have
        converged, one is grown greedily and the others get a last round. ``"learning"`` asks the
        strict measure which requirements a subset breaks, and looks for small covers of those met
        so far instead of climbing. It is for the fewest features with the full dependency, where
        it finds smaller subsets of wide tables and lists more of them; with any other goal or
        measure, it is ``"local"``.
    preset : {"auto", "small", "general", "eusuff"}
        Counts for those parameters below that are None; ``"auto"`` is ``"small"`` up to 15,000
        cells of data, else ``"general"``.
    n_memeplexes, n_frogs, n_evolutions, n_submemeplex, max_step : int or None
        Memeplexes, frogs in each, evolutions between two shuffles, frogs in a submemeplex, and
        features that a leap may change.
    dissimilarity : {"positive_region", "hamming"}
        The measure that the length of a leap is drawn from.
    patience : int
        Number of shuffles without a better frog after which the search has converged.

    Examples
    --------
    >>> from fuzzyfrog.search import ShuffledFrogs
    >>> ShuffledFrogs(preset="general", patience=3).get_params()["n_memeplexes"] is None
    True
    """

    variant: str = "learning"
    preset: str = "auto"
    n_memeplexes: int | None = None
    n_frogs: int | None = None
    n_evolutions: int | None = None
    n_submemeplex: int | None = None
    max_step: int | None = None
    dissimilarity: str = "positive_region"
    patience: int = 5

    def propose(self, problem: Problem, seed: int) -> Proposal:
        """Check the parameters, then return the coroutine that yields batches."""
        check_known("variant", self.variant, VARIANTS)
        check_known("dissimilarity", self.dissimilarity, DISSIMILARITIES)
        check_count("patience", self.patience)
        kind = VARIANTS[self.variant]
        # The walk keeps to one size, and rows about several samples lead it astray.
        is_walked = problem.is_covering and problem.costs is None and problem.oracle_share == 1
        if kind is CoverPond and not is_walked:
            kind = LocalPond
        pond = kind(self._counts(problem), DISSIMILARITIES[self.dissimilarity], problem, seed)
        return pond.live(self.patience)

    def _counts(self, problem: Problem) -> FrogCounts:
        """Return the counts of the preset, replaced by those that were given."""
        counts = preset_counts(self.preset, problem)
        given = {
            field.name: getattr(self, field.name)
            for field in fields(FrogCounts)
            if getattr(self, field.name) is not None
        }
        for name, value in given.items():
            check_count(name, value)
        counts = replace(counts, **given)
        if self.n_submemeplex is None:
            return replace(counts, n_submemeplex=min(counts.n_submemeplex, counts.n_frogs))
        if counts.n_submemeplex > counts.n_frogs:
            raise ParameterError(
                "n_submemeplex",
                f"be at most n_frogs ({counts.n_frogs})",
                str(counts.n_submemeplex),
            )
        return counts
