"""Which tables a worker process keeps."""

import threading
from collections import OrderedDict

import pytest
from dask.sizeof import sizeof

from cluster.inside import threads
from cluster.made import agree, made_measure, made_subsets, on
from fuzzyfrog.cluster import worker
from fuzzyfrog.cluster.client import TableMissingError
from fuzzyfrog.cluster.worker import Table, forget, holds, keep, measure_of


@pytest.fixture
def shelf(monkeypatch):
    """No tables in this process, and afterwards those that were there before."""
    shelf = OrderedDict()
    monkeypatch.setattr(worker, "_tables", shelf)
    return shelf


def table(n_samples=150):
    measure = made_measure(n_samples=n_samples)
    return Table(measure.dataset, measure.recipe())


def put(n_tables):
    for k in range(n_tables):
        keep(f"table {k}", table())


def test_of_more_than_eight_the_one_used_longest_ago_goes(shelf):
    put(8)
    measure_of("table 0")
    keep("another", table())
    assert [name for name in shelf if not holds(name)] == []
    assert not holds("table 1")
    assert holds("table 0")
    assert len(shelf) == 8


def test_a_table_is_not_made_a_measure_twice(shelf):
    put(1)
    assert measure_of("table 0") is measure_of("table 0")
    forget("table 0")
    with pytest.raises(TableMissingError, match="no table table 0 in"):
        measure_of("table 0")


def test_no_table_waits_for_the_measure_of_another(shelf):
    put(2)
    asking = threading.Thread(target=measure_of, args=("table 1",), daemon=True)
    with shelf["table 0"]._making:  # somebody is at it
        asking.start()
        asking.join(600)
        assert not asking.is_alive()


def test_dask_sees_what_it_moves():
    assert sizeof(table(2000)) > made_measure(n_samples=2000).dataset.values.nbytes


def test_a_table_that_was_pushed_out_is_sent_again(shelf):
    with threads() as (_, client):
        measure = made_measure(n_samples=144)
        first = on(client, measure, "copies")
        shelf.clear()
        agree(first, measure, made_subsets())
        assert len(shelf) == 1
