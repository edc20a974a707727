"""A run is saved and read back whole, and nothing else is taken for one."""

from __future__ import annotations

import json
import os
import warnings
from dataclasses import MISSING, fields, replace

import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from fuzzyfrog import DataError, FuzzyRoughSelector
from fuzzyfrog.common import files
from fuzzyfrog.records import (
    Certificate,
    DataSample,
    NoiseGuard,
    RowNames,
    Run,
    SampledColumn,
)
from fuzzyfrog.records import run as run_module
from fuzzyfrog.select.record import record_of
from report.made import a_check


@pytest.fixture(scope="module")
def run():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return record_of(FuzzyRoughSelector("quickreduct", random_state=0).fit(X, y), name="iris")


def changed(run, path, value):
    """Return the text of a run in which the field at a path has another value."""
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
    size = len(run.selected)
    certificate = Certificate(True, size, size, n_reducts=2, all_listed=False)
    certified = replace(run, certificate=certificate)
    assert Run.from_json(certified.to_json()) == certified


def test_certificate_of_a_run_that_fell_short_survives():
    X, y = load_iris(return_X_y=True, as_frame=True)
    selector = FuzzyRoughSelector("quickreduct", n_features_to_select=2).fit(X, y)
    open_one = Certificate(False, 1, 4, n_reducts=1, all_listed=False)
    short = replace(record_of(selector), certificate=open_one)
    assert short.dependency < short.full_dependency
    assert Run.from_json(short.to_json()) == short


def test_odd_texts_survive(run):
    odd = "\u202e\udcff\0</script>\u2028🐸"
    strange = replace(run, command=odd, data=replace(run.data, name=odd))
    assert Run.from_json(strange.to_json()) == strange
    assert strange.to_json().isascii()


def test_a_check_survives(run):
    checked = replace(run, check=a_check(soft=("a", "b")))
    checked = replace(checked, check=replace(checked.check, n_samples=150))
    checked = replace(checked, check=replace(checked.check, noise=NoiseGuard(24, 4, 5, 150)))
    assert Run.from_json(checked.to_json()) == checked
    old = json.loads(run.to_json())
    old["schema"] = 4
    del old["run"]["check"]
    assert Run.from_json(json.dumps(old)) == run


def test_only_r2_may_be_negative(run):
    check = replace(a_check(), n_samples=150, noise=None)
    low = tuple(
        replace(one, score=one.score - 3, difference=-2.0 * at, by_model=(-2.1,) * 3)
        for at, one in enumerate(check.scores)
    )
    r2 = replace(run, check=replace(check, metric="R²", scores=low))
    assert Run.from_json(r2.to_json()) == r2
    with pytest.raises(DataError, match="must be between 0 and 1"):
        Run.from_json(replace(run, check=replace(check, scores=low)).to_json())
    with pytest.raises(DataError, match=r"scores\[0\]\.score must be between 0 and 1, got 1\.5"):
        Run.from_json(changed(r2, ["check", "scores", 0, "score"], 1.5))


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        (["scores", 1, "score"], 1.5, r"run\.check\.scores\[1\]\.score must be between 0 and 1"),
        (["scores", 1, "difference"], -2, r"check\.scores\[1\]\.difference must be between 0"),
        (["scores", 1, "by_model", 0], 7, r"check\.scores\[1\]\.by_model\[0\] must be between"),
        (["scores", 1, "difference_error"], -1, r"difference_error must be at least 0, got -1"),
        (["scores", 1, "name"], "all", r"run\.check\.scores must have all and selected, each name"),
        (["scores", 1, "by_model"], [1.0], r"run\.check\.scores must have a score for each model"),
        (["left_out"], "why", r"run\.check\.left_out must say why there are no scores"),
        (["n_samples"], 9_999, r"run\.check\.n_samples must be at most the number of samples"),
        (["noise", "n_twins"], 25, r"run\.check\.noise\.n_twins must be from 0 to 24"),
        (["metric"], "luck", r"run\.check\.metric must be one of"),
    ],
)
def test_a_check_that_contradicts_itself_is_refused(run, path, value, sentence):
    small = replace(a_check(), n_samples=150, noise=NoiseGuard(24, 4, 5, 150))
    text = changed(replace(run, check=small), ["check", *path], value)
    with pytest.raises(DataError, match=sentence):
        Run.from_json(text)


