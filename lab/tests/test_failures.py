"""What fails on the way: a failed cell is recorded with its reason and stops nothing."""

import re

import pytest

from failing import Slow
from fuzzyfrog_lab.panel import CellError, reason_of
from fuzzyfrog_lab.runner import write_report
from fuzzyfrog_lab.weka.process import WekaNotFoundError
from test_runner import CONFIG, contents, fruit_config, lines, run

PANEL = "quick_panel:QuickPanel"
TWO = CONFIG[: CONFIG.index("[selectors.quick]")] + (
    '[selectors.own]\nsearch = "quick_panel:Widest"\n' + CONFIG[CONFIG.index("[data.apples]") :]
)


@pytest.fixture
def config(tmp_path):
    return fruit_config(tmp_path)


def errors(config):
    return {line["error"] for line in lines(config) if "error" in line}


def test_an_error_of_a_selector_is_a_failed_cell(config):
    config.write_text(TWO.replace("quick_panel:Widest", "failing:OutOfRange"))
    done = run(config)
    told = "IndexError: index 5 is out of bounds for axis 1 with size 5"
    assert f"apples: own, seed 0: {told}" in done.failures
    assert errors(config) == {told}
    assert {line["key"]["data"] for line in lines(config)} == {"apples", "pears"}


def test_an_error_of_a_panel_is_a_failed_cell(config):
    config.write_text(TWO.replace(PANEL, "failing:OutOfMemory"))
    done = run(config)
    assert "pears: neighbor, 5 features: MemoryError: no room" in done.failures
    assert errors(config) == {"MemoryError: no room"}
    keys = [line["key"] for line in lines(config) if "value" in line]
    kept = {(key["data"], key["classifier"]) for key in keys if key["kind"] == "accuracy"}
    assert kept == {("apples", "bayes"), ("apples", "neighbor"), ("pears", "bayes")}


@pytest.mark.parametrize("limit", [7, 7.5])
def test_a_classifier_that_takes_too_long_is_given_up_for_the_data_set(config, monkeypatch, limit):
    monkeypatch.setattr(Slow, "n_tried", 0)
    text = CONFIG.replace(PANEL, "failing:Slow")
    config.write_text(f"classifier_seconds = {limit}\n{text}")
    run(config)
    failed = [line for line in lines(config) if "error" in line]
    assert {(one["key"]["data"], one["key"]["classifier"]) for one in failed} == {
        ("pears", "neighbor")
    }
    tried = [one for one in failed if one["error"] == "it took more than 7 seconds"]
    assert Slow.n_tried == len(tried)
    if limit > 7:  # shorter limits, of earlier runs, do not count
        assert tried == failed
    else:  # the first of each protocol
        assert [one["key"]["fold"] for one in tried] == [None, 0]
        told = re.compile(r"it took more than 7 seconds with [1-5] other features")
        assert all(told.fullmatch(one["error"]) for one in failed if one not in tried)
    assert len(failed) > 4


def test_counts_of_numpy_are_counts(config):
    config.write_text(TWO.replace(PANEL, "failing:NumpyCounts"))
    assert run(config, only=["apples"]).failures == ()
    counts = [line["value"]["correct"] for line in lines(config) if "panel" in line["key"]]
    assert counts
    assert all(isinstance(count, int) for part in counts for count in part)


def test_ctrl_c_ends_the_run_and_no_cell_fails(config):
    config.write_text(TWO.replace(PANEL, "failing:Stopping"))
    with pytest.raises(KeyboardInterrupt):
        run(config)
    assert not errors(config)
    assert {line["key"]["kind"] for line in lines(config)} == {"selection"}


def test_a_weka_that_is_gone_is_no_fault_of_a_cell(config, monkeypatch):
    def gone(*_):
        raise WekaNotFoundError("Weka must be there")

    monkeypatch.setattr("quick_panel.QuickPanel.correct", gone)
    with pytest.raises(WekaNotFoundError):
        run(config)
    assert not errors(config)


def test_a_reason_is_one_line_with_the_kind_of_what_nobody_foresaw():
    assert reason_of(CellError("it took\n too long")) == "it took too long"
    assert reason_of(KeyError("x")) == "KeyError: 'x'"
    assert reason_of(MemoryError()) == "MemoryError:"


def test_without_a_common_classifier_there_is_a_report_and_no_ranks(config):
    config.write_text(TWO.replace(PANEL, "failing:Crossed"))
    done = run(config)
    assert any(one.endswith("RuntimeError: not here") for one in done.failures)
    page = (config.parent / "out" / "crossed-paper.md").read_text(encoding="utf-8")
    assert "Mean ranks" not in page
    assert "RuntimeError: not here" in page
    assert write_report(config, None, config.parent / "out")


def checkpoints(config):
    return sorted((config.parent / "out" / "checkpoints").glob("*.scores"))


def left_behind(config, monkeypatch):
    """Run until the first search is done; return the checkpoint that it leaves."""
    monkeypatch.setattr("fuzzyfrog_lab.selectors._details", _interrupt)
    with pytest.raises(KeyboardInterrupt):
        run(config)
    monkeypatch.undo()
    (left,) = checkpoints(config)
    return left


def _interrupt(_):
    raise KeyboardInterrupt


@pytest.mark.parametrize("damage", [b"", b"something else"])
def test_a_damaged_checkpoint_is_started_over(config, monkeypatch, damage):
    left_behind(config, monkeypatch).write_bytes(damage)
    assert run(config).failures == ()
    assert not checkpoints(config)


def test_a_checkpoint_of_another_version_is_started_over(config, monkeypatch):
    monkeypatch.setattr("fuzzyfrog.search.checkpoint.version", lambda _: "0.0")
    left_behind(config, monkeypatch)  # from here on the version is ours
    assert run(config).failures == ()
    assert not checkpoints(config)


def test_checkpoints_of_other_folds_are_others(config, monkeypatch):
    nested = CONFIG.replace("[protocols.paper]\nseeds = [0, 1]\n", "")
    config.write_text(nested)
    first = left_behind(config, monkeypatch)
    before = first.read_bytes()
    config.write_text("fold_seed = 2\n" + nested)
    run(config)
    assert [path.read_bytes() for path in checkpoints(config)] == [before]


def test_data_sets_may_be_called_anything(config):
    config.write_text(CONFIG.replace("[data.pears]", '[data."a/b: ünd\\u0000"]'))
    done = run(config, only=["a/b: ünd\0"])
    assert done.failures == ()
    assert len(contents(config)) == done.computed > 0
