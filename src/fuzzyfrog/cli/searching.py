"""The options of a search, and the selector that they ask for."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fuzzyfrog.cli.names import features_in

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fuzzyfrog.data import Dataset
    from fuzzyfrog.search import Moment
    from fuzzyfrog.select import FuzzyRoughSelector

__all__ = [
    "Certify",
    "Exclude",
    "Include",
    "MaxEvaluations",
    "MaxSeconds",
    "MinDependency",
    "NFeatures",
    "Ranking",
    "RankingName",
    "Sample",
    "Search",
    "SearchName",
    "Seed",
    "Wishes",
]

PANEL = "The search"


class SearchName(StrEnum):
    """What looks for subsets."""

    FROGS = "frogs"
    GENETIC = "genetic"
    SWARM = "swarm"
    QUICKREDUCT = "quickreduct"
    EXACT = "exact"
    BOOSTED = "boosted"


class RankingName(StrEnum):
    """Which of two subsets is better."""

    LEXICOGRAPHIC = "lexicographic"
    PRODUCT = "product"


Search = Annotated[
    SearchName,
    typer.Option(
        metavar="NAME",
        help="What looks for subsets: frogs, genetic, swarm, quickreduct, exact or boosted.",
        rich_help_panel=PANEL,
    ),
]
Certify = Annotated[
    bool,
    typer.Option(
        "--certify",
        metavar="",
        help="Prove that there are no fewer; exit code 3 if the budget ends before.",
        rich_help_panel=PANEL,
    ),
]
Sample = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Measure subsets on so many random samples, for very many; gives estimates.",
        rich_help_panel=PANEL,
    ),
]
MaxSeconds = Annotated[
    float | None,
    typer.Option(metavar="S", help="Stop with the best so far.", rich_help_panel=PANEL),
]
MaxEvaluations = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Stop after so many subsets, the same on every machine.",
        rich_help_panel=PANEL,
    ),
]
Seed = Annotated[
    int,
    typer.Option(metavar="N", help="The same seed gives the same result.", rich_help_panel=PANEL),
]
Ranking = Annotated[
    RankingName,
    typer.Option(
        metavar="NAME",
        help="lexicographic never trades dependency for fewer features, product does.",
        rich_help_panel=PANEL,
    ),
]
MinDependency = Annotated[
    float,
    typer.Option(
        metavar="SHARE",
        help="Share of the dependency of all features to keep.",
        rich_help_panel=PANEL,
    ),
]
NFeatures = Annotated[
    int | None, typer.Option(metavar="N", help="Select exactly so many.", rich_help_panel=PANEL)
]
Include = Annotated[
    list[str] | None,
    typer.Option(metavar="A,B", help="Features to select in any case.", rich_help_panel=PANEL),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(metavar="A,B", help="Features never to select.", rich_help_panel=PANEL),
]


@dataclass(frozen=True)
class Wishes:
    """What was typed about a search; the fields are options of ``fuzzyfrog select``."""

    search: str
    tnorm: str
    spread: str
    missing: str
    ranking: str
    min_dependency: float
    n_features: int | None
    include: list[str] | None
    exclude: list[str] | None
    certify: bool
    sample: int | None
    max_seconds: float | None
    max_evaluations: int | None
    seed: int
    jobs: int | None
    cluster: str | None

    def check(self) -> None:
        """Refuse numbers that no table makes sense of, before one is read."""
        from fuzzyfrog.search.driver import check_budget
        from fuzzyfrog.select.options import check_share, check_size

        check_share("min_dependency", self.min_dependency)
        check_budget(self.max_evaluations, self.max_seconds)
        check_size(self.n_features)

    def selector(
        self,
        dataset: Dataset,
        callbacks: Sequence[Callable[[Moment], None]],
        checkpoint: Path | None,
    ) -> FuzzyRoughSelector:
        """Give the selector that fulfills them for a table."""
        from fuzzyfrog.select import FuzzyRoughSelector

        return FuzzyRoughSelector(
            self.search,
            tnorm=self.tnorm,  # type: ignore[arg-type]
            spread=self.spread,  # type: ignore[arg-type]
            missing=self.missing,  # type: ignore[arg-type]
            ranking=self.ranking,  # type: ignore[arg-type]
            min_dependency=self.min_dependency,
            n_features_to_select=self.n_features,
            must_include=features_in("--include", self.include, dataset) or None,
            exclude=features_in("--exclude", self.exclude, dataset) or None,
            certify=self.certify,
            sample=self.sample,
            max_seconds=self.max_seconds,
            max_evaluations=self.max_evaluations,
            checkpoint=checkpoint,
            callbacks=callbacks,
            n_jobs=self.jobs,
            cluster=self.cluster,
            random_state=self.seed,
        )
