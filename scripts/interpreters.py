"""Print the interpreters of this machine that pyproject.toml has a classifier for, oldest first.

An interpreter is found by its name on the path, such as python3.12, or among the versions of pyenv.
"""

import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Print one line for each version that was found."""
    for python in filter(None, interpreters().values()):
        print(python)


def interpreters() -> dict[str, str | None]:
    """Return an interpreter for each version, such as "3.12"; None where there is none."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    versions = re.findall(r"Python :: (3\.\d+)", text)
    return {one: next(filter(_runs, _candidates(one)), None) for one in versions}


def _candidates(version: str) -> list[str]:
    candidates = [f"python{version}"]
    if shutil.which("pyenv"):
        root = subprocess.run(["pyenv", "root"], capture_output=True, text=True, check=True)
        folder = Path(root.stdout.strip()) / "versions"
        candidates += [str(one / "bin" / "python3") for one in sorted(folder.glob(f"{version}.*"))]
    return candidates


def _runs(python: str) -> bool:
    """Whether there is such an interpreter; pyenv puts names on the path that do not run."""
    path = shutil.which(python)
    return path is not None and not subprocess.run([path, "-V"], capture_output=True).returncode


if __name__ == "__main__":
    main()
