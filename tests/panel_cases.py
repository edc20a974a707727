"""Random small tables with categories, gaps, numeric targets, groups, and what is asked of them."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from naive.panels import Panels


@dataclass
class Case:
    frame: pd.DataFrame
    target: list
    panels: Panels
    names: list  # of the features, those of groups among them
    settings: dict
    how: dict  # distances are measured and joined

    def named(self, subsets):
        return {tuple(sorted(self.names[one] for one in subset)) for subset in subsets}


def random_case(seed, n_losses=0):
    random = np.random.default_rng([seed, 30])
    n = int(random.integers(5, 13))
    d = int(random.integers(2, 6 - n_losses) if n_losses else random.integers(3, 8))
    highest = 3 if n_losses else 6  # with few values, spare columns can replace each other
    columns = {}
    for one in range(d):
        values = random.integers(0, random.integers(2, highest + 1), n).tolist()
        values[-1] += len(set(values)) == 1  # constants are left out
        if random.random() < 0.3:
            values = [f"c{value}" for value in values]
        if random.random() < 0.3:
            values[int(random.integers(n))] = None
        columns[f"f{one}"] = values
    for values in n_losses * list(columns.values()):  # spare columns, a few with another value
        spare = values.copy()
        if random.random() < 0.04:
            spare[int(random.integers(n))] = spare[int(random.integers(n))]
        columns[f"f{len(columns)}"] = spare
    d = len(columns)
    is_numeric = random.random() < 0.3
    target = random.integers(0, 9 if is_numeric else 3, n).tolist()
    target[0] += len(set(target)) == 1  # two values at least
    if not is_numeric:
        target = [f"y{value}" for value in target]
    features, names, groups = [(one,) for one in range(d)], [f"f{one}" for one in range(d)], None
    if random.random() < 0.3:
        features = [(0, 1), *features[2:]]
        names, groups = ["both", *names[2:]], {"both": ["f0", "f1"]}
    order = random.permutation(len(features)).tolist()
    must = order[:1] if random.random() < 0.3 else []
    banned = order[1:2] if random.random() < 0.3 else []
    how = {
        "tnorm": str(random.choice(["lukasiewicz", "lukasiewicz", "minimum", "product"])),
        "missing": str(random.choice(["similar", "similar", "different"])),
    }
    settings = {
        **how,
        "spread": "range",
        "copies": "keep",
        "target": "numeric" if is_numeric else "class",
        "must_include": [names[one] for one in must] or None,
        "exclude": [names[one] for one in banned] or None,
        "feature_groups": groups,
    }
    frame = pd.DataFrame(
        {
            name: pd.Series(values, dtype=object)
            if any(isinstance(value, str) for value in values)
            else pd.Series(values, dtype=float)
            for name, values in columns.items()
        }
    )
    asked = {"must": must, "banned": banned, "n_losses": n_losses}
    panels = Panels(list(columns.values()), target, features, **asked, **how)
    return Case(frame, target, panels, names, settings, how)


def priced(case, seed):
    """Costs of some of the features; the others cost 1."""
    random = np.random.default_rng([seed, 31])
    scale = [1, 0.5, 100][seed % 3]
    costs = {name: scale * int(random.integers(1, 9)) for name in case.names}
    named = {name: cost for name, cost in costs.items() if random.random() < 0.8}
    return named or None, [named.get(name, 1) for name in case.names]


def proving(seed):
    """A search that proves what it finds."""
    return {"search": "frogs", "certify": True} if seed % 5 == 0 else {"search": "exact"}


def check_front(front, wanted, value="dependency"):
    """Compare a front with the values that are better than all at a lower size or cost."""
    found = {one.price: float(getattr(one, value)) for one in front}
    found = {price: score for price, score in found.items() if price >= min(wanted)}
    assert set(wanted) <= set(found)
    assert max(found) == max(wanted)
    for price, score in found.items():  # without costs, sizes that gain nothing are shown as well
        best = wanted[max(one for one in wanted if one <= price)]
        assert score == pytest.approx(float(best), abs=1e-12)
