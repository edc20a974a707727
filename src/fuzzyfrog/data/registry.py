"""The facts about the 22 data sets of the paper."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

__all__ = ["Entry", "registry"]


@dataclass(frozen=True)
class Entry:
    """One data set of the paper.

    Parameters
    ----------
    name, title : str
        What to type and what to print.
    file : str
        Name of its file in a data folder.
    rows, features, classes : int
        Its size.
    nominal : tuple of str
        Features that hold codes of categories.
    sha256 : str
        Checksum of the file.
    uci_id, openml_id : int or None
        Its numbers in the two public collections.
    doi : str or None
        What to cite.
    """

    name: str
    title: str
    file: str
    rows: int
    features: int
    classes: int
    nominal: tuple[str, ...]
    sha256: str
    uci_id: int | None
    openml_id: int | None
    doi: str | None


@cache
def registry() -> MappingProxyType[str, Entry]:
    """Give the entries of the registry by name, in the order of the paper."""
    text = files("fuzzyfrog.data").joinpath("registry.json").read_text(encoding="utf-8")
    facts = json.loads(text)["datasets"]
    entries = [Entry(**{**fact, "nominal": tuple(fact["nominal"])}) for fact in facts]
    return MappingProxyType({entry.name: entry for entry in entries})
