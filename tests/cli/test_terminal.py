"""What is seen on a terminal: a real pseudo-terminal, wide and narrow, with and without colors."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios

import pytest
from rich.cells import cell_len

from cli_process import COMMAND, environment
from fuzzyfrog import ReductSelector, read_table
from fuzzyfrog.cli.console import stdout

ESCAPE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
COLOR = re.compile(r"\x1b\[[0-9;]*(3[0-9]|9[0-7])[0-9;]*m")


def seen(columns: int, folder, *arguments: str, **changes: str) -> str:
    """Return all that a terminal of N columns is sent."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen(  # noqa: S603 - our own interpreter and code
        [*COMMAND, *arguments],
        stdin=theirs, stdout=theirs, stderr=theirs, env=environment(**changes), cwd=folder,
    ) as process:  # fmt: skip
        os.close(theirs)
        sent = b""
        while chunk := _read(ours):
            sent += chunk
    os.close(ours)
    assert process.returncode == 0, sent.decode(errors="replace")
    return sent.decode().replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other side is closed
        return b""


def lines_of(sent: str) -> list[str]:
    """Return all lines that were ever seen, those of the progress included."""
    return [line for line in re.split(r"[\n\r]", ESCAPE.sub("", sent)) if line.strip()]


HOSTILE = ["\x1b[2Jwiped", "[bold red]x[/]", "y" * 500, "木" * 60, "\u202egnp.exe"]


@pytest.fixture
def hostile(tmp_path):
    names = ",".join(HOSTILE)
    rows = [f"{i},{i * i % 7},{i * 3 % 5},{i % 4},{i * 5 % 11},{'ab'[i % 2]}" for i in range(30)]
    path = tmp_path / "hostile.csv"
    path.write_text("\n".join([f"{names},class", *rows]), encoding="utf-8")
    return path


def test_progress_moves_on_a_wide_terminal_and_is_gone_in_the_end(tmp_path):
    sent = seen(110, tmp_path, "reducts", "digits", "--max-evaluations", "1500", "--no-check")
    assert COLOR.search(sent)
    progress = [line for line in lines_of(sent) if "combinations tried, " in line]
    assert len(progress) > 1
    tried = r"choosing columns, \d+ so far, [\d,]+ combinations tried, "
    assert re.search(tried, progress[-1])
    assert "━" in progress[-1]
    *_, last_frame = sent.rpartition("\x1b[2K")
    assert last_frame.startswith("\x1b[1mdigits: 1,797 samples")


@pytest.mark.long
def test_a_narrow_terminal_without_colors(tmp_path, hostile):
    sent = seen(40, tmp_path, "reducts", "hostile.csv", "--target", "class", NO_COLOR="1")
    assert not COLOR.search(sent)
    assert all(cell_len(line) <= 40 for line in lines_of(sent))
    assert "\x1b[2Jwiped" not in sent
    assert "\u202e" not in sent


def test_names_are_printed_whole_and_harmless_in_a_pipe(in_process, hostile):
    options = ["--include", ",".join(HOSTILE), "-q"]
    code, out, _ = in_process("reducts", hostile, "--target", "class", *options)
    assert code == 0
    assert "\x1b" not in out
    for shown in (r"\x1b[2Jwiped", "[bold red]x[/]", "y" * 500, "木" * 60, r"\u202egnp.exe"):
        assert f"\n  {shown}" in out


@pytest.fixture(scope="module")
def long_names(tmp_path_factory):
    """A folder with a table whose names have thousands of letters, and with the run on it."""
    folder = tmp_path_factory.mktemp("long_names")
    twins = ("n" * 3000, "m" * 3000)
    rows = [f"{i % 6},{5 - i % 6},{i * 7 % 24},{'ab'[i % 6 > 2]}{'c' * 300}" for i in range(24)]
    (folder / "long.csv").write_text("\n".join([",".join([*twins, "other,class"]), *rows]))
    data = read_table(folder / "long.csv", "class")
    ReductSelector("quickreduct", certify=True).fit(data).record().save(folder / "run.json")
    return folder


@pytest.mark.parametrize(
    "command",
    [
        ("reducts", "long.csv", "--target", "class", "--certify", "-q"),
        ("reducts", "--all", "long.csv", "--target", "class", "-q"),
        ("explain", "run.json"),
        ("explain", "run.json", "--feature", "n" * 3000),
    ],
    ids=lambda command: " ".join(command)[:30],
)
def test_a_name_of_thousands_of_letters_fits_into_a_terminal(
    in_process, long_names, monkeypatch, command
):
    monkeypatch.chdir(long_names)
    for width in ("80", "200"):
        monkeypatch.setenv("FORCE_COLOR", "1")  # which makes a terminal of anything
        monkeypatch.setenv("COLUMNS", width)
        stdout.cache_clear()
        code, out, _ = in_process(*command)
        assert code == 0
        assert "nnn…" in out or "mmm…" in out
        assert all(cell_len(line) <= max(int(width), 150) for line in lines_of(out))
        assert len(lines_of(out)) < 25


@pytest.mark.parametrize(
    "command",
    [
        ("explain", "run.json", "--feature", "n" * 2990),
        ("score", "long.csv", "--target", "class", "--features", "n" * 2990),
    ],
)
def test_a_message_does_not_repeat_thousands_of_letters(
    in_process, long_names, monkeypatch, command
):
    monkeypatch.chdir(long_names)
    code, _, err = in_process(*command)
    assert code == 2
    assert len(err) < 600


def test_a_name_of_thousands_of_letters_widens_no_other_line_in_a_pipe(
    in_process, long_names, monkeypatch
):
    monkeypatch.chdir(long_names)
    for command in (("reducts", "long.csv", "--target", "class", "-q"), ("explain", "run.json")):
        lines = in_process(*command)[1].splitlines()
        long = [line for line in lines if len(line) > 150]
        assert long
        assert all("n" * 3000 in line or "m" * 3000 in line for line in long)


def test_a_dumb_terminal_gets_no_escape_sequences(selected):
    sent = seen(80, selected.folder, "explain", "run.json", TERM="dumb")
    assert "\x1b" not in sent
    assert sent.startswith("Change without each of the 5 selected features of wine:\n")
