"""``fuzzyfrog select --check``: when it runs, what it says, and what it must never cost."""

import json
import signal
import subprocess
import time

import numpy as np
import pytest

from cli_process import COMMAND, environment
from fuzzyfrog import FuzzyRoughSelector, check, load_dataset
from fuzzyfrog.cli.commands import select as select_command
from fuzzyfrog.records import Run
from fuzzyfrog.select import cross_validation

QUICK = ["--search", "quickreduct", "-q"]


@pytest.fixture
def titanic(tmp_path):
    """Return a table like that of Titanic: the column that predicts best separates nobody."""
    random = np.random.default_rng(1)
    rank, age, sex = random.integers(0, 2, (3, 500))
    survived = np.where(random.random(500) < 0.8, sex, 1 - sex)
    survived[(rank == 0) & (age == 0)] = 1  # the only samples without an enemy like them
    rows = zip(rank, age, sex, survived, strict=True)
    lines = [f"class {a},age {b},{'wm'[c]},{'ny'[d]}" for a, b, c, d in rows]
    path = tmp_path / "titanic.csv"
    path.write_text("\n".join(["class,age,sex,survived", *lines]), encoding="utf-8")
    return path


def test_the_check_is_that_of_the_library_and_part_of_the_record(fuzzyfrog, tmp_path):
    done = fuzzyfrog("select", "iris", *QUICK, "--check", "--json", "--save", "run.json")
    assert done.returncode == 0, done.stderr
    run = Run.from_json(done.stdout)
    assert run.check == check(FuzzyRoughSelector("quickreduct"), load_dataset("iris"))
    assert Run.load(tmp_path / "run.json").check == run.check
    assert json.loads(done.stdout)["run"]["check"]["metric"] == "balanced accuracy"


def test_without_a_check_nothing_is_claimed_about_models(in_process):
    code, out, _ = in_process("select", "wine", *QUICK, "--no-check")
    assert code == 0
    assert "models      not checked (--no-check)" in out
    assert "5 of 13 features separate these samples as well as all columns do." in out


def test_the_headline_yields_to_the_check(in_process, titanic):
    code, out, _ = in_process("select", titanic, "--target", "survived", "-q", "--check")
    assert code == 0
    lines = out.splitlines()
    doubts = [
        next(at for at, line in enumerate(lines) if line.startswith(start))
        for start in (
            "Models do worse with features selected this way: balanced accuracy ",
            "The strict measure takes shuffled columns about as often as real ones: ",
            "Even all columns together separate these samples poorly: their dependency is 0.2",
            "For prediction, use --measure soft: it selects ",
        )
    ]
    (claim,) = [at for at, line in enumerate(lines) if "as well as all columns do:" in line]
    assert doubts == sorted(doubts)
    assert doubts[-1] < claim
    assert "sex" in lines[doubts[-1]]
    assert "with which models reach balanced accuracy" in lines[doubts[-1]]


def test_left_out_it_says_how_long_and_how(in_process, titanic, monkeypatch):
    monkeypatch.setattr(select_command, "USUAL_SECONDS", 0.0)
    code, out, _ = in_process("select", titanic, "--target", "survived", "-q")
    assert code == 0
    (line,) = [line for line in out.splitlines() if line.startswith("models ")]
    assert line.startswith("models      not checked: it would take about ")
    assert line.endswith(" s; --check does it")
    # What is cheap is still there.
    assert "The strict measure takes shuffled columns about as often as real ones: " in out
    assert "For prediction, use --measure soft: it selects " in out
    assert "with which models reach" not in out


def test_a_slow_first_fold_ends_it(in_process, monkeypatch):
    monkeypatch.setattr(select_command, "USUAL_SECONDS", 0.01)
    monkeypatch.setattr(select_command, "DOUBT", 1e9)
    code, out, _ = in_process("select", "wine", *QUICK)
    assert code == 0
    assert "models      not checked: it would take about " in out
    assert "noise       " in out
    assert "balanced accuracy" in in_process("select", "wine", *QUICK, "--check")[1]


def test_the_time_limit_covers_it(in_process):
    code, out, _ = in_process("select", "wine", *QUICK, "--check", "--max-seconds", "0.5")
    assert code == 0
    assert "not checked: it would take about " in out
    assert "and --max-seconds leaves 0 s" in out


def test_a_check_that_is_late_is_given_up(in_process, monkeypatch):
    monkeypatch.setattr(select_command, "MOST_SECONDS", 0.0)
    code, out, _ = in_process("select", "iris", *QUICK)
    assert code == 0
    assert "models      not checked: it takes more than about 1 s; --check does it" in out


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (MemoryError(), "there was not enough memory"),
        (RuntimeError("odd\nthing"), "it failed (RuntimeError: odd thing)"),
    ],
)
def test_a_failure_of_the_check_is_not_one_of_the_selection(in_process, monkeypatch, error, reason):
    def fail(*_):
        raise error

    monkeypatch.setattr(cross_validation.CrossValidation, "checked", fail)
    code, out, err = in_process("select", "iris", *QUICK, "--check")
    assert (code, "Traceback" in err) == (0, False)
    assert f"models      not checked: {reason}" in out


def test_a_tiny_table_gets_a_sentence(in_process, tmp_path):
    table = tmp_path / "x.csv"
    table.write_text("a,b,class\n" + "1,2,p\n3,2,q\n" * 4, encoding="utf-8")
    code, out, err = in_process("select", table, "--target", "class", *QUICK, "--check")
    assert (code, err) == (0, "")
    assert "not checked: a check with 5 folds must have at least 20 samples, got 8." in out


def test_boosted_trees_are_checked_too(in_process):
    code, out, _ = in_process("select", "iris", "--search", "boosted", "--check", "--json", "-q")
    assert code == 0
    found = json.loads(out)["check"]
    assert [one["name"] for one in found["scores"]] == ["all", "selected"]
    code, out, _ = in_process("select", "iris", "--search", "boosted", "--no-check", "-q")
    assert "models      not checked (--no-check)" in out


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_costs_nothing_but_the_check(tmp_path, kind):
    random = np.random.default_rng(0)
    X = random.normal(size=(6_000, 12))
    np.save(tmp_path / "x.npy", np.column_stack([X, X[:, 0] + random.normal(size=6_000) > 0]))
    files = ["--save", "run.json", "--report", "page.html", "--output", "reduced.csv"]
    options = ["--target", "x12", "--search", "quickreduct", "--n-features", "2"]
    with subprocess.Popen(  # noqa: S603 - our own interpreter and code
        [*COMMAND, "select", "x.npy", *options, "--check", *files],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", env=environment(),
        cwd=tmp_path,
    ) as process:  # fmt: skip
        end = time.monotonic() + 100
        said = ""
        while "checking" not in said and time.monotonic() < end:
            said += process.stderr.readline()
        assert "checking with models, fold " in said
        process.send_signal(kind)
        told, more = process.communicate(timeout=100)
    assert process.returncode == 130
    assert "leaving out the check; the result is still printed and written" in more
    assert "models      not checked: it was interrupted" in told
    assert "2 of 12 features separate these samples" in told
    run = Run.load(tmp_path / "run.json")
    assert run.check.left_out.startswith("it was interrupted")
    assert run.stop_reason == "converged"
    assert (tmp_path / "page.html").exists()
    assert (tmp_path / "reduced.csv").exists()
