"""A run is saved and read back whole, and nothing else is taken for one."""

from __future__ import annotations

import json
import os
from dataclasses import fields, replace

import pytest
from sklearn.datasets import load_iris

from fuzzyfrog import DataError, FuzzyRoughSelector
from fuzzyfrog.records import Certificate, Run
from fuzzyfrog.select.recording import record_of


@pytest.fixture(scope="module")
def run():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return record_of(FuzzyRoughSelector("quickreduct", random_state=0).fit(X, y), name="iris")


def changed(run, path, value):
    """Give the text of a run in which the field at a path has another value."""
    content = json.loads(run.to_json())
    *parents, last = path
    place = content["run"]
    for step in parents:
        place = place[step]
    if value is KeyError:
        del place[last]
    else:
        place[last] = value
    return json.dumps(content)


def test_text_gives_the_same_run(run):
    assert Run.from_json(run.to_json()) == run


def test_certificate_survives(run):
    certified = replace(run, certificate=Certificate(True, 3, 3, n_reducts=2, all_listed=False))
    assert Run.from_json(certified.to_json()) == certified


def test_odd_texts_survive(run):
    odd = "\u202e\ud800\0</script>\u2028🐸"
    strange = replace(run, command=odd, data=replace(run.data, name=odd))
    assert Run.from_json(strange.to_json()) == strange
    assert strange.to_json().isascii()


def test_file_gives_the_same_run(run, tmp_path):
    run.save(tmp_path / "run.json")
    assert Run.load(tmp_path / "run.json") == run
    assert os.listdir(tmp_path) == ["run.json"]


def test_failed_save_leaves_the_old_file(run, tmp_path):
    file = tmp_path / "run.json"
    run.save(file)
    with pytest.raises(ValueError, match="JSON compliant"):
        replace(run, seconds=float("nan")).save(file)
    assert Run.load(file) == run
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        run.save(tmp_path / "folder")
    assert sorted(os.listdir(tmp_path)) == ["folder", "run.json"]


WRONG = [
    (["seed"], "0", r"run\.seed must be an integer, got '0'"),
    (["seed"], True, r"run\.seed must be an integer, got True"),
    (["seed"], -1, r"run\.seed must be at least 0, got -1"),
    (["seconds"], None, r"run\.seconds must be a finite number, got None"),
    (["seconds"], 10**400, r"run\.seconds must be a finite number"),
    (["dependency"], 1.5, r"run\.dependency must be between 0 and 1, got 1\.5"),
    (["selected"], [], r"run\.selected must have a feature"),
    (["selected"], [0, 99], r"run\.selected must be ascending indices of the 4 features"),
    (["selected"], [1, 0], r"run\.selected must be ascending indices"),
    (["selected", 0], 0.0, r"run\.selected\[0\] must be an integer, got 0\.0"),
    (["core"], [-1], r"run\.core must be ascending indices"),
    (["reducts"], {}, r"run\.reducts must be a list"),
    (["reducts", 0, "minimal"], 1, r"run\.reducts\[0\]\.minimal must be true or false, got 1"),
    (["reducts", 0, "features"], [7], r"run\.reducts\[0\]\.features must be ascending indices"),
    (["n_reducts"], 0, r"run\.n_reducts must be at least the \d+ reducts"),
    (["feature_frequency"], [0.5], r"run\.feature_frequency must have 4 items"),
    (["front", 0], KeyError, None),
    (["front", 0, "size"], 1, r"run\.front\[0\]\.size must not be there: unknown field"),
    (["history", 0, "diversity"], "x", r"run\.history\[0\]\.diversity must be a finite number"),
    (["explanations"], [], r"run\.explanations must be those of the selected features"),
    (["explanations", 0, "pairs", 0, "enemy"], 150, r"pairs\[0\]\.enemy must be a sample from 0"),
    (["explanations", 0, "pairs", 0, "sample_value"], [], r"sample_value must be .*, got \[\]"),
    (["parameters", "seed"], [1], r"run\.parameters\.seed must be .*, got \[1\]"),
    (["data", "features", 0, "kind"], "odd", r"kind must be one of 'numeric', 'nominal'"),
    (["data", "target", "classes", 0, "count"], -5, r"classes\[0\]\.count must be at least 0"),
    (["versions"], KeyError, r"run\.versions must be there, got nothing"),
    (["versions"], "1", r"run\.versions must be an object"),
    (["certificate"], {}, r"run\.certificate\.proven must be there"),
    (["extra"], 1, r"run\.extra must not be there: unknown field\. Known: data, "),
]  # fmt: skip


@pytest.mark.parametrize(("path", "value", "sentence"), WRONG, ids=lambda part: str(part)[:40])
def test_wrong_field_is_named_in_one_sentence(run, path, value, sentence):
    text = changed(run, path, value)
    if sentence is None:
        assert Run.from_json(text) != run
        return
    with pytest.raises(DataError, match=sentence) as raised:
        Run.from_json(text)
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 600


@pytest.mark.parametrize("name", [field.name for field in fields(Run)])
def test_every_field_must_be_there(run, name):
    with pytest.raises(DataError, match=rf"run\.{name} must be there, got nothing"):
        Run.from_json(changed(run, [name], KeyError))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "must be saved as JSON"),
        ("nonsense", "must be saved as JSON"),
        ("[" * 100_000, "must be saved as JSON"),
        ("9" * 5_000, "must be saved as JSON"),
        ("[1]", "the fields schema and run"),
        ('{"run": {}}', "the fields schema and run"),
        ('{"schema": 2, "run": {}}', "schema must be 1, got '2'"),
        ('{"schema": true, "run": {}}', "schema must be 1, got 'True'"),
        ('{"schema": 1, "schema": 1, "run": {}}', "'schema' must occur once"),
        ('{"schema": 1, "run": {"seed": NaN}}', "must be finite, got NaN"),
        ('{"schema": 1, "run": {"\\u202e\\n": 1}}', r"run\.\\u202e\\n must not be there"),
    ],
)
def test_other_texts_get_a_sentence(text, sentence):
    with pytest.raises(DataError, match=sentence) as raised:
        Run.from_json(text)
    assert "\n" not in str(raised.value)


def test_files_that_cannot_be_read_get_a_sentence(tmp_path):
    with pytest.raises(DataError, match=r"a file that can be read, got .*No such file"):
        Run.load(tmp_path / "missing.json")
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="saved as text"):
        Run.load(tmp_path / "binary.json")


def test_explanations_are_found_by_name_and_by_index(run):
    for at, feature in enumerate(run.selected):
        name = run.data.features[feature].name
        assert run.explanation_of(name) is run.explanations[at]
        assert run.explanation_of(feature) is run.explanations[at]
        assert run.explanation_of(str(feature)) is run.explanations[at]
    with pytest.raises(ValueError, match=r"feature must be the name or .*got 'hue'.*Selected: 's"):
        run.explanation_of("hue")
