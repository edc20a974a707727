"""``compare`` and ``reproduce``: the same experiment, described in two ways."""

import csv
import json
from statistics import fmean, stdev

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
        (["wine", "--searches", "auto,none"], "two of frogs, genetic"),
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


@pytest.fixture
def prices(tmp_path):
    """A table whose price follows its first column, and not the second."""
    rows = "".join(f"{k % 30},{k * 7 % 11},{(k % 30) * 1.5 + k % 3}\n" for k in range(90))
    path = tmp_path / "prices.csv"
    path.write_text("size,color,price\n" + rows, encoding="utf-8")
    return path


def test_a_numeric_target_is_compared_by_regressors(in_process, prices):
    asked = ["compare", prices, "--target", "price", "--searches", "quickreduct,none", "-q"]
    code, out, err = in_process(*asked, "--folds", "3")
    assert (code, err) == (0, "")
    assert "3 folds along the numeric target, drawn with seed 0" in out
    assert "### R²" in out
    assert "| data | quickreduct | none | regressors |" in out
    assert "Mean over the regressors ± its standard deviation (n - 1) from fold to fold." in out
    assert [word for word in ("class", "ccuracy", "percent", "of 1") if word in out] == []


def test_a_comparison_as_json(in_process, prices, tmp_path):
    asked = ["compare", prices, "--target", "price", "--searches", "quickreduct,none", "-q"]
    code, out, _ = in_process(*asked, "--folds", "3", "--json", "--out", tmp_path / "out")
    assert code == 0
    found = json.loads(out)
    assert (found["metric"], found["protocol"], found["folds"]) == ("r2", "nested", 3)
    (table,) = found["tables"]
    assert (table["table"], table["n_samples"], table["n_features"]) == ("prices", 90, 2)
    everything = table["searches"][1]
    assert (everything["search"], everything["n_features"]) == ("none", 2)
    assert everything["models"]["forest"] > 0.9
    assert everything["score"] == pytest.approx(fmean(everything["models"].values()))
    cells = read_cells(tmp_path / "out" / "cells.jsonl").values()
    folds = {
        tuple(cell["key"]["features"]): {} for cell in cells if cell["key"]["kind"] == "accuracy"
    }
    for cell in cells:
        key = cell["key"]
        if key["kind"] == "accuracy":
            assert key["metric"] == "r2"
            of_fold = folds[tuple(key["features"])].setdefault(key["fold"], [])
            of_fold += cell["value"]["scores"]
    means = [fmean(scores) for scores in folds[0, 1].values()]
    assert everything["deviation"] == pytest.approx(stdev(means))


def test_other_metrics_have_other_cells(in_process, tmp_path):
    asked = ["compare", "iris", "--searches", "quickreduct,none", "--folds", "2", "-q", "--out",
             tmp_path / "out"]  # fmt: skip
    assert in_process(*asked)[0] == 0
    cells = read_cells(tmp_path / "out" / "cells.jsonl")
    assert not any("metric" in cell["key"] for cell in cells.values())
    code, out, _ = in_process(*asked, "--metric", "balanced-accuracy")
    assert code == 0
    assert "### Balanced accuracy" in out
    after = read_cells(tmp_path / "out" / "cells.jsonl")
    new = [cell["key"] for name, cell in after.items() if name not in cells]
    assert {key["metric"] for key in new} == {"balanced-accuracy"}
    assert in_process(*asked)[1].count("### Accuracy") == 1  # of the first cells
    assert read_cells(tmp_path / "out" / "cells.jsonl").keys() == after.keys()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--metric", "auc"], "prices: the target must be classes, got numbers. Classifiers need "
         "labels: pass --target-kind class, or compare by --metric r2."),
        (["iris"], "got numbers in 'prices' and classes in 'iris'. Compare them separately."),
        (["--classifiers", "weka"], "--classifiers must be sklearn for --metric r2, got weka."),
        (["--target-kind", "class", "--metric", "r2"], "prices: the target must be numbers for R²,"
         " got classes. Pass --target-kind numeric if they are quantities"),
    ],
)  # fmt: skip
def test_a_metric_that_does_not_fit_the_target_is_refused(in_process, prices, arguments, sentence):
    asked = ["compare", prices, "--target", "price", "--searches", "quickreduct,none", "-q"]
    code, out, err = in_process(*asked, *arguments)
    assert (code, out) == (2, "")
    assert sentence in err
