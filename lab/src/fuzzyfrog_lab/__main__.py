"""``python -m fuzzyfrog_lab``: the command line."""

from fuzzyfrog_lab.cli import run

if __name__ == "__main__":
    run()
