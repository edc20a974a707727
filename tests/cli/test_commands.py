"""The smaller commands."""

import json
import re
import sys

import numpy as np
import pandas as pd
import pytest

from broken_tables import BROKEN
from fuzzyfrog import DataError, dependency, load_dataset, read_table, soft_dependency
from fuzzyfrog.cli import selecting
from fuzzyfrog.cli.commands import doctor, reducts
from fuzzyfrog.cli.errors import ExitCode, in_options
from fuzzyfrog.measure import SoftDependency


def test_score_of_a_subset(in_process):
    code, out, err = in_process("score", "wine", "--features", "proline,hue", "--json", "-q")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["features"] == ["hue", "proline"]
    both = {"features": ["hue", "proline"]}
    assert found["strict"]["dependency"] == dependency(load_dataset("wine"), **both)
    assert found["strict"]["full_dependency"] == 1.0
    assert found["soft"]["dependency"] == soft_dependency(load_dataset("wine"), **both)
    assert found["soft"]["full_dependency"] == soft_dependency(load_dataset("wine"))
    assert found["soft"]["chance"] == SoftDependency(load_dataset("wine")).chance


def test_score_with_another_rule_for_gaps(in_process, tmp_path):
    table = tmp_path / "gaps.csv"
    table.write_text("a,b,class\n" + "1.5,2,x\n,3,x\n4,3,y\n9,,y\n3,7,y\n")
    rules = ["--missing", "different", "--jobs", "1"]
    code, out, _ = in_process("score", table, "--target", "class", *rules)
    expected = dependency(read_table(table, "class"), missing="different")
    assert expected > dependency(read_table(table, "class"))
    assert code == 0
    assert f"these samples: {expected:.6f} (all features {expected:.6f})" in out


@pytest.mark.parametrize(("content", "message"), BROKEN)
def test_a_broken_table_is_one_sentence(in_process, tmp_path, content, message):
    path = tmp_path / "x.csv"
    path.write_bytes(content.encode())
    with pytest.raises(DataError) as caught:
        read_table(path, "class")
    assert message in str(caught.value)
    ended = in_process("score", path, "--target", "class", "-q")
    assert ended == (2, "", f"fuzzyfrog: {in_options(caught.value)}\n")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["wien"], "Did you mean 'wine'?"),
        (["missing.csv", "--target", "x"], "missing.csv: no such file"),
        (["wine", "--target", "class"], "--target must be left out for a data set"),
        (
            ["wine", "--features", "prolin"],
            "--features must name features of wine, got 'prolin'. Did you mean 'proline'?",
        ),
        (["wine", "--jobs", "0"], "--jobs must be a whole number other than 0"),
        (["wine", "--encoding", "utf-16"], "--encoding must be left out for a data set"),
        (["wine", "--target-kind", "class"], "--target-kind must be left out for a data set"),
        (["wine", "--features", ","], "--features must name something, got ','"),
        (["wine", "--features", "a\nb\rc"], "--features must be names separated by commas"),
        (["wine", "--features", "class"], "--features must name features, got the target"),
    ],
)
def test_mistakes_are_one_sentence(in_process, tmp_path, monkeypatch, arguments, sentence):
    monkeypatch.chdir(tmp_path)
    code, out, err = in_process("score", *arguments, "-q")
    assert (code, out) == (2, "")
    assert sentence in err
    assert len(err.splitlines()) == 1


SHOP = "id;plz;größe;seit;class\n" + "".join(
    f"{100 + k};{'01067' if k % 3 else '50667'};{k % 7},5;{k % 9 + 1}.2.2020;{'xy'[k % 2]}\n"
    for k in range(60)
)


