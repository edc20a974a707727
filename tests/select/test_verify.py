"""New rows: whether a selection still holds, against brute force and against fits from scratch."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_wine

from fuzzyfrog import FeatureSelector, ReductSelector, SoftSelector, dependency
from fuzzyfrog.data import make_dataset
from fuzzyfrog.errors import DataError, ParameterError
from fuzzyfrog.measure import SoftDependency
from fuzzyfrog.select.verify import shifts_of
from naive import soft
from naive.panels import Panels
from panel_cases import priced, random_case
from strategies import seeds

SEEDS = seeds(500, first=40)
X, Y = load_wine(return_X_y=True, as_frame=True)
ORDER = np.random.default_rng(0).permutation(len(X))
OLD, NEW = np.sort(ORDER[:130]), np.sort(ORDER[130:])
FIRST = X.iloc[OLD], Y.iloc[OLD]
SECOND = X.iloc[NEW], Y.iloc[NEW]


def asked(seed):
    """What a selection is asked for, in turn."""
    return [{}, {"max_lost": seed % 3}, {"survives": 1}, {"min_dependency": 0.8}][seed % 4]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", SEEDS)
def test_all_figures_are_those_of_both_tables_together(seed):
    wanted = asked(seed)
    n_losses = wanted.get("survives", 0)
    case = random_case(seed, n_losses)
    costs, each = priced(case, seed) if seed % 3 == 0 else (None, [1] * len(case.names))
    frame, target = case.frame, np.array(case.target)
    n_old = len(target) - 2 - seed % 3
    selector = ReductSelector("exact", **case.settings, costs=costs, **wanted)
    try:
        selector.fit(frame[:n_old], target[:n_old])
    except ParameterError:  # nothing can replace a column, or there are too few rows
        wanted, n_losses = {}, 0
        selector.set_params(survives=0, max_lost=None).fit(frame[:n_old], target[:n_old])
    except DataError:  # the old rows alone have one class or an empty column
        return
    new = frame[n_old:].iloc[:, ::-1]  # in another order
    found = selector.verify(new, target[n_old:], old=(frame[:n_old], target[:n_old]))

    # A column with one value in the old rows is left out, but may repair a reduct.
    blank = {name for name in frame if frame[name][:n_old].nunique(dropna=False) == 1}
    blank -= set(case.settings["exclude"] or ())
    gone = {selector.feature_names_in_[one] for one in selector.result_.excluded} - blank
    banned = [
        place
        for place, columns in enumerate(case.panels.features)
        if frame.columns[columns[0]] in gone
    ]
    values = [
        [None if pd.isna(one) else one if isinstance(one, str) else int(one) for one in column]
        for _, column in frame.items()
    ]
    features = case.panels.features
    panels = Panels(values, case.target, features, banned=banned, n_losses=n_losses, **case.how)
    selected = tuple(sorted(case.names.index(name) for name in found.selected))
    assert found.full_dependency == pytest.approx(float(plain(panels, panels.all)), abs=1e-12)
    assert found.dependency == pytest.approx(float(panels.score(selected)), abs=1e-12)
    ours, full = panels.of(selected), panels.of(panels.all)
    lost = [row for row in range(len(full)) if ours[row] < full[row]]
    assert found.n_broken == len([row for row in lost if row >= n_old])
    assert found.n_old_broken == len([row for row in lost if row < n_old])
    assert {int(one.row) for one in found.broken} == {row - n_old for row in lost if row >= n_old}

    def is_enough(subset):
        if "max_lost" in wanted:
            return panels.n_lost(subset) <= wanted["max_lost"]
        share = 8 if "min_dependency" in wanted else 10
        return 10 * panels.score(subset) >= share * plain(panels, panels.all)

    assert found.holds == is_enough(selected)
    larger = [one for one in panels.subsets if set(selected) <= set(one) and is_enough(one)]
    if found.holds or not larger:
        assert found.added is None
    else:
        lowest = min(sum(each[one] for one in subset) for subset in larger)
        added = {case.names.index(name) for name in found.added}
        assert sum(each[one] for one in {*selected, *added}) == lowest
        assert tuple(sorted({*selected, *added})) in larger
        assert found.is_fewest
        if costs is not None:
            assert found.cost == pytest.approx(sum(each[one] for one in added))


def plain(panels, subset):
    """The dependency before any loss."""
    return sum(panels.of(subset)) / len(panels.of(subset))


def mixed(seed, *, is_numeric):
    """A table with a category and gaps, whose last rows are the new ones, and a target."""
    random = np.random.default_rng([seed, 7])
    n = 60
    frame = pd.DataFrame(
        {
            "a": random.normal(size=n),
            "b": random.standard_t(2, size=n),
            "c": random.choice(["x", "y", "z"], n),
            "d": random.integers(0, 4, n).astype(float),
        }
    )
    frame.loc[random.integers(0, n, 8), "b"] = np.nan
    frame.loc[random.integers(0, n, 5), "c"] = None
    score = frame["a"] + (frame["c"] == "x") + random.normal(size=n) / 2
    return frame, score.to_numpy() if is_numeric else np.where(score > 0.4, "yes", "no")


def by_class(before, old_kinds, now, new_kinds):
    """Means over classes of old and of new rows, and the standard error of the difference."""
    kinds = sorted(set(old_kinds) & set(new_kinds))
    ours = [(before[old_kinds == one], now[new_kinds == one]) for one in kinds]
    n = len(before)
    variance = sum(
        n / (n - 1) * old.var() / len(old) + max(old.var(), new.var()) / len(new)
        for old, new in ours
    )
    old_mean, new_mean = np.mean([(old.mean(), new.mean()) for old, new in ours], axis=0)
    return old_mean, new_mean, np.sqrt(variance) / len(kinds)


def rare(seed, n_often, n_rare, *, signal):
    """Rows of a frequent and of a rare class; the latter has higher values of one column."""
    random = np.random.default_rng(seed)
    y = np.repeat(["fair", "fraud"], [n_often, n_rare])
    frame = pd.DataFrame({"amount": random.normal(size=len(y)), "hour": random.normal(size=len(y))})
    frame["amount"] += signal * (y == "fraud")
    return frame, y


def test_a_rare_class_is_judged_by_its_rows_and_not_by_their_number():
    old = rare(0, 960, 40, signal=2)
    selector = SoftSelector(must_include=["amount"], n_features_to_select=1).fit(*old)
    rarer = selector.verify(*rare(1, 985, 30, signal=0), old=old)
    assert not rarer.holds
    more = selector.verify(*rare(2, 850, 150, signal=2), old=old)
    assert more.holds
    said = "The shares of the classes have changed: 'fraud' in 4.0% before, 15.0% now."
    assert said in str(more)
    assert "shares" not in str(rarer)
    few = selector.verify(*rare(3, 500, 3, signal=2), old=old)
    assert few.holds
    assert "With only 3 new rows of class 'fraud', only a large loss would show." in few.sentences


def test_a_class_that_no_new_row_has_is_not_compared():
    is_left = Y.iloc[NEW] != 2
    selector = SoftSelector().fit(*FIRST)
    found = selector.verify(SECOND[0][is_left], SECOND[1][is_left], old=FIRST)
    assert found.holds
    assert "Not compared, because no new row has it: class '2'." in found.sentences
    other = np.full(len(NEW), 7)
    with pytest.raises(DataError, match="must have a class that old rows have, got only '7'"):
        selector.verify(SECOND[0], other, old=FIRST)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("is_numeric", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_new_rows_are_compared_with_old_ones_in_units_of_these(seed, is_numeric):
    frame, y = mixed(seed, is_numeric=is_numeric)
    first = 40
    frame.loc[first:, "a"] = 3 * frame.loc[first:, "a"] + 1
    frame.loc[first + 1, "c"] = "never seen"
    old, new = frame[:first], frame[first:]
    selector = SoftSelector(must_include=list(frame.columns)).fit(old, y[:first])
    found = selector.verify(new, y[first:], old=(old, y[:first]))
    codes = pd.factorize(frame["c"])[0].astype(float)
    values = frame.assign(c=np.where(codes < 0, np.nan, codes))
    columns = [soft.differences(values[name], name == "c", first) for name in values]
    groups = np.append(np.arange(first), np.full(len(frame) - first, first))
    alike = soft.alike_numbers(y, first) if is_numeric else soft.same_class(y)
    memberships = soft.soft_memberships([one.copy() for one in columns], alike, groups)
    wrong = (
        soft.squared_errors(columns, y, groups, first)
        if is_numeric
        else soft.wrong_votes(columns, y, groups)
    )
    inside = [one[:first, :first] for one in columns]
    before = (
        soft.squared_errors(inside, y[:first])
        if is_numeric
        else soft.wrong_votes(inside, y[:first])
    )
    inside = [one[:first, :first].copy() for one in columns]
    both = soft.soft_memberships(inside, alike[:first, :first])
    kinds = np.zeros(len(y)) if is_numeric else y
    right = by_class(1 - before, kinds[:first], 1 - wrong[first:], kinds[first:])
    share = by_class(both, kinds[:first], memberships[first:], kinds[first:])
    assert (found.accuracy_before, found.accuracy) == pytest.approx(right[:2], abs=1e-9)
    assert (found.membership_before, found.membership) == pytest.approx(share[:2], abs=1e-9)
    old_mean, new_mean, error = right if is_numeric else share
    assert found.error == pytest.approx(error, abs=1e-9)
    assert found.holds == (old_mean - new_mean <= 2 * error)
    assert "'c' has categories that no old row has: 'never seen', in 1 new row." in found.notes


def test_a_reduct_that_breaks_says_where_and_how_to_repair_it():
    selector = ReductSelector("quickreduct").fit(*FIRST)
    found = selector.verify(*SECOND, old=FIRST)
    assert str(found).splitlines() == [
        "The 4 selected features no longer hold: on 178 old and new rows together, the "
        "dependency is 0.995, that of all columns 1.000.",
        "2 new rows are separated less well by them than by all columns.",
        "  new row 17: 0.691 apart, by all columns 1.000, from old row 94",
        "  new row 18: 0.921 apart, by all columns 1.000, from old row 21",
        "5 old rows are separated less well, too: new rows come close, or change the unit of a "
        "column.",
        "To repair it, add malic_acid. Proven: no fewer columns are enough.",
    ]
    whole = pd.concat([FIRST[0], SECOND[0]]), pd.concat([FIRST[1], SECOND[1]])
    repaired = [*found.selected, *found.added]
    assert dependency(*whole, features=repaired) == dependency(*whole)
    assert found.dependency == dependency(*whole, features=list(found.selected))


def test_a_reduct_that_holds_needs_nothing():
    selector = ReductSelector("exact", survives=1).fit(*FIRST)
    found = selector.verify(*SECOND, old=FIRST)
    assert found.holds
    assert found.added is None
    assert str(found) == (
        "The 6 selected features still hold: on 178 old and new rows together, the dependency "
        "is 1.000 after the loss of any 1, that of all columns 1.000."
    )


def test_rows_may_be_set_aside_as_before():
    selector = ReductSelector("exact", max_lost=30, spread="range").fit(*FIRST)
    found = selector.verify(*FIRST, old=FIRST)  # the same rows: memberships are the same
    n_lost = selector.reducts_[0].n_lost
    assert 0 < found.n_broken == found.n_old_broken == n_lost
    assert found.holds == (2 * n_lost <= 30)
    assert found.sentences[0].endswith(f" {2 * n_lost} rows lose membership, 30 may.")
    few = selector.verify(FIRST[0][:20], FIRST[1][:20], old=FIRST)
    assert few.holds == (few.n_broken + few.n_old_broken <= 30)
    assert few.holds
    assert found.notes[0].startswith(
        "130 new rows look like copies of old rows, equal in every column"
    )


def test_a_selection_that_was_never_enough_keeps_its_share():
    selector = ReductSelector("quickreduct", n_features_to_select=2).fit(*FIRST)
    found = selector.verify(*SECOND, old=FIRST)
    assert found.share == pytest.approx(selector.dependency_ / selector.full_dependency_)
    assert found.holds == (found.dependency >= found.share * found.full_dependency)
    assert f"They have to keep {found.share:.1%} of that." in found.sentences[0]


def test_without_time_for_a_proof_the_repair_is_not_called_the_fewest():
    random = np.random.default_rng(0)
    table, target = random.normal(size=(60, 300)), np.arange(60) % 2
    selector = ReductSelector("quickreduct").fit(table[:8], target[:8])
    found = selector.verify(table[8:], target[8:], old=(table[:8], target[:8]), max_seconds=1e-9)
    assert not found.holds
    assert not found.is_fewest
    names = [f"x{one}" for one in range(300)]
    subset = [names.index(one) for one in (*found.selected, *found.added)]
    assert dependency(table, target, features=subset) == dependency(table, target)
    assert found.sentences[-1].endswith("an unfinished proof: less may be enough.")


def test_shifts_are_named_by_column():
    frame, y = mixed(0, is_numeric=False)
    frame = pd.concat([frame] * 4, ignore_index=True)
    frame["a"] += np.random.default_rng(0).normal(size=len(frame)) / 100
    y = np.tile(y, 4)
    names = list(frame.columns)
    selector = SoftSelector(must_include=names, copies="keep")
    selector.fit(frame[:120], y[:120])
    new = frame[120:].copy()
    new["a"] += 2
    new["b"] = np.where(np.arange(len(new)) % 2, np.nan, new["b"])
    new["c"] = new["c"].replace({"y": "x"})
    new["d"] = (new["d"] - new["d"].mean()) * 9 + frame["d"][:120].mean()
    found = selector.verify(new, y[120:], old=(frame[:120], y[:120]))
    shifted = {one.name: one.what for one in found.shifts}
    assert shifted == {"a": "mean", "b": "missing", "c": "x", "d": "standard deviation"}
    said = str(found)
    assert re.search(r"a has shifted: mean -?0\.\d\d before, \d\.\d\d now\.", said)
    assert "b is missing more often: " in said
    assert "c has shifted: 'x' in " in said
    assert re.search(r"d has shifted: standard deviation 1\.\d before, 10\.\d now\.", said)


def test_few_families_of_tests_have_a_false_alarm():
    n_alarms = 0
    for seed in range(60):
        random = np.random.default_rng(seed)
        values = random.normal(size=(150, 12))
        values[:, 8:] = random.integers(0, 4, size=(150, 4))
        target = np.arange(150) % 2
        labels = list(range(8, 12))
        old = make_dataset(values[:90], target[:90], categorical_features=labels)
        new = make_dataset(values[90:], target[90:], categorical_features=labels)
        n_alarms += bool(shifts_of(old, new, np.arange(12)))
    assert n_alarms <= 7  # 3 are expected


def test_a_single_row_of_one_class_is_enough():
    for selector in (ReductSelector("quickreduct"), SoftSelector()):
        found = selector.fit(*FIRST).verify(X.iloc[[140]], Y.iloc[[140]], old=FIRST)
        assert found.n_new == 1


def test_what_is_new_is_noted():
    old = pd.DataFrame({"n": [1.0, 2, 3, 4, 9, 8], "c": list("aabbab")}), list("uuvvuv")
    new = pd.DataFrame({"more": list("kl"), "c": ["zz", "a"], "n": [np.nan, 9.0]}), ["w", "u"]
    selector = ReductSelector("quickreduct", must_include=["n", "c"]).fit(*old)
    assert selector.verify(*new, old=old).notes == (
        "'n' is missing in 1 new row and in no old one.",
        "'c' has categories that no old row has: 'zz', in 1 new row.",
        "New classes, which no old row has: 'w'.",
        "1 new row looks like a copy of an old row, equal in every column compared: leave "
        "out what is the same sample.",
        "Columns that are not features of the old table are ignored: 'more'.",
    )


def test_a_numeric_target_and_arrays_without_names():
    table, target = load_diabetes(return_X_y=True)
    target = target / 10
    first = table[:60], target[:60]
    for selector in (ReductSelector("quickreduct"), SoftSelector()):
        found = selector.fit(*first).verify(table[60:90], target[60:90], old=first)
        assert (found.n_old, found.n_new) == (60, 30)
    assert "R² is" in str(found)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ((SECOND[0].drop(columns=["hue", "ash"]), SECOND[1]), "got none called 'ash', 'hue'"),
        ((SECOND[0].add_prefix("new_"), SECOND[1]), "got none called 'alcohol', 'malic_acid'"),
        ((SECOND[0].to_numpy()[:, 1:], SECOND[1]), "13 columns of the old table, got 12"),
        ((SECOND[0].assign(hue="blue"), SECOND[1]), "feature 'hue' must be a number, got 'blue'"),
    ],
)
def test_tables_that_do_not_fit_are_refused(given, sentence):
    selector = ReductSelector("quickreduct").fit(*FIRST)
    with pytest.raises(DataError, match=sentence):
        selector.verify(*given, old=FIRST)


def test_another_old_table_is_refused():
    selector = SoftSelector().fit(*FIRST)
    with pytest.raises(DataError, match="must be the one that the columns were selected from"):
        selector.verify(*SECOND, old=(FIRST[0] + 1, FIRST[1]))


def test_a_custom_measure_cannot_be_verified():
    selector = FeatureSelector(SoftDependency).fit(*FIRST)
    with pytest.raises(DataError, match="verify must be called for SoftSelector or Reduct"):
        selector.verify(*SECOND, old=FIRST)


def test_rows_that_no_column_separates_are_told_apart_from_a_reduct_that_holds():
    """Old and new rows together are as close by all columns, so nothing can break the reduct."""
    selector = ReductSelector("quickreduct").fit(*FIRST)
    found = selector.verify(SECOND[0] * np.nan, SECOND[1], old=FIRST)
    assert found.holds
    assert (found.full_dependency, found.full_dependency_before) == (0.0, 1.0)
    assert found.sentences[1] == (
        "On the old rows alone, all columns reach 1.000: new rows come close, have gaps, or change "
        "the unit of a column."
    )


def test_a_selected_column_in_another_unit_is_named():
    selector = ReductSelector("quickreduct", must_include=["proline"]).fit(*FIRST)
    new = SECOND[0].assign(proline=SECOND[0]["proline"] / 1000)
    found = selector.verify(new, SECOND[1], old=FIRST)
    assert found.sentences[-1] == "proline has shifted: mean 738 before, 1 now."


def test_a_constant_of_the_old_rows_need_not_be_in_the_new_table():
    old = FIRST[0].assign(same=7.0), FIRST[1]
    found = ReductSelector("quickreduct").fit(*old).verify(*SECOND, old=old)
    assert (
        found.sentences
        == ReductSelector("quickreduct").fit(*FIRST).verify(*SECOND, old=FIRST).sentences
    )


def test_a_constant_of_the_old_rows_may_repair_a_reduct():
    old = pd.DataFrame({"a": [0.0, 1.0, 2.0, 3.0] * 5, "same": 7.0})
    new = pd.DataFrame({"a": [0.0, 3.0], "same": [9.0, 5.0]})
    y = [0, 0, 1, 1] * 5
    selector = ReductSelector(random_state=0).fit(old, y)
    assert selector.record().excluded == (1,)
    assert "same" in str(selector.verify(new, [1, 0], old=(old, y)))
