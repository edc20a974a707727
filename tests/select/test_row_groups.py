"""Samples that belong together are not compared with each other, and stay in one fold."""

import json
import tracemalloc
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold, TimeSeriesSplit, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from fuzzyfrog import FeatureSelector, ReductSelector, SoftSelector, check, date_parts
from fuzzyfrog.data import make_dataset
from fuzzyfrog.data.dataset import group_numbers
from fuzzyfrog.measure import SoftDependency
from fuzzyfrog.measure.soft_columns import SoftColumns
from fuzzyfrog.result import Result
from fuzzyfrog.result.check import said_first
from fuzzyfrog.select.identifiers import are_in_turn
from fuzzyfrog.select.row_groups import connected, noted_patients, noted_selected
from fuzzyfrog.words import words_of
from naive import soft as naive


def patients(seed=0, n_patients=30, n_rows=4, signal=0.9):
    """Return columns of which four only identify the patient and two inform, classes, patients."""
    rng = np.random.default_rng(seed)
    patient = np.repeat(np.arange(n_patients), n_rows)
    y = rng.permutation(n_patients)[patient] % 2
    who = rng.normal(size=(n_patients, 4))[patient] + 0.01 * rng.normal(size=(len(y), 4))
    what = signal * (2 * y[:, None] - 1) + rng.normal(size=(len(y), 2))
    return np.hstack([who, what]), y, patient


def frame(X, patient):
    table = pd.DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])])
    return table.assign(patient_id=1000 + patient)


@pytest.mark.parametrize("seed", range(3))
def test_the_path_is_the_one_of_the_definition(seed):
    X, y, patient = patients(seed)
    columns, S = [naive.differences(column, False) for column in X.T], naive.same_class(y)
    chosen, scores, losses = [], [], []
    for _ in columns:
        rest = {a: naive.soft_memberships([columns[b] for b in [*chosen, a]], S, patient).mean()
                for a in range(X.shape[1]) if a not in chosen}  # fmt: skip
        chosen.append(max(rest, key=rest.get))
        scores.append(rest[chosen[-1]])
        losses.append(naive.wrong_votes([columns[b] for b in chosen], y, patient))
    selector = SoftSelector(redundant="keep").fit(X, y, groups=patient)
    assert selector.result_.added == tuple(chosen)
    np.testing.assert_allclose([one.dependency for one in selector.front_], scores, atol=1e-12)
    means = np.mean(losses, axis=1)
    np.testing.assert_allclose([1 - one.accuracy for one in selector.front_], means)
    best = int(means.argmin())
    behind = [one - losses[best] for one in losses[: best + 1]]
    level = [one.mean() <= naive.standard_error(one, patient) for one in behind]
    fewest = SoftSelector(size_rule="one-se", redundant="keep").fit(X, y, groups=patient)
    assert fewest.n_features_ == 1 + level.index(True)
    assert selector.chance_ == pytest.approx(naive.chance(S, patient))


def test_columns_that_only_identify_are_left_out():
    X, y, patient = patients()
    assert SoftSelector().fit(X, y).support_[:4].any()
    selector = SoftSelector().fit(X, y, groups=patient)
    assert np.flatnonzero(selector.support_).tolist() == [4, 5]
    assert any("same group (30 groups) belong together" in note for note in selector.result_.notes)
    # What explains it is measured in the same way.
    result = selector.record()
    assert result.explanations[0].dependency == pytest.approx(result.dependency, abs=1e-12)
    assert Result.from_json(result.to_json()) == result
    mine = [(one.sample, one.other) for why in result.explanations for one in why.examples]
    assert all(patient[sample] != patient[other] for sample, other in mine)