def test_a_record_of_the_schema_before_has_no_sample_of_the_data(run):
    old = json.loads(run.to_json())
    old["schema"] = 5
    del old["run"]["data_sample"]
    assert Run.from_json(json.dumps(old)) == replace(run, data_sample=None)


def test_identifiers_came_with_schema_7(run):
    known = replace(run, identifiers=(0, 2))
    assert Run.from_json(known.to_json()) == known
    old = json.loads(run.to_json())
    old["schema"] = 6
    del old["run"]["identifiers"]
    assert Run.from_json(json.dumps(old)) == run
    with pytest.raises(DataError, match=r"run\.identifiers must be ascending indices"):
        Run.from_json(changed(run, ["identifiers"], [99]))


def test_what_tells_the_target_came_with_schema_8(run):
    known = replace(run, telling=(1,))
    assert Run.from_json(known.to_json()) == known
    old = json.loads(run.to_json())
    old["schema"] = 7
    del old["run"]["telling"]
    assert Run.from_json(json.dumps(old)) == run
    with pytest.raises(DataError, match=r"run\.telling must be ascending indices"):
        Run.from_json(changed(run, ["telling"], [99]))


def test_labels_of_sampled_categories_must_be_known(run):
    feature = run.selected[0]
    kinds = [replace(one, kind="categorical") if at == feature else one
             for at, one in enumerate(run.data.features)]  # fmt: skip
    column = SampledColumn(feature, (0, 1, None), ("a", "b"))
    sample = DataSample(run.data_sample.targets[:3], (column,))
    good = replace(run, data=replace(run.data, features=tuple(kinds)), data_sample=sample)
    assert Run.from_json(good.to_json()) == good
    for wrong in (2, -1, 0.0):
        text = changed(good, ["data_sample", "columns", 0, "values", 0], wrong)
        with pytest.raises(
            DataError, match=r"columns\[0\]\.values must be positions in its labels"
        ):
            Run.from_json(text)


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
    assert not any(one.pairs or one.samples for one in shared.explanations)
    assert [one.lost for one in shared.explanations] == [one.lost for one in run.explanations]
    assert Run.from_json(text) == shared


def test_notes_survive(run):
    noted = replace(run, notes=("feature 'a' is odd.", ""))
    assert Run.from_json(noted.to_json()) == noted


