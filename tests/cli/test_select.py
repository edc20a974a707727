"""``fuzzyfrog select``: what is printed, and what is refused."""

import json

import numpy as np
import pandas as pd
import pytest

from clock import set_clock
from fuzzyfrog import DataError, ReductSelector, SoftSelector, load_dataset
from fuzzyfrog.cli import selecting, summary
from fuzzyfrog.result import Result, SoftPath


def test_select_prints_the_path_and_chance(in_process, tmp_path):
    saved = tmp_path / "run.json"
    code, out, err = in_process("select", "wine", "--save", saved, "-q")
    assert (code, err) == (0, "")
    headline = "5 of 13 columns: the best model scores 0.980 balanced accuracy, with all columns "
    assert out.count(headline) == out.count("chance") == 1
    lines = [line.split() for line in out.splitlines()]
    first, third = ["flavanoids", "0.685", "0.753"], ["proline", "0.838", "0.955"]
    assert lines.index([*first, "5", "of", "5"]) < lines.index([*third, "5", "of", "5"])
    assert ["mean", "0.978", "0.976"] in lines
    assert "search  " not in out
    _, out, _ = in_process("select", "wine", "--no-check", "--details", "-q")
    assert "chance 0.3380" in out
    assert "search      quickreduct, finished after 91 evaluations" in out
    for word in ("core", "as well as", "reduct ", "Proven", "of 0.7713"):
        assert word not in out
    run = Result.load(saved)
    assert isinstance(run.answer, SoftPath)
    assert run.names(run.added[:2]) == ("flavanoids", "color_intensity")


def test_explain_shows_samples(in_process, tmp_path):
    saved = tmp_path / "run.json"
    in_process("select", "wine", "--no-check", "--save", saved, "-q")
    _, overview, _ = in_process("explain", saved)
    assert "have worse neighbors without it" in overview
    _, one, _ = in_process("explain", saved, "--feature", "proline", "--limit", "2")
    assert one.startswith("Without proline the soft dependency falls by 0.")
    assert "Samples whose neighborhood gets worse" in one
    assert one.count("class_") == 4


def test_the_steps_as_json(in_process):
    _, out, _ = in_process("select", "wine", "--no-check", "--json", "-q")
    run = Result.from_json(out)
    assert (len(run.selected), run.settings["size_rule"]) == (5, "auto")
    assert all(point.accuracy is not None for point in run.front)


def test_score(in_process):
    _, out, _ = in_process("score", "wine", "--features", "flavanoids", "-q")
    assert out == (
        "1 of 13 features of wine\n"
        "to predict with: 0.684540 (all features 0.771292, chance 0.337967)\n"
        "to separate exactly these samples: 0.070524 (all features 1.000000)\n"
    )
    _, out, _ = in_process("score", "wine", "--json", "-q")
    found = json.loads(out)
    for name in ("soft", "strict"):
        assert found[name]["dependency"] == found[name]["full_dependency"]


def test_the_result_is_that_of_the_library(in_process):
    _, out, _ = in_process("select", "wine", "--no-check", "--json", "-q")
    known = SoftSelector(random_state=0).fit(load_dataset("wine")).record()
    found = Result.from_json(out)
    assert (found.selected, found.front, found.chance) == (
        known.selected,
        known.front,
        known.chance,
    )


@pytest.fixture
def visits(tmp_path):
    """Return a table of patients, and which row is whose."""
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(25), 4)
    y = rng.permutation(25)[patient] % 2
    who = rng.normal(size=(25, 2))[patient]
    columns = {"a": who[:, 0], "b": who[:, 1], "c": y + 0.6 * rng.normal(size=100), "ill": y}
    file = tmp_path / "visits.csv"
    pd.DataFrame({**columns, "of, whom": [f"P{one}" for one in patient]}).to_csv(file, index=False)
    return file, patient


@pytest.mark.parametrize("door", ["select", "reducts"])
def test_groups_are_a_column_that_is_no_feature(door, visits, in_process):
    file, patient = visits
    given = (door, str(file), "--target", "ill", "--groups", "of, whom", "--no-check", "--json")
    code, out, err = in_process(*given, "-q")
    assert code == 0
    result = Result.from_json(out)
    assert [one.name for one in result.table.features] == ["a", "b", "c"]
    assert ("Groups of samples do not change" in err) == (door == "reducts")
    if door == "select":
        table = pd.read_csv(file)
        found = SoftSelector().fit(table[["a", "b", "c"]], table["ill"], groups=patient)
        assert (result.selected, result.dependency) == ((2,), found.dependency_)


