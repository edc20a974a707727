"""
Repeated measurements
=====================

60 patients with five visits each are not 300 independent rows. Visits of the same patient are
alike, so a column that only identifies the patient seems to predict the disease. The table is made
up: ten markers with a level that belongs to the patient and says nothing about the disease, and
three that are raised in those who are ill, but change from visit to visit.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import GroupKFold, KFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fuzzyfrog import SoftSelector

rng = np.random.default_rng(0)
patient = np.repeat(np.arange(60), 5)
ill = (rng.permutation(60) < 30)[patient]
levels = rng.normal(size=(60, 10))[patient] + rng.normal(scale=0.1, size=(300, 10))
raised = rng.normal(size=(300, 3)) + 0.9 * np.where(ill, 1, -1)[:, np.newaxis]
names = [f"level{i}" for i in range(10)] + [f"raised{i}" for i in range(3)]
X = pd.DataFrame(np.hstack([levels, raised]), columns=names)
y = np.where(ill, "ill", "well")

# %%
# Tell it who is who
# ------------------
# With ``groups``, visits of a patient are left out of each other's neighborhoods: similar to a
# visit must be visits of *other* patients.

without = SoftSelector().fit(X, y)
together = SoftSelector().fit(X, y, groups=patient)
print("without groups:", *without.get_feature_names_out())
print("with groups:   ", *together.get_feature_names_out())

# %%
# On new patients
# ---------------
# The same care is needed for the score. If visits are scattered over the folds, models recognize
# patients. ``GroupKFold`` keeps each patient in one fold. (The columns were selected on all rows
# here, to compare these two sets; for a score of the whole procedure, select inside the folds.)

sets = {
    "all columns": names,
    "without groups": without.get_feature_names_out(),
    "with groups": together.get_feature_names_out(),
}
model = make_pipeline(StandardScaler(), KNeighborsClassifier())
folds = {
    "visits scattered over the folds": list(KFold(5, shuffle=True, random_state=0).split(X)),
    "patients kept together": list(GroupKFold(5).split(X, y, patient)),
}
scores = {
    label: [cross_val_score(model, X[list(s)], y, cv=cv).mean() for s in sets.values()]
    for label, cv in folds.items()
}
place = np.arange(3)
fig, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
for shift, (label, values), color in zip(
    (-0.2, 0.2), scores.items(), ("#a9b1ae", "#0f766e"), strict=True
):
    ax.bar(place + shift, values, 0.38, label=label, color=color)
ax.axhline(0.5, ls=":", color="#1d2423")
ax.set(xticks=place, xticklabels=list(sets), ylabel="accuracy of 5 neighbors", ylim=(0, 1.3))
ax.legend(frameon=False, loc="upper right", fontsize=8)

# %%
# The gray bars of the first two sets are the trap: the models know these patients. On the command
# line, ``--groups patient`` does the same, for the selection and for the check; a column that is
# recognized as an ID, and that several rows share, is used by itself.
