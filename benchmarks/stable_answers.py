"""How stable answers are at equal size, next to Boruta, RFE and mRMR, on ten real tables.

    pip install '.[bench]' mrmr_selection
    python benchmarks/stable_answers.py  # FUZZYFROG_DATA has the tables of the paper; minutes

Each table is split into complementary halves, ten times, stratified by class. On each half every
selector takes as many columns as `SoftSelector` takes on the whole table: Boruta by its rank, then
by the mean importance of its forests. The measure is that of S. Nogueira, K. Sechidis and G. Brown,
"On the stability of feature selection algorithms" (2018), which is 1 for the same columns on every
half and 0 for random ones. Stability alone is easy to have, so the accuracy of five neighbors and
of logistic regression on the other half, balanced and averaged, stands next to it.
"""

import os
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from boruta import BorutaPy
from mrmr import mrmr_classif
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fuzzyfrog import SoftSelector, load_dataset, read_table

N_PAIRS, MOST_ROWS = 10, 600
BUNDLED = ("wine", "breast_cancer", "digits")
FILES = {
    "heart": "heart.csv", "ionosphere": "ionosphere.csv", "olitos": "olitos.csv",
    "parkinson": "parkinson.csv", "sonar": "sonar.csv", "libras": "libras_movement.csv",
    "urban": "urban_land_cover.csv.gz",
}  # fmt: skip


def stability(taken: np.ndarray) -> float:
    """Return Nogueira's measure of which columns were taken, a row for each half."""
    n_halves, n_columns = taken.shape
    shares, size = taken.mean(axis=0), taken.sum(axis=1).mean()
    variances = n_halves / (n_halves - 1) * shares * (1 - shares)
    return float(1 - variances.mean() / (size / n_columns * (1 - size / n_columns)))


def tables():
    """Yield the name, values and classes of each table; of a large one, some random rows."""
    folder = Path(os.environ["FUZZYFROG_DATA"])
    for name in (*BUNDLED, *FILES):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if name in BUNDLED:
                data = load_dataset(name)
            else:
                data = read_table(folder / FILES[name], target="class", target_kind="class")
        X, y = data.values, data.target
        rows = np.sort(np.random.default_rng(0).permutation(len(y))[:MOST_ROWS])
        X = X[rows]
        X = np.where(np.isnan(X), np.nanmedian(X, axis=0), X)
        yield name, X[:, X.std(axis=0) > 0], y[rows]


def by_soft(X, y, size):
    """Return the columns of the soft measure."""
    return np.flatnonzero(SoftSelector(size, copies="keep", n_jobs=1).fit(X, y).support_)


def by_boruta(X, y, size):
    """Return the columns that Boruta ranks first."""
    forest = RandomForestClassifier(100, max_depth=5, class_weight="balanced", random_state=0)
    found = BorutaPy(forest, n_estimators=100, max_iter=20, random_state=0).fit(X, y)
    importance = np.nanmean(found.importance_history_, axis=0)
    return np.lexsort((-importance, found.ranking_))[:size]


def by_rfe(X, y, size):
    """Return the columns that recursive elimination by logistic regression keeps."""
    model = LogisticRegression(max_iter=1_000)
    return RFE(model, n_features_to_select=size, step=0.1).fit(_scaled(X), y).get_support(True)


def by_mrmr(X, y, size):
    """Return the columns of minimum redundancy and maximum relevance."""
    chosen = mrmr_classif(pd.DataFrame(X), pd.Series(y), K=size, n_jobs=1, show_progress=False)
    return np.array(chosen)


def _scaled(X):
    return StandardScaler().fit_transform(X)


SELECTORS = {"soft": by_soft, "Boruta": by_boruta, "RFE": by_rfe, "mRMR": by_mrmr}


def accuracy(X, y, here, there, columns):
    """Return the mean balanced accuracy of two models on the other half."""
    models = KNeighborsClassifier(), LogisticRegression(max_iter=1_000)
    fitted = (make_pipeline(StandardScaler(), one).fit(X[here][:, columns], y[here])
              for one in models)  # fmt: skip
    return np.mean(
        [balanced_accuracy_score(y[there], one.predict(X[there][:, columns])) for one in fitted]
    )


def main() -> None:
    """Print a line of Markdown for each table."""
    warnings.simplefilter("ignore")
    heads = " | ".join(SELECTORS)
    print(f"| table | columns | taken | {heads} | {heads} | seconds |")
    print("|" + "---|" * (4 + 2 * len(SELECTORS)))
    rows = []
    for name, X, y in tables():
        start = time.perf_counter()
        size = SoftSelector(copies="keep").fit(X, y).n_features_
        taken = {one: [] for one in SELECTORS}
        right = {one: [] for one in SELECTORS}
        for pair in range(N_PAIRS):
            parts = StratifiedKFold(2, shuffle=True, random_state=pair).split(X, y)
            for there, here in parts:
                for one, select in SELECTORS.items():
                    columns = select(X[here], y[here], size)
                    taken[one].append(np.isin(np.arange(X.shape[1]), columns))
                    right[one].append(accuracy(X, y, here, there, columns))
        stable = [stability(np.array(taken[one])) for one in SELECTORS]
        means = [float(np.mean(right[one])) for one in SELECTORS]
        rows.append([*stable, *means])
        shown = " | ".join([*(f"{one:.2f}" for one in stable), *(f"{one:.3f}" for one in means)])
        took = time.perf_counter() - start
        print(f"| {name} | {X.shape[1]} | {size} | {shown} | {took:.0f} |", flush=True)
    shown = np.mean(rows, axis=0)
    n = len(SELECTORS)
    text = " | ".join([*(f"{one:.2f}" for one in shown[:n]), *(f"{one:.3f}" for one in shown[n:])])
    print(f"| mean | | | {text} | |")


if __name__ == "__main__":
    main()