def test_groups_that_are_no_column_are_refused(visits, in_process):
    for name in ("ill", "whom", "of, whom,a"):
        code, out, err = in_process("select", str(visits[0]), "--target", "ill", "--groups", name)
        assert (code, out) == (2, "")
        assert "--groups must be a column of visits other than the target, got" in err


@pytest.mark.parametrize("door", ["select", "reducts"])
def test_weights_are_a_column_that_is_no_feature(door, visits, tmp_path, in_process):
    file, saved, reduced = visits[0], tmp_path / "run.json", tmp_path / "reduced.csv"
    table = pd.read_csv(file).drop(columns="of, whom")
    table["people"] = np.arange(100) % 4 * 0.5
    table.to_csv(file, index=False)
    given = str(file), "--target", "ill", "--weights", "people"
    written = "--save", str(saved), "--output", str(reduced)
    code, _, err = in_process(
        door, *given, "--folds", "3", "--scoring", "roc_auc,accuracy", *written
    )
    assert code == 0
    result = Result.load(saved)
    assert [one.name for one in result.table.features] == ["a", "b", "c"]
    assert result.table.n_samples == 75
    assert {one.metric for one in result.check.scores} == {"ROC AUC", "accuracy"}
    note = "Samples count by their weights in 'people', which is no feature, from 0.5 to 1.5."
    assert any(one.startswith(note) for one in result.notes)
    assert note in " ".join(err.split())
    selector = SoftSelector() if door == "select" else ReductSelector(random_state=0)
    X, y = table[["a", "b", "c"]], table["ill"]
    assert result.dependency == selector.fit(X, y, sample_weight=table["people"]).dependency_
    assert len(pd.read_csv(reduced)) == 100  # the file keeps its rows
    code, _, err = in_process("verify", str(saved), str(file), "--table", *given)
    assert code in (0, 3), err
    again = in_process("verify", str(saved), str(file), "--table", *given[:-2])
    assert again[0] == code  # the run has its weights


def test_groups_and_weights_count_in_score_and_compare(visits, tmp_path, in_process):
    file, saved = visits[0], tmp_path / "run.json"
    table = pd.read_csv(file)
    table["people"] = np.arange(100) % 4 * 0.5
    table.to_csv(file, index=False)
    rows = "--target", "ill", "--groups", "of, whom", "--weights", "people"
    in_process("select", str(file), *rows, "--save", str(saved), "--no-check")
    run = Result.load(saved)
    names = ",".join(run.names(run.selected))
    code, out, _ = in_process("score", str(file), *rows, "--features", names, "--json")
    assert code == 0
    assert json.loads(out)["soft"]["dependency"] == pytest.approx(run.dependency, abs=1e-12)
    code, out, _ = in_process("score", str(file), *rows[:2], "--features", names, "--json")
    assert json.loads(out)["soft"]["dependency"] != pytest.approx(run.dependency)
    code, out, err = in_process("compare", str(file), *rows, "--selectors", "soft,kbest,rfe,l1")
    assert code == 0, err
    assert "(75 samples)" in out
    assert "kbest selects without weights" in out