def core_alone(run, **changes):
    alone = replace(run, core=run.selected, dependency=run.full_dependency)
    parameters = {key: changes.pop(key) for key in run.parameters if key in changes}
    return replace(alone, parameters={**alone.parameters, **parameters}, **changes)


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
    (["n_evaluations"], 10**400, r"run\.n_evaluations must be an integer of at most 64 bits"),
    (["seed"], -(10**30), r"run\.seed must be an integer of at most 64 bits"),
    (["command"], "a\ud800", r"run\.command must be text without half characters"),
    (["notes"], ["\udfff"], r"run\.notes\[0\] must be text without half characters"),
    (["parameters", "\ud800"], 1, r"a name in run\.parameters must be text without half"),
    (["full_dependency"], 0.5, r"run\.dependency must be at most full_dependency, 0\.5, got"),
    (["front"], [{"features": [0], "dependency": 0.1, "minimal": None}] * 2,
     r"run\.front\[1\]\.features must be more than the 1 of the point before, got 1"),
    (["data", "target", "lowest"], 0.0, r"target\.lowest and highest must both be numbers or both"),
    (["data", "target"], {"name": "y", "classes": [], "lowest": None, "highest": None},
     r"run\.data\.target must have either classes or a lowest"),
    (["data", "target"], {"name": "y", "classes": [], "lowest": 2.0, "highest": 1.0},
     r"run\.data\.target\.lowest must be at most highest, 1\.0, got 2\.0"),
    (["data", "target", "classes", 0, "count"], 51, r"classes must add up to the 150 .* got 151"),
    (["data", "sha256"], "f" * 63, r"run\.data\.sha256 must be 64 hexadecimal digits"),
    (["data", "sha256"], "\u0661" * 64, r"run\.data\.sha256 must be 64 hexadecimal digits"),
    (["data", "features", 0, "n_missing"], 151, r"n_missing must be at most the number of samples"),
    (["explanations", 0, "name"], "other", r"run\.explanations\[0\]\.name must be that of feature"),
    (["explanations", 0, "n_affected"], 151, r"n_affected must be at most the number of samples"),
    (["explanations", 0, "n_affected"], -1, r"n_affected must be at least 0"),
    (["n_ambiguous"], 151, r"run\.n_ambiguous must be at most the number of samples, 150, got 151"),
    (["reducts"], [], r"run\.reducts must have the selected features as one of them"),
    (["reducts", 0, "features"], [0], r"run\.reducts must have the selected features"),
    (["certificate"], {"proven": True, "lower_bound": 9, "size": 4, "n_reducts": 1,
                       "all_listed": True, "claim": "fewest"},
     r"run\.certificate\.lower_bound must be at most size, 4, got 9"),
    (["certificate"], {"proven": True, "lower_bound": 1, "size": 1, "n_reducts": 1,
                       "all_listed": True, "claim": "fewest"},
     r"run\.certificate\.size must be the number of selected features, \d, got 1"),
    (["certificate"], {"proven": True, "lower_bound": 1, "size": 5, "n_reducts": 1,
                       "all_listed": True, "claim": "product"},
     r"run\.certificate\.size must be at most the 4 features, got 5"),
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
    (["front", 0, "size"], 1, r"run\.front\[0\]\.size must be a known field, got an unknown one"),
    (["history", 0, "diversity"], "x", r"run\.history\[0\]\.diversity must be a finite number"),
    (["explanations"], [], r"run\.ambiguous must have no samples if nothing is explained"),
    (["explanations", 0, "pairs", 0, "enemy"], 150, r"pairs\[0\]\.enemy must be a sample from 0"),
    (["explanations", 0, "pairs", 0, "sample_value"], [], r"sample_value must be .*, got \[\]"),
    (["parameters", "seed"], [1], r"run\.parameters\.seed must be .*, got \[1\]"),
    (["parameters", "n_features_to_select"], 1e308,
     r"run\.parameters\.n_features_to_select must be from 1 to 4, or a share below 1, got 1e\+308"),
    (["parameters", "n_features_to_select"], 0, r"n_features_to_select must be from 1 to 4, .* 0"),
    (["parameters", "n_features_to_select"], -0.5, r"n_features_to_select must be .* got -0\.5"),
    (["parameters", "n_features_to_select"], True, r"n_features_to_select must be .* got True"),
    (["parameters", "min_dependency"], 1e308, r"min_dependency must be between 0 and 1, got 1e"),
    (["data", "features", 0, "kind"], "odd", r"kind must be one of 'numeric', 'categorical'"),
    (["data", "target", "classes", 0, "count"], -5, r"classes\[0\]\.count must be at least 0"),
    (["versions"], KeyError, r"run\.versions must be there, got nothing"),
    (["versions"], "1", r"run\.versions must be an object"),
    (["certificate"], {}, r"run\.certificate\.proven must be there"),
    (["notes"], "note", r"run\.notes must be a list"),
    (["notes"], [1], r"run\.notes\[0\] must be text, got 1"),
    (["data_sample", "targets", 0], 3, r"run\.data_sample\.targets must be positions in the 3 c"),
    (["data_sample", "targets", 0], 1.5, r"data_sample\.targets must be positions in the 3 cl"),
    (["data_sample", "targets", 0], True, r"data_sample\.targets\[0\] must be .*, got True"),
    (["data_sample", "targets"], [0] * 151, r"targets must be 1 to 150 samples, got 151"),
    (["data_sample", "targets"], [], r"data_sample\.targets must be 1 to 150 samples, got 0"),
    (["data_sample", "columns"], [], r"data_sample\.columns must be 1 to 12 features, got 0"),
    (["data_sample", "columns", 0, "feature"], 99, r"columns must be selected features, in their"),
    (["data_sample", "columns", 0, "values"], [1.0], r"columns\[0\]\.values must have 150 items"),
    (["data_sample", "columns", 0, "values", 0], "1", r"values\[0\] must be .*, got '1'"),
    (["data_sample", "columns", 0, "labels"], ["a"], r"labels must be null for a numeric feature"),
    (["extra"], 1, r"run\.extra must be a known field, got an unknown one\. Known: data, "),
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


