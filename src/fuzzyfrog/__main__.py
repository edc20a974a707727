"""``python -m fuzzyfrog``: the command line."""

from fuzzyfrog.cli import main

if __name__ == "__main__":
    main()
