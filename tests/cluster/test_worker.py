"""Which tables a worker process keeps, and for how long."""

import threading
from collections import OrderedDict

import pytest
from dask.sizeof import sizeof

from cluster.inside import threads
from cluster.made import agree, made_measure, made_subsets, on
from fuzzyfrog.cluster import worker
from fuzzyfrog.cluster.client import TableMissingError
from fuzzyfrog.cluster.measure import _table_of
from fuzzyfrog.cluster.worker import _Held, _make_room, measure_of


@pytest.fixture
def shelf(monkeypatch):
    """No tables in this process, and afterwards those that were there before."""
    shelf = OrderedDict()
    monkeypatch.setattr(worker, "_tables", shelf)
    return shelf


def put(shelf, n_tables):
    for k in range(n_tables):
        shelf[f"table {k}"] = _Held(_table_of(made_measure()))


def numbers(shelf):
    return [int(name.split()[1]) for name in shelf]


def test_tables_in_use_stay(shelf):
    put(shelf, 5)
    _make_room(None)
    assert numbers(shelf) == [0, 1, 2, 3, 4]


def test_of_tables_that_are_left_behind_two_stay(shelf):
    put(shelf, 5)
    for held in shelf.values():
        held.last_use -= worker.IN_USE_SECONDS
    _make_room(None)
    assert numbers(shelf) == [3, 4]


def test_a_task_keeps_its_table_in_use(shelf):
    put(shelf, 5)
    for held in shelf.values():
        held.last_use -= worker.IN_USE_SECONDS
    for k in (0, 2, 3):
        measure_of(f"table {k}")
    _make_room(None)
    assert numbers(shelf) == [0, 2, 3]


def test_more_than_eight_push_each_other_out(shelf):
    put(shelf, 10)
    _make_room(None)
    assert numbers(shelf) == list(range(2, 10))


def test_no_more_tables_in_use_than_the_memory_holds(shelf):
    put(shelf, 6)
    one = 7 * 150 * worker.BYTES_PER_CELL
    _make_room(int(4.5 * one / worker.SHARE))
    assert numbers(shelf) == [2, 3, 4, 5]
    _make_room(one)  # the layout has seen to it that there is room for two
    assert numbers(shelf) == [4, 5]


def test_a_table_is_not_made_a_measure_twice(shelf):
    put(shelf, 1)
    assert measure_of("table 0") is measure_of("table 0")
    with pytest.raises(TableMissingError, match="no table 7 in"):
        measure_of("7")


def test_no_table_waits_for_the_measure_of_another(shelf):
    put(shelf, 2)
    asking = threading.Thread(target=measure_of, args=("table 1",), daemon=True)
    with shelf["table 0"]._building:  # somebody is at it
        asking.start()
        asking.join(20)
        assert not asking.is_alive()


def test_dask_sees_what_it_moves():
    measure = made_measure(n_samples=2000)
    assert sizeof(_table_of(measure)) > measure.dataset.values.nbytes


def test_a_table_that_was_pushed_out_is_sent_again(shelf):
    with threads() as (_, client):
        measure = made_measure(n_samples=144)
        first = on(client, measure, "copies")
        shelf.clear()
        agree(first, measure, made_subsets())
        assert len(shelf) == 1
