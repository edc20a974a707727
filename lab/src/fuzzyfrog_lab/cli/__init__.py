"""The ``fuzzyfrog-lab`` program."""

from fuzzyfrog.cli import run as run_program


def main() -> None:
    """Run the command given by the arguments of the process."""
    from fuzzyfrog_lab.cli.app import main

    main()


def run() -> None:
    """Run `main` as a process of its own."""
    run_program("fuzzyfrog_lab.cli.app")
