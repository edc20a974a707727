"""Which columns are left out unless the user includes them: identifiers, dates and copies.

A column with a single value or none is not among them: the search may try it, and `roles` calls it
left out if it is not selected.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.messages import Sentence, Setting, listed, shown
from fuzzyfrog.data import Dataset
from fuzzyfrog.data.dates import holds_dates
from fuzzyfrog.data.gathering import empty_features
from fuzzyfrog.result import Alike
from fuzzyfrog.select.copies import find_alike
from fuzzyfrog.select.identifiers import (
    are_ordered_dates,
    doubt_about,
    doubt_about_shared,
)

Masks = NDArray[np.bool_]

MOST_SENTENCES = 5  # of a kind; if there are more, they become one


@dataclass(frozen=True)
class LeftOut:
    """The features that are left out unless the user includes them, and why.

    Parameters
    ----------
    mask : bool[n_features]
        Which they are.
    sentences : tuple of str
        What to tell about identifiers, dates, and columns without values.
    copies, correlated : tuple of Alike
        Features that say the same as another, and those that order the samples alike, which stay.
    identifiers : tuple of int
        Features that look like identifiers, and stay.
    """

    mask: Masks
    sentences: tuple[str, ...]
    copies: tuple[Alike, ...]
    correlated: tuple[Alike, ...]
    identifiers: tuple[int, ...]

    def copies_said(self, names: Sequence[str], *way_out: str | Setting) -> Iterator[Sentence]:
        """Yield a sentence about the copies that are left out; `way_out` says how to keep them."""
        parts, n_copies = [], 0
        for group in self.copies:
            others = [names[feature] for feature in group.others if self.mask[feature]]
            if others:
                say = "says" if len(others) == 1 else "say"
                parts.append(f"{listed(others)} {say} the same as {shown(names[group.feature])}")
                n_copies += len(others)
        if parts:
            more = len(parts) - MOST_SENTENCES
            end = f"; and {more:,} more groups of copies" if more > 0 else ""
            are = "It is" if n_copies == 1 else "They are"
            said = "; ".join(parts[:MOST_SENTENCES])
            yield Sentence(f"{said}{end}. {are} left out; ", *way_out, ".")


def left_out(
    dataset: Dataset,
    included: Masks,
    excluded: Masks,
    *,
    drop_copies: bool,
    drop_doubtful: bool,
    costs: NDArray[np.number] | None = None,
) -> LeftOut:
    """Return which of the features that are neither included nor excluded are left out.

    Of copies, an included one stays, or the cheapest if features have costs, or the first.
    """
    free = np.flatnonzero(~included & ~excluded).tolist()
    empty = {feature for feature in empty_features(dataset.values) if not excluded[feature]}
    doubts = {one: doubt for one in free if (doubt := doubt_about(dataset, one))}
    shared = {
        one: doubt
        for one in free
        if one not in doubts and (doubt := doubt_about_shared(dataset, one))
    }
    # If nothing else is there, an identifier is better than no answer.
    rest = set(np.flatnonzero(~excluded).tolist()) - doubts.keys() - empty
    mask = np.zeros(dataset.n_features, np.bool_)
    if drop_doubtful:
        mask[list(doubts) if rest else []] = True
        mask[list(shared) if rest - shared.keys() else []] = True
    sentences = [*_without_values(dataset, empty)]
    dropped = {one: doubt for one, doubt in (doubts | shared).items() if mask[one]}
    staying = {one: doubt for one, doubt in (doubts | shared).items() if not mask[one]}
    keep = " It is left out; keep it with ", "must_include"
    sentences += _said(dataset, dropped, *keep)
    if rest:
        sentences += _said(dataset, staying, " To leave it out, pass ", "exclude")
    else:
        sentences += _said(dataset, staying, " Add other columns.", "")
    for feature in doubts:
        if are_ordered_dates(dataset, feature):
            name = shown(dataset.feature_names[feature])
            sentences.append(
                Sentence(
                    f"The samples are in the order of {name}. If they are a time series, random "
                    "folds flatter models: check(selector, X, y, cv=TimeSeriesSplit()) tests them "
                    "on later samples."
                )
            )
    copies: list[Alike] = []
    correlated: list[Alike] = []
    if drop_copies:
        ids = {one for one in shared if mask[one]}
        allowed = ~excluded & ~mask
        allowed[list(ids)] = True
        same, near = find_alike(dataset, allowed)
        for group in same:
            if same_ids := [one for one in group if one in ids]:  # others are names of these
                alike = {
                    one: f"says the same as {shown(dataset.feature_names[same_ids[0]])}."
                    for one in group
                    if one not in ids and not included[one]
                }
                mask[list(alike)] = True
                sentences += _said(dataset, alike, *keep)
                continue
            cheapest = group[0] if costs is None else min(group, key=costs.__getitem__)
            kept = next((one for one in group if included[one]), cheapest)
            copies.append(Alike(kept, tuple(one for one in group if one != kept)))
            mask[[one for one in copies[-1].others if not included[one]]] = True
        correlated = [Alike(group[0], group[1:]) for group in near if not ids & set(group)]
    identifiers = tuple(
        one for one in sorted(staying) if not mask[one] and not holds_dates(dataset, one)
    )
    return LeftOut(mask, tuple(sentences), tuple(copies), tuple(correlated), identifiers)


def suspects(dataset: Dataset, allowed: Masks, left_out_by: str = "exclude") -> Iterator[Sentence]:
    """Yield warnings about allowed features without values, or like an identifier or a date.

    `left_out_by` names the parameter that leaves out features.
    """
    features = np.flatnonzero(allowed).tolist()
    yield from _without_values(dataset, set(empty_features(dataset.values)) & set(features))
    doubts = {
        one: doubt_about(dataset, one) or doubt_about_shared(dataset, one) for one in features
    }
    doubts = {one: doubt for one, doubt in doubts.items() if doubt}
    yield from _said(dataset, doubts, " To leave it out, pass ", left_out_by)


def _without_values(dataset: Dataset, empty: set[int]) -> Iterator[Sentence]:
    if empty:
        names = [dataset.feature_names[feature] for feature in sorted(empty)]
        have, them = ("features {} have", "them") if len(empty) > 1 else ("feature {} has", "it")
        yield Sentence(
            f"{have.format(listed(names))} no value in any sample. Nothing can be learned from "
            f"{them}."
        )


def _said(
    dataset: Dataset, doubts: Mapping[int, str], way_out: str, parameter: str
) -> Iterator[Sentence]:
    """Yield a sentence for each feature in doubt, or one for all if they are many."""
    names = [dataset.feature_names[feature] for feature in doubts]
    if len(doubts) > MOST_SENTENCES:
        setting = (Setting(parameter), ".") if parameter else ()
        together = way_out.replace("It is", "They are").replace(" it ", " them ")
        yield Sentence(
            f"{len(names):,} features look like IDs or dates: {listed(names)}.", together, *setting
        )
        return
    for feature, name in zip(doubts, names, strict=True):
        end: tuple[str | Setting, ...] = (Setting(parameter, [name]),) if parameter else ()
        if parameter == "must_include" and holds_dates(dataset, feature):
            parts = ", or replace it by its year, month, weekday and day count with "
            end = (*end, parts, Setting("date_parts"))
        if parameter:
            end = (*end, ".")
        yield Sentence(f"feature {shown(name)} ", doubts[feature], way_out, *end)
