"""When Numba compiles, which takes seconds in which nothing else is heard."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["compiling_heard"]


@contextmanager
def compiling_heard(hear: Callable[[int], None]) -> Iterator[None]:
    """Call `hear` with 1 when the compilation of a kernel begins and with -1 when it ends.

    What is loaded from the cache is not compiled. Kernels that others call are compiled within
    these, so that several may be under way.
    """
    from numba.core import event

    class Listener(event.Listener):
        def on_start(self, _: object) -> None:
            hear(1)

        def on_end(self, _: object) -> None:
            hear(-1)

    with event.install_listener("numba:compile", Listener()):
        yield