def test_columns_that_are_no_weights_are_refused(visits, in_process):
    file = visits[0]
    for name, error in (
        ("ill", "--weights must be a column of visits other than the target, got 'ill'"),
        ("of, whom", "--weights must be a column of numbers, got 'of, whom' with categories"),
        ("a", "--weights must be finite numbers of at least 0, got -"),
    ):
        code, out, err = in_process("select", str(file), "--target", "ill", "--weights", name)
        assert (code, out) == (2, "")
        assert error in " ".join(err.split())


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        *(
            (
                ["select", "wine", *option],
                f"{option[0]} must be left out of `fuzzyfrog select`. It belongs to `fuzzyfrog "
                "reducts`, which finds the fewest columns that separate exactly these samples.",
            )
            for option in (
                ["--certify"],
                ["--all"],
                ["--missing", "different"],
                ["--search", "frogs"],
                ["--min-dependency", "0.9"],
                ["--max-evaluations", "5"],
            )
        ),
        *(
            (
                [command, "wine", option, "x"],
                f"{option} must be left out of `fuzzyfrog {command}`. It is a parameter in Python: "
                f"{where}=...).",
            )
            for command, option, where in (
                ("select", "--size-rule", "SoftSelector(size_rule"),
                ("reducts", "--redundant", "SoftSelector(redundant"),
                ("select", "--spread", "ReductSelector(spread"),
                ("score", "--tnorm", "ReductSelector(tnorm"),
                ("reducts", "--limit", "Exact(limit"),
            )
        ),
        (["reducts", "wine", "--all", "--certify"], "--all must come without --certify."),
        (["reducts", "wine", "--all", "--save", "x.json"], "--all must come without --save."),
        (["reducts", "wine", "--search", "bees"], "'bees' is not one of 'auto', 'frogs'"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(in_process, arguments, sentence):
    code, out, err = in_process(*arguments, "-q")
    assert (code, out) == (2, "")
    assert sentence in " ".join(err.replace("│", " ").split())
    assert "Traceback" not in err


def test_advice_names_a_column_whose_name_has_a_comma(in_process, tmp_path):
    table = tmp_path / "t.csv"
    rows = [f"{k + 1},{k * k % 11},{k * 7 % 5},{'ab'[k * k % 7 > 2]}" for k in range(60)]
    lines = [f"{row},{row[-1] * 2}" for row in rows]
    table.write_text("\n".join(['"row, of all",x,z,y,"y, again"', *lines]) + "\n")
    asked = ("select", table, "--target", "y", "--no-check", "-q", "--details")
    _, out, err = in_process(*asked)
    assert """keep it with --include '"row, of all"'.""" in err
    assert """looks like an ID; --include '"row, of all"' keeps it""" in " ".join(out.split())
    assert """leave it out with --ignore '"y, again"'.""" in out
    _, out, _ = in_process(*asked, "--ignore", '"y, again"', "--include", '"row, of all"')
    assert "y, again" not in out
    assert "\n  row, of all " in out


def test_every_column_among_the_details(in_process, tmp_path, monkeypatch):
    table = tmp_path / "t.csv"
    rows = [f"P{k * 37 % 101},{k % 2 + k % 7 / 20},{k * k % 11},5,{k % 2}" for k in range(60)]
    table.write_text("\n".join(["patient_id,a,b,c,y", *rows]) + "\n")
    asked = ("select", table, "--target", "y", "--no-check", "-q")
    _, plain, _ = in_process(*asked)
    assert "looks like an ID" not in plain
    _, out, _ = in_process(*asked, "--details")
    said = {line.split()[0]: line for line in out.splitlines() if line.startswith("  ")}
    assert said["patient_id"].split(maxsplit=3)[1:3] == ["left", "out"]
    assert said["patient_id"].endswith("looks like an ID; --include patient_id keeps it")
    assert "unneeded" in said["b"]
    assert said["b"].endswith("not told apart from shuffled columns")
    assert "has a single value" in said["c"]
    assert "Alone is the soft dependency of the column by itself" in out
    monkeypatch.setattr(summary, "MAX_COLUMNS", 3)
    assert "\n  and 1 more; --json lists all of them\n" in in_process(*asked, "--details")[1]
    _, document, _ = in_process(*asked, "--json")
    columns = json.loads(document)["result"]["columns"]
    assert [one["role"] for one in columns] == ["left out", "selected", "unneeded", "left out"]


def test_the_order_of_dates_has_a_way_out_on_the_command_line(in_process, tmp_path):
    table = tmp_path / "t.csv"
    rows = [
        f"2024-{k // 28 + 1:02}-{k % 28 + 1:02},{k % 2 + k % 7 / 20},{k % 2}" for k in range(60)
    ]
    table.write_text("\n".join(["day,a,y", *rows]) + "\n")
    asked = ["select", table, "--target", "y", "--no-check", "-q"]
    assert "The samples are in the order of 'day'." in in_process(*asked, "--dates", "parts")[1]
    _, out, err = in_process(*asked)
    said = "The samples are in the order of 'day'."
    assert said not in err
    assert out.index(said) < out.index("more is left out")
    later = "To test models on later samples, use `fuzzyfrog verify` after a run on earlier rows."
    assert later in out
    assert "TimeSeriesSplit" not in out


def test_the_advice_about_nearly_empty_rows_can_be_followed(in_process, tmp_path):
    table = tmp_path / "t.csv"
    rows = [f"{k % 7 / 2 + 4 * (k % 2)},{k * k % 11},{k % 5},{k % 2}" for k in range(60)]
    table.write_text("\n".join(["a,b,c,y", *rows, ",,,0", ",,,1"]) + "\n")
    asked = ["reducts", table, "--target", "y", "--no-check", "-q"]
    _, out, err = in_process(*asked)
    assert "Leave them out with --max-missing 1 when the table is read." in err
    _, less, _ = in_process(*asked, "--max-missing", "1")
    assert ("62 samples" in out, "60 samples" in less) == (True, True)


def test_rows_that_may_belong_together_are_said_once_before_the_headline(in_process, tmp_path):
    table, said = tmp_path / "t.csv", "Samples with the same 'unit' may belong together"
    rows = [f"U{k // 5},{k * 37 % 11},{k // 5 * 29 % 41 + k % 3}" for k in range(200)]
    table.write_text("\n".join(["unit,a,y", *rows]) + "\n")
    asked = ["select", table, "--target", "y", "--target-kind", "numeric", "--no-check", "-q"]
    _, out, err = in_process(*asked)
    assert (out.count(said), said in err) == (1, False)
    assert out.index(said) < out.index(" of 2 ")
    assert "pass it as --groups unit." in out
    _, document, err = in_process(*asked, "--json")
    assert said in err
    assert said in " ".join(json.loads(document)["result"]["notes"])
    assert said not in in_process(*asked, "--groups", "unit")[1]


def test_stability(in_process, tmp_path):
    saved = tmp_path / "run.json"
    asked = "select", "iris", "--no-check", "--stability", "--details", "-q"
    code, out, err = in_process(*asked, "--save", saved)
    assert (code, err) == (0, "")
    assert "with substitutes" in out
    assert "repeated on 100 random halves of the 150 samples" in " ".join(out.split())
    run = Result.load(saved)
    assert run.stability.n_pairs == 50
    changed = saved.read_text().replace('"is_selected": true', '"is_selected": false')
    with pytest.raises(DataError, match="must be as fuzzyfrog wrote it"):
        Result.from_json(changed)


@pytest.mark.parametrize(
    ("values", "classes"),
    [
        ((1, 2, 3), "3 classes"),
        ((0, 1, 2, 3, 4), "5 classes (0 to 4; --target-kind numeric if these are amounts)"),
        ((0, 7, 12), "3 classes (0, 7, 12; --target-kind numeric if these are amounts)"),
        ((0, 5), "2 classes"),
        (("-1.0", "0.0", "1.0"), "3 classes (-1 to 1; --target-kind numeric if these are amounts)"),
        (("a1", "a2", "a3"), "3 classes"),
    ],
)
def test_the_first_line_says_if_classes_may_be_amounts(fuzzyfrog, tmp_path, values, classes):
    path = tmp_path / "amounts.csv"
    rows = [f"{k % 9},{k % 7},{values[k % len(values)]}" for k in range(42)]
    path.write_text("\n".join(["a,b,amount", *rows]), encoding="utf-8")
    done = fuzzyfrog("select", path, "--target", "amount", "--no-check", "-q")
    assert done.stdout.splitlines()[0] == f"amounts: 42 samples, 2 features, {classes}"
    if values == (1, 2, 3):
        kind = "--target-kind", "class"
        asked = fuzzyfrog("select", path, "--target", "amount", "--no-check", "-q", *kind)
        assert asked.stdout.splitlines()[0].endswith(", 3 classes")


def test_columns_and_explanations_share_what_a_limit_leaves(in_process, monkeypatch):
    now, scored = [0.0], selecting.with_columns

    def slow(*given):
        now[0] += 1000.0
        return scored(*given)

    set_clock(monkeypatch, lambda: now[0])
    monkeypatch.setattr(selecting, "with_columns", slow)
    _, _, err = in_process("select", "wine", "--max-seconds", "900", "-q")
    assert "There was no time to score every column." in err
    assert "There was no time to explain why each feature is selected." in err
