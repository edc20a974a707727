"""The check on the command line: when it runs, what it says, and what it must never cost."""

import json
import re
import signal
import subprocess
import sys

import numpy as np
import pytest

from cli_process import environment
from fuzzyfrog import ReductSelector, SoftSelector, check, load_dataset
from fuzzyfrog.result import Result
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
    done = fuzzyfrog("reducts", "iris", *QUICK, "--json", "--save", "run.json")
    assert done.returncode == 0, done.stderr
    run = Result.from_json(done.stdout)
    assert run.check == check(ReductSelector("quickreduct"), load_dataset("iris"))
    assert Result.load(tmp_path / "run.json").check == run.check
    assert json.loads(done.stdout)["result"]["check"]["metric"] == "balanced accuracy"


def test_without_a_check_nothing_is_claimed_about_models(in_process):
    code, out, _ = in_process("reducts", "wine", *QUICK, "--no-check")
    assert code == 0
    assert "models      not checked; run again without --no-check to find out" in out
    assert "5 of 13 features separate these samples as well as all columns do." in out


def test_the_headline_yields_to_the_check(in_process, titanic):
    code, out, _ = in_process("reducts", titanic, "--target", "survived", "-q")
    assert code == 0
    lines = out.splitlines()
    doubts = [
        next(at for at, line in enumerate(lines) if line.startswith(start))
        for start in (
            "2 of 3 columns: the best model scores ",
            "A column that separates these samples may be noise: ",
            "Even all columns together separate these samples poorly: their dependency is 0.2",
            "2 of 3 features separate these samples ",
            "For prediction, use fuzzyfrog select: it selects ",
        )
    ]
    assert doubts == sorted(doubts)
    assert re.search(r": a loss of 0\.\d{3}\.$", lines[doubts[0]])
    assert "with those of fuzzyfrog select 0." in lines[doubts[0]]
    assert "sex" in lines[doubts[-1]]


def test_how_models_do_is_said_before_the_columns(in_process):
    _, out, _ = in_process("reducts", "iris", "--search", "quickreduct", "-q")
    answer, columns = out.split("\n\n")[1:3]
    assert "the best model scores" in answer
    assert "in folds" in columns


def test_the_time_limit_covers_it(in_process):
    code, out, _ = in_process("reducts", "wine", *QUICK, "--max-seconds", "0.05")
    assert code == 0
    assert "\n\nNot checked with models: --max-seconds was over" in out


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

    monkeypatch.setattr(cross_validation, "check_settings", fail)
    code, out, err = in_process("reducts", "iris", *QUICK)
    assert (code, "Traceback" in err) == (0, False)
    assert f"\n\nNot checked with models: {reason}" in out


def test_folds_and_scores_can_be_chosen(in_process):
    code, out, _ = in_process(
        "select", "iris", "--folds", "3", "--scoring", "accuracy,neg_log_loss", "-q", "--json"
    )
    assert code == 0
    asked = {"cv": 3, "scoring": ["accuracy", "neg_log_loss"]}
    own = check(SoftSelector(random_state=0), load_dataset("iris"), **asked)
    assert Result.from_json(out).check == own
    assert own.metrics == ("accuracy", "neg log loss")
    for options, sentence in (
        (["--folds", "1"], "--folds must be an integer of at least 2, got 1"),
        (["--scoring", "roc"], "--scoring must be scorers of scikit-learn"),
        (["--scoring", "r2"], "--scoring must be scorers for a target of classes, such as bal"),
    ):
        code, _, err = in_process("select", "iris", "-q", *options)
        assert (code, sentence in err) == (2, True)


def test_a_tiny_table_gets_a_sentence(in_process, tmp_path):
    table = tmp_path / "x.csv"
    table.write_text("a,b,class\n" + "1,2,p\n3,4,q\n1,4,p\n3,2,q\n" * 2, encoding="utf-8")
    code, out, err = in_process("reducts", table, "--target", "class", *QUICK)
    assert (code, err) == (0, "")
    assert (
        "\n\nNot checked with models: a check with 5 folds must have at least 20 samples, got 8."
        in out
    )


# The command line, which gets a signal as soon as it checks.
SIGNALED = """
import os
from fuzzyfrog.cli import run
from fuzzyfrog.select import cross_validation
check_settings = cross_validation.check_settings

def signal_and_check(*given):
    os.kill(os.getpid(), {kind:d})
    return check_settings(*given)

cross_validation.check_settings = signal_and_check
run()
"""


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_costs_nothing_but_the_check(tmp_path, kind):
    files = ["--save", "run.json", "--report", "page.html", "--output", "reduced.csv"]
    arguments = ["reducts", "wine", *QUICK, "--n-features", "2", *files]
    done = subprocess.run(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-c", SIGNALED.format(kind=kind), *arguments],
        capture_output=True, encoding="utf-8", env=environment(), cwd=tmp_path, timeout=600,
        check=False,
    )  # fmt: skip
    assert done.returncode == 130
    assert "leaving out the check; the result is still printed and written" in done.stderr
    assert "\n\nNot checked with models: it was interrupted" in done.stdout
    assert "2 of 13 features separate these samples" in done.stdout
    run = Result.load(tmp_path / "run.json")
    assert run.check.left_out.startswith("it was interrupted")
    assert run.stop_reason == "converged"
    assert (tmp_path / "page.html").exists()
    assert (tmp_path / "reduced.csv").exists()


def test_a_leak_and_a_quantity_are_said_once(in_process, tmp_path):
    rng = np.random.default_rng(0)
    lines = [f"{a},{b},{rng.normal():.3f},{a + b}\n" for a, b in rng.integers(9, 99, (90, 2))]
    table = tmp_path / "bikes.csv"
    table.write_text("casual,registered,temp,bikers\n" + "".join(lines))
    asked = ["select", table, "--target", "bikers", "--no-check", "-q"]
    code, out, err = in_process(*asked)
    assert (code, err) == (0, "")
    assert "bikers: a quantity, 68 different whole numbers; --target-kind class if" in out
    assert out.count("'casual' + 'registered' is the target.") == 1
    assert "leave them out with --ignore casual,registered." in out
    code, out, err = in_process(*asked, "--json")
    assert code == 0
    assert err.count("'casual' + 'registered' is the target.") == 1
    assert "taken as a quantity" in err


def test_numbers_that_are_read_as_labels_are_said_once_before_the_headline(in_process, tmp_path):
    lines = [f"${k * 37 % 90}.50,{k * 7 % 30},{'xy'[k % 2]}\n" for k in range(88)]
    table = tmp_path / "orders.csv"
    table.write_text("sales,left,kind\n" + "".join(lines) + "-,3,x\n-,5,y\n")
    for target, said in (
        ("kind", "feature 'sales' holds numbers except '-', so it is treated as categorical"),
        ("sales", "The target holds numbers except '-', so its 89 different values are classes."),
    ):
        code, out, err = in_process("select", table, "--target", target, "--no-check", "-q")
        assert (code, err.count("numbers except")) == (0, 0)
        assert out.count("numbers except") == 1
        assert said in out.partition("Judged by")[0]
