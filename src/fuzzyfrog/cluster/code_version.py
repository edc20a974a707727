"""A short text for the code that gives scores, to be the same on all workers."""

from __future__ import annotations

import hashlib
from importlib.metadata import version
from pathlib import Path

from fuzzyfrog.cluster.client import Client, address_of_this_worker
from fuzzyfrog.cluster.retry import asked

__all__ = [
    "require_same_code",
    "require_stamp",
    "stamp",
]

_PACKAGE = Path(__file__).resolve().parents[1]
# What scores are made by, and what is pickled on its way to a worker.
_SOURCES = ("common/jit.py", "data/dataset.py", "data/scaling.py", "measure/*.py", "cluster/*.py")
_PACKAGES = ("fuzzyfrog", "numpy", "numba")


def _digest() -> str:
    digest = hashlib.sha256()
    for file in sorted(path for pattern in _SOURCES for path in _PACKAGE.glob(pattern)):
        content = file.read_bytes().replace(b"\r\n", b"\n")
        digest.update(f"{file.name}:{len(content)}:".encode() + content)
    return digest.hexdigest()[:12]


# Now, while the files are being imported: they may be edited later, but this process has these.
_STAMP = ", ".join([f"{name} {version(name)}" for name in _PACKAGES] + [f"code {_digest()}"])


def stamp() -> str:
    """Return the versions and a digest of the files that scores depend on.

    The versions are those of fuzzyfrog, NumPy and Numba. The files are read once, when this module
    is imported: the digest is that of the code that runs unless a file is edited between its own
    import and this one.
    """
    return _STAMP


def require_same_code(client: Client) -> None:
    """Raise unless all workers have the code that this process has."""
    for address, found in sorted(asked(client, stamp).items()):
        # One that cannot be reached is no worker; whoever takes its place is asked by each task.
        if not isinstance(found, OSError):
            _require(address, found)


def require_stamp(wanted: str) -> None:
    """Raise, inside a task, unless this worker has the code of whoever submitted it."""
    if stamp() != wanted:
        raise ValueError(_refusal(address_of_this_worker(), stamp(), wanted))


def _require(address: str, found: object) -> None:
    if found != stamp():
        raise ValueError(_refusal(address, found, stamp()))


def _refusal(address: str, found: object, wanted: str) -> str:
    got = f"{type(found).__name__}: {found}" if isinstance(found, Exception) else found
    return (
        f"the worker {address} must have {wanted}, as this process has, got {got}. "
        "Install the same versions there."
    )
