"""Times as people say them."""

import pytest

from fuzzyfrog.experiment.progress import Progress, duration


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0.2, "0 s"), (89, "89 s"), (100, "2 min"), (5000, "83 min"), (8000, "2 h 13 min"),
     (200_000, "2 d 7 h")],
)  # fmt: skip
def test_durations(seconds, told):
    assert duration(seconds) == told


def test_the_time_left_is_in_proportion_to_the_weight(capsys):
    progress = Progress(interval=0)
    progress.expect(10, weight=2.0)
    progress.reused(2.0)
    progress.computed(2.0, seconds=3.0, what="wine")
    assert capsys.readouterr().err == "fuzzyfrog: 2 of 10 cells; wine; about 24 s left\n"
