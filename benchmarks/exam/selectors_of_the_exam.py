"""The selectors of the exam, its models and its figures; `plan.md` has the reasons."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import rankdata, wilcoxon
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.feature_selection import (
    RFECV,
    f_classif,
    f_regression,
    mutual_info_classif,
    mutual_info_regression,
)
from sklearn.linear_model import LassoCV, LogisticRegression, LogisticRegressionCV, Ridge
from sklearn.metrics import balanced_accuracy_score, r2_score
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale
from sklearn.svm import SVC, SVR

sys.path.append(str(Path(__file__).parents[2] / "lab" / "selectors"))

OURS = "fuzzyfrog"
REDUNDANT = 0.9
MOST_FOR_FIGFS = 30
Chosen = Callable[[pd.DataFrame, np.ndarray, int, bool], np.ndarray]


def folds(
    target: np.ndarray, numeric: bool, n_folds: int, seed: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Return the rows to train on and those to predict."""
    kind = KFold if numeric else StratifiedKFold
    return kind(n_folds, shuffle=True, random_state=seed).split(target, target)


def scored(
    columns: pd.DataFrame, target: np.ndarray, train: np.ndarray, test: np.ndarray, numeric: bool
) -> list[float]:
    """Return the score of each model on the rows left out."""
    values = columns.to_numpy(np.float64)
    if numeric:
        models = (
            KNeighborsRegressor(), Ridge(), SVR(), RandomForestRegressor(200, random_state=0),
        )  # fmt: skip
        spread = target[train].std()
    else:
        models = (
            KNeighborsClassifier(), LogisticRegression(max_iter=2000), SVC(),
            RandomForestClassifier(200, random_state=0),
        )  # fmt: skip
    scores = []
    for model in models:
        made = make_pipeline(StandardScaler(), model)
        if numeric:  # in standard deviations, as an SVR assumes
            made.fit(values[train], target[train] / spread)
            scores.append(max(-1.0, r2_score(target[test] / spread, made.predict(values[test]))))
        else:
            made.fit(values[train], target[train])
            scores.append(balanced_accuracy_score(target[test], made.predict(values[test])))
    return [float(score) for score in scores]


def redundant(columns: pd.DataFrame) -> int:
    """Return how many columns have a correlation of at least 0.9 to another one."""
    values = columns.to_numpy(np.float64)
    if values.shape[1] < 2:
        return 0
    with np.errstate(all="ignore"):
        pearson = np.nan_to_num(np.corrcoef(values, rowvar=False))
        ranks = rankdata(values, axis=0)
        spearman = np.nan_to_num(np.corrcoef(ranks, rowvar=False))
    strongest = np.maximum(np.abs(pearson), np.abs(spearman))
    np.fill_diagonal(strongest, 0.0)
    return int((strongest.max(axis=0) >= REDUNDANT).sum())


def stability(cells: pd.DataFrame) -> float:
    """Return the stability of the selections in the folds of one table (Nogueira et al. 2018)."""
    n_columns = int(cells["n_columns"].iloc[0])
    taken = np.zeros((len(cells), n_columns))
    for row, features in enumerate(cells["features"]):
        taken[row, features] = 1.0
    share = taken.mean(axis=0)
    variance = len(cells) / (len(cells) - 1) * share * (1 - share)
    expected = share.sum() / n_columns
    most = expected * (1 - expected)
    return float(1 - variance.mean() / most) if most > 0 else 1.0


def against_ours(by_table: pd.DataFrame) -> dict[str, float]:
    """Return the p-value of Wilcoxon's test against each other selector, corrected after Holm."""
    raw = {}
    for name in by_table:
        pairs = by_table[[OURS, name]].dropna()
        apart = pairs[OURS] - pairs[name]
        if name != OURS and (apart != 0).any():
            raw[name] = float(wilcoxon(apart).pvalue)
    corrected, largest = {}, 0.0
    for place, name in enumerate(sorted(raw, key=raw.__getitem__)):
        largest = max(largest, min(1.0, raw[name] * (len(raw) - place)))
        corrected[name] = largest
    return corrected


def _all(X: pd.DataFrame, y: np.ndarray, size: int, numeric: bool) -> np.ndarray:
    return np.arange(X.shape[1])


def _soft(X: pd.DataFrame, y: np.ndarray, size: int, numeric: bool) -> np.ndarray:
    from fuzzyfrog import SoftSelector

    return SoftSelector(target=_kind(numeric)).fit(X, y).get_support(indices=True)


def _reduct(X: pd.DataFrame, y: np.ndarray, size: int, numeric: bool) -> np.ndarray:
    from fuzzyfrog import ReductSelector

    selector = ReductSelector(target=_kind(numeric), random_state=0)
    return selector.fit(X, y).get_support(indices=True)


def _kind(numeric: bool) -> str:
    return "numeric" if numeric else "class"


def _codes(y: np.ndarray, numeric: bool) -> np.ndarray:
    return y if numeric else np.unique(y, return_inverse=True)[1]


def _forest(numeric: bool, n_trees: int, **settings: object) -> object:
    kind = RandomForestRegressor if numeric else RandomForestClassifier
    return kind(n_trees, random_state=0, **settings)


def _boruta(X: pd.DataFrame, y: np.ndarray, size: int, numeric: bool) -> np.ndarray:
    from boruta import BorutaPy

    found = BorutaPy(
        _forest(numeric, 100, max_depth=5), n_estimators=100, max_iter=50, random_state=0
    )
    found.fit(X.to_numpy(), _codes(y, numeric))
    return np.flatnonzero(found.support_ | found.support_weak_)


