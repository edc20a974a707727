"""Print constraints for pip: the lowest versions that pyproject.toml allows.

Only for the packages that every installation needs, and for those that
the tests of `make test-lowest` use.
"""

import re
import tomllib
from pathlib import Path

TESTED = {"hypothesis", "pandas", "polars", "pytest"}


def main() -> None:
    """Print one line for each package, such as ``numpy==1.26.*``."""
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    extras = project["optional-dependencies"]
    needed = project["dependencies"]
    needed += [one for one in extras["dev"] if _name(one) in TESTED]
    for requirement in needed:
        print(requirement.replace(">=", "==") + ".*")


def _name(requirement: str) -> str:
    return re.split(r"[\[>=]", requirement)[0]


if __name__ == "__main__":
    main()
