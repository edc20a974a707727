"""python -m fuzzyfrog.experiment CONFIG --data DIR --out DIR."""

import argparse
import sys
from pathlib import Path

from fuzzyfrog.errors import DataError
from fuzzyfrog.experiment.config import ConfigError
from fuzzyfrog.experiment.running import reproduce
from fuzzyfrog.experiment.store import StoreError
from fuzzyfrog.experiment.weka_process import WekaNotFoundError

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> int:
    """Run an experiment and give the exit code: 0, 2 for bad input, 130 when interrupted.

    Parameters
    ----------
    arguments : list of str, optional
        What to read in place of the command line.

    Returns
    -------
    int
        The exit code.
    """
    parser = argparse.ArgumentParser(
        prog="python -m fuzzyfrog.experiment",
        description="Run an experiment, or go on with it, and write its tables.",
    )
    parser.add_argument("config", type=Path, help="TOML file that describes the experiment")
    parser.add_argument("--data", type=Path, help="folder with the files of the data sets")
    parser.add_argument("--out", type=Path, required=True, help="folder for cells and tables")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="some of the data sets")
    parser.add_argument("--retry-failed", action="store_true", help="try failed cells again")
    parser.add_argument("--jobs", type=int, help="threads of the selectors")
    parser.add_argument("--quiet", action="store_true", help="no progress on stderr")
    given = parser.parse_args(arguments)
    try:
        done = reproduce(
            given.config,
            given.data,
            given.out,
            only=given.only,
            retry_failed=given.retry_failed,
            n_jobs=given.jobs,
            quiet=given.quiet,
        )
    except (ConfigError, DataError, StoreError, WekaNotFoundError) as error:
        sys.stderr.write(f"fuzzyfrog: {error}\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("fuzzyfrog: interrupted; the same command goes on from here.\n")
        return 130
    sys.stdout.write(f"{done}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
