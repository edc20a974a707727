"""The computed cells of an experiment: one JSON object a line, appended whole or not at all.

A cell is ``{"key": {...}, "value": {...}, "seconds": ..., "when": ...}``, or has an ``"error"``,
the reason, instead of the value. Cells are looked up by content: selectors that found the same
features share their accuracies. A line with ``{"versions": {...}}`` only names the versions of the
packages that computed the cells below it; a cell may also have its own versions.

A key holds all that changes a result: the settings of the config and the defaults of a
search, the digest of the table, seed, folds, panel and classifier; and, under ``made_with``, the
versions of the packages that a classifier or a foreign selector comes from, with the settings of
the classifier. It does not hold our own version: a search that finds something else gets another
default or another name.

Cells from before there was a ``made_with`` stay what they are. They count for the settings of that
time and for the versions that their file names for them, or for any version if it names none at
all.

Pages do not ask which versions are installed: of cells that differ in ``made_with`` only, they show
the one that was computed last, so the same cells give the same pages everywhere.

Cells to keep or share are packed: ``cells.jsonl.gz`` next to ``cells.jsonl`` has the same lines,
and cells in either file count.
"""

import gzip
import json
import os
import platform
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import TracebackType
from typing import Any

from fuzzyfrog.common.files import FileLock, LockedError, written_whole
from fuzzyfrog.data import Dataset
from fuzzyfrog.errors import FuzzyfrogError
from fuzzyfrog.select.selection import fingerprint
from fuzzyfrog_lab.config import DataEntry, Experiment, Protocol, SelectorEntry
from fuzzyfrog_lab.selectors import is_random, recipe

Key = dict[str, Any]

SYNC_SECONDS = 1.0
PACKAGES = ("fuzzyfrog", "numpy", "scipy", "numba", "scikit-learn", "lightgbm", "jpype1")
# The settings of the classifiers, by panel, when keys did not hold them: older cells count for
# these only. They stay as they are if the settings of a classifier change.
FIRST_SETTINGS: dict[str, dict[str, str]] = {
    "sklearn": {
        "tree": "DecisionTreeClassifier(criterion='entropy', min_samples_leaf=2, random_state=0)",
        "best_first_tree": "DecisionTreeClassifier(max_leaf_nodes=16, random_state=0)",
        "forest": "RandomForestClassifier(random_state=0)",
        "naive_bayes": "GaussianNB()",
        "binary_bayes": "BernoulliNB()",
        "logistic": "LogisticRegression(max_iter=5000)",
        "discriminant": "LinearDiscriminantAnalysis(shrinkage='auto', solver='lsqr')",
        "neighbors": "KNeighborsClassifier()",
        "svm": "SVC(random_state=0)",
    },
    "weka": {
        "PART": "rules.PART -M 2 -C 0.25 -Q 1",
        "JRip": "rules.JRip -F 3 -N 2.0 -O 2 -S 1",
        "NaiveBayes": "bayes.NaiveBayes",
        "BayesNet": "bayes.BayesNet -D -Q weka.classifiers.bayes.net.search.local.K2 -- -P 1 "
        "-S BAYES -E weka.classifiers.bayes.net.estimate.SimpleEstimator -- -A 0.5",
        "J48": "trees.J48 -C 0.25 -M 2",
        "BFTree": "trees.BFTree -S 1 -M 2 -N 5 -C 1.0 -P POSTPRUNED",
        "FT": "trees.FT -I 15 -F 0 -M 15 -W 0.0",
        "NBTree": "trees.NBTree",
        "RBFNetwork": "functions.RBFNetwork -B 2 -S 1 -R 1.0E-8 -M -1 -W 0.1",
    },
}


class StoreError(FuzzyfrogError, RuntimeError):
    """The file of cells cannot be used; the message says why and what to do."""


