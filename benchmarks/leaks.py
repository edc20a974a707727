"""Print which of 32 made leaks are found, and which of 40 honest tables raise an alarm.

Run it with ``python benchmarks/leaks.py``; it takes a few seconds.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from sklearn import datasets

from fuzzyfrog.data import make_dataset
from fuzzyfrog.select.leaks import suspected_leaks

Table = tuple[str, pd.DataFrame, Any]


def base(n: int, seed: int, n_columns: int = 8) -> tuple[pd.DataFrame, Any, Any]:
    """Return noise and two weak predictors, a skewed target, and a generator of numbers."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, n_columns)), columns=[f"n{k}" for k in range(n_columns)])
    wage = np.round(np.exp(2.5 + 0.3 * X["n0"] + 0.3 * X["n1"] + 0.4 * rng.normal(size=n)), 2)
    return X, wage.to_numpy(), rng


def numeric_leaks() -> Iterator[tuple[str, pd.DataFrame, Any, set[str]]]:
    """Yield tables with a numeric target, and the columns that leak it."""
    X, y, rng = base(500, 0)
    yield "logarithm", X.assign(lwage=np.log(y)), y, {"lwage"}
    yield "logarithm, two digits", X.assign(lwage=np.log(y).round(2)), y, {"lwage"}
    yield "square root", X.assign(root=np.sqrt(y)), y, {"root"}
    yield "square", X.assign(squared=y**2), y, {"squared"}
    yield "reciprocal", X.assign(pace=1 / y), y, {"pace"}
    yield (
        "other units, 0.1 % noise",
        X.assign(cents=100 * y * rng.normal(1, 1e-3, 500)),
        y,
        {"cents"},
    )
    yield "ranges of the target", X.assign(band=pd.qcut(y, 4).codes), y, {"band"}
    signed = y - y.mean()
    yield "target is a square", X.assign(signed=signed), signed**2, {"signed"}
    yield (
        "a category for each price",
        X.assign(tier=pd.cut(y, 60).astype(str)),
        np.round(pd.cut(y, 60).codes * 1.5, 1),
        {"tier"},
    )
    both = {"lwage": np.log(y), "wage2": y * 2.2, "squared": y**2}
    yield "several at once", X.assign(**both), y, set(both)
    casual, registered = rng.poisson(30, 500), rng.poisson(100, 500)
    parts = {"casual": casual, "registered": registered}
    yield "sum", X.assign(**parts), casual + registered, set(parts)
    before, after = rng.normal(70, 12, 500).round(1), rng.normal(72, 13, 500).round(1)
    yield "difference", X.assign(wt71=before, wt82=after), after - before, {"wt71", "wt82"}
    hours = rng.integers(5, 60, 500)
    yield "product", X.assign(hours=hours, wage=y), np.round(hours * y, 2), {"hours", "wage"}
    yield "ratio", X.assign(cost=y * 50, area=hours), np.round(y * 50 / hours, 3), {"cost", "area"}
    size = {
        "weight": rng.normal(75, 12, 500).round(1),
        "height": rng.normal(1.75, 0.1, 500).round(2),
    }
    bmi = size["weight"] / size["height"] ** 2
    yield "product of powers", X.assign(**size), np.round(bmi, 1), set(size)
    three = {f"q{k}": rng.integers(0, 21, 500) for k in range(3)}
    yield "sum of three", X.assign(**three), sum(three.values()), set(three)
    gappy = np.where(rng.random(500) < 0.2, np.nan, before)
    yield "difference with gaps", X.assign(wt71=gappy, wt82=after), after - before, {"wt71", "wt82"}
    mixed = {"hours": hours, "wage": y, "lpay": np.log(hours * y)}
    yield "logarithm and product", X.assign(**mixed), np.round(hours * y, 2), set(mixed)
    X, y, rng = base(20_000, 1, 60)
    yield "logarithm, 20,000 x 61", X.assign(lwage=np.log(y)), y, {"lwage"}
    X, y, rng = base(120, 2, 400)
    a, b = rng.normal(size=(2, 120))
    yield "sum, 120 x 402", X.assign(a=a, b=b), a + b, {"a", "b"}


def class_leaks() -> Iterator[tuple[str, pd.DataFrame, Any, set[str]]]:
    """Yield tables with classes, and the columns that leak them."""
    X, y, rng = base(600, 3)
    three = np.digitize(y, np.quantile(y, [0.4, 0.8]))
    yield "recoded", X.assign(grade=np.array(["c", "a", "b"])[three]), three, {"grade"}
    yield "recoded as numbers", X.assign(code=np.array([7, 2, 5])[three]), three, {"code"}
    finer = np.array([f"s{k}" for k in three * 5 + rng.integers(0, 5, 600)])
    yield "a finer code", X.assign(site=finer), three, {"site"}
    codes = rng.permutation(15)[three * 5 + rng.integers(0, 5, 600)]
    yield "a finer code as numbers", X.assign(site=codes), three, {"site"}
    yield "threshold", X.assign(income=y), y > np.quantile(y, 0.7), {"income"}
    ages = rng.integers(18, 80, 600)
    yield "threshold of whole numbers", X.assign(age=ages), ages >= 40, {"age"}
    yield "ranges", X.assign(score=y), three, {"score"}
    died = rng.random(600) < 0.3
    day = np.where(died, rng.integers(1, 400, 600), np.nan)
    yield "known in one class only", X.assign(day_of_death=day), died, {"day_of_death"}
    onset = [f"{k % 24}:{k // 24:02} h" if one else None for k, one in enumerate(died)]
    yield "labels in one class only", X.assign(onset=onset), died, {"onset"}
    boat = [f"B{k}" if d else None for k, d in zip(rng.integers(1, 9, 600), died, strict=True)]
    boat[:12] = [None] * 12
    yield "a lifeboat, 2 % wrong", X.assign(boat=boat), died, {"boat"}
    leaking = {"boat": boat, "day": day, "risk": died * 1.0, "flag": np.where(died, "x", "y")}
    yield "four at once", X.assign(**leaking), died, set(leaking)
    rare = y > np.quantile(y, 0.95)
    yield "threshold, 5 % in one class", X.assign(income=y), rare, {"income"}


