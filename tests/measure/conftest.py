"""Fixtures that send small tables down the paths of large ones."""

from importlib import import_module

import pytest

from fuzzyfrog.common.jit import Kernels
from fuzzyfrog.measure import engines

# `fuzzyfrog.measure.dependency` is the function of that name; this is the module.
dependency = import_module("fuzzyfrog.measure.dependency")


@pytest.fixture(autouse=True)
def kernels_always_pay(monkeypatch):
    """Test the kernels: small tables would be left to NumPy, which is an engine of its own."""
    monkeypatch.setattr(Kernels, "pay", lambda self, estimate: True)


@pytest.fixture
def kernels_never_pay(kernels_always_pay, monkeypatch):
    """Leave all work to NumPy, as for small tables."""
    monkeypatch.setattr(Kernels, "pay", lambda self, estimate: False)


@pytest.fixture
def threads_take_any_work(monkeypatch):
    """Share every evaluation among the threads."""
    monkeypatch.setattr(engines, "_WORTH_A_THREAD", 0)


@pytest.fixture
def no_table_is_small(threads_take_any_work, monkeypatch):
    """Leave out samples that are sure in every table."""
    monkeypatch.setattr(dependency, "_FEW_PAIRS", 0)
    monkeypatch.setattr(dependency, "_WORTH_A_LOOK", 0)


@pytest.fixture
def every_table_is_huge(no_table_is_small, monkeypatch):
    """Choose the tree wherever it can be used."""
    monkeypatch.setattr(dependency, "_TREE_PAIRS_UP_TO_3", 0)
    monkeypatch.setattr(dependency, "_TREE_PAIRS_BEYOND", 0)
    monkeypatch.setattr(dependency, "_TREE_ROWS", 0)
    monkeypatch.setattr(dependency, "_TREE_ROWS_NUMERIC", 0)
