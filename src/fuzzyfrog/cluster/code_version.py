"""A short text that identifies the code behind scores; it must be the same on all workers."""

from __future__ import annotations

import hashlib
from importlib.metadata import version
from pathlib import Path

from fuzzyfrog.cluster.client import Client, address_of_this_worker
from fuzzyfrog.cluster.retry import asked
from fuzzyfrog.errors import ParameterError

_PACKAGE = Path(__file__).resolve().parents[1]
# The code that scores depend on, and what is pickled on its way to a worker.
_SOURCES = ("common/jit.py", "data/dataset.py", "data/scaling.py", "measure/*.py", "cluster/*.py")
_PACKAGES = ("fuzzyfrog", "numpy", "numba")


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
            raise _refusal(address, found, stamp())


def require_stamp(wanted: str) -> None:
    """Raise, inside a task, unless this worker has the code of the process that submitted it."""
    if stamp() != wanted:
        raise _refusal(address_of_this_worker(), stamp(), wanted)


def _refusal(address: str, found: object, wanted: str) -> ParameterError:
    got = f"{type(found).__name__}: {found}" if isinstance(found, Exception) else found
    return ParameterError(
        "cluster",
        f"have the code of this process on every worker, {wanted}",
        f"{got} on the worker {address}",
        "Install the same versions there.",
    )
