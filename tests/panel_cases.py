"""Random small tables with categories, gaps, numeric targets, groups, and what is asked of them."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from naive.panels import Panels


@dataclass
class Case:
    frame: pd.DataFrame
    target: list
    panels: Panels
    names: list  # of the features, those of groups among them
    settings: dict = field(default_factory=dict)

    def named(self, subsets):
        return {tuple(sorted(self.names[one] for one in subset)) for subset in subsets}


def random_case(seed, n_losses=0):
    random = np.random.default_rng([seed, 30])
    n, d = int(random.integers(5, 13)), int(random.integers(3, 7))
    columns = {}
    for one in range(d):
        values = random.integers(0, random.integers(2, 7), n).tolist()
        if random.random() < 0.3:
            values = [f"c{value}" for value in values]
        if random.random() < 0.3:
            values[int(random.integers(n))] = None
        columns[f"f{one}"] = values
    if n_losses:  # spare columns, some of them with another value
        some = list(columns.values())[: 4 - n_losses]
        for original in (n_losses * some)[: 8 - d]:
            values = original.copy()
            if random.random() < 0.3:
                values[int(random.integers(n))] = values[int(random.integers(n))]
            columns[f"f{len(columns)}"] = values
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
    settings = {
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
    panels = Panels(
        list(columns.values()), target, features, must=must, banned=banned, n_losses=n_losses
    )
    return Case(frame, target, panels, names, settings)


def priced(case, seed):
    """Costs of some of the features; the others cost 1."""
    random = np.random.default_rng([seed, 31])
    scale = [1, 0.5, 100][seed % 3]
    costs = {name: scale * int(random.integers(1, 9)) for name in case.names}
    named = {name: cost for name, cost in costs.items() if random.random() < 0.8}
    return named or None, [named.get(name, 1) for name in case.names]
