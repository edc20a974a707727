"""Costs, losses and samples set aside in tables of 9 to 12 columns, against all subsets.

Differences are whole numbers of the same range, so NumPy looks at every subset without rounding.
Here are weights, and runs that are stopped, which `panel_cases` has not.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from fuzzyfrog import ReductSelector
from fuzzyfrog.errors import ParameterError
from strategies import seeds

QUESTIONS = [(True, 0, False), (False, 1, False), (True, 1, False), (False, 2, False),
             (False, 0, True), (True, 0, True)]  # fmt: skip


@dataclass
class Truth:
    """What every subset of a table is worth; subset i has the columns of the bits of i."""

    n_lost: np.ndarray  # samples that lose membership
    scores: np.ndarray  # sums of memberships by weights, the least one after a loss
    full: int
    whole: int  # the score of samples that are all at distance 1


def random_table(seed, n_losses):
    random = np.random.default_rng([seed, 30])
    n, d, width = int(random.integers(10, 25)), int(random.integers(9, 13)), 1 + 3 * (seed % 2)
    X = random.integers(0, width + 1, (n, d))
    if n_losses:  # spare columns, most of them equal to another one
        X[:, d // 2 : 2 * (d // 2)] = X[:, : d // 2]
        X[random.integers(n), d // 2] = random.integers(0, width + 1)
    X[0], X[-1] = 0, width
    y = random.integers(0, 3, n)
    y[0], y[-1] = 0, 1
    weights = random.integers(1, 5, n) if random.random() < 0.5 else None
    return X, y, weights, str(random.choice(["lukasiewicz", "minimum", "product"]))


def truth_of(X, y, weights, tnorm, n_losses):
    n, d = X.shape
    width = int(X.max())
    has = (np.arange(2**d)[:, np.newaxis] >> np.arange(d) & 1).astype(bool)
    kept = np.empty((2**d, n), np.int64)
    whole = width**d if tnorm == "product" else width
    for sample in range(n):
        apart = np.abs(X[y != y[sample]] - X[sample])
        if tnorm == "lukasiewicz":
            joined = has @ apart.T
        elif tnorm == "minimum":
            joined = np.max([np.outer(has[:, a], apart[:, a]) for a in range(d)], axis=0)
        else:
            alike = [np.where(has[:, [a]], width - apart[:, a], width) for a in range(d)]
            joined = whole - np.prod(alike, axis=0)
        kept[:, sample] = np.minimum(whole, joined.min(axis=1))
    mass = np.ones(n, np.int64) if weights is None else weights
    scores = kept @ mass
    full = int(scores[-1])
    for _ in range(n_losses):
        least = np.full(2**d, scores[0])
        least[1:] = np.iinfo(np.int64).max
        for a in range(d):
            with_it = np.flatnonzero(has[:, a])
            least[with_it] = np.minimum(least[with_it], scores[with_it ^ 1 << a])
        scores = least
    return Truth((kept < kept[-1]).sum(axis=1), scores, full, whole * int(mass.sum())), has


def front_of(prices, values, enough):
    """The highest value for each price, up to the first that is enough."""
    wanted = {}
    for price in np.unique(prices).tolist():
        best = values[prices == price].max()
        if not wanted or best > max(wanted.values()):
            wanted[price] = best
        if best >= enough:
            return wanted
    return wanted


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("question", QUESTIONS, ids=str)
@pytest.mark.parametrize("seed", seeds(90, first=2))
def test_all_that_is_claimed_is_true(seed, question):
    has_costs, n_losses, sets_aside = question
    X, y, weights, tnorm = random_table(seed, n_losses)
    truth, has = truth_of(X, y, weights, tnorm, n_losses)
    names = [f"f{a}" for a in range(X.shape[1])]
    costs = np.random.default_rng(seed).integers(1, [3, 50][seed % 2], len(names))
    prices = (has @ costs if has_costs else has.sum(axis=1))[1:]
    max_lost = seed % 4 if sets_aside else None
    share = 1.0 if sets_aside or seed % 3 else 0.5
    values = -truth.n_lost[1:] if sets_aside else truth.scores[1:]
    enough = -max_lost if sets_aside else share * truth.full
    good = values >= enough
    settings = {
        "costs": dict(zip(names, costs.tolist(), strict=True)) if has_costs else None,
        "survives": n_losses, "max_lost": max_lost, "min_dependency": share, "tnorm": tnorm,
        "spread": "range", "copies": "keep", "random_state": 0,
    }  # fmt: skip
    frame = pd.DataFrame(X, columns=names, dtype=float)

    def fitted(search, **more):
        selector = ReductSelector(search, **settings, **more)
        return selector.fit(frame, [f"y{one}" for one in y], sample_weight=weights)

    def places(subsets):
        return [sum(1 << one for one in subset.features) - 1 for subset in subsets]

    if not good.any():
        with pytest.raises(ParameterError, match="survives must be less than"):
            fitted("exact")
        return
    lowest = prices[good].min()
    best = set(np.flatnonzero(good & (prices == lowest)).tolist())
    for selector in (fitted("exact"), fitted("genetic", certify=True)):
        assert selector.certificate_.all_listed
        assert selector.certificate_.lower_bound == lowest
        assert set(places(selector.reducts_)) == best
        for subset, place in zip(selector.reducts_, places(selector.reducts_), strict=True):
            if sets_aside:
                assert subset.n_lost == len(subset.lost) == truth.n_lost[place + 1]
            else:
                score = truth.scores[place + 1] / truth.whole
                assert subset.dependency == pytest.approx(score, abs=1e-12)
    for limit in (2, 9, 40):
        stopped = fitted("exact", max_evaluations=limit)
        proof = stopped.certificate_
        assert proof.lower_bound <= lowest
        assert not proof.proven or set(places(stopped.reducts_)) <= best
        assert not proof.all_listed or set(places(stopped.reducts_)) == best
    wanted = front_of(prices, values, enough)
    found = {prices[place]: values[place] for place in places(fitted("front").front_)}
    found = {price: value for price, value in found.items() if price >= min(wanted)}
    assert max(found) == max(wanted)
    assert wanted.items() <= found.items()
    for price, value in found.items():  # without costs, sizes that gain nothing are shown as well
        assert value == max(best for least, best in wanted.items() if least <= price)
