import errno
import os
import resource
import shutil
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import openpyxl
import pytest

from cli_process import COMMAND, environment, untraced
from fuzzyfrog.cli import outputs, selecting
from fuzzyfrog.cli.errors import UsageError
from fuzzyfrog.cli.outputs import check_outputs
from fuzzyfrog.common.files import written_whole
from fuzzyfrog.result import Result
from fuzzyfrog.search import checkpoint
from fuzzyfrog.select import explain
from fuzzyfrog.select.strict import Strict


def refusal(path: Path, table: str | None = None) -> str:
    with pytest.raises(UsageError) as caught:
        check_outputs({"--output": path}, None if table is None else os.stat(table))
    return str(caught.value)


def test_paths_that_cannot_be_written_are_refused(tmp_path):
    assert "must be a file, got the folder" in refusal(tmp_path)
    assert "in a folder that exists" in refusal(tmp_path / "nowhere" / "x.csv")
    assert "a pipe or device" in refusal(Path("/dev/null"))
    (tmp_path / "file").write_text("")
    assert "in a folder that exists" in refusal(tmp_path / "file" / "x.csv")
    assert list(tmp_path.iterdir()) == [tmp_path / "file"]


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
def test_folders_and_files_without_permission_are_refused(tmp_path):
    (tmp_path / "x.csv").write_text("")
    (tmp_path / "x.csv").chmod(0o400)
    assert "read-only" in refusal(tmp_path / "x.csv")
    tmp_path.chmod(0o500)
    assert "Check the permissions" in refusal(tmp_path / "y.csv")


