"""The real Weka: the accuracies in the log of the paper's authors, and what may go wrong.

Features are counted from 1 there, from 0 here.
"""

import os
import subprocess
import sys
import time
from math import isnan
from pathlib import Path

import numpy as np
import pytest

from fuzzyfrog import DataError
from fuzzyfrog.data import make_dataset
from fuzzyfrog_lab.catalog import load_dataset
from fuzzyfrog_lab.folds import stratified_folds
from fuzzyfrog_lab.panel import CellError
from fuzzyfrog_lab.weka import CLASSIFIERS, WekaClassifier, WekaPanel, evaluate_weka
from fuzzyfrog_lab.weka.process import JAR_VARIABLE, WekaNotFoundError, missing_for_weka

pytestmark = pytest.mark.usefixtures("installed_weka")

LOGGED = {
    "PART": 65.0943,
    "JRip": 56.6038,
    "NaiveBayes": 66.0377,
    "BayesNet": 62.2642,
    "J48": 63.2075,
    "BFTree": 66.9811,
    "FT": 70.7547,
    "NBTree": 59.434,
    "RBFNetwork": 75.4717,
}


@pytest.fixture(scope="module")
def breast_tissue(paper_data_folder):
    return load_dataset("breast_tissue", folder=paper_data_folder)


@pytest.fixture(scope="module")
def wine():
    """The labels of the authors: JRip depends on them."""
    data = load_dataset("wine")
    return data.values, np.array(["a", "b", "c"])[data.target]


@pytest.fixture(scope="module")
def panel(installed_weka):
    with WekaPanel() as panel:
        yield panel


def labels(data):
    return [data.classes[code] for code in data.target]


def logged_mean(accuracies):
    """Return the mean as in the log, of accuracies with four decimals."""
    return round(float(np.mean([round(value, 4) for value in accuracies.values()])), 6)


def test_breast_tissue_1_2_3_8(breast_tissue):
    found = evaluate_weka(breast_tissue.values[:, [0, 1, 2, 7]], labels(breast_tissue))
    assert {name: round(value, 4) for name, value in found.items()} == LOGGED
    assert logged_mean(found) == 65.094333
    assert round(float(np.std(list(found.values()), ddof=1)), 2) == 5.70  # as in the paper's table


@pytest.mark.long
def test_breast_tissue_2_3_6_8(breast_tissue):
    found = evaluate_weka(breast_tissue.values[:, [1, 2, 5, 7]], labels(breast_tissue))
    assert logged_mean(found) == 60.901489


@pytest.mark.long
def test_wine_with_all_features(wine):
    assert round(float(np.mean(list(evaluate_weka(*wine).values()))), 4) == 95.1935


@pytest.mark.long
def test_sonar_with_all_features(paper_data_folder):
    found = evaluate_weka(load_dataset("sonar", folder=paper_data_folder))
    assert round(float(np.mean(list(found.values()))), 4) == 75.0534


def test_folds_are_counted_one_by_one(panel, breast_tissue):
    folds = stratified_folds(breast_tissue.target)
    counts = panel.correct(breast_tissue, "J48", folds)
    assert counts == [panel.correct(breast_tissue, "J48", [fold])[0] for fold in folds]
    assert panel.version.startswith("Weka 3.6.14, Java ")
    assert all(0 <= right <= len(fold.test) for right, fold in zip(counts, folds, strict=True))


def test_categorical_and_missing_values_reach_weka(panel):
    X = [["it's", 1.0], ["a b", None], ["{c}", 2.0]] * 8
    data = make_dataset(X, ["one, two", "%three", "f'our"] * 8)
    for classifier in ("NaiveBayes", "J48"):
        assert sum(panel.correct(data, classifier, stratified_folds(data.target, 4))) == 24


def test_a_classifier_that_takes_too_long_is_given_up(panel, breast_tissue, monkeypatch):
    folds = stratified_folds(breast_tissue.target)
    monkeypatch.setattr(panel._process, "_max_seconds", 0.2)
    with pytest.raises(CellError, match=r"^it took more than 0\.2 seconds$"):
        panel.correct(breast_tissue, "NBTree", folds * 20)
    monkeypatch.undo()
    assert sum(panel.correct(breast_tissue, "NaiveBayes", folds)) > 53


def test_a_process_that_dies_is_replaced(panel, breast_tissue):
    folds = stratified_folds(breast_tissue.target)
    before = panel.correct(breast_tissue, "J48", folds)
    panel._process._process.kill()
    panel._process._process.wait()
    assert panel.correct(breast_tissue, "J48", folds) == before


