"""What a signal does, depending on when it arrives; the process sends it to itself."""

import gc
import hashlib
import os
import signal
import threading
import time

import numpy as np
import pytest
from numba.core import config, event

from fuzzyfrog.cli import progress
from fuzzyfrog.cli.progress import Stopping
from fuzzyfrog.common.deadline import (
    Deadline,
    TimeIsUp,
    limited,
    stop_if_late,
    stoppable,
    uninterrupted,
    whole_import,
)
from fuzzyfrog.common.jit import kernel
from fuzzyfrog.search import Problem, QuickReduct, run
from strategies import JIT_IS_OFF

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


class Count:
    """An objective: the share of the features that a subset has."""

    n_features = 6

    def score(self, masks, at_least=None):
        return masks.mean(axis=1)

    best = score


def send(kind):
    os.kill(os.getpid(), kind)


def search(*callbacks):
    return run(QuickReduct(), Count(), Problem(6, 60, 1.0), seed=0, callbacks=callbacks)


@pytest.mark.parametrize("kind", SIGNALS)
def test_the_first_signal_ends_the_search_with_the_best_so_far(kind):
    moments = []

    def signal_at_the_third(moment):
        moments.append(moment)
        if len(moments) == 3:
            send(kind)

    with Stopping() as stopping:
        outcome = search(stopping, signal_at_the_third)
    assert outcome.stop_reason == "interrupted"
    assert outcome.subset.sum() == moments[-1].size
    assert stopping.n_asked


def test_after_the_search_the_first_signal_is_noted_and_the_second_ends_it():
    with Stopping() as stopping:
        search(stopping)
        send(signal.SIGINT)
        assert np.ones(3).sum() == 3  # what follows the search continues
        assert stopping.n_asked
        with pytest.raises(KeyboardInterrupt):
            send(signal.SIGINT)


def test_the_first_signal_ends_deadlines_and_the_second_raises(capfd):
    with Stopping() as stopping, stoppable():
        stopping.notice = progress.NOTICE
        with limited(Deadline()):
            send(signal.SIGINT)
            with pytest.raises(TimeIsUp):
                stop_if_late()
        assert stopping.n_asked == 1
        with limited(Deadline()):
            stop_if_late()  # what is begun after the signal may take the time allowed for it
        with pytest.raises(KeyboardInterrupt):
            send(signal.SIGINT)
        assert stopping.n_asked == 2
    assert capfd.readouterr().err.count("what takes more than 3 seconds") == 1


def test_a_check_is_interrupted_at_once_though_there_is_an_answer():
    with Stopping() as stopping:
        search(stopping)
        stopping.is_checking = True
        with pytest.raises(KeyboardInterrupt):
            send(signal.SIGINT)


def test_a_closed_terminal_is_told_twice_and_is_no_second_signal():
    """By the shell and by the system."""
    with Stopping() as stopping:
        search(stopping)
        send(signal.SIGHUP)
        send(signal.SIGHUP)
        assert stopping.n_asked
        with pytest.raises(KeyboardInterrupt):
            send(signal.SIGINT)


def test_a_search_in_another_thread_is_not_what_a_signal_ends():
    """A signal is handled in the main thread, which is not inside the driver here."""
    begun, ended = threading.Event(), threading.Event()

    def wait(moment):
        begun.set()
        ended.wait(100)

    with Stopping() as stopping:
        search(stopping)
        other = threading.Thread(target=search, args=(wait,))
        other.start()
        assert begun.wait(100)
        send(signal.SIGTERM)
        ended.set()
        other.join()
        assert stopping.n_asked


def test_before_anything_is_found_the_first_signal_ends_it():
    with Stopping(), pytest.raises(KeyboardInterrupt):
        send(signal.SIGTERM)


