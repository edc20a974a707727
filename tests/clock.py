"""A clock that tests set."""

import sys
import time


def set_clock(patch, monotonic):
    """Give fuzzyfrog another clock; the threads of Dask, which may be running, keep theirs."""
    real = time.monotonic

    def told():
        is_ours = sys._getframe(1).f_globals["__name__"].startswith("fuzzyfrog")
        return monotonic() if is_ours else real()

    patch.setattr(time, "monotonic", told)
