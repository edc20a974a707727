from __future__ import annotations

import pytest

from report import made


@pytest.fixture(scope="session")
def wine_run():
    return made.wine_run()


@pytest.fixture(scope="session")
def hostile_run():
    return made.hostile_run()


@pytest.fixture(scope="session")
def crowded_run(wine_run):
    return made.crowded_run(wine_run)


@pytest.fixture(scope="session")
def many_samples_run():
    return made.many_samples_run()
