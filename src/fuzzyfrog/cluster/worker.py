"""What a worker process keeps and does: tables, the tasks that score their subsets, and its code.

The stamp, a short text that identifies the code behind scores, must be the same on all workers.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable
from functools import cached_property
from importlib.metadata import version
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.cluster.client import Client, TableMissingError, address_of_this_worker
from fuzzyfrog.common.arrays import Floats
from fuzzyfrog.data import Dataset
from fuzzyfrog.errors import ParameterError
from fuzzyfrog.measure.dependency import Measure

MOST_TABLES = 8  # kept in one process; a run whose table was dropped sends it again

Bits = NDArray[np.uint8]  # masks, eight features to a byte

_PACKAGE = Path(__file__).resolve().parents[1]
# The code that scores depend on, and what is pickled on its way to a worker.
_SOURCES = (
    "common/jit.py",
    "common/tnorms.py",
    "data/dataset.py",
    "data/scaling.py",
    "data/weights.py",
    "measure/*.py",
    "cluster/*.py",
)
_PACKAGES = ("fuzzyfrog", "numpy", "numba")


class Table:
    """A table as it is sent to a worker, and the measure that the first task makes of it."""

    def __init__(self, dataset: Dataset, recipe: Callable[[Dataset], Measure]) -> None:
        self._dataset, self._recipe = dataset, recipe
        self._making = threading.Lock()

    def __reduce__(self) -> tuple[object, ...]:
        return Table, (self._dataset, self._recipe)

    def __sizeof__(self) -> int:  # for Dask, to know what it moves
        return object.__sizeof__(self) + self._dataset.values.nbytes + self._dataset.target.nbytes

    @cached_property
    def _measure(self) -> Measure:
        return self._recipe(self._dataset)

    @property
    def measure(self) -> Measure:
        """The measure."""
        with self._making:
            return self._measure


_tables: OrderedDict[str, Table] = OrderedDict()  # the last used one at the end
_changing = threading.Lock()


def keep(name: str, table: Table) -> None:
    """Keep a table under a name; the one that was used longest ago makes room for it."""
    with _changing:
        _tables[name] = table
        while len(_tables) > MOST_TABLES:
            _tables.popitem(last=False)


def holds(name: str) -> bool:
    """Whether this process has a table."""
    return name in _tables


def forget(name: str) -> None:
    """Drop a table."""
    with _changing:
        _tables.pop(name, None)


def measure_of(name: str) -> Measure:
    """Return the measure of a table that this process has."""
    with _changing:
        if name not in _tables:
            raise TableMissingError(f"no table {name} in this process")
        _tables.move_to_end(name)
        table = _tables[name]
    return table.measure


def unpacked(bits: Bits, n_features: int) -> NDArray[np.bool_]:
    """Return masks that were packed to be sent."""
    return np.unpackbits(bits, axis=1, count=n_features).view(np.bool_)


def score(stamp: str, name: str, bits: Bits, bars: Floats) -> Floats:
    """Return the dependency of each subset, -inf where it is below its bar."""
    require_stamp(stamp)
    measure = measure_of(name)
    return measure.score(unpacked(bits, measure.n_features), at_least=bars)


def best(stamp: str, name: str, bits: Bits) -> Floats:
    """Return the dependency of the best of these subsets, -inf for the others."""
    require_stamp(stamp)
    measure = measure_of(name)
    return measure.best(unpacked(bits, measure.n_features))


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
    for address, found in sorted(client.run(stamp, on_error="return").items()):
        # An OSError: it cannot be reached. Each task checks the worker that takes its place.
        if not isinstance(found, OSError) and found != stamp():
            raise _other_code(address, found, stamp())


def require_stamp(wanted: str) -> None:
    """Raise, inside a task, unless this worker has the code of the process that submitted it."""
    if stamp() != wanted:
        raise _other_code(address_of_this_worker(), stamp(), wanted)


def exponentials() -> str:
    """Return a digest of some exponentials, which NumPy rounds as the processor allows."""
    return hashlib.sha256(np.exp(np.linspace(-44.0, 44.0, 4096)).tobytes()).hexdigest()[:12]


def require_exponentials(wanted: str) -> None:
    """Raise, inside a task, unless they are those of the process that submitted it."""
    if (found := exponentials()) != wanted:
        raise ParameterError(
            "cluster",
            f"have workers whose NumPy rounds exponentials as this process does ({wanted})",
            f"{found} on the worker {address_of_this_worker()}",
            "Use processors of one kind, or set NPY_DISABLE_CPU_FEATURES to what some of them lack "
            "for all processes.",
        )


def _other_code(address: str, found: object, wanted: str) -> ParameterError:
    got = f"{type(found).__name__}: {found}" if isinstance(found, Exception) else found
    return ParameterError(
        "cluster",
        f"have the code of this process on every worker, {wanted}",
        f"{got} on the worker {address}",
        "Install the same versions there.",
    )
