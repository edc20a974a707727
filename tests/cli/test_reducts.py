"""``fuzzyfrog reducts`` as a real process: results, files and exit codes."""

import csv
import json
import subprocess

import pyarrow.parquet as pq
import pytest

from cli_process import COMMAND, environment
from fuzzyfrog import ReductSelector, load_dataset, read_table
from fuzzyfrog.result import Result


@pytest.fixture(scope="module")
def library():
    """The same run by the library itself."""
    return ReductSelector(max_evaluations=400, random_state=0).fit(load_dataset("wine"))


def test_the_result_is_that_of_the_library(selected, library):
    assert selected.done.returncode == 0, selected.done.stderr
    assert selected.run["selected"] == library.get_support(indices=True).tolist()
    assert selected.run["dependency"] == library.dependency_
    assert selected.run["answer"]["n_reducts"] == len(library.reducts_)
    lines = selected.done.stdout.splitlines()
    assert lines[0] == "wine: 178 samples, 13 features, 3 classes"
    count = f"{library.n_features_} of 13 features"
    assert f"{count} separate these samples as well as all columns do." in lines
    for name in library.get_feature_names_out():
        assert any(line.split()[:1] == [name] for line in lines)
    assert "dependency  1.0000 of 1.0000" in lines
    ended = f"frogs, stopped by --max-evaluations after {library.n_evaluations_} evaluations, "
    assert ended in selected.done.stdout


def test_only_results_are_on_stdout_and_no_color_in_a_pipe(selected):
    assert "\x1b" not in selected.done.stdout + selected.done.stderr
    assert "per second" not in selected.done.stdout


def test_all_files_are_written(selected):
    run = Result.load(selected.folder / "run.json")
    assert run.command.startswith("fuzzyfrog reducts wine --max-evaluations 400 --save run.json")
    with (selected.folder / "reduced.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))
    assert rows[0] == [*run.names(run.selected), "class"]
    assert len(rows) == 179
    assert rows[1][-1] == "class_0"
    assert "<html" in (selected.folder / "page.html").read_text(encoding="utf-8")
    names = {path.name for path in selected.folder.iterdir()}
    assert names == {"run.json", "run.json.scores", "reduced.csv", "page.html"}


def test_json_from_a_pipe_with_categorical_and_ignored_columns(fuzzyfrog, wine_csv):
    table = wine_csv.read_text(encoding="utf-8")
    options = ["--target", "class", "--search", "quickreduct", "--ignore", "id", "--json", "-q"]
    done = fuzzyfrog("reducts", "-", *options, "--output", "reduced.parquet", text=table)
    assert (done.returncode, done.stderr) == (0, "")
    run = Result.from_json(done.stdout)
    expected = ReductSelector("quickreduct").fit(read_table(wine_csv, "class", ignore=["id"]))
    assert run.names(run.selected) == tuple(expected.get_feature_names_out())
    assert run.table.name == "stdin"
    reduced = pq.read_table(wine_csv.with_name("reduced.parquet"))
    assert reduced.column_names == [*run.names(run.selected), "class"]
    assert reduced.num_rows == 178


def test_warnings_are_one_clean_line_and_constraints_are_kept(fuzzyfrog, wine_csv):
    table = wine_csv.with_name("labeled.csv")
    lines = wine_csv.read_text(encoding="utf-8").splitlines()
    table.write_text("\n".join([lines[0], *(f"n{line}" for line in lines[1:])]), encoding="utf-8")
    constraints = ["--include", "ash", "--ignore", "proline,hue", "--n-features", "3"]
    done = fuzzyfrog(
        "reducts", table, "--target", "class", "--search", "quickreduct", *constraints, "-q",
        "--details", "--no-check",
    )  # fmt: skip
    assert done.returncode == 0
    (line,) = done.stderr.splitlines()
    assert line.startswith("fuzzyfrog: warning: feature 'id' has a different value in every sample")
    assert "says nothing about predicting new samples" in done.stdout
    assert ".py" not in done.stderr
    assert "3 of 11 features (1 more is left out) separate" in done.stdout
    assert "3, as requested" in done.stdout
    assert "\n  ash" in done.stdout
    assert "proline" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--output", "wine.csv"], "--output must not be the file that is read"),
        (["--report", "."], "--report must be a file, got the folder"),
        (["--save", "nowhere/run.json"], "--save must be in a folder that exists"),
        (["--output", "reduced.xls"], "must end in one of"),
        (["--max-seconds", "-1"], "--max-seconds must be a number above 0, got -1"),
        (["--min-dependency", "1.2"], "--min-dependency must be a number above 0 and at most 1"),
        (["--n-features", "0"], "--n-features must be"),
    ],
)
def test_what_cannot_be_written_is_refused_before_the_table_is_read(
    in_process, wine_csv, monkeypatch, arguments, sentence
):
    monkeypatch.chdir(wine_csv.parent)
    before = wine_csv.read_bytes()
    code, out, err = in_process("reducts", "wine.csv", "--target", "no such column", *arguments)
    assert (code, out) == (2, "")
    assert sentence in err
    assert "no such column" not in err
    assert wine_csv.read_bytes() == before


