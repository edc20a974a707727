"""What groups and weights cost in the kernels, next to the same work without them.

Each figure is the smallest of several times of the CPU, taken in turns, divided by that of the
table without groups and weights: memberships of 64 extensions in float32 and float64, losses of
neighbors along a path, and scores of the strict measure. Weights are different for all rows;
counts are 1, 2 and 3. Run: python benchmarks/weights.py
"""

from collections.abc import Callable
from dataclasses import replace
from time import process_time

import numpy as np

from fuzzyfrog.common.jit import compiling_all
from fuzzyfrog.data import Dataset
from fuzzyfrog.measure import Dependency, SoftDependency
from fuzzyfrog.measure.soft_columns import DOUBLE_PRECISION, SINGLE_PRECISION

TIMES = 9


def made(n_samples: int, *, numeric: bool) -> Dataset:
    """Return a table of 70 features, the first of which inform."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_samples, 70))
    y = X[:, :5].sum(axis=1) + rng.normal(size=n_samples)
    names = tuple(f"x{k}" for k in range(70))
    is_categorical = np.zeros(70, np.bool_)
    if numeric:
        return Dataset(X, y, names, is_categorical, None)
    return Dataset(X, (y > 0).astype(np.int64), names, is_categorical, (0, 1))


def work(dataset: Dataset) -> dict[str, Callable[[], object]]:
    """Return what is timed, by its name."""
    soft, strict = SoftDependency(dataset, n_jobs=1), Dependency(dataset, n_jobs=1)
    base, added, path = np.arange(6), np.arange(6, 70), np.arange(12)
    masks = np.random.default_rng(1).random((20, 70)) < 0.1
    step = np.eye(70, dtype=np.bool_)[6:]
    step[:, :6] = True
    return {
        "float32": lambda: soft._weighed(base, added, SINGLE_PRECISION, soft.anchors),
        "float64": lambda: soft._weighed(base, added, DOUBLE_PRECISION, soft.anchors),
        "losses": lambda: soft.left_out_losses(path),
        "strict": lambda: strict.score(masks),
        "strict step": lambda: strict.best(step),
    }


def main() -> None:
    """Print the ratios."""
    print(
        f"{'table':<16}{'work':<13}{'seconds':>9}{'groups':>9}{'weights':>9}{'both':>9}{'counts':>9}"
    )
    with compiling_all():
        for numeric in (False, True):
            plain = made(1_500, numeric=numeric)
            rng = np.random.default_rng(2)
            groups, weights = rng.integers(0, 300, 1_500), rng.exponential(size=1_500)
            kinds = [
                work(plain),
                work(replace(plain, groups=groups)),
                work(replace(plain, weights=weights)),
                work(replace(plain, groups=groups, weights=weights)),
                work(replace(plain, weights=rng.integers(1, 4, 1_500).astype(np.float64))),
            ]
            for name in kinds[0]:
                best = np.full(len(kinds), np.inf)
                for _ in range(TIMES + 1):  # the first one compiles
                    for place, one in enumerate(kinds):
                        start = process_time()
                        one[name]()
                        best[place] = min(best[place], process_time() - start)
                ratios = "".join(f"{one:>9.2f}" for one in best[1:] / best[0])
                table = "1,500, numeric" if numeric else "1,500, classes"
                print(f"{table:<16}{name:<13}{best[0]:>9.3f}{ratios}", flush=True)


if __name__ == "__main__":
    main()