def test_an_id_that_samples_share_is_used_and_said():
    X, y, patient = patients()
    together, out = "'patient_id' belong together", "'patient_id' is named like an ID"
    with pytest.warns(UserWarning, match=out), pytest.warns(UserWarning, match=together):
        by_id = SoftSelector().fit(frame(X, patient), y)
    assert by_id.result_.dependency == SoftSelector().fit(X, y, groups=patient).dependency_
    note = "Samples with the same 'patient_id' belong together and are not compared"
    assert any(str(one).startswith(note) for one in by_id.result_.notes)
    way_out = "If they do not, remove it from X or keep it as a feature with must_include=['pati"
    assert any(way_out in one for one in by_id.result_.notes)
    assert by_id.record().explanations[0].dependency == pytest.approx(by_id.dependency_, abs=1e-12)
    # Other groups win; a feature that was asked for makes no groups.
    alone = np.arange(len(y))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        without = SoftSelector().fit(frame(X, patient), y, groups=alone)
        asked = SoftSelector(must_include=["patient_id"]).fit(frame(X, patient), y)
    assert without.result_.dependency == SoftSelector().fit(X, y).dependency_
    assert not any("belong together" in note for note in asked.result_.notes)


def test_an_id_that_samples_share_may_have_gaps():
    X, y, patient = patients()
    table = frame(X, patient).astype(float)
    table.loc[0, "patient_id"] = np.nan
    out, together = "'patient_id' is named like an ID", "'patient_id' belong together"
    with pytest.warns(UserWarning, match=out), pytest.warns(UserWarning, match=together):
        SoftSelector().fit(table, y)


@pytest.mark.parametrize(
    ("name", "n_patients"),
    [
        ("patient_id", 30),
        ("id", 25),
        ("id", 8),
        ("shop_id", 20),
        ("unitid", 20),
        ("childid", 20),
        ("idcode", 20),
    ],
)
def test_an_id_is_no_feature_and_makes_groups_however_many_samples_share_it(name, n_patients):
    X, y, patient = patients(n_patients=n_patients, n_rows=24)
    with pytest.warns(UserWarning, match=f"'{name}' is named like an ID|'{name}' belong together"):
        by_id = SoftSelector().fit(frame(X, patient).rename(columns={"patient_id": name}), y)
    given = SoftSelector().fit(X, y, groups=patient)
    assert by_id.get_feature_names_out().tolist() == [f"x{k}" for k in given.result_.selected]
    assert by_id.dependency_ == given.dependency_


@pytest.mark.parametrize(
    ("name", "values"), [("shop_id", range(19)), ("case", [1, 2]), ("subject", ["art", "music"])]
)
def test_a_category_with_the_name_of_an_id_stays_a_feature(name, values):
    _, y, _ = patients(n_patients=40)
    table = pd.DataFrame({name: np.resize(list(values), len(y)), "noise": np.arange(len(y)) % 7})
    found = SoftSelector().fit(table, np.arange(len(y)) % len(values) % 2)
    assert name in found.get_feature_names_out()
    assert not any("belong together" in note for note in found.result_.notes)


@pytest.mark.parametrize(("n_people", "is_out"), [(3, False), (6, True)])
def test_a_number_within_each_household_makes_no_groups(n_people, is_out):
    rng = np.random.default_rng(0)
    sizes = rng.integers(1, n_people + 1, 60)
    sizes[0] = n_people
    person = np.concatenate([np.arange(1, size + 1) for size in sizes])
    y = rng.integers(0, 2, len(person))
    table = pd.DataFrame({"person_id": person, "x": y + rng.normal(size=len(y))})
    with warnings.catch_warnings(action="ignore"):
        found = SoftSelector().fit(table, y)
    assert not any("belong together" in note for note in found.result_.notes)
    assert (found.columns_[0].role == "left out") == is_out
    visits = table.rename(columns={"person_id": "visit_nr"})
    assert SoftSelector().fit(visits, y).columns_[0].role != "left out"


@pytest.mark.parametrize(("form", "is_told"), [("{:.2f}", False), ("{:.0f}", True)])
def test_numbers_with_traces_among_them_do_not_keep_samples_together(form, is_told):
    rain = [*(form.format(k % 120 * 1.01) for k in range(500)), "T"]
    table = pd.DataFrame({"rain": rain, "x": np.arange(501.0)})
    with warnings.catch_warnings(action="ignore"):
        data = make_dataset(table, np.arange(501) % 2)
    doubts = [*noted_selected(data, np.ones(2, np.bool_))]
    assert ["'rain' may belong together" in doubt for doubt in doubts] == [True] * is_told


