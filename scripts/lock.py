"""Write requirements/constraints.txt: the newest versions of all that `.[dev]` and `lab` need.

Each version of Python that is tested resolves the requirements in a new environment.
A version that is not the same for all of them gets a marker.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from interpreters import ROOT, interpreters

FILE = ROOT / "requirements" / "constraints.txt"
HEAD = "# The versions that `make test` installs; written by `make lock`.\n"


def main() -> None:
    """Resolve for each interpreter and write the file."""
    pins: dict[str, dict[str, str]] = {}  # the version for each Python, by package
    pythons = interpreters()
    for version, python in pythons.items():
        if python is None:
            sys.exit(f"make lock needs every version that is tested, got no Python {version}.")
        print(f"Resolving for Python {version}", flush=True)
        for name, pin in _resolved(python).items():
            pins.setdefault(name, {})[version] = pin
    lines = [line for name in sorted(pins) for line in _lines(name, pins[name], list(pythons))]
    FILE.write_text(HEAD + "".join(f"{line}\n" for line in lines), encoding="utf-8")


def _resolved(python: str) -> dict[str, str]:
    with TemporaryDirectory() as folder:
        subprocess.run([python, "-m", "venv", folder], check=True)
        report = Path(folder) / "report.json"
        subprocess.run(
            [f"{folder}/bin/python", "-m", "pip", "install", "--quiet", "--dry-run",
             "--ignore-installed", "--report", report, f"{ROOT}[dev]", ROOT / "lab"], check=True,
        )  # fmt: skip
        packages = [one["metadata"] for one in json.loads(report.read_bytes())["install"]]
    names = {re.sub(r"[-_.]+", "-", one["name"]).lower(): one["version"] for one in packages}
    return {name: pin for name, pin in names.items() if not name.startswith("fuzzyfrog")}


def _lines(name: str, pins: dict[str, str], versions: list[str]) -> list[str]:
    """Return the lines of one package; the newest Python stands for those to come."""
    if len(set(pins.values())) == 1:
        return [f"{name}=={next(iter(pins.values()))}"]
    lines = []
    for version, pin in pins.items():
        compared = ">=" if version == versions[-1] else "=="
        lines.append(f'{name}=={pin} ; python_version {compared} "{version}"')
    return lines


if __name__ == "__main__":
    main()