@pytest.mark.parametrize("command", [["score"], ["reducts", "--all"]], ids=" ".join)
def test_other_commands_warn_like_select(in_process, tmp_path, command):
    path = tmp_path / "shop.csv"
    path.write_text(SHOP, encoding="cp1252")
    written = ["--decimal", ",", "--encoding", "cp1252", "--target", "class", "-q"]
    code, _, err = in_process(*command, path, *written)
    assert code == 0
    told = [line for line in err.splitlines() if line.startswith("fuzzyfrog: warning: ")]
    assert len(told) == 3
    assert "such as '01067', and is read as numbers" in told[0]
    assert "Name it in --categorical if they are codes." in told[0]
    assert "'id' counts the rows." in told[1]
    option = "--include" if "reducts" in command else "--features"
    assert f"It is left out; keep it with {option} id." in told[1]
    assert "'seit' holds dates" in told[2]
    assert (
        in_process(*command, path, *written, "--ignore", "id,seit", "--categorical", "plz")[2] == ""
    )


def test_the_score_of_all_features_is_that_of_select(in_process, tmp_path):
    path = tmp_path / "t.csv"
    rows = (f"{k},{k % 7},{k % 7 * 2.54},{k * k % 11},{'xy'[k % 3 == 0]}\n" for k in range(60))
    path.write_text("id,inch,cm,other,class\n" + "".join(rows))
    asked = [path, "--target", "class", "-q", "--json"]
    selected = json.loads(in_process("reducts", *asked, "--no-check")[1])["result"]
    _, out, err = in_process("score", *asked)
    found = json.loads(out)
    strict = found["strict"]
    assert strict["full_dependency"] == strict["dependency"] == selected["full_dependency"]
    assert (found["features"], found["left_out"]) == (["inch", "other"], ["id", "cm"])
    assert "'cm' says the same as 'inch'. It is left out; keep it with --features cm." in err
    _, out, err = in_process("score", *asked, "--features", "id,cm")
    found = json.loads(out)
    assert (found["features"], found["left_out"]) == (["id", "cm"], ["id", "cm"])
    # It is the same for any features.
    assert found["strict"]["full_dependency"] == selected["full_dependency"]
    assert "'id'" in err  # it is scored, but looks like what it is
    out = in_process("score", *asked[:-1], "--features", "id,inch")[1]
    assert out.startswith("1 of 2 features of t, and 'id', which select leaves out\n")


def test_score_says_how_an_id_becomes_a_feature(in_process, tmp_path):
    path = tmp_path / "t.csv"
    rows = (f"{k // 3},{k % 7},{k * k % 11},{'xy'[k % 3 == 0]}\n" for k in range(60))
    path.write_text("patient,a,b,class\n" + "".join(rows))
    _, _, err = in_process("score", path, "--target", "class", "-q")
    assert "leave it out with --ignore or keep it as a feature with --features patient; to" in err
    _, _, err = in_process("score", path, "--target", "class", "-q", "--features", "patient")
    assert "are not compared" not in err


def test_a_file_of_a_german_spreadsheet_is_explained_at_once(in_process, tmp_path):
    path = tmp_path / "shop.csv"
    path.write_text(SHOP, encoding="cp1252")
    code, out, err = in_process("score", path, "--target", "class", "-q")
    assert (code, out) == (2, "")
    assert err.endswith("Pass all of these: --decimal , --encoding cp1252\n")


def test_doctor_lists_what_is_there(fuzzyfrog):
    done = fuzzyfrog("doctor", "--json", "-q")
    assert (done.returncode, done.stderr) == (0, "")
    found = {one["name"]: one for one in json.loads(done.stdout)}
    for name in ("fuzzyfrog", "numpy", "numba", "scikit-learn", "threads", "compiled kernels"):
        assert found[name]["is_there"], found[name]


def test_doctor_for_people_says_how_to_get_what_is_missing(in_process, monkeypatch):
    missing = ("nosuch", "nosuch", "Parquet files", "parquet")
    monkeypatch.setattr(doctor, "OPTIONAL", (missing,))
    code, out, _ = in_process("doctor")
    assert code == 0
    assert "ok  numpy" in out
    assert "--  nosuch" in out
    assert re.search(r"for Parquet files: .* -m pip install .*\[parquet\]", out)
    assert "1 optional component is missing" in out