def bundled() -> Iterator[Table]:
    """Yield scikit-learn's tables; iris also with only two kinds, which are easy."""
    for name in ("iris", "wine", "breast_cancer", "digits", "diabetes"):
        data = getattr(datasets, f"load_{name}")(as_frame=True)
        yield name, data.data, data.target.to_numpy()
    iris = datasets.load_iris(as_frame=True)
    yield "iris, two kinds", iris.data[:100], iris.target[:100].to_numpy()
    wine = datasets.load_wine(as_frame=True)
    yield "wine, alcohol", wine.data.drop(columns="alcohol"), wine.data["alcohol"].to_numpy()


def made_classes() -> Iterator[Table]:
    """Yield made classes, hard to easy."""
    for sep in (0.5, 1.0, 2.0, 4.0, 8.0):
        X, y = datasets.make_classification(600, 10, class_sep=sep, random_state=0)
        yield f"classification, {sep:g} apart", pd.DataFrame(X), y
    for n in (150, 1500, 6000):
        for apart in (3.0, 4.5, 5.5, 8.0):
            rng = np.random.default_rng(n)
            y = rng.integers(0, 2, n)
            X = rng.normal(size=(n, 6))
            X[:, 0] += apart * y
            yield f"normal, {apart:g} apart, {n:,} rows", pd.DataFrame(X), y
    X, y = datasets.make_blobs(500, 5, centers=4, random_state=1)
    yield "blobs", pd.DataFrame(X), y
    X, y = datasets.make_moons(500, noise=0.1, random_state=0)
    yield "moons", pd.DataFrame(X), y
    rng = np.random.default_rng(5)
    y = rng.random(2000) < 0.05
    yield "rare class", pd.DataFrame(rng.normal(size=(2000, 8)) + 2 * y[:, None]), y
    y = rng.integers(0, 2, 800)
    skewed = np.exp(rng.normal(size=(800, 5)) + 3 * y[:, None] * (np.arange(5) == 0))
    yield "skewed", pd.DataFrame(skewed), y
    votes = np.where(rng.random((435, 16)) < 0.1, 1 - y[:435, None], y[:435, None])
    yield "votes", pd.DataFrame(np.where(votes, "yes", "no")), y[:435]
    genes = rng.normal(size=(60, 2000))
    genes[:, :20] += 3 * y[:60, None]
    yield "genes", pd.DataFrame(genes), y[:60]
    scale = np.clip(np.round(rng.normal(3 + 4 * y[:, None], 1.5, (800, 6))), 1, 10)
    yield "scales from 1 to 10", pd.DataFrame(scale), y


def made_numbers() -> Iterator[Table]:
    """Yield made quantities, hard to easy."""
    for noise in (1.0, 10.0, 100.0):
        X, y = datasets.make_regression(500, 12, n_informative=8, noise=noise, random_state=0)
        yield f"regression, noise {noise:g}", pd.DataFrame(X), y
    for number in (1, 2, 3):
        X, y = getattr(datasets, f"make_friedman{number}")(500, noise=0.1, random_state=0)
        yield f"friedman {number}", pd.DataFrame(X), y
    rng = np.random.default_rng(6)
    size = np.exp(rng.normal(0, 0.5, 1000))
    X = pd.DataFrame({k: size * np.exp(rng.normal(0, 0.05, 1000)) for k in "xyz"})
    yield "volume of noisy edges", X, 3 * np.log(size) + rng.normal(0, 0.1, 1000)
    counts = pd.DataFrame(rng.normal(size=(1000, 6)))
    yield "counts", counts, rng.poisson(np.exp(2 + counts[0] + 0.5 * counts[1]))
    yield "many zeros", counts, np.maximum(0, counts[0] + rng.normal(size=1000)).to_numpy()
    yield "noise", counts, rng.normal(size=1000)


def said(X: pd.DataFrame, y: Any) -> tuple[set[str], str]:
    """Return the columns that a warning would name, and how they are related to the target."""
    X = X.rename(columns=str)
    dataset = make_dataset(X, np.asarray(y), target="auto")
    leaks = suspected_leaks(dataset, np.ones(dataset.n_features, np.bool_))
    told = [leak for leak in leaks if leak.relation != "alone"]
    names = {dataset.feature_names[one] for leak in told for one in leak.features}
    return names, "; ".join(leak.relation for leak in told)


def main() -> None:
    """Print both tables."""
    n_found, n_alarms, leaks = 0, 0, [*numeric_leaks(), *class_leaks()]
    for name, X, y, expected in leaks:
        names, how = said(X, y)
        n_found += names == expected
        print(f"{'found' if names == expected else 'MISSED':8}{name:30}{how}")
    honest = [*bundled(), *made_classes(), *made_numbers()]
    print()
    for name, X, y in honest:
        names, how = said(X, y)
        n_alarms += bool(names)
        print(f"{'ALARM' if names else 'silent':8}{name:30}{how}")
    print(
        f"\n{n_found} of {len(leaks)} leaks found, {n_alarms} of {len(honest)} honest ones alarmed"
    )


if __name__ == "__main__":
    main()
