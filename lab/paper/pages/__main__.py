"""Rebuild the pages of the paper from its cells: python -m paper.pages [--data DIR] [--out DIR]."""

import argparse
import sys
from pathlib import Path

from fuzzyfrog_lab.runner import page_data
from paper.pages import write_paper_pages

PAPER = Path(__file__).resolve().parents[1]


def main() -> None:
    """Write the pages and print their paths."""
    parser = argparse.ArgumentParser(prog="python -m paper.pages", description=__doc__)
    parser.add_argument("--data", type=Path, help="folder with the files of the data sets")
    parser.add_argument("--out", type=Path, default=PAPER / "results", help="folder with the cells")
    given = parser.parse_args()
    try:
        found = page_data(PAPER / "experiment.toml", given.data, given.out)
        files = write_paper_pages(found, given.out)
    except (ValueError, OSError) as error:
        sys.exit(f"paper.pages: {error}")
    sys.stdout.writelines(f"{file}\n" for file in files)


if __name__ == "__main__":
    main()