def test_the_table_is_never_written_over(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("a,b\n")
    (tmp_path / "link.csv").symlink_to(table)
    os.link(table, tmp_path / "same.csv")
    for name in ("table.csv", "link.csv", "same.csv", "../" + tmp_path.name + "/table.csv"):
        assert "must not be the file that is read" in refusal(tmp_path / name, str(table))


def test_the_file_behind_stdin_is_never_written_over(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("a,b\n")
    with table.open() as stream:
        done = subprocess.run(  # noqa: S603 - our own interpreter and code
            [*COMMAND, "reducts", "-", "--target", "b", "--output", table],
            stdin=stream, capture_output=True, encoding="utf-8", env=environment(), timeout=600,
            check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert "--output must not be the file that is read" in done.stderr


def test_the_files_of_the_checkpoint_are_no_outputs(in_process, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("run.json.scores", "run.json.scores.lock"):
        code, _, err = in_process("reducts", "wine", "--save", "run.json", "--report", name)
        assert code == 2
        assert "of --save must be a different file from --report" in err


@pytest.mark.parametrize("option", ["--save", "--output"])
def test_an_empty_name_is_refused(in_process, option):
    code, _, err = in_process("reducts", "wine", option, "")
    assert (code, err) == (
        2, f"fuzzyfrog: {option} must be a file, got the folder '.'. Add the name of a file.\n"
    )  # fmt: skip


def test_two_outputs_are_two_files(tmp_path):
    with pytest.raises(UsageError, match="--save must be a different file from --report"):
        check_outputs({"--report": tmp_path / "x", "--save": tmp_path / "." / "x"})


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("before")
    with suppress(KeyboardInterrupt), written_whole(path) as temporary:
        temporary.write_text("half")
        raise KeyboardInterrupt
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]
    with written_whole(path) as temporary:
        assert temporary.suffix == ".csv"
        temporary.write_text("after")
    assert path.read_text() == "after"


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "link.csv").symlink_to(tmp_path / "goal")
    with written_whole(tmp_path / "link.csv") as temporary:
        assert temporary.suffix == ".csv"  # the format that was asked for
        temporary.write_text("content")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "goal").read_text() == "content"


def test_a_file_keeps_its_permissions_and_a_new_one_has_the_usual_ones(tmp_path):
    old, new, usual = tmp_path / "old", tmp_path / "new", tmp_path / "usual"
    old.write_text("")
    old.chmod(0o640)
    usual.write_text("")
    for path in (old, new):
        with written_whole(path) as temporary:
            temporary.write_text("content")
    assert old.stat().st_mode & 0o777 == 0o640
    assert new.stat().st_mode == usual.stat().st_mode


def test_a_long_name_can_be_written_and_a_too_long_one_is_refused(tmp_path):
    path = tmp_path / ("x" * 244 + ".csv.gz")
    check_outputs({"--output": path})
    with written_whole(path) as temporary:
        assert temporary.name.endswith(".csv.gz")
        temporary.write_text("")
    assert "File name too long). Check" in refusal(tmp_path / ("x" * 300))


def test_a_link_to_itself_is_refused(tmp_path):
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    assert "--output must be a valid path" in refusal(loop)
    with pytest.raises(OSError, match="symbolic links"), written_whole(loop):
        pass
    assert loop.is_symlink()


def no_file_of_more_than(n_bytes: int):
    """Make every file end after N bytes, as on a full disk."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, n_bytes))


def test_a_file_that_cannot_be_written_does_not_cost_the_others(tmp_path):
    """The page is large, the record and the reduced table are small."""
    names = ["--save", "run.json", "--output", "reduced.csv", "--report", "page.html"]
    done = subprocess.run(  # noqa: S603 - our own interpreter and code
        [*COMMAND, "reducts", "iris", "--search", "quickreduct", "--no-check", "-q", *names],
        capture_output=True, encoding="utf-8", env=untraced(), timeout=600, cwd=tmp_path,
        check=False, preexec_fn=no_file_of_more_than(20_000),
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == "fuzzyfrog: page.html could not be written (File too large).\n"
    assert "Written: run.json" in done.stdout
    assert "Written: page.html" not in done.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["reduced.csv", "run.json"]


def test_a_folder_that_is_gone_meanwhile_costs_only_its_files(tmp_path, in_process, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gone").mkdir()
    selected = selecting._selected

    def removed(*arguments):
        shutil.rmtree(tmp_path / "gone")
        return selected(*arguments)

    monkeypatch.setattr(selecting, "_selected", removed)
    code, out, err = in_process(
        "reducts", "iris", "--search", "quickreduct", "--no-check", "-q",
        "--report", "gone/page.html", "--output", "gone/reduced.csv", "--save", "run.json",
    )  # fmt: skip
    assert code == 1
    assert [line for line in err.splitlines() if "could not be written" in line] == [
        "fuzzyfrog: gone/reduced.csv could not be written (No such file or directory).",
        "fuzzyfrog: gone/page.html could not be written (No such file or directory).",
    ]
    assert "Written: run.json" in out
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


def test_the_scores_stay_when_the_record_cannot_be_written(tmp_path, in_process, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("fuzzyfrog.result.Result.save", full)
    code, out, err = in_process(
        "reducts", "iris", "--search", "quickreduct", "--no-check", "-q", "--save", "run.json"
    )
    assert (code, err) == (
        1,
        "fuzzyfrog: run.json could not be written (No space left on device).\n",
    )
    assert "To continue this run, repeat the command." in out
    assert [path.name for path in tmp_path.iterdir()] == ["run.json.scores"]


def test_all_features_after_ctrl_c_are_written_without_explanations(
    tmp_path, in_process, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    measured = Strict.measured

    def interrupted(self, dataset, n_jobs):
        monkeypatch.setattr(Strict, "measured", measured)
        signal.raise_signal(signal.SIGINT)
        return measured(self, dataset, n_jobs)

    monkeypatch.setattr(Strict, "measured", interrupted)
    code, out, _ = in_process("reducts", "wine", "-q", "--save", "run.json")
    assert code == 130
    assert "Written: run.json, for fuzzyfrog report\n" in out
    run = Result.load(Path("run.json"))
    assert {one.role for one in run.columns} == {"selected"}
    assert "There was no time to score every column." in run.notes
    assert "because it was interrupted. Run it again" in in_process("explain", "run.json")[2]


def test_a_budget_that_is_used_up_must_be_raised_to_continue(tmp_path, in_process, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked = ["reducts", "wine", "--no-check", "-q", "--save", "run.json", "--max-evaluations"]
    for budget in ("20", "20", "40"):
        _, out, _ = in_process(*asked, budget)
        assert "continue this run, repeat the command with a higher --max-evaluations." in out
        assert f"after {budget} evaluations" in out


def test_the_page_of_a_saved_run_that_cannot_be_written_is_named(tmp_path, in_process):
    run = tmp_path / "run.json"
    assert (
        in_process("reducts", "iris", "--search", "quickreduct", "--no-check", "-q", "--save", run)[
            0
        ]
        == 0
    )
    done = subprocess.run(  # noqa: S603 - our own interpreter and code
        [*COMMAND, "report", run, "--output", "page.html"],
        capture_output=True, encoding="utf-8", env=untraced(), timeout=600, cwd=tmp_path,
        check=False, preexec_fn=no_file_of_more_than(20_000),
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "fuzzyfrog: page.html could not be written (File too large).\n"


def test_the_file_of_a_proof_is_named_as_the_search_names_it(tmp_path):
    assert outputs.place_file(tmp_path / "x") == checkpoint.place_file(tmp_path / "x")


def test_a_reduced_table_has_the_date_whose_part_was_selected(in_process, tmp_path):
    rows = "".join(f"{k * 7 % 5},2024-{k % 12 + 1:02}-10,{'ab'[k % 12 > 5]}\n" for k in range(60))
    path = tmp_path / "dates.csv"
    path.write_text(f"noise,day,class\n{rows}", encoding="utf-8")
    out = tmp_path / "reduced.csv"
    options = [
        "--target",
        "class",
        "--dates",
        "parts",
        "--include",
        "day_month",
        "--n-features",
        "1",
    ]
    code, said, _ = in_process("reducts", path, *options, "--output", out, "--no-check", "-q")
    assert code == 0
    assert "day_month" in said
    assert out.read_text(encoding="utf-8").splitlines()[:2] == ["day,class", "2024-01-10,a"]


def test_a_reduced_table_keeps_ids_and_says_so(in_process, tmp_path):
    rows = "".join(
        f"p{row},{row // 2},{row * 7 % 5},{row % 12},{'ab'[row % 12 > 5]}\n" for row in range(60)
    )
    path, out = tmp_path / "visits.csv", tmp_path / "reduced.xlsx"
    path.write_text(f"who,patient,noise,size,class\n{rows}p60,30,1,3,\n", encoding="utf-8")
    asked = ["reducts", path, "--target", "class", "--output", out, "--no-check", "-q"]
    code, said, _ = in_process(*asked, "--id", "who", "--include", "size", "--n-features", "1")
    assert code == 0
    assert (
        "reduced.xlsx, the reduced table, with 'who', 'patient'; it has all 61 rows, also 1 "
        "row left out above\n"
    ) in said
    sheet = openpyxl.load_workbook(out).active
    assert [[cell.value for cell in sheet[row]] for row in (1, 2, 62)] == [
        ["who", "patient", "size", "class"],
        ["p0", 0, 0, "a"],
        ["p60", 30, 3, None],
    ]
    code, _, _ = in_process(*asked, "--groups", "patient", "--ignore", "who", "--include", "size",
                            "--n-features", "1")  # fmt: skip
    assert code == 0
    sheet = openpyxl.load_workbook(out).active
    assert [cell.value for cell in sheet[1]] == ["patient", "size", "class"]


def test_no_rows_keeps_values_out_of_every_file(in_process, tmp_path):
    table = tmp_path / "people.csv"
    lines = [f"{'smith' if row % 2 else 'jones'}{row},{314159265000 + row * 17 % 101},{row % 3}\n"
             for row in range(60)]  # fmt: skip
    table.write_text("who,income,kind\n" + "".join(lines))
    asked = ["reducts", table, "--target", "kind", "--id", "who", "--no-check"]
    for share in ([], ["--no-rows"]):
        files = ["--save", tmp_path / "run.json", "--report", tmp_path / "run.html"]
        code, printed, _ = in_process(*asked, *share, *files, "--json")
        assert code == 0
        saved = (tmp_path / "run.json").read_text(), (tmp_path / "run.html").read_text()
        for text in (printed, *saved):
            # Shorter numbers are among the digits of some duration now and then.
            values = "smith", "314159265017", 'class="bins"'
            assert any(one in text for one in values) == (not share)


ASKED = ("reducts", "wine", "-q", "--save", "run.json", "--output", "out.csv", "--report", "p.html")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (MemoryError("all of it"), "There was too little memory to explain why each"),
        (TypeError("a mistake"), "selected could not be explained (TypeError: a mistake)"),
    ],
)
def test_what_fails_while_the_result_is_explained_costs_no_result(
    in_process, tmp_path, monkeypatch, error, said
):
    def fail(*_):
        raise error

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(explain, "examples_of", fail)
    code, out, err = in_process(*ASKED, "--no-check", "--max-evaluations", "300")
    assert code == 0
    assert out.startswith("wine: 178 samples")
    assert said in err
    assert said in " ".join(Result.load(Path("run.json")).notes)
    assert Path("out.csv").exists()
    assert Path("p.html").exists()


def test_the_answer_is_written_before_it_is_explained(in_process, tmp_path, monkeypatch):
    """What explains it may use up the memory, and then the system kills the process."""

    class Killed(BaseException):
        pass

    def die(*_):
        raise Killed

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(explain, "examples_of", die)
    with pytest.raises(Killed):
        in_process(*ASKED, "--no-check", "--no-rows", "--max-evaluations", "300")
    run = Result.load(Path("run.json"))
    assert "The run ended before it was explained why each feature is selected." in run.notes
    assert run.data_sample is None, "no rows here either"
    header = Path("out.csv").read_text(encoding="utf-8").partition("\n")[0]
    assert header.split(",") == [*run.names(run.selected), "class"]
    assert not Path("p.html").exists()
