"""The command line: parse, call the library, print.

Nothing heavy is imported before a command runs, so that help answers at once.
"""

from fuzzyfrog.cli.app import main

__all__ = ["main"]
