"""Configs of experiments: ``python fuzz SECONDS experiment_configs``."""

import atheris

with atheris.instrument_imports(include=["fuzzyfrog", "fuzzyfrog_lab", "tomllib"]):
    from harness import run, working_folder

    from fuzzyfrog_lab.config import ConfigError, read_config

PATH = working_folder() / "config.toml"
SEEDS = (
    b'[protocols.paper]\n[selectors.all]\nsearch = "none"\n[data.wine]\n',
    b'title = "x"\npanels = ["sklearn"]\nfolds = 3\n[protocols.nested]\nseeds = [0, 1]\n'
    b'[selectors.some]\nsearch = "frogs"\nmax_seconds = 3\noptions = {patience = 2}\n'
    b'[data.own]\nfile = "x.csv"\ntarget = "y"\nclass_labels = {a = "b"}\n'
    b'[lineups]\nall = ["some"]\n',
)


def check(content: bytes) -> None:
    """Read a config."""
    PATH.write_bytes(content)
    read_config(PATH)


if __name__ == "__main__":
    run(check, SEEDS, (ConfigError,))
