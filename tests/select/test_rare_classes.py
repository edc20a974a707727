"""Where a class is rare, samples count for more the rarer their class is."""

import numpy as np
import pandas as pd
import pytest

from fuzzyfrog import SoftSelector, read_table
from fuzzyfrog.data.dataset import make_dataset
from fuzzyfrog.select.soft import balanced_masses
from fuzzyfrog.words import words_of


def customers(rate, seed=0, n=900):
    """Return customers, of whom a share leaves, with four columns that say who, and noise."""
    r = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": r.normal(size=n),
            "calls": r.normal(size=n),
            "plan": pd.Categorical(r.choice(["basic", "plus"], n)),
            "fee": r.normal(size=n),
            **{f"noise{one}": r.normal(size=n) for one in range(5)},
        }
    )
    score = table[["age", "calls", "fee"]] @ [1.1, 0.9, 0.8] + 1.6 * (table["plan"] == "basic")
    score += 0.6 * r.logistic(size=n)
    return table, np.where(score > np.quantile(score, 1 - rate), "leaves", "stays")


def test_informative_columns_are_told_from_noise():
    for seed in range(2):
        selector = SoftSelector().fit(*customers(0.06, seed))
        relevant = [one.name for one in selector.columns_ if one.relevant]
        assert relevant == ["age", "calls", "plan", "fee"]


def test_a_size_by_neighbors_does_not_follow_the_frequent_class():
    for seed in range(2):
        names = SoftSelector(size_rule="one-se").fit(*customers(0.06, seed)).get_feature_names_out()
        assert len({"age", "calls", "plan", "fee"}.intersection(names)) >= 3


def test_classes_count_alike_as_with_weights_that_say_so():
    table, y = customers(0.06)
    share = np.where(y == "leaves", 0.06, 0.94)
    rare = SoftSelector().fit(table, y)
    weighted = SoftSelector().fit(table, y, sample_weight=0.5 / share)
    assert rare.dependency_ == pytest.approx(weighted.dependency_, abs=1e-5)
    assert rare.support_.tolist() == weighted.support_.tolist()
    chances = [float(one.record().answer.chance) for one in (rare, weighted)]
    assert chances[0] == pytest.approx(chances[1], abs=1e-5)
    assert chances[0] == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize(("rate", "is_rare"), [(0.105, False), (0.095, True)])
def test_a_class_is_rare_below_a_tenth(rate, is_rare):
    table, y = customers(rate)
    selector = SoftSelector().fit(table, y)
    plain = SoftSelector().fit(table, y, sample_weight=np.ones(len(y)))
    assert (selector.dependency_ != plain.dependency_) is is_rare
    record = selector.record()
    note = f"Only {np.mean(y == 'leaves'):.1%} of the samples are of class 'leaves', so samples"
    assert any(one.startswith(note) for one in record.notes) is is_rare
    facts = dict(words_of(record).facts())
    assert ("rarer their class" in facts["soft"]) is is_rare
    after = record.names(record.added[len(record.selected) :])[0]
    assert ("the balanced accuracy of the five" in selector.why_not(after)) is is_rare
    assert facts["kNN"].startswith("balanced ") is is_rare
    assert "most frequent class" not in facts["kNN"] or not is_rare


def test_ten_classes_of_the_same_size_are_not_rare():
    random = np.random.default_rng(0)
    y = np.arange(200) % 10
    table = random.normal(size=(200, 3)) + y[:, np.newaxis]
    ones = SoftSelector().fit(table, y, sample_weight=np.ones(200))
    assert SoftSelector().fit(table, y).dependency_ == pytest.approx(ones.dependency_, abs=1e-12)


def test_a_part_of_a_table_counts_as_the_whole_table():
    table, y = customers(0.095)
    whole = make_dataset(table, y)
    rare = np.flatnonzero(y == "leaves")
    even = whole.take(np.r_[rare, np.setdiff1d(np.arange(900), rare)[:100]])
    assert all(balanced_masses(one) is not None for one in (whole, even, even.take(rows=[0, 1])))
    table, y = customers(0.105)
    uneven = make_dataset(table, y).take(
        np.delete(np.arange(900), np.flatnonzero(y == "leaves")[9:])
    )
    assert balanced_masses(uneven) is None


def test_a_row_without_a_target_changes_nothing(tmp_path):
    table, y = customers(0.05)
    file = tmp_path / "customers.csv"
    table.assign(y=[None, *y[1:]]).to_csv(file, index=False)
    with pytest.warns(UserWarning, match="1 row without a target left out"):
        read = read_table(file, "y")
    assert balanced_masses(read) is not None
    assert np.array_equal(balanced_masses(read), balanced_masses(make_dataset(table[1:], y[1:])))


def test_few_samples_of_a_class_count_for_less():
    table, y = customers(0.01)  # nine samples
    chance = SoftSelector().fit(table, y).record().answer.chance
    share = 9 / 20 / (1 + 9 / 20)  # of a class that counts as if it had 20
    assert chance == pytest.approx(share**2 + (1 - share) ** 2, abs=0.02)
