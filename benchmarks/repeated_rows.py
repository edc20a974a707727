"""The check of tables with repeated rows, next to folds of scikit-learn's GroupKFold.

Every patient has features and a target of their own, so models can only recognize them: 50 % is
right for classes, and an R² below 0 for numbers. The scores by hand know who is who, the check only
has the table. Folds that ignore repeated rows are shown, too.

By hand, the folds are drawn ten times, and the predictions of all folds are scored together: the R²
of a fold with three of fifteen patients compares with the mean of these three, which nobody knows
beforehand, and is too low on average (-1.2, where it is -0.5 for new patients). The folds of the
check are stratified along the target, so their means are alike. *New patients* are 4,000 drawn in
the same way as the table, predicted by models that were trained on all of it.

Run: python benchmarks/repeated_rows.py
"""

import warnings

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import balanced_accuracy_score, r2_score
from sklearn.model_selection import GroupKFold, KFold
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fuzzyfrog import ReductSelector, check
from race import print_head, print_row

N_REPEATS = 10
N_NEW = 4_000
SELECTOR = ReductSelector("quickreduct", random_state=0)
SIZES = {
    "15 x 20": [20] * 15,
    "40 x 12": [12] * 40,
    "59 x 3 + 100": [3] * 59 + [100],
    "100 x 2": [2] * 100,
    "8 x 40": [40] * 8,
    "30 x 1 to 30": list(range(1, 31)),
}
NAMES = ["patient_id", "subject", "PatientNumber", "donor", "mouse", "pid"]
COPIES = {"all rows twice": 2, "all rows three times": 3}


def visits(sizes, name, is_numeric, seed):
    """Return a table of visits, its target, and the patients."""
    random = np.random.default_rng(seed)
    patient = random.permutation(np.repeat(np.arange(len(sizes)), sizes))
    X = random.normal(size=(len(sizes), 5))[patient]
    X += 0.2 * random.normal(size=X.shape)
    table = pd.DataFrame(X, columns=list("abcde")).assign(**{name: patient})
    if is_numeric:
        return table, random.normal(size=len(sizes))[patient] + random.normal(size=len(X)), patient
    return table, random.permutation(np.arange(len(sizes)) % 2)[patient], patient


def copied(n_times, kind, is_numeric, seed, n_rows=120):
    """Return a table of noise whose rows occur several times, its target, and the rows."""
    random = np.random.default_rng(seed)
    row = random.permutation(np.tile(np.arange(n_rows), n_times))
    X = random.normal(size=(n_rows, 5))
    if kind == "whole numbers":
        X = random.integers(0, 30, (n_rows, 5))
    table = pd.DataFrame(X[row], columns=list("abcde"))
    y = random.normal(size=n_rows) if is_numeric else random.integers(0, 2, n_rows)
    return table, y[row], row


def by_hand(X, y, groups, is_numeric):
    """Return the mean score of the models with all features and with the selected ones."""
    score = r2_score if is_numeric else balanced_accuracy_score
    found = []
    for seed in range(N_REPEATS):
        folds = KFold(5, shuffle=True, random_state=seed)
        if groups is not None:
            folds = GroupKFold(5, shuffle=True, random_state=seed)
        predicted = np.empty((2, 3, len(y)))
        for train, test in folds.split(X, y, groups):
            predicted[:, :, test] = predictions(X[train], y[train], X[test], is_numeric)
        found.append([[score(y, one) for one in models] for models in predicted])
    return np.mean(found, axis=(0, 2))


def predictions(X, y, X_new, is_numeric):
    """Return what the models predict with all features and with the selected ones."""
    chosen = SELECTOR.fit(X, y).get_support()
    models = [KNeighborsRegressor(), Ridge(), RandomForestRegressor(50, random_state=0)]
    if not is_numeric:
        models = [
            KNeighborsClassifier(),
            LogisticRegression(class_weight="balanced"),
            RandomForestClassifier(50, class_weight="balanced", random_state=0),
        ]
    return [
        [
            make_pipeline(StandardScaler(), model).fit(X[:, some], y).predict(X_new[:, some])
            for model in models
        ]
        for some in (slice(None), chosen)
    ]


def for_new(X, y, new, is_numeric):
    """Return the mean score of models that were trained on all samples, for new ones."""
    score = r2_score if is_numeric else balanced_accuracy_score
    table, target, _ = new
    found = predictions(X, y, table[list("abcde")].to_numpy(), is_numeric)
    return np.mean([[score(target, one) for one in models] for models in found], axis=1)


def tables():
    """Yield name, kind of target, the table, and one of new samples."""
    for is_numeric in (False, True):
        for place, (name, sizes) in enumerate(SIZES.items()):
            column, new = NAMES[place], visits([1] * N_NEW, "new", is_numeric, 99)
            yield f"{name}, {column}", is_numeric, visits(sizes, column, is_numeric, place), new
        for name, n_times in COPIES.items():
            for kind in ("numbers", "whole numbers"):
                new = copied(1, kind, is_numeric, 99, N_NEW)
                found = copied(n_times, kind, is_numeric, n_times)
                yield f"{name}, {kind}", is_numeric, found, new


def main():
    """Print a row for each table."""
    warnings.simplefilter("ignore")
    print_head(
        "table", "target", "features", "check", "GroupKFold", "apart, standard errors",
        "new patients", "KFold",
    )  # fmt: skip
    for name, is_numeric, (table, y, groups), new in tables():
        found = check(SELECTOR, table, y)
        X = table[list("abcde")].to_numpy()
        right, wrong = by_hand(X, y, groups, is_numeric), by_hand(X, y, None, is_numeric)
        true = for_new(X, y, new, is_numeric)
        for place, one in enumerate((found.all, found.selected)):
            apart = abs(one.score - right[place]) / one.standard_error
            print_row(name, "numbers" if is_numeric else "classes", one.name,
                      f"{one.score:.2f} ± {one.standard_error:.2f}", f"{right[place]:.2f}",
                      f"{apart:.1f}", f"{true[place]:.2f}", f"{wrong[place]:.2f}")  # fmt: skip


if __name__ == "__main__":
    main()
