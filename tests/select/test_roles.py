"""Every column has a role, and figures that agree with their definitions."""

import numpy as np
import pandas as pd
import pytest

from fuzzyfrog import DataError, FeatureSelector, ReductSelector, SoftSelector, load_dataset
from fuzzyfrog.data import Dataset
from fuzzyfrog.errors import ParameterError
from fuzzyfrog.measure import SoftDependency
from fuzzyfrog.result import Result
from fuzzyfrog.select import roles
from fuzzyfrog.words import words_of
from fuzzyfrog.words.columns import columns_lead, columns_table, substitutes_line
from naive.soft import alike_numbers, differences, same_class, soft_memberships

SAID = "ignore:feature '(patient_id|nothing)'"  # warnings about the table below
IDS = [f"P-{k * 7919 % 1000:04d}" for k in range(120)]


def made():
    """Return a table with a column for every role."""
    rng = np.random.default_rng(2)
    y = np.arange(120) % 3
    strong = y + 0.3 * rng.normal(size=120)
    return pd.DataFrame(
        {
            "patient_id": IDS,
            "strong": strong,
            "near": strong + 0.25 * rng.normal(size=120),
            "inches": 2.54 * strong + 1,
            "second": (y == 1) + 0.3 * rng.normal(size=120),
            "noise": rng.normal(size=120),
            "same": 7.0,
            "nothing": np.nan,
            "unwanted": rng.normal(size=120),
        }
    ), y


def table(seed, *, numeric, tails):
    """Return a table with near copies, gaps, ties, a constant and a category."""
    rng = np.random.default_rng(seed)
    n_samples = int(rng.integers(25, 50))
    code = rng.integers(0, 3, n_samples)
    base = code[:, np.newaxis] + rng.normal(size=(n_samples, 3))
    base = base**5 if tails else base
    gaps = np.where(rng.random(n_samples) < 0.1, np.nan, base[:, 0])
    values = np.column_stack(
        [base, base[:, 1] + 0.1 * rng.normal(size=n_samples) * base[:, 1].std(), gaps,
         np.round(base[:, 2]), np.full(n_samples, 2.0), rng.integers(0, 3, n_samples),
         rng.normal(size=n_samples)]
    )  # fmt: skip
    target = base.sum(axis=1) + rng.normal(size=n_samples) if numeric else code
    names = tuple(f"x{k}" for k in range(values.shape[1]))
    return Dataset(
        values, target, names, np.arange(len(names)) == 7, None if numeric else (0, 1, 2)
    )


def roles_of(selector):
    return {one.name: (one.role, one.rule) for one in selector.columns_}


@pytest.mark.filterwarnings(SAID)
def test_each_column_has_its_role():
    X, y = made()
    selector = SoftSelector(exclude=["unwanted"]).fit(X, y)
    assert roles_of(selector) == {
        "patient_id": ("left out", "identifier"),
        "strong": ("selected", ""),
        "near": ("substitute", ""),
        "inches": ("left out", "copy"),
        "second": ("selected", ""),
        "noise": ("unneeded", ""),
        "same": ("left out", "constant"),
        "nothing": ("left out", "empty"),
        "unwanted": ("left out", "excluded"),
    }
    by_name = {one.name: one for one in selector.columns_}
    assert by_name["near"].of == by_name["inches"].of == (1,)
    assert [by_name[name].relevant for name in ("strong", "second", "noise")] == [True, True, False]
    frame = selector.columns_frame().set_index("column")
    assert frame.loc["near", ["role", "of", "replacement"]].tolist() == [
        "substitute", "strong", "strong",
    ]  # fmt: skip
    assert frame.loc["near", "lost"] == by_name["near"].cost.lost
    assert "share" not in frame  # of reducts, of which there is one