def test_a_reader_that_has_seen_enough_is_no_failure(tmp_path):
    with subprocess.Popen(  # noqa: S603 - our own interpreter and code
        [*COMMAND, "score", "wine", "-q"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), cwd=tmp_path,
    ) as process:  # fmt: skip
        process.stdout.close()
        told = process.stderr.read()
    assert (process.returncode, told) == (0, b"")


def test_categorical_columns_are_added_to_those_that_are_recognized(in_process, tmp_path):
    table = tmp_path / "x.csv"
    rows = [f"{i % 3},{i % 5},{'rg'[i % 2]},{'pq'[i // 3 % 2]}" for i in range(30)]
    table.write_text("\n".join(["zip,size,color,class", *rows]), encoding="utf-8")
    options = ["--search", "quickreduct", "--categorical", "zip", "--json", "-q"]
    code, out, _ = in_process("reducts", table, "--target", "class", *options)
    assert code == 0
    kinds = {one.name: one.kind for one in Result.from_json(out).table.features}
    assert kinds == {"zip": "categorical", "size": "numeric", "color": "categorical"}


def test_a_spelled_tab_separates(in_process, tmp_path):
    table = tmp_path / "x.csv"
    table.write_text("a\tb\tclass\n1\t2\tp\n3\t4\tq\n", encoding="utf-8")
    arguments = ["score", table, "--target", "class", "--separator", r"\t", "-q"]
    assert in_process(*arguments)[0] == 0


def test_features_that_tell_nothing_apart_are_no_success(in_process, tmp_path):
    table = tmp_path / "x.csv"
    table.write_text("a,b,class\n" + "1,2,p\n1,2,q\n" * 3, encoding="utf-8")
    code, out, _ = in_process("reducts", table, "--target", "class", "-q")
    assert code == 0
    assert "No feature separates samples of different classes" in out
    assert "as well as all" not in out


def test_the_core_alone_is_a_proof(in_process):
    _, out, _ = in_process("reducts", "iris", "--search", "quickreduct", "-q")
    assert "4, proven for these samples: the core alone" in out
    assert "no other subset of this size" in out
    assert "All 4 features are needed to separate these samples this well." in out
    assert "with --min-dependency 0.9, 3 features are enough" in out


@pytest.mark.parametrize("option", ["--include", "--ignore"])
def test_misspelled_features_are_guessed(in_process, option):
    code, _, err = in_process("reducts", "wine", option, "prolin", "-q")
    assert code == 2
    assert f"{option} must name features of wine, got 'prolin'. Did you mean 'proline'?" in err


def test_a_file_that_cannot_be_written_does_not_cost_the_answer(in_process, tmp_path, monkeypatch):
    def full(self, path):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Result, "save", full)  # a disk that is full only later
    files = ["--save", tmp_path / "run.json", "-q"]
    code, out, err = in_process("reducts", "iris", "--search", "quickreduct", *files)
    assert code == 1
    assert "All 4 features are needed" in out
    assert "No space left" in err


