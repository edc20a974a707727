"""Options that several commands share, and what their values name: columns, groups, costs.

A group of options is a dataclass whose fields are options. A command takes a group as one
parameter, and `flattened` shows its fields to typer, so that each option is defined once: here, or
where its group lives (`inputs.TableOptions`, `outputs.Files`).
"""

from __future__ import annotations

import csv
import inspect
from collections.abc import Callable, Collection, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from math import inf, nan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_type_hints

import typer

from fuzzyfrog.cli.errors import OPTION_NAMES, UsageError, option_of
from fuzzyfrog.common.messages import shown, suggested, warn

if TYPE_CHECKING:
    from fuzzyfrog.data import Dataset
    from fuzzyfrog.select.kind import Kind
    from fuzzyfrog.select.settings import Settings

KEYWORD_ONLY = inspect.Parameter.KEYWORD_ONLY
READING = "How the table is read"
SEARCH = "The search"
CHECK = "The check"
FILES = "Files to write"

# Listed here because the registry of searches is slow to import.
SearchName = Literal["auto", "frogs", "genetic", "swarm", "quickreduct", "exact"]


def option_field(
    default: Any, metavar: str, text: str, panel: str | None = None, *flags: str
) -> Any:
    """Return a field of a group that is an option, named after the field unless `flags` are given.

    A metavar of "" means that the option takes no value.
    """
    info = {"metavar": metavar, "help": text, "rich_help_panel": panel}
    return field(default=default, metadata={"flags": flags, "info": info})


def search_field(default: Any, metavar: str, text: str) -> Any:
    """Return a field that is an option of the search."""
    return option_field(default, metavar, text, SEARCH)


Jobs = Annotated[
    int | None,
    typer.Option(metavar="N", help="Number of threads (default: one for each usable CPU)."),
]
Json = Annotated[
    bool, typer.Option("--json", metavar="", help="Print one JSON document instead of text.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", metavar="", help="Do not show progress.")]


@dataclass(frozen=True, kw_only=True)
class Printing:
    """What a selection prints; the fields are options."""

    details: bool = option_field(False, "", "Print all that is known, also about every column.")
    as_json: Json = False
    quiet: Quiet = False


@dataclass(frozen=True, kw_only=True)
class CheckOptions:
    """How models are tried; the fields are options."""

    no_check: bool = option_field(
        False,
        "",
        "Do not check by cross-validation how well models do with the selected columns.",
        CHECK,
    )
    folds: int = option_field(5, "N", "Number of folds.", CHECK)
    scoring: list[str] | None = option_field(
        None,
        "A,B",
        "Scorers of scikit-learn, such as accuracy or roc_auc (default: "
        "balanced_accuracy; roc_auc for two classes of which one is rare; r2 for numbers).",
        CHECK,
    )
    stability: bool = option_field(
        False,
        "",
        "Also select on 100 random halves of the samples: how often is each column taken?",
        CHECK,
    )

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

    def check_target(self, dataset: Dataset) -> None:
        """Raise for scorers of another kind of target, before the search."""
        if self.scorers is not None:
            from fuzzyfrog.select.models import check_scoring  # slow to import

            check_scoring(self.scorers, is_numeric=dataset.classes is None)


@dataclass(frozen=True, kw_only=True)
class RowOptions:
    """What columns say about the rows; the fields are options."""

    groups: str | None = option_field(
        None,
        "COLUMN",
        "The column that says which samples belong together, such as a patient; it is no feature. "
        "Without it, an ID that several samples share.",
        READING,
    )
    weights: str | None = option_field(
        None,
        "COLUMN",
        "The column that says how much each sample counts; it is no feature.",
        READING,
    )

    def grouped(self, dataset: Dataset) -> Dataset:
        """Return the table with its groups and weights in place of the columns that have them."""
        return weighted_by(self.weights, grouped_by(self.groups, dataset))


