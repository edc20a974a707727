"""What makes a cell another cell: versions, settings and panels; and old cells that stay valid."""

import json
import shutil
from pathlib import Path

import pytest

from fuzzyfrog_lab.cells import Cells, read_cells
from fuzzyfrog_lab.config import ConfigError
from fuzzyfrog_lab.panel import SklearnPanel
from fuzzyfrog_lab.runner import page_data
from fuzzyfrog_lab.weka import CLASSIFIERS, WekaPanel
from quick_panel import QuickPanel
from test_runner import CONFIG, fruit_config, lines, rows, run

LAB = Path(__file__).parents[1]
OWN = 'panels = ["own_panel:Own"]'
MODULE = """
from helper import SIGN
from quick_panel import QuickPanel


class Own(QuickPanel):
    name = "quick"

    def correct(self, dataset, classifier, folds):
        return [SIGN * 1 for fold in folds]
"""


@pytest.fixture
def config(tmp_path):
    path = fruit_config(tmp_path)
    path.write_text(CONFIG.replace("[protocols.paper]\nseeds = [0, 1]\n", ""), encoding="utf-8")
    return path


def accuracies(config):
    return [line for line in lines(config) if line["key"]["kind"] == "accuracy"]


def test_another_version_of_the_classifiers_is_computed_and_shown(config, monkeypatch):
    first = run(config)
    n_accuracies = len(accuracies(config))
    assert n_accuracies > 0
    before = rows(config, "quick-nested-classifiers.csv")
    monkeypatch.setattr(QuickPanel, "version", "2")
    monkeypatch.setattr(QuickPanel, "correct", lambda self, data, name, folds: [0] * len(folds))
    again = run(config)
    assert again.computed == n_accuracies < first.computed
    shown = rows(config, "quick-nested-classifiers.csv")
    assert {row["accuracy"] for row in shown} == {"0.0000"}
    assert len(shown) == len(before)
    monkeypatch.setattr(QuickPanel, "version", "1")
    assert run(config).computed == 0  # the first cells are still there


def without_versions(config, heads=None):
    """Make the cells what they were before keys had versions."""
    path = config.parent / "out" / "cells.jsonl"
    old = []
    for line in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        line.get("key", {}).pop("made_with", None)
        old.append({"versions": heads} if "versions" in line and heads is not None else line)
    path.write_text("".join(json.dumps(line) + "\n" for line in old), encoding="utf-8")


@pytest.mark.parametrize(
    ("heads", "version", "is_valid"),
    [
        (None, "1", True),
        (None, "2", False),
        ({"quick": "1, Java 17"}, "1", True),
        ({"numpy": "2"}, "1", False),  # it was not there
        ({}, "2", True),  # nobody knows: the cells stay what they are
    ],
)
def test_old_cells_count_for_the_versions_above_them(config, monkeypatch, heads, version, is_valid):
    run(config)
    without_versions(config, heads)
    monkeypatch.setattr(QuickPanel, "version", version)
    assert (run(config).computed == 0) == is_valid


def settings_now(panel, classifier):
    if panel == "sklearn":
        return SklearnPanel().made_with(classifier)["settings"]
    return f"{CLASSIFIERS[classifier].name} {CLASSIFIERS[classifier].options}".strip()


@pytest.fixture(scope="module")
def old_cells(tmp_path_factory):
    """The cells of the paper, of which most are older than versions in keys."""
    path = tmp_path_factory.mktemp("paper") / "cells.jsonl"
    shutil.copy(LAB / "paper" / "results" / "cells.jsonl.gz", path.with_name("cells.jsonl.gz"))
    with Cells(path, {}) as cells:
        old = [one["key"] for one in read_cells(path).values() if "made_with" not in one["key"]]
        yield cells, {(one["panel"], one["classifier"]): one for one in old if "panel" in one}


def test_old_cells_count_for_the_settings_of_their_time(old_cells):
    cells, keys = old_cells
    versions = {"sklearn": "scikit-learn 1.9.1", "weka": "Weka 3.6.14"}
    assert len(keys) == 18
    for (panel, classifier), key in keys.items():
        made = {panel: versions[panel], "settings": settings_now(panel, classifier)}
        assert cells.get({**key, "made_with": made}) is not None
        others = ({"settings": "n_neighbors=99"}, {panel: "0.1"}, {"no-such-package": "1"})
        for other in others:
            assert cells.get({**key, "made_with": made | other}) is None


def test_the_settings_of_a_classifier_are_part_of_its_key():
    made = SklearnPanel().made_with("svm")
    assert made["settings"] == "SVC(random_state=0)"
    assert made["sklearn"].startswith("scikit-learn ")