def test_what_is_relevant_does_not_depend_on_the_seed():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(60, 80)), np.arange(60) % 2
    X += 0.3 * y[:, np.newaxis]  # near the border
    found = [SoftSelector(2, random_state=seed).fit(X, y).columns_ for seed in range(3)]
    assert 0 < sum(one.relevant for one in found[0]) < 80
    assert found[0] == found[1] == found[2]


@pytest.mark.filterwarnings("ignore:.* is nearly the target")
@pytest.mark.parametrize("numeric", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_figures_are_those_of_the_definition(seed, numeric):
    dataset = table(seed, numeric=numeric, tails=seed == 2)
    selector = SoftSelector(copies="keep").fit(dataset)
    S = (alike_numbers if numeric else same_class)(dataset.target)

    def memberships(subset):
        if not subset:
            others = ~np.eye(len(S), dtype=bool)
            return np.array([row[rest].mean() for row, rest in zip(S, others, strict=True)])
        columns = [differences(dataset.values[:, one], dataset.categorical[one]) for one in subset]
        return soft_memberships(columns, S)

    selected = set(selector.result_.selected)
    ours = memberships(selected)
    for feature, one in enumerate(selector.columns_):
        if one.role == "left out":
            continue
        assert one.alone == pytest.approx(memberships({feature}).mean(), abs=1e-9)
        change = ours - memberships(selected - {feature}) if feature in selected else (
            memberships(selected | {feature}) - ours
        )  # fmt: skip
        assert one.adds == pytest.approx(change.mean(), abs=1e-9)
        assert one.error == pytest.approx(change.std(ddof=1) / np.sqrt(len(change)), abs=1e-9)
        for other in one.replacements:
            out, new = (feature, other.feature) if feature in selected else (other.feature, feature)
            fall = ours - memberships(selected - {out} | {new})
            assert other.lost == pytest.approx(fall.mean(), abs=1e-9)
            assert other.error == pytest.approx(fall.std(ddof=1) / np.sqrt(len(fall)), abs=1e-9)


def test_replacements_are_the_best_exchanges_that_lose_half_at_most():
    wine = load_dataset("wine")
    near = wine.values + 0.3 * wine.values.std(axis=0) * np.random.default_rng(0).normal(
        size=wine.values.shape
    )
    X, n_features = np.hstack([wine.values, near]), 26
    selector = SoftSelector().fit(X, wine.target)
    selected, numbers = selector.result_.selected, []
    for feature in selected:
        column = selector.columns_[feature]
        others = [one for one in range(n_features) if one not in selected]
        masks = np.array([np.isin(np.arange(n_features), [*selected, one]) for one in others])
        masks[:, feature] = False
        scores = SoftDependency(X, wine.target).score(masks)
        least = selector.dependency_ - column.adds / 2
        order = [at for at in np.argsort(-scores, kind="stable")[:3] if scores[at] >= least]
        if column.adds > 0:
            assert [one.feature for one in column.replacements] == [others[at] for at in order]
        assert all(0.8 < one.accuracy <= 1.0 for one in column.replacements)
        numbers.append(len(order))
    assert 0 < sum(numbers) < 3 * len(selected)


def test_an_exchange_that_scores_higher_is_said():
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    X = pd.DataFrame({"good": y + 0.4 * rng.normal(size=200), "bad": rng.normal(size=200)})
    words = words_of(SoftSelector(1, must_include=["bad"]).fit(X, y).record())
    said = {row[0]: row[-1] for row in columns_table(words)[1]}
    assert "; good in its place raises the dependency (+0." in said["bad"]
    assert substitutes_line(words.result).startswith("good for bad (dependency +0.")
    assert "substitute" in words.brief


def test_what_is_nearly_a_selected_column_replaces_no_other_one():
    rng = np.random.default_rng(1)
    y = np.arange(200) % 2
    X = pd.DataFrame({"minutes": y + 0.4 * rng.normal(size=200), "noise": rng.normal(size=200)})
    X["charge"] = np.round(X["minutes"], 1)
    selector = SoftSelector(2, must_include=["minutes", "noise"]).fit(X, y)
    replacements = [[other.feature for other in one.replacements] for one in selector.columns_]
    assert replacements == [[2], [], [0]]


@pytest.mark.parametrize("affordable", [2**32, 178 * 20 * 800])
def test_what_is_selected_for_its_neighbors_is_replaced_by_as_good_ones(monkeypatch, affordable):
    monkeypatch.setattr(roles, "FEWEST_ROWS", 20)
    monkeypatch.setattr("fuzzyfrog.select.soft.Soft.affordable", affordable)
    wine = load_dataset("wine")
    near = wine.values + 0.5 * wine.values.std(axis=0) * np.random.default_rng(0).normal(
        size=wine.values.shape
    )
    X = np.hstack([wine.values, near])
    selector = SoftSelector(size_rule="accuracy", redundant="keep").fit(X, wine.target)
    selected = [one for one in selector.columns_ if one.role == "selected"]
    assert sum(one.adds < 0 for one in selected) > 2
    higher = [other for one in selected for other in one.replacements if other.lost < 0]
    assert all(one.accuracy >= selector.result_.chosen_accuracy for one in higher)


def test_a_replacement_as_bad_as_nothing_is_none():
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    X = pd.DataFrame(rng.normal(size=(200, 4)), columns=["good", "a", "b", "c"])
    selector = SoftSelector(must_include=["c"]).fit(X.assign(good=X["good"] + 2 * y), y)
    good, c = (selector.columns_[at] for at in (0, 3))
    assert good.adds > 0.1
    assert not good.replacements
    said = {row[0]: row[-1] for row in columns_table(words_of(selector.record()))[1]}
    assert said["good"] == "no column tried could take its place"
    assert repr(good) == f"<Column 'good': selected, adds {good.adds:+.4f}>"
    assert good.is_measurable
    assert not c.is_measurable
    (row,) = (row for row in columns_table(words_of(selector.record()))[1] if row[0] == "c")
    assert row[-1] == "lowers the soft dependency, but was to be included"
    with pytest.raises(ParameterError, match=r"got 'good', which is selected. explain\('good'\)"):
        selector.why_not("good")
    with pytest.raises(DataError, match="Pass the column itself, not its name"):
        SoftSelector().fit(X, y, groups="a")


def test_reducts():
    selector = ReductSelector(random_state=0).fit(load_dataset("wine"))
    known = {one.features for one in selector.reducts_}
    for feature, one in enumerate(selector.columns_):
        assert one.error is None
        if one.role == "substitute":
            assert selector.feature_frequency_[feature] > 0
            swapped = set(selector.result_.selected) - set(one.of) | {feature}
            assert tuple(sorted(swapped)) in known
            assert (one.adds, one.cost.lost) == (0.0, 0.0)
        else:
            explained = selector.explain(feature)
            assert (one.role, one.adds) == ("selected", pytest.approx(explained.lost, abs=1e-12))


def test_another_reduct_changes_the_roles():
    selector = ReductSelector(random_state=0).fit(load_dataset("wine"))
    before = selector.columns_
    selector.select_reduct(5)
    for feature, (old, new) in enumerate(zip(before, selector.columns_, strict=True)):
        assert (new.role == "selected") == (feature in selector.result_.selected)
        assert (new.alone, new.adds) == (old.alone, None)
    Result.from_json(selector.record().to_json())


def test_what_a_size_leaves_out_is_useful():
    selector = SoftSelector(1).fit(load_dataset("wine"))
    by_name = {one.name: one for one in selector.columns_}
    assert by_name["color_intensity"].role == "useful"
    assert by_name["color_intensity"].adds > 0.1


def test_no_role_is_useful_where_nothing_is():
    rng = np.random.default_rng(5)
    selector = SoftSelector().fit(rng.normal(size=(100, 60)), np.arange(100) % 2)
    assert {one.role for one in selector.columns_} == {"selected", "unneeded"}
    assert sum(bool(one.relevant) for one in selector.columns_) <= 4


@pytest.mark.filterwarnings(SAID)
def test_without_time_there_are_roles_but_no_figures(monkeypatch):
    def late(*_):
        raise roles.TimeIsUp

    monkeypatch.setattr(roles._Figures, "_alone", late)
    with pytest.warns(UserWarning, match="no time to score every column"):
        selector = SoftSelector().fit(*made())
    assert roles_of(selector)["near"] == ("substitute", "")
    assert all(one.alone is None for one in selector.columns_)


def test_groups_have_one_role():
    wine = load_dataset("wine")
    groups = {"acids": ["malic_acid", "ash"], "color": ["color_intensity", "hue"]}
    selector = SoftSelector(feature_groups=groups).fit(wine)
    columns = selector.columns_
    assert len(columns) == 13
    assert {one.role for one in columns[1:3]} == {"unneeded"}
    assert {one.role for one in columns[9:11]} == {"selected"}
    assert columns[9].adds == columns[10].adds
    record = selector.record()
    assert len(record.columns) == 11
    assert record.columns[1].name == "acids (malic_acid, ash)"
    Result.from_json(record.to_json())


def test_a_large_table_is_measured_in_part(monkeypatch):
    monkeypatch.setattr(roles, "FEWEST_ROWS", 20)
    monkeypatch.setattr("fuzzyfrog.select.soft.Soft.affordable", 300 * 20 * 800)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 400))
    y = (X[:, 7] + X[:, 3] > 0).astype(int)
    selector = SoftSelector(2).fit(X, y)
    n_scored = sum(one.alone is not None for one in selector.columns_) - 2
    assert 0 < n_scored < 398
    said = f"were scored on 20 random samples, and only {n_scored:,} of the 398 were scored"
    words = words_of(selector.record())
    other = next(at for at, one in enumerate(selector.columns_) if one.role == "unneeded")
    assert all(said in text for text in (columns_lead(words), selector.why_not(other)))
    # The selected ones are listed next to the path, which all samples are in.
    first = selector.result_.added[0]
    assert selector.columns_[first].alone == pytest.approx(selector.front_[0].dependency)


