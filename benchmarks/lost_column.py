"""What the loss of a column costs models: reducts that survive it, next to plain ones of that size.

Five folds, the selection inside each. Models are trained on the selected columns of the training
samples; then each column in turn is lost in the test samples (its values become the training mean)
and the accuracy that is lost is averaged over columns, folds and models.

    FUZZYFROG_DATA=folder python benchmarks/lost_column.py [table ...]
"""

import os
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import wilcoxon
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from fuzzyfrog import ReductSelector
from fuzzyfrog.errors import ParameterError

BUNDLED = {"breast_cancer": load_breast_cancer, "digits": load_digits}
FILES = ("breast_cancer_wisconsin", "cleveland", "heart", "ionosphere", "libras_movement",
         "lung_cancer", "olitos", "parkinson", "pima_diabetes", "sonar", "wine",
         "lsvt_voice_rehab", "urban_land_cover")  # fmt: skip
# Where a column is in every reduct, no set survives its loss at the full dependency.
SHARES = (1.0, 0.99, 0.95, 0.9, 0.8)


def table(name):
    """Return the columns, gaps filled by the median, and the classes of a table."""
    if name in BUNDLED:
        frame = BUNDLED[name](as_frame=True)
        return frame.data, frame.target.to_numpy()
    folder = Path(os.environ["FUZZYFROG_DATA"])
    frame = pd.read_csv(next(folder.glob(f"{name}.csv*")))
    classes = pd.factorize(frame.pop(frame.columns[-1]))[0]
    frame = frame.apply(lambda column: pd.to_numeric(column, errors="coerce"))
    return frame.fillna(frame.median()), classes


def selected(X, y):
    """Return columns that survive a loss, as many plain ones, and the share that both keep."""
    for share in SHARES:
        settings = {"min_dependency": share, "max_seconds": 20, "random_state": 0}
        try:
            spare = ReductSelector(survives=1, **settings).fit(X, y).get_support(indices=True)
        except ParameterError:
            continue
        plain = ReductSelector(n_features_to_select=len(spare), max_seconds=20, random_state=0)
        return spare, plain.fit(X, y).get_support(indices=True), share
    return None


def models():
    """Return the models that predict."""
    return (KNeighborsClassifier(), LogisticRegression(max_iter=2000),
            RandomForestClassifier(100, random_state=0))  # fmt: skip


def scores(X, y, train, test, columns):
    """Return the mean accuracy with all columns, and that without each."""
    scaler = StandardScaler().fit(X[train][:, columns])
    known, new = scaler.transform(X[train][:, columns]), scaler.transform(X[test][:, columns])
    whole, without = [], []
    for model in models():
        model.fit(known, y[train])
        whole.append(model.score(new, y[test]))
        for column in range(len(columns)):
            blank = new.copy()
            blank[:, column] = 0.0
            without.append(model.score(blank, y[test]))
    return np.mean(whole), np.mean(without)


def main():
    """Print one row for each table, and the test over all of them."""
    warnings.simplefilter("ignore")
    names = sys.argv[1:] or [*BUNDLED, *FILES]
    print("| table | columns | dependency kept | survives: whole | without one | lost "
          "| plain: whole | without one | lost |\n" + "|---" * 9 + "|")  # fmt: skip
    lost = []
    for name in names:
        X, y = table(name)
        rows = []
        for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
            found = selected(X.iloc[train], y[train])
            if found is None:
                break
            both = [scores(X.to_numpy(), y, train, test, columns) for columns in found[:2]]
            rows.append((len(found[0]), found[2], *both[0], *both[1]))
        if len(rows) < 5:
            print(f"| {name} | nothing survives |")
            continue
        size, share, *four = np.mean(rows, axis=0)
        a, b, c, d = 100 * np.array(four)
        lost.append((a - b, c - d))
        print(f"| {name} | {size:.1f} | {share:.2f} | {a:.1f} | {b:.1f} | {a - b:.1f} "
              f"| {c:.1f} | {d:.1f} | {c - d:.1f} |", flush=True)  # fmt: skip
    spare, plain = np.array(lost).T
    p_value = wilcoxon(spare, plain).pvalue
    print(
        f"lost: {spare.mean():.2f} points if it survives, {plain.mean():.2f} plain; fewer on "
        f"{(spare < plain).sum()} of {len(lost)}, Wilcoxon p {p_value:.3f}"
    )


if __name__ == "__main__":
    main()
