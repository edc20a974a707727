"""What becomes of a connection to a cluster when an estimator is cloned or pickled."""

from copy import copy
from typing import Any

__all__ = ["KeepsConnectionMixin"]


class KeepsConnectionMixin:
    """An estimator whose clones use its client too, and whose pickles have none.

    A client is a connection: it cannot be copied, and means nothing in another process. The
    address of a scheduler is a text like any other.
    """

    cluster: object

    def __sklearn_clone__(self) -> Any:
        bare = copy(self)  # which has no client
        clone = super(KeepsConnectionMixin, bare).__sklearn_clone__()  # type: ignore[misc]
        clone.cluster = self.cluster
        return clone

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()  # type: ignore[assignment]
        is_address = isinstance(state.get("cluster"), str)
        return state if is_address else {**state, "cluster": None}
