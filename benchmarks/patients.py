"""Print what groups do for a table of patients, some of whose columns only identify them.

60 patients have 5 rows each; the class is that of the patient. 10 columns are the same in all rows
of a patient but for some noise, and say nothing else; 3 columns inform, with a signal of 0.9, 0.5
or 0.3. Run it with ``python benchmarks/patients.py``; it takes about a minute.
"""

import warnings

import numpy as np
from sklearn.model_selection import GroupKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fuzzyfrog import SoftSelector

N_PATIENTS, N_ROWS, N_IDENTIFYING, N_INFORMATIVE, N_SEEDS = 60, 5, 10, 3, 10


def patients(signal, seed):
    """Return the columns, the classes and the patients."""
    rng = np.random.default_rng(seed)
    patient = np.repeat(np.arange(N_PATIENTS), N_ROWS)
    y = rng.permutation(N_PATIENTS)[patient] % 2
    shape = len(patient), N_IDENTIFYING
    who = rng.normal(size=(N_PATIENTS, N_IDENTIFYING))[patient] + 0.1 * rng.normal(size=shape)
    what = signal * (2 * y[:, None] - 1) + rng.normal(size=(len(y), N_INFORMATIVE))
    return np.hstack([who, what]), y, patient


def accuracy(X, y, groups):
    """Return the accuracy of five neighbors on patients that they do not know."""
    model = make_pipeline(StandardScaler(), KNeighborsClassifier())
    return cross_val_score(model, X, y, groups=groups, cv=GroupKFold(5)).mean()


def main():
    """Print the table."""
    print("| signal | groups | identifying | selected | 5-NN, grouped folds |")
    print("|---|---|---|---|---|")
    for signal in (0.9, 0.5, 0.3):
        for name in ("all columns", "none", "patients"):
            found = []
            for seed in range(N_SEEDS):
                X, y, patient = patients(signal, seed)
                support = np.ones(X.shape[1], bool)
                if name != "all columns":
                    given = patient if name == "patients" else None
                    support = SoftSelector(random_state=0).fit(X, y, groups=given).support_
                n_identifying = support[:N_IDENTIFYING].sum()
                found.append((n_identifying, support.sum(), accuracy(X[:, support], y, patient)))
            means = np.mean(found, axis=0)
            print(f"| {signal} | {name} | {means[0]:.1f} | {means[1]:.1f} | {means[2]:.3f} |")


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        main()
