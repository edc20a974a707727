"""`fuzzyfrog swap`: the record of another answer, from the run and its table."""

from dataclasses import fields

import numpy as np
import pandas as pd
import pytest
from msgspec.structs import replace

from fuzzyfrog import Result, SoftSelector, load_dataset
from fuzzyfrog.cli.errors import option_of
from fuzzyfrog.cli.options import ReductOptions, SoftOptions
from fuzzyfrog.select.swap import GIVEN

QUICK = ["--quiet", "--no-check"]


@pytest.fixture
def run_cli(in_process):
    """Run a command that must end with a code; return what it says."""

    def run(*arguments, code=0):
        ended, out, err = in_process(*arguments)
        assert ended == code, err
        return out if not code else err

    return run


@pytest.fixture
def table(tmp_path):
    wine = load_dataset("wine")
    lines = [";".join(["kind", *wine.feature_names])]
    for row, kind in zip(wine.values.tolist(), wine.target.tolist(), strict=True):
        lines.append(";".join([f"k{kind}", *map(str, row)]))
    path = tmp_path / "wine, red.csv"
    path.write_text("\n".join(lines))
    return path


def test_the_table_is_read_again_as_the_command_of_the_run_says(run_cli, table, tmp_path):
    run, other, again = (tmp_path / name for name in ("run.json", "other.json", "again.json"))
    asked = ["select", table, "--target", "kind", "--separator", ";", "--ignore", "ash", *QUICK]
    run_cli(*asked, "--save", run)
    page = tmp_path / "page.html"
    out = run_cli("swap", run, "proline", "hue", *QUICK, "--save", other, "--report", page)
    assert "hue in the place of proline" in out
    before, after = Result.load(run), Result.load(other)
    assert set(after.names(after.selected)) == {*before.names(before.selected), "hue"} - {"proline"}
    assert after.columns[before.table.n_features - 1].role == "useful"
    assert "hue in the place of proline" in page.read_text()
    run_cli("swap", other, "alcohol", "magnesium", *QUICK, "--save", again)
    twice = run_cli("swap", run, "proline", "hue", "alcohol", "magnesium", "--json", *QUICK)
    assert Result.load(again).selected == Result.from_json(twice).selected
    assert Result.load(again).exchange.old == ("alcohol",)
    assert Result.from_json(twice).exchange.old == ("alcohol", "proline")
    table.write_text(table.read_text().replace("14.23", "14.24"))
    ended = run_cli("swap", run, "proline", "hue", *QUICK, code=2)
    assert "the table must be the one that the columns were selected from" in ended


def test_the_headline_compares_with_the_answer_before(run_cli, table, tmp_path):
    run, other = tmp_path / "run.json", tmp_path / "other.json"
    lines = table.read_text().splitlines()
    named = [f"{lines[0]};case", *(f"{one};c{at}x" for at, one in enumerate(lines[1:]))]
    table.write_text("\n".join(named))
    asked = ["select", table, "--target", "kind", "--separator", ";", "--folds", "3", "--quiet"]
    run_cli(*asked, "--save", run)
    out = run_cli("swap", run, "proline", "case", "--quiet", "--save", other)
    before, after = Result.load(run).check.selected.best, Result.load(other).check.selected.best
    assert "case had been left out, because it looks like an ID." in out
    assert "case in the place of proline: the best model scores " in out
    assert f"scores {after:.3f} balanced accuracy, before {before:.3f} (chance 0.333): " in out
    assert "had been left out" not in run_cli("swap", run, "proline", "hue", *QUICK)


