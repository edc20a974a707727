"""``python -m fuzzyfrog``: the command line."""

from fuzzyfrog.cli import run

if __name__ == "__main__":
    run()
