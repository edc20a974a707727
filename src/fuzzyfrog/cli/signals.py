"""Ctrl-C, SIGTERM and a closed terminal, from the first line of a process to its last.

While the program is imported, a signal ends the process at once, with a sentence: there is nothing
to lose. While a command runs, it raises KeyboardInterrupt, so that files and terminal are left in
order; a selection has its own answer (`Stopping`). Once the command has ended, it changes nothing.
"""

import atexit
import gc
import os
import signal
import sys
from _thread import interrupt_main
from importlib import import_module
from types import FrameType

from fuzzyfrog.cli import end_at_once

HANGUP = getattr(signal, "SIGHUP", None)  # sent when a terminal is closed; Windows has none
# Those that end a run.
SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
AGAIN_SECONDS = 0.02

_is_running = False  # inside `main`, which handles KeyboardInterrupt
_exit_code: int | None = None  # once it is known


def run_guarded(program: str) -> None:
    """Run the program of a module."""
    global _is_running, _exit_code
    atexit.register(_ignore)  # after everything else that is done at the exit
    atexit.register(gc.freeze)  # what is left goes with the process: nobody looks for garbage in it
    for kind in SIGNALS:
        if signal.getsignal(kind) in (signal.SIG_DFL, signal.default_int_handler, end_at_once):
            signal.signal(kind, _answer)
    sys.unraisablehook = _raise_again
    main = import_module(program).main
    # Between these lines Python handles no signal; it does so around calls.
    try:
        _is_running = True
        main()
    except SystemExit as end:
        _is_running = False
        _exit_code = end.code if isinstance(end.code, int) else int(end.code is not None)
        raise
    except KeyboardInterrupt:
        _is_running = False
        end_at_once()


def put_off(kind: int, frame: FrameType | None) -> bool:
    """Whether a signal comes during an import; then it is sent again a moment later.

    KeyboardInterrupt would leave half of a module behind, and be lost where Python itself, a
    finalizer or a bare ``except`` catches it.
    """
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            _send_again(kind)
            return True
        frame = frame.f_back
    return False


def _answer(kind: int, frame: FrameType | None) -> None:
    if _exit_code is not None:  # all is done, and what was printed is flushed
        os._exit(_exit_code)
    if not _is_running:
        end_at_once()
    if not put_off(kind, frame):
        if kind == HANGUP:
            # The shell and the system both send a signal when a terminal is closed; one is enough.
            signal.signal(kind, signal.SIG_IGN)
        from fuzzyfrog.common.deadline import interrupt

        interrupt()


def _ignore() -> None:
    for kind in SIGNALS:
        signal.signal(kind, signal.SIG_IGN)


def _send_again(kind: int) -> None:
    from threading import Timer

    later = Timer(AGAIN_SECONDS, interrupt_main, (kind,))
    later.daemon = True
    later.start()


def _raise_again(lost: "sys.UnraisableHookArgs") -> None:
    """Send the signal again whose KeyboardInterrupt was lost in a finalizer."""
    if lost.exc_type is KeyboardInterrupt:
        _send_again(signal.SIGINT)
    else:
        sys.__unraisablehook__(lost)
