from __future__ import annotations

import pytest

from report import made


@pytest.fixture(scope="session")
def wine_result():
    return made.wine_result()


@pytest.fixture(scope="session")
def hostile_result():
    return made.hostile_result()


@pytest.fixture(scope="session")
def crowded_result(wine_result):
    return made.crowded_result(wine_result)


@pytest.fixture(scope="session")
def many_samples_result():
    return made.many_samples_result()
