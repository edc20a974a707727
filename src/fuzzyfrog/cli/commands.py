"""How all commands behave: interruptions, usage, and what is said of a bad value."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from fuzzyfrog.cli.consoles import tell
from fuzzyfrog.cli.failures import ExitCode

__all__ = ["Command", "Commands"]


def _plain(option: Any) -> Any:
    if option is not None:
        option.metavar = ""
    return option


class Commands(TyperGroup):
    """All commands: each of them can be interrupted."""

    def get_help_option(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        """Give --help without a type behind it."""
        return _plain(super().get_help_option(ctx))

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        """Run the command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            tell("interrupted")
            raise typer.Exit(ExitCode.INTERRUPTED) from None


class Command(TyperCommand):
    """A command whose usage names its arguments as the documentation does."""

    def get_help_option(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        """Give --help without a type behind it."""
        return _plain(super().get_help_option(ctx))

    def collect_usage_pieces(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        """Give the arguments without braces."""
        pieces = super().collect_usage_pieces(ctx)
        return [piece.replace("{", "").replace("}", "") for piece in pieces]

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Take in the arguments; what is wrong with them is said in our voice."""
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as error:
            error.message = error.message.removeprefix("Value error, ")
            raise
