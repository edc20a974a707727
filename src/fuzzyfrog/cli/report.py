"""``fuzzyfrog report``: the page of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fuzzyfrog.cli.consoles import write_result
from fuzzyfrog.cli.outputs import check_outputs
from fuzzyfrog.cli.records import SavedRun, loaded_run
from fuzzyfrog.cli.text import safe

__all__ = ["report"]


def report(
    run: SavedRun,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE.html", help="Where to write the page.")
    ] = Path("report.html"),
) -> None:
    """Write the report of a saved run: one page that opens in any browser, offline."""
    loaded = loaded_run(run)
    check_outputs({"--output": output}, run.stat())
    from fuzzyfrog.report import write_report

    write_report(loaded, output.resolve())
    write_result(f"Written: {safe(output)}, open it in a browser")
