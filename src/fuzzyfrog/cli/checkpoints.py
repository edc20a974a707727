"""The scores beside a saved run, from which a killed run goes on."""

from __future__ import annotations

from pathlib import Path

from fuzzyfrog.cli.consoles import tell
from fuzzyfrog.cli.failures import UsageError

__all__ = ["checkpoint_beside"]


def checkpoint_beside(save: Path | None, *, resume: bool) -> Path | None:
    """Give the file for the scores of a run that is saved; None for one that is not.

    Scores of an earlier run are gone on with if that is asked for, and else put aside: hours of
    work must not be lost because an option was forgotten.
    """
    if save is None:
        if resume:
            raise UsageError(
                "--resume must come with --save, got none. The scores of a run are kept beside "
                "the file that it is saved to."
            )
        return None
    scores = save.with_name(f"{save.name}.scores")
    if resume:
        if not scores.exists():
            tell(f"there is no {scores.name} to resume from; the search starts anew")
    elif scores.exists():
        aside = scores.replace(save.with_name(f"{scores.name}.old"))
        tell(
            f"the scores of an earlier run are now in {aside.name}; --resume would go on with them"
        )
    return scores
