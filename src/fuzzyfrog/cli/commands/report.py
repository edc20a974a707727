"""``fuzzyfrog report``: the report of a saved run."""

from pathlib import Path
from typing import Annotated

import typer

from fuzzyfrog.cli.console import safe, write_result
from fuzzyfrog.cli.errors import UsageError
from fuzzyfrog.cli.inputs import SavedRun, loaded_run
from fuzzyfrog.cli.outputs import check_outputs
from fuzzyfrog.common.files import Unwritten

DEFAULT = Path("report.html")


def report(
    run: SavedRun,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE.html",
            help=f"File to write (default: {DEFAULT}, unless it exists).",
        ),
    ] = None,
) -> None:
    """Write the HTML report of a saved run: one file that opens offline in any browser."""
    loaded = loaded_run(run)
    if output is None and DEFAULT.exists():
        raise UsageError(
            f"--output must be given, because {DEFAULT} exists. Name another file, or this one to "
            "overwrite it."
        )
    output = output or DEFAULT
    check_outputs({"--output": output}, run.stat())
    from fuzzyfrog.report import write_report

    unwritten = Unwritten()
    with unwritten.noted(output):
        write_report(loaded, output.resolve())
    unwritten.check()
    write_result(f"Written: {safe(output)}, open it in a browser")