MAY = "with the same 'Fall' may belong together"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("column", "target", "is_so"),
    [
        ("futime", "status", True), ("follow_up", "died", True), ("TimeMin", "status", False),
        ("bedtime", "kind", False), ("dtime", "vital_status", True), ("days", "cens", True),
        ("Survival_in_days", "Status", True), ("days_off", "status", False),
        ("t.rfs", "e.rfs", True), ("OS_MONTHS", "OS_STATUS", True), ("t.rfs", "e.os", False),
        ("os_stage", "os_event", False), ("OS", "Death", True), ("RFS", "relapse", True),
        ("time", "delta", True), ("cos", "event", False), ("rfstime", "rfsstat", True),
        ("survtime", "survived", True), ("futime", "fustat", True), ("lenfol", "fstat", True),
        ("time.to.cmv", "cmv", True), ("Time", "Resp", True), ("tstop", "status", True),
        ("time_d", "censor", True), ("censor2", "censor1", True), ("bedtime", "Resp", False),
        ("srv", "srv.s", True), ("srv", "srv.x", False),
        ("duration", "delta", True), ("duration", "sold", False), ("timestamp", "kind", False),
    ],
)  # fmt: skip
def test_the_time_until_an_event_may_be_known_only_afterwards(column, target, is_so):
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 80)
    X = pd.DataFrame({column: y + random.normal(size=80), "b": random.normal(size=80)})
    data = make_dataset(X, y, target_name=target)
    (said,) = [*noted_selected(data, np.ones(2, np.bool_))] or [""]
    assert is_so == said.startswith(f"{column!r} may be known only afterwards")
    result = SoftSelector().fit(data).result_
    assert is_so == (said in words_of(result).doubts())
    assert not [*noted_selected(data, np.array([False, True]))]
    as_number = make_dataset(X, X["b"] + y, target_name=target)
    assert not [*noted_selected(as_number, np.ones(2, np.bool_))]


@pytest.mark.parametrize("kind", ["codes", "numbers"])
def test_a_column_whose_values_have_one_class_each_may_be_an_id(kind):
    X, y, patient = patients()
    fall = 7 * patient if kind == "numbers" else [f"F{7 * one:05}" for one in patient]
    table = frame(X, patient).drop(columns="patient_id").assign(Fall=fall)
    with pytest.warns(UserWarning, match=MAY):
        found = SoftSelector().fit(table, y)
    assert sum(MAY in note for note in found.result_.notes) == 1
    given = SoftSelector(exclude=["Fall"]).fit(table, y, groups=patient)
    assert not any("may belong" in note for note in given.result_.notes)


@pytest.mark.parametrize("selector", [SoftSelector(), ReductSelector("quickreduct")], ids=repr)
@pytest.mark.parametrize("is_numeric", [False, True])
def test_that_is_said_of_numbers_and_reducts_too(selector, is_numeric):
    X, y, patient = patients()
    fall = 7 * patient
    target = np.random.default_rng(0).normal(size=patient.max() + 1)[patient] if is_numeric else y
    with pytest.warns(
        UserWarning, match="may belong together: the samples of each value have the s"
    ):
        clone(selector).fit(frame(X, fall).rename(columns={"patient_id": "Fall"}), target)


def panel(n_people=60, n_years=5):
    """Return people who are asked every year, one after the other, and their wage."""
    random = np.random.default_rng(0)
    who = np.repeat(np.arange(n_people), n_years)
    table = pd.DataFrame({"a": random.normal(size=len(who)), "year": np.tile(range(5), n_people)})
    return table, who, random.normal(size=n_people)[who] + 0.5 * random.normal(size=len(who))


