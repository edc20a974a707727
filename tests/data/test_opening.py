import gzip
import os

import pytest

from fuzzyfrog.data import read_table
from fuzzyfrog.errors import DataError

CSV = b"a,class\n1,x\n2,y\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,class\n1,x\n2,ä\n".encode("latin-1"), "line 3 is not utf-8 (byte 0xe4 at position 3)"),
        ("a,class\n1,x\n".encode("utf-16"), "the file must be UTF-8, got UTF-16."),
        ("a,class\n1,x\n".encode("utf-16-be"), "line 1 holds a NUL byte"),
        (b"a,class\n1,x\n2,\0\n", "line 3 holds a NUL byte"),
    ],
)
def test_files_that_are_not_utf8(refusal, content, message):
    assert message in refusal("x.csv", content)


def test_half_a_character_is_refused(refusal):
    content = b"a,class\n1,x\n\\ud800,y\n"
    assert "line 3 is not raw_unicode_escape" in refusal(
        "x.csv", content, encoding="raw_unicode_escape"
    )


def test_a_line_has_a_limit(refusal, monkeypatch):
    monkeypatch.setattr("fuzzyfrog.data.formats.MAX_LINE_BYTES", 2**20)
    assert "line 2 is longer than 1 MiB" in refusal("x.csv", b"a,class\n" + b"1" * 2**21)


def test_a_missing_file_suggests_its_neighbors(write, tmp_path):
    write("wine.csv", CSV)
    with pytest.raises(DataError, match=r"wines\.csv: no such file. Did you mean 'wine\.csv'\?"):
        read_table(tmp_path / "wines.csv", "class")
    with pytest.raises(DataError, match="there is no folder"):
        read_table(tmp_path / "nowhere" / "wine.csv", "class")


def test_folders_and_pipes_are_no_files(tmp_path):
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(DataError, match="regular file, got a folder"):
        read_table(tmp_path / "folder.csv", "class")
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(DataError, match="regular file, got a pipe or device"):
        read_table(tmp_path / "pipe.csv", "class")


def test_broken_gzip_files(refusal):
    packed = gzip.compress(CSV * 1000)
    assert "cut off" in refusal("x.csv.gz", packed[: len(packed) // 2])
    assert "not a valid gzip file" in refusal("x.csv.gz", CSV)
    flipped = bytearray(packed)
    flipped[-6] ^= 1
    assert "not a valid gzip file" in refusal("x.csv.gz", bytes(flipped))


def test_a_gzip_bomb_is_stopped_by_its_ratio(refusal, monkeypatch):
    monkeypatch.setattr("fuzzyfrog.data.formats.RATIO_COUNTS_FROM_BYTES", 2**20)
    bomb = gzip.compress(b"a,class\n" + b"0,x\n" * 2**20)
    assert "more than 200 times its size" in refusal("x.csv.gz", bomb)


def test_a_gzip_file_has_a_limit(refusal, monkeypatch):
    monkeypatch.setattr("fuzzyfrog.data.formats.MAX_UNZIPPED_BYTES", 2**20)
    noise = b"a,class\n" + b"".join(b"%d,x\n" % (k * 7919**3) for k in range(2**17))
    assert "more than 0.000977 GiB" in refusal("x.csv.gz", gzip.compress(noise))


def test_a_well_packed_small_table_is_no_bomb(write):
    content = b"a,class\n" + b"0,x\n0,y\n" * 2**16
    packed = gzip.compress(content)
    assert len(content) > 200 * len(packed)
    assert read_table(write("x.csv.gz", packed), "class").n_samples == 2**17


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_without_permission(write):
    path = write("x.csv", CSV)
    path.chmod(0)
    with pytest.raises(DataError, match="Check the permissions"):
        read_table(path, "class")
