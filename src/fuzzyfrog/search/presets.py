"""How many frogs: the settings of the paper and of Eusuff and others."""

from dataclasses import dataclass

from fuzzyfrog.search.checks import check_known
from fuzzyfrog.search.protocol import Problem

__all__ = ["FrogCounts", "preset_counts"]

SMALL_CELLS = 15_000
PRESETS = ("auto", "small", "general", "eusuff")


@dataclass(frozen=True)
class FrogCounts:
    """Counts of a frog search; the letters are the paper's.

    Attributes
    ----------
    n_memeplexes : int
        Memeplexes, m.
    n_frogs : int
        Frogs in each memeplex, n.
    n_evolutions : int
        Evolutions of a memeplex between two shuffles, N.
    n_submemeplex : int
        Frogs in a submemeplex, q.
    max_step : int
        Features that one leap may change, S_max.
    """

    n_memeplexes: int
    n_frogs: int
    n_evolutions: int
    n_submemeplex: int
    max_step: int

    @property
    def n_all_frogs(self) -> int:
        """Frogs in the pond."""
        return self.n_memeplexes * self.n_frogs


def preset_counts(preset: str, problem: Problem) -> FrogCounts:
    """Give the counts of a preset; ``"auto"`` chooses by the cells of the data."""
    check_known("preset", preset, PRESETS)
    n_features = problem.n_features
    if preset == "auto":
        preset = "small" if problem.n_cells <= SMALL_CELLS else "general"
    if preset == "small":
        n_frogs = _percent(70, n_features)
        n_submemeplex = min(_percent(45, n_features), n_frogs)
        step, n_evolutions = _percent(50, n_features), _percent(50, n_features)
        return FrogCounts(_percent(220, n_features), n_frogs, n_evolutions, n_submemeplex, step)
    if preset == "general":
        return FrogCounts(30, 30, 5, 15, _percent(45, n_features))
    return FrogCounts(100, 30, 20, 20, n_features)


def _percent(share: int, n_features: int) -> int:
    """Round a share down, to 1 at least; in integers, where 0.7 · 10 is 7."""
    return max(1, share * n_features // 100)
