"""What a worker process keeps of shards: unions that tasks are done with, for the next round.

Not as results of Dask: all unions together are far larger than the table. There are never more of
them in a process, in use or kept, than were in use there at one time: one for each thread.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from fuzzyfrog.scale.shards import Union

__all__ = ["Unions", "forget", "n_kept", "unions"]


class Unions:
    """Unions that are lent to one task at a time and kept between tasks."""

    def __init__(self) -> None:
        self._changing = threading.Lock()
        self._kept: OrderedDict[str, Union] = OrderedDict()  # longest unused first
        self._n_lent = 0
        self._most_lent = 0

    @contextmanager
    def lent(self, mark: str, make: Callable[[], Union]) -> Iterator[Union]:
        """Lend a union that nobody else has: the one kept under a mark, or a new one.

        Parameters
        ----------
        mark : str
            What stands for the shards of the union.
        make : callable
            Makes the union. Others were let go of before, so that it has their room.
        """
        union = self._taken(mark)
        try:
            if union is None:
                union = make()
            yield union
        finally:
            self._give_back(mark, union)

    def forget(self, start: str) -> None:
        """Let go of all kept unions whose marks start in a way."""
        with self._changing:
            for mark in [mark for mark in self._kept if mark.startswith(start)]:
                del self._kept[mark]

    def n_kept(self, start: str) -> int:
        """Give the number of kept unions whose marks start in a way."""
        with self._changing:
            return sum(mark.startswith(start) for mark in self._kept)

    def _taken(self, mark: str) -> Union | None:
        with self._changing:
            self._n_lent += 1
            self._most_lent = max(self._most_lent, self._n_lent)
            union = self._kept.pop(mark, None)
            while self._n_lent + len(self._kept) > self._most_lent:
                self._kept.popitem(last=False)
            return union

    def _give_back(self, mark: str, union: Union | None) -> None:
        with self._changing:
            self._n_lent -= 1
            if union is not None:
                self._kept[mark] = union


unions = Unions()  # of this process


def forget(start: str) -> None:
    """Have this process let go of the unions whose marks start in a way."""
    unions.forget(start)


def n_kept(start: str) -> int:
    """Give how many unions with such marks this process keeps."""
    return unions.n_kept(start)
