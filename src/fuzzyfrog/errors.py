"""What fuzzyfrog raises when it cannot go on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["DataError", "OutOfMemoryError", "in_memory"]


class DataError(ValueError):
    """The data cannot be used as it is; the message says what is wrong and the way out."""


class OutOfMemoryError(MemoryError):
    """Something did not fit into memory; the message says what, and the way out."""


@contextmanager
def in_memory(what: str, way_out: str) -> Iterator[None]:
    """Have a lack of memory say what did not fit, unless that is known already."""
    try:
        yield
    except OutOfMemoryError:
        raise
    except MemoryError as error:
        reason = " ".join(str(error).split())
        told = f" ({reason[0].lower()}{reason[1:].rstrip('.')})" if reason else ""
        raise OutOfMemoryError(
            f"memory must have room for {what}, got too little{told}. {way_out}"
        ) from error
