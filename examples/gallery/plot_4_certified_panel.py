"""
A cheap and certified panel
===========================

A laboratory measures thirteen things of each wine and would like to stop measuring most of them.
Which smallest panel still separates the three growers on these 178 wines? That is a *reduct*, and
its size can be proved. The wines are those of scikit-learn; the prices are made up.
"""

import warnings

import matplotlib.pyplot as plt

from fuzzyfrog import ReductSelector, check, load_dataset, plot_reducts
from fuzzyfrog.errors import PredictionWarning

warnings.simplefilter("ignore", PredictionWarning)  # it says what the last section says
wine = load_dataset("wine")
prices = {
    "alcohol": 2, "malic_acid": 6, "ash": 3, "alcalinity_of_ash": 4, "magnesium": 5,
    "total_phenols": 9, "flavanoids": 20, "nonflavanoid_phenols": 14, "proanthocyanins": 16,
    "color_intensity": 2, "hue": 2, "od280/od315_of_diluted_wines": 8, "proline": 25,
}  # fmt: skip

# %%
# The proof
# ---------

selector = ReductSelector(certify=True, random_state=0).fit(wine)
print(selector.certificate_)

# %%
# Every one of them is as good as any other by the measure, so choose by price.

costs = [sum(prices[name] for name in reduct.names) for reduct in selector.reducts_]
cheapest = min(range(len(costs)), key=costs.__getitem__)
selector.select_reduct(cheapest)
print(*selector.get_feature_names_out(), "for", costs[cheapest])

fig, ax = plt.subplots(figsize=(6, 2.8), layout="constrained")
ax.hist(costs, bins=range(10, 80, 3), color="#a9b1ae")
ax.axvline(costs[cheapest], color="#0f766e", lw=3)
ax.set(xlabel="price of a smallest panel", ylabel="panels")

# %%
# What they have in common
# ------------------------
# A column of this picture is a panel, a row a measurement.

ax = plot_reducts(selector)

# %%
# What a proof does not say
# -------------------------
# It is about these wines. Whether models can predict the grower of *other* wines from such a
# panel is a different question, and the answer here is: less well than with all thirteen
# measurements. To predict, use ``SoftSelector``.

print(check(ReductSelector(random_state=0), wine))
