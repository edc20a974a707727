"""``fuzzyfrog select --search boosted``: gradient boosting, which knows no reducts."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fuzzyfrog.cli.consoles import write_json, write_result
from fuzzyfrog.cli.failures import UsageError
from fuzzyfrog.cli.results import facts, shown_features
from fuzzyfrog.cli.text import safe

if TYPE_CHECKING:
    from rich.console import RenderableType

    from fuzzyfrog.cli.searching import Wishes
    from fuzzyfrog.data import Dataset

__all__ = ["Boosted", "check_boosted", "select_boosted", "write_boosted"]


@dataclass(frozen=True)
class Boosted:
    """What boosting selects."""

    table: str
    n_features: int
    features: list[str]
    penalty: float
    dependency: float
    full_dependency: float


def check_boosted(wishes: Wishes, others: dict[str, object]) -> None:
    """Refuse options that mean nothing to boosting."""
    given = {
        "--certify": wishes.certify,
        "--max-seconds": wishes.max_seconds,
        "--sample": wishes.sample is not None,
        "--max-evaluations": wishes.max_evaluations,
        "--ranking": wishes.ranking != "lexicographic",
        "--min-dependency": wishes.min_dependency != 1.0,
        "--n-features": wishes.n_features,
        "--include": wishes.include,
        "--exclude": wishes.exclude,
        "--cluster": wishes.cluster,
        **others,
    }
    meaningless = [option for option, value in given.items() if value]
    if meaningless:
        raise UsageError(
            f"--search boosted must come without {', '.join(meaningless)}. It gives one subset "
            "and no reducts; leave columns out with --ignore, or take another search."
        )


def select_boosted(wishes: Wishes, dataset: Dataset) -> Boosted:
    """Let boosting select features, and measure them."""
    import numpy as np

    from fuzzyfrog.measure import Dependency
    from fuzzyfrog.select import BoostedSelector

    selector = BoostedSelector(n_jobs=wishes.jobs, random_state=wishes.seed).fit(dataset)
    measure = Dependency(
        dataset,
        tnorm=wishes.tnorm,  # type: ignore[arg-type]
        spread=wishes.spread,  # type: ignore[arg-type]
        missing=wishes.missing,  # type: ignore[arg-type]
        n_jobs=wishes.jobs,
    )
    return Boosted(
        table=dataset.name,
        n_features=dataset.n_features,
        features=selector.get_feature_names_out().tolist(),
        penalty=selector.penalty_,
        dependency=float(measure.score(selector.support_[np.newaxis])[0]),
        full_dependency=measure.full,
    )


def write_boosted(found: Boosted, *, as_json: bool) -> None:
    """Print what was selected."""
    if as_json:
        write_json(json.dumps(vars(found), indent=2))
        return
    count = f"{len(found.features)} of {found.n_features:,} features"
    told: list[RenderableType] = [
        f"Boosted trees that pay for each feature use {count} of {safe(found.table)}:",
        "",
        *shown_features(found.features, None),
        "",
        *facts(
            [
                ("dependency", f"{found.dependency:.4f} of {found.full_dependency:.4f}"),
                ("penalty", f"{found.penalty:g}, the price of a feature"),
            ]
        ),
    ]
    write_result(*told)