def test_explain_gives_the_reasons(in_process, selected):
    run = selected.run
    first = run["explanations"][0]
    code, out, _ = in_process("explain", selected.folder / "run.json", "--feature", first["name"])
    assert code == 0
    lost = first["dependency"] - first["dependency_without"]
    assert out.startswith(f"Without {first['name']} the dependency falls by {lost:.6f}, from 1.0")
    row = out.splitlines()[4].split()
    assert row[0] == str(first["examples"][0]["sample"])
    code, out, _ = in_process("explain", selected.folder / "run.json")
    assert all(one["name"] in out for one in run["explanations"])
    code, out, _ = in_process("explain", selected.folder / "run.json", "--json")
    assert json.loads(out) == run["explanations"]


@pytest.mark.parametrize("command", ["reducts", "select"])
def test_groups_are_not_explained_but_everything_else_is_told(
    in_process, wine_csv, tmp_path, command
):
    saved, page = tmp_path / "run.json", tmp_path / "page.html"
    asked = ("--feature-group", "*phenols", "--include", "phenols")
    files = ("--save", saved, "--report", page)
    code, out, _ = in_process(
        command, wine_csv, "--target", "class", *asked, *files, "--no-check", "-q", "--json"
    )
    assert code == 0
    run = json.loads(out)["result"]
    assert run["explanations"] == []
    assert "Features are not explained where columns form groups." in run["notes"]
    text = page.read_text(encoding="utf-8")
    assert text.count("was not measured, because columns form groups.") == 2
    code, out, err = in_process("explain", saved)
    assert (code, out, err) == (0, "Features are not explained where columns form groups.\n", "")
    code, out, err = in_process("explain", saved, "--json")
    assert (code, json.loads(out)) == (0, [])
    assert "Features are not explained where columns form groups." in err
    code, _, err = in_process("explain", saved, "--feature", "phenols")
    assert code == 2
    assert "because columns form groups. Run it again without --feature-group." in err


def test_explain_and_report_refuse_other_files(in_process, selected, tmp_path):
    code, _, err = in_process("explain", selected.folder / "run.json", "--feature", "nothing")
    assert code == 2
    assert "--feature must be the name or the index of a feature of the run, got 'nothing'" in err
    code, _, err = in_process("explain", selected.folder / "run.json", "--feature", "prolin")
    assert code == 2
    assert "Did you mean 'proline'?" in err
    for command in ("explain", "report"):
        code, out, err = in_process(command, selected.folder / "reduced.csv")
        assert (code, out) == (2, "")
        assert "reduced.csv must be a file saved with `fuzzyfrog select --save`" in err
    code, _, err = in_process("report", selected.folder / "run.json", "-o", tmp_path)
    assert code == 2
    assert "--output must be a file" in err


def test_misspelled_runs_and_features_are_guessed(in_process, selected, monkeypatch):
    monkeypatch.chdir(selected.folder)
    code, _, err = in_process("explain", "run.jsn")
    assert code == 2
    assert err == (
        "fuzzyfrog: RUN.json must be a file saved with `fuzzyfrog select --save`, got 'run.jsn', "
        "which does not exist. Did you mean 'run.json'?\n"
    )
    chosen = [one["name"] for one in selected.run["explanations"]]
    other = next(
        one["name"] for one in selected.run["table"]["features"] if one["name"] not in chosen
    )
    code, out, _ = in_process("explain", "run.json", "--feature", other)
    assert (code, out.splitlines()[0]) == (0, f"{other} is not selected.")
    code, out, _ = in_process("explain", "run.json", "--feature", other, "--json")
    assert (code, json.loads(out)["name"]) == (0, other)
    starts = ("It is", "None", "Next to", "In the place")
    assert all(reason.startswith(starts) for reason in json.loads(out)["why_not"])
    told = in_process("explain", "run.json", "--feature", chosen[0][:-1])[2]
    assert f"Did you mean '{chosen[0]}'?" in told