class Cells:
    """The cells of an experiment, in memory and on disk; one process at a time.

    A line that a killed run left unfinished is cut off.
    """

    def __init__(self, path: Path, versions: Mapping[str, str]) -> None:
        self._versions = dict(versions)
        self._is_headed = False
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = _locked(path)
        try:
            _cut_torn_line(path)
            self._known = read_cells(path)
        except BaseException:
            self._lock.release()
            raise
        as_bytes = getattr(os, "O_BINARY", 0)  # or Windows adds carriage returns
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | as_bytes, 0o644)
        self._synced = time.monotonic()

    def get(self, key: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the line of a cell; None if it has not been computed."""
        line = self._known.get(canonical(key))
        if line is None and "made_with" in key:
            line = self._known.get(family(key))
            if line is not None and not _is_made_with(line, key["made_with"]):
                return None
        return line

    def add(
        self,
        key: Mapping[str, Any],
        *,
        value: Mapping[str, Any] | None = None,
        error: str | None = None,
        seconds: float,
    ) -> dict[str, Any]:
        """Append the value of a cell, or the reason for its failure, and return the line."""
        outcome: dict[str, Any] = (
            {"value": dict(value or {})} if error is None else {"error": error}
        )
        line = {
            "key": dict(key),
            **outcome,
            "seconds": round(seconds, 4),
            "when": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        self._head()
        _write(self._file, _encoded(line))
        self._sync()
        line["versions"] = self._versions
        self._known[canonical(key)] = line
        return line

    def _head(self) -> None:
        """Write the versions above the first cell of this process."""
        if not self._is_headed:
            _write(self._file, _encoded({"versions": self._versions}))
            self._is_headed = True

    def _sync(self) -> None:
        """Sync now and then: a killed run loses nothing, a power cut one second at most."""
        if time.monotonic() - self._synced >= SYNC_SECONDS:
            os.fsync(self._file)
            self._synced = time.monotonic()

    def forget_failures(self) -> None:
        """Treat failed cells as not computed; their lines stay in the file."""
        self._known = {key: line for key, line in self._known.items() if "error" not in line}

    def close(self) -> None:
        """Close the file and release its lock."""
        os.fsync(self._file)
        os.close(self._file)
        self._lock.release()

    def __enter__(self) -> "Cells":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def read_cells(path: Path) -> dict[str, dict[str, Any]]:
    """Return the cells of a file and its packed part by canonical key; the last one counts."""
    packed = packed_file(path)
    found: dict[str, dict[str, Any]] = {}
    if packed.exists():
        try:
            lines = gzip.decompress(packed.read_bytes()).splitlines()
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise StoreError(f"{packed} must be a whole gzip file, got: {error}.") from None
        found.update(_by_key(packed, lines))
    if path.exists():
        newer = _by_key(path, path.read_bytes().rpartition(b"\n")[0].splitlines())
        found = {name: line for name, line in found.items() if name not in newer} | newer
    return found


def packed_file(path: Path) -> Path:
    """Return the packed file that belongs to a file of cells."""
    return path.with_name(f"{path.name}.gz")


def pack_cells(path: Path) -> Path:
    """Move all cells into the packed file; the same cells give the same bytes."""
    lock = _locked(path)
    try:
        content = b"".join(map(_encoded, _with_heads(read_cells(path).values())))
        with written_whole(packed_file(path)) as file:
            file.write_bytes(gzip.compress(content, mtime=0))  # no time: same cells, same bytes
        path.unlink(missing_ok=True)
    finally:
        lock.release()
    return packed_file(path)


def package_versions() -> dict[str, str]:
    """Return the versions of Python and of the installed packages."""
    versions = {"python": platform.python_version()}
    for package in PACKAGES:
        with suppress(PackageNotFoundError):  # an extra
            versions[package] = version(package)
    return versions


def canonical(key: Mapping[str, Any]) -> str:
    """Return the canonical text of a key."""
    return json.dumps(key, sort_keys=True)


def family(key: Mapping[str, Any]) -> str:
    """Return the canonical text of a key without the versions: as it was before there were any."""
    return canonical({name: part for name, part in key.items() if name != "made_with"})


def _is_made_with(line: Mapping[str, Any], made_with: Mapping[str, str]) -> bool:
    """Whether an old cell was computed with these versions and settings.

    A file that names no versions at all leaves them open; the settings are known anyway.
    """
    key, known = line["key"], line["versions"]
    versions = dict(made_with)
    settings = versions.pop("settings", None)
    if settings is not None:
        first = FIRST_SETTINGS.get(key.get("panel", ""), {})
        if first.get(key.get("classifier", "")) != settings:
            return False
    return not known or all(
        name in known and _first_part(known[name]) == own for name, own in versions.items()
    )


def _first_part(text: str) -> str:
    """Return a version without what follows a comma: the Java of a Weka changes nothing."""
    return text.partition(", ")[0]


def _locked(path: Path) -> FileLock:
    try:
        return FileLock(path.with_name(f"{path.name}.lock"))
    except LockedError as error:
        raise StoreError(
            f"{path} must belong to one process, got a second one: {error}. "
            "Wait for it, or give another folder."
        ) from None


def _cut_torn_line(path: Path) -> None:
    if not path.exists():
        return
    content = path.read_bytes()
    end = content.rfind(b"\n") + 1
    if end < len(content):
        os.truncate(path, end)


def _by_key(path: Path, lines: Iterable[bytes]) -> dict[str, dict[str, Any]]:
    """Return the cells by key, each with its versions."""
    found: dict[str, dict[str, Any]] = {}
    versions: dict[str, str] = {}
    for number, text in enumerate(lines, start=1):
        try:
            line = json.loads(text)
        except ValueError:
            raise StoreError(
                f"{path}: line {number} must be JSON, got a damaged one. "
                "Delete the line: its cell is then computed again."
            ) from None
        if "key" in line:
            name = canonical(line["key"])
            found.pop(name, None)  # the order is that of the last lines
            found[name] = {"versions": versions, **line}
        else:
            versions = line["versions"]
    return found


def _with_heads(cells: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the cells without versions, and the versions wherever they change."""
    before = None
    for cell in cells:
        if cell["versions"] != before:
            before = cell["versions"]
            yield {"versions": before}
        yield {name: part for name, part in cell.items() if name != "versions"}


def _encoded(line: Mapping[str, Any]) -> bytes:
    return (json.dumps(line, sort_keys=True) + "\n").encode()


def _write(file: int, content: bytes) -> None:
    left = memoryview(content)
    while left:
        left = left[os.write(file, left) :]


def table_digest(dataset: Dataset) -> str:
    """Return a digest of the values, classes and labels."""
    labels = [str(label) for label in dataset.classes or ()]
    return fingerprint(dataset, *labels).removeprefix("sha256:")[:16]


def table_digests(
    entries: Iterable[DataEntry], folder: str | os.PathLike[str] | None
) -> dict[str, str]:
    """Return the digests of the data sets that can be read, by name."""
    digests: dict[str, str] = {}
    for entry in entries:
        with suppress(ValueError, OSError):
            digests[entry.name] = table_digest(entry.load(folder))
    return digests


def selection_runs(
    experiment: Experiment, protocol: Protocol, data: str, entry: SelectorEntry
) -> list[tuple[int, int | None]]:
    """Return the seed and fold of each run of a selector; no fold means all samples."""
    seeds = _seeds(experiment, protocol, data)
    used = seeds if is_random(entry) else seeds[:1]
    folds = [None] if protocol.name == "paper" else list(range(experiment.folds))
    return [(seed, fold) for seed in used for fold in folds]


def _seeds(experiment: Experiment, protocol: Protocol, data: str) -> tuple[int, ...]:
    """Return the seeds on a data set."""
    own = next(one.seeds for one in experiment.data if one.name == data)
    return own or protocol.seeds


def reference_run(
    experiment: Experiment,
    protocol: Protocol,
    data: str,
    reference: SelectorEntry,
    run: tuple[int, int | None],
) -> tuple[int, int | None]:
    """Return the run of the selector that another one follows in its size."""
    seed, fold = run
    return (seed if is_random(reference) else _seeds(experiment, protocol, data)[0]), fold


def selection_key(
    experiment: Experiment,
    data: str,
    table: str,
    entry: SelectorEntry,
    run: tuple[int, int | None],
    *,
    size: int | None = None,
    made_with: Mapping[str, str] | None = None,
) -> Key:
    """Return the key of the features that a selector finds.

    `size` is how many features the selector that it follows has chosen.
    """
    seed, fold = run
    asked = size if entry.n_features_to_select is None else entry.n_features_to_select
    return {
        "kind": "selection",
        "data": data,
        "table": table,
        "recipe": recipe(entry),
        "seed": seed,
        **_fold(experiment, fold),
        **({} if asked is None else {"size": asked}),
        **({"made_with": dict(made_with)} if made_with else {}),
    }


def accuracy_key(
    experiment: Experiment,
    data: str,
    table: str,
    features: Sequence[int],
    fold: int | None,
    panel: str,
    classifier: str,
    made_with: Mapping[str, str] | None = None,
) -> Key:
    """Return the key of the accuracy of a classifier with some features, on one fold or on all.

    For another metric than the accuracy, it holds its name.
    """
    return {
        "kind": "accuracy",
        **({} if experiment.metric == "accuracy" else {"metric": experiment.metric}),
        "data": data,
        "table": table,
        "features": list(features),
        "panel": panel,
        "classifier": classifier,
        "folds": [experiment.folds, experiment.fold_seed],
        "fold": fold,
        **({"made_with": dict(made_with)} if made_with else {}),
    }


def _fold(experiment: Experiment, fold: int | None) -> Key:
    """Return the fold with its folds; for all samples the folds make no difference."""
    if fold is None:
        return {"fold": None}
    return {"folds": [experiment.folds, experiment.fold_seed], "fold": fold}
