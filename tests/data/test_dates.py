"""Dates: recognized in text, and turned into year, month, weekday and days on request."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from fuzzyfrog import DataError, SoftSelector, date_parts, read_table
from fuzzyfrog.errors import ParameterError

DAYS = [datetime.date(2024, 2, 29), datetime.date(1999, 12, 31), datetime.date(2023, 7, 13)]
PARTS = ["since_year", "since_month", "since_weekday", "since_days"]


def expected(days):
    first = datetime.date(1970, 1, 1)
    return [[day.year, day.month, day.isoweekday(), (day - first).days] for day in days]


def table(tmp_path, texts, name="t.csv"):
    path = tmp_path / name
    rows = "".join(f'{k},"{text}",{"xy"[k % 2]}\n' for k, text in enumerate(texts))
    path.write_text(f"a,since,class\n{rows}", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "form",
    ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%Y/%m/%d", "%b %d, %Y", "%B %d %Y",
     "%m/%d/%y", "%d-%m-%Y", "%Y-%m-%d %H:%M"],
)  # fmt: skip
def test_the_parts_of_dates_in_text(tmp_path, form):
    path = table(tmp_path, [day.strftime(form) for day in DAYS])
    with pytest.warns(UserWarning, match=r"t: 'since' read as dates: '.*' as 2024-02-29\. Feat"):
        data = read_table(path, "class", dates="parts")
    assert data.feature_names == ("a", *PARTS)
    assert data.values[:, 1:].tolist() == expected(DAYS)
    assert not data.categorical.any()
    assert read_table(path, "class").feature_names == ("a", "since")


def test_dates_before_1900(tmp_path):
    days = [datetime.date(1815, 6, 18), datetime.date(1789, 7, 14), datetime.date(1600, 1, 1)]
    with pytest.warns(UserWarning, match="'1815-06-18' as 1815-06-18"):
        data = read_table(table(tmp_path, [str(day) for day in days]), "class", dates="parts")
    assert data.values[:, 1:].tolist() == expected(days)


def test_between_slashes_the_month_comes_first_if_both_orders_are_possible(tmp_path):
    path = table(tmp_path, ["1/2/2024", "3/4/2024", "5/6/2024"])
    with pytest.warns(UserWarning, match="'1/2/2024' as 2024-01-02"):
        read_table(path, "class", dates="parts")
    path = table(tmp_path, ["1.2.2024", "3.4.2024", "5.6.2024"])
    with pytest.warns(UserWarning, match=r"'1\.2\.2024' as 2024-02-01"):
        read_table(path, "class", dates="parts")


@pytest.mark.filterwarnings("ignore:t. 'since' read as dates")
def test_missing_dates_and_days_that_do_not_exist_have_missing_parts(tmp_path):
    texts = ["2024-02-29", "", "2023-02-29", "2024-01-01"]
    data = read_table(table(tmp_path, texts), "class", dates="parts")
    assert np.isnan(data.values[1:3, 1:]).all()
    assert data.values[3, 1:].tolist() == [2024, 1, 1, 19723]


def test_two_different_dates_are_labels(tmp_path):
    path = table(tmp_path, ["2024-01-01", "2024-02-01", "2024-01-01"])
    assert read_table(path, "class", dates="parts").feature_names == ("a", "since")


@pytest.mark.filterwarnings("ignore:t. 'since' read as dates")
def test_years_of_two_digits_are_from_1970_to_2069(tmp_path):
    path = table(tmp_path, ["1/31/69", "1/31/70", "2/1/30"])
    assert read_table(path, "class", dates="parts").values[:, 1].tolist() == [2069, 1970, 2030]


def test_the_time_of_day_does_not_count(tmp_path):
    times = [datetime.datetime(1969, 12, 31, 12), datetime.datetime(2024, 2, 29, 23, 59)]
    pq.write_table(pa.table({"since": times, "class": ["x", "y"]}), tmp_path / "t.parquet")
    with pytest.warns(UserWarning, match=r"since 1970\. The time of day is left out"):
        data = read_table(tmp_path / "t.parquet", "class", dates="parts")
    assert data.values.tolist() == expected([time.date() for time in times])


@pytest.mark.parametrize(
    ("time", "says"), [("", False), (" 00:00", False), ("T00:30:00Z", True), (" 1 PM", True)]
)
def test_a_time_of_day_in_text_is_said_to_be_left_out(tmp_path, time, says):
    path = table(tmp_path, [f"{day}{time}" for day in DAYS])
    with pytest.warns(UserWarning, match="read as dates") as heard:
        read_table(path, "class", dates="parts")
    assert ("time of day" in str(heard[0].message)) is says


def test_a_date_that_predicts_is_found_by_its_parts(tmp_path):
    days = [datetime.date(2023, 1, 1) + datetime.timedelta(days=7 * k % 365) for k in range(160)]
    rows = "".join(f"{k % 11},{day},{'warm' if 4 <= day.month <= 9 else 'cold'}\n"
                   for k, day in enumerate(days))  # fmt: skip
    path = tmp_path / "weather.csv"
    path.write_text(f"noise,day,season\n{rows}", encoding="utf-8")
    with pytest.warns(UserWarning, match="read as dates"):
        data = read_table(path, "season", dates="parts")
    with pytest.warns(UserWarning, match="predicted by 'day_month'"):
        found = SoftSelector(n_features_to_select=1).fit(data)
    assert found.get_feature_names_out().tolist() == ["day_month"]


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_the_parts_of_a_frame(kind):
    columns = {"since": [*DAYS, None], "age": [31, 45, 28, 50]}
    X = {
        "pandas": lambda: pd.DataFrame({**columns, "since": pd.to_datetime(columns["since"])}),
        "polars": lambda: pl.DataFrame(columns),
        "pyarrow": lambda: pa.table(columns),
    }[kind]()
    found = date_parts(X)
    assert type(found) is type(X)
    as_pandas = found if kind == "pandas" else found.to_pandas()
    assert list(as_pandas.columns) == [*PARTS, "age"]
    assert as_pandas[PARTS].to_numpy()[:3].tolist() == expected(DAYS)
    assert as_pandas[PARTS].iloc[3].isna().all()
    assert as_pandas["age"].tolist() == columns["age"]


@pytest.mark.filterwarnings("ignore:The samples are in the order of 'day'")
def test_the_parts_in_a_pipeline():
    days = pd.date_range("2023-01-01", periods=90, freq="4D")
    X = pd.DataFrame({"day": days, "noise": np.arange(90) * 7 % 13})
    y = np.where(days.month > 6, "late", "early")
    selector = SoftSelector(n_features_to_select=1)
    pipeline = make_pipeline(FunctionTransformer(date_parts), selector)
    pipeline.fit(X, y)
    (name,) = pipeline[-1].get_feature_names_out()
    assert name in {"day_month", "day_days"}


def test_what_has_no_parts_is_refused(tmp_path):
    with pytest.raises(DataError, match="X must be a data frame, got ndarray"):
        date_parts(np.zeros((2, 2)))
    X = pd.DataFrame({"d": pd.to_datetime(["2024-01-01"]), "d_year": [3]})
    with pytest.raises(DataError, match="got a column 'd_year' already"):
        date_parts(X)
    with pytest.raises(ParameterError, match="dates must be one of 'keep', 'parts', got 'all'"):
        read_table(table(tmp_path, ["1", "2", "3"]), "class", dates="all")


@pytest.mark.filterwarnings("ignore:t. 'since' read as dates")
def test_words_that_are_no_months_make_no_dates(tmp_path):
    texts = [f"Room {k}, {2000 + k}" for k in range(1, 7)]
    data = read_table(table(tmp_path, texts), "class", dates="parts")
    assert data.feature_names == ("a", "since")
    months = ["Sept 1 2024", "September 2, 2024", "May 3 2024"]
    data = read_table(table(tmp_path, months), "class", dates="parts")
    assert data.values[:, 2].tolist() == [9, 9, 5]


def test_a_column_without_any_day_has_missing_parts(tmp_path):
    path = table(tmp_path, ["2023-02-29", "2023-02-30", "2023-04-31", "2023-02-29"])
    with pytest.warns(UserWarning, match=r"t: 'since' read as dates\. Features are"):
        data = read_table(path, "class", dates="parts")
    assert data.feature_names == ("a", *PARTS)
    assert np.isnan(data.values[:, 1:]).all()


@pytest.mark.filterwarnings("ignore:t. 'since' read as dates")
@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", "parquet"])
def test_a_day_begins_at_midnight_of_its_time_zone(tmp_path, kind):
    just_after = pd.to_datetime(DAYS) + pd.Timedelta(minutes=30)
    frame = pd.DataFrame({"since": just_after.tz_localize("Asia/Tokyo"), "class": list("xyx")})
    if kind == "parquet":
        frame.to_parquet(tmp_path / "t.parquet")
        found = read_table(tmp_path / "t.parquet", "class", dates="parts").values
    else:
        other = {"pandas": lambda: frame, "polars": lambda: pl.from_pandas(frame),
                 "pyarrow": lambda: pa.Table.from_pandas(frame)}[kind]()  # fmt: skip
        parts = date_parts(other)
        found = (parts if kind == "pandas" else parts.to_pandas())[PARTS].to_numpy()
    assert found.tolist() == expected(DAYS)