def test_nothing_is_said_of_columns_that_are_not_there(monkeypatch):
    monkeypatch.setattr(roles, "FEWEST_ROWS", 20)
    monkeypatch.setattr("fuzzyfrog.select.soft.Soft.affordable", 300 * 20)
    X = np.random.default_rng(0).normal(size=(300, 2))
    selector = SoftSelector(2, must_include=[0, 1]).fit(X, X[:, 0] > 0)
    assert not [note for note in selector.record().notes if "not selected" in note]


def test_a_custom_measure():
    class Sizes:
        def __init__(self, dataset):
            self.worth = np.arange(dataset.n_features) - 3.5

        def score(self, masks):
            return masks @ self.worth

    selector = FeatureSelector(Sizes).fit(
        np.random.default_rng(0).normal(size=(30, 6)), [0, 1] * 15
    )
    assert [one.role for one in selector.columns_] == ["unneeded"] * 4 + ["selected"] * 2
    assert selector.columns_[5].adds == 1.5


@pytest.mark.filterwarnings(SAID)
def test_saved_and_read_again():
    record = SoftSelector().fit(*made()).record()
    assert Result.from_json(record.to_json()).columns == record.columns
    wrong = record.to_json().replace('"role": "selected"', '"role": "unneeded"')
    with pytest.raises(DataError, match="that was changed since"):
        Result.from_json(wrong)


def test_a_mistake_in_a_measure_is_an_error_not_a_note():
    class Mistaken(SoftDependency):
        def score(self, masks, at_least=None):
            if self.dataset.feature_names[0].startswith("shuffled"):
                raise ZeroDivisionError
            return super().score(masks, at_least)

    with pytest.raises(ZeroDivisionError):
        FeatureSelector(Mistaken, random_state=0).fit(load_dataset("wine"))
