"""Third-party selectors, at their own size or that of another, and tables from a function."""

from dataclasses import replace

import numpy as np
import pytest

from fuzzyfrog.data import read_table
from fuzzyfrog_lab.config import ConfigError, DataEntry, SelectorEntry, read_config
from fuzzyfrog_lab.selectors import made_with, selected
from test_runner import CONFIG, fruit_config, lines, rows, run

RFE = """
[selectors.rfe]
search = "sklearn.feature_selection:RFE"
options = { estimator = { class = "sklearn.svm:LinearSVC", options = { C = 0.5 } } }
"""
KBEST = '[selectors.best]\nsearch = "sklearn.feature_selection:SelectKBest"\n'
MODULE = """
import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin


class First(SelectorMixin, BaseEstimator):
    packages = ("numpy",)

    def __init__(self, n_features_to_select=1):
        self.n_features_to_select = n_features_to_select

    def fit(self, X, y):
        self.support_ = np.arange(X.shape[1]) < self.n_features_to_select
        return self

    def _get_support_mask(self):
        return self.support_


def table(name):
    kinds = np.arange(90) // 60
    return np.column_stack([kinds, np.arange(90.0)]), [f"{name}{kind}" for kind in kinds]
"""


def with_selectors(folder, text):
    path = fruit_config(folder)
    (folder / "outside_here.py").write_text(MODULE, encoding="utf-8")
    path.write_text(CONFIG.replace("[data.apples]", f"{text}\n[data.apples]"), encoding="utf-8")
    return path


def sizes(config, page="quick-nested.csv"):
    return {(row["data"], row["selector"]): row["size"] for row in rows(config, page)}


def chosen(config, name):
    return [
        (line["key"]["data"], line["key"]["fold"], len(line["value"]["features"]))
        for line in lines(config)
        if line.get("value", {}).get("by") == name
    ]


def test_any_selector_of_scikit_learn_with_a_model_in_its_options(tmp_path):
    config = with_selectors(
        tmp_path, f"{RFE}n_features_to_select = 3\n{KBEST}options = {{ k = 2 }}"
    )
    done = run(config)
    assert done.failures == ()
    assert sizes(config)["pears", "rfe"] == "3.00"
    assert sizes(config)["pears", "best"] == "2.00"
    settings = (tmp_path / "out" / "settings.md").read_text(encoding="utf-8")
    assert "| rfe | – | sklearn.feature_selection:RFE |" in settings
    (entry,) = (one for one in read_config(config).selectors if one.name == "rfe")
    assert list(made_with(entry)) == ["scikit-learn"]


@pytest.mark.parametrize(
    ("size", "number"), [("3", "3.00"), ("0.4", "2.00"), ("0.01", "1.00"), ("0.59", "2.00")]
)
def test_sizes_that_the_config_asks_for(tmp_path, size, number):
    asked = f"n_features_to_select = {size}\n"
    quick = f'[selectors.greedy]\nsearch = "quickreduct"\n{asked}'
    config = with_selectors(tmp_path, f"{RFE}{asked}{KBEST}{asked}{quick}")
    run(config, only=["pears"])
    found = sizes(config)
    assert {found["pears", name] for name in ("rfe", "best", "greedy")} == {number}


def test_nothing_is_left_out_of_an_experiment(tmp_path):
    (tmp_path / "numbered.csv").write_text(
        "row,noise,kind\n" + "".join(f"{k},{k % 3},{'ab'[k // 30]}\n" for k in range(60))
    )
    dataset = read_table(tmp_path / "numbered.csv", target="kind")
    found = selected(SelectorEntry("x", "quickreduct"), dataset, 0, tmp_path / "check", 1)
    assert 0 in found["features"]
    assert any(one.startswith("feature 'row' counts the rows.") for one in found["warnings"])


@pytest.mark.parametrize("order", [1, -1])
def test_as_many_as_another_in_the_same_fold(tmp_path, order):
    follower = f'{KBEST}as_many_as = "short"\n'
    leader = '[selectors.short]\nsearch = "frogs"\nmin_dependency = 0.7\n'
    alone = KBEST.replace("best", "alone") + "n_features_to_select = 1\n"
    config = with_selectors(tmp_path, "".join([leader, follower, alone][::order]))
    assert run(config).failures == ()
    numbers = chosen(config, "short")
    of_one_seed = {(data, fold): size for data, fold, size in numbers}
    assert len(set(of_one_seed.values())) > 1
    follows = {
        (data, fold): size for data, fold, size in chosen(config, "best") if fold is not None
    }
    assert follows == {key: size for key, size in of_one_seed.items() if key[1] is not None}
    assert sizes(config)["pears", "best"] == sizes(config)["pears", "short"]
    assert sizes(config)["pears", "alone"] == "1.00"
    page = (tmp_path / "out" / "index.md").read_text(encoding="utf-8")
    assert "Nothing is missing." in page
    assert run(config).computed == 0


def test_who_follows_a_failure_fails_too(tmp_path):
    refusing = '[selectors.no]\nsearch = "quick_panel:Refusing"\n'
    config = with_selectors(tmp_path, f'{refusing}{KBEST}as_many_as = "no"\n')
    done = run(config)
    assert all("nothing to select" in one for one in done.failures)
    assert sizes(config)["pears", "best"] == ""
    assert "Nothing is missing." in (tmp_path / "out" / "index.md").read_text(encoding="utf-8")


