"""Saved runs, as the commands that read them take them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fuzzyfrog.cli.failures import UsageError

if TYPE_CHECKING:
    from fuzzyfrog.records import Run

__all__ = ["SavedRun", "loaded_run"]

SavedRun = Annotated[
    Path,
    typer.Argument(metavar="RUN.json", help="A run that `fuzzyfrog select --save` has saved."),
]


def loaded_run(path: Path) -> Run:
    """Give the run that a file holds."""
    from fuzzyfrog.errors import DataError
    from fuzzyfrog.records import Run

    if not os.path.exists(path):
        raise UsageError(
            f"RUN.json must be a file saved with `fuzzyfrog select --save`, got {str(path)!r}, "
            f"which is not there.{_resembling(path)}"
        )
    try:
        return Run.load(path)
    except DataError as error:
        raise UsageError(
            f"{path} must be a file saved with `fuzzyfrog select --save`. {str(error)[:1].upper()}"
            f"{str(error)[1:]}"
        ) from None


def _resembling(path: Path) -> str:
    from fuzzyfrog.data.wording import close_to, shown

    try:
        names = sorted(one.name for one in path.parent.glob("*.json"))
    except OSError:
        return ""
    close = close_to(path.name, names)
    return f" Did you mean {shown(str(path.with_name(close[0])))}?" if close else ""
