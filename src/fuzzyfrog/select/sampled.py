"""Fits on a part of the samples: what may be asked for, and what can be told afterwards."""

from collections.abc import Sequence

import numpy as np

from fuzzyfrog.data.wording import shown
from fuzzyfrog.measure import Dependency, SampledDependency
from fuzzyfrog.select.evidence import Evidence
from fuzzyfrog.select.options import is_index

__all__ = ["CONFIDENCE", "check_sample", "confirmed_interval", "sampled_measure"]

CONFIDENCE = 0.95  # of the interval for the dependency of the selected features


def check_sample(sample: object, *, proves: bool, elsewhere: bool) -> None:
    """Raise unless the value is a number of samples, nothing is to be proved, and all is here."""
    if sample is None:
        return
    if not is_index(sample) or sample < 1:  # type: ignore[operator]
        raise ValueError(
            f"sample must be None or a whole number of at least 1, got {shown(sample)}. It is the "
            "number of samples that subsets are measured on."
        )
    if proves:
        raise ValueError(
            "sample must be None together with certify=True or a search that proves, "
            f"got {sample}. A part of the samples proves nothing about the others: leave out the "
            "one or the other."
        )
    if elsewhere:
        raise ValueError(
            f"sample must be None together with a cluster, got {sample}. A part of the samples is "
            "measured on one machine, a cluster measures all of them: leave out the one or the "
            "other."
        )


def sampled_measure(
    measure: Dependency, sample: int | None, seed: int
) -> Dependency | SampledDependency:
    """Give what scores subsets: the measure itself, or a part of its samples."""
    if sample is None or sample >= measure.n_samples:
        return measure
    return SampledDependency(measure, int(sample), seed=seed)


def confirmed_interval(
    evidence: Evidence, features: Sequence[int], n_sampled: int, seed: int, n_jobs: int | None
) -> tuple[float, float]:
    """Give the interval for the dependency of selected features on all samples.

    The samples that the search saw chose the features and so flatter them; the interval comes
    from others.
    """
    measure = Dependency(
        evidence.dataset,
        tnorm=evidence.tnorm,
        spread=evidence.spread,
        missing=evidence.missing,
        n_jobs=n_jobs,
    )
    subset = np.isin(evidence.features, features)
    part = SampledDependency(measure, n_sampled, seed=seed)
    (found,) = part.confirm(subset[np.newaxis], CONFIDENCE)
    return found.low, found.high
