"""The page of the settings: what the cells were really computed with."""

from dataclasses import replace

from fuzzyfrog_lab.config import DataEntry, SelectorEntry
from fuzzyfrog_lab.pages.settings_page import settings_page, shape_of
from fuzzyfrog_lab.published import PublishedFigures
from fuzzyfrog_lab.results import Lookup
from made_up import small_experiment

VERSIONS = {"python": "3.11.7", "weka": "Weka 3.6.14, Java 17"}


def cells(*changes):
    """Cells with all that the page reads, each with some of it changed."""
    common = {"key": {"data": "wine", "table": "t"}, "when": "2026-11-16T03:39:17+00:00",
              "versions": VERSIONS, "seconds": 3600.0}  # fmt: skip
    return Lookup({str(place): common | change for place, change in enumerate(changes)})


def page(lookup, *, beside_paper=True):
    experiment = small_experiment()
    shapes = {one.name: shape_of(one) for one in experiment.data}
    published = PublishedFigures.read(experiment.expected if beside_paper else None)
    return settings_page(experiment, shapes, published, lookup)


def given_up(seconds):
    return {"error": f"it took more than {seconds} seconds"}


def test_limits_other_than_that_of_the_config_are_told():
    told = page(cells(given_up(4), given_up(4), given_up(0.5), given_up(1200), {"error": "no"}))
    assert "may take 1200 seconds of CPU time for some features.\nCells that were" in told
    assert "1 given up after 0.5 seconds and 2 given up after 4 seconds." in told
    assert "another limit" not in page(cells(given_up(1200)))


def test_days_and_versions_are_told_once():
    earlier = {"when": "2026-11-09T23:59:59+00:00", "versions": {"python": "3.12.1"}}
    part = page(cells({}, {}, earlier)).split("## Computed with\n")[1].split("\n## ")[0]
    assert "3 cells, computed from 2026-11-09 to 2026-11-16 (UTC) in 3.0 hours." in part
    assert part.count("| python | 3.11.7; 3.12.1 |") == part.count("| python |") == 1
    assert "| weka | Weka 3.6.14, Java 17 |" in part
    assert "1 cell, computed on 2026-11-16" in page(cells({}))
    assert "Nothing has been computed." in page(cells())


def test_sizes_stand_beside_published_ones_if_there_are_any():
    assert "| glass | 214 (214) | 9 (10) | 6 |" in page(cells())
    told = page(cells(), beside_paper=False)
    assert "| glass | 214 | 9 | 6 |" in told
    assert "brackets" not in told


def test_selectors_have_every_parameter():
    (line,) = [line for line in page(cells()).splitlines() if line.startswith("| B-SFLA | B-SFLA")]
    assert "patience = 5" in line
    (line,) = [line for line in page(cells()).splitlines() if line.startswith("| GA | GA")]
    assert "p_mutation = 0.033" in line


def test_accuracies_without_versions_in_their_keys_are_told():
    key = {"data": "wine", "table": "t", "classifier": "tree"}
    old, new = {"key": key}, {"key": {**key, "made_with": {"sklearn": "1"}}}
    told = page(cells(old, old | {"versions": {}}, new, {}))
    assert "2 accuracies are from before keys held versions and settings; their versions" in told
    assert "are those that their file names, for 1 of them unknown.\n" in told
    assert "from before" not in page(cells(new, {}))


def test_measures_sizes_and_parts_are_told():
    whole = small_experiment()
    selectors = (
        SelectorEntry("soft", "quickreduct", measure="soft", as_many_as="frogs"),
        SelectorEntry("three", "quickreduct", min_dependency=0.9, n_features_to_select=3),
    )
    data = (DataEntry("wine", max_samples=50), DataEntry("made", loader="here:load"))
    few = replace(whole, selectors=selectors, data=data, panels=("sklearn",))
    told = settings_page(few, {}, PublishedFigures.read(None), cells())
    assert (
        "| soft | – | quickreduct | lexicographic | measure = soft | as many features as frogs |"
    ) in told
    assert "| min_dependency = 0.9 | n_features_to_select = 3 |" in told
    assert "| wine | – | – | – | a part of at most 50 samples |" in told
    assert "| made | – | – | – | from here:load |" in told
    assert "Weka" not in told


def test_sizes_do_not_depend_on_what_a_machine_has(tmp_path):
    path = tmp_path / "here_only.py"
    path.write_text("def load(name):\n    return [[0.0], [1.0]] * 9, list('ab') * 9\n")
    made = DataEntry("made", loader="here_only:load", folder=tmp_path)
    assert made.load(None).n_samples == 18
    assert shape_of(made) is None
    assert shape_of(DataEntry("coil_2000", max_samples=600)) is None
    noted = {"key": {"data": "made", "table": "t"}, "value": {"shape": [18, 1, 2]}}
    assert shape_of(made, cells(noted)).n_samples == 18
