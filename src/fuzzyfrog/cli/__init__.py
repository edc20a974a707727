"""The command line: parse, call the library, print.

Nothing is imported before `run` handles Ctrl-C, and nothing heavy before a command runs, so that
help is instant.
"""

# Python has it at the start; signal, which is made of it, takes milliseconds.
import _signal  # type: ignore[import-not-found]
import os


def main() -> None:
    """Run the command given by the arguments of the process."""
    from fuzzyfrog.cli.app import main

    main()


def run(program: str = "fuzzyfrog.cli.app") -> None:
    """Run the program of a module as a process of its own, which no signal ends silently."""
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, end_at_once)
    from fuzzyfrog.cli.signals import run_guarded

    run_guarded(program)


def end_at_once(*_: object) -> None:
    """End the process with a sentence: as yet there is nothing to lose."""
    try:
        os.write(2, b"fuzzyfrog: interrupted\n")
    finally:
        os._exit(130)
