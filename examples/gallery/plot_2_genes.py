"""
Few samples, many genes
=======================

60 samples and 1,000 columns: with so many columns, some separate the samples by luck alone. The
tables on this page are made up, with :func:`sklearn.datasets.make_classification`, so we know the
truth: the first eight columns carry information, the other 992 are noise. With your own data you
do not know, which is why the second half of this page matters.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import make_classification

from fuzzyfrog import ReductSelector, SoftSelector, check
from fuzzyfrog.errors import PredictionWarning


def made_table(seed):
    """Return 60 samples of 1,000 genes, of which the first eight are informative."""
    X, y = make_classification(
        60, 1_000, n_informative=8, n_redundant=0, n_clusters_per_class=1,
        shuffle=False, random_state=seed,
    )  # fmt: skip
    return pd.DataFrame(X, columns=[f"gene{i}" for i in range(1_000)]), y


# %%
# Two questions, two answers
# --------------------------
# ``SoftSelector`` asks which genes to predict with. ``ReductSelector`` asks for the fewest that
# separate exactly these 60 samples, and three out of 1,000 are enough for that, whether they mean
# something or not. Three tables:

for seed in range(3):
    X, y = made_table(seed)
    informative = set(X.columns[:8])
    soft, reduct = SoftSelector().fit(X, y), ReductSelector(random_state=0).fit(X, y)
    for name, selector in (("to predict with", soft), ("to separate these", reduct)):
        genes = selector.get_feature_names_out()
        hits = len(informative.intersection(genes))
        print(f"table {seed}, {name}: {len(genes)} genes, {hits} of them informative")

# %%
# Would noise have done as well?
# ------------------------------
# The soft dependency of the selected genes looks impressive, but so it does for labels that mean
# nothing: the search had 1,000 columns to choose from. Shuffle the labels of the last table six
# times and select again. This is what luck alone reaches. (Each of these would warn as above.)

warnings.simplefilter("ignore", PredictionWarning)
rng = np.random.default_rng(0)
by_luck = [SoftSelector().fit(X, rng.permutation(y)).dependency_ for _ in range(6)]

fig, ax = plt.subplots(figsize=(6, 2.6), layout="constrained")
ax.hist(by_luck, bins=6, color="#a9b1ae", label="shuffled labels")
ax.axvline(soft.dependency_, color="#0f766e", lw=3, label="the labels of the table")
ax.axvline(soft.chance_, color="#1d2423", ls=":", label="columns without information")
ax.set(xlabel="soft dependency of the selected genes", ylabel="runs")
ax.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(0.06, 1))

# %%
# The honest figure
# -----------------
# ``check`` selects again inside each fold, so its test samples took no part in the selection. Its
# noise guard adds a random column for each real one and counts how many of these are taken. With 60
# samples, expect some noise among the selected genes.

print(check(soft, X, y))

# %%
# So do not report the dependency of a wide table, and not the accuracy on the samples that
# selected the genes. Report the check.
