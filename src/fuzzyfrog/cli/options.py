"""Lists of names as people type them -> names, and names of features that there really are."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fuzzyfrog.cli.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fuzzyfrog.data import Dataset
    from fuzzyfrog.search import Moment
    from fuzzyfrog.select import FuzzyRoughSelector

__all__ = [
    "Categorical",
    "Certify",
    "Cluster",
    "Data",
    "Decimal",
    "Encoding",
    "Exclude",
    "Ignore",
    "Include",
    "Jobs",
    "Json",
    "MaxEvaluations",
    "MaxSeconds",
    "MinDependency",
    "Missing",
    "MissingRule",
    "NFeatures",
    "Quiet",
    "Ranking",
    "RankingName",
    "Sample",
    "Search",
    "SearchName",
    "Seed",
    "Separator",
    "Spread",
    "SpreadName",
    "TNorm",
    "TNormName",
    "Table",
    "Target",
    "TargetKind",
    "TargetKindName",
    "Wishes",
    "features_in",
    "names_in",
]


def names_in(option: str, values: Sequence[str] | None) -> list[str]:
    """Return the names in values such as ``a,b`` or ``'"a,b",c'``, each name once.

    A name that holds a comma is put in double quotes, as in a CSV file.
    """
    if not values:
        return []
    try:
        rows = list(csv.reader(values, skipinitialspace=True))
    except csv.Error as error:
        raise UsageError(
            f"{option} must be names separated by commas, got {values[0][:60]!r} ({error})."
        ) from None
    names = list(dict.fromkeys(name.strip() for row in rows for name in row if name.strip()))
    if not names:
        raise UsageError(
            f"{option} must name something, got {','.join(values)[:60]!r}. Leave the option out "
            "if there is nothing to name."
        )
    return names


def features_in(option: str, values: Sequence[str] | None, dataset: Dataset) -> list[str]:
    """Return the names, all of which are features of a table."""
    names = names_in(option, values)
    for name in names:
        if name not in dataset.feature_names:
            raise _unknown(option, name, dataset)
    return names


def _unknown(option: str, name: str, dataset: Dataset) -> UsageError:
    from fuzzyfrog.common.messages import shown, suggested

    if name == dataset.target_name:
        return UsageError(f"{option} must name features, got the target {shown(name)}.")
    return UsageError(
        f"{option} must name features of {dataset.name}, got {shown(name)}. "
        f"{suggested(name, dataset.feature_names)}"
    )


READING = "How the table is read"
MEASURE = "How features are measured"


class TNormName(StrEnum):
    """How similarities on single features are joined."""

    LUKASIEWICZ = "lukasiewicz"
    MINIMUM = "minimum"
    PRODUCT = "product"


class SpreadName(StrEnum):
    """What the difference of two values is compared with."""

    STD = "std"
    VARIANCE = "variance"
    RANGE = "range"


class MissingRule(StrEnum):
    """What a missing value is to other values."""

    SIMILAR = "similar"
    DIFFERENT = "different"
    RAISE = "raise"


class TargetKindName(StrEnum):
    """How the target is read."""

    AUTO = "auto"
    CLASS = "class"
    NUMERIC = "numeric"


Table = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="A csv, tsv, arff or parquet file (also gzipped), the name of a data set "
        "(see `fuzzyfrog datasets`), or - for CSV on stdin.",
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", help="The column with the classes (or numbers) to tell apart; for files."
    ),
]
TargetKind = Annotated[
    TargetKindName,
    typer.Option(
        metavar="KIND",
        help="auto, class or numeric; auto takes numbers with a fractional part as numeric.",
        rich_help_panel=READING,
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(
        metavar="A,B", help="Columns to leave out, such as identifiers.", rich_help_panel=READING
    ),
]
Categorical = Annotated[
    list[str] | None,
    typer.Option(
        metavar="A,B",
        help="Columns of which only equality counts, beside those that are recognized as such.",
        rich_help_panel=READING,
    ),
]
Separator = Annotated[
    str | None,
    typer.Option(
        metavar="CHARACTER",
        help="What stands between two cells of a text file, by default a comma or a tab.",
        rich_help_panel=READING,
    ),
]
Decimal = Annotated[
    str,
    typer.Option(
        metavar="MARK",
        help="Decimal mark of a text file: a point, or a comma (then cells are separated by ; "
        "unless --separator says otherwise).",
        rich_help_panel=READING,
    ),
]
Encoding = Annotated[
    str, typer.Option(metavar="NAME", help="Encoding of a text file.", rich_help_panel=READING)
]
Data = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Folder with the data sets of the paper, by default that of FUZZYFROG_DATA.",
        rich_help_panel=READING,
    ),
]
TNorm = Annotated[
    TNormName,
    typer.Option(
        "--tnorm",
        metavar="NAME",
        help="How similarities on single features are joined: lukasiewicz, minimum or product.",
        rich_help_panel=MEASURE,
    ),
]
Spread = Annotated[
    SpreadName,
    typer.Option(
        metavar="NAME",
        help="What differences of values are compared with: std, variance or range.",
        rich_help_panel=MEASURE,
    ),
]
Missing = Annotated[
    MissingRule,
    typer.Option(
        metavar="RULE",
        help="A missing value is similar to all values, different from all, or raises an error: "
        "similar, different or raise.",
        rich_help_panel=MEASURE,
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(metavar="N", help="Number of threads, by default one for each usable CPU."),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Score subsets on a Dask cluster, such as tcp://10.0.0.1:8786.",
    ),
]
Json = Annotated[
    bool, typer.Option("--json", metavar="", help="Print one JSON document instead of text.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", metavar="", help="Show no progress.")]


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
        from fuzzyfrog.common.params import check_share
        from fuzzyfrog.search.driver import check_budget
        from fuzzyfrog.select.parameters import check_size

        check_share("min_dependency", self.min_dependency, zero=False)
        check_budget(self.max_evaluations, self.max_seconds)
        check_size(self.n_features)

    def selector(
        self,
        dataset: Dataset,
        callbacks: Sequence[Callable[[Moment], None]],
        checkpoint: Path | None,
    ) -> FuzzyRoughSelector:
        """Return the selector that fulfills them for a table."""
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
