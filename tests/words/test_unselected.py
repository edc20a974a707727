"""Why a feature is not selected."""

import numpy as np
import pandas as pd
import pytest

from fuzzyfrog import ReductSelector, SoftSelector
from fuzzyfrog.errors import ParameterError

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(120, 4)), columns=["a", "b", "noise", "more"])
Y = (X["a"] + X["b"] + 0.2 * RNG.normal(size=120) > 0).astype(int)
X = X.assign(
    a2=2 * X["a"],
    loga=np.exp(X["a"]),
    who=[f"w{k}" for k in range(120)],
    day=pd.date_range("2024-01-01", periods=120),
    const=1.0,
)


@pytest.mark.filterwarnings(
    "ignore:feature .* (like an ID|holds dates)", "ignore:The samples are in"
)
@pytest.mark.parametrize("make", [SoftSelector, ReductSelector])
def test_every_feature_that_is_not_selected_has_a_reason(make):
    given = {"random_state": 0, "exclude": ["more"]}
    selector = make("quickreduct", **given) if make is ReductSelector else make(**given)
    selector.fit(X, Y)
    selected = set(selector.get_feature_names_out())
    why = {name: selector.why_not(name) for name in X if name not in selected}
    assert why["a2"] == "It says the same as a; must_include=['a2'] keeps it."
    assert why["who"].startswith("It has a different value in every sample, like an ID. It is left")
    assert why["day"].startswith("It holds dates,")
    assert why["more"] == "It was excluded before the search."
    learned = "Nothing can be learned from it. It is left out."
    assert why["const"] == f"It has the same value in every sample. {learned}"
    for name in {"a", "loga"} - selected:
        assert "a rank correlation of 0.98 or more" in why[name] or "redundant" in why[name]
    assert all(why.values())
    for name in (next(iter(selected)), "nothing"):
        with pytest.raises(ParameterError, match=r"feature must be .* that is not selected, got"):
            selector.why_not(name)


@pytest.mark.filterwarnings("ignore:feature 'gone'")
def test_a_reason_that_several_share_is_that_of_each():
    table = X[["a", "b", "const"]].assign(other=2.0, gone=np.nan)
    selector = SoftSelector().fit(table, Y)
    assert selector.why_not("const") == selector.why_not("other") == "It has a single value."
    assert selector.why_not("gone").startswith("It has no value in any sample.")


def test_a_group_has_the_reason_of_its_first_column_or_is_selected():
    table = X[["a", "b", "noise", "more"]]
    selector = SoftSelector(1, feature_groups={"good": ["a", "b"], "poor": ["noise", "more"]})
    selector.fit(table, Y)
    assert selector.why_not("more") == selector.why_not("noise") == selector.why_not(3)
    for member in ("a", "b", 1):
        with pytest.raises(ParameterError, match="not selected, got 'a', which is selected"):
            selector.why_not(member)


@pytest.mark.filterwarnings("ignore:feature .*(holds numbers as text|counts the rows)")
def test_how_a_column_was_read_is_no_reason():
    table = X[["a", "b"]].assign(text=X["more"].map("{:.2f}".format), row=[*map(str, range(120))])
    selector = SoftSelector(exclude=["text"]).fit(table, Y)
    assert selector.why_not("text") == "It was excluded before the search."
    assert selector.why_not("row").startswith("It counts the rows. It is left out;")


def test_the_step_that_would_add_a_feature_is_named():
    selector = SoftSelector(n_features_to_select=1).fit(X[["a", "b", "noise"]], Y)
    assert selector.n_features_ == 1
    rest = SoftSelector(size_rule="peak").fit(X[["a", "b", "noise"]], Y)
    assert set(rest.get_feature_names_out()) == {"a", "b"}
    why = rest.why_not("noise")
    before, after = rest.front_[1].dependency, rest.front_[2].dependency
    assert why.startswith(
        "It is number 3 in the order of the search, where the soft dependency goes from "
        f"{before:.3f} to {after:.3f}."
    )
    one = rest.columns_[2]
    change = f"{one.adds:.4f} ± {one.error:.4f}"
    said = f"Next to the selected ones, it changes the soft dependency by {change}; alone, it"
    assert said in why