def test_a_selector_next_to_the_config_is_computed_again_when_its_file_changes(tmp_path):
    text = '[selectors.first]\nsearch = "outside_here:First"\nn_features_to_select = 2\n'
    config = with_selectors(tmp_path, text)
    run(config, only=["pears"])
    assert sizes(config)["pears", "first"] == "2.00"
    (key,) = {tuple(line["key"]["made_with"]) for line in lines(config)
              if line.get("value", {}).get("by") == "first"}  # fmt: skip
    assert set(key) == {"outside_here", "numpy"}
    (tmp_path / "outside_here.py").write_text(MODULE + "\n# changed\n", encoding="utf-8")
    assert run(config, only=["pears"]).computed == 2 + 3  # two seeds, three folds


def test_a_size_that_cannot_be_set_is_told_before_anything_runs(tmp_path):
    text = '[selectors.w]\nsearch = "quick_panel:Widest"\nas_many_as = "quick"\n'
    with pytest.raises(ConfigError, match=r"selectors\.w: n_features_to_select, as_many_as must"):
        run(with_selectors(tmp_path, text))


def test_a_table_from_a_function_and_a_part_of_it(tmp_path):
    config = with_selectors(tmp_path, "")
    text = config.read_text(encoding="utf-8")
    data = (
        '[data.made]\nloader = "outside_here:table"\n[data.part]\nloader = "outside_here:table"\n'
    )
    config.write_text(f"{text}{data}max_samples = 30\n", encoding="utf-8")
    made, part = (one.load(None) for one in read_config(config).data[-2:])
    assert (made.name, made.n_samples, made.classes) == ("made", 90, ("made0", "made1"))
    assert part.n_samples == 30
    for n_samples in (9, 30, 45):
        cut = replace(read_config(config).data[-1], max_samples=n_samples).load(None)
        assert np.bincount(cut.target).tolist() == [n_samples * 2 // 3, n_samples // 3]
    assert (np.diff(part.values[:, 1]) > 0).all()  # in their order
    assert not np.array_equal(part.values[:, 1], np.arange(0, 90, 3))
    again = read_config(config).data[-1].load(None)
    assert np.array_equal(again.values, part.values)
    assert run(config, only=["part"]).failures == ()
    assert "| part | 30 | 2 | 2 |" in (tmp_path / "out" / "index.md").read_text(encoding="utf-8")


def test_a_loader_that_fails_costs_its_own_table_only(tmp_path):
    config = with_selectors(tmp_path, "")
    text = config.read_text(encoding="utf-8")
    (tmp_path / "outside_here.py").write_text("def table(name):\n    return {}['x']\n")
    loader = '[data.made]\nloader = "outside_here:table"\n'
    config.write_text(text + loader, encoding="utf-8")
    (told,) = run(config).failures
    assert told == "made: loader must return X, y or a Dataset, got KeyError: 'x'."
    config.write_text(text + loader.replace(":table", ":tabel"), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"^data\.made: loader must be a known name or"):
        run(config)


def test_a_registered_table_can_be_cut_too():
    assert DataEntry("wine", max_samples=50).load(None).n_samples == 50
    assert DataEntry("wine", max_samples=500).load(None).n_samples == 178


def test_groups_have_a_summary_of_their_own(tmp_path):
    widest = '[selectors.widest]\nsearch = "quick_panel:Widest"\n'
    config = with_selectors(tmp_path, widest)
    text = config.read_text(encoding="utf-8")
    lineups = '[lineups]\nboth = ["widest", "everything"]\n'
    groups = '[groups]\n"the two" = ["apples", "pears"]\n"one" = ["pears"]\n'
    config.write_text(f"{text}{lineups}{groups}", encoding="utf-8")
    run(config)
    page = (tmp_path / "out" / "quick-nested-summary.md").read_text(encoding="utf-8")
    every, group = (page.partition(f"### {name}\n")[2].partition("\n###")[0]
                    for name in ("All data sets", "the two"))  # fmt: skip
    assert every == group  # there are no others
    assert "2 data sets: apples, pears." in every
    own = {
        name: [float(row["mean"]) for row in rows(config, "quick-nested.csv")
               if row["selector"] == name]
        for name in ("everything", "widest")
    }  # fmt: skip
    means = {name: np.mean(values) for name, values in own.items()}
    gains = np.subtract(own["everything"], own["widest"])
    better, worse = (gains > 0).sum(), (gains < 0).sum()
    assert better != worse
    assert f"| everything | 5.0 | {means['everything']:.2f} | " in every
    assert f" | {gains.mean():+.2f} | {better}, {worse} | " in every
    (control,) = [line for line in every.splitlines() if line.startswith("| *widest* |")]
    assert f" | {means['widest']:.2f} | " in control
    assert control.endswith("| – | – | – |")
    assert "Friedman: chi-square" in every
    assert "Too few data sets" in page.partition("### one\n")[2]
    index = (tmp_path / "out" / "index.md").read_text(encoding="utf-8")
    assert "[quick-nested-summary.md](quick-nested-summary.md)" in index


def test_a_data_set_may_have_fewer_seeds(tmp_path):
    config = with_selectors(tmp_path, "")
    text = config.read_text(encoding="utf-8")
    config.write_text(f"{text}seeds = [1]\n", encoding="utf-8")
    run(config)
    seeds = {
        (line["key"]["data"], line["key"]["seed"])
        for line in lines(config)
        if line["key"]["kind"] == "selection" and line["key"]["fold"] is None
    }
    assert seeds == {("apples", 0), ("apples", 1), ("pears", 1)}
    page = (tmp_path / "out" / "quick-paper.md").read_text(encoding="utf-8")
    assert "searches with seeds 0, 1; seed 1 on pears. " in page
    assert "Nothing is missing." in (tmp_path / "out" / "index.md").read_text(encoding="utf-8")