@dataclass(frozen=True, kw_only=True)
class SelectionOptions(RowOptions):
    """What to select and for how long, by any measure; the fields are options."""

    n_features: int | None = search_field(None, "N", "Select exactly N features.")
    include: list[str] | None = search_field(None, "A,B", "Features that are always selected.")
    feature_group: list[str] | None = search_field(
        None,
        "PATTERN",
        "Columns that are selected together and count as one, such as 'color_*' or "
        "'body=height,weight'; may be repeated.",
    )
    sample: int | None = search_field(
        None,
        "N",
        "Score subsets on a random sample of N rows (for large tables); results are estimates.",
    )
    max_seconds: float | None = search_field(
        None, "S", "Stop after S seconds with the best subset so far."
    )
    seed: int = search_field(0, "N", "Random seed; the same seed gives the same result.")
    cluster: str | None = search_field(
        None, "ADDRESS", "Score subsets on a Dask cluster, such as tcp://10.0.0.1:8786."
    )
    jobs: Jobs = None

    @property
    def kind(self) -> Kind:
        """The measure."""
        raise NotImplementedError

    def settings(self, checkpoint: Path | None, ignored: Sequence[str] | None = None) -> Settings:
        """Return the checked settings for any table, without those that name its features.

        What `ignored` names, as in ``--ignore``, has no cost.
        """
        from fuzzyfrog.select.settings import Settings

        parameters = {option: parameter for parameter, option in OPTION_NAMES.items()}
        given = {parameters.get(name, name): value for name, value in vars(self).items()}
        known = {one.name for one in fields(Settings)} - {"must_include", "feature_groups", "costs"}
        given = {name: value for name, value in given.items() if name in known}
        return Settings(kind=self.kind, checkpoint=checkpoint, **given)

    def named(self, dataset: Dataset) -> dict[str, Any]:
        """Return the settings that name features of a table."""
        groups = groups_in(self.feature_group, dataset)
        return {
            "must_include": features_in("--include", self.include, dataset, list(groups)) or None,
            "feature_groups": groups or None,
        }


@dataclass(frozen=True, kw_only=True)
class SoftOptions(SelectionOptions):
    """What to predict with; the fields are options of ``fuzzyfrog select``."""

    @property
    def kind(self) -> Kind:
        """The soft measure."""
        from fuzzyfrog.select.soft import Soft

        return Soft()


@dataclass(frozen=True, kw_only=True)
class StrictOptions:
    """How the measure of the paper compares samples; the fields are options."""

    missing: Literal["similar", "different", "raise"] = option_field(
        "similar",
        "RULE",
        "How missing values compare: similar (to every value), different (from every value) "
        "or raise (an error).",
        READING,
    )

    @property
    def kind(self) -> Kind:
        """The measure of the paper."""
        from fuzzyfrog.select.strict import Strict

        return Strict(missing=self.missing)


@dataclass(frozen=True, kw_only=True)
class ReductOptions(StrictOptions, SelectionOptions):
    """Which reducts to find, and how; the fields are options of ``fuzzyfrog reducts``."""

    search: SearchName = search_field(
        "auto", "NAME", f"The search: {', '.join(get_args(SearchName))}; auto is frogs."
    )
    costs: list[str] | None = search_field(
        None,
        "NAME=COST",
        "What a feature costs, 1 unless given, or a CSV file of names and costs: the lowest total "
        "cost is selected, not the fewest features; may be repeated.",
    )
    survives: int = search_field(
        0, "K", "Keep the dependency if any K of the selected features are lost."
    )
    max_lost: int | None = search_field(
        None,
        "K",
        "Set aside at most K samples, which need not be separated; the result names them.",
    )
    certify: bool = search_field(
        False, "", "Prove that no smaller subset exists (exit code 3 if the budget runs out first)."
    )
    max_evaluations: int | None = search_field(
        None, "N", "Stop after scoring N subsets; the result is the same on every machine."
    )
    min_dependency: float = search_field(
        1.0, "SHARE", "Share of the dependency of all features to keep."
    )

    def settings(self, checkpoint: Path | None, ignored: Sequence[str] | None = None) -> Settings:
        """Return the checked settings for any table, with costs."""
        unread = names_in("--ignore", ignored)
        costs = {name: cost for name, cost in self.given_costs().items() if name not in unread}
        return replace(super().settings(checkpoint), costs=costs or None)

    def given_costs(self) -> dict[str, float]:
        """Return what features cost; of several costs of a feature, the last."""
        costs: dict[str, float] = {}
        for value in self.costs or ():
            name, mark, cost = value.rpartition("=")
            is_file = not mark or Path(value).is_file()
            costs |= costs_in_file(value) if is_file else {name.strip(): cost_in("--costs", cost)}
        return costs


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


def grouped_by(column: str | None, dataset: Dataset) -> Dataset:
    """Return a table with groups of samples in place of the column that has them, if any."""
    if column is None:
        return dataset
    from fuzzyfrog.data.dataset import group_numbers

    labels, rest = _taken_out("--groups", column, dataset)
    return replace(rest, groups=group_numbers(labels, dataset.n_samples))


