"""Options that several commands share, and groups of options that are passed as one parameter.

A group is a dataclass whose fields are options. A command takes a group as one parameter, and
`flattened` shows its fields to typer, so that each option is defined once: here, or where its
group lives (`inputs.TableOptions`, `outputs.Files`).
"""

from __future__ import annotations

import csv
import inspect
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from enum import Enum, StrEnum
from math import inf, nan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin, get_type_hints

import typer

from fuzzyfrog.cli.errors import OPTION_NAMES, UsageError, option_of
from fuzzyfrog.common.tnorms import CODES, TNorm

if TYPE_CHECKING:
    from fuzzyfrog.data import Dataset
    from fuzzyfrog.select.kind import Kind
    from fuzzyfrog.select.settings import Settings

READING = "How the table is read"
MEASURE = "How features are measured"
SEARCH = "The search"
CHECK = "The check"
FILES = "Files to write"


class SizeRule(StrEnum):
    """How many of the features that a greedy search adds are selected."""

    AUTO = "auto"
    PEAK = "peak"
    ACCURACY = "accuracy"
    ONE_SE = "one-se"


class SpreadName(StrEnum):
    """The unit for differences between values."""

    STD = "std"
    VARIANCE = "variance"
    RANGE = "range"


class MissingRule(StrEnum):
    """How a missing value compares with other values."""

    SIMILAR = "similar"
    DIFFERENT = "different"
    RAISE = "raise"


class SearchName(StrEnum):
    """The searches; listed here because their registry is slow to import."""

    AUTO = "auto"
    FROGS = "frogs"
    GENETIC = "genetic"
    SWARM = "swarm"
    QUICKREDUCT = "quickreduct"
    EXACT = "exact"


class CopiesRule(StrEnum):
    """What to do with copies of columns."""

    DROP = "drop"
    KEEP = "keep"


class RankingName(StrEnum):
    """Which of two subsets is better."""

    LEXICOGRAPHIC = "lexicographic"
    PRODUCT = "product"


def one_of(names: Iterable[str]) -> str:
    """Return the names of an option's values, for its help."""
    *others, last = names
    return f"{', '.join(others)} or {last}"


