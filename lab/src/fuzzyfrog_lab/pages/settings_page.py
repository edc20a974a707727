"""The page of the settings: versions, data sets, and selectors with all their parameters."""

import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fuzzyfrog.errors import DataError
from fuzzyfrog_lab.catalog import registry
from fuzzyfrog_lab.config import DataEntry, Experiment, SelectorEntry
from fuzzyfrog_lab.pages.markdown import GAP, Rows, bracketed, joined, table
from fuzzyfrog_lab.panel import METRICS
from fuzzyfrog_lab.published import PublishedFigures
from fuzzyfrog_lab.results import Lookup, timeouts
from fuzzyfrog_lab.selectors import parameters

OTHER_LIMITS = (
    "Cells that were computed under another limit are there as well: {counts}. The pages list them "
    "by classifier under Gaps; `fuzzyfrog-lab reproduce --retry-failed` tries them again."
)


@dataclass(frozen=True)
class Shape:
    """The size of a table."""

    n_samples: int
    n_features: int
    n_classes: int


def shape_of(
    entry: DataEntry,
    lookup: Lookup | None = None,
    folder: str | os.PathLike[str] | None = None,
) -> Shape | None:
    """Return the size of a data set; None if it has no cells and cannot be read.

    Tables that only some machines have, of the paper or from a function, are not read: the same
    cells give the same page.
    """
    is_registered = entry.file is None and entry.loader is None and entry.name in registry()
    if is_registered and entry.max_samples is None:
        known = registry()[entry.name]
        return Shape(known.rows, known.features, known.classes)
    if lookup is not None and (noted := lookup.shape(entry.name)) is not None:
        return Shape(*noted)
    if is_registered or entry.loader is not None:
        return None
    try:
        dataset = entry.load(folder)
    except (DataError, OSError):
        return None
    return Shape(dataset.n_samples, dataset.n_features, len(dataset.classes or ()))


def settings_page(
    experiment: Experiment,
    shapes: Mapping[str, Shape],
    published: PublishedFigures,
    lookup: Lookup,
) -> str:
    """Return the Markdown page."""
    limit, has_weka = experiment.classifier_seconds, "weka" in experiment.panels
    time = f"{limit:g} seconds of CPU time" if limit else "any time"
    return "\n".join(
        [
            f"# {experiment.title}: settings",
            "",
            f"{experiment.folds} {METRICS[experiment.metric].folds}, seed {experiment.fold_seed}."
            + (f" A classifier of Weka may take {time} for some features." if has_weka else ""),
            *(_limit_lines(lookup, limit) if has_weka else []),
            "",
            "## Computed with",
            "",
            *_version_lines(lookup),
            "",
            "## Data sets",
            "",
            *(["The paper's sizes in brackets.", ""] if published.methods else []),
            *table(_data_rows(experiment, shapes, published)),
            "",
            "## Selectors",
            "",
            *table(_selector_rows(experiment)),
            "",
        ]
    )


def _limit_lines(lookup: Lookup, limit: float | None) -> list[str]:
    """Return a sentence about cells that timed out under another limit than the config's."""
    others = {seconds: count for seconds, count in timeouts(lookup).items() if seconds != limit}
    if not others:
        return []
    counts = joined(
        f"{count:,} given up after {value:g} seconds" for value, count in others.items()
    )
    return [OTHER_LIMITS.format(counts=counts)]


def _version_lines(lookup: Lookup) -> list[str]:
    """Return the days on which the cells were computed, and a row for each package."""
    cells = lookup.cells()
    if not cells:
        return ["Nothing has been computed."]
    days = sorted({cell["when"].partition("T")[0] for cell in cells})
    span = f"on {days[0]}" if len(days) == 1 else f"from {days[0]} to {days[-1]}"
    n_cells = f"{len(cells):,} cell{'s' if len(cells) > 1 else ''}"
    found: defaultdict[str, set[str]] = defaultdict(set)
    for cell in cells:
        for name, version in cell["versions"].items():
            found[name].add(version)
    rows = [[name, "; ".join(sorted(versions))] for name, versions in sorted(found.items())]
    hours = sum(cell["seconds"] for cell in cells) / 3600
    told = [f"{n_cells}, computed {span} (UTC) in {hours:.1f} hours.", *_old_lines(cells)]
    return [*told, "", *table([["with", "version"], *rows])]


def _old_lines(cells: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a sentence about accuracies whose keys hold no versions, if there are any."""
    old = [one for one in cells if one["key"].get("classifier") and "made_with" not in one["key"]]
    n_unknown = sum(not one["versions"] for one in old)
    if not old:
        return []
    unknown = f", for {n_unknown:,} of them unknown" if n_unknown else ""
    return [
        f"{len(old):,} accuracies are from before keys held versions and settings; their versions "
        f"are those that their file names{unknown}."
    ]


def _data_rows(
    experiment: Experiment, shapes: Mapping[str, Shape], published: PublishedFigures
) -> Rows:
    has_classes = METRICS[experiment.metric].models == "classifiers"
    rows = [["data", "samples", "features", *(["classes"] if has_classes else []), "notes"]]
    for one in experiment.data:
        shape = shapes.get(one.name)
        notes = [f"{old} is {new}" for old, new in one.class_labels.items()]
        notes += [f"a part of at most {one.max_samples:,} samples"] if one.max_samples else []
        labels = ", ".join([*notes, *([f"from {one.loader}"] if one.loader else [])])
        sizes = [GAP, GAP, GAP]
        if shape is not None:
            sizes = [str(shape.n_samples), str(shape.n_features), str(shape.n_classes)]
        theirs = [published.get("datasets", one.name, name) for name in ("samples", "features")]
        both = [bracketed(*pair) for pair in zip(sizes[:2], theirs, strict=True)]
        rows.append([one.name, *both, *(sizes[2:] if has_classes else []), labels])
    return rows


def _selector_rows(experiment: Experiment) -> Rows:
    head = ["selector", "in the paper", "search", "ranking", "parameters", "limits"]
    return [head] + [
        [one.name, one.paper or GAP, one.search, one.ranking, _parameters(one), _limits(one)]
        for one in experiment.selectors
    ]


def _parameters(entry: SelectorEntry) -> str:
    found = parameters(entry)
    for name in ("size_rule", "measure", "min_dependency"):
        if getattr(entry, name) != getattr(SelectorEntry, name):
            found = {name: getattr(entry, name), **found}
    return ", ".join(f"{name} = {value}" for name, value in found.items()) or GAP


def _limits(entry: SelectorEntry) -> str:
    limits = {"seconds": entry.max_seconds, "evaluations": entry.max_evaluations}
    told = [f"{value:g} {name}" for name, value in limits.items() if value]
    if entry.as_many_as is not None:
        told.append(f"as many features as {entry.as_many_as}")
    elif entry.n_features_to_select is not None:
        told.append(f"n_features_to_select = {entry.n_features_to_select}")
    return ", ".join(told) or GAP
