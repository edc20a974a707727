"""``fuzzyfrog doctor --warm`` compiles what ordinary fits need."""

import os
import subprocess
import sys

import pytest

FITS = """
import sys
import warnings

import numpy as np

from fuzzyfrog import ReductSelector, SoftSelector
from fuzzyfrog.cli.commands.doctor import _compile_all

def compiled():
    return {
        (name, str(types))
        for path, module in sys.modules.items()
        if "._kernel_" in path
        for name, one in vars(module).items()
        for types in getattr(one, "overloads", ())
    }

warnings.simplefilter("ignore")
_compile_all()
warm = compiled()
rng = np.random.default_rng(0)
for n_samples in (40, 150, 1200):
    X = rng.normal(size=(n_samples, 8))
    gaps = np.where(rng.random(X.shape) < 0.05, np.nan, X)
    mixed = np.column_stack([X, rng.integers(0, 3, n_samples)])
    y = X[:, 0] + X[:, 1] + rng.normal(size=n_samples) / 2
    groups, weights = np.arange(n_samples) // 3, 0.5 + rng.random(n_samples)
    for target in (y > 0, y):
        for selector in (SoftSelector(), ReductSelector(search="quickreduct")):
            selector.fit(X, target)
            selector.fit(gaps, target)
            selector.fit(X, target, groups=groups)
            selector.fit(X, target, sample_weight=weights)
            selector.set_params(categorical_features=[8]).fit(mixed, target)
        for tnorm in ("product", "minimum"):
            ReductSelector(search="quickreduct", tnorm=tnorm).fit(X, target)
        if n_samples < 1000:
            ReductSelector(search="frogs", max_evaluations=2000, certify=True).fit(X, target)
            ReductSelector(search="exact").fit(X, target)
print(*sorted(compiled() - warm), sep="\\n")
"""


@pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT", "0") != "0", reason="nothing is compiled without Numba"
)
def test_the_first_fit_compiles_nothing_after_doctor_warm():
    run = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-c", FITS], capture_output=True, text=True, check=True
    )
    assert run.stdout.split("\n") == ["", ""]