Missing = Annotated[
    MissingRule,
    typer.Option(
        metavar="RULE",
        help="How missing values compare: similar (to every value), different (from every value) "
        "or raise (an error).",
        rich_help_panel=MEASURE,
    ),
]
Copies = Annotated[
    CopiesRule,
    typer.Option(
        metavar="RULE",
        help="What to do with columns that say the same as an earlier one: drop or keep.",
        rich_help_panel=SEARCH,
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(metavar="N", help="Number of threads (default: one for each usable CPU)."),
]
Json = Annotated[
    bool, typer.Option("--json", metavar="", help="Print one JSON document instead of text.")
]
Details = Annotated[
    bool,
    typer.Option("--details", metavar="", help="Print all that is known about the answer."),
]
Columns = Annotated[
    bool,
    typer.Option("--columns", metavar="", help="Also print what every column does, and why."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", metavar="", help="Do not show progress.")]


@dataclass(frozen=True, kw_only=True)
class CheckOptions:
    """How models are tried; the fields are options."""

    no_check: Annotated[
        bool,
        typer.Option(
            "--no-check",
            metavar="",
            help="Do not check by cross-validation how well models do with the selected columns.",
            rich_help_panel=CHECK,
        ),
    ] = False
    folds: Annotated[
        int, typer.Option(metavar="N", help="Number of folds.", rich_help_panel=CHECK)
    ] = 5
    scoring: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B",
            help="Scorers of scikit-learn, such as accuracy or roc_auc (default: "
            "balanced_accuracy; roc_auc for two classes of which one is rare; r2 for numbers).",
            show_default=False,
            rich_help_panel=CHECK,
        ),
    ] = None

    stability: Annotated[
        bool,
        typer.Option(
            "--stability",
            metavar="",
            help="Also select on 100 random halves of the samples: how often is each column taken?",
            rich_help_panel=CHECK,
        ),
    ] = False

    @property
    def scorers(self) -> list[str] | None:
        """The names of the scorers; None for the default."""
        return names_in("--scoring", self.scoring) or None

    def check(self) -> None:
        """Raise for values that are wrong for any table, before one is read."""
        from fuzzyfrog.common.params import check_count

        check_count("cv", self.folds, least=2)
        if self.scorers is not None:
            from fuzzyfrog.select.models import named_scorers  # slow to import

            named_scorers(self.scorers)


@dataclass(frozen=True, kw_only=True)
class SelectionOptions:
    """What to select and for how long, by any measure; the fields are options."""

    n_features: Annotated[
        int | None,
        typer.Option(metavar="N", help="Select exactly N features.", rich_help_panel=SEARCH),
    ] = None
    include: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B", help="Features that are always selected.", rich_help_panel=SEARCH
        ),
    ] = None
    exclude: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B",
            help="Features that are read but never selected; the report still lists them.",
            rich_help_panel=SEARCH,
        ),
    ] = None
    feature_group: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN",
            help="Columns that are selected together and count as one, such as 'color_*' or "
            "'body=height,weight'; may be repeated.",
            rich_help_panel=SEARCH,
        ),
    ] = None
    groups: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column that says which samples belong together, such as a patient; it is no "
            "feature. Without it, an ID that several samples share.",
            rich_help_panel=SEARCH,
        ),
    ] = None
    sample: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Score subsets on a random sample of N rows (for large tables); results are "
            "estimates.",
            rich_help_panel=SEARCH,
        ),
    ] = None
    max_seconds: Annotated[
        float | None,
        typer.Option(
            metavar="S",
            help="Stop after S seconds with the best subset so far.",
            rich_help_panel=SEARCH,
        ),
    ] = None
    seed: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="Random seed; the same seed gives the same result.",
            rich_help_panel=SEARCH,
        ),
    ] = 0
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Score subsets on a Dask cluster, such as tcp://10.0.0.1:8786.",
            rich_help_panel=SEARCH,
        ),
    ] = None
    copies: Copies = CopiesRule.DROP
    jobs: Jobs = None

    @property
    def kind(self) -> Kind:
        """The measure."""
        raise NotImplementedError

    def check(self) -> None:
        """Raise for values that are wrong for any table, before one is read."""
        from fuzzyfrog.common.params import check_budget, check_count

        check_budget(getattr(self, "max_evaluations", None), self.max_seconds)
        if self.n_features is not None:
            check_count("n_features_to_select", self.n_features)

    def grouped(self, dataset: Dataset) -> Dataset:
        """Return the table with its groups of samples in place of the column that has them."""
        if self.groups is None:
            return dataset
        from fuzzyfrog.common.messages import shown, suggested
        from fuzzyfrog.data.dataset import group_numbers

        names = dataset.feature_names
        if self.groups not in names:
            raise UsageError(
                f"--groups must be a column of {dataset.name} other than the target, got "
                f"{shown(self.groups)}. {suggested(self.groups, names)}"
            )
        labels = dataset.values[:, names.index(self.groups)]
        rest = dataset.take(columns=[name != self.groups for name in names])
        return replace(rest, groups=group_numbers(labels, dataset.n_samples))

    def named(self, dataset: Dataset) -> dict[str, Any]:
        """Return the parameters that name features."""
        groups = groups_in(self.feature_group, dataset)
        return {
            "must_include": features_in("--include", self.include, dataset, list(groups)) or None,
            "exclude": features_in("--exclude", self.exclude, dataset, list(groups)) or None,
            "feature_groups": groups or None,
        }

    def settings(self, dataset: Dataset, checkpoint: Path | None) -> Settings:
        """Return the settings for a table."""
        named = self.named(dataset)
        from fuzzyfrog.select.settings import Settings  # slow to import: wrong names come first

        kind = self.kind
        others = {"feature_group", "include", "list_all", "limit", "cost", "groups"}
        left = kind.parameters().keys() | others
        given = {name: one for name, one in _parameters(self).items() if name not in left}
        return Settings(kind=kind, checkpoint=checkpoint, **{**given, **named})


@dataclass(frozen=True, kw_only=True)
class SoftOptions(SelectionOptions):
    """What to predict with; the fields are options of ``fuzzyfrog select``."""

    size_rule: Annotated[
        SizeRule,
        typer.Option(
            metavar="NAME",
            help=f"How many of the features to take: {one_of(SizeRule)}.",
            rich_help_panel=SEARCH,
        ),
    ] = SizeRule.AUTO
    redundant: Annotated[
        CopiesRule,
        typer.Option(
            metavar="RULE",
            help="What to do with features that others replace without a loss: drop or keep.",
            rich_help_panel=SEARCH,
        ),
    ] = CopiesRule.DROP

    @property
    def kind(self) -> Kind:
        """The soft measure."""
        from fuzzyfrog.select.soft import Soft

        return Soft(self.redundant)


