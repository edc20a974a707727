"""The commands of the laboratory."""

import json

import pytest

from fuzzyfrog_lab.catalog import load_dataset, registry
from fuzzyfrog_lab.cells import read_cells
from fuzzyfrog_lab.cli.datasets import BUNDLED_SIZES

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
        (["--out", "out"], "--config must be given where there is no lab/paper/experiment.toml"),
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
def prices(tmp_path, monkeypatch):
    """Describe an experiment with a price that follows the first column, and not the second."""
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{k % 30},{k * 7 % 11},{(k % 30) * 1.5 + k % 3}\n" for k in range(90))
    (tmp_path / "prices.csv").write_text("size,color,price\n" + rows, encoding="utf-8")
    data = '[data.prices]\nfile = "prices.csv"\ntarget = "price"\ntarget_kind = "numeric"\n'
    text = CONFIG.replace("[data.iris]\n[data.wine]\n", data)
    path = tmp_path / "config.toml"
    path.write_text('metric = "r2"\ndeviation = "folds"\n' + text, encoding="utf-8")
    return path


def test_a_numeric_target_is_compared_by_regressors(in_process, prices, tmp_path):
    code, _, err = in_process("reproduce", "--config", prices, "-q")
    assert (code, err) == (0, "")
    out = (tmp_path / "results" / "sklearn-nested.md").read_text(encoding="utf-8")
    assert "2 folds along the numeric target, drawn with seed 1" in out
    assert "### R²" in out
    assert "| data | quickreduct | none | regressors |" in out
    assert "Mean over the regressors ± its standard deviation (n - 1) from fold to fold." in out
    assert [word for word in ("class", "percent", "of 1") if word in out] == []
    cells = read_cells(tmp_path / "results" / "cells.jsonl").values()
    keys = [cell["key"] for cell in cells if cell["key"]["kind"] == "accuracy"]
    assert {key["metric"] for key in keys} == {"r2"}


def test_other_metrics_have_other_cells(in_process, config, tmp_path):
    asked = ["reproduce", "iris", "--config", config, "-q"]
    assert in_process(*asked)[0] == 0
    cells = read_cells(tmp_path / "results" / "cells.jsonl")
    assert not any("metric" in cell["key"] for cell in cells.values())
    config.write_text('metric = "balanced-accuracy"\n' + CONFIG, encoding="utf-8")
    assert in_process(*asked)[0] == 0
    page = (tmp_path / "results" / "sklearn-nested.md").read_text(encoding="utf-8")
    assert "### Balanced accuracy" in page
    after = read_cells(tmp_path / "results" / "cells.jsonl")
    new = [cell["key"] for name, cell in after.items() if name not in cells]
    assert {key["metric"] for key in new} == {"balanced-accuracy"}


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('"r2"', '"auc"', "prices: the target must be classes, got numbers."),
        ('"numeric"', '"class"', "prices: the target must be numbers for R², got classes."),
    ],
)  # fmt: skip
def test_a_metric_that_does_not_fit_the_target_is_refused(in_process, prices, old, new, sentence):
    prices.write_text(prices.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    code, out, _ = in_process("reproduce", "--config", prices, "-q")
    assert code == 1
    assert sentence in out


def test_weka_counts_correct_predictions_only(in_process, prices):
    text = prices.read_text(encoding="utf-8").replace('"sklearn"', '"weka"')
    prices.write_text(text, encoding="utf-8")
    code, _, err = in_process("reproduce", "--config", prices, "--panel", "weka", "-q")
    assert code == 2
    assert "metric must be 'accuracy' for the panel 'weka'" in err


def test_datasets_are_listed_with_their_places(in_process, tmp_path, monkeypatch):
    monkeypatch.setenv("FUZZYFROG_CACHE", str(tmp_path))
    monkeypatch.delenv("FUZZYFROG_DATA", raising=False)
    (tmp_path / "glass.csv").write_text("")
    code, out, _ = in_process("datasets", "list", "--json")
    known = {one["name"]: one for one in json.loads(out)}
    assert code == 0
    assert set(known) == {*BUNDLED_SIZES, *registry()}
    assert known["glass"]["place"] == str(tmp_path / "glass.csv")
    assert known["sonar"]["place"] == "not downloaded: fuzzyfrog-lab datasets fetch sonar"
    assert in_process("datasets")[1].count("\n") == len(known) + 1


@pytest.mark.parametrize("name", BUNDLED_SIZES)
def test_sizes_of_the_bundled_data_sets(name):
    data = load_dataset(name)
    assert BUNDLED_SIZES[name] == (data.n_samples, data.n_features, len(data.classes))


def test_a_failed_download_is_reported_with_its_reason(in_process, tmp_path, monkeypatch):
    monkeypatch.setenv("FUZZYFROG_CACHE", str(tmp_path))
    monkeypatch.setenv("FUZZYFROG_OPENML_URL", "http://127.0.0.1:9")
    code, out, err = in_process("datasets", "fetch", "glass", "sonar")
    assert code == 1
    assert out == f"0 of 2 data sets are in {tmp_path}\n"
    assert "fuzzyfrog: glass: the download from" in err
    assert "failed (no connection)" in err
    assert "FUZZYFROG_DATA or in --data." in err


def test_only_known_data_sets_outside_scikit_learn_are_fetched(in_process):
    code, out, err = in_process("datasets", "fetch", "glas")
    assert (code, out) == (2, "")
    assert "got 'glas'. Did you mean 'glass'?" in err
    code, out, err = in_process("datasets", "fetch", "wine")
    assert (code, err) == (0, "")
    assert "nothing to download" in out


def test_the_installed_command_is_this_one():
    from importlib.metadata import entry_points

    from fuzzyfrog_lab.cli import run

    (entry,) = entry_points(group="console_scripts", name="fuzzyfrog-lab")
    assert entry.load() is run


def test_help_names_every_command(in_process):
    out = in_process("--help")[1]
    assert " reproduce " in out
    assert " datasets " in out
    assert "<bool>" not in in_process("datasets", "--help")[1]
