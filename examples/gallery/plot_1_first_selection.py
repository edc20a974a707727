"""
A first selection
=================

The breast cancer table of scikit-learn has 569 tumors and 30 measurements of their cell nuclei.
Many of them say nearly the same: radius, perimeter and area, each as a mean, a standard error and
a worst value. Which do you need to tell malignant tumors from benign ones?
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from fuzzyfrog import SoftSelector, check, plot_front

data = load_breast_cancer(as_frame=True)
X, y = data.data, data.target_names[data.target]
selector = SoftSelector().set_output(transform="pandas").fit(X, y)
selected = selector.transform(X)
print(f"{selected.shape[1]} of {X.shape[1]} columns:", *selected.columns, sep="\n  ")

# %%
# How many columns?
# -----------------
# The search adds one column at a time, the one that raises the *soft dependency* most: how likely
# it is that a random similar tumor has the same diagnosis. Beyond the peak, more columns add more
# noise than information. Here the peak is at five columns, two of which repeat others: neighbors
# and a linear model predict as well without them, so three are left. The second curve is a sanity
# check: how often the five nearest other tumors vote for the right diagnosis.

ax = plot_front(selector)

# %%
# Do models do as well?
# ---------------------
# Select inside the folds of a cross-validation, never before it: otherwise the test rows have
# taken part in the selection, and the score is too good. :func:`fuzzyfrog.check` does that with
# three plain models.

result = check(selector, X, y)
print(result)

# %%
# Is the difference to all 30 columns more than one standard error? If so, ``loses`` is true.

print("a loss:", result.loses)

# %%
# What do the columns look like?
# ------------------------------
# The first two that were added already separate most of the tumors.

first, second = selector.front_[1].names
fig, ax = plt.subplots(figsize=(6, 4.2), layout="constrained")
for name, marker, color in (("benign", "o", "#0f766e"), ("malignant", "^", "#b45309")):
    rows = X[y == name]
    ax.scatter(rows[first], rows[second], s=16, marker=marker, color=color, alpha=0.6, label=name)
ax.set(xlabel=first, ylabel=second)
ax.legend(frameon=False)

# %%
# Why is a column there?
# ----------------------
# Without it, some tumors get worse neighbors. These do most of all.

print(selector.explain(first, limit=3))

# %%
# ``selector.report("page.html", check=result)`` writes all of this into one file to share. On the
# command line, one line does the same: ``fuzzyfrog select table.csv --target diagnosis --report
# page.html``.
