"""Whether two versions give the same answers: selections, dependencies, reducts, proofs, checks.

    python benchmarks/same_answers.py BEFORE [NAME ...]

BEFORE is the folder `src` of another version, also of one that had a single class for both
measures; FUZZYFROG_DATA has the files of the paper. Prints a line for each data set and measure,
and exits with 1 if any answer differs.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
NAMES = (
    "wine", "breast_cancer", "iris", "glass", "olitos", "heart", "cleveland", "ionosphere",
    "sonar", "pima_diabetes", "libras_movement",
)  # fmt: skip
ONE = r"""
import json, os, sys, warnings
warnings.simplefilter("ignore")
import fuzzyfrog
from fuzzyfrog import check, load_dataset, read_table
name, kind = sys.argv[1:]
if name in ("wine", "breast_cancer", "iris", "digits"):
    table = load_dataset(name)
else:
    table = read_table(os.path.join(os.environ["FUZZYFROG_DATA"], f"{name}.csv"), "class")
if hasattr(fuzzyfrog, "SoftSelector"):
    made = {"soft": fuzzyfrog.SoftSelector, "strict": fuzzyfrog.ReductSelector}[kind]
    limits = {} if kind == "soft" else {"max_evaluations": 3000}
    selector = made(random_state=0, **limits)
else:
    selector = fuzzyfrog.FuzzyRoughSelector(measure=kind, max_evaluations=3000, random_state=0)
selector.fit(table)
answer = {
    "selected": selector.get_support().tolist(),
    "dependency": selector.dependency_,
    "full": selector.full_dependency_,
    "reducts": sorted(list(one.features) for one in selector.reducts_),
    "front": [(one.size, one.dependency, one.accuracy if hasattr(one, "accuracy") else None)
              for one in selector.front_],
    "core": selector.core_,
    "ranking": selector.ranking_.tolist(),
}
if kind == "strict" and name in ("wine", "iris", "glass"):
    proved = selector.set_params(certify=True).fit(table)
    answer["certificate"] = str(proved.certificate_)
    selector.set_params(certify=False)
found = check(selector, table)
answer["check"] = [(one.name, one.n_features, one.score, one.standard_error, one.by_model)
                   for one in found.scores]
answer["noise"] = found.noise and (found.noise.n_taken, found.noise.share)
print(json.dumps(answer))
"""


def answer(source: str, name: str, kind: str) -> dict[str, object]:
    """Return the answers of the version in a folder."""
    environment = {**os.environ, "PYTHONPATH": source}
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", ONE, name, kind], env=environment, capture_output=True, text=True
    )
    if done.returncode:
        return {"error": done.stderr.strip().splitlines()[-1:]}
    found: dict[str, object] = json.loads(done.stdout)
    return found


def main() -> None:
    """Compare this version with the one that is given."""
    before, *names = sys.argv[1:]
    n_different = 0
    for name in names or NAMES:
        for kind in ("soft", "strict"):
            old, new = answer(before, name, kind), answer(str(ROOT / "src"), name, kind)
            apart = [key for key in {**old, **new} if old.get(key) != new.get(key)]
            n_different += bool(apart or "error" in new)
            print(f"{name:16} {kind:7} {'same' if not apart else f'different: {apart}'}"
                  f"{new.get('error', '')}", flush=True)  # fmt: skip
    sys.exit(n_different > 0)


if __name__ == "__main__":
    main()
