"""Which share of the samples set aside have a wrong label, next to what a forest suspects.

In each table, 5 % of the labels are replaced by another class. As many samples as that may be set
aside (`max_lost`); the forest suspects as many: those whose own label it finds least likely, out of
fold. cleanlab ranks by the same probabilities, and is used if it is installed.

    FUZZYFROG_DATA=folder python benchmarks/label_errors.py [seconds for each search]
"""

import os
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from fuzzyfrog import ReductSelector

FILES = ("wine", "heart", "glass", "cleveland", "ionosphere", "parkinson", "olitos", "sonar")
SHARE, SEEDS = 0.05, (0, 1)


def tables():
    """Yield the name, the features and the classes of each table."""
    for load in (load_iris, load_breast_cancer):
        frame = load(as_frame=True)
        yield load.__name__.removeprefix("load_"), frame.data, frame.target.to_numpy()
    folder = Path(os.environ["FUZZYFROG_DATA"])
    for name in FILES:
        frame = pd.read_csv(folder / f"{name}.csv")
        target = frame.pop(frame.columns[-1])
        yield name, frame, pd.factorize(target)[0]


def flipped(y, seed):
    """Return labels of which some are wrong, and which samples those are."""
    random = np.random.default_rng(seed)
    wrong = random.choice(len(y), max(1, round(SHARE * len(y))), replace=False)
    labels = y.copy()
    for sample in wrong:
        labels[sample] = random.choice(np.setdiff1d(np.unique(y), y[sample]))
    return labels, set(wrong.tolist())


def suspected_by_forest(X, labels, n_suspected):
    """Return the samples whose label is least likely out of fold, and all probabilities."""
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    forest = RandomForestClassifier(200, random_state=0)
    chances = cross_val_predict(forest, X, labels, cv=folds, method="predict_proba")
    own = chances[np.arange(len(labels)), np.searchsorted(np.unique(labels), labels)]
    return np.argsort(own, kind="stable")[:n_suspected].tolist(), chances


def suspected_by_cleanlab(labels, chances, n_suspected):
    """Return the samples with the lowest quality; None without cleanlab."""
    try:
        from cleanlab.rank import get_label_quality_scores
    except ImportError:
        return None
    codes = np.searchsorted(np.unique(labels), labels)
    scores = get_label_quality_scores(codes, chances, method="normalized_margin")
    return np.argsort(scores, kind="stable")[:n_suspected].tolist()


def main(seconds):
    """Print a row for each table."""
    print("| data | wrong | set aside | columns | wrong of these | forest | cleanlab |")
    print("|---|---|---|---|---|---|---|")
    for name, X, y in tables():
        rows = []
        for seed in SEEDS:
            labels, wrong = flipped(y, seed)
            selector = ReductSelector(
                "quickreduct", max_lost=len(wrong), max_seconds=seconds, random_state=0
            ).fit(X, labels.astype(str))
            aside = selector.reducts_[0].lost
            forest, chances = suspected_by_forest(X, labels, len(wrong))
            clean = suspected_by_cleanlab(labels, chances, len(wrong))
            rows.append(
                (
                    len(wrong),
                    len(aside),
                    selector.n_features_,
                    len(wrong & set(aside)) / max(1, len(aside)),
                    len(wrong & set(forest)) / len(wrong),
                    np.nan if clean is None else len(wrong & set(clean)) / len(wrong),
                )
            )
        n_wrong, n_aside, size, ours, theirs, clean = np.mean(rows, axis=0)
        shares = f"{ours:.0%} | {theirs:.0%} | {clean:.0%}"
        print(f"| {name} | {n_wrong:g} | {n_aside:g} | {size:g} | {shares} |", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 10.0)