@pytest.mark.parametrize("name", ["person", "worker", "employee", "household", "family"])
def test_people_and_households_are_ids(name):
    table, who, y = panel()
    together, out = f"'{name}' belong together", f"'{name}' is named like an ID"
    with pytest.warns(UserWarning, match=out), pytest.warns(UserWarning, match=together):
        SoftSelector().fit(table.assign(**{name: who}), y)
    size = SoftSelector().fit(table.assign(household=who % 6, family=who % 9), y)
    assert not any("belong together" in note for note in size.result_.notes)


@pytest.mark.parametrize("kind", ["numbers", "labels", "classes"])
def test_samples_of_one_after_the_other_may_belong_together(kind):
    table, who, y = panel()
    who = [f"S{one}" for one in who] if kind == "labels" else who
    y = y > 0 if kind == "classes" else y
    with pytest.warns(UserWarning, match=r"'unit' may belong .* groups=X\['unit'\]"):
        SoftSelector().fit(table.assign(unit=who), y)
    with pytest.warns(UserWarning, match="'unit' may belong"):
        ReductSelector("quickreduct").fit(table.assign(unit=who), y)


@pytest.mark.filterwarnings("ignore:.*may belong together")
def test_rows_without_a_target_do_not_hide_who_rows_belong_to():
    table, who, y = panel()
    stays = (np.random.default_rng(0).random(len(y)) < 0.8) | (who < 30)
    assert may_belong_together(table.assign(unit=who)[stays], y[stays])


def unbalanced(n_people=60, sizes=(4, 4, 4, 5, 7), seed=0):
    """Return people in turn, most of them with the fewest years, and their wage."""
    random = np.random.default_rng(seed)
    who = np.repeat(np.arange(n_people), np.resize(sizes, n_people))
    table = pd.DataFrame({"a": random.normal(size=len(who)), "b": random.normal(size=len(who))})
    return table, who, random.normal(size=n_people)[who] + 0.5 * random.normal(size=len(who))


@pytest.mark.filterwarnings("ignore:.*may belong together")
def test_people_in_turn_may_have_more_rows_than_the_others():
    table, who, y = unbalanced()
    assert may_belong_together(table.assign(unit=who), y)
    # Of other numbers, it is said if the column is selected.
    table, who, y = unbalanced(sizes=range(1, 12))
    noted = [SoftSelector().fit(table.assign(unit=who), one) for one in (y, table["a"].to_numpy())]
    said = [any("may belong together" in note for note in one.result_.notes) for one in noted]
    assert said == ["unit" in one.get_feature_names_out() for one in noted] == [True, False]


