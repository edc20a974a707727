"""Configs: what they may contain, and the errors for anything else."""

from dataclasses import replace
from pathlib import Path

import pytest

from fuzzyfrog.search import ShuffledFrogs
from fuzzyfrog_lab.catalog import dataset_names
from fuzzyfrog_lab.cells import read_cells
from fuzzyfrog_lab.config import ConfigError, SelectorEntry, read_config
from fuzzyfrog_lab.selectors import check_selector, recipe

LAB = Path(__file__).resolve().parents[1]
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


def test_the_example_has_only_keys_that_exist():
    example = read_config(LAB / "example.toml")
    assert [entry.name for entry in example.data] == ["glass", "fruit", "nuts"]


def test_the_experiment_of_the_paper():
    paper = read_config(LAB / "paper" / "experiment.toml")
    assert len(paper.data) == 22
    assert {entry.name for entry in paper.data} <= set(dataset_names())
    assert {one.paper for one in paper.selectors} - {None} == {
        "L-FRFS", "GA", "PSO", "GBFS", "B-SFLA"
    }  # fmt: skip
    assert len({recipe(one) for one in paper.selectors}) == len(paper.selectors) == 13
    for one in paper.selectors:
        check_selector(one)
    assert [protocol.name for protocol in paper.protocols] == ["paper", "nested"]
    assert paper.panels == ("sklearn", "weka")
    assert paper.expected == LAB / "paper" / "expected"


def test_what_is_not_said(tmp_path):
    found = read_config(config(tmp_path, SMALL))
    assert (found.folds, found.fold_seed, found.panels) == (10, 1, ("sklearn",))
    assert found.lineups == {"all": ("all",)}
    assert found.protocols[0].seeds == (0,)


def test_the_recipes_are_those_of_the_committed_cells():
    """Another digest would throw away days of cells."""
    paper = read_config(LAB / "paper" / "experiment.toml")
    cells = read_cells(LAB / "paper" / "results" / "cells.jsonl").values()
    known = {
        cell["value"]["by"]: cell["key"]["recipe"]
        for cell in cells
        if cell["key"]["kind"] == "selection" and "value" in cell
    }
    assert {one.name: recipe(one) for one in paper.selectors if one.name in known} == known


def test_a_recipe_holds_the_defaults_of_a_search():
    default = ShuffledFrogs().get_params()["patience"]
    silent, same, other = (
        recipe(SelectorEntry("x", "frogs", options=options))
        for options in ({}, {"patience": default}, {"patience": default + 1})
    )
    assert silent == same != other


