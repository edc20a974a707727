"""Run the study of `plan.md`; a run that is stopped continues where it was.

pip install --no-deps --target end-data Boruta           # and as `tables.py` says
python benchmarks/end_of_path/run.py end-data cells.jsonl
python benchmarks/end_of_path/run.py --report cells.jsonl --csv tables.csv
"""

import argparse
import json
import sys
import time
import warnings
from pathlib import Path

import candidates
import numpy as np
import pandas as pd
import tables
from scipy.stats import wilcoxon
from sklearn.model_selection import KFold, StratifiedKFold

from fuzzyfrog.measure import SoftDependency

FOLDS, SEED = 5, 1
ALL, KEPT, TODAY, TWO_ERRORS = "all columns", "no pruning", "W1", "W1b"  # W1 was the default
WIDE, GUARDED, BORUTA = "W2", "W2 + guard", "Boruta"


def main() -> None:
    """Compute the missing cells, or print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", default=Path("end-data"))
    parser.add_argument("cells", type=Path)
    parser.add_argument("--report", action="store_true", help="print the figures only")
    parser.add_argument("--csv", type=Path, help="a file for the means of each table")
    given = parser.parse_args()
    if not given.report:
        sys.path.append(str(given.folder))
        warnings.simplefilter("ignore")
        plain = [(name, False) for name in [*tables.CLASSES, *tables.NUMERIC]]
        for name, with_noise in plain + [(name, True) for name in tables.NOISY]:
            compute(name, with_noise, given.folder, given.cells)
    report(given.cells, given.csv)


def compute(name: str, with_noise: bool, folder: Path, cells: Path) -> None:
    """Compute the missing folds of a table."""
    done = {(cell["table"], cell["noise"], cell["fold"]) for cell in _read(cells)}
    if all((name, with_noise, fold) in done for fold in range(FOLDS)):
        return
    numeric = name in tables.NUMERIC
    X, y = tables.table(name, folder)
    if with_noise:
        X = tables.noisy(X)
    kind = KFold if numeric else StratifiedKFold
    for fold, (train, test) in enumerate(kind(FOLDS, shuffle=True, random_state=SEED).split(X, y)):
        if (name, with_noise, fold) in done:
            continue
        start = time.process_time()
        part = X.iloc[train].reset_index(drop=True)
        sets, measure = selections(part, y[train], numeric, with_noise, check=fold == 0)
        scores, rows = {}, []
        for candidate, (taken, seconds) in sets.items():
            about = {"table": name, "noise": with_noise, "fold": fold, "candidate": candidate}
            about |= {"numeric": numeric, "n_columns": X.shape[1], "taken": taken}
            about |= {"seconds": round(seconds, 3)}
            about["redundant"] = candidates.n_redundant(measure, taken)
            about["useless"] = sum(X.columns[one].startswith("noise ") for one in taken)
            if not with_noise:
                key = tuple(taken)
                if key not in scores:
                    scores[key] = candidates.scored(X.iloc[:, taken], y, train, test, numeric)
                about["scores"], about["balanced"] = scores[key]
            rows.append(json.dumps(about))
        with cells.open("a", encoding="utf-8") as file:
            file.write("\n".join(rows) + "\n")
        spent = time.process_time() - start
        print(f"{name} {with_noise} fold {fold} {spent:.1f} s", file=sys.stderr, flush=True)


def selections(
    X: pd.DataFrame, y: np.ndarray, numeric: bool, with_noise: bool, check: bool
) -> tuple[dict[str, tuple[list[int], float]], SoftDependency]:
    """Return what each candidate takes, and its CPU seconds."""
    clock = time.process_time
    measure = SoftDependency(X, y, target="numeric" if numeric else "class", n_jobs=1)
    start = clock()
    kept = candidates.soft(X, y, numeric, redundant="keep")
    found = {ALL: (list(range(X.shape[1])), 0.0), KEPT: (kept, clock() - start)}
    for name, errors in ((TODAY, 1.0), (TWO_ERRORS, 2.0)):
        begun = clock()
        found[name] = candidates.pruned(measure, kept, errors), found[KEPT][1] + clock() - begun
    today = found[TODAY][0]
    if check and found[TWO_ERRORS][0] != candidates.soft(X, y, numeric):
        raise AssertionError("W1b of this study is not that of SoftSelector")
    if numeric:
        return found, measure
    start = clock()
    wide = candidates.Wide(X, y)
    taken = wide.selected()
    found[WIDE] = taken, clock() - start
    guarded = wide.guarded(taken, today)
    found[GUARDED] = guarded, found[TODAY][1] + clock() - start
    if not with_noise:
        start = clock()
        taken = candidates.boruta(X, y, numeric) or list(range(X.shape[1]))
        found[BORUTA] = taken, clock() - start
    return found, measure


def _read(cells: Path) -> list[dict]:
    lines = cells.read_text(encoding="utf-8").splitlines() if cells.exists() else []
    return [json.loads(line) for line in lines]


def report(cells: Path, csv: Path | None) -> None:
    """Print the figures of the plan, for the tables that are complete."""
    frame = pd.DataFrame(_read(cells))
    frame["size"] = frame["taken"].map(len)
    frame["redundant %"] = 100 * frame["redundant"] / frame["size"]
    noise, plain = frame[frame["noise"]], frame[~frame["noise"]].copy()
    complete = plain.groupby("table")["fold"].nunique() == FOLDS
    plain = plain[plain["table"].map(complete)]
    for column in ("scores", "balanced"):
        plain[column] = [100 * np.mean(values) for values in plain[column]]
    figures = ["size", "redundant", "redundant %", "scores", "balanced", "seconds"]
    means = plain.groupby(["table", "numeric", "n_columns", "candidate"])[figures].mean()
    means = means.reset_index()
    if csv is not None:
        means.round(3).to_csv(csv, index=False)
    for numeric, part in means.groupby("numeric"):
        print(f"\n## {'numbers' if numeric else 'classes'}: {part['table'].nunique()} tables")
        summary(part, [ALL, KEPT, TODAY, TWO_ERRORS] if numeric else [ALL, TODAY, GUARDED, BORUTA])
    print("\n## all tables")
    summary(means, [KEPT, TODAY, TWO_ERRORS])
    if len(noise):
        print(f"\n## 20 columns of noise: {noise['table'].nunique()} tables")
        sums = noise.groupby("candidate")[["useless", "size"]].sum()
        print((100 * sums["useless"] / sums["size"]).round(2).to_string())


def summary(means: pd.DataFrame, ranked: list[str]) -> None:
    """Print means over tables, ranks, and each pair of candidates."""
    by_table = means.pivot(index="table", columns="candidate", values="scores")
    ranks = by_table[ranked].rank(axis=1, ascending=False)
    rows = means.groupby("candidate")[["size", "scores", "balanced", "redundant %"]].mean()
    sums = means.groupby("candidate")[["redundant", "size"]].sum()
    rows["redundant, pooled %"] = 100 * sums["redundant"] / sums["size"]
    rows["rank"] = ranks.mean()
    rows["seconds"] = means.groupby("candidate")["seconds"].median()
    print(rows.dropna(subset=["scores"]).round(2).to_string())
    for left, right in (
        (GUARDED, ALL), (GUARDED, BORUTA), (GUARDED, TODAY), (TODAY, ALL), (TODAY, BORUTA),
        (WIDE, TODAY), (TODAY, KEPT), (TWO_ERRORS, TODAY), (TWO_ERRORS, KEPT),
    ):  # fmt: skip
        if {left, right} <= {*by_table.columns}:
            apart = (by_table[left] - by_table[right]).dropna()
            print(f"{left} - {right}: {against(apart)}", end="")
            if {left, right} <= {*ranks.columns}:
                print(f"; ranks {against(ranks[right] - ranks[left])}", end="")
            print()


def against(apart: pd.Series) -> str:
    """Return the mean of differences, its standard error, wins and losses, Wilcoxon's p."""
    error = apart.std(ddof=1) / np.sqrt(len(apart))
    p = wilcoxon(apart).pvalue if (apart != 0).any() else 1.0
    wins, losses = int((apart > 1e-9).sum()), int((apart < -1e-9).sum())
    return f"{apart.mean():+.2f} (se {error:.2f}, {wins}-{losses}, p {p:.3f})"


if __name__ == "__main__":
    main()
