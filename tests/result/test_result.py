"""A run is saved and read back whole, and nothing else is taken for one."""

from __future__ import annotations

import json
import os
import warnings

import msgspec
import pytest
from msgspec.structs import replace
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from fuzzyfrog import DataError, ReductSelector
from fuzzyfrog.common import files
from fuzzyfrog.result import (
    Certificate,
    NoiseGuard,
    Result,
    RowNames,
)
from fuzzyfrog.result import result as module
from report.made import a_check


@pytest.fixture(scope="module")
def run():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return ReductSelector("quickreduct", random_state=0).fit(X, y).record(name="iris")


def changed(run, path, value):
    """Return the text of a run in which the field at a path has another value."""
    content = json.loads(run.to_json())
    *parents, last = path
    place = content["result"]
    for step in parents:
        place = place[step]
    if value is KeyError:
        del place[last]
    else:
        place[last] = value
    return json.dumps(content)


def proved(run, certificate):
    return replace(run, answer=replace(run.answer, certificate=certificate))


def test_text_gives_the_same_run(run):
    assert Result.from_json(run.to_json()) == run


def test_certificate_survives(run):
    size = len(run.selected)
    certificate = Certificate(True, size, size, n_reducts=2, all_listed=False)
    certified = proved(run, certificate)
    assert Result.from_json(certified.to_json()) == certified


def test_certificate_of_a_run_that_fell_short_survives():
    X, y = load_iris(return_X_y=True, as_frame=True)
    selector = ReductSelector("quickreduct", n_features_to_select=2).fit(X, y)
    open_one = Certificate(False, 1, 4, n_reducts=1, all_listed=False)
    short = proved(selector.record(), open_one)
    assert short.dependency < short.full_dependency
    assert Result.from_json(short.to_json()) == short


def test_odd_texts_survive(run):
    odd = "\u202e\udcff\0</script>\u2028🐸"
    strange = replace(run, command=odd, table=replace(run.table, name=odd))
    assert Result.from_json(strange.to_json()) == strange
    assert strange.to_json().isascii()


def test_a_check_survives(run):
    checked = replace(run, check=a_check(soft=("a", "b")))
    checked = replace(checked, check=replace(checked.check, n_samples=150))
    checked = replace(checked, check=replace(checked.check, noise=NoiseGuard(24, 4, 5, 150, 0.4)))
    assert Result.from_json(checked.to_json()) == checked


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        (["scores", 1, "folds", 0, 0], 1e300, r"at `\$\.check\.scores\[1\]\.folds"),
        (["scores", 1, "overlap"], -1, r"at `\$\.check\.scores\[1\]\.overlap`"),
        (["scores", 1, "name"], "all", "that was changed since"),
        (["noise", "n_random"], 25, "that was changed since"),
    ],
)
def test_a_check_that_was_changed_is_refused(run, path, value, sentence):
    small = replace(a_check(), n_samples=150, noise=NoiseGuard(24, 4, 5, 150, 0.4))
    text = changed(replace(run, check=small), ["check", *path], value)
    with pytest.raises(DataError, match=sentence):
        Result.from_json(text)


def test_a_record_to_share_has_no_row(run):
    person = "Mrs. Smith"
    names = RowNames("label", {str(row): person for row in range(150)})
    named = replace(run, rows=names)
    assert person in named.to_json()
    shared = named.without_rows()
    text = shared.to_json()
    assert person not in text
    assert shared.data_sample is None
    assert not shared.ambiguous
    assert not any(one.examples for one in shared.explanations)
    assert [one.lost for one in shared.explanations] == [one.lost for one in run.explanations]
    assert Result.from_json(text) == shared


def test_notes_survive(run):
    noted = replace(run, notes=("feature 'a' is odd.", ""))
    assert Result.from_json(noted.to_json()) == noted


def core_alone(run, **changes):
    answer = replace(run.answer, core=changes.pop("core", run.selected))
    settings = {key: changes.pop(key) for key in run.settings if key in changes}
    changes = {"dependency": run.full_dependency, **changes}
    return replace(run, answer=answer, settings={**run.settings, **settings}, **changes)


def test_the_core_alone_is_a_proof(run):
    assert core_alone(run).is_core_alone
    assert core_alone(run, min_dependency=1).is_core_alone


@pytest.mark.parametrize(
    "change",
    [
        {"core": ()},
        {"dependency": 0.5},
        {"min_dependency": 0.9},
        {"ranking": "product"},
        {"n_features_to_select": 3},
    ],
    ids=str,
)
def test_anything_else_is_none(run, change):
    assert not core_alone(run, **change).is_core_alone


