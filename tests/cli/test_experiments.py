"""``compare`` and ``reproduce``: the same experiment, described in two ways."""

import csv

import pytest

CONFIG = """
panels = ["sklearn"]
folds = 2
[protocols.nested]
[selectors.quickreduct]
search = "quickreduct"
[selectors.none]
search = "none"
[data.iris]
[data.wine]
"""


@pytest.fixture
def config(tmp_path, monkeypatch):
    """Describe a small experiment."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "config.toml"
    path.write_text(CONFIG, encoding="utf-8")
    return path


def test_reproduce_computes_once_and_writes_tables(in_process, config, tmp_path):
    arguments = ["reproduce", "iris", "--config", config, "--out", "out", "-q"]
    code, out, err = in_process(*arguments)
    assert (code, err) == (0, "")
    assert "cells computed, 0 were there, 0 failed." in out
    assert (tmp_path / "out" / "sklearn-nested.md").is_file()
    assert in_process(*arguments)[1].startswith("0 cells computed")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--out", "out"], "--config must be given where there is no paper/experiment.toml"),
        (["--out", "out", "--config", "no.toml"], "no.toml: config must be a TOML file"),
        (["wien", "--out", "out", "--config", "config.toml"], "Did you mean 'wine'?"),
    ],
)
def test_reproduce_refuses_in_one_sentence(in_process, config, arguments, sentence):
    code, out, err = in_process("reproduce", *arguments, "-q")
    assert (code, out) == (2, "")
    assert sentence in err
    assert len(err.splitlines()) == 1


def test_compare_prints_accuracies_and_ranks(in_process, tmp_path, wine_csv):
    tables = ["iris", wine_csv, "--target", "class"]
    options = ["--searches", "quickreduct,none", "--folds", "2", "--out", tmp_path / "out", "-q"]
    code, out, err = in_process("compare", *tables, *options)
    assert (code, err) == (0, "")
    assert "| data | quickreduct | none | classifiers |" in out
    assert "Friedman: chi-square" in out
    with (tmp_path / "out" / "sklearn-nested.csv").open(encoding="utf-8") as stream:
        assert {row[0] for row in csv.reader(stream)} >= {"iris", "wine"}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["wine", "--searches", "frogs"], "--searches must be at least two of"),
        (["wine", "--searches", "frogs,toads"], "--searches must be at least two of"),
        (["x.csv", "--searches", "frogs,none"], "--target must be given for a file"),
        (["iris", "iris", "--searches", "frogs,none"], "TABLE must be different ones"),
    ],
)
def test_compare_refuses_in_one_sentence(in_process, arguments, sentence):
    code, out, err = in_process("compare", *arguments, "-q")
    assert (code, out) == (2, "")
    assert sentence in err


def test_compare_tells_what_failed(in_process):
    options = ["--searches", "quickreduct,none", "--folds", "2", "-q"]
    code, _, err = in_process("compare", "no.csv", "--target", "class", *options)
    assert code == 1
    assert "no.csv: no such file" in err