def test_a_report_is_not_a_pdf(in_process, wine_csv, tmp_path):
    asked = ["reducts", wine_csv, "--target", "class", "--report", tmp_path / "x.pdf"]
    code, _, err = in_process(*asked)
    assert code == 2
    assert "--report must be a file that ends in .html, got" in err


def test_json_has_names(in_process, wine_csv):
    asked = ["reducts", wine_csv, "--target", "class", "--search", "quickreduct", "--json", "-q"]
    found = json.loads(in_process(*asked)[1])
    features = [one["name"] for one in found["result"]["table"]["features"]]
    assert found["names"]["selected"] == [features[one] for one in found["result"]["selected"]]
    assert found["names"]["core"] == [features[one] for one in found["result"]["answer"]["core"]]


def test_the_terminal_tells_of_fewer_features(in_process):
    asked = ["reducts", "wine", "--search", "quickreduct", "--no-check", "-q"]
    code, out, _ = in_process(*asked)
    assert code == 0
    assert "trade-off   with --min-dependency 0.95, 4 features are enough" in out
    code, out, _ = in_process(*asked, "--min-dependency", "0.95", "--sample", "100")
    assert "trade-off" not in out


def test_a_group_of_columns_counts_as_one(in_process, tmp_path):
    cuts = {"blue": 2, "green": 5, "red": 8}
    rows = []
    for k in range(90):
        color, size = list(cuts)[k % 3], k * 7 % 11
        dummies = ",".join(str(int(color == one)) for one in cuts)
        rows.append(f"{dummies},{size},{k * 5 % 13},{'ab'[size > cuts[color]]}\n")
    path = tmp_path / "fruit.csv"
    path.write_text("c_blue,c_green,c_red,size,noise,class\n" + "".join(rows), encoding="utf-8")
    reduced = tmp_path / "reduced.csv"
    asked = ["select", path, "--target", "class", "--n-features", "2", "-q"]
    code, out, err = in_process(
        *asked, "--feature-group", "c_*", "--include", "c,size", "--output", reduced, "--no-check"
    )
    assert (code, err) == (0, "")
    assert "fruit: 90 samples, 3 features, 2 classes" in out
    assert "Judged by 2 of 3 columns" in out
    assert "c (c_blue, c_green, c_red)" in out
    header = reduced.read_text(encoding="utf-8").splitlines()[0]
    assert header == "c_blue,c_green,c_red,size,class"
    for option, told in (
        ("x_*", "--feature-group must match columns of fruit or name them, got 'x_*'."),
        (
            "c=c_blue,c_rd",
            "--feature-group must name features of fruit, got 'c_rd'. Did you mean 'c_red'",
        ),
        ("c=c_blue", "fuzzyfrog: --feature-group['c'] must have at least 2 columns"),
    ):
        code, _, err = in_process(*asked, "--feature-group", option)
        assert code == 2
        assert told in err
    proof = ["reducts", *asked[1:4], "--feature-group", "c=c_blue,c_red", "--certify", "-q"]
    code, out, _ = in_process(*proof, "--no-check")
    assert code == 0
    assert "Proven for these samples" in out


def test_a_price_list_may_name_ignored_columns(in_process, tmp_path):
    prices = tmp_path / "prices.csv"
    prices.write_text("ash,2\nmagnesium,30\nalcalinity_of_ash,0.1\n")
    asked = "reducts", "wine", "--ignore", "ash", "--costs", str(prices)
    for more in ["--no-check"], ["--all"]:
        code, out, err = in_process(*asked, *more)
        assert code == 0, err
        assert "alcalinity_of_ash" in out


def test_costs_come_from_a_file_and_from_single_options(in_process, tmp_path):
    prices = tmp_path / "prices.csv"
    prices.write_text('name,cost\nalcohol,2.5\n"proline", "40"\nhue,0.5\nflavanoids,99\n')
    asked = [
        "reducts",
        "wine",
        "--costs",
        str(prices),
        "--costs",
        "flavanoids=10",
        "--costs",
        "ash=3",
    ]
    code, out, err = in_process(*asked, "--certify", "--no-check", "-q", "--details")
    assert code == 0
    assert "8 features without a given cost cost 1" in err
    assert "separate these samples as well as all columns do, for a cost of 4.5 of 64." in out
    assert "a cost of 4.5 is the lowest. There are exactly 2 such subsets." in out
    assert "cheaper     best dependency for a cost of 0.5: " in out
    code, out, _ = in_process(*asked, "--all", "-q")
    assert code == 0
    assert "2 reducts of cost 4.5, dependency 1.0000; proven: no other costs as little" in out


