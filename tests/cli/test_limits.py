"""Limits and Ctrl-C on tables whose every evaluation is long, as real processes."""

import signal
import subprocess
import time

import numpy as np
import pytest

from cli_process import COMMAND, environment
from fuzzyfrog.result import Result

pytestmark = pytest.mark.long
PATIENCE = 120  # seconds beyond a limit, on however busy a machine


@pytest.fixture(scope="module", params=["classes", "numeric", "wide"])
def table(request, tmp_path_factory):
    """Return a table that takes minutes to search, as a file and by its kind."""
    rng = np.random.default_rng(0)
    shape = (300, 20_000) if request.param == "wide" else (60_000, 30)
    X = rng.normal(size=shape)
    y = X[:, :5].sum(axis=1) if request.param == "numeric" else (X[:, :5].sum(axis=1) > 0) * 1.0
    path = tmp_path_factory.mktemp("large") / f"{request.param}.npy"
    np.save(path, np.column_stack([X, y]))
    return path


def started(table, folder, *arguments, command="reducts"):
    kind = "numeric" if table.stem == "numeric" else "class"
    target = ["--target", f"x{np.load(table, 'r').shape[1] - 1}", "--target-kind", kind]
    files = ["--save", "run.json", "--report", "page.html"]
    return subprocess.Popen(  # noqa: S603 - our own interpreter and code
        [*COMMAND, command, str(table), *target, *files, *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", env=environment(),
        cwd=folder,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("command", "more"),
    [
        ("reducts", ()),
        ("reducts", ("--certify",)),
        ("reducts", ("--sample", "3000")),
        ("select", ()),
    ],
)
def test_a_limit_holds_and_there_is_an_answer(table, command, more, tmp_path):
    if table.stem == "wide" and "--sample" in more:
        more = ("--sample", "100")
    begun = time.monotonic()
    process = started(table, tmp_path, "--max-seconds", "4", *more, command=command)
    _, said = process.communicate(timeout=10 * PATIENCE)
    assert process.returncode == (3 if "--certify" in more else 0), said
    run = Result.load(tmp_path / "run.json")
    assert run.selected
    assert run.seconds < 4 + PATIENCE
    assert time.monotonic() - begun < 3 * PATIENCE
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert run.is_explained == ("was not measured, because time ran out" not in page)
    for note in run.notes:
        assert note in said or "subsets on a sample of the" in note  # that is no warning


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("seconds", [1, 4, 8])
def test_a_signal_is_answered_at_once_whatever_is_under_way(table, kind, seconds, tmp_path):
    process = started(table, tmp_path)
    assert process.stderr.readline()  # the first progress
    time.sleep(seconds)
    is_running = process.poll() is None
    process.send_signal(kind)
    _, said = process.communicate(timeout=PATIENCE)
    if not is_running:
        assert process.returncode == 0
        assert (tmp_path / "run.json").exists()
        return
    assert process.returncode == 130
    if "nothing is written" not in said:
        told = ("stopping with", "leaving out the check", "the same command continues")
        assert any(one in said for one in told)
        assert (tmp_path / "run.json").exists() or "the same command continues" in said