@pytest.mark.parametrize("is_numeric", [False, True])
def test_a_look_at_samples_in_turn_takes_little_memory(is_numeric):
    random, n = np.random.default_rng(0), 20_000
    kind = np.repeat(random.integers(0, 200, n // 10), 10)
    target = random.normal(size=200)[kind] if is_numeric else kind
    table = make_dataset(
        np.arange(n)[:, None] // 10, target, target="auto" if is_numeric else "class"
    )
    tracemalloc.start()
    try:
        assert are_in_turn(table, 0)
        assert tracemalloc.get_traced_memory()[1] < 8 * 2**20  # not n times the number of classes
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", ["trade", "age"])
def test_rows_in_the_order_of_an_honest_column_are_no_reason_to_warn(kind):
    random = np.random.default_rng(0)
    code = np.sort(random.integers(0, 8 if kind == "trade" else 40, 400))
    table = pd.DataFrame({"a": random.normal(size=400), kind: code})
    effect = random.normal(size=8)[code] if kind == "trade" else 0.05 * code
    y = table["a"].to_numpy() + effect + random.normal(size=400)
    if kind == "trade":
        table = table.assign(trade=[f"T{one}" for one in code])
    assert not may_belong_together(table, y)


@pytest.mark.parametrize("kind", ["trend", "noise", "year", "shuffled", "sorted"])
@pytest.mark.filterwarnings("ignore:The samples are in the order of 'year'")
def test_an_ordinary_column_in_order_is_no_person(kind):
    table, who, y = panel()
    name = "year" if kind == "year" else "dose"
    if kind == "trend":
        y = np.sin(who / 10) + 0.1 * table["a"].to_numpy()
    elif kind == "noise":
        y = np.random.default_rng(1).normal(size=len(who))
    elif kind == "shuffled":
        who = np.random.default_rng(1).permutation(who)
    elif kind == "sorted":
        who = np.sort(np.random.default_rng(1).integers(0, 40, len(who)))
        y = 0.1 * who + table["a"].to_numpy()
    found = SoftSelector().fit(table.assign(**{name: who}), y)
    assert not any("belong together" in note for note in found.result_.notes)


def test_a_number_with_which_the_target_rises_is_no_id():
    X, _, patient = patients()
    table = pd.DataFrame(X, columns=list("abcdef")).assign(dose=patient)
    found = SoftSelector().fit(table, (patient - 11.0) ** 2 / 7)
    assert not any("may belong together" in note for note in found.result_.notes)


@pytest.mark.parametrize("kind", ["one visit of another class", "rare class", "ranges", "few"])
def test_other_columns_may_not_be_ids(kind):
    X, y, patient = patients(n_patients=15 if kind == "few" else 30)
    if kind == "one visit of another class":
        y = np.where(np.arange(len(y)) == 50, 1 - y, y)
    elif kind == "rare class":
        y = 1 * (patient == 3)
    elif kind == "ranges":
        y = 1 * (patient > 12)
    fall = patient if kind == "ranges" else [f"F{one}" for one in patient]
    table = pd.DataFrame(X, columns=list("abcdef")).assign(Fall=fall)
    order = np.random.default_rng(0).permutation(len(y))  # else they follow one another
    found = SoftSelector().fit(table.iloc[order], y[order])
    assert not any("may belong together" in note for note in found.result_.notes)


def diaries(seed=0):
    """Days of 40 people, of different numbers, whose age and sex are on every row."""
    rng = np.random.default_rng(seed)
    diary = np.repeat(np.arange(40), rng.integers(3, 9, 40))
    n = len(diary)
    table = pd.DataFrame({
        "diary": diary, "age": rng.integers(18, 90, 40)[diary],
        "sex": rng.choice(["f", "m"], 40)[diary],
        "air": rng.normal(size=n), "noise": rng.normal(size=n),
    })  # fmt: skip
    return table, (table["air"] + rng.normal(size=n) > 0).astype(int)


def may_belong_together(table, y):
    notes = SoftSelector().fit(table, y).result_.notes
    return [note for note in notes if "may belong together" in note]


@pytest.mark.filterwarnings("ignore:.*may belong together")
def test_rows_that_share_other_columns_are_warned_of():
    table, y = diaries()
    (note,) = may_belong_together(table, y)
    assert "with the same 'diary' may belong together" in note
    assert "each value have the same values in other columns. If" in note
    order = np.random.default_rng(0).permutation(len(y))
    assert len(may_belong_together(table.iloc[order], y.iloc[order])) == 1
    gaps = table.assign(age=table["age"].where(table["diary"] > 2))
    assert len(may_belong_together(gaps, y)) == 1
    assert not may_belong_together(table.drop(columns="sex"), y)
    some = table.assign(age=np.where(table.index == 7, 99, table["age"]))
    assert not may_belong_together(some, y)


def test_columns_computed_from_one_in_order_are_no_reason_to_warn():
    table, y = diaries()
    steps = table[["diary", "air", "noise"]].assign(
        tens=table["diary"] // 10,
        half=np.where(table["diary"] > 20, "a", "b"),
        square=table["diary"] ** 2,
    )
    assert not may_belong_together(steps, y)
    dummies = {f"is_{one}": 1.0 * (table["diary"] == one) for one in range(40)}
    assert not may_belong_together(table[["diary", "air", "noise"]].assign(**dummies), y)


@pytest.mark.filterwarnings("ignore:.*may belong together")
@pytest.mark.parametrize(("n_names", "is_said"), [(120, True), (60, False)])
def test_very_many_names_that_are_selected_are_warned_of(n_names, is_said):
    rng = np.random.default_rng(0)
    who = rng.integers(0, n_names, 600)
    table = pd.DataFrame({"college": [f"C{one}" for one in who], "a": rng.normal(size=600)})
    y = rng.normal(size=n_names)[who] + 0.3 * rng.normal(size=600)
    notes = may_belong_together(table, y)
    assert len(notes) == is_said
    assert all("'college' may" in note and "groups=X['college']" in note for note in notes)
    assert not may_belong_together(table, table["a"].to_numpy())  # it is not selected
    asked = SoftSelector(must_include=["college"]).fit(table, y).result_.notes
    given = SoftSelector().fit(table, y, groups=who).result_.notes
    assert not any("may belong together" in note for note in (*asked, *given))


def test_groups_of_one_sample_and_a_single_group_change_nothing():
    X, y, _ = patients()
    plain = SoftSelector().fit(X, y)
    alone = SoftSelector().fit(X, y, groups=np.arange(len(y)))
    together = SoftSelector().fit(X, y, groups=np.zeros(len(y)))
    assert plain.front_ == alone.front_ == together.front_
    assert "All samples are in the same group, so groups are not used." in together.result_.notes


def test_samples_without_a_label_are_alone():
    labels = ["a", None, "b", float("nan"), "a", None]
    assert group_numbers(labels, 6).tolist() == [0, 1, 2, 3, 0, 4]
    assert group_numbers(pd.Series(labels[:3], dtype="string"), 3).tolist() == [0, 1, 2]
    assert group_numbers(pd.array([1, None, 1], dtype="Int64"), 3).tolist() == [0, 1, 0]
    assert group_numbers([1.0, 1], 2).tolist() == [0, 0]


@pytest.mark.parametrize("groups", [5, [1, 2], np.zeros((120, 2))])
def test_groups_of_the_wrong_shape_are_refused(groups):
    X, y, _ = patients()
    with pytest.raises(ValueError, match="groups must have a label for each of the 120 samples"):
        SoftSelector().fit(X, y, groups=groups)
    with pytest.raises(ValueError, match=r"groups must be labels .*, got {} for sample 119"):
        SoftSelector().fit(X, y, groups=[*range(119), {}])


def test_groups_go_along_with_a_table():
    X, y, patient = patients()
    dataset = make_dataset(X, y)
    assert dataset.take(rows=[1, 2]).groups is None
    grouped = replace(dataset, groups=patient)
    assert grouped.take(rows=[0, 5, 4], columns=[1]).groups.tolist() == [0, 1, 1]


def test_samples_of_a_group_are_left_out_of_sampled_memberships():
    X, y, patient = patients()
    measure = SoftDependency(replace(make_dataset(X, y), groups=patient))
    some, mask = measure.on_rows(20, 1), np.ones(6, bool)
    expected = naive.soft_memberships(
        [naive.differences(column, False) for column in X.T], naive.same_class(y), patient
    )
    np.testing.assert_allclose(some.memberships(mask), expected[some.anchors], atol=1e-12)
    np.testing.assert_allclose(measure.memberships_in_numpy(mask), expected, atol=1e-12)
    shares = measure.neighborhood(9, mask)
    assert not shares[patient == patient[9]].any()
    assert shares @ naive.same_class(y)[9] == pytest.approx(expected[9])


def test_reducts_stay_what_they_are_and_say_so():
    X, y, patient = patients()
    plain = ReductSelector("quickreduct", random_state=0).fit(X, y)
    with pytest.warns(UserWarning, match="Groups of samples do not change the dependency"):
        grouped = ReductSelector("quickreduct", random_state=0).fit(X, y, groups=patient)
    assert grouped.front_ == plain.front_
    assert any(
        note.startswith("Groups of samples do not change") for note in grouped.record().notes
    )


def test_a_custom_measure_gets_them():
    X, y, patient = patients()
    seen = []

    def make(dataset):
        seen.append(dataset.groups)
        return SoftDependency(dataset)

    custom = FeatureSelector(make).fit(X, y, groups=patient)
    assert seen[0].tolist() == patient.tolist()
    assert (
        custom.dependency_ <= SoftSelector(size_rule="peak").fit(X, y, groups=patient).dependency_
    )


def test_routing_in_pipelines_searches_and_cross_validation():
    X, y, patient = patients()
    with sklearn.config_context(enable_metadata_routing=True):
        selector = SoftSelector().set_fit_request(groups=True)
        model = make_pipeline(selector, KNeighborsClassifier())
        fitted = model.fit(X, y, groups=patient)[0]
        found = cross_validate(
            model, X, y, cv=GroupKFold(3), params={"groups": patient}, return_estimator=True
        )
        grid = {"softselector__size_rule": ["auto", "peak"]}
        best = GridSearchCV(model, grid, cv=GroupKFold(3)).fit(X, y, groups=patient)
    assert fitted.support_.tolist() == SoftSelector().fit(X, y, groups=patient).support_.tolist()
    for (train, _), one in zip(GroupKFold(3).split(X, y, patient), found["estimator"], strict=True):
        again = SoftSelector().fit(X[train], y[train], groups=patient[train])
        assert one[0].support_.tolist() == again.support_.tolist()
    assert not best.best_estimator_[0].support_[:4].any()


def test_a_check_repeats_the_selection_with_groups():
    X, y, patient = patients()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = check(SoftSelector(), frame(X, patient), y)
    assert found.selected.average_size == check(SoftSelector(), X[:, 4:], y).all.average_size
    assert found.noise.n_samples == len(y)
    assert "patient_id" in json.dumps(found.notes)


@pytest.mark.parametrize("kind", ["full", "nearly", "half", "twice", "no time"])
def test_a_column_with_a_sample_for_each_year_may_keep_together(kind):
    random = np.random.default_rng(0)
    states = [f"S{one}" for one in range(25)]
    table = pd.DataFrame({"state": np.tile(states, 4), "year": np.repeat(np.arange(4), 25)})
    if kind == "twice":
        table.loc[99, "year"] = 0
    elif kind == "no time":
        table = table.rename(columns={"year": "size"})
    table = table.assign(x=random.normal(size=100))
    rows = {"nearly": 97, "half": 60}.get(kind, 100)
    data = make_dataset(table[:rows], random.normal(size=rows))
    with warnings.catch_warnings(action="ignore"):
        notes = noted_patients(data, np.ones(3, np.bool_)).notes
    told = [one for one in notes if "'state' may belong together: the samples of each" in one]
    assert bool(told) == (kind in ("full", "nearly"))


def test_many_rows_that_repeat_others_are_said():
    X, y, _ = patients()
    twice = np.r_[np.arange(len(y)), np.arange(20)]
    with pytest.warns(UserWarning, match="20 of the 140 samples repeat another one .* groups"):
        selector = SoftSelector().fit(X[twice], y[twice])
    (note,) = said_first(selector.result_.notes)
    assert "every feature used. If they are copies of one sample, noise may be selected" in note
    SoftSelector().fit(X[twice], y[twice], groups=twice)  # says nothing: warnings are errors
    SoftSelector().fit(X[twice[:125]], y[twice[:125]])  # nor for few
    other = np.where(np.arange(140) % 140 >= 137, 1 - y[twice], y[twice])
    SoftSelector().fit(X[twice], other)  # nor for equal rows with other targets


@pytest.mark.parametrize("how", ["left out", "parts"])
@pytest.mark.parametrize("order", ["rising", "falling", "mixed"])
@pytest.mark.parametrize("step", ["D", "25h"])
def test_rows_in_the_order_of_a_date_are_said(order, how, step):
    X, y, _ = patients()
    days = pd.date_range("2024-01-01", periods=len(y), freq=step).to_numpy()
    days = {"rising": days, "falling": days[::-1], "mixed": np.roll(days, 40)}[order]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        table = pd.DataFrame(X).add_prefix("x").assign(day=days)
        SoftSelector().fit(date_parts(table) if how == "parts" else table, y)
    told = [str(one.message) for one in said if "TimeSeriesSplit" in str(one.message)]
    assert len(told) == (order != "mixed")
    assert not told or told[0].startswith("The samples are in the order of 'day'.")


RANDOM = np.random.default_rng(0)
IN_ORDER = {
    "years of four quarters": ("year", np.arange(120) // 4),
    "falling": ("Model year", -np.arange(120) // 4),
    "one for each row": ("day_of_year", np.arange(120)),
    "with gaps": ("week", np.cumsum(RANDOM.random(120) < 0.8)),
    "months in years": ("time", 1960 + np.arange(120) / 12),
    "a price": ("price", np.arange(120) // 4),
    "people": ("plot", np.arange(120) // 4),
    "durations": ("time", np.sort(RANDOM.exponential(900, 120).round())),
    "mixed": ("year", RANDOM.permutation(120) // 4),
    "two years": ("year", np.arange(120) // 60),
    "in the name": ("daytime_sales", np.arange(120) // 4),
}


@pytest.mark.parametrize("case", IN_ORDER)
def test_rows_in_the_order_of_a_time_in_numbers_are_said(case):
    X, y, _ = patients()
    name, values = IN_ORDER[case]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        SoftSelector().fit(pd.DataFrame(X).add_prefix("x").assign(**{name: values}), y)
    told = [str(one.message) for one in said if "in the order of" in str(one.message)]
    is_time = list(IN_ORDER).index(case) < 5
    assert [one.split(".")[0] for one in told] == [
        f"The samples are in the order of '{name}'"
    ] * is_time


@pytest.mark.filterwarnings("ignore:.*may belong together")
def test_a_check_says_that_rows_may_depend_on_each_other():
    table, who, y = panel()
    table = table.assign(unit=who, day=pd.date_range("2024-01-01", periods=len(who)))
    text = str(check(SoftSelector(), table, y))
    assert text.index("'unit' may belong together") < text.index("best model scores")
    assert text.index("in the order of 'day'") < text.index("best model scores")
    assert "in the order of" not in str(check(SoftSelector(), table, y, cv=TimeSeriesSplit()))
    assert "may belong" not in str(check(SoftSelector(exclude=["unit"]), table, y, groups=who))


@pytest.mark.parametrize("seed", range(5))
def test_groups_are_connected_through_any_number_of_others(seed):
    rng = np.random.default_rng(seed)
    n = 60
    first, second = (np.unique(rng.integers(0, k, n), return_inverse=True)[1] for k in (45, 40))
    if seed == 0:  # a chain
        first, second = np.arange(n) // 2, (np.arange(n) + 1) // 2
    same = (first[:, None] == first) | (second[:, None] == second)
    reached = np.linalg.matrix_power(same.astype(float), n) > 0
    found = connected(first, second)
    np.testing.assert_array_equal(found[:, None] == found, reached)
    assert set(found.tolist()) == set(range(found.max() + 1))


@pytest.mark.parametrize("seed", range(4))
def test_chances_leave_out_the_group_of_a_sample(seed):
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, [2, 5, 30, 1000][seed], 80)
    y = np.round(rng.standard_cauchy(80) if seed % 2 else rng.normal(size=80), 1)
    data = replace(make_dataset(rng.normal(size=(80, 2)), y, target="numeric"), groups=groups)
    columns = SoftColumns.of(data)
    alike = np.where(groups[:, None] == groups, np.nan, columns.likeness(np.arange(80)))
    np.testing.assert_allclose(columns.chances(), np.nanmean(alike, axis=1), atol=1e-13)


@pytest.mark.parametrize("n_groups", [2, 4])
def test_groups_that_coincide_with_the_classes_are_said(n_groups):
    X, y, _ = patients()
    y = np.arange(len(y)) % 4
    with pytest.warns(UserWarning, match="All samples of a class are in the same group, for every"):
        selector = SoftSelector().fit(X, y, groups=y % n_groups)
    assert selector.dependency_ == 0
    assert sum(note.startswith("All samples of a class") for note in selector.record().notes) == 1
    SoftSelector().fit(X, y, groups=np.where(np.arange(len(y)) < 9, 9, y))  # says nothing