def test_file_gives_the_same_run(run, tmp_path):
    run.save(tmp_path / "run.json")
    assert Result.load(tmp_path / "run.json") == run
    assert os.listdir(tmp_path) == ["run.json"]


def test_failed_save_leaves_the_old_file(run, tmp_path):
    file = tmp_path / "run.json"
    run.save(file)
    with pytest.raises(ValueError, match="JSON compliant"):
        replace(run, seconds=float("nan")).save(file)
    assert Result.load(file) == run
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        run.save(tmp_path / "folder")
    assert sorted(os.listdir(tmp_path)) == ["folder", "run.json"]


PROOF = {"proven": True, "lower_bound": 1, "size": 4, "n_reducts": 1, "all_listed": True,
         "claim": "fewest"}  # fmt: skip
POINT = {"features": [0], "dependency": 0.1}
WRONG = [
    (["seed"], "0", r"Expected `int`, got `str` - at `\$\.seed`"),
    (["seed"], True, r"got `bool` - at `\$\.seed`"),
    (["seed"], -1, r">= 0 - at `\$\.seed`"),
    (["n_evaluations"], 10**400, r"at `\$\.n_evaluations`"),
    (["seed"], -(10**30), r"at `\$\.seed`"),
    (["seconds"], None, r"got `null` - at `\$\.seconds`"),
    (["seconds"], 10**400, r"at `\$\.seconds`"),
    (["front", 0, "size"], 1, r"unknown field `size` - at `\$\.front\[0\]`"),
    (["table", "target", "classes", 0, "count"], -5, r"`\$\.table\.target\.classes\[0\]\.count`"),
    (["table", "sha256"], "f" * 63, r"at `\$\.table\.sha256`"),
    (["table", "sha256"], "\u0661" * 64, r"at `\$\.table\.sha256`"),
    (["table", "features", 0, "kind"], "odd", r"Invalid enum value 'odd' - at `\$\.table"),
    (["explanations", 0, "n_affected"], -1, r"at `\$\.explanations\[0\]\.n_affected`"),
    (["explanations", 0, "examples", 0, "before"], 2.0, r"at `\$\.explanations\[0\]\.examples"),
    (["explanations", 0, "examples", 0, "sample_value"], [], r"got `array` - at"),
    (["answer", "reducts", 0, "minimal"], 1, r"at `\$\.answer\.reducts\[0\]\.minimal`"),
    (["answer", "reducts"], {}, r"Expected `array`, got `object` - at `\$\.answer\.reducts`"),
    (["answer", "core"], [-1], r"at `\$\.answer\.core\[0\]`"),
    (["answer", "kind"], "other", r"Invalid value 'other' - at `\$\.answer\.kind`"),
    (["answer", "certificate"], {}, r"missing required field `proven` - at `\$\.answer\.cert"),
    (["selected", 0], 0.5, r"at `\$\.selected\[0\]`"),
    (["history", 0, "diversity"], "x", r"at `\$\.history\[0\]\.diversity`"),
    (["settings", "seed"], [1], r"at `\$\.settings\[\.\.\.\]`"),
    (["versions"], KeyError, "missing required field `versions`"),
    (["versions"], "1", r"Expected `object`, got `str` - at `\$\.versions`"),
    (["notes"], "note", r"Expected `array`, got `str` - at `\$\.notes`"),
    (["notes"], [1], r"Expected `str`, got `int` - at `\$\.notes\[0\]`"),
    (["data_sample", "targets", 0], True, r"at `\$\.data_sample\.targets\[0\]`"),
    (["data_sample", "targets"], [], r"at `\$\.data_sample\.targets`"),
    (["data_sample", "columns"], [], r"at `\$\.data_sample\.columns`"),
    (["data_sample", "columns", 0, "values", 0], "1", r"values\[0\]`"),
    (["full_dependency"], 0.5, "that was changed since"),
    (["front", 0], KeyError, "that was changed since"),
    (["selected"], [1, 0], "that was changed since"),
    (["settings", "n_features_to_select"], True, "that was changed since"),
    (["extra"], 1, "unknown field `extra`"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "value", "sentence"), WRONG, ids=lambda part: str(part)[:40])
def test_wrong_field_is_named_in_one_sentence(run, path, value, sentence):
    text = changed(run, path, value)
    with pytest.raises(DataError, match=sentence) as raised:
        Result.from_json(text)
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 600


def test_a_number_that_is_read_as_infinite_is_refused(run):
    text = run.to_json().replace('"min_dependency": 1.0', '"min_dependency": 1e999')
    assert "1e999" in text
    with pytest.raises(DataError, match="that was changed since"):
        Result.from_json(text)


