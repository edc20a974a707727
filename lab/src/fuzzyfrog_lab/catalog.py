"""Data sets by name: those of scikit-learn, and the 22 of the paper."""

import hashlib
import json
import os
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pooch

from fuzzyfrog.common.messages import Sentence, Setting, shown, suggested
from fuzzyfrog.data import Dataset, bundled
from fuzzyfrog.data.formats import stamp
from fuzzyfrog.data.read_table import read_table
from fuzzyfrog.errors import DataError

FOLDER_VARIABLE = "FUZZYFROG_DATA"
CACHE_VARIABLE = "FUZZYFROG_CACHE"
OPENML_VARIABLE = "FUZZYFROG_OPENML_URL"
UCI_VARIABLE = "FUZZYFROG_UCI_URL"
OPENML_URL = "https://api.openml.org"
UCI_URL = "https://archive.ics.uci.edu"
UNREACHABLE = {"ConnectionError", "ConnectTimeout", "ReadTimeout", "ProxyError", "SSLError"}


def dataset_names() -> tuple[str, ...]:
    """Return the names that `load_dataset` knows, sorted: scikit-learn's and those of the paper."""
    return tuple(sorted({*bundled.dataset_names(), *registry()}))


def load_dataset(
    name: str, *, categorical: bool = False, folder: str | os.PathLike[str] | None = None
) -> Dataset:
    """Return a data set by its name: one of scikit-learn's, or one of the paper's 22.

    The names that `fuzzyfrog.load_dataset` knows are always the copies that come with
    scikit-learn, also with `folder`. (The wine of the paper has the same values in the same order.)
    The other names are looked up in `folder`, or else in the folder named by the environment
    variable FUZZYFROG_DATA, then in the cache; if they are not there, they are downloaded. A file
    in a folder must be the registered one, byte for byte; a downloaded copy must have the
    registered size, but can otherwise differ.

    Parameters
    ----------
    name : str
        One of `dataset_names()`.
    categorical : bool
        Whether the features that hold codes of categories are categorical; by default all features
        are numbers, as in the paper. A downloaded copy keeps the kinds its source declares.
    folder : str or path, optional
        Folder with the files of the data sets, such as "glass.csv".

    Returns
    -------
    Dataset
        The data set; the `name` of a downloaded copy mentions its source.

    Raises
    ------
    DataError
        If the name is unknown, or its file is missing or not the registered one.
    """
    if name not in dataset_names():
        raise DataError(
            f"name must be that of a known data set, got {shown(name)}. "
            f"{suggested(name, dataset_names())}"
        )
    if name in bundled.dataset_names():
        return bundled.load_dataset(name)
    file = dataset_file(name, folder=folder)
    return fetch_dataset(name) if file is None else _registered(file, name, categorical=categorical)


def dataset_file(name: str, *, folder: str | os.PathLike[str] | None = None) -> Path | None:
    """Return the file that a data set is read from, whether it exists or not.

    None for a data set that comes with scikit-learn, and for one that has to be downloaded.
    """
    if name in bundled.dataset_names():
        return None
    file = registry()[name].file
    given = folder or os.environ.get(FOLDER_VARIABLE)
    if given:
        return Path(given).expanduser() / file
    cached = cache_folder() / file
    return cached if cached.exists() else None


def _registered(path: Path, name: str, *, categorical: bool) -> Dataset:
    entry = registry()[name]
    stamp(path)
    with path.open("rb") as stream:
        checksum = hashlib.file_digest(stream, "sha256").hexdigest()
    if checksum != entry.sha256:
        raise DataError(
            f"{path.name}: the file must be the registered one (SHA-256 {entry.sha256[:12]}...), "
            f"got another (SHA-256 {checksum[:12]}...). Get it again, or read your own version "
            "with read_table."
        )
    kinds = list(entry.categorical) if categorical else None
    return read_table(path, "class", categorical_features=kinds, target_kind="class")


