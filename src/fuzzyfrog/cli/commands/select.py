"""``fuzzyfrog select``: columns to predict with."""

from fuzzyfrog.cli.inputs import TableOptions
from fuzzyfrog.cli.options import CheckOptions, Printing, SoftOptions
from fuzzyfrog.cli.outputs import Files


def select(
    asked: TableOptions,
    search: SoftOptions,
    files: Files,
    checking: CheckOptions,
    printing: Printing,
) -> None:
    """Select columns to predict with, and check how well models do with them.

    Similar samples should have the same class: noise lowers that, so the number of columns comes
    out by itself. Ctrl-C stops with the best columns so far and still writes all files.
    """
    from fuzzyfrog.cli.selecting import run_selection  # slow to import

    run_selection(search, files, asked, checking, printing)
