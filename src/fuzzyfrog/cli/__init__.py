"""The command line: parse, call the library, print.

Nothing heavy is imported before a command runs, so help is instant.
"""

from fuzzyfrog.cli.app import main, run

__all__ = ["main", "run"]
