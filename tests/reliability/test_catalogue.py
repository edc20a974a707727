"""Everything that people give: each input of the catalogue keeps what is promised for it.

Commands and whole processes are in test_processes.py; what other tests have already is listed in
elsewhere.py.
"""

import re
from pathlib import Path

import pytest

from reliability import (
    entries_files,
    entries_frames,
    entries_parameters,
    entries_values,
)
from reliability.elsewhere import ELSEWHERE

MODULES = (entries_values, entries_frames, entries_parameters, entries_files)
CATALOGUE = {entry.name: entry for module in MODULES for entry in module.ENTRIES}


def test_names_are_distinct():
    assert len(CATALOGUE) == sum(len(module.ENTRIES) for module in MODULES) >= 77


@pytest.mark.parametrize("entry", [entry.parameter for entry in CATALOGUE.values()])
def test_promise_is_kept(entry, tmp_path):
    entry.promise.keep(entry.deed, tmp_path)


@pytest.mark.parametrize("place", ELSEWHERE.values(), ids=ELSEWHERE)
def test_what_is_tested_elsewhere_is_still_there(place):
    file, name = place.split("::")
    text = (Path(__file__).parents[1] / file).read_text(encoding="utf-8")
    assert re.search(rf"^(def )?{name}", text, re.MULTILINE)
