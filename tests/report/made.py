"""Tables and results that reports are made of."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
from msgspec.structs import replace
from sklearn.datasets import load_wine

from fuzzyfrog import ReductSelector, SoftSelector, load_dataset
from fuzzyfrog.result import (
    Check,
    FeatureSummary,
    ModelScores,
    NoiseGuard,
    Reducts,
    Result,
    Subset,
)

HOSTILE = [
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(2)>",
    "\"quoted\" and 'single' `back`",
    "{{7*7}} {% raw %} ${7*7}",
    '=HYPERLINK("http://example.com","click")',
    "عدد العينات في المجموعة",
    "right\u202eot-left override\u202c and zero\u200bwidth",
    "long " + "name " * 99,
    "emoji 👨\u200d👩\u200d👧 🐸 ✓",
    "null",
    "NaN",
    "javascript:alert(3)",
    "<!-- comment --> <![CDATA[ x ]]>",
    "line\nbreak\ttab\u2028separator",
    "&lt;b&gt;entity&amp;",
    "constructor",
    "__proto__",
    "   ",
]
HOSTILE_CLASSES = ["<b onmouseover=alert(4)>class</b>", "שלום \u202e", "x" * 500]


@cache
def wine_result() -> Result:
    """Return a result on the wines: 343 reducts, nothing ambiguous."""
    wine = load_wine(as_frame=True)
    classes = wine.target.map({0: "Barolo", 1: "Grignolino", 2: "Barbera"})
    command = "fuzzyfrog reducts wine --seed 0 --save wine.json --report wine.html"
    return (
        ReductSelector(random_state=0).fit(wine.data, classes).record(name="wine", command=command)
    )


@cache
def hostile_result() -> Result:
    """Return a result on a table whose names try to break out; some samples stay ambiguous."""
    random = np.random.default_rng(3)
    table = pd.DataFrame(random.normal(size=(90, len(HOSTILE))).round(1), columns=HOSTILE)
    classes = np.array(HOSTILE_CLASSES)[random.integers(0, 3, 90)]
    selector = ReductSelector(
        must_include=HOSTILE[:1], min_dependency=0.85, max_evaluations=3_000, random_state=0
    ).fit(table, classes)
    return selector.record(name=HOSTILE[1], command=f"fuzzyfrog reducts '{HOSTILE[0]}'")


def crowded_result(wine: Result) -> Result:
    """Return a result with as many reducts and features as a page must stay quick with."""
    random = np.random.default_rng(0)
    n_features, n_reducts = 856, 5_000
    weights = random.pareto(1.0, n_features) + 0.01  # some features are in most reducts
    drawn = np.argsort(-weights * random.random((n_reducts - 1, n_features)), axis=1)
    sizes = random.integers(18, 25, n_reducts - 1)
    picks = [tuple(sorted(row[:size].tolist())) for row, size in zip(drawn, sizes, strict=True)]
    picks.insert(0, wine.selected)
    counts = np.bincount(np.concatenate(picks), minlength=n_features) / n_reducts
    features = tuple(FeatureSummary(f"feature {i}", "numeric", 0) for i in range(n_features))
    front = tuple(Subset(tuple(range(k)), k / 24) for k in range(1, 25))
    return replace(
        wine,
        table=replace(wine.table, name="crowded", features=features),
        answer=Reducts(
            tuple(Subset(pick, 1.0, True) for pick in picks), 7_000, tuple(counts.tolist()), ()
        ),
        front=front,
    )


@cache
def many_samples_result() -> Result:
    """Return a result on 20,000 samples, half of which stay ambiguous."""
    random = np.random.default_rng(0)
    X = random.normal(size=(20_000, 8))
    noisy = X[:, :4] @ [1.0, 1.0, -1.0, 0.5] + 0.3 * random.normal(size=20_000)
    selector = ReductSelector("quickreduct", n_features_to_select=3, random_state=0)
    return selector.fit(X, noisy > 0).record(name="20,000 samples")


def soft_result(*, numeric: bool = False, **parameters: object) -> Result:
    """Return a result on the wines with features to predict with."""
    wine = load_dataset("wine")
    if not numeric:
        return SoftSelector(**parameters).fit(wine).record()
    at = wine.feature_names.index("proline")
    X, y = np.delete(wine.values, at, axis=1), wine.values[:, at]
    return SoftSelector(target="numeric", **parameters).fit(X, y).record()


def changed(result: Result, **changes: object) -> Result:
    """Return a result in which some fields differ, also those of its answer."""
    own = {name for name in changes if name in result.answer.__struct_fields__}
    answer = replace(result.answer, **{name: changes[name] for name in own})
    others = {name: value for name, value in changes.items() if name not in own}
    return replace(result, answer=answer, **others)


def scores(
    name: str,
    n_features: float,
    by_model: tuple[float, ...],
    error: float,
    metric: str,
    chance: float,
) -> ModelScores:
    """Return scores in five folds with these means, and this standard error of their mean."""
    step = error / float(
        np.sqrt(2.5 * 0.45)
    )  # the variance of -2, ..., 2, and that of overlapping folds
    folds = tuple(tuple(one + k * step for one in by_model) for k in (-2, -1, 0, 1, 2))
    above = tuple((one - chance) / max(error, 0.001) for one in by_model)
    return ModelScores(name, metric, n_features, folds, 0.25, above)


def a_check(
    *,
    lost: float = 0.08,
    n_random: int = 4,
    soft: tuple[str, ...] = (),
    soft_lost: float = 0.01,
    best_lost: float | None = None,
    error: float = 0.01,
    size: float = 4.2,
    chance: float = 1 / 3,
    metric: str = "balanced accuracy",
) -> Check:
    """Return a check in which models lose some accuracy with the selected features."""
    best = 0.95 - (lost if best_lost is None else best_lost)
    rows = [
        scores("all", 13.0, (0.85, 0.9, 0.95), 0.0, metric, chance),
        scores("selected", size, (0.85 - lost, 0.9 - lost, best), error, metric, chance),
    ]
    if soft:
        by_model = (0.85 - soft_lost, 0.9 - soft_lost, 0.95 - soft_lost)
        rows.append(scores("soft", 6.0, by_model, 0.02, metric, chance))
    return Check(
        metric=metric,
        models=("k nearest neighbors", "logistic regression", "random forest"),
        folds=5,
        seed=0,
        n_samples=178,
        n_groups=178,
        chance=chance,
        scores=tuple(rows),
        selections=(load_dataset("wine").feature_names,) * 5,
        soft_features=soft,
        noise=NoiseGuard(n_taken=24, n_random=n_random, n_shuffles=5, n_samples=178, as_noise=0.4),
        far_out=None,
        left_out=None,
        notes=(),
    )