@dataclass(frozen=True, kw_only=True)
class StrictOptions:
    """How the measure of the paper compares samples; the fields are options."""

    tnorm: Annotated[
        TNorm,
        typer.Option(
            metavar="NAME",
            help=f"How similarities on single features are combined: {one_of(CODES)}.",
            rich_help_panel=MEASURE,
        ),
    ] = "lukasiewicz"
    spread: Annotated[
        SpreadName,
        typer.Option(
            metavar="NAME",
            help=f"Unit for differences between values: {one_of(SpreadName)}.",
            rich_help_panel=MEASURE,
        ),
    ] = SpreadName.STD
    missing: Missing = MissingRule.SIMILAR

    @property
    def kind(self) -> Kind:
        """The measure of the paper."""
        from fuzzyfrog.select.strict import Strict

        return Strict(self.tnorm, self.spread, self.missing)  # type: ignore[arg-type]


@dataclass(frozen=True, kw_only=True)
class ReductOptions(StrictOptions, SelectionOptions):
    """Which reducts to find, and how; the fields are options of ``fuzzyfrog reducts``."""

    search: Annotated[
        SearchName,
        typer.Option(
            metavar="NAME",
            help=f"The search for subsets: {one_of(SearchName)}; auto is frogs.",
            rich_help_panel=SEARCH,
        ),
    ] = SearchName.AUTO
    cost: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=COST",
            help="What a feature costs, 1 unless given: the lowest total cost is selected, not the "
            "fewest features; may be repeated.",
            rich_help_panel=SEARCH,
        ),
    ] = None
    costs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.csv",
            help="What features cost, in a file with two columns: name and cost.",
            rich_help_panel=SEARCH,
        ),
    ] = None
    survives: Annotated[
        int,
        typer.Option(
            metavar="K",
            help="Keep the dependency if any K of the selected features are lost.",
            rich_help_panel=SEARCH,
        ),
    ] = 0
    max_lost: Annotated[
        int | None,
        typer.Option(
            metavar="K",
            help="Set aside at most K samples, which need not be separated; the result names them.",
            rich_help_panel=SEARCH,
        ),
    ] = None
    certify: Annotated[
        bool,
        typer.Option(
            "--certify",
            metavar="",
            help="Prove that no smaller subset exists (exit code 3 if the budget runs out first).",
            rich_help_panel=SEARCH,
        ),
    ] = False
    max_evaluations: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Stop after scoring N subsets; the result is the same on every machine.",
            rich_help_panel=SEARCH,
        ),
    ] = None
    ranking: Annotated[
        RankingName,
        typer.Option(
            metavar="NAME",
            help="Which subset is better: lexicographic never trades dependency for fewer "
            "features, product does.",
            rich_help_panel=SEARCH,
        ),
    ] = RankingName.LEXICOGRAPHIC
    min_dependency: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            help="Share of the dependency of all features to keep.",
            rich_help_panel=SEARCH,
        ),
    ] = 1.0

    def named(self, dataset: Dataset) -> dict[str, Any]:
        """Return the parameters that name features."""
        return {**super().named(dataset), "costs": self.given_costs() or None}

    def given_costs(self) -> dict[str, float]:
        """Return what features cost, from the file and from single options, which win."""
        costs = {} if self.costs is None else _costs_in_file(self.costs)
        for value in self.cost or ():
            name, mark, cost = value.rpartition("=")
            if not mark:
                raise UsageError(f"--cost must be NAME=COST, got {value!r}. For example, mri=400.")
            costs[name.strip()] = _cost("--cost", cost)
        return costs

    def check(self) -> None:
        """Raise for values that are wrong for any table, before one is read."""
        from fuzzyfrog.common.params import check_count, check_share

        self.given_costs()
        check_count("survives", self.survives, least=0)
        if self.max_lost is not None:
            check_count("max_lost", self.max_lost, least=0)

        check_share("min_dependency", self.min_dependency, zero=False)
        super().check()


