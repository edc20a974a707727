"""Progress on stderr, and nothing on stdout."""

import re

import pytest
from sklearn.datasets import load_wine

from fuzzyfrog import ReductSelector

LINE = re.compile(
    r"fuzzyfrog: ([\w ]+ )\d+ columns?, dependency [01]\.\d{6}; "
    r"[\d,]+ sets tried in \d+\.\d s \([\d,]+ per second\)"
)


def lines_of(capsys, **options):
    options = {"random_state": 0, "max_evaluations": 300, **options}
    selector = ReductSelector(**options).fit(*load_wine(return_X_y=True))
    written = capsys.readouterr()
    assert written.out == ""
    return selector, written.err.splitlines()


def test_silence_by_default(capsys):
    assert lines_of(capsys)[1] == []


def test_a_line_for_every_batch_and_one_at_the_end(capsys):
    selector, lines = lines_of(capsys, verbose=2)
    assert len(lines) == len(selector.history_) + 1
    assert all(LINE.fullmatch(line) for line in lines[:-1])


def test_few_lines_for_a_short_run(capsys):
    selector, lines = lines_of(capsys, verbose=1)
    assert len(lines) < len(selector.history_)
    assert lines[-1].startswith(
        f"fuzzyfrog: ended by max_evaluations: {selector.n_features_} columns, "
        f"dependency {selector.dependency_:.6f}, as for {len(selector.reducts_) - 1} other sets; "
    )


@pytest.mark.parametrize("verbose", [0, 2])
def test_callbacks_are_called_all_the_same(capsys, verbose):
    heard = []
    selector, _ = lines_of(capsys, verbose=verbose, callbacks=[heard.append])
    assert [one.n_evaluations for one in heard] == [one.n_evaluations for one in selector.history_]
    assert [one.score for one in heard] == [one.dependency for one in selector.history_]
