"""
A pipeline with a grid search
=============================

A selector is a step of a scikit-learn pipeline: each fold selects on its own training rows, and a
grid search can choose the parameters of the selector together with those of the model. Here on
the diabetes table of scikit-learn, whose target is a number, with a category added.
"""

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_diabetes
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from fuzzyfrog import SoftSelector

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
X["age_group"] = pd.cut(X.pop("age"), [0, 35, 55, 100], labels=["young", "middle", "old"])
X["sex"] = X["sex"].map({1: "a", 2: "b"}).astype("category")  # the codes of the original table

# %%
# Select first, then encode
# -------------------------
# The selector takes categories as they are, so a category stays one feature. Most models do not:
# encode the columns that are left. ``set_output`` keeps the names and types that the encoder
# needs. Scaling before the selector would change nothing, since the measure divides by the
# standard deviation itself.

encode = make_column_transformer(
    (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_include="category")),
    remainder=StandardScaler(),
)
model = Pipeline(
    [
        ("select", SoftSelector(target="numeric").set_output(transform="pandas")),
        ("encode", encode),
        ("predict", KNeighborsRegressor()),
    ]
)

# %%
# The grid
# --------
# ``select__...`` are parameters of the selector. The best of the grid was chosen by its score, so
# it needs a cross-validation around it, which the last line does.

grid = GridSearchCV(
    model,
    {"select__n_features_to_select": [2, 4, 8], "predict__n_neighbors": [5, 15, 30]},
    cv=4,
    scoring="r2",
)
grid.fit(X, y)
print("best:", grid.best_params_)
print("columns:", *grid.best_estimator_["select"].get_feature_names_out())
nested = cross_val_score(grid, X, y, cv=3, scoring="r2")
print(
    f"R² of the best: {grid.best_score_:.3f}; with the choice inside the folds: {nested.mean():.3f}"
)

# %%
# What the grid saw
# -----------------

scores = pd.DataFrame(grid.cv_results_)
fig, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
for k, marker in ((5, "o"), (15, "^"), (30, "s")):
    rows = scores[scores["param_predict__n_neighbors"] == k]
    ax.plot(
        rows["param_select__n_features_to_select"],
        rows["mean_test_score"],
        marker=marker,
        label=f"{k} neighbors",
    )
ax.set(xlabel="columns", ylabel="R² in 4 folds")
ax.legend(frameon=False)

# %%
# Good to know
# ------------
#
# - Without ``n_features_to_select``, ``SoftSelector`` chooses the number of columns itself, in
#   each fold.
# - A ``ReductSelector`` with a search as an instance has the parameters of the search, too:
#   ``select__search__patience``.
# - ``n_jobs=None`` uses all CPUs, unlike elsewhere in scikit-learn. Inside the processes of
#   ``GridSearchCV(n_jobs=2)``, each selector uses one thread. The result does not depend on it.
# - A ``checkpoint`` is for a single fit: folds have different data.
