"""What must hold for every table, whatever the values are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measure_cases import SPREADS, TNORMS, cases, with_table
from strategies import SHORT_NUMBERS, examples

SCALE_FREE_SPREADS = ("std", "range")


def random_order(data, n):
    return np.random.default_rng(data.draw(st.integers(0, 2**32 - 1))).permutation(n)


def appended(case, column, categorical=False):
    """Return the case with one more feature, which belongs to none of the subsets."""
    return with_table(
        case,
        X=np.column_stack([case.table.X, column]),
        categorical=np.append(case.table.categorical, categorical),
        masks=np.column_stack([case.masks, np.zeros(len(case.masks), bool)]),
    )


def including(masks, feature):
    masks = masks.copy()
    masks[:, feature] = True
    return masks


@pytest.mark.parametrize("tnorm", TNORMS)
@examples(40)
@given(case=cases())
def test_dependency_never_falls_when_a_feature_is_added(tnorm, case):
    measure = case.measure(tnorm)
    before = measure.score(case.masks)
    for feature in range(case.table.n_features):
        assert np.all(measure.score(including(case.masks, feature)) >= before)


@pytest.mark.parametrize("tnorm", TNORMS)
@examples(40)
@given(case=cases())
def test_scores_lie_between_the_empty_and_the_full_subset(tnorm, case):
    measure = case.measure(tnorm)
    scores = measure.score(case.masks)
    nothing = measure.score(np.zeros((1, case.table.n_features), bool))[0]
    assert 0.0 <= nothing <= scores.min()
    assert scores.max() == measure.full <= 1.0


@examples(25)
@given(case=cases(kinds=["class"]))
def test_empty_subset_of_classes_scores_zero(case):
    assert case.measure().score(np.zeros((1, case.table.n_features), bool))[0] == 0.0


@pytest.mark.parametrize("tnorm", TNORMS)
@examples(40)
@given(case=cases(), data=st.data())
def test_order_of_the_samples_does_not_matter(tnorm, case, data):
    order = random_order(data, case.table.n_samples)
    shuffled = with_table(case, X=case.table.X[order], y=case.table.y[order])
    straight, mixed = case.measure(tnorm), shuffled.measure(tnorm)
    assert straight.score(case.masks).tobytes() == mixed.score(case.masks).tobytes()
    for mask in case.masks[:3]:
        np.testing.assert_array_equal(straight.memberships(mask)[order], mixed.memberships(mask))


@pytest.mark.parametrize("tnorm", ["lukasiewicz", "minimum"])
@examples(40)
@given(case=cases(), data=st.data())
def test_order_of_the_features_does_not_matter(tnorm, case, data):
    straight, mixed = reordered_scores(case, tnorm, data)
    assert straight.tobytes() == mixed.tobytes()


@examples(40)
@given(case=cases(), data=st.data())
def test_order_of_the_features_rounds_a_product_differently_at_most(case, data):
    straight, mixed = reordered_scores(case, "product", data)
    np.testing.assert_allclose(straight, mixed, rtol=0, atol=1e-14)


def reordered_scores(case, tnorm, data):
    order = random_order(data, case.table.n_features)
    moved = with_table(
        case,
        X=case.table.X[:, order],
        categorical=case.table.categorical[order],
        masks=case.masks[:, order],
    )
    return case.measure(tnorm).score(case.masks), moved.measure(tnorm).score(moved.masks)


@examples(40)
@given(case=cases(kinds=["class"]), data=st.data())
def test_names_of_the_classes_do_not_matter(case, data):
    names = data.draw(st.permutations(["yes", "no", "-1", "Größe", "0"]))
    renamed = with_table(case, y=np.array([names[code] for code in case.table.y]))
    straight = case.measure().score(case.masks)
    assert straight.tobytes() == renamed.measure().score(case.masks).tobytes()


@pytest.mark.parametrize("tnorm", TNORMS)
@examples(40)
@given(
    case=cases(spreads=SCALE_FREE_SPREADS, recipes=("continuous", "skewed", "tiny integers")),
    data=st.data(),
)
def test_powers_of_two_as_units_do_not_matter(tnorm, case, data):
    exponents = st.lists(
        st.integers(-60, 60), min_size=case.table.n_features, max_size=case.table.n_features
    )
    scaled = with_table(case, X=case.table.X * np.exp2(data.draw(exponents)))
    straight = case.measure(tnorm).score(case.masks)
    assert straight.tobytes() == scaled.measure(tnorm).score(case.masks).tobytes()


@pytest.mark.parametrize("tnorm", TNORMS)
@examples(40)
@given(case=cases(spreads=SPREADS, recipes=SHORT_NUMBERS), shift=st.integers(-(2**20), 2**20))
def test_the_origin_of_a_scale_does_not_matter(tnorm, case, shift):
    quarters = np.round(case.table.X * 4) / 4  # few digits, so that the shift loses none
    straight = with_table(case, X=quarters).measure(tnorm).score(case.masks)
    shifted = with_table(case, X=quarters + shift).measure(tnorm).score(case.masks)
    np.testing.assert_allclose(straight, shifted, rtol=0, atol=1e-13)


@pytest.mark.parametrize("tnorm", TNORMS)
@examples(40)
@given(case=cases(), data=st.data())
def test_a_copy_of_a_feature_is_as_good_as_the_feature(tnorm, case, data):
    original = data.draw(st.integers(0, case.table.n_features - 1))
    larger = appended(case, case.table.X[:, original], case.table.categorical[original])
    measure, copy = larger.measure(tnorm), larger.table.n_features - 1
    only = np.eye(larger.table.n_features, dtype=bool)[[original, copy]]
    first, second = measure.score(only)
    assert first == second
    without = measure.score(including(larger.masks, original))
    twice = measure.score(including(including(larger.masks, original), copy))
    assert np.all(twice >= without)
    if tnorm == "minimum":
        assert twice.tobytes() == without.tobytes()


@pytest.mark.parametrize("tnorm", TNORMS)
@examples(40)
@given(case=cases())
def test_a_constant_feature_adds_nothing(tnorm, case):
    larger = appended(case, np.full(case.table.n_samples, 0.1))
    measure = larger.measure(tnorm)
    with_constant = measure.score(including(larger.masks, -1))
    assert with_constant.tobytes() == case.measure(tnorm).score(case.masks).tobytes()


@pytest.mark.parametrize("tnorm", TNORMS)
@examples(40)
@given(case=cases(spreads=["range"], kinds=["class"]))
def test_a_table_twice_over_scores_the_same(tnorm, case):
    """Complete values only: two copies of one gap differ under missing="different"."""
    X, y = np.nan_to_num(case.table.X), case.table.y
    once = with_table(case, X=X).measure(tnorm).score(case.masks)
    doubled = with_table(case, X=np.vstack([X, X]), y=np.concatenate([y, y]))
    assert once.tobytes() == doubled.measure(tnorm).score(case.masks).tobytes()


@pytest.mark.parametrize("tnorm", TNORMS)
@examples(40)
@given(case=cases(kinds=["class"]))
def test_duplicates_of_different_class_belong_nowhere(tnorm, case):
    X, y = np.nan_to_num(case.table.X), case.table.y
    other = y[np.argmax(y != y[0])]
    clash = with_table(case, X=np.vstack([X, X[:1]]), y=np.append(y, other))
    measure = clash.measure(tnorm)
    for mask in case.masks[:3]:
        memberships = measure.memberships(mask)
        assert memberships[0] == memberships[-1] == 0.0


@examples(40)
@given(case=cases())
def test_the_input_is_left_alone(case):
    X, y = case.table.X.copy(), case.table.y.copy()
    case.measure().score(case.masks)
    np.testing.assert_array_equal(case.table.X, X)
    np.testing.assert_array_equal(case.table.y, y)
