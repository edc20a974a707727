"""Compare methods over many data sets: Friedman's test and the post-hoc tests after it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from fuzzyfrog.common.params import check_known
from fuzzyfrog_lab.comparison.ranks import (
    ALPHA,
    POSTHOCS,
    PairTest,
    SignedRankTest,
    critical_difference,
    pair_tests,
    signed_rank_tests,
)
from fuzzyfrog_lab.comparison.scores import on_grid, read_scores

__all__ = ["Comparison", "compare"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Comparison:
    """The result of `compare`; `print` shows it as text.

    Attributes
    ----------
    ranks : dict of str to float
        Mean rank of each method; the best on every data set would have 1.
    n_datasets : int
        Number of data sets.
    statistic : float
        Friedman's chi-square.
    p_value : float
        Probability of a chi-square as large if all methods were equal.
    agreement : float
        Kendall's W: from 0 (the data sets rank the methods at random) to 1 (all rank alike).
    control : str
        The method that the others are compared with.
    procedure : str
        Name of the post-hoc procedure.
    threshold : float
        The largest significant p-value in `posthoc`, except at the last step of Li (0.05) and at
        all but the first of Holm: see the rows.
    posthoc : tuple of PairTest
        Tests by mean ranks, the clearest difference first.
    signed_rank : tuple of SignedRankTest
        Wilcoxon's test and effect sizes, the control against each of the others.
    """

    ranks: Mapping[str, float]
    n_datasets: int
    statistic: float
    p_value: float
    agreement: float
    control: str
    procedure: str
    threshold: float
    posthoc: tuple[PairTest, ...]
    signed_rank: tuple[SignedRankTest, ...]

    @property
    def critical_difference(self) -> float:
        """Nemenyi's critical difference at 0.05: mean ranks further apart differ significantly."""
        return critical_difference(len(self.ranks), self.n_datasets)

    def __str__(self) -> str:
        return "\n".join(
            [
                f"Mean ranks over {self.n_datasets} data sets, 1 is best:",
                *(f"  {name:<20} {self.ranks[name]:.4f}" for name in self._best_first()),
                f"Friedman: chi-square {self.statistic:.6f} with {len(self.ranks) - 1} degrees "
                f"of freedom, p = {self.p_value:.6f}, Kendall's W {self.agreement:.4f}",
                f"{self.procedure.capitalize()} at {ALPHA}:",
                *(_pair_line(test) for test in self.posthoc),
                f"Wilcoxon signed rank, {self.control} against:",
                *(_signed_rank_line(test) for test in self.signed_rank),
                f"Critical difference of mean ranks (Nemenyi): {self.critical_difference:.4f}",
            ]
        )

    def plot_cd(self, ax: Any = None) -> Any:
        """Draw the critical-difference diagram.

        Methods that are joined by a bar do not differ significantly (Nemenyi).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on; a new figure by default.

        Returns
        -------
        matplotlib Axes
            The diagram.
        """
        from fuzzyfrog_lab.comparison.cd_diagram import draw_cd

        return draw_cd(self.ranks, self.n_datasets, ax)

    def _best_first(self) -> list[str]:
        return sorted(self.ranks, key=lambda method: self.ranks[method])


def compare(
    scores: object,
    *,
    control: str | None = None,
    posthoc: Literal["li", "holm", "nemenyi"] = "li",
    tie_correction: bool = True,
    missing: Literal["worst"] | float = "worst",
) -> Comparison:
    """Compare methods by their scores on many data sets.

    Parameters
    ----------
    scores : frame or mapping
        Data sets x methods, higher is better: a frame with a column for each method (a first
        column of text, or the index of pandas, names the data sets), or a mapping from data
        sets to mappings from methods to scores. None and NaN are gaps.
    control : str, optional
        The method that the others are compared with; by default the one with the best mean rank.
    posthoc : {"li", "holm", "nemenyi"}
        How to test differences of mean ranks at 0.05. Li and Holm test the control against each
        other method, Nemenyi tests all pairs.
    tie_correction : bool
        Whether Friedman's statistic allows for ties, as in SciPy; KEEL's, in the paper, does not.
        The post-hoc tests never do: their standard error is that of ranks without ties.
    missing : "worst" or float
        The score of a gap: lower than any other, or a number. The paper uses 0.

    Returns
    -------
    Comparison
        Ranks, tests and effect sizes; `print` shows them as text.

    Raises
    ------
    DataError
        If the scores cannot be used.

    Examples
    --------
    >>> from fuzzyfrog import compare
    >>> scores = {
    ...     "wine": {"frogs": 95.2, "swarm": 92.4, "genetic": 92.1},
    ...     "glass": {"frogs": 65.3, "swarm": 64.7, "genetic": 64.7},
    ...     "sonar": {"frogs": 74.1, "swarm": 64.3, "genetic": 69.8},
    ... }
    >>> found = compare(scores, posthoc="holm")
    >>> found.control, found.ranks["swarm"], round(found.p_value, 4)
    ('frogs', 2.5, 0.0859)
    """
    check_known("posthoc", posthoc, POSTHOCS)
    table = read_scores(scores)
    gridded = on_grid(table.filled(missing))
    each = stats.rankdata(-gridded.steps, axis=1)
    ranks = dict(zip(table.methods, each.mean(axis=0).tolist(), strict=True))
    control = min(ranks, key=lambda name: ranks[name]) if control is None else control
    check_known("control", control, table.methods)
    statistic = _friedman(each, tie_correction=tie_correction)
    n_datasets, n_methods = each.shape
    tests = pair_tests(ranks, control, n_datasets, posthoc)
    return Comparison(
        ranks=ranks,
        n_datasets=n_datasets,
        statistic=statistic,
        p_value=float(stats.chi2.sf(statistic, n_methods - 1)),
        agreement=statistic / (n_datasets * (n_methods - 1)),
        control=control,
        procedure=posthoc,
        threshold=tests[0].threshold,
        posthoc=tests,
        signed_rank=signed_rank_tests(gridded, table.methods, control),
    )


def _friedman(ranks: Floats, *, tie_correction: bool) -> float:
    n_datasets, n_methods = ranks.shape
    off_center = ranks.mean(axis=0) - (n_methods + 1) / 2
    statistic = float(12 * n_datasets / (n_methods * (n_methods + 1)) * (off_center**2).sum())
    if not tie_correction or statistic == 0.0:
        return statistic
    tied = sum(int((sizes**3 - sizes).sum()) for sizes in map(_group_sizes, ranks))
    return float(statistic / (1 - tied / (n_datasets * (n_methods**3 - n_methods))))


def _group_sizes(ranks: Floats) -> NDArray[np.int64]:
    """Return the number of methods that share each rank."""
    return np.asarray(np.unique(ranks, return_counts=True)[1], np.int64)


def _pair_line(test: PairTest) -> str:
    sign = "<=" if test.significant else "> "
    pair = f"{test.better} before {test.worse}"
    return (
        f"  {pair:<32} z = {test.z:.6f}  "
        f"p = {test.p_value:.6f} {sign} {test.threshold:.6f}  adjusted {test.adjusted:.6f}"
    )


def _signed_rank_line(test: SignedRankTest) -> str:
    return (
        f"  {test.method:<20} {test.wins} wins, {test.ties} ties, {test.losses} losses, "
        f"median {test.median_difference:+.3f}, p = {test.p_value:.4f} "
        f"(Holm {test.adjusted:.4f}), effect {test.effect:+.3f}"
    )