@dataclass(frozen=True)
class Entry:
    """One data set of the paper: its file in a data folder, its size, and where to get it.

    The features in `categorical` hold codes of categories.
    """

    name: str
    title: str
    file: str
    rows: int
    features: int
    classes: int
    categorical: tuple[str, ...]
    sha256: str
    uci_id: int | None
    openml_id: int | None
    doi: str | None


@cache
def registry() -> MappingProxyType[str, Entry]:
    """Return the entries of the registry by name, in the order of the paper."""
    text = files("fuzzyfrog_lab").joinpath("registry.json").read_text(encoding="utf-8")
    facts = json.loads(text)["datasets"]
    entries = [Entry(**{**fact, "categorical": tuple(fact["categorical"])}) for fact in facts]
    return MappingProxyType({entry.name: entry for entry in entries})


@dataclass(frozen=True)
class Source:
    """The address of a downloadable copy, and how to read it."""

    label: str
    url: str
    suffix: str
    target: str
    ignore: tuple[str, ...]
    checksum: str | None


def cache_folder() -> Path:
    """Return the folder of downloaded files: FUZZYFROG_CACHE, else the user's cache folder."""
    given = os.environ.get(CACHE_VARIABLE)
    if given:
        return Path(given).expanduser()
    return Path(pooch.os_cache("fuzzyfrog"))


def fetch_dataset(name: str) -> Dataset:
    """Return a data set of the paper from the cache, or download it from OpenML or UCI.

    Its features have the kinds that the source declares, and its `name` mentions the source. The
    environment variables FUZZYFROG_OPENML_URL and FUZZYFROG_UCI_URL change the addresses,
    FUZZYFROG_CACHE the cache.
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
    raise _unavailable(entry, "no public collection offers it.")


# Not sklearn.datasets.fetch_openml: it knows no mirror (FUZZYFROG_OPENML_URL), and its cache,
# checks and errors would not be those of UCI.
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
    """Return the names in fields that are empty, hold one name, or a list of names."""
    names: list[str] = []
    for attribute in attributes:
        names.extend([attribute] if isinstance(attribute, str) else attribute or [])
    return tuple(dict.fromkeys(names))


def _md5(facts: dict[str, Any]) -> str | None:
    checksum = facts.get("md5_checksum")
    return f"md5:{checksum}" if checksum else None


def _not_described(entry: Entry, path: Path, error: Exception) -> DataError:
    path.unlink()  # or the next attempt would find it in the cache
    return _unavailable(
        entry,
        "the server's description of the data set cannot be used "
        f"({type(error).__name__}: {error}). Try again later.",
    )


def _download(entry: Entry, url: str, file: str, checksum: str | None) -> Path:
    if not url.startswith(("http://", "https://")):
        raise _unavailable(entry, "no address to download it from.")
    pooch.get_logger().setLevel("WARNING")  # it would print the address and checksum of each file
    try:
        return Path(pooch.retrieve(url, checksum, fname=file, path=cache_folder()))
    except (OSError, ValueError) as error:
        raise _unavailable(
            entry,
            f"the download from {url} failed ({_reason(error)}). Check the network and try again.",
        ) from None


def _reason(error: Exception) -> str:
    """Return the problem in a few words; messages of requests are about pools and objects."""
    if type(error).__name__ in UNREACHABLE:
        return "no connection"
    return " ".join(str(error).split())[:200]


def _check_size(entry: Entry, source: Source, data: Dataset) -> None:
    expected = (entry.rows, entry.features, entry.classes)
    got = (data.n_samples, data.n_features, len(data.classes or ()))
    if got != expected:
        raise _unavailable(
            entry,
            f"samples x features x classes must be {' x '.join(map(str, expected))} as in the "
            f"paper, got {' x '.join(map(str, got))} from {source.label}.",
        )


def _unavailable(entry: Entry, problem: str) -> DataError:
    return DataError(
        Sentence(
            f"{entry.name}: {problem} Or put {entry.file} into a folder and name that in the "
            "environment variable FUZZYFROG_DATA or in ",
            Setting("folder"),
            ".",
        )
    )