def test_half_of_a_character_is_refused(run):
    text = run.to_json().replace('"result": {', '"result": {"\\udced": 1, ', 1)
    with pytest.raises(DataError, match="got one that does not fit"):
        Result.from_json(text)


@pytest.mark.parametrize(
    "name", [one.name for one in msgspec.structs.fields(Result) if one.required]
)
def test_every_field_must_be_there(run, name):
    with pytest.raises(DataError, match=rf"missing required field `{name}`"):
        Result.from_json(changed(run, [name], KeyError))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "must be JSON"),
        ("nonsense", "must be JSON"),
        ("[" * 100_000, "must be JSON"),
        ("9" * 5_000, "must be JSON"),
        ("[1]", "the fields schema, sha256 and result"),
        ('{"result": {}}', "the fields schema, sha256 and result"),
        ('{"schema": 1, "sha256": "", "result": {}}', "got 1. The result was saved by another"),
        ('{"schema": true, "sha256": "", "result": {}}', "schema must be 2, got True"),
        ('{"schema": 1, "result": {"seed": NaN}}', "must be finite, got NaN"),
        (
            '{"schema": 2, "sha256": "", "result": {"\\u202e\\n": 1}}',
            "must be as fuzzyfrog wrote it",
        ),
    ],
)
def test_other_texts_get_a_sentence(text, sentence):
    with pytest.raises(DataError, match=sentence) as raised:
        Result.from_json(text)
    assert "\n" not in str(raised.value)


def test_files_that_cannot_be_read_get_a_sentence(tmp_path):
    with pytest.raises(DataError, match=r"a file that can be read, got .*No such file"):
        Result.load(tmp_path / "missing.json")
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="must be text"):
        Result.load(tmp_path / "binary.json")


def test_only_regular_files_of_some_size_are_read(run, tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path):
        with pytest.raises(DataError, match="must be a regular file"):
            Result.load(path)
    run.save(tmp_path / "run.json")
    monkeypatch.setattr(module, "MAX_BYTES", 100)
    with pytest.raises(DataError, match="must have at most 100 bytes"):
        Result.load(tmp_path / "run.json")


def test_saving_follows_no_planted_link(run, tmp_path, monkeypatch):
    (tmp_path / "precious").write_text("mine")
    monkeypatch.setattr(files, "token_hex", lambda _: "guessed")
    (tmp_path / f"{files.TEMPORARY}guessed.json").symlink_to(tmp_path / "precious")
    with pytest.raises(FileExistsError):
        run.save(tmp_path / "run.json")
    assert (tmp_path / "precious").read_text() == "mine"


def test_permissions_are_those_of_the_old_file_or_of_any_new_one(run, tmp_path):
    file, other = tmp_path / "run.json", tmp_path / "other"
    other.touch()
    run.save(file)
    assert file.stat().st_mode == other.stat().st_mode
    file.chmod(0o640)
    run.save(file)
    assert file.stat().st_mode & 0o777 == 0o640


def of_many_kinds():
    X, y = load_iris(return_X_y=True, as_frame=True)
    yield ReductSelector("exact", random_state=0).fit(X, y)
    yield ReductSelector("exact", min_dependency=0.8, random_state=0).fit(X, y)
    yield ReductSelector("exact", n_features_to_select=2, random_state=0).fit(X, y)
    yield ReductSelector("exact", ranking="product", random_state=0).fit(X, y)
    yield ReductSelector(certify=True, exclude=[0], random_state=0).fit(X, y)
    yield ReductSelector("front", random_state=0).fit(X, y)
    yield ReductSelector("quickreduct", random_state=0).fit(X, X.iloc[:, 0] + 0.05)
    yield ReductSelector("quickreduct", random_state=0).fit(X * 0 + [1, 2, 3, 4], y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield ReductSelector(certify=True, max_evaluations=2, random_state=0).fit(X, y)
        yield ReductSelector("exact", max_evaluations=1, random_state=0).fit(X, y)
    chosen = ReductSelector(min_dependency=0.5, random_state=0).fit(X, y)
    yield chosen.select_reduct(len(chosen.reducts_) - 1)


def test_runs_of_many_kinds_pass():
    for selector in of_many_kinds():
        made = selector.record()
        assert Result.from_json(made.to_json()) == made


def test_explanations_are_found_by_name_and_by_index(run):
    for at, feature in enumerate(run.selected):
        name = run.table.features[feature].name
        assert run.explanation_of(name) is run.explanations[at]
        assert run.explanation_of(feature) is run.explanations[at]
        assert run.explanation_of(str(feature)) is run.explanations[at]
    with pytest.raises(ValueError, match=r"feature must be the name or .*got 'hue'.*Selected: 's"):
        run.explanation_of("hue")
