"""Data sets of the paper from OpenML or UCI, kept in a cache; the only module that uses pooch.

What these collections offer can differ from the paper's files: in the order of the samples, in
labels, in rounding, in rows that the paper's authors dropped or completed. A copy is accepted
only if it has as many samples, features and classes as the registered file; results on it can
still differ in the last digits from results on the paper's files.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fuzzyfrog.data.dataset import Dataset
from fuzzyfrog.data.registry import Entry, registry
from fuzzyfrog.data.tables import read_table
from fuzzyfrog.data.wording import shown, suggested
from fuzzyfrog.errors import DataError

__all__ = ["cache_folder", "fetch_dataset"]

CACHE_VARIABLE = "FUZZYFROG_CACHE"
OPENML_VARIABLE = "FUZZYFROG_OPENML_URL"
UCI_VARIABLE = "FUZZYFROG_UCI_URL"
OPENML_URL = "https://api.openml.org"
UCI_URL = "https://archive.ics.uci.edu"
UNREACHABLE = {"ConnectionError", "ConnectTimeout", "ReadTimeout", "ProxyError", "SSLError"}


@dataclass(frozen=True)
class Source:
    """Where a copy comes from and how to read it."""

    label: str
    url: str
    suffix: str
    target: str
    ignore: tuple[str, ...]
    checksum: str | None


def cache_folder() -> Path:
    """Give the folder of downloaded files: FUZZYFROG_CACHE, else the user's cache folder."""
    given = os.environ.get(CACHE_VARIABLE)
    if given:
        return Path(given).expanduser()
    import pooch  # slow to import

    return Path(pooch.os_cache("fuzzyfrog"))


def fetch_dataset(name: str) -> Dataset:
    """Give a data set of the paper from the cache, or download it from OpenML or UCI.

    The addresses can be changed with the environment variables FUZZYFROG_OPENML_URL and
    FUZZYFROG_UCI_URL, the cache with FUZZYFROG_CACHE.

    Parameters
    ----------
    name : str
        Name of a data set of the paper.

    Returns
    -------
    Dataset
        With the kinds of features that the source declares, and the source in its `name`.

    Raises
    ------
    DataError
        If the download fails, or the copy has another size than the registered file.
    """
    if name not in registry():
        raise DataError(
            f"name must be that of a data set of the paper, got {shown(name)}. "
            f"{suggested(name, tuple(registry()))}"
        )
    entry = registry()[name]
    source = _source(entry)
    path = _download(entry, source.url, f"{name}{source.suffix}", source.checksum)
    data = read_table(path, source.target, ignore=source.ignore, target_kind="class")
    _check_size(entry, source, data)
    return replace(data, name=f"{name} ({source.label})")


def _source(entry: Entry) -> Source:
    if entry.openml_id is not None:
        return _openml(entry, entry.openml_id)
    if entry.uci_id is not None:
        return _uci(entry, entry.uci_id)
    raise DataError(f"{entry.name}: no public collection offers it. {_way_out(entry)}")


def _openml(entry: Entry, number: int) -> Source:
    base = os.environ.get(OPENML_VARIABLE, OPENML_URL).rstrip("/")
    path = _download(entry, f"{base}/api/v1/json/data/{number}", f"{entry.name}.openml.json", None)
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))["data_set_description"]
        ignore = _as_tuple(facts.get("row_id_attribute"), facts.get("ignore_attribute"))
        target, url = facts["default_target_attribute"], facts["url"]
        return Source(f"OpenML {number}", url, ".arff", target, ignore, _md5(facts))
    except (ValueError, KeyError, TypeError) as error:
        raise _not_described(entry, path, error) from None


def _uci(entry: Entry, number: int) -> Source:
    base = os.environ.get(UCI_VARIABLE, UCI_URL).rstrip("/")
    path = _download(entry, f"{base}/api/dataset?id={number}", f"{entry.name}.uci.json", None)
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))["data"]
        roles = {variable["name"]: variable["role"] for variable in facts["variables"]}
        (target,) = [name for name, role in roles.items() if role == "Target"]
        ignore = tuple(n for n, role in roles.items() if role not in ("Feature", "Target"))
        return Source(f"UCI {number}", str(facts["data_url"]), ".csv", target, ignore, None)
    except (ValueError, KeyError, TypeError) as error:
        raise _not_described(entry, path, error) from None


def _as_tuple(*attributes: Any) -> tuple[str, ...]:
    """Give the names in fields that hold nothing, one name or a list of names."""
    names: list[str] = []
    for attribute in attributes:
        names.extend([attribute] if isinstance(attribute, str) else attribute or [])
    return tuple(dict.fromkeys(names))


def _md5(facts: dict[str, Any]) -> str | None:
    checksum = facts.get("md5_checksum")
    return f"md5:{checksum}" if checksum else None


def _not_described(entry: Entry, path: Path, error: Exception) -> DataError:
    path.unlink()  # or the next attempt would find it in the cache
    return DataError(
        f"{entry.name}: the server's description of the data set cannot be used "
        f"({type(error).__name__}: {error}). Try again later. {_way_out(entry)}"
    )


def _download(entry: Entry, url: str, file: str, checksum: str | None) -> Path:
    if not url.startswith(("http://", "https://")):
        raise DataError(f"{entry.name}: no address to download it from. {_way_out(entry)}")
    import pooch  # slow to import

    pooch.get_logger().setLevel("WARNING")  # it would print the address and checksum of each file
    try:
        return Path(pooch.retrieve(url, checksum, fname=file, path=cache_folder()))
    except (OSError, ValueError) as error:
        raise DataError(
            f"{entry.name}: the download from {url} failed ({_reason(error)}). Check the network "
            f"and try again. {_way_out(entry)}"
        ) from None


def _reason(error: Exception) -> str:
    """Give what went wrong in a few words; requests tells of pools and objects."""
    if type(error).__name__ in UNREACHABLE:
        return "no connection"
    return " ".join(str(error).split())[:200]


def _check_size(entry: Entry, source: Source, data: Dataset) -> None:
    expected = (entry.rows, entry.features, entry.classes)
    got = (data.n_samples, data.n_features, len(data.classes or ()))
    if got != expected:
        raise DataError(
            f"{entry.name}: samples x features x classes must be {' x '.join(map(str, expected))} "
            f"as in the paper, got {' x '.join(map(str, got))} from {source.label}. "
            f"{_way_out(entry)}"
        )


def _way_out(entry: Entry) -> str:
    return (
        f"Or put {entry.file} into a folder and name that in the environment variable "
        "FUZZYFROG_DATA or in folder=."
    )
