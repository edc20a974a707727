"""``compare`` and ``reproduce``: the same experiment, described in two ways."""

import csv

import pytest

from fuzzyfrog.experiment.cells import read_cells, table_digest
from fuzzyfrog.experiment.config import DataEntry, SelectorEntry
from fuzzyfrog.experiment.selectors import recipe

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
        (["--out", "out", "--config", "config.toml", "--report-only"],
         "out must be a folder with cells.jsonl or cells.jsonl.gz, got 'out'."),
        (["wine", "--out", "out", "--config", "config.toml", "--report-only"],
         "--report-only must be used without TABLE, --panel and --retry-failed, got 'wine'."),
        (["--panel", "sklearn", "--config", "config.toml", "--report-only"],
         "--report-only must be used without TABLE, --panel and --retry-failed, got '--panel'."),
        (["--panel", "sklaern", "--config", "config.toml"],
         "panels must name panels of the config, got 'sklaern'. Did you mean 'sklearn'?"),
    ],
)  # fmt: skip
def test_reproduce_refuses_in_one_sentence(in_process, config, arguments, sentence):
    code, out, err = in_process("reproduce", *arguments, "-q")
    assert (code, out) == (2, "")
    assert sentence in err
    assert len(err.splitlines()) == 1


@pytest.fixture
def without_weka(config, monkeypatch):
    """Ask for both panels where Weka is not installed."""
    config.write_text(CONFIG.replace('["sklearn"]', '["sklearn", "weka"]'), encoding="utf-8")
    monkeypatch.setenv("FUZZYFROG_WEKA_JAR", "no.jar")
    return config


@pytest.mark.parametrize(("asked", "n_warnings"), [([], 1), (["--panel", "sklearn"], 0)])
def test_what_needs_no_weka_runs_without_it(in_process, without_weka, tmp_path, asked, n_warnings):
    code, out, err = in_process("reproduce", "iris", "--config", without_weka, *asked, "-q")
    assert code == 0
    assert "cells computed, 0 were there, 0 failed." in out
    assert len(err.splitlines()) == err.count("the panel weka is skipped") == n_warnings
    assert err.count("install") >= n_warnings
    results = tmp_path / "results"  # the default of --out
    assert "| iris |" in (results / "sklearn-nested.md").read_text(encoding="utf-8")
    assert (results / "weka-nested.md").is_file()


@pytest.mark.parametrize("asked", ["weka", "sklearn,weka"])
def test_weka_that_was_asked_for_must_be_there(in_process, without_weka, tmp_path, asked):
    code, out, err = in_process("reproduce", "--config", without_weka, "--panel", asked, "-q")
    assert (code, out) == (2, "")
    assert err.startswith("fuzzyfrog: Weka ")
    assert not (tmp_path / "results" / "cells.jsonl").exists()


def test_a_config_of_weka_alone_must_have_it(in_process, without_weka):
    without_weka.write_text(CONFIG.replace('["sklearn"]', '["weka"]'), encoding="utf-8")
    code, out, err = in_process("reproduce", "--config", without_weka, "-q")
    assert (code, out) == (2, "")
    assert err.startswith("fuzzyfrog: Weka ")


def test_compare_prints_accuracies_and_ranks(in_process, tmp_path, wine_csv):
    tables = ["iris", wine_csv, "--target", "class", "--ignore", "id"]
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
        (
            ["\udcff.csv", "--target", "y", "--searches", "none,frogs"],
            "TABLE must be a path in UTF-8",
        ),
        (["wine", "--searches", "frogs,non"], "got 'non'. Did you mean 'none'?"),
        (["wine", "--searches", "frogs,none", "--ignore", "a"], "--ignore must be left out"),
        (["-", "--searches", "frogs,none"], "--target must be given for a file, got none for '-'"),
        (["x.csv", "--searches", "frogs,none"], "--target must be given for a file"),
        (["iris", "iris", "--searches", "frogs,none"], "TABLE must have different names"),
        (["iirs", "--searches", "frogs,none"], "got 'iirs'. Did you mean 'iris'"),
        (["iris", "--searches", "frogs,none", "--folds", "1"], "folds must be an integer of at"),
        (["iris", "--searches", "frogs,none", "--seed", "-1"], "seed must be an integer of at"),
        (["no.csv", "--target", "class", "--searches", "frogs,none"], "no.csv: no such file"),
    ],
)
def test_compare_refuses_in_one_sentence(in_process, arguments, sentence):
    code, out, err = in_process("compare", *arguments, "-q")
    assert (code, out) == (2, "")
    assert sentence in err