@pytest.mark.parametrize(
    ("change", "is_other"),
    [
        ({"measure": "soft"}, True),
        ({"min_dependency": 0.9}, True),
        ({"size_rule": "peak"}, True),
        ({"n_features_to_select": 3}, False),  # the key has it
        ({"as_many_as": "y"}, False),
        ({"folder": Path("elsewhere")}, False),
    ],
)
def test_a_recipe_knows_the_settings_of_a_selector(change, is_other):
    first = SelectorEntry("x", "frogs")
    assert (recipe(replace(first, **change)) != recipe(first)) == is_other


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
        ("metric = 'mse'" + SMALL, "metric must be one of 'accuracy', 'balanced-accuracy', 'auc'"),
        ("deviation = 'seeds'" + SMALL, "deviation must be one of 'classifiers', 'folds', got"),
        (SMALL + "target_kind = 'numeric'",
         "data.wine: target_kind must come with a file or a loader."),
        (SMALL + "file = 'w.csv'\ntarget_kind = 'number'",
         "data.wine: target_kind must be one of 'auto', 'class', 'numeric', got 'number'."),
        ("fold_seed = 1.5" + SMALL, "fold_seed must be an integer of at least 0, got 1.5."),
        ("panels = ['weka', 'weka']" + SMALL, "panels must be distinct, got 'weka' 2 times."),
        ("classifier_seconds = -1" + SMALL,
         "classifier_seconds must be a finite number above 0, got -1."),
        ("classifier_seconds = nan" + SMALL,
         "classifier_seconds must be a finite number above 0, got nan."),
        (SMALL + "[data.wien]", "data.wien must have a file, a loader or the name of a known data "
         "set, got none of them. Did you mean 'wine'?"),
        (SMALL + "target = 'x'", "data.wine: target must come with a file, got no file."),
        (SMALL + "file = 'x.csv'\nloader = 'a:b'", "data.wine must have a file or a loader, got"),
        (SMALL + "file = 'x.csv'\nignore = [1]", "data.wine.ignore must be a list of texts, got"),
        (SMALL + "max_samples = 1", "data.wine: max_samples must be an integer of at least 2, got"),
        (SMALL + "class_labels = { a = 1 }", "data.wine.class_labels.a must be text, got 1."),
        (SMALL + "folder = 'x'", "data.wine has no key 'folder'."),
        (SMALL + "[groups]\nnew = ['glass']", "groups.new must be one of 'wine', got 'glass'."),
        ("expected = 'nowhere'" + SMALL, "expected must be a folder next to the config, got"),
        (SMALL.replace('"none"', '"frogs"\nmin_dependency = 2'),
         "selectors.all: min_dependency must be a number above 0 and at most 1, got 2."),
        (SMALL.replace('"none"', '"frogs"\nn_features_to_select = 0'),
         "selectors.all: n_features_to_select must be an integer of at least 1, got 0."),
        (SMALL.replace('"none"', '"frogs"\nn_features_to_select = 1.5'),
         "selectors.all: n_features_to_select must be a number above 0 and at most 1, got 1.5."),
        (SMALL.replace('"none"', '"frogs"\nas_many_as = "all"'),
         "selectors.all: as_many_as must be one of "),
        (SMALL.replace('"none"', '"frogs"\nas_many_as = "x"\nn_features_to_select = 2'),
         "selectors.all must have n_features_to_select or as_many_as, got both."),
        (SMALL + "[lineups]\n'a b' = ['all']\n'A-b' = ['all']",
         "lineups must have names that differ in letters or digits, which their figures are called "
         "by, got 'a b' and 'A-b'. Rename one of them."),
        ("panels = 5" + SMALL, "panels must be a list of texts, got 5"),
        ("panels = 'sklearn'" + SMALL, "panels must be a list of texts"),
        (SMALL.replace("[sel", "seeds = 5\n[sel"), "protocols.paper.seeds must be a list"),
        (SMALL + "file = 5", "data.wine.file must be text, got 5"),
        (SMALL + "[lineups]\nx = 3", "lineups.x must be a list of texts"),
        (SMALL + "class_labels = 3", "data.wine.class_labels must be a table, got 3"),
        ("a = " + "[" * 100_000, "config must be a TOML file"),
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
            "variant must be one of 'learning', 'local', 'paper'",
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
        ('search = "sklearn.svm:SVC"', "must be a selector, got SVC without 'get_support'"),
        ('search = "sklearn.feature_selection:RFE"', "options must fit, got: .*estimator"),
        (
            'search = "sklearn.feature_selection:RFE"\n'
            'options = { estimator = { class = "sklearn.svm:SVX" } }',
            "options.estimator must be a known name or 'module:Class', got 'sklearn.svm:SVX'",
        ),
        (
            'search = "sklearn.feature_selection:RFE"\n'
            'options = { estimator = { class = "sklearn.svm:SVC", C = 1 } }',
            "options.estimator must have class and options, got 'C'",
        ),
        (
            'search = "sklearn.feature_selection:VarianceThreshold"\nn_features_to_select = 2',
            "be left out for a selector without a parameter .*, got VarianceThreshold",
        ),
        ('search = "none"\nn_features_to_select = 2', "n_features_to_select must be left out"),
        ('search = "boosted"\nmin_dependency = 0.5', "min_dependency must be left out"),
        ('search = "quickreduct"\nmeasure = "sift"', "measure must be 'strict', 'soft' or|measure"),
        ('search = "quickreduct"\nmeasure = "soft"\nsize_rule = "top"', "size_rule must be one of"),
        ('search = "quickreduct"\nmeasure = "soft"\nranking = "product"', "ranking must be"),
        ('search = "quickreduct"\nsize_rule = "peak"', "size_rule must be"),
        ('search = "boosted"\nsize_rule = "peak"', "size_rule must be left out without a search"),
        ('search = "boosted"\nmeasure = "soft"', "measure must be left out without a search"),
        ('search = "frogs"\nmeasure = "sklearn:no_such"', "measure must be a known name or"),
    ],
)
def test_selectors_that_cannot_be_made_get_a_sentence(tmp_path, settings, told):
    text = SMALL.replace('search = "none"', settings)
    (entry,) = read_config(config(tmp_path, text)).selectors
    with pytest.raises(ConfigError, match=f"^selectors.all: .*{told}"):
        check_selector(entry)