@pytest.mark.parametrize("name", [one.name for one in fields(Run) if one.default is MISSING])
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
        ('{"schema": 1, "run": {}}', "schema must be from 2 to 8, got '1'"),
        ('{"schema": true, "run": {}}', "schema must be from 2 to 8, got 'True'"),
        ('{"schema": 3, "schema": 3, "run": {}}', "'schema' must occur once"),
        ('{"schema": 3, "run": {"seed": NaN}}', "must be finite, got NaN"),
        ('{"schema": 3, "run": {"\\u202e\\n": 1}}', r"run\.\\u202e\\n must be a known field"),
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


def test_only_regular_files_of_some_size_are_read(run, tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path):
        with pytest.raises(DataError, match="must be a regular file"):
            Run.load(path)
    run.save(tmp_path / "run.json")
    monkeypatch.setattr(run_module, "MAX_BYTES", 100)
    with pytest.raises(DataError, match="must have at most 100 bytes"):
        Run.load(tmp_path / "run.json")


def test_a_repeated_field_is_named_among_many():
    pairs = ", ".join(f'"f{number}": 0' for number in range(50_000))
    with pytest.raises(DataError, match="'f49999' must occur once"):
        Run.from_json(f'{{{pairs}, "f49999": 0}}')


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
    yield FuzzyRoughSelector("exact", random_state=0).fit(X, y)
    yield FuzzyRoughSelector("exact", min_dependency=0.8, random_state=0).fit(X, y)
    yield FuzzyRoughSelector("exact", n_features_to_select=2, random_state=0).fit(X, y)
    yield FuzzyRoughSelector("exact", ranking="product", random_state=0).fit(X, y)
    yield FuzzyRoughSelector(certify=True, exclude=[0], random_state=0).fit(X, y)
    yield FuzzyRoughSelector("front", random_state=0).fit(X, y)
    yield FuzzyRoughSelector("quickreduct", random_state=0).fit(X, X.iloc[:, 0] + 0.05)
    yield FuzzyRoughSelector("quickreduct", random_state=0).fit(X * 0 + [1, 2, 3, 4], y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield FuzzyRoughSelector(certify=True, max_evaluations=2, random_state=0).fit(X, y)
        yield FuzzyRoughSelector("exact", max_evaluations=1, random_state=0).fit(X, y)
    chosen = FuzzyRoughSelector(min_dependency=0.5, random_state=0).fit(X, y)
    yield chosen.select_reduct(len(chosen.reducts_) - 1)


@pytest.mark.filterwarnings("ignore:feature .* alone tells")
def test_runs_of_many_kinds_pass():
    for selector in of_many_kinds():
        made = record_of(selector)
        assert Run.from_json(made.to_json()) == made


def test_explanations_are_found_by_name_and_by_index(run):
    for at, feature in enumerate(run.selected):
        name = run.data.features[feature].name
        assert run.explanation_of(name) is run.explanations[at]
        assert run.explanation_of(feature) is run.explanations[at]
        assert run.explanation_of(str(feature)) is run.explanations[at]
    with pytest.raises(ValueError, match=r"feature must be the name or .*got 'hue'.*Selected: 's"):
        run.explanation_of("hue")
