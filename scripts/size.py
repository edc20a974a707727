"""Print how large and how branched the package is, next to what it should be."""

import ast
import importlib
import inspect
import io
import re
import subprocess
import sys
import tokenize
from pathlib import Path

ROOT = Path(__file__).parents[1]
WHEEL = ROOT / "src" / "fuzzyfrog"
# Places that ask which measure it is.
ASKS = re.compile(
    r"\bis_(?:soft|strict)\b|\bkind\.name\b|isinstance\([^)]*"
    r"(?:Dependency|CustomMeasure|Strict\b|Soft\b|Custom\b|Reducts|SoftPath|Scored)"
)
KNOW = ("measure/", "words/", "select/strict.py", "select/soft.py", "select/kind.py")
WINE = "from sklearn.datasets import load_wine; X, y = load_wine(return_X_y=True, as_frame=True); "


def code_lines(path: Path) -> int:
    """Return the number of lines that are neither blank, nor comments, nor docstrings."""
    text = path.read_text(encoding="utf-8")
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docs: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, documented) and ast.get_docstring(node, clean=False) is not None:
            docs |= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    silent = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
              tokenize.ENDMARKER}  # fmt: skip
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in silent:
            lines |= set(range(token.start[0], token.end[0] + 1))
    return len(lines - docs)


def branches() -> list[str]:
    """Return the places outside of the measures and the words that ask which measure it is."""
    found = []
    for path in sorted(WHEEL.rglob("*.py")):
        name = path.relative_to(WHEEL).as_posix()
        if not name.startswith(KNOW):
            lines = path.read_text(encoding="utf-8").splitlines()
            found += [f"{name}:{at}" for at, line in enumerate(lines, 1) if ASKS.search(line)]
    return found


def n_parameters(name: str) -> int:
    """Return the number of parameters of a selector."""
    made = getattr(importlib.import_module("fuzzyfrog"), name)
    return len(inspect.signature(made).parameters)


def n_options(command: str) -> int:
    """Return the number of options in the help of a command."""
    done = subprocess.run(
        [sys.executable, "-m", "fuzzyfrog", command, "--help"], capture_output=True, text=True
    )
    return len(set(re.findall(r"│ (?:\* +)?(--[a-z-]+)", done.stdout)) - {"--help"})


def n_walked(code: str) -> int:
    """Return the number of files of the package in which a function runs during a job."""
    watched = (
        "import sys, threading\nseen = set()\n"
        "def note(frame, event, _):\n"
        "    name = frame.f_code.co_filename\n"
        "    if event != 'call' or '/fuzzyfrog/' not in name or name in seen: return\n"
        "    if not frame.f_code.co_flags & 1: return\n"
        "    at = frame\n"
        "    while at is not None:\n"
        "        if at.f_code.co_filename.startswith('<frozen importlib'): return\n"
        "        at = at.f_back\n"
        "    seen.add(name)\n"
        f"import warnings; warnings.simplefilter('ignore')\nthreading.setprofile(note)\n"
        f"sys.setprofile(note)\n{code}\nsys.setprofile(None)\nprint(len(seen))\n"
    )
    done = subprocess.run([sys.executable, "-c", watched], capture_output=True, text=True)
    return int(done.stdout.split()[-1])


def main() -> None:
    """Print one line for each figure."""
    sizes = {path: code_lines(path) for path in WHEEL.rglob("*.py")}
    large = sorted(
        (f"{path.relative_to(WHEEL)} {size}" for path, size in sizes.items() if size > 400),
    )
    asking = branches()
    rows = [
        ("code lines in the wheel", f"{sum(sizes.values()):,}", "18,000"),
        ("branches on the measure", f"{len(asking)} {' '.join(asking)}", "8"),
        *(
            (f"parameters of {name}", n_parameters(name), "about 15")
            for name in ("SoftSelector", "ReductSelector", "FeatureSelector")
        ),
        *((f"options of {name}", n_options(name), "28") for name in ("select", "reducts")),
        *(
            (
                f"files in a fit of {name}",
                n_walked(f"{WINE}import fuzzyfrog; fuzzyfrog.{name}(random_state=0).fit(X, y)"),
                "26",
            )
            for name in ("SoftSelector", "ReductSelector")
        ),
        ("modules above 400 code lines", f"{len(large)} {', '.join(large)}", "0"),
    ]
    for what, found, goal in rows:
        print(f"{what:32} {found}  (at most {goal})")


if __name__ == "__main__":
    main()
