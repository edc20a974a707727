"""
Repeated measurements
=====================

40 patients with six visits each are not 240 independent rows. Visits of the same patient are
alike, so a model that has met a patient recognizes the next visit, whatever the disease. The
table is made up: twelve markers, each with a level that belongs to the patient, and two of them
are raised in those who are ill.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from fuzzyfrog import SoftSelector, check

rng = np.random.default_rng(0)
patient = np.repeat(np.arange(40), 6)
ill = rng.permutation(40) < 20
levels = rng.normal(size=(40, 12))
levels[ill, :2] += 1.2
visits = levels[patient] + rng.normal(scale=0.3, size=(240, 12))
X = pd.DataFrame(visits, columns=[f"marker{i}" for i in range(12)])
y = np.where(ill[patient], "ill", "well")

# %%
# Without the patients
# --------------------
# A column that says whose visit it is looks useless, so it is tempting to drop it first. Then
# nothing tells the check that rows belong together, and visits of the same patient are on both
# sides of each split.

naive = check(SoftSelector(), X, y)
print(naive)

# %%
# With them
# ---------
# Keep the column. fuzzyfrog recognizes it as an ID, never selects it (with a warning), and keeps
# all visits of a patient in one fold. Now the models are tested on patients they have not met.

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the warning that 'patient' is left out
    honest = check(SoftSelector(), X.assign(patient=patient), y)
print(honest)

# %%
# The difference
# --------------
# Nearest neighbors fall furthest: they remember patients best.

names = ["k nearest\nneighbors", "logistic\nregression", "random\nforest"]
place = np.arange(3)
fig, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
for shift, result, label, color in (
    (-0.2, naive, "visits scattered over the folds", "#a9b1ae"),
    (0.2, honest, "patients kept together", "#0f766e"),
):
    selected = next(scores for scores in result.scores if scores.name == "selected")
    ax.bar(place + shift, selected.by_model, 0.38, label=label, color=color)
ax.axhline(0.5, ls=":", color="#1d2423")
ax.set(xticks=place, xticklabels=names, ylabel="balanced accuracy", ylim=(0, 1.25))
ax.legend(frameon=False, loc="upper right", fontsize=8)
