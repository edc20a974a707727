"""
A cheap and certified panel
===========================

A laboratory measures thirteen things of each wine and would like to stop measuring most of them.
Which panel still separates the three growers on these 178 wines as well as all thirteen
measurements do? That is a *reduct*, and its size or its price can be proved to be the least. The
wines are those of scikit-learn; the prices are made up.
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


def price(selector):
    """Return what the selected panel costs."""
    return sum(prices[name] for name in selector.get_feature_names_out())


# %%
# The fewest measurements
# -----------------------

fewest = ReductSelector(certify=True, random_state=0).fit(wine)
print(fewest.certificate_)

# %%
# By the measure, every one of them is as good as any other. A column of this picture is a panel,
# a row a measurement.

ax = plot_reducts(fewest)

# %%
# The least price
# ---------------
# Their prices differ much. ``costs`` asks for the cheapest panel instead of the smallest one, with
# the same proof.

cheapest = ReductSelector(costs=prices, certify=True, random_state=0).fit(wine)
print(*cheapest.get_feature_names_out())
print(f"price {price(cheapest)}. {cheapest.certificate_}")

fig, ax = plt.subplots(figsize=(6, 2.8), layout="constrained")
panels = [sum(prices[name] for name in reduct.names) for reduct in fewest.reducts_]
ax.hist(panels, bins=range(10, 80, 3), color="#a9b1ae", label="the smallest panels")
ax.axvline(price(cheapest), color="#0f766e", lw=3, label="the cheapest panel")
ax.set(xlabel="price", ylabel="panels", ylim=(0, 40))
ax.legend(frameon=False, loc="upper right")

# %%
# When an instrument fails
# ------------------------
# ``survives=1`` asks for the fewest measurements of which any one may be lost.

spare = ReductSelector("exact", survives=1).fit(wine)
print(*spare.get_feature_names_out())
print(spare.certificate_)

# %%
# What a proof does not say
# -------------------------
# It is about these wines. Whether models can predict the grower of *other* wines from such a panel
# is a different question, and the answer here is: less well than with all thirteen measurements.
# To predict, use ``SoftSelector``.

print(check(ReductSelector(random_state=0), wine))
