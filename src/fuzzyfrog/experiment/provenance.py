"""When the cells were computed, with what, and where the limits of that time were others."""

from collections import defaultdict

from fuzzyfrog.experiment.markdown import Rows, joined, table
from fuzzyfrog.experiment.results import Lookup, timeouts

__all__ = ["limit_lines", "provenance_lines"]

OTHER_LIMITS = (
    "Cells that were computed under another limit are there as well: {counts}. The pages list them "
    "by classifier under Gaps; `fuzzyfrog reproduce --retry-failed` tries them again."
)


def limit_lines(lookup: Lookup, limit: float | None) -> list[str]:
    """Give a sentence about cells that were given up under another limit than the config's.

    Parameters
    ----------
    lookup : Lookup
        The cells.
    limit : float or None
        The seconds that the config allows.

    Returns
    -------
    list of str
        Nothing if there are no such cells.
    """
    others = {seconds: count for seconds, count in timeouts(lookup).items() if seconds != limit}
    if not others:
        return []
    counts = joined(
        f"{count:,} given up after {value:g} seconds" for value, count in others.items()
    )
    return [OTHER_LIMITS.format(counts=counts)]


def provenance_lines(lookup: Lookup) -> list[str]:
    """Give the days and the versions that the cells have, each once.

    Parameters
    ----------
    lookup : Lookup
        The cells.

    Returns
    -------
    list of str
        Lines of Markdown.
    """
    cells = lookup.cells()
    if not cells:
        return ["Nothing has been computed."]
    days = sorted({cell["when"].partition("T")[0] for cell in cells})
    span = f"on {days[0]}" if len(days) == 1 else f"from {days[0]} to {days[-1]}"
    n_cells = f"{len(cells):,} cell{'s' if len(cells) > 1 else ''}"
    return [f"{n_cells}, computed {span} (UTC).", "", *table(_version_rows(lookup))]


def _version_rows(lookup: Lookup) -> Rows:
    """Give a row for each package; a panel has the version of what its classifiers come from."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for cell in lookup.cells():
        for name, version in cell["versions"].items():
            found[name].add(version)
    return [["with", "version"]] + [
        [name, "; ".join(sorted(versions))] for name, versions in sorted(found.items())
    ]