def weighted_by(column: str | None, dataset: Dataset) -> Dataset:
    """Return a table with weights of samples in place of the column that has them, if any."""
    if column is None:
        return dataset
    from fuzzyfrog.data.weights import weighted

    weights, rest = _taken_out("--weights", column, dataset)
    if dataset.categorical[dataset.feature_names.index(column)]:
        raise UsageError(f"--weights must be a column of numbers, got {column!r} with categories.")
    found = weighted(rest, weights, column)
    warn(found.notes[-1])
    return found


def _taken_out(option: str, column: str, dataset: Dataset) -> tuple[Any, Dataset]:
    """Return the values of a column that is no feature, and the table without it."""
    names = dataset.feature_names
    if column not in names:
        raise UsageError(
            f"{option} must be a column of {dataset.name} other than the target, got "
            f"{shown(column)}. {suggested(column, names)}"
        )
    rest = dataset.take(columns=[name != column for name in names])
    return dataset.values[:, names.index(column)], rest


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
    option: str, values: Sequence[str] | None, dataset: Dataset, groups: Collection[str] = ()
) -> list[str]:
    """Return the names in an option, all of which must be features of the table, or groups."""
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


def costs_in_file(file: str) -> dict[str, float]:
    """Return the costs in a file; a first line without a number is a header."""
    path = Path(file)
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise UsageError(
            f"--costs must be NAME=COST, such as mri=400, or a readable file, got {file!r} "
            f"({reason})."
        ) from None
    delimiter = next((one for one in ";\t" if lines and one in lines[0]), ",")
    costs: dict[str, float] = {}
    rows = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    for number, row in enumerate(rows, start=1):
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
        costs[name] = cost_in(where, cost)
    if not costs:
        raise UsageError("--costs must be a file with a name and a cost in each line, got none.")
    return costs


def cost_in(where: str, text: str) -> float:
    """Return the cost in a text; `where` begins the error if there is none."""
    try:
        cost = float(text)
    except ValueError:
        cost = nan
    if not 0 < cost < inf:
        from fuzzyfrog.select.groups import FREE

        way_out = f" {FREE}" if cost == 0 else ""
        got = repr(text.strip()[:60])
        raise UsageError(f"{where} must have a positive, finite cost, got {got}.{way_out}")
    return cost


def given_options(group: Any, but: Collection[str] = ()) -> list[str]:
    """Return the options of a group that differ from their defaults."""
    return [
        option_of(one.name)
        for one in fields(group)
        if one.name not in but and getattr(group, one.name) != one.default
    ]


def typed(group: Any) -> list[str]:
    """Return the options of a group that differ from their defaults, as they are typed."""
    words: list[str] = []
    for one in fields(group):
        value, option = getattr(group, one.name), option_of(one.name)
        if value is True:
            words.append(option)
        elif value != one.default and one.default is not MISSING:
            for each in value if isinstance(value, list | tuple) else [value]:
                words += [option, str(each)]
    return words


def flattened(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command whose signature has the options of each group in place of the group."""
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    parameters: list[inspect.Parameter] = []
    for name, one in inspect.signature(function).parameters.items():
        if name in groups:
            parameters += _options_of(groups[name])
        else:
            parameters.append(one.replace(kind=KEYWORD_ONLY, annotation=hints[name]))

    def command(**values: Any) -> Any:
        filled = {
            name: group(**{one.name: values.pop(one.name) for one in fields(group)})
            for name, group in groups.items()
        }
        return function(**filled, **values)

    # Typer keeps the line breaks of all paragraphs but the first.
    paragraphs = (inspect.getdoc(function) or "").split("\n\n")
    command.__doc__ = "\n\n".join(one.replace("\n", " ") for one in paragraphs)
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return command


def _options_of(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    parameters = []
    for one in fields(group):
        kind = hints[one.name]
        if one.metadata:
            flags = one.metadata["flags"]
            if kind is bool:  # else typer adds an option that turns it off
                flags = (f"--{one.name.replace('_', '-')}",)
            kind = Annotated[kind, typer.Option(*flags, **one.metadata["info"])]
        default = inspect.Parameter.empty if one.default is MISSING else one.default
        parameters.append(
            inspect.Parameter(one.name, KEYWORD_ONLY, annotation=kind, default=default)
        )
    return parameters
