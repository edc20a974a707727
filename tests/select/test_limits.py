"""Time limits: what is skipped when time runs out, and the messages about it."""

import itertools
import signal
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine

from clock import set_clock
from fuzzyfrog import PredictionWarning, ReductSelector, SoftSelector
from fuzzyfrog.common.deadline import ALLOWANCE, Deadline, Limit, limited, stop_if_late, stoppable
from fuzzyfrog.report import write_report
from fuzzyfrog.result import Result
from fuzzyfrog.select import outcome
from fuzzyfrog.select.outcome import FEWEST_ESTIMATED
from fuzzyfrog.select.strict import Strict

WINE = load_wine(return_X_y=True, as_frame=True)
NO_CORE = "There was no time to determine the core."
UNEXPLAINED = "There was no time to explain why each feature is selected."


# Two features that only together tell anything: both are the core.
XOR = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 3, float), np.array([0, 1, 1, 0] * 3)


def fitted(data=WINE, **parameters):
    """Return a fitted selector and the sentences that it warned with."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        selector = ReductSelector(random_state=0, **parameters).fit(*data)
    others = [one for one in caught if one.category is not PredictionWarning]
    return selector, [str(one.message) for one in others]


def test_the_parts_of_a_limit_come_in_order(monkeypatch):
    now = [1000.0]
    set_clock(monkeypatch, lambda: now[0])
    limit = Limit(100)
    assert limit.for_search.remaining() == pytest.approx(90)
    assert limit.for_core().remaining() == pytest.approx(95 + ALLOWANCE / 2)
    with stoppable():
        signal.raise_signal(signal.SIGINT)
    assert limit.for_search.expired()
    assert limit.for_search.reason == "interrupted"
    assert limit.for_core().remaining() == pytest.approx(ALLOWANCE / 2)
    assert not limit.for_core().expired()
    limit = Limit(100)
    assert not limit.for_search.expired()
    now[0] += 99
    assert limit.for_search.reason == "max_seconds"
    assert limit.for_core().remaining() == pytest.approx(ALLOWANCE / 2)
    assert Limit(None).for_search.remaining() == np.inf


def test_without_any_time_all_features_are_selected():
    selector, said = fitted(max_seconds=1e-9)
    assert selector.support_.all()
    assert selector.dependency_ == selector.full_dependency_ == 1.0
    assert (selector.stop_reason_, selector.n_evaluations_) == ("max_seconds", 0)
    assert selector.core_ is None
    assert NO_CORE in said
    assert any("before it scored any subset" in one for one in said)
    run = selector.record()
    assert Result.from_json(run.to_json()) == run
    assert run.core is None


def test_without_any_time_a_large_table_is_estimated(monkeypatch, tmp_path):
    monkeypatch.setattr(outcome, "ESTIMATED_PAIRS", 0)
    selector, said = fitted(max_seconds=1e-9, certify=True, n_features_to_select=3)
    assert selector.n_features_ == 3
    assert selector.n_sampled_ == FEWEST_ESTIMATED
    low, high = selector.dependency_interval_
    assert 0.0 <= low <= high <= 1.0
    assert selector.certificate_ is None
    assert any("an estimate from 16 samples" in one for one in said)
    run = selector.record()
    assert Result.from_json(run.to_json()) == run
    write_report(run, tmp_path / "page.html")


def test_a_core_that_takes_too_long_is_left_out(monkeypatch):
    monkeypatch.setattr(Limit, "for_core", lambda self: Deadline(0))
    selector, said = fitted(XOR, max_seconds=1000)
    assert selector.stop_reason_ == "converged"
    assert selector.core_ is None
    assert NO_CORE in said
    assert NO_CORE in selector.record().notes


def test_explanations_that_take_too_long_are_left_out(tmp_path):
    selector, said = fitted(max_seconds=1000)
    assert said == []
    with limited(Deadline(0)), pytest.warns(UserWarning, match=UNEXPLAINED):
        run = selector.record()
    assert (run.explanations, run.ambiguous, run.n_ambiguous) == ((), (), 0)
    assert UNEXPLAINED in run.notes
    assert Result.from_json(run.to_json()) == run
    with pytest.raises(ValueError, match="must be explained"):
        run.explanation_of("alcohol")
    write_report(run, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count("was not measured, because time ran out.") == 2
    assert "surely told apart from all" not in page
    assert selector.set_params(max_seconds=None).record().is_explained


def interrupted(*_, **__):
    """Press Ctrl-C in long work."""
    signal.raise_signal(signal.SIGINT)
    stop_if_late()


def test_ctrl_c_during_the_core_leaves_it_out(monkeypatch):

    monkeypatch.setattr("fuzzyfrog.select.selection.core_of_run", interrupted)
    selector, said = fitted()
    assert selector.core_ is None
    assert NO_CORE in said
    assert selector.stop_reason_ == "converged"


def test_an_interval_without_time_is_what_is_known_of_the_sampled(monkeypatch):
    monkeypatch.setattr(Limit, "for_core", lambda self: Deadline(0))
    selector, _ = fitted(sample=100, max_seconds=1000)
    share = 100 / 178
    known = share * selector.dependency_
    assert selector.dependency_interval_ == pytest.approx((known, known + 1 - share))


def test_a_deadline_does_not_outlive_its_fit():
    fitted(max_seconds=1e-9)
    selector, said = fitted()
    assert (selector.stop_reason_, said) == ("converged", [])


def test_an_estimate_is_said_also_where_a_sample_was_asked_for(monkeypatch):
    monkeypatch.setattr(outcome, "ESTIMATED_PAIRS", 0)
    _, said = fitted(max_seconds=1e-9, sample=100)
    assert any("an estimate from 16 samples" in one for one in said)


def test_ctrl_c_while_all_features_are_scored_leaves_all_features(monkeypatch):
    monkeypatch.setattr(outcome, "ESTIMATED_PAIRS", 0)
    monkeypatch.setattr(Strict, "sample_first", interrupted)
    selector, said = fitted()
    assert any("stopped (interrupted) before it scored any subset" in one for one in said)
    assert selector.stop_reason_ == "interrupted"
    assert selector.support_.all()
    assert selector.n_sampled_ == FEWEST_ESTIMATED


def test_ctrl_c_in_the_preparation_is_held_back_until_there_is_an_answer(monkeypatch):
    monkeypatch.setattr(outcome, "ESTIMATED_PAIRS", 0)
    measured = Strict.measured

    def interrupted(self, dataset, n_jobs):
        monkeypatch.setattr(Strict, "measured", measured)
        signal.raise_signal(signal.SIGINT)
        return measured(self, dataset, n_jobs)

    X, y = WINE
    data = X.assign(again=X["proline"] + np.arange(len(X)) % 3), y
    assert len(fitted(data)[0].result_.correlated) == 1
    monkeypatch.setattr(Strict, "measured", interrupted)
    selector, said = fitted(data)
    assert any("stopped (interrupted) before it scored any subset" in one for one in said)
    assert selector.support_.all()
    assert selector.result_.correlated == (), "no answer waits for these"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_the_second_ctrl_c_in_the_preparation_ends_the_fit(monkeypatch):
    def pressed_twice(self, dataset, n_jobs):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Strict, "measured", pressed_twice)
    with pytest.raises(KeyboardInterrupt):
        fitted()


def ticks(monkeypatch, press_at=-1):
    """Let each look at the clock take a second, and press Ctrl-C at one of them."""
    clock = itertools.count(1)

    def monotonic():
        now = next(clock)
        if now == press_at:
            signal.raise_signal(signal.SIGINT)
        return float(now)

    set_clock(monkeypatch, monotonic)
    return clock


@pytest.mark.parametrize("by", ["max_seconds", "interrupted"])
@pytest.mark.filterwarnings("ignore")
def test_columns_to_predict_with_are_selected_wherever_time_ends(monkeypatch, by):
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:60, [0, 2, 3, 20, 22, 23, 7]], y[:60]
    given = {"random_state": 0, "n_jobs": 1, "must_include": [0]}
    with monkeypatch.context() as patch:
        clock = ticks(patch)
        whole = SoftSelector(**given).fit(X, y)
        last = next(clock)
    assert whole.result_.substitutes
    sizes = set()
    for end in range(3, last):  # at 3, the parts of the limit are set
        with monkeypatch.context() as patch:
            ticks(patch, end if by == "interrupted" else -1)
            limit = None if by == "interrupted" else end
            one = SoftSelector(**given, max_seconds=limit).fit(X, y)
        assert one.support_[0]
        dropped = [other for alike in one.result_.substitutes for other in alike.others]
        assert not one.support_[dropped].any()
        if one.n_evaluations_ == 0:
            assert one.support_.all()
        assert tuple(np.flatnonzero(one.support_)) in {point.features for point in one.front_}
        sizes.add(one.n_features_)
    assert {7, whole.n_features_} <= sizes
    assert one.support_.tolist() == whole.support_.tolist()
