"""Features that a user may not want: each gets one warning, and others get none."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from fuzzyfrog import FeatureSelector, ReductSelector, SoftSelector
from fuzzyfrog.cli.summary import result_lines
from fuzzyfrog.data import make_dataset
from fuzzyfrog.errors import DataError, ParameterError
from fuzzyfrog.report import render_report
from fuzzyfrog.select.left_out import left_out
from fuzzyfrog.words import words_of


def told(column, *, allowed=True, name="a"):
    n_samples = len(column)
    return said(pd.DataFrame({name: column, "other": np.arange(n_samples) % 2 / 2}), allowed)


def said(X, allowed=True):
    """Return what is said about all columns but the last, if nothing is left out."""
    data = make_dataset(X, np.arange(len(X)) % 2)
    excluded = np.append(np.full(X.shape[1] - 1, not allowed), False)
    none = np.zeros(X.shape[1], np.bool_)
    found = left_out(data, none, excluded, drop_copies=False, drop_doubtful=False)
    return list(found.sentences)


def fitted(X, **parameters):
    return ReductSelector("quickreduct", **parameters).fit(X, np.arange(len(X)) % 2)


def names(n_values, n_samples):
    return [f"name {number % n_values}" for number in range(n_samples)]


def test_another_value_in_every_sample():
    (sentence,) = told(names(30, 30))
    assert "'a' has a different value in every sample, like an ID." in sentence
    assert sentence.endswith("To leave it out, pass exclude=['a'].")
    assert told(names(30, 30), allowed=False) == []
    assert told(names(9, 9)) == []


@pytest.mark.parametrize(("n_values", "n_samples"), [(20, 39), (59, 60), (20, 21)])
def test_nearly_another_value_in_every_sample(n_values, n_samples):
    (sentence,) = told(names(n_values, n_samples))
    assert f"{n_values} different labels in {n_samples} samples" in sentence
    assert "nearly like an ID. To leave" in sentence


@pytest.mark.parametrize("n_samples", [60, 70])
def test_numbers_among_which_some_have_a_unit_are_no_id(n_samples):
    weights = [f"{70 + k / 10}" if k % 3 else f"{70 + k // 10},{k % 10} kg" for k in range(60)]
    (sentence,) = told((weights * 2)[:n_samples])
    cells = "'70,0 kg', '70,3 kg', '70,6 kg' and 17 more"
    assert f"'a' holds numbers except {cells}, so it has 60 different labels" in sentence
    assert ". Write plain numbers in these cells, or empty them. To leave" in sentence
    assert "ID" not in sentence


@pytest.mark.parametrize("form", ["{}", "{:04}", "C{:.1f}", "{}.1.2", "{}, Main Street"])
def test_codes_and_names_with_digits_are_ids(form):
    (sentence,) = told([*(form.format(k) for k in range(45)), *"ABCDEFGHIJKLMNO"])
    assert "has a different value in every sample, like an ID." in sentence


@pytest.mark.parametrize(("n_values", "n_samples"), [(19, 20), (20, 40), (3, 100)])
def test_fewer_values_are_labels(n_values, n_samples):
    assert told(names(n_values, n_samples)) == []


@pytest.mark.parametrize(
    "name",
    [
        *(
            "ID",
            "id",
            "customer_id",
            "customerId",
            "PatientID",
            "key",
            "uuid",
            "Row nr",
            "rownames",
        ),
        *("rowNr", "Customer ID", "Kunden-Nr", "id_2", "Invoice No.", "zip code", "phone", "index"),
        *(
            "townid",
            "familyid",
            "customerid2",
            "seqno",
            "Seq. No.",
            "sequence_number",
            "subject_no",
            "rownum",
            "idno",
            "IDNUM",
            "idcode",
            "unitid",
        ),
    ],
)
def test_whole_numbers_that_differ_are_identifiers_by_their_name(name):
    numbers = [100_002 + 7 * (number * 13 % 50) for number in range(50)]
    (sentence,) = told(numbers, name=name)
    assert "is named like an ID, and has a different number in every sample." in sentence
    assert sentence.endswith(f"To leave it out, pass exclude=[{name!r}].")
    assert told(numbers, name=name, allowed=False) == []
    assert told([*numbers[:48], 7, 7], name=name) != []
    assert all("it may say only" in one for one in told(numbers[:25] * 2, name=name))
    assert told([number + 0.5 for number in numbers], name=name) == []


@pytest.mark.parametrize(
    "name",
    [
        *("a", "population", "price", "width", "paid", "grid", "nora", "number_of_sales", "NO"),
        *(
            "num_steps",
            "mail_volume",
            "phone_minutes",
            "key_strokes",
            "code_lines",
            "No2",
            "no_of_id",
        ),
        *("house_price_index", "number_of_ids", "num_id", "id_count", "Reynolds number", "mean NO"),
    ],
)
def test_counts_and_measurements_are_no_identifiers(name):
    assert told([100_002 + 7 * (number * 13 % 50) for number in range(50)], name=name) == []


@pytest.mark.parametrize("name", ["ID", "patient_id", "idcode", "unitid"])
def test_numbers_called_id_are_left_out_if_most_differ(name):
    numbers = 7 * (np.arange(60) * 13 % 46) + 1_000_000  # some samples are of the same patient
    X = pd.DataFrame({name: numbers, "a": np.arange(60) % 7})
    with pytest.warns(UserWarning, match="an ID, and has 46 different numbers in 60 samples. It"):
        assert fitted(X).get_feature_names_out().tolist() == ["a"]
    assert told(numbers, name="row_nr") == []
    assert "it may say only" in told(numbers[:30].tolist() * 2, name=name)[0]


def penguins(name="Sample Number"):
    """Return penguins as in a field book: their numbers start again for each species."""
    random = np.random.default_rng(0)
    numbers = [*range(1, 61), *range(1, 31), *range(1, 51)]
    species = np.repeat(["Adelie", "Chinstrap", "Gentoo"], [60, 30, 50])
    length = random.normal(190, 6, 140) + 25 * (species == "Gentoo")
    return pd.DataFrame({name: numbers, "length": length}), species


def test_numbers_of_samples_that_start_again_are_left_out():
    X, y = penguins()
    with pytest.warns(UserWarning, match="'Sample Number' is named like an ID, and counts rows"):
        found = ReductSelector("quickreduct").fit(X, y)
    assert found.get_feature_names_out().tolist() == ["length"]
    shuffled = np.random.default_rng(0).permutation(X["Sample Number"])
    assert told(shuffled, name="Sample Number") == []
    assert told([*X["Sample Number"][:-1], np.nan], name="Sample Number") != []


@pytest.mark.parametrize(
    "name",
    ["year", "Year", "day", "week_no", "number_of_children", "n_items", "sample_volume", "month"],
)
def test_counts_that_rise_from_row_to_row_are_no_identifiers(name):
    X, _ = penguins(name)
    assert told(X[name], name=name) == []


def families(kind, n_each):
    """Return families of equal size in which most are ill, or few, so that `pid` nearly tells."""
    random = np.random.default_rng(0)
    family = np.repeat(random.permutation(40), n_each)
    pid = [f"PED{one:03}" for one in family] if kind == "text" else 100 + 3 * family
    X = pd.DataFrame({"pid": pid, "sex": random.integers(1, 3, len(family))})
    return X, (random.permutation(40)[family] < 20) ^ (random.random(len(family)) < 0.15)


@pytest.mark.parametrize("kind", ["text", "numbers"])
@pytest.mark.parametrize("n_each", [3, 12])
def test_an_identifier_that_several_samples_share_is_left_out(kind, n_each):
    X, y = families(kind, n_each)
    with pytest.warns(UserWarning, match="'pid' is named like an ID") as caught:
        found = ReductSelector("quickreduct").fit(X, y)
    way_out = "It is left out; keep it with must_include=['pid']."
    assert str(caught[0].message) == (
        f"feature 'pid' is named like an ID, and has 40 different values in {40 * n_each} samples: "
        f"it may say only which samples belong together, such as those of one patient. {way_out}"
    )
    assert found.get_feature_names_out().tolist() == ["sex"]
    assert found.record().identifiers == ()
    for given in ({"must_include": ["pid"]}, {"exclude": ["pid"]}):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ReductSelector("quickreduct", **given).fit(X, y)
        assert not [one for one in caught if "like an ID" in str(one.message)]


def test_an_identifier_is_better_than_no_answer():
    X, y = families("numbers", 3)
    for table in (X[["pid"]], X[["pid"]].assign(other_id=np.arange(120) // 2, row=np.arange(120))):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = ReductSelector("quickreduct").fit(table, y)
        assert "pid" in found.get_feature_names_out()


@pytest.mark.parametrize(
    ("name", "n_values"),
    [("PID", 4), ("shop_id", 19), ("paid", 40), ("acid", 40), ("number_of_ids", 40), ("age", 40)],
)
def test_other_repeated_numbers_are_not_told(name, n_values):
    assert told(np.arange(120) * 11 % n_values, name=name) == []


@pytest.mark.parametrize("name", ["nr", "Number", "ISO_code", "worker no", "num"])
def test_a_number_with_equally_many_samples_is_an_id_and_so_is_its_name(name):
    who = np.repeat(np.random.default_rng(0).permutation(40) * 7, 5)[3:]
    X = pd.DataFrame({name: who, "country": [f"c{one}" for one in who], "a": np.arange(197) % 7})
    with pytest.warns(UserWarning, match="named like an ID|says the same as|belong together"):
        found = SoftSelector().fit(X, np.arange(197) // 3 % 2)
    assert found.get_feature_names_out().tolist() == ["a"]
    assert found.record().excluded == (0, 1)
    notes = found.record().notes
    assert sum(f"'country' says the same as {name!r}. It is left out; keep" in one for one in notes)
    assert sum(f"with the same {name!r} belong together" in one for one in notes) == 1


@pytest.mark.parametrize("name", ["nr", "postcode", "week_no", "number_of_rooms", "code"])
def test_other_numbers_are_no_ids(name):
    if name in ("nr", "code"):  # few values, or some more frequent than others
        assert told(np.arange(190) * 7 % 19, name=name) == []
        assert told(np.random.default_rng(0).integers(0, 40, 200), name=name) == []
    else:
        assert told(np.arange(200) * 7 % 40, name=name) == []


def test_a_column_that_counts_the_rows():
    assert "'a' counts the rows." in told(range(12))[0]
    assert "'a' counts the rows." in told(range(2000, 0, -1))[0]
    assert told(range(9)) == []
    assert told([*range(1999), 1]) == []  # the last is beyond what is looked at first
    assert told([*range(59), np.nan]) == []
    assert told(range(0, 100, 2)) == []


@pytest.mark.parametrize(
    "form",
    [
        "%d.%m.%Y",
        "%m/%d/%y",
        "%d-%m-%y",
        "%m.%d.%Y",
        "%b %d, %Y",
        "%Y-%m",
        "%m/%Y",
        "%Y/%m/%d %H:%M",
    ],
)
def test_few_dates_of_any_form_are_told_as_well(form):
    dates = [f"{pd.Timestamp(2020 + month // 12, month % 12 + 1, 1):{form}}" for month in range(15)]
    (sentence,) = told(dates * 4)
    assert "'a' holds dates," in sentence


@pytest.mark.parametrize(
    "labels",
    [
        ["1/2", "3/4", "5/6"],
        ["12-3456", "12-3457", "13-1"],
        ["1.2.13", "2.3.14", "3.4.15", "1.9.20"],
        ["13/1/24", "1/13/24", "1/2/24"],
        ["13.13.2024", "1.1.2024", "1.2.2024"],
        ["0.1.2024", "1.1.2024", "1.2.2024"],
        ["10-40-12", "11-50-13", "12-60-14"],
    ],
)
def test_other_labels_are_no_dates(labels):
    assert told(labels * 10) == []


@pytest.mark.parametrize("suffix", ["", "T10:00", " 10:00:00"])
def test_dates_as_text(suffix):
    dates = [f"2024-03-{day + 1:02}{suffix}" for day in range(30)]
    for column in (dates, [*dates, *dates[:10]]):
        assert "holds dates," in told(column)[0]
    assert "like an ID" in told([*dates[:-1], "soon"])[0]


def test_a_column_without_a_value():
    (sentence,) = told([np.nan] * 12)
    assert "'a' has no value in any sample" in sentence
    assert told([np.nan] * 12, allowed=False) == []


BLANK = "ignore:feature .* no value in any sample"


def with_blanks():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 3)), columns=["a", "b", "noise"])
    y = (X["a"] + X["b"] > 0).astype(int).to_numpy()
    return X, X.assign(same=7.0, label=pd.Categorical(["x"] * 80), gone=np.nan), y


class Spread:
    """A custom measure that a blank column would lower."""

    def __init__(self, dataset):
        self._spreads = np.nan_to_num(np.nanmax(dataset.values, 0) - np.nanmin(dataset.values, 0))

    def score(self, masks):
        return masks @ self._spreads - masks.sum(axis=1)


@pytest.mark.filterwarnings(BLANK, "ignore:All-NaN")
@pytest.mark.parametrize(
    "make",
    [SoftSelector, partial(ReductSelector, "quickreduct"), partial(FeatureSelector, Spread)],
)
def test_a_blank_column_is_left_out_and_counted_once(make):
    bare, X, y = with_blanks()
    selector, without = make(random_state=0).fit(X, y), make(random_state=0).fit(bare, y)
    assert selector.full_dependency_ == without.full_dependency_
    assert selector.dependency_ == without.dependency_
    assert selector.get_feature_names_out().tolist() == without.get_feature_names_out().tolist()
    assert [one.dependency for one in selector.front_] == [one.dependency for one in without.front_]
    assert selector.feature_names_in_.tolist() == list(X)
    assert len(selector.get_support()) == len(selector.columns_) == 6
    assert selector.record().excluded == (3, 4, 5)
    rules = [one.rule for one in selector.columns_ if one.role == "left out"]
    assert rules == ["constant", "constant", "empty"]
    headline = words_of(selector.record()).headline()
    assert any(part in headline for part in ("(3 more are left out)", "3 allowed"))


def test_a_blank_column_is_said_once():
    _, X, y = with_blanks()
    with pytest.warns(UserWarning, match="Nothing can be learned") as caught:
        SoftSelector().fit(X, y)
    assert [str(one.message) for one in caught] == [
        "feature 'gone' has no value in any sample. Nothing can be learned from it. It is left "
        "out.",
        "features 'same', 'label' have the same value in every sample. Nothing can be learned "
        "from them. They are left out.",
    ]


@pytest.mark.filterwarnings(BLANK, "ignore:feature 'who'")
def test_a_blank_column_stays_if_it_is_included_or_alone():
    _, X, y = with_blanks()
    kept = SoftSelector(must_include=["same"]).fit(X, y)
    assert "same" in kept.get_feature_names_out()
    assert kept.record().excluded == (4, 5)
    assert kept.columns_[3].role == "selected"
    for make in (SoftSelector, ReductSelector):
        alone = make(random_state=0).fit(X[["same", "gone"]], y)
        assert alone.n_features_ == 1
        assert alone.record().excluded == ()
        assert "left out" not in {one.role for one in alone.columns_}
    who = SoftSelector().fit(X[["same"]].assign(who=names(80, 80)), y)
    assert who.get_feature_names_out().tolist() == ["who"]


def test_one_value_and_gaps_are_not_blank():
    bare, _, y = with_blanks()
    gaps = bare.assign(seen=np.where(np.arange(80) % 3, 1.0, np.nan), first=np.arange(80) == 1)
    assert SoftSelector().fit(gaps, y).record().excluded == ()


def test_the_fit_warns_where_it_was_called_and_the_record_keeps_it():
    X = pd.DataFrame({"who": names(30, 30), "size": np.arange(30) % 7, "gone": [np.nan] * 30})
    with pytest.warns(UserWarning, match="in any sample|in every sample") as caught:
        selector = fitted(X)
    assert {one.filename for one in caught} == {__file__}
    assert selector.record().notes == tuple(str(one.message) for one in caught)
    sentences = [str(one.message) for one in caught if one.category is UserWarning]
    assert [sentence.split()[1] for sentence in sentences] == ["'gone'", "'who'"]
    assert sentences[1].endswith("It is left out; keep it with must_include=['who'].")


def test_an_identifier_is_left_out_unless_it_is_included():
    X = pd.DataFrame({"who": names(30, 30), "size": np.arange(30) % 7})
    with pytest.warns(UserWarning, match="'who'"):
        selector = fitted(X)
    assert selector.get_feature_names_out().tolist() == ["size"]
    assert selector.record().excluded == (0,)
    assert fitted(X, must_include=["who"]).get_feature_names_out().tolist() == ["who"]
    assert fitted(X, exclude=["who"]).get_feature_names_out().tolist() == ["size"]


def test_an_identifier_is_better_than_nothing():
    with pytest.warns(UserWarning, match="Add other columns"):
        assert fitted(pd.DataFrame({"who": names(30, 30)})).n_features_ == 1
    with pytest.warns(UserWarning, match="Add other columns|no value in any sample"):
        selector = fitted(pd.DataFrame({"who": names(30, 30), "gone": [np.nan] * 30}))
    assert selector.get_feature_names_out().tolist() == ["who"]


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_dates_of_a_frame_do_not_end_the_fit(library):
    days = pd.date_range("2024-01-01", periods=30).to_series(index=range(30))
    frame = pd.DataFrame({"when": days.where(days.index != 3), "size": np.arange(30) % 7})
    table = pl.from_pandas(frame) if library == "polars" else frame
    table = pa.Table.from_pandas(frame) if library == "arrow" else table
    with pytest.warns(
        UserWarning,
        match="'when' holds dates, .* must_include=.'when'., or .* day count with date_parts.",
    ):
        selector = fitted(table)
    assert selector.get_feature_names_out().tolist() == ["size"]
    if library == "pandas":
        assert selector.transform(table).shape == (30, 1)
        frame["when"] = days
        assert fitted(frame, must_include=["when"]).support_[0]
    data = make_dataset(table, np.arange(30) % 2)
    assert data.dates == {0}
    assert data.values[1, 0] - data.values[0, 0] == 1.0


def test_dates_next_to_numbers_stay_in_a_frame():
    size = np.arange(30) % 7
    frame = pd.DataFrame({"when": pd.date_range("2024-01-01", periods=30), "size": size})
    selector = fitted(frame, must_include=["when", "size"])
    with pytest.raises(DataError, match="fit into one array, got dates in 'when' next to numbers"):
        selector.transform(frame)
    pd.testing.assert_frame_equal(selector.set_output(transform="pandas").transform(frame), frame)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_durations_are_refused_with_a_way_out(library):
    frame = pd.DataFrame({"w": pd.to_timedelta(np.arange(30), unit="h"), "a": np.arange(30) % 7})
    with pytest.raises(
        DataError, match=r"'w' must hold .* Convert durations to numbers, .*seconds"
    ):
        fitted(pl.from_pandas(frame) if library == "polars" else frame)


def test_a_copy_is_no_second_witness():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(40, 3)), columns=["a", "b", "c"])
    y = (X["a"] + X["b"] > 0).astype(int)
    X["a_copy"], X["b_inch"] = X["a"], X["b"] * 2.54
    alone = ReductSelector("quickreduct").fit(X[["a", "b", "c"]], y)
    selector = ReductSelector("quickreduct").fit(X, y)
    assert selector.copies_ == {3: 0, 4: 1}
    assert selector.full_dependency_ == alone.full_dependency_
    assert selector.get_feature_names_out().tolist() == alone.get_feature_names_out().tolist()
    assert selector.core_ == alone.core_
    run = selector.record()
    assert [(one.feature, one.others) for one in run.copies] == [(0, (3,)), (1, (4,))]
    assert type(run).from_json(run.to_json()) == run
    kept = ReductSelector("quickreduct", copies="keep").fit(X, y)
    assert kept.copies_ == {}
    assert kept.full_dependency_ > alone.full_dependency_  # the copy counts twice
    included = ReductSelector("quickreduct", must_include=["a_copy"]).fit(X, y)
    assert included.copies_ == {0: 3, 4: 1}
    both = ReductSelector("quickreduct", must_include=["a", "a_copy"]).fit(X, y)
    assert set(both.get_feature_names_out()) >= {"a", "a_copy"}
    with pytest.raises(ParameterError, match="copies must be one of 'drop', 'keep', got 'no'"):
        ReductSelector(copies="no").fit(X, y)


def test_copies_are_left_out_with_one_warning():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(40, 2)), columns=["a", "b"])
    X = X.assign(a2=2 * X["a"], a3=X["a"], b2=-X["b"])
    with pytest.warns(UserWarning, match="say the same") as caught:
        selector = fitted(X)
    assert [str(one.message) for one in caught if "the same as" in str(one.message)] == [
        "'a2', 'a3' say the same as 'a'; 'b2' says the same as 'b'. They are left out; keep one "
        "with must_include."
    ]
    assert selector.copies_ == {2: 0, 3: 0, 4: 1}


def test_many_columns_in_doubt_get_one_sentence():
    X = pd.DataFrame({f"c{k}": names(30, 30) for k in range(2000)})
    (sentence,) = said(X.assign(size=np.arange(30) % 7))
    start = "2,000 features look like IDs or dates: 'c0', 'c1',"
    assert sentence.startswith(start)
    assert sentence.endswith("(2000 in all). To leave them out, pass exclude.")
    X["size"] = np.arange(30) % 7
    with pytest.warns(UserWarning, match="look like IDs") as caught:
        assert fitted(X).get_feature_names_out().tolist() == ["size"]
    (sentence,) = (str(one.message) for one in caught if "look like" in str(one.message))
    assert sentence.startswith(start)
    assert sentence.endswith("(2000 in all). They are left out; keep them with must_include.")


@pytest.mark.parametrize("name", ["Unnamed: 0", "pidnum", "patient", "donor"])
def test_numbers_of_rows_with_gaps_are_identifiers(name):
    numbers = np.cumsum(np.random.default_rng(0).integers(1, 3, 60))
    assert "is named like an ID" in told(numbers, name=name)[0]


def test_a_few_rows_without_values_that_rule_the_answer_are_told():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = pd.DataFrame(rng.normal(size=(60, 4)) + 3 * y[:, np.newaxis], columns=list("abcd"))
    X.loc[[3, 8], ["a", "b", "c"]] = np.nan
    with pytest.warns(UserWarning, match="2 rows with 2 or more missing values lower") as caught:
        ReductSelector("quickreduct").fit(X, y)
    sentence = next(str(one.message) for one in caught if "2 rows" in str(one.message))
    full = ReductSelector("quickreduct").fit(X.drop([3, 8]), np.delete(y, [3, 8]))
    assert f"from {full.full_dependency_:.3f} to " in sentence
    assert sentence.endswith("Leave them out with max_missing=1 when the table is read.")


def test_the_report_and_the_terminal_list_copies():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(40, 2)), columns=["a", "<b>"])
    X["a2"], X["near"] = 2 * X["a"], X["<b>"] + 0.05 * X["a"]
    run = ReductSelector("quickreduct").fit(X, X["a"] + X["<b>"] > 0).record()
    page = render_report(run)
    assert "a2 says the same as a." in page
    assert (
        "near orders the samples nearly as &lt;b&gt; (a rank correlation of 0.98 or more)." in page
    )
    text = "\n".join(map(str, result_lines(run, details=True)))
    assert "copies      a2 says the same as a" in text
    assert (
        "correlated  near orders the samples nearly as <b> (a rank correlation of 0.98 or more)"
        in text
    )
    assert "cannot be replaced, except by copies" in text


def test_a_share_of_the_features():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 9)), np.arange(40) % 2
    selector = ReductSelector("quickreduct", n_features_to_select=0.4).fit(X, y)
    assert selector.n_features_ == 3
    assert selector.record().asked_size == 3
    for share in (0.0, 1.0, 1.5):
        with pytest.raises(ParameterError, match="n_features_to_select must be"):
            ReductSelector(n_features_to_select=share).fit(X, y)
