"""scikit-learn's own checks: none is skipped, none warns, and all pass but two.

Those two compare weights with repeated rows that are independent samples. Here, the copies of a row
are not compared with each other, and for reducts they leave the unit of distances as it is
(docs/theory.md#weights).
"""

import os
import subprocess
import sys

import pytest

# In a process of its own: scikit-learn skips a check unless SciPy was imported with this set.
ENVIRONMENT = {**os.environ, "SCIPY_ARRAY_API": "1"}
CODE = """
import warnings
from sklearn.utils.estimator_checks import check_estimator
from fuzzyfrog import (PredictionWarning, ReductSelector, ShuffledFrogs, SoftSelector)
estimators = {estimators}
warnings.simplefilter("error")  # a skipped check is a warning
warnings.simplefilter("ignore", PredictionWarning)
warnings.filterwarnings("ignore", "12 of the 16 samples repeat")  # of checks of weights
for estimator in estimators:
    expected = {{f"check_sample_weight_equivalence_on_{{kind}}_data": "copies are no samples"
                for kind in ("dense", "sparse")}}
    results = check_estimator(
        estimator, on_skip="warn", on_fail="raise", expected_failed_checks=expected
    )
    assert len(results) > 40
    failed = [one["check_name"] for one in results if one["status"] != "passed"]
    assert set(failed) <= set(expected), results
    print(estimator)
"""


@pytest.mark.parametrize(
    "estimators",
    [
        ["ReductSelector()"],
        ["SoftSelector()"],
        pytest.param(["ReductSelector(ShuffledFrogs(variant='paper'))"], marks=pytest.mark.long),
        pytest.param(["ReductSelector('exact')"], marks=pytest.mark.long),
        pytest.param(
            ["ReductSelector('genetic')", "ReductSelector('swarm', ranking='product')"],
            marks=pytest.mark.long,
        ),
        pytest.param(["ReductSelector('quickreduct', missing='raise')"], marks=pytest.mark.long),
        pytest.param(["ReductSelector('quickreduct', certify=True)"], marks=pytest.mark.long),
    ],
    ids=", ".join,
)
def test_every_check_passes(estimators):
    code = CODE.format(estimators=f"[{', '.join(estimators)}]")
    run = subprocess.run(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-c", code], capture_output=True, text=True, env=ENVIRONMENT, check=False
    )
    assert run.returncode == 0, run.stderr
    assert len(run.stdout.splitlines()) == len(estimators)