def test_a_score_is_explained_only_where_it_is_mentioned(in_process, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"P{k * 37 % 101},{k % 2 + k % 7 / 20},{k * k % 11},{k % 2}" for k in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["patient_id,a,b,y", *rows]) + "\n")
    in_process("select", "t.csv", "--target", "y", "--no-check", "-q", "--save", "run.json")
    for feature, is_scored in (("patient_id", False), ("b", True)):
        code, out, _ = in_process("explain", "run.json", "--feature", feature)
        assert (code, out.splitlines()[0]) == (0, f"{feature} is not selected.")
        assert ("the soft dependency" in out) == ("The soft dependency (Γ) is" in out) == is_scored


def test_explain_shows_as_many_pairs_as_asked_for(in_process, selected):
    asked = ["--feature", selected.run["explanations"][0]["name"], "--limit", "1"]
    _, out, _ = in_process("explain", selected.folder / "run.json", *asked)
    assert len(out.splitlines()) == 8  # two sentences, the head, a pair, two more; empty lines
    assert in_process("explain", selected.folder / "run.json", "--limit", "-1")[0] == 2


def test_a_page_is_written_over_only_if_it_is_named(in_process, selected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert in_process("report", selected.folder / "run.json")[0] == 0
    code, _, err = in_process("report", selected.folder / "run.json")
    assert (code, "report.html exists" in err) == (2, True)
    assert in_process("report", selected.folder / "run.json", "-o", "report.html")[0] == 0


def test_the_ending_of_a_file_is_guessed(in_process, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clients.csv").write_text("a,class\n1,x\n2,y\n")
    code, _, err = in_process("reducts", "clients", "--target", "class", "-q")
    assert (code, "got 'clients'. Did you mean 'clients.csv'?" in err) == (2, True)


def test_bad_values_are_refused_without_the_words_of_typer(in_process):
    code, _, err = in_process("reducts", "wine", "--search", "frog")
    assert (code, "'frog' is not one of" in err, "Value error" in err) == (2, True, False)


def test_the_command_of_a_record_can_be_typed(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["x", "reducts", "a b.csv", "--save", "r.json"])
    assert selecting._command() == "fuzzyfrog reducts 'a b.csv' --save r.json"


def test_kernels_from_the_cache_are_not_called_compiled():
    doctor._kernels()
    assert doctor._kernels().found.startswith("cached in ")


def test_report_of_a_saved_run_is_that_of_select(in_process, selected, tmp_path):
    page = tmp_path / "again.html"
    code, out, _ = in_process("report", selected.folder / "run.json", "-o", page)
    assert (code, out) == (0, f"Written: {page}, open it in a browser\n")
    assert page.read_bytes() == (selected.folder / "page.html").read_bytes()


def test_debug_shows_the_traceback(fuzzyfrog):
    done = fuzzyfrog("--debug", "score", "wien")
    assert done.returncode == 2
    assert "Traceback" in done.stderr
    assert done.stderr.splitlines()[-1] == (
        "fuzzyfrog: TABLE must be a file or the name of a data set, got 'wien'. "
        "Did you mean 'wine'?"
    )


def test_reducts_are_all_there_are(in_process):
    code, out, err = in_process("reducts", "--all", "wine", "--json", "-q")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["all"]
    assert len({tuple(one["features"]) for one in found["reducts"]}) == 343
    assert {len(one["features"]) for one in found["reducts"]} == {5}


def test_reducts_have_the_columns_of_select(in_process, tmp_path):
    rows = "".join(
        f"{100 + k},{k % 7},{2.54 * (k % 7)},{k * 5 % 11},{'xy'[k % 7 > 3]}\n" for k in range(60)
    )
    path = tmp_path / "rings.csv"
    path.write_text("id,inch,cm,other,class\n" + rows, encoding="utf-8")
    asked = ["reducts", "--all", path, "--target", "class", "--json", "-q"]
    code, out, err = in_process(*asked)
    assert code == 0
    assert "'cm' says the same as 'inch'. It is left out; keep it with --include cm." in err
    assert "'id' counts the rows. It is left out; keep it with --include id." in err
    found = json.loads(out)
    assert found["left_out"] == ["id", "cm"]
    assert [one["names"] for one in found["reducts"]] == [["inch", "other"]]
    assert json.loads(in_process(*asked, "--include", "cm")[1])["left_out"] == ["id", "inch"]
    assert "id" in json.loads(in_process(*asked, "--include", "id")[1])["reducts"][0]["names"]


def test_reducts_stop_at_the_limit_and_say_so(in_process, monkeypatch):
    constraints = ["--include", "ash", "--ignore", "hue"]
    monkeypatch.setattr(reducts, "MOST_LISTED", 2)
    code, out, _ = in_process("reducts", "--all", "wine", *constraints)
    first, second, empty, told = out.splitlines()
    assert code == 0
    assert "ash" in first.split(", ")
    assert "hue" not in second
    assert (empty, told) == (
        "",
        "2 reducts of 5 features, dependency 1.0000; there are more: --json lists all of them.",
    )
    assert in_process("reducts", "--all", "wine", "--n-features", "2")[1] == (
        "There is no reduct of this size (proven).\n"
    )


def test_certify_proves_or_fails_with_its_own_code(in_process):
    code, out, _ = in_process("reducts", "iris", "--search", "quickreduct", "--certify", "-q")
    assert code == 0
    assert "size        Proven for these samples: 4 features are the fewest." in out
    assert "core        sepal length (cm), sepal width (cm)" in out
    budget = ["--certify", "--max-evaluations", "20", "-q", "--json"]
    code, out, _ = in_process("reducts", "wine", *budget)
    assert code == ExitCode.NOT_PROVEN
    assert not json.loads(out)["result"]["answer"]["certificate"]["proven"]


def test_numbers_in_text_are_read_or_kept(in_process, tmp_path):
    rows = "".join(f"{k}.5%,{'ab'[k % 2]},{'xy'[k // 10]}\n" for k in range(20))
    path = tmp_path / "t.csv"
    path.write_text("share,side,class\n" + rows)
    asked = ["score", path, "--target", "class", "-q"]
    _, read, told = in_process(*asked)
    assert "'share' ('0.5%' as 0.5). Name a column in --categorical if" in told
    _, kept, told = in_process(*asked, "--categorical", "share")
    assert "numbers in text" not in told
    assert read != kept


def test_samples_are_named_by_a_column_or_by_lines(in_process, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"p{k},{k % 5},{k % 3}.5,{'xy'[k % 2]}\n" for k in range(12))
    (tmp_path / "t.csv").write_text("who,a,b,class\n" + rows)
    for more, sample, told in (
        (["--id", "who"], "p", "named by their labels"),
        (["--ignore", "who"], "", "named by their lines"),
    ):
        asked = ["reducts", "t.csv", "--target", "class", "--save", "run.json", "-q"]
        assert in_process(*asked, *more, "--report", "r.html")[0] == 0
        code, out, _ = in_process("explain", "run.json", "--feature", "a")
        assert code == 0
        assert told in out
        first = out.splitlines()[4].split()[0]
        assert first.startswith(sample)
        assert first in (tmp_path / "r.html").read_text()


def test_doctor_compiles_everything_for_an_image(in_process, monkeypatch):
    compiled = []
    monkeypatch.setattr(doctor, "_compile_all", lambda: compiled.append(True))
    assert in_process("doctor", "-q")[0] == 0
    assert not compiled
    assert in_process("doctor", "-q", "--warm")[0] == 0
    assert compiled


def test_a_suspected_leak_is_named_where_it_is_explained(in_process, tmp_path):
    random = np.random.default_rng(0)
    y = np.exp(random.normal(size=80)).round(3)
    table, run = tmp_path / "t.csv", tmp_path / "run.json"
    pd.DataFrame({"ly": np.log(y), "b": random.normal(size=80), "y": y}).to_csv(table, index=False)
    in_process("select", table, "--target", "y", "--no-check", "--save", run, "-q")
    _, out, _ = in_process("explain", run, "--feature", "ly")
    assert out.splitlines()[1].startswith("'ly' (it is the logarithm of the target) alone predicts")
    assert "leave it out with --ignore ly." in out
