"""What a verdict rests on: which cases have enough data sets, which classifiers are left out."""

from collections.abc import Mapping

from fuzzyfrog.experiment.markdown import joined
from fuzzyfrog.experiment.results import Lineup
from fuzzyfrog.experiment.standing import Case

__all__ = ["MIN_DATASETS", "left_out_lines", "too_few_lines"]

MIN_DATASETS = 10  # with fewer, ranks of five methods tell nothing


def too_few_lines(cases: Mapping[Case, Lineup]) -> list[str]:
    """Give the section about the cases that are not judged, with their numbers of data sets.

    Parameters
    ----------
    cases : mapping of Case to Lineup
        All cases.

    Returns
    -------
    list of str
        Lines of Markdown; none if every case has enough.
    """
    told = {
        case: f"{len(lineup.done)} data sets"
        for case, lineup in cases.items()
        if len(lineup.done) < MIN_DATASETS
    }
    if not told:
        return []
    return [
        "## Too few to judge",
        "",
        f"A case with fewer than {MIN_DATASETS} data sets is not judged, whatever its figures say:",
        "",
        *_by_place(told),
        "",
    ]


def left_out_lines(cases: Mapping[Case, Lineup]) -> list[str]:
    """Give the section about means over fewer classifiers than the panel has.

    Parameters
    ----------
    cases : mapping of Case to Lineup
        The cases that are judged.

    Returns
    -------
    list of str
        Lines of Markdown; none if nothing is left out.
    """
    told = {case: text for case, lineup in cases.items() if (text := _left_out(lineup))}
    if not told:
        return []
    return [
        "## Classifiers left out",
        "",
        "A classifier that failed for one member of a line-up is left out for all its members on "
        "that data set, so that their means compare; they are not over the paper's classifiers "
        "then.",
        "",
        *_by_place(told),
        "",
    ]


def _left_out(lineup: Lineup) -> str:
    gone = {
        data: [name for name in lineup.classifiers if name not in lineup.common(data)]
        for data in lineup.done
    }
    return "; ".join(f"{data} without {joined(names)}" for data, names in gone.items() if names)


def _by_place(told: Mapping[Case, str]) -> list[str]:
    """Give an item for each panel, protocol and text, with the line-ups that share it."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for case, text in told.items():
        groups.setdefault((case.panel, case.protocol, text), []).append(case.lineup)
    return [
        f"- {panel}, {protocol}: {text} ({'; '.join(lineups)})."
        for (panel, protocol, text), lineups in groups.items()
    ]