def test_handlers_are_put_back_and_ignored_signals_stay_ignored():
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with Stopping() as stopping:
            send(signal.SIGTERM)
        assert not stopping.n_asked
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_signal_is_answered_even_if_nothing_can_be_interrupted(monkeypatch, capfd):
    """As while a kernel is compiled: one long call that does not come back to Python."""
    monkeypatch.setattr(progress, "LATE_SECONDS", 0.02)
    said, n_tries = b"", 0
    while progress.LATE not in said:
        n_tries += 1
        assert n_tries <= 10, "a busy machine may be slow, but not each time"
        begun = threading.Event()

        def press(begun=begun):
            begun.wait()
            time.sleep(0.05)
            send(signal.SIGINT)

        threading.Thread(target=press).start()

        def work(begun=begun):
            begun.set()
            hashlib.pbkdf2_hmac("sha256", b"", b"", 2_000_000)  # half a second in one call

        with Stopping() as stopping, stoppable(), limited(Deadline()):
            stopping.notice = progress.NOTICE
            work()
            with pytest.raises(TimeIsUp):
                stop_if_late()
        said = capfd.readouterr().err.encode()
        assert said.replace(progress.LATE, b"") == progress.NOTICE
        assert stopping.n_asked == 1


@pytest.mark.skipif(JIT_IS_OFF, reason="nothing is compiled")
def test_a_signal_during_a_compilation_is_not_lost(capfd, tmp_path, monkeypatch):
    """LLVM calls back into Python, and an exception there is ignored."""
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))  # where nothing is compiled yet
    seen = []

    @kernel
    def quick(number):
        return number + 1

    class Listener(event.Listener):
        def on_start(self, _):
            send(signal.SIGINT)

        def on_end(self, _):
            seen.append(stopping.n_asked)

    with Stopping() as stopping:
        with event.install_listener("numba:compile", Listener()), pytest.raises(KeyboardInterrupt):
            quick(1)
        assert seen, "the compilation came to its end first"
        assert quick(1) == 2
    assert stopping.n_asked == 1
    assert capfd.readouterr().err == ""


def nobody_waits_to_answer():
    """Whether no answer to a signal is due any more, though it would be due in an hour."""
    for one in threading.enumerate():
        if one.name == "signals":  # which starts the timers, and ends with its context
            one.join()
    timers = [one for one in threading.enumerate() if isinstance(one, threading.Timer)]
    for one in timers:
        one.join(10)
    return not any(one.is_alive() for one in timers)


def test_a_signal_that_is_handled_at_once_is_answered_once(monkeypatch, capfd):
    monkeypatch.setattr(progress, "LATE_SECONDS", 3600)
    before = signal.set_wakeup_fd(-1)
    with Stopping() as stopping, stoppable():
        stopping.notice = progress.NOTICE
        send(signal.SIGINT)
    assert nobody_waits_to_answer()
    assert capfd.readouterr().err.encode() == progress.NOTICE
    assert signal.set_wakeup_fd(before) == -1, "nobody listens any more"


def test_two_signals_that_are_handled_at_once_are_not_called_late(monkeypatch, capfd):
    monkeypatch.setattr(progress, "LATE_SECONDS", 3600)
    with Stopping() as stopping:
        stopping.notice = progress.NOTICE
        search(stopping)
        send(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            send(signal.SIGTERM)
    assert nobody_waits_to_answer()
    assert capfd.readouterr().err.encode() == progress.NOTICE


def test_an_import_or_a_compilation_comes_to_its_end_before_the_interruption():
    done = []

    @uninterrupted()
    @uninterrupted()
    def work():
        signal.raise_signal(signal.SIGINT)
        done.append("all of it")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_in_stoppable_work_an_import_leaves_the_answer_to_it():
    with stoppable(), limited(Deadline()):
        with uninterrupted():
            signal.raise_signal(signal.SIGINT)
        with pytest.raises(TimeIsUp):
            stop_if_late()


def test_an_error_in_an_import_is_not_hidden():
    with pytest.raises(ZeroDivisionError), uninterrupted():
        raise ZeroDivisionError


def test_garbage_is_collected_again_after_an_import_even_if_it_fails():
    with pytest.raises(ImportError):
        whole_import("fuzzyfrog.no_such_module")
    assert gc.isenabled()


def test_work_in_another_thread_leaves_the_handlers_alone():
    handlers = []

    def work():
        with stoppable(), uninterrupted():
            handlers.append(signal.getsignal(signal.SIGINT))

    other = threading.Thread(target=work)
    other.start()
    other.join()
    assert handlers == [signal.default_int_handler]


def test_a_handler_of_the_caller_stays():
    def own(number, _):
        raise ZeroDivisionError

    before = signal.signal(signal.SIGINT, own)
    try:
        with pytest.raises(ZeroDivisionError), stoppable():
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)