def _rfecv(X: pd.DataFrame, y: np.ndarray, size: int, numeric: bool) -> np.ndarray:
    model = Ridge() if numeric else LogisticRegression(max_iter=500)
    scoring = "r2" if numeric else "balanced_accuracy"
    return RFECV(model, step=0.1, cv=5, scoring=scoring).fit(scale(X), y).get_support(indices=True)


def _l1(X: pd.DataFrame, y: np.ndarray, size: int, numeric: bool) -> np.ndarray:
    values = scale(X)
    if numeric:
        return np.flatnonzero(LassoCV(cv=5, random_state=0, max_iter=5000).fit(values, y).coef_)
    model = LogisticRegressionCV(
        Cs=10, cv=5, l1_ratios=[1.0], solver="saga", max_iter=500, random_state=0
    )
    return np.flatnonzero(np.abs(model.fit(values, y).coef_).max(axis=0))


def _mrmr(X: pd.DataFrame, y: np.ndarray, size: int, numeric: bool) -> np.ndarray:
    values = scale(X)
    with np.errstate(all="ignore"):
        relevance = (f_regression if numeric else f_classif)(values, y)[0]
        relevance = np.nan_to_num(relevance, nan=0.0, posinf=1e300)
        correlation = np.abs(np.nan_to_num(np.corrcoef(values, rowvar=False)))
    chosen = [int(np.argmax(relevance))]
    total = correlation[chosen[0]].copy()
    while len(chosen) < size:
        score = relevance / np.maximum(total / len(chosen), 1e-3)
        score[chosen] = -np.inf
        chosen.append(int(np.argmax(score)))
        total += correlation[chosen[-1]]
    return np.array(chosen)


def _fastcan(X: pd.DataFrame, y: np.ndarray, size: int, numeric: bool) -> np.ndarray:
    from fastcan import FastCan

    values = scale(X)
    varies = np.flatnonzero(values.std(axis=0) > 0)
    codes = y[:, np.newaxis] if numeric else pd.get_dummies(y).to_numpy(np.float64)[:, 1:]
    size = min(size, len(varies), len(values) - 1)
    model = FastCan(n_features_to_select=size, verbose=0).fit(values[:, varies], codes)
    return varies[model.get_support()]


def _relieff(X: pd.DataFrame, y: np.ndarray, size: int, numeric: bool) -> np.ndarray:
    from skrebate import ReliefF

    weights = ReliefF(n_neighbors=10).fit(scale(X), _codes(y, numeric)).feature_importances_
    return np.argsort(-weights, kind="stable")[:size]


def _shap(X: pd.DataFrame, y: np.ndarray, size: int, numeric: bool) -> np.ndarray:
    import shap

    forest = _forest(numeric, 100).fit(X.to_numpy(), y)
    values = np.abs(np.asarray(shap.TreeExplainer(forest).shap_values(X.to_numpy())))
    others = tuple(axis for axis in range(values.ndim) if axis != 1)
    return np.argsort(-values.mean(axis=others), kind="stable")[:size]


def _k_best(X: pd.DataFrame, y: np.ndarray, size: int, numeric: bool) -> np.ndarray:
    relevance = mutual_info_regression if numeric else mutual_info_classif
    scores = relevance(scale(X), y, random_state=0)
    return np.argsort(scores, kind="mergesort")[::-1][:size]  # as SelectKBest breaks ties


def _frfs(X: pd.DataFrame, y: np.ndarray, size: int, numeric: bool) -> np.ndarray:
    from frlearn.feature_preprocessors import FRFS

    values = X.to_numpy(np.float64)
    model = FRFS()(values / np.maximum(values.std(axis=0), 1e-12), _codes(y, numeric))
    return np.flatnonzero(model.selection)


def _figfs(X: pd.DataFrame, y: np.ndarray, size: int, numeric: bool) -> np.ndarray:
    from ficaria import FuzzyGranularitySelector

    with np.errstate(all="ignore"):
        relevance = np.nan_to_num(f_classif(X, y)[0], nan=0.0, posinf=1e300)
    offered = np.sort(np.argsort(-relevance, kind="stable")[:MOST_FOR_FIGFS])
    part = X.iloc[:, offered].copy()
    part.columns = [f"c{place}" for place in offered]
    size = min(size, len(offered))
    found = FuzzyGranularitySelector(n_features=size, max_features=size, random_state=0)
    with pd.option_context("future.infer_string", False):  # it needs labels as NumPy has them
        found.fit(part, pd.Series(y.astype(object), index=part.index))
    return np.array([int(name[1:]) for name in found.S_[:size]])


SELECTORS: dict[str, Chosen] = {
    "all": _all, OURS: _soft, "reducts": _reduct, "Boruta": _boruta, "RFECV": _rfecv, "L1": _l1,
    "FRFS": _frfs, "mRMR": _mrmr, "fastcan": _fastcan, "ReliefF": _relieff, "SHAP": _shap,
    "SelectKBest": _k_best, "FIGFS": _figfs,
}  # fmt: skip
CLASSES_ONLY = ("FRFS", "FIGFS")
OF_OUR_SIZE = ("mRMR", "fastcan", "ReliefF", "SHAP", "SelectKBest", "FIGFS")
ORDERS = ("ReliefF", "SHAP", "SelectKBest")  # they sort all columns
PACKAGES = (
    "fuzzyfrog",
    "boruta",
    "fastcan",
    "frlearn.feature_preprocessors",
    "ficaria",
    "shap",
    "skrebate",
)
