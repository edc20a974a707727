"""What a worker process keeps and does: tables, the tasks that score their subsets, and its code.

The stamp, a short text that identifies the code behind scores, must be the same on all workers.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.cluster.client import Client, TableMissingError, address_of_this_worker
from fuzzyfrog.cluster.retry import asked
from fuzzyfrog.data import Dataset
from fuzzyfrog.errors import ParameterError
from fuzzyfrog.measure.dependency import Measure

if TYPE_CHECKING:
    from distributed import Worker

BYTES_PER_CELL = 28  # values as sent and as kept, and a geometry of them
MOST_TABLES = 2  # kept in one process, whether they are in use or not
MOST_IN_USE = 8  # tables of simultaneous runs; beyond that, they evict each other
IN_USE_SECONDS = 60.0  # after which a table that no task has used counts as abandoned
SHARE = 0.6  # of the memory of a worker that tables may take

Floats = NDArray[np.float64]

_PACKAGE = Path(__file__).resolve().parents[1]
# The code that scores depend on, and what is pickled on its way to a worker.
_SOURCES = (
    "common/jit.py",
    "common/tnorms.py",
    "data/dataset.py",
    "data/scaling.py",
    "measure/*.py",
    "cluster/*.py",
)
_PACKAGES = ("fuzzyfrog", "numpy", "numba")


@dataclass(frozen=True, eq=False)
class Packed:
    """Boolean masks packed to be sent to a worker, eight features to a byte.

    Attributes
    ----------
    bits : uint8[n_subsets, n_bytes]
        The masks, padded to whole bytes.
    n_features : int
        Length of a mask.
    """

    bits: NDArray[np.uint8]
    n_features: int

    @classmethod
    def of(cls, masks: NDArray[np.bool_]) -> Packed:
        """Return the masks, packed."""
        return cls(np.packbits(masks, axis=1), masks.shape[1])

    def masks(self) -> NDArray[np.bool_]:
        """Return the masks, unpacked."""
        return np.unpackbits(self.bits, axis=1, count=self.n_features).view(np.bool_)


class Placeable(Measure, Protocol):
    """A measure that can be rebuilt on a worker."""

    dataset: Dataset
    _n_threads: int

    def recipe(self) -> Callable[[Dataset], Placeable]:
        """Return the function that builds this measure from its table."""


class Table:
    """A table as it is sent to workers, and the recipe by which they build a measure of it."""

    def __init__(self, dataset: Dataset, recipe: Callable[[Dataset], Placeable]) -> None:
        self._dataset = dataset
        self._recipe = recipe

    def __sizeof__(self) -> int:
        """Return the bytes, for Dask to know what it moves."""
        values, target = self._dataset.values, self._dataset.target
        return object.__sizeof__(self) + values.nbytes + target.nbytes

    @property
    def n_cells(self) -> int:
        """Number of values."""
        return self._dataset.values.size

    def measure(self) -> Placeable:
        """Return a new measure of the table."""
        return self._recipe(self._dataset)


@dataclass(eq=False)
class _Held:
    """A table of this process, and the measure that the first task builds from it."""

    table: Table
    last_use: float = field(default_factory=time.monotonic)
    _building: threading.Lock = field(default_factory=threading.Lock)
    _measure: Placeable | None = None

    def measure(self) -> Placeable:
        with self._building:
            if self._measure is None:
                self._measure = self.table.measure()
            return self._measure


_tables: OrderedDict[str, _Held] = OrderedDict()  # the last used one at the end
_changing = threading.Lock()


def holds(fingerprint: str) -> bool:
    """Whether this process has a table."""
    return fingerprint in _tables


def n_held() -> int:
    """Return the number of tables that this process has."""
    return len(_tables)


def take(fingerprint: str, key: str, dask_worker: Worker) -> None:
    """Keep a table that was sent to this worker, if it is still there."""
    table = dask_worker.data.get(key)
    if isinstance(table, Table):
        with _changing:
            _tables.setdefault(fingerprint, _Held(table))
            _use(fingerprint)
            _make_room(dask_worker.memory_manager.memory_limit)


def forget(fingerprint: str) -> None:
    """Drop a table."""
    with _changing:
        _tables.pop(fingerprint, None)


def measure_of(fingerprint: str) -> Placeable:
    """Return the measure of a table that this process has."""
    with _changing:
        if fingerprint not in _tables:
            raise TableMissingError(f"no table {fingerprint} in this process")
        held = _use(fingerprint)
    return held.measure()


def _use(fingerprint: str) -> _Held:
    held = _tables[fingerprint]
    held.last_use = time.monotonic()
    _tables.move_to_end(fingerprint)
    return held


def _make_room(memory: int | None) -> None:
    """Drop the least recently used tables while there are too many."""
    while len(_tables) > MOST_TABLES and (_is_one_idle() or _are_too_many(memory)):
        _tables.popitem(last=False)


def _is_one_idle() -> bool:
    longest_ago = next(iter(_tables.values())).last_use
    return time.monotonic() - longest_ago > IN_USE_SECONDS


def _are_too_many(memory: int | None) -> bool:
    n_bytes = BYTES_PER_CELL * sum(held.table.n_cells for held in _tables.values())
    is_too_large = memory is not None and n_bytes > SHARE * memory
    return len(_tables) > MOST_IN_USE or is_too_large


def score(stamp: str, fingerprint: str, subsets: Packed, bars: Floats) -> Floats:
    """Return the dependency of each subset, -inf where it is below its bar."""
    require_stamp(stamp)
    return measure_of(fingerprint).score(subsets.masks(), at_least=bars)


def best(stamp: str, fingerprint: str, subsets: Packed) -> Floats:
    """Return the dependency of the best of these subsets, -inf for the others."""
    require_stamp(stamp)
    return measure_of(fingerprint).best(subsets.masks())


def nothing(part: int) -> int:
    """Return the number of the part: the shortest possible task, to time a round."""
    return part


def _digest() -> str:
    digest = hashlib.sha256()
    for file in sorted(path for pattern in _SOURCES for path in _PACKAGE.glob(pattern)):
        content = file.read_bytes().replace(b"\r\n", b"\n")
        digest.update(f"{file.name}:{len(content)}:".encode() + content)
    return digest.hexdigest()[:12]


# Read now, while the files are imported: later edits do not change the code of this process.
_STAMP = ", ".join([f"{name} {version(name)}" for name in _PACKAGES] + [f"code {_digest()}"])


def stamp() -> str:
    """Return the versions and a digest of the files that scores depend on.

    The versions are those of fuzzyfrog, NumPy and Numba. The files are read once, when this module
    is imported, so the digest is that of the running code unless a file is edited between its own
    import and this one.
    """
    return _STAMP


def require_same_code(client: Client) -> None:
    """Raise unless all workers have the code that this process has."""
    for address, found in sorted(asked(client, stamp).items()):
        # An OSError: it cannot be reached. Each task checks the worker that takes its place.
        if not isinstance(found, OSError) and found != stamp():
            raise _other_code(address, found, stamp())


def require_stamp(wanted: str) -> None:
    """Raise, inside a task, unless this worker has the code of the process that submitted it."""
    if stamp() != wanted:
        raise _other_code(address_of_this_worker(), stamp(), wanted)


def _other_code(address: str, found: object, wanted: str) -> ParameterError:
    got = f"{type(found).__name__}: {found}" if isinstance(found, Exception) else found
    return ParameterError(
        "cluster",
        f"have the code of this process on every worker, {wanted}",
        f"{got} on the worker {address}",
        "Install the same versions there.",
    )