def test_a_process_that_dies_at_work_costs_one_cell(panel, breast_tissue, monkeypatch):
    folds = stratified_folds(breast_tissue.target)
    panel.version  # noqa: B018 - starts it
    process = panel._process._process
    flush = process.stdin.flush

    def flush_and_kill():
        flush()
        process.kill()

    monkeypatch.setattr(process.stdin, "flush", flush_and_kill)
    with pytest.raises(CellError, match=r"^the virtual machine ended with status -9"):
        panel.correct(breast_tissue, "NBTree", folds * 50)
    assert sum(panel.correct(breast_tissue, "NaiveBayes", folds)) > 53


@pytest.mark.long
def test_memory_is_limited_and_running_out_of_it_is_an_answer():
    X = np.random.default_rng(0).random((60, 6000))
    data = make_dataset(X, [0, 1] * 30)
    with WekaPanel(megabytes=12) as panel:
        with pytest.raises(CellError, match=r"OutOfMemory|memory|heap"):
            panel.correct(data, "J48", stratified_folds(data.target, 2))
        small = make_dataset(X[:, :2], [0, 1] * 30)
        assert len(panel.correct(small, "J48", stratified_folds(small.target, 2))) == 2


def test_an_error_of_weka_is_nan_and_a_warning(wine, monkeypatch):
    broken = {**CLASSIFIERS, "J48": WekaClassifier("trees.J48", "-C nonsense")}
    monkeypatch.setattr("fuzzyfrog_lab.weka.CLASSIFIERS", broken)
    with pytest.warns(RuntimeWarning, match="J48 gave no accuracy: .*nonsense"):
        found = evaluate_weka(*wine, classifiers=["J48", "NaiveBayes"])
    assert isnan(found["J48"])
    assert found["NaiveBayes"] > 90


def check_that_the_worker_ends_too(code):
    """Run a process that prints the number and the folder of its worker and ends at once."""
    run = subprocess.run(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    pid, folder = run.stdout.split()
    deadline = time.monotonic() + 100
    while _runs(int(pid)) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert not _runs(int(pid))
    assert not Path(folder).exists()


def test_the_process_ends_with_the_one_that_asked():
    code = """
import os
from fuzzyfrog_lab.weka import WekaPanel
panel = WekaPanel()
panel.version
print(panel._process._process.pid, panel._process._place(), flush=True)
os._exit(1)
"""
    check_that_the_worker_ends_too(code)


@pytest.mark.long
def test_a_process_at_work_ends_too_and_takes_its_folder_along():
    code = """
import os, threading
from fuzzyfrog_lab.folds import stratified_folds
from fuzzyfrog_lab.weka import WekaPanel
from fuzzyfrog.data import load_dataset
panel, wine = WekaPanel(), load_dataset("wine")
panel.version
print(panel._process._process.pid, panel._process._place(), flush=True)
threading.Timer(1.0, os._exit, [1]).start()
panel.correct(wine, "NBTree", stratified_folds(wine.target) * 100)
"""
    check_that_the_worker_ends_too(code)


def test_no_folder_is_left_behind(breast_tissue):
    with WekaPanel() as panel:
        panel.correct(breast_tissue, "J48", stratified_folds(breast_tissue.target, 2))
        folder = panel._process._place()
        assert (folder / "stderr.txt").exists()
    assert not folder.exists()


def _runs(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        return file.read().rpartition(")")[2].split()[0] != "Z"


def test_a_missing_jar_is_named_with_the_way_out(monkeypatch, tmp_path, wine):
    monkeypatch.setenv(JAR_VARIABLE, str(tmp_path / "no.jar"))
    with pytest.raises(WekaNotFoundError, match=r"no\.jar, got no such file.*apt-get install weka"):
        evaluate_weka(*wine)


def test_a_jar_without_weka_is_told(monkeypatch, tmp_path, wine):
    (tmp_path / "weka.jar").write_bytes(b"no jar")
    monkeypatch.setenv(JAR_VARIABLE, str(tmp_path / "weka.jar"))
    with pytest.raises(WekaNotFoundError, match="Weka must start, got: "):
        evaluate_weka(*wine)


def test_a_missing_java_is_named_with_the_way_out(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    assert "apt-get install default-jre-headless" in str(missing_for_weka())


def test_an_unknown_classifier_lists_the_known_ones(wine):
    with pytest.raises(ValueError, match=r"classifiers must be one of 'PART', .* got 'J4\.8'\.$"):
        evaluate_weka(*wine, classifiers=["J4.8"])


def test_numbers_to_predict_are_refused(wine):
    with pytest.raises(DataError, match="the target must be classes, got numbers"):
        evaluate_weka(make_dataset(wine[0], wine[0][:, 0], target="numeric"))
