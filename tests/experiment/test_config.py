"""Configs: what they may say, and what they are told when they say something else."""

from pathlib import Path

import pytest

from fuzzyfrog.data import dataset_names
from fuzzyfrog.errors import ConfigError
from fuzzyfrog.experiment.config import read_config
from fuzzyfrog.experiment.selectors import check_selector, recipe

ROOT = Path(__file__).resolve().parents[2]
SMALL = """
[protocols.paper]
[selectors.all]
search = "none"
[data.wine]
"""


def config(tmp_path, text):
    path = tmp_path / "config.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_experiment_of_the_paper():
    paper = read_config(ROOT / "paper" / "experiment.toml")
    assert len(paper.data) == 22
    assert {entry.name for entry in paper.data} <= set(dataset_names())
    assert {one.paper for one in paper.selectors} - {None} == {
        "L-FRFS", "GA", "PSO", "GBFS", "B-SFLA"
    }  # fmt: skip
    assert len({recipe(one) for one in paper.selectors}) == len(paper.selectors) == 12
    for one in paper.selectors:
        check_selector(one)
    assert [protocol.name for protocol in paper.protocols] == ["paper", "nested"]
    assert paper.panels == ("sklearn", "weka")
    assert paper.expected == ROOT / "paper" / "expected"


def test_what_is_not_said(tmp_path):
    found = read_config(config(tmp_path, SMALL))
    assert (found.folds, found.fold_seed, found.panels) == (10, 1, ("sklearn",))
    assert found.lineups == {"all": ("all",)}
    assert found.protocols[0].seeds == (0,)


def test_a_recipe_knows_settings_but_no_names(tmp_path):
    text = SMALL.replace("[data", '[selectors.some]\nsearch = "none"\npaper = "GA"\n[data')
    one, other = read_config(config(tmp_path, text)).selectors
    assert recipe(one) == recipe(other)
    text = SMALL.replace('"none"', '"none"\nmax_evaluations = 3')
    assert recipe(read_config(config(tmp_path, text)).selectors[0]) != recipe(one)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("titel = 'x'" + SMALL, "config has no key 'titel'. Did you mean 'title'?"),
        (SMALL + "fiel = 'x.csv'", "data.wine has no key 'fiel'. Did you mean 'file'?"),
        (SMALL.replace('search = "none"', ""), "selectors.all must have 'search', got 'name'."),
        (SMALL.replace("[data.wine]", ""), "data must name at least one, got none."),
        (SMALL.replace("paper", "honest"), "protocols must be one of 'paper', 'nested', got"),
        ("folds = 1" + SMALL, "folds must be an integer of at least 2, got 1."),
        (SMALL + "[lineups]\nx = ['al']", "lineups.x must be one of 'all', got 'al'."),
        (SMALL.replace("none", 'none"\nranking = "best'),
         "selectors.all: ranking must be one of 'lexicographic', 'product', got 'best'."),
        ("data = 3\n[protocols.paper]", "data must be a table, got 3."),
        ("= 3", "config must be a TOML file, got: "),
        (SMALL.replace("[protocols.paper]", "[protocols.paper]\nseeds = [-1]"),
         "protocols.paper: a seed must be an integer of at least 0, got -1."),
        (SMALL.replace("[protocols.paper]", "[protocols.paper]\nseeds = []"),
         "protocols.paper: seeds must name at least one, got none."),
        (SMALL.replace("[protocols.paper]", "[protocols.paper]\nseeds = [0, 1, 0]"),
         "protocols.paper: seeds must be distinct, got 0 2 times."),
        (SMALL.replace("[protocols.paper]", "[protocols.paper]\nseeds = [[0], [0]]"),
         "protocols.paper: a seed must be an integer of at least 0, got [0]."),
        ("fold_seed = 1.5" + SMALL, "fold_seed must be an integer of at least 0, got 1.5."),
        ("panels = ['weka', 'weka']" + SMALL, "panels must be distinct, got 'weka' 2 times."),
        ("classifier_seconds = -1" + SMALL,
         "classifier_seconds must be a finite number above 0, got -1."),
        ("classifier_seconds = nan" + SMALL,
         "classifier_seconds must be a finite number above 0, got nan."),
        (SMALL + "[lineups]\n'a b' = ['all']\n'A-b' = ['all']",
         "lineups must have names that differ in letters or digits, which their figures are called "
         "by, got 'a b' and 'A-b'. Rename one of them."),
    ],
)  # fmt: skip
def test_what_makes_no_sense_gets_a_sentence(tmp_path, text, told):
    with pytest.raises(ConfigError) as error:
        read_config(config(tmp_path, text))
    assert str(error.value).startswith(f"config.toml: {told}")


def test_a_missing_config_gets_a_sentence(tmp_path):
    with pytest.raises(ConfigError, match=r"^no\.toml: config must be a TOML file, got: .*No such"):
        read_config(tmp_path / "no.toml")


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ('search = "frog"', "search must be one of 'frogs', .*, got 'frog'"),
        ('search = "frogs"\noptions = { n = 3 }', "options must fit, got: .*'n'"),
        (
            'search = "frogs"\noptions = { patience = 0 }',
            "patience must be an integer of at least 1",
        ),
        (
            'search = "frogs"\noptions = { variant = "tree" }',
            "variant must be one of 'local', 'paper'",
        ),
        ('search = "frogs"\noptions = { preset = "big" }', "preset must be one of 'auto'"),
        ('search = "genetic"\noptions = { p_mutation = 2 }', "p_mutation must be a number from 0"),
        ('search = "swarm"\noptions = { c_own = "x" }', "c_own must be a finite number above 0"),
        ('search = "quickreduct"\noptions = { greedy = 1 }', "options must fit, got: "),
        ('search = "boosted"\noptions = { penalty = -1 }', "penalty must be 'auto' or a number"),
        ('search = "boosted"\noptions = { target = "x" }', "target must be one of"),
        ('search = "none"\noptions = { n = 1 }', "options must be empty for all features, got 'n'"),
        ('search = "frogs"\nmax_seconds = -1', "max_seconds must be a number above 0, got -1"),
        (
            'search = "frogs"\nmax_evaluations = 0',
            "max_evaluations must be an integer of at least 1",
        ),
        ('search = "no_such_module:Selector"', "'module:Class', got 'no_such_module:Selector'"),
        ('search = "sklearn:Selector"', "'module:Class', got 'sklearn:Selector'"),
    ],
)
def test_selectors_that_cannot_be_made_get_a_sentence(tmp_path, settings, told):
    text = SMALL.replace('search = "none"', settings)
    (entry,) = read_config(config(tmp_path, text)).selectors
    with pytest.raises(ConfigError, match=f"^selectors.all: .*{told}"):
        check_selector(entry)
