"""The critical-difference diagram; scikit-posthocs and matplotlib are known here only."""

from collections.abc import Mapping
from typing import Any

from fuzzyfrog.experiment.posthoc import critical_difference, pair_tests

__all__ = ["draw_cd"]


def draw_cd(ranks: Mapping[str, float], n_datasets: int, ax: Any = None) -> Any:
    """Draw mean ranks on a line, with bars over those that Nemenyi does not tell apart.

    Parameters
    ----------
    ranks : mapping of str to float
        Mean rank of each method.
    n_datasets : int
        On how many data sets.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
        The diagram.
    """
    try:
        import matplotlib.pyplot as plt  # large, and extras
        import pandas as pd  # type: ignore[import-untyped] # what scikit-posthocs is built on
        import scikit_posthocs
    except ImportError as error:
        raise ImportError(
            f"The critical-difference diagram needs {error.name}, which is not installed. "
            "Install it with: pip install 'fuzzyfrog[report]'."
        ) from None
    methods = list(ranks)
    p_values = pd.DataFrame(1.0, index=methods, columns=methods)
    for test in pair_tests(ranks, methods[0], n_datasets, "nemenyi"):
        p_values.loc[test.better, test.worse] = test.adjusted
        p_values.loc[test.worse, test.better] = test.adjusted
    if ax is None:
        _, ax = plt.subplots(figsize=(8, 1.2 + 0.25 * len(methods)), layout="constrained")
    scikit_posthocs.critical_difference_diagram(pd.Series(ranks), p_values, ax=ax)
    width = critical_difference(len(methods), n_datasets)
    ax.set_title(f"Mean ranks over {n_datasets} data sets; critical difference {width:.2f}")
    return ax
