"""The check with models after a selection: whether there is time for it, and what ends it."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fuzzyfrog.cli.errors import in_options
from fuzzyfrog.common.deadline import Deadline, TimeIsUp, interruptible, limited
from fuzzyfrog.errors import DataError, ParameterError

if TYPE_CHECKING:
    from fuzzyfrog.cli.interrupt import Stopping
    from fuzzyfrog.cli.progress import Course
    from fuzzyfrog.data import Dataset
    from fuzzyfrog.records import Check

FOLDS = 5
USUAL_SECONDS = 10.0  # that a check may take, roughly, unless it is asked for
DOUBT = 3.0  # by which an estimate before the first fold may be wrong; kernels had to be loaded
REST = 1.5  # how much longer a check takes than its folds, and how rough "roughly" is
MOST_SECONDS = 30.0  # after which a check that was not asked for is given up
CHEAP_SECONDS = 5.0  # that must be left for the noise guard and the soft measure alone
NOTICE = (
    b"fuzzyfrog: leaving out the check; the result is still printed and written; press Ctrl-C "
    b"again to stop at once\n"
)


class Checking:
    """The check of a selection on the command line.

    Parameters
    ----------
    asked : bool or None
        Whether it was asked for; None if it depends on the time it takes.
    seed : int
        Seed of the run.
    deadline : Deadline
        The end of `--max-seconds`, which covers the check.
    stopping, course
        The signals and the progress of the command.
    """

    def __init__(
        self, asked: bool | None, seed: int, deadline: Deadline, stopping: Stopping, course: Course
    ) -> None:
        self._asked = asked
        self._seed = seed
        self._deadline = deadline
        self._stopping = stopping
        self._course = course
        self._n_signals = stopping.n_asked

    def check(
        self, selector: Any, dataset: Dataset, n_selected: int, seconds: float
    ) -> Check | None:
        """Return the check of a selection that took some seconds; None if nobody wants it."""
        if self._asked is False:
            return None
        from fuzzyfrog.select.cross_validation import CrossValidation, estimated_seconds

        if self._stopping.n_asked:
            return self._without(dataset, "the run was interrupted.")
        needed = estimated_seconds(dataset, n_selected, seconds, FOLDS)
        if needed > self._deadline.remaining():
            left = max(0.0, self._deadline.remaining())
            reason = f"it would take {_about(needed)}, and --max-seconds leaves {left:.0f} s."
            return self._without(dataset, reason)
        if self._asked is None and needed > DOUBT * USUAL_SECONDS:
            reason = f"it would take {_about(needed)}; --check does it."
            return self._cheap(selector, self._without(dataset, reason), dataset)
        self._begun, self._n_heard = time.monotonic() - self._course.compiled, 0
        self._stopping.notice = NOTICE
        try:
            with interruptible(), limited(self._deadline):
                trial = CrossValidation(selector, dataset, None, FOLDS, self._seed, self._hear)
                return trial.checked()
        except KeyboardInterrupt:
            if self._stopping.n_asked - self._n_signals != 1:
                raise
            return self._without(dataset, "it was interrupted; --check does it again.")
        except _TooLong as told:
            return self._cheap(selector, self._without(dataset, str(told)), dataset)
        except TimeIsUp:
            return self._without(dataset, "--max-seconds was over.")
        except (DataError, ParameterError) as error:
            return self._without(dataset, in_options(error))
        except MemoryError:
            return self._without(dataset, "there was not enough memory.")
        except Exception as error:  # a check must never cost the result that it is about
            reason = " ".join(str(error).split())[:200]
            return self._without(dataset, f"it failed ({type(error).__name__}: {reason}).")

    def _hear(self, what: str) -> None:
        """Show the progress; stop after a signal that a search took for its own, or if it is slow.

        The first fold tells how long the others take. Kernels are compiled only once.
        """
        if self._stopping.n_asked > self._n_signals:
            raise KeyboardInterrupt
        self._n_heard += 1
        seconds = time.monotonic() - self._course.compiled - self._begun
        needed = FOLDS * seconds
        if self._asked is None and self._n_heard == 2 and needed > REST * USUAL_SECONDS:
            raise _TooLong(f"it would take {_about(REST * needed)}; --check does it.")
        if self._asked is None and seconds > MOST_SECONDS:
            raise _TooLong(f"it takes more than {_about(MOST_SECONDS)}; --check does it.")
        self._course.phase(what)

    def _cheap(self, selector: Any, check: Check, dataset: Dataset) -> Check:
        """Return a check without models, but with the parts that take little time."""
        from fuzzyfrog.records import NoiseGuard
        from fuzzyfrog.select import FuzzyRoughSelector
        from fuzzyfrog.select.cross_validation import guard_of, soft_features_of

        is_fuzzy = isinstance(selector, FuzzyRoughSelector)
        if not is_fuzzy or self._deadline.remaining() < CHEAP_SECONDS:
            return check
        self._stopping.notice = NOTICE
        self._course.phase("checking against shuffled columns")
        try:
            with interruptible(), limited(self._deadline):
                noise = guard_of(selector, dataset, self._seed)
                found = noise if isinstance(noise, NoiseGuard) else None
                soft = soft_features_of(selector, dataset, found)
        except (KeyboardInterrupt, TimeIsUp, MemoryError, DataError, ParameterError):
            if self._stopping.n_asked > self._n_signals + 1:
                raise
            return check
        if self._stopping.n_asked > self._n_signals:  # a search ends at a signal
            return check
        return replace(check, noise=found, soft_features=soft)

    def _without(self, dataset: Dataset, reason: str) -> Check:
        from fuzzyfrog.records import Check

        return Check(
            metric="R²" if dataset.classes is None else "balanced accuracy",
            models=(),
            folds=FOLDS,
            seed=self._seed,
            n_samples=0,
            scores=(),
            soft_features=(),
            noise=None,
            left_out=reason,
            notes=(),
        )


class _TooLong(TimeIsUp):
    """A check that was not asked for takes too long."""


def _about(seconds: float) -> str:
    if seconds < 100:
        return f"about {max(1, round(seconds))} s"
    if seconds < 5_400:
        return f"about {round(seconds / 60)} minutes"
    return f"about {round(seconds / 3_600)} hours"
