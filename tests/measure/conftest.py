"""Ways to make small tables go where only large ones go."""

import pytest

from fuzzyfrog.measure import dependency, engines


@pytest.fixture
def threads_take_any_work(monkeypatch):
    """Share every evaluation among the threads."""
    monkeypatch.setattr(engines, "_WORTH_A_THREAD", 0)


@pytest.fixture
def no_table_is_small(threads_take_any_work, monkeypatch):
    """Bound extensions of every table as well."""
    monkeypatch.setattr(dependency, "_FEW_PAIRS", 0)


@pytest.fixture
def every_table_is_huge(no_table_is_small, monkeypatch):
    """Choose the tree wherever there may be one."""
    monkeypatch.setattr(dependency, "_TREE_PAIRS_UP_TO_3", 0)
    monkeypatch.setattr(dependency, "_TREE_PAIRS_BEYOND", 0)
    monkeypatch.setattr(dependency, "_TREE_ROWS", 0)
    monkeypatch.setattr(dependency, "_TREE_ROWS_NUMERIC", 0)
