"""The fewest columns to add to a selection so that it separates new rows, too."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fuzzyfrog.data import Dataset
from fuzzyfrog.errors import FuzzyfrogError
from fuzzyfrog.result import Result
from fuzzyfrog.search import Exact
from fuzzyfrog.select.kind import Kind
from fuzzyfrog.select.new_rows import NewRows
from fuzzyfrog.select.selection import select
from fuzzyfrog.select.settings import Settings

LEAST_SHARE = 1e-9  # of the full dependency


def asked_again(rows: NewRows, kind: Kind) -> Settings:
    """Return what the selection was asked for, with its features as a part of the answer.

    A selection that was not enough has to keep the share of the full dependency that it had.
    """
    result = rows.result
    share = 1.0 if result.max_lost is not None else result.asked_share
    if not result.is_enough and result.max_lost is None:
        share = max(LEAST_SHARE, min(share, result.dependency / result.full_dependency))
    return Settings(
        kind=kind,
        search=Exact(limit=1),
        must_include=list(rows.features),
        exclude=np.flatnonzero(~rows.needed).tolist(),
        feature_groups=dict(rows.groups.columns) or None,
        costs=rows.costs,
        min_dependency=share,
        survives=result.survives,
        max_lost=result.max_lost,
        copies="keep",
        max_seconds=rows.max_seconds,
        n_jobs=rows.n_jobs,
        random_state=0,
        screens=False,
    )


def repaired(settings: Settings, dataset: Dataset) -> tuple[tuple[int, ...], bool] | None:
    """Return the selected features with the fewest others that are enough, and if it is proved.

    A proof that runs out of time is followed by a greedy search. None if nothing is enough.
    """
    answers: list[Result] = []
    for search in (settings.search, "quickreduct"):
        try:
            answer = select(dataset, replace(settings, search=search), warns=False)
        except FuzzyfrogError:  # nothing survives, or the table is too extreme for a proof
            continue
        if answer.is_enough:
            answers.append(answer)
        certificate = getattr(answer.answer, "certificate", None)
        if certificate is not None and certificate.proven:
            return (answer.selected, True) if answer.is_enough else None
    if not answers:
        return None
    return min(answers, key=lambda answer: answer.price).selected, False
