"""Print what the exam's three tables with redundant selections would lose without these columns.

Each fold's selection is scored as it is, and without every column that correlates by at least 0.9
(Pearson or Spearman) with an earlier one of it. This is not part of the plan; it was tried after
the exam had shown how many are redundant. Run: python without_correlated.py exam-data
"""

import sys
import warnings
from pathlib import Path

import numpy as np
import selectors_of_the_exam as exam
import tables
from run import FOLD_SEED, FOLDS


def main() -> None:
    """Print the mean size and score of each table, with and without correlated columns."""
    print("| table | selected | score | without correlated ones | score |")
    print("|---|---|---|---|---|")
    for name in ("chicago", "fruit", "meats"):
        columns, target = tables.table(name, Path(sys.argv[1]))
        numeric = name in tables.NUMERIC
        found = []
        for train, test in exam.folds(target, numeric, FOLDS, FOLD_SEED):
            selected = exam.SELECTORS[exam.OURS](columns.iloc[train], target[train], 0, numeric)
            kept: list[int] = []
            for feature in np.asarray(selected).tolist():
                if not exam.redundant(columns.iloc[train, [*kept, feature]]):
                    kept.append(feature)
            for features in (selected, kept):
                scores = exam.scored(columns.iloc[:, features], target, train, test, numeric)
                found.append((len(features), 100 * np.mean(scores)))
        means = np.reshape(found, (FOLDS, 4)).mean(axis=0)
        print(f"| {name} | {means[0]:.1f} | {means[1]:.1f} | {means[2]:.1f} | {means[3]:.1f} |")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