def _costs_in_file(path: Path) -> dict[str, float]:
    """Return the costs in a file; a first line without a number is a header."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise UsageError(
            f"--costs must be a readable file, got {str(path)!r} ({reason})."
        ) from None
    delimiter = next((one for one in ";\t" if lines and one in lines[0]), ",")
    costs: dict[str, float] = {}
    for number, row in enumerate(csv.reader(lines, delimiter=delimiter), start=1):
        where = f"--costs: line {number} of {path.name}"
        if not any(map(str.strip, row)):
            continue
        if len(row) != 2:
            raise UsageError(f"{where} must have a name and a cost, got {','.join(row)[:60]!r}.")
        name, cost = row[0].strip(), row[1]
        if number == 1 and not any(map(str.isdigit, cost)):
            continue
        if name in costs:
            raise UsageError(f"{where} must name a new feature, got {name!r} again.")
        costs[name] = _cost(where, cost)
    if not costs:
        raise UsageError("--costs must be a file with a name and a cost in each line, got none.")
    return costs


def _cost(where: str, text: str) -> float:
    try:
        cost = float(text)
    except ValueError:
        cost = nan
    if not 0 < cost < inf:
        raise UsageError(f"{where} must have a positive, finite cost, got {text.strip()[:60]!r}.")
    return cost


def _parameters(group: Any) -> dict[str, Any]:
    parameters = {option: parameter for parameter, option in OPTION_NAMES.items()}
    return {parameters.get(name, name): value for name, value in vars(group).items()}


def given_options(group: Any, but: Collection[str] = ()) -> list[str]:
    """Return the options of a group that differ from their defaults."""
    return [
        option_of(one.name)
        for one in fields(group)
        if one.name not in but and getattr(group, one.name) != one.default
    ]


def flattened(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command whose signature has the options of each group in place of the group."""
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    parameters: list[inspect.Parameter] = []
    for name, one in inspect.signature(function).parameters.items():
        if name in groups:
            parameters += _options_of(groups[name])
        else:
            parameters.append(one.replace(kind=one.KEYWORD_ONLY, annotation=hints[name]))

    def command(**values: Any) -> Any:
        plain = {name: one.value if isinstance(one, Enum) else one for name, one in values.items()}
        filled = {
            name: group(**{one.name: plain.pop(one.name) for one in fields(group)})
            for name, group in groups.items()
        }
        return function(**filled, **plain)

    command.__doc__ = function.__doc__
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return command


def _options_of(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            one.name,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=_for_typer(hints[one.name]),
            default=inspect.Parameter.empty if one.default is MISSING else one.default,
        )
        for one in fields(group)
    ]


def _for_typer(hint: Any) -> Any:
    """Return the type of an option with an enum in place of a Literal, which older typers lack."""
    kind, *details = get_args(hint) or (hint,)
    if get_origin(kind) is not Literal:
        return hint
    names = StrEnum("Name", [(name, name) for name in get_args(kind)])  # type: ignore[misc]
    return Annotated[(names, *details)]


def names_in(option: str, values: Sequence[str] | None) -> list[str]:
    """Return the names in values such as ``a,b`` or ``'"a,b",c'``, each name once.

    A name that contains a comma is put in double quotes, as in a CSV file.
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


def groups_in(values: Sequence[str] | None, dataset: Dataset) -> dict[str, list[str]]:
    """Return the groups of columns by name; ``color_*`` is called color."""
    from fnmatch import fnmatchcase

    groups: dict[str, list[str]] = {}
    for value in values or ():
        matching = [name for name in dataset.feature_names if fnmatchcase(name, value)]
        name, mark, listed = value.partition("=")
        if not matching and mark:
            matching = features_in("--feature-group", [listed], dataset)
        elif not matching:
            raise UsageError(
                f"--feature-group must match columns of {dataset.name} or name them, got "
                f"{value!r}. For example, 'color_*', or 'body=height,weight'."
            )
        else:
            name = value.replace("*", "").strip(" _-.:=") or value
        if name in groups:
            raise UsageError(f"--feature-group must have different names, got {name!r} twice.")
        groups[name] = matching
    return groups


def features_in(
    option: str,
    values: Sequence[str] | None,
    dataset: Dataset,
    groups: Collection[str] = (),
) -> list[str]:
    """Return the names in an option, all of which must be features of the table, or groups."""
    from fuzzyfrog.common.messages import shown, suggested

    names = names_in(option, values)
    for name in names:
        if name == dataset.target_name:
            raise UsageError(f"{option} must name features, got the target {shown(name)}.")
        if name not in dataset.feature_names and name not in groups:
            raise UsageError(
                f"{option} must name features of {dataset.name}, got {shown(name)}. "
                f"{suggested(name, dataset.feature_names)}"
            )
    return names