def test_an_id_that_groups_the_rows_can_come_in_and_go_again(run_cli, in_process, tmp_path):
    run, other = tmp_path / "run.json", tmp_path / "other.json"
    rng = np.random.default_rng(0)
    y = np.arange(120) % 2
    frame = pd.DataFrame({one: rng.normal(size=120) + y for one in "abc"})
    frame = frame.assign(bird_id=[f"b{at}" for at in rng.permutation(120) // 2], y=y)
    path = tmp_path / "birds.csv"
    frame.to_csv(path, index=False)
    run_cli("select", path, "--target", "y", "-q", "--n-features", "2", "--save", run)
    before = Result.load(run)
    assert any("with the same 'bird_id' belong together" in note for note in before.notes)
    old = before.names(before.selected)[0]
    out = run_cli("swap", run, old, "bird_id", "-q", "--save", other)
    assert "bird_id had been left out, because it looks like an ID." in out
    assert "may be in different folds, since it is included as a feature" in out
    assert ", before " not in out.split("exchange")[0]  # of models in other folds
    exchange = Result.load(other).exchange
    assert exchange.before - exchange.lost == pytest.approx(Result.load(other).dependency)
    back = run_cli("swap", other, "bird_id", old, *QUICK)
    assert f"{old} in the place of bird_id" in back
    (new,) = {*"abc"}.difference(before.names(before.selected))
    for more in ([], ["--json"]):  # what the run has said is not said again
        assert in_process("swap", run, old, new, *QUICK, *more)[2] == ""


@pytest.mark.parametrize("command", [None, "", "python", "it's a notebook", "fuzzyfrog --debug"])
def test_a_run_of_python_may_have_any_command(run_cli, tmp_path, command):
    run = tmp_path / "run.json"
    SoftSelector().fit(load_dataset("wine")).record(command=command).save(run)
    ended = run_cli("swap", run, "proline", "hue", code=2)
    assert "got one that was saved in Python" in ended


def test_a_run_with_an_option_of_another_version_is_refused(run_cli, tmp_path):
    run = tmp_path / "run.json"
    command = "fuzzyfrog select wine --size-rule peak"
    SoftSelector().fit(load_dataset("wine")).record(command=command).save(run)
    ended = run_cli("swap", run, "proline", "hue", code=2)
    assert "can repeat, got one with --size-rule. Run `fuzzyfrog select` again." in ended


def test_the_file_does_not_say_where_the_table_is_sent_to(run_cli, tmp_path, table):
    run, other = tmp_path / "run.json", tmp_path / "other.json"
    asked = ["select", table, "--target", "kind", "--separator", ";", *QUICK]
    run_cli(*asked, "--save", run)
    before = Result.load(run)
    words = before.command.replace("fuzzyfrog select", "fuzzyfrog --debug select")
    replace(before, command=f"{words} --cluster tcp://198.51.100.1:8786").save(run)
    run_cli("swap", run, "proline", "hue", *QUICK, "--save", other)
    assert "--cluster" not in Result.load(other).command


# A value of every option that is not its default; groups and clusters have tests of their own.
EACH = {
    "certify": True, "costs": "f0=3", "groups": "who", "include": "f1", "jobs": 1,
    "max_evaluations": 99, "max_lost": 1, "max_seconds": 600, "min_dependency": 0.9,
    "missing": "different", "n_features": 2, "sample": 39, "search": "genetic",
    "seed": 1, "survives": 1, "weights": "much",
}  # fmt: skip


@pytest.mark.parametrize(
    ("command", "group"), [("select", SoftOptions), ("reducts", ReductOptions)]
)
def test_every_option_survives_a_swap_or_has_no_meaning_for_it(run_cli, tmp_path, command, group):
    known = {one.name for one in fields(group)}
    assert known <= {*EACH, "cluster", "feature_group"}, "give a new option a value here"
    other, path = tmp_path / "other.json", tmp_path / "table.csv"
    y = np.arange(40) % 2
    X = np.random.default_rng(0).normal(size=(40, 6)) + 3 * y[:, None]
    frame = pd.DataFrame(X, columns=[f"f{at}" for at in range(6)])
    frame.assign(who=np.arange(40) // 2, much=1.0 + y, y=y).to_csv(path, index=False)
    for name in sorted(known & EACH.keys()):
        run = tmp_path / f"{name}.json"
        typed = [option_of(name), *([] if EACH[name] is True else [str(EACH[name])])]
        run_cli(command, path, "--target", "y", *typed, *QUICK, "--save", run)
        before = Result.load(run)
        selected = set(before.names(before.selected))
        old, new = min(selected), min({*frame.columns} - selected)
        run_cli("swap", run, old, new, *QUICK, "--save", other)
        after = Result.load(other)
        assert set(after.names(after.selected)) == {*selected, new} - {old}, name
        assert (" ".join(typed) in after.command) != (name in {"include", *GIVEN}), name


def test_a_run_without_rows_stays_without_them(run_cli, tmp_path, table):
    run, bare, other = (tmp_path / name for name in ("run.json", "bare.json", "other.json"))
    asked = ["select", table, "--target", "kind", "--separator", ";", *QUICK]
    run_cli(*asked, "--save", run)
    run_cli(*asked, "--no-rows", "--save", bare)
    again = ["proline", "hue", *QUICK, "--save", other]
    for arguments, is_bare in (([run], False), ([run, "--no-rows"], True), ([bare], True)):
        run_cli("swap", *arguments, *again)
        found = Result.load(other)
        assert (found.rows is None) == ("--no-rows" in found.command) == is_bare
    run_cli("swap", other, "alcohol", "magnesium", *QUICK, "--save", bare)
    assert Result.load(bare).rows is None


def test_what_is_missing_is_said(run_cli, tmp_path, table):
    run = tmp_path / "run.json"
    run_cli("select", table, "--target", "kind", "--separator", ";", *QUICK, "--save", run)
    there = table.rename(tmp_path / "moved.csv")
    ended = run_cli("swap", run, "proline", "hue", code=2)
    assert "red.csv' is not here. What the run knows about exchanges is in its report" in ended
    assert "hue" in run_cli("swap", run, "proline", "hue", "--table", there, *QUICK)
    ended = run_cli("swap", run, "prolin", "hue", code=2)
    assert "of a selected feature, got 'prolin'. Did you mean 'proline'?" in ended
    ended = run_cli("swap", run, "proline", "flavanoids", code=2)
    assert ended.endswith("not selected, got 'flavanoids', which is selected.\n")
    assert "OLD NEW must be pairs" in run_cli("swap", run, "proline", code=2)
    ended = run_cli("swap", run, "proline", "hue", "hue", "proline", code=2)
    assert "OLD NEW must change the selected columns" in ended
