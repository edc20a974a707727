"""Ctrl-C at any moment of a run: the best so far is kept, if there is one."""

import signal
import sys

import pytest

from fuzzyfrog.common.deadline import TimeIsUp, stop_if_late
from fuzzyfrog.search import Batch, Genetic, ShuffledFrogs, run
from search.lookup import Lookup, Scripted, masks, random_table

TABLE = random_table()


class Interrupting(Lookup):
    """Ctrl-C while the given call is under way."""

    def __init__(self, table, call):
        super().__init__(table)
        self.call = call

    def score(self, masks, at_least=None):
        if self.n_calls == self.call:
            signal.raise_signal(signal.SIGINT)
            stop_if_late()
        return super().score(masks, at_least)


@pytest.mark.parametrize("call", [1, 2, 5, 9])
def test_ctrl_c_returns_the_best_so_far(call):
    objective = Interrupting(TABLE, call)
    outcome = run(ShuffledFrogs(), objective, objective.problem(), seed=0)
    assert outcome.stop_reason == "interrupted"
    assert outcome.subset.any()
    assert outcome.n_evaluations == len(objective.asked)


def test_ctrl_c_amid_the_first_batch_keeps_what_was_scored():
    objective = Interrupting(TABLE, 1)
    outcome = run(Genetic(), objective, objective.problem(), seed=0)
    assert outcome.stop_reason == "interrupted"
    assert outcome.score == max(objective.table[index] for index in objective.asked)


def test_ctrl_c_before_any_score_leaves_all_features():
    objective = Interrupting(TABLE, 0)
    problem = objective.problem()
    outcome = run(ShuffledFrogs(), objective, problem, seed=0)
    assert (outcome.stop_reason, outcome.n_evaluations) == ("interrupted", 0)
    assert outcome.subset.all()
    assert outcome.score == problem.full_score


def test_after_ctrl_c_before_any_score_there_is_no_answer_if_a_size_is_asked_for():
    objective = Interrupting(TABLE, 0)
    with pytest.raises(TimeIsUp):
        run(ShuffledFrogs(), objective, objective.problem(n_features_to_select=2), seed=0)


class InterruptedAt(Lookup):
    """Ctrl-C at one line of the driver or of what it keeps, after two batches were scored."""

    FILES = ("archive.py", "driver.py", "evaluator.py")

    def __init__(self, table, n_lines):
        super().__init__(table)
        self.n_lines = n_lines

    def trace(self, frame, event, arg):
        if not frame.f_code.co_filename.endswith(self.FILES) or frame.f_code.co_name == "run":
            return None
        self.n_lines -= event == "line" and self.n_calls > 1
        if self.n_lines == 0:
            self.n_lines = -1
            signal.raise_signal(signal.SIGINT)
        return self.trace


def test_the_second_ctrl_c_ends_the_run_at_once():
    def press_twice(moment):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    objective = Lookup(TABLE)
    with pytest.raises(KeyboardInterrupt):
        run(Genetic(), objective, objective.problem(), seed=0, callbacks=[press_twice])
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert run(Genetic(), objective, objective.problem(), seed=0).stop_reason == "converged"


def test_ctrl_c_at_any_line_leaves_something_usable():
    n_lines, reason = 0, "interrupted"
    while reason == "interrupted":
        n_lines += 1
        objective = InterruptedAt(TABLE, n_lines)
        better = Scripted(Batch(masks((0,))), Batch(masks((0, 1, 2), (1, 2), (0, 1, 2, 3))))
        before = sys.gettrace()
        sys.settrace(objective.trace)
        try:
            outcome = run(better, objective, objective.problem(), seed=0)
        finally:
            sys.settrace(before)
        reason = outcome.stop_reason
        assert outcome.subset.any()
        assert {point.size for point in outcome.front} >= {outcome.subset.sum()}
    assert n_lines > 100
