"""The scores beside a saved run, from which a killed run goes on."""

from __future__ import annotations

from pathlib import Path

from fuzzyfrog.cli.consoles import tell
from fuzzyfrog.cli.failures import UsageError

__all__ = ["checkpoint_beside", "proof_files", "scores_beside"]


def scores_beside(save: Path | None) -> dict[str, Path | None]:
    """Give the files that belong to the checkpoint of a run, with what each of them is."""
    if save is None:
        return {}
    scores = _scores(save)
    return {
        "the scores of --save": scores,
        "the lock of --save": scores.with_name(f"{scores.name}.lock"),
        **dict(
            zip(("the proof of --save", "the place of --save"), proof_files(scores), strict=True)
        ),
    }


def proof_files(scores: Path) -> tuple[Path, Path]:
    """Return the files of a proof beside its scores, as `fuzzyfrog.search.prooflog` names them."""
    return scores.with_name(f"{scores.name}.proof"), scores.with_name(f"{scores.name}.place")


def checkpoint_beside(save: Path | None, *, resume: bool) -> Path | None:
    """Give the file for the scores of a run that is saved; None for one that is not.

    Scores of an earlier run are hours of work: they are gone on with, or the user deletes them.
    """
    if save is None:
        if resume:
            raise UsageError(
                "--resume must come with --save, got none. The scores of a run are kept beside "
                "the file that it is saved to."
            )
        return None
    scores = _scores(save)
    if resume:
        if not scores.exists():
            tell(f"there is no {scores.name} to resume from; the search starts anew")
    elif scores.exists():
        raise UsageError(
            f"{scores} exists, the scores of an earlier run. Add --resume to go on with it, or "
            "delete the file."
        )
    return scores


def _scores(save: Path) -> Path:
    return save.with_name(f"{save.name}.scores")
