"""Configs of experiments with values of the wrong kind, next to tests/experiment/test_config.py."""

from fuzzyfrog.errors import ConfigError
from fuzzyfrog.experiment.config import read_config
from reliability.promises import Entry, Refused

SMALL = """
[protocols.paper]
[selectors.all]
search = "none"
[data.wine]
"""


def config(text):
    def deed(folder):
        path = folder / "config.toml"
        path.write_text(text, encoding="utf-8")
        return read_config(path)

    return deed


CONFIGS = [
    ("panels that are a number", "panels = 5" + SMALL, "panels must be a list of texts, got 5"),
    ("panels that are a text", "panels = 'sklearn'" + SMALL, "panels must be a list of texts"),
    ("seeds that are a number", SMALL.replace("[sel", "seeds = 5\n[sel"), "seeds must be a list"),
    ("a file that is a number", SMALL + "file = 5", "data.wine.file must be text, got 5"),
    ("a lineup that is a number", SMALL + "[lineups]\nx = 3", "lineups.x must be a list of texts"),
    ("labels that are no table", SMALL + "class_labels = 3", "class_labels must be a table, got 3"),
    ("lists without end", "a = " + "[" * 100_000, "config must be a TOML file"),
]

ENTRIES = [
    Entry(f"a config with {name}", config(text), Refused(words, ConfigError))
    for name, text, words in CONFIGS
]