def test_compare_reads_a_table_as_select_does(in_process, tmp_path, monkeypatch):
    rows = "".join(f"{k};0{k % 3}0;{k % 5},5;{'xy'[k % 2]}\n" for k in range(60))
    (tmp_path / "own.csv").write_text(f"id;code;a;class\n{rows}", encoding="utf-8")
    (tmp_path / "in.csv").write_text(f"id;code;a;class\n{rows}", encoding="utf-8")
    with (tmp_path / "in.csv").open() as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        tables = [tmp_path / "own.csv", "-", "--target", "class", "--decimal", ","]
        code, out, err = in_process(
            "compare", *tables, "--categorical", "code", "--missing", "different", "--searches",
            "quickreduct,none", "--folds", "2", "--out", tmp_path / "out", "-q",
        )  # fmt: skip
    assert code == 0
    assert err.count("'id' counts the rows") == 2
    assert "| own |" in out
    assert "| stdin |" in out
    assert "brackets" not in out
    assert "2 stratified folds, drawn with seed 0; searches with seed 0." in out
    keys = [cell["key"] for cell in read_cells(tmp_path / "out" / "cells.jsonl").values()]
    for name, folder in (("own", tmp_path), ("stdin", tmp_path / "out")):
        read = DataEntry(name, folder / f"{name}.csv", categorical=("code",), decimal=",")
        assert {key["table"] for key in keys if key["data"] == name} == {
            table_digest(read.load(None))
        }
    assert {key["recipe"] for key in keys if key["kind"] == "selection"} == {
        recipe(SelectorEntry(name, name, missing="different")) for name in ("quickreduct", "none")
    }


def test_a_wrong_target_is_refused_before_anything_runs(in_process, wine_csv, tmp_path):
    options = ["--searches", "quickreduct,none", "--out", tmp_path / "out", "-q"]
    code, out, err = in_process("compare", wine_csv, "--target", "clas", *options)
    assert (code, out) == (2, "")
    assert "--target must be the name of a column, got 'clas'. Did you mean 'class'?" in err
    assert not (tmp_path / "out" / "cells.jsonl").exists()


def test_the_usage_of_compare_has_no_braces(in_process):
    assert "TABLE..." in in_process("compare", "--help")[1]


def test_compare_reports_failures(in_process):
    options = ["--searches", "quickreduct,none", "--folds", "151", "-q"]
    code, _, err = in_process("compare", "iris", *options)
    assert code == 1
    assert "iris: n_folds must be at most the number of samples (150), got 151." in err


def test_a_report_computes_nothing_and_packs(in_process, config, tmp_path):
    arguments = ["reproduce", "--config", config, "--out", "out", "-q"]
    assert in_process(*arguments, "iris")[0] == 0
    before = (tmp_path / "out" / "cells.jsonl").read_bytes()
    page = (tmp_path / "out" / "sklearn-nested.md").read_bytes()
    code, out, err = in_process(*arguments, "--report-only")
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "out/index.md"
    assert (tmp_path / "out" / "cells.jsonl").read_bytes() == before
    code, out, err = in_process(*arguments, "--report-only", "--pack")
    assert (code, err) == (0, "")
    assert out.splitlines()[-1] == "out/cells.jsonl.gz"
    assert (tmp_path / "out" / "sklearn-nested.md").read_bytes() == page
    assert in_process(*arguments, "iris")[1].startswith("0 cells computed")


def test_a_quantity_is_not_compared_by_classifiers(in_process, tmp_path):
    rows = "".join(f"{k % 7},{k * 1.5}\n" for k in range(60))
    (tmp_path / "t.csv").write_text("a,price\n" + rows)
    asked = ["compare", tmp_path / "t.csv", "--target", "price", "--searches", "quickreduct,none"]
    code, _, err = in_process(*asked, "-q")
    assert code == 2
    assert "got 'price' with 60 different numbers in 60 samples" in err
