"""
A large table
=============

Beyond 14,142 rows, ``SoftSelector`` does not compare all pairs: here, it averages over 4,000 random
rows, each compared with *all* rows, and says how far the average may be off. The table is made
up: 50,000 rows and 20 columns, of which three decide the class, two are noisy copies of these,
and fifteen are noise.
"""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from fuzzyfrog import SoftSelector, plot_front, read_table

rng = np.random.default_rng(0)
n = 50_000
X = pd.DataFrame(rng.normal(size=(n, 20)).astype(np.float32), columns=[f"x{i}" for i in range(20)])
y = (X["x0"] + X["x1"] + X["x2"] > 0).map({True: "yes", False: "no"})
X["x3"] = X["x0"] + rng.normal(size=n).astype(np.float32)
X["x4"] = X["x1"] + rng.normal(size=n).astype(np.float32)

# %%
# From a file, in parts
# ---------------------
# Parquet, CSV and ``.npy`` files are read in parts, and kept on disk if they do not fit into
# memory.

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder, "large.parquet")
    X.assign(y=y).to_parquet(path)
    table = read_table(path, target="y")
print(f"{table.n_samples:,} rows, {table.n_features} columns")

# %%
# A fit with a limit
# ------------------
# ``max_seconds`` covers everything after reading. When time is up, or you press Ctrl-C, you get
# the best columns so far.

selector = SoftSelector(random_state=0, max_seconds=600).fit(table)
low, high = selector.dependency_interval_
print(*selector.get_feature_names_out())
print(f"soft dependency {selector.dependency_:.4f}, 95 % interval {low:.4f} to {high:.4f}")

# %%
# Why these?
# ----------
# The dependency rises as long as columns bring something new, and falls from there on, with the
# noisy copies as with the noise.

ax = plot_front(selector)

# %%
# For reducts of large tables, searches start on a sample of the rows and confirm their answer on
# all of them. What takes how long, and what to do with a table that is larger than one machine:
# :doc:`/scale`.