@pytest.mark.usefixtures("installed_weka")
def test_the_java_is_no_part_of_the_key_of_weka():
    with WekaPanel() as panel:
        assert panel.version.startswith("Weka 3.6.14, Java ")
        assert panel.made_with("J48") == {
            "weka": "Weka 3.6.14", "settings": "trees.J48 -C 0.25 -M 2"
        }  # fmt: skip


def test_two_panels_of_one_name_in_a_config_are_refused(config):
    two = '"quick_panel:QuickPanel", "own_panel:Own"'
    text = config.read_text(encoding="utf-8")
    config.write_text(text.replace('"quick_panel:QuickPanel"', two), encoding="utf-8")
    (config.parent / "own_panel.py").write_text(MODULE, encoding="utf-8")
    (config.parent / "helper.py").write_text("SIGN = 1", encoding="utf-8")
    with pytest.raises(ConfigError, match="panels must have different names, got 'quick' for"):
        run(config)
    assert not (config.parent / "out").exists()


def test_panels_of_one_name_do_not_share_cells_and_a_module_next_to_the_config_is_found(config):
    run(config)
    quick = rows(config, "quick-nested-classifiers.csv")
    text = config.read_text(encoding="utf-8")
    other = text.replace('panels = ["quick_panel:QuickPanel"]', OWN)
    config.write_text(other, encoding="utf-8")
    (config.parent / "own_panel.py").write_text(MODULE, encoding="utf-8")
    (config.parent / "helper.py").write_text("SIGN = 1", encoding="utf-8")
    run(config)
    own = rows(config, "quick-nested-classifiers.csv")
    # One is right in each of three folds, of 36 and of 60.
    assert {row["accuracy"] for row in own} == {"8.3333", "5.0000"}
    config.write_text(text, encoding="utf-8")
    assert run(config).computed == 0
    assert rows(config, "quick-nested-classifiers.csv") == quick


def test_modules_of_one_name_next_to_two_configs(tmp_path):
    found = []
    for sign in (1, 0):
        folder = tmp_path / str(sign)
        folder.mkdir()
        config = fruit_config(folder)
        text = CONFIG.replace('panels = ["quick_panel:QuickPanel"]', OWN)
        config.write_text(text.replace("[protocols.paper]\nseeds = [0, 1]\n", ""))
        # The folder is not searched for the modules of other folders.
        (folder / "own_panel.py").write_text(
            MODULE.replace("from helper import SIGN", f"SIGN = {sign}"), encoding="utf-8"
        )
        run(config, only=["apples"])
        found.append({row["accuracy"] for row in rows(config, "quick-nested-classifiers.csv")})
    assert found == [{"8.3333"}, {"0.0000"}]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("from quick_panel import Widest as Own",
         "panels: 'own_panel:Own' must have .* lacks 'name', 'classifiers', 'version', 'correct'"),
        ("def Own(): return 1 / 0", "must be usable, got: division by zero"),
        ("class Own", "got 'own_panel:Own': SyntaxError: "),
        ("import no_such_package", "panels must be a known name or 'module:Class', got 'own_panel"),
    ],
)  # fmt: skip
def test_a_panel_that_is_none_is_refused(config, text, told):
    config.write_text(
        config.read_text(encoding="utf-8").replace('panels = ["quick_panel:QuickPanel"]', OWN),
        encoding="utf-8",
    )
    (config.parent / "own_panel.py").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=told):
        run(config)


def test_some_classifiers_of_a_panel(config):
    text = config.read_text(encoding="utf-8")
    config.write_text(text + '[classifiers]\nquick = ["neighbor"]\n', encoding="utf-8")
    run(config, only=["apples"])
    assert {line["key"]["classifier"] for line in accuracies(config)} == {"neighbor"}
    config.write_text(text + '[classifiers]\nquick = ["neighbors"]\n', encoding="utf-8")
    with pytest.raises(ConfigError, match=r"classifiers\.quick must be one of 'bayes', 'neighbor'"):
        run(config)
    config.write_text(text + '[classifiers]\nslow = ["neighbor"]\n', encoding="utf-8")
    with pytest.raises(ConfigError, match="classifiers: a panel must be one of 'quick', got"):
        run(config)


def test_pages_show_sizes_of_tables_that_are_gone(config):
    run(config)
    (config.parent / "pears.csv").unlink()
    found = page_data(config, None, config.parent / "out")
    assert (found.shapes["pears"].n_samples, found.shapes["pears"].n_features) == (60, 5)


def test_keys_hold_versions(config):
    run(config, only=["apples"])
    cells = read_cells(config.parent / "out" / "cells.jsonl").values()
    keys = [cell["key"] for cell in cells if cell["key"]["kind"] == "accuracy"]
    assert all(key["made_with"] == {"quick": "1"} for key in keys)
