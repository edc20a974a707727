import pytest

from fuzzyfrog.common.resources import available_memory, in_memory, most_in_memory
from fuzzyfrog.errors import DataError, OutOfMemoryError

MEMINFO = "MemTotal:       32000 kB\nMemFree:         100 kB\nMemAvailable:   16000 kB\n"


@pytest.fixture
def system(tmp_path):
    """Write what a system reports about its memory, and return its path."""

    def write(**files):
        for name, text in {"proc/meminfo": MEMINFO, **files}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    return write


def test_the_machine_is_the_limit_where_there_is_no_other(system):
    assert available_memory(system()) == 16000 * 1024


def test_the_limit_of_a_control_group(system):
    group = "sys/fs/cgroup/box/"
    root = system(
        **{
            "proc/self/cgroup": "0::/box/inner\n",
            group + "memory.max": "5000000\n",
            group + "memory.current": "3000000\n",
            group + "memory.stat": "anon 7\nfile 900000\ninactive_file 500000\n",
            group + "inner/memory.max": "max\n",
            group + "inner/memory.current": "1000000\n",
        }
    )
    assert available_memory(root) == 2_500_000


def test_the_limit_of_a_control_group_of_the_first_kind(system):
    group = "sys/fs/cgroup/memory/box/"
    root = system(
        **{
            "proc/self/cgroup": "5:cpu,cpuacct:/\n4:memory:/box\n0::/\n",
            group + "memory.limit_in_bytes": "4000000\n",
            group + "memory.usage_in_bytes": "3900000\n",
            group + "memory.stat": "inactive_file 1\ntotal_inactive_file 200000\n",
        }
    )
    assert available_memory(root) == 300_000


def test_a_group_that_is_over_its_limit_leaves_nothing(system):
    group = "sys/fs/cgroup/"
    root = system(
        **{
            "proc/self/cgroup": "0::/\n",
            group + "memory.max": "100\n",
            group + "memory.current": "200\n",
        }
    )
    assert available_memory(root) == 0


def test_a_system_that_says_nothing(tmp_path):
    assert available_memory(tmp_path) > 10**6


def test_an_array_may_take_a_quarter(monkeypatch):
    monkeypatch.delenv("FUZZYFROG_SPILL_ABOVE", raising=False)
    assert 0 < most_in_memory() <= available_memory() // 2


@pytest.mark.parametrize(
    ("text", "size"),
    [("0", 0), ("500", 500), ("500MB", 5e8), ("1.5 gb", 1.5e9), (" 2k ", 2000), ("1T", 1e12)],
)
def test_the_limit_can_be_set(monkeypatch, text, size):
    monkeypatch.setenv("FUZZYFROG_SPILL_ABOVE", text)
    assert most_in_memory() == size


@pytest.mark.parametrize("text", ["much", "-1", "5 bananas", "1e9", "nan"])
def test_a_limit_that_is_no_size_is_refused(monkeypatch, text):
    monkeypatch.setenv("FUZZYFROG_SPILL_ABOVE", text)
    with pytest.raises(DataError, match="FUZZYFROG_SPILL_ABOVE must be a size such as '500MB'"):
        most_in_memory()


@pytest.mark.parametrize("said", ["can't start new thread", "Failed to launch worker thread: no"])
def test_a_thread_that_cannot_start_is_a_lack_of_memory(said):
    lack = pytest.raises(OutOfMemoryError, match="room for the table, got too little")
    with lack, in_memory("the table", "Read less."):
        raise RuntimeError(said)
    with pytest.raises(RuntimeError, match="another"), in_memory("the table", "Read less."):
        raise RuntimeError("another")
