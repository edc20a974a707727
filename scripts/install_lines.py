"""Try every `pip install` of the README, the docs and the benchmarks, each in a new environment.

`fuzzyfrog`, `.` and `lab` are those of this checkout. Afterwards `pip check` must find nothing in
the environment, and fuzzyfrog must start where it was installed.
"""

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "CONTRIBUTING.md", "docs/**/*.md", "benchmarks/**/*.*", "lab/**/*.*")
LINE = re.compile(r"""pip install((?: +(?:'[^'\n]+'|"[^"\n]+"|[^\s`'"#]+))+)""")
OURS = re.compile(r"(fuzzyfrog|\.|(?:\./)?lab)(\[[\w,]+\])?")


def main() -> None:
    """Try each line, print what became of it, and exit with 1 if one failed."""
    failed = 0
    for arguments, page in documented().items():
        problem = _problem(list(arguments))
        failed += bool(problem)
        print(f"{'FAILED' if problem else 'ok':6}  pip install {shlex.join(arguments)}  ({page})")
        print(problem, end="", flush=True)
    sys.exit(failed > 0)


def documented() -> dict[tuple[str, ...], Path]:
    """Return the arguments of each line, with the first page that has it."""
    found: dict[tuple[str, ...], Path] = {}
    for page in sorted(path for pattern in PAGES for path in ROOT.glob(pattern)):
        if page.suffix in {".md", ".py", ".toml"}:
            for line in LINE.findall(page.read_text(encoding="utf-8")):
                found.setdefault(tuple(shlex.split(line)), page.relative_to(ROOT))
    return found


def _problem(arguments: list[str]) -> str:
    """Return what went wrong; empty if nothing did."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    ours = [match for one in arguments if (match := OURS.fullmatch(one))]
    for extra in re.findall(r"\w+", "".join(match[2] or "" for match in ours)):
        if extra not in project["optional-dependencies"]:  # pip only warns
            return f"there is no extra {extra}\n"
    given = [_place(match) if (match := OURS.fullmatch(one)) else one for one in arguments]
    with TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", f"{folder}/env"], check=True)
        steps = [["-m", "pip", "install", "--quiet", *given], ["-m", "pip", "check"]]
        if ours:
            steps.append(["-m", "fuzzyfrog", "--version"])
        for step in steps:
            done = subprocess.run(
                [f"{folder}/env/bin/python", *step], cwd=folder, capture_output=True, text=True
            )
            if done.returncode:
                return done.stdout + done.stderr
    return ""


def _place(ours: re.Match[str]) -> str:
    folder = ROOT / "lab" if ours[1].endswith("lab") else ROOT
    return f"{folder}{ours[2] or ''}"


if __name__ == "__main__":
    main()
