"""The command line as a separate process."""

import os
import sys

COMMAND = [sys.executable, "-m", "fuzzyfrog"]


def environment(**changes: str) -> dict[str, str]:
    """Return the environment of the tests without what changes how things are printed."""
    names = ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "FUZZYFROG_DATA")
    kept = {name: value for name, value in os.environ.items() if name not in names}
    return {**kept, "TERM": "xterm-256color", **changes}


def untraced() -> dict[str, str]:
    """Return that environment for a process that cannot write down which lines it reached."""
    return {name: one for name, one in environment().items() if not name.startswith("COVERAGE_")}