@pytest.mark.parametrize(
    ("rows", "told"),
    [("0,0,p 0,1,q 1,0,q 1,1,p", "4 of 4"), ("0,0,p 0,0,q 0,1,p 0,1,q 1,0,p 1,0,q", "1 of 4")],
    ids=["all are needed", "none is of use"],
)
def test_the_cost_is_told_where_the_headline_has_none(in_process, tmp_path, rows, told):
    table = tmp_path / "t.csv"
    table.write_text("a,b,y\n" + rows.replace(" ", "\n"))
    code, out, _ = in_process("reducts", str(table), "--target", "y", "--costs", "a=3", "-q")
    assert code == 0
    assert "for a cost of" not in out
    assert f"\ncost        {told}\n" in out


@pytest.mark.parametrize(
    ("options", "content", "sentence"),
    [
        (["--costs", "ash"], "", "--costs must be NAME=COST, such as mri=400, or a readable file"),
        (["--costs", "ash=0"], "", "finite cost, got '0'. Pass a small cost such as 0.01"),
        (["--costs", "asch=2"], "", "--costs must name features, got 'asch'. Did you mean 'ash'"),
        (["--costs", "x.csv"], "ash,1,2\n", "line 1 of x.csv must have a name and a cost"),
        (["--costs", "x.csv"], "name,cost\nash,many\n", "line 2 of x.csv must have a positive"),
        (["--costs", "x.csv"], "ash;1\nash;2\n", "line 2 of x.csv must name a new feature"),
        (["--costs", "x.csv"], "name,cost\n", "--costs must be a file with a name and a cost"),
        (["--costs", "a=x.csv"], "ash,1,2\n", "--costs: line 1 of a=x.csv must have a name"),
        (["--costs", "y.csv"], "", "or a readable file, got 'y.csv' (No such file"),
        (
            ["--costs", "ash=2", "--n-features", "3"],
            "",
            "--n-features must be left out with --costs",
        ),
    ],
)
def test_wrong_costs_are_refused(in_process, tmp_path, monkeypatch, options, content, sentence):
    monkeypatch.chdir(tmp_path)
    for name in ("x.csv", "a=x.csv"):
        (tmp_path / name).write_text(content)
    code, _, err = in_process("reducts", "wine", *options, "-q")
    assert code == 2
    assert sentence in err


def test_a_column_may_be_lost(in_process):
    code, out, _ = in_process(
        "reducts", "wine", "--survives", "1", "--search", "exact", "--no-check", "-q"
    )
    assert code == 0
    assert "as all columns do, even if any one of them is lost." in out
    assert "survives    the loss of any one of them" in out
    assert "There are exactly 13 such subsets." in out
    code, _, err = in_process("reducts", "wine", "--survives", "9", "--no-check", "-q")
    assert code == 2
    assert "--survives must be less than 9 for this table and dependency" in err


def test_samples_may_be_set_aside(in_process, tmp_path):
    page = tmp_path / "page.html"
    asked = ["reducts", "wine", "--max-lost", "3", "--no-check", "-q"]
    code, out, _ = in_process(*asked, "--search", "exact")
    assert code == 0
    assert "4 features are the fewest with at most 3 samples set aside." in out
    _, out, _ = in_process(*asked, "--report", str(page))  # a proof need not look at fewer
    assert "set aside   3 samples: sample 38, sample 79, sample 65" in out
    curve = "with 1 feature: 169, 2 features: 109, 3 features: 36"
    assert f"curve       fewest samples set aside that were found {curve}" in out
    assert "3 samples: sample 38, sample 79, sample 65" in page.read_text()
