"""Unions that a worker process keeps: never more than it has threads."""

from contextlib import ExitStack

import pytest

from cluster.made import made_measure
from fuzzyfrog.cluster.sharded import Unions, cut, unite


def made():
    """Return a new union."""
    return unite(cut(made_measure(n_samples=20)._geometry, 0, 1))


def never():
    raise AssertionError("the union is there already")


def test_a_union_is_kept_for_the_next_task():
    unions = Unions()
    with unions.lent("a 0", made) as first:
        assert unions.n_kept("a") == 0  # it is in use
    with unions.lent("a 0", never) as second:
        assert second is first


def test_the_last_one_is_let_go_of_before_another_is_made():
    unions, seen = Unions(), []
    with unions.lent("a 0", made):
        pass

    def make():
        seen.append(unions.n_kept("a"))
        return made()

    with unions.lent("a 1", make):
        pass
    assert seen == [0]
    assert unions.n_kept("a 0") == 0
    assert unions.n_kept("a 1") == 1


def test_as_many_are_kept_as_were_in_use_at_one_time():
    unions = Unions()
    with ExitStack() as tasks:
        for mark in ("a 0", "a 1", "b 0"):
            tasks.enter_context(unions.lent(mark, made))
    assert unions.n_kept("") == 3
    with unions.lent("b 1", made):
        assert unions.n_kept("") == 2
    assert [unions.n_kept(mark) for mark in ("a 0", "a 1", "b 0", "b 1")] == [1, 1, 0, 1]


def test_two_tasks_never_have_the_same_union():
    unions = Unions()
    with unions.lent("a 0", made), unions.lent("a 1", made):
        pass
    with unions.lent("a 0", never) as one, unions.lent("a 0", made) as other:
        assert one is not other


def test_a_table_is_forgotten():
    unions = Unions()
    with unions.lent("a 0", made), unions.lent("b 0", made):
        pass
    unions.forget("a")
    assert (unions.n_kept("a"), unions.n_kept("b")) == (0, 1)


def test_a_union_that_cannot_be_made_takes_no_room():
    unions = Unions()
    with unions.lent("a 0", made), unions.lent("a 1", made):
        pass
    for _ in range(2):
        with pytest.raises(AssertionError), unions.lent("a 2", never):
            pass
    for mark in ("a 3", "a 4"):
        with unions.lent(mark, made):
            pass
    assert unions.n_kept("a") == 2
