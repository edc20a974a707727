"""``fuzzyfrog verify``: saved runs, two files, exit codes."""

import json

import numpy as np
import pandas as pd
import pytest

from fuzzyfrog import ReductSelector, SoftSelector, load_dataset, read_table


@pytest.fixture(scope="module")
def shop():
    """A table with codes that look like numbers, groups of columns and an ID."""
    random = np.random.default_rng(3)
    n = 120
    kind = random.choice(["x", "y", "z"], n)
    frame = pd.DataFrame(
        {
            "patient": [f"p{k // 2:03}" for k in range(n)],
            "area": random.choice(["1", "2", "B"], n),
            "size": random.normal(size=n),
            "weight": random.normal(size=n),
        }
    ).join(pd.get_dummies(kind, prefix="kind").astype(int))
    score = frame["size"] + frame["kind_x"] + (frame["area"] == "B")
    frame = frame[["patient", "kind_x", "kind_y", "kind_z", "area", "size", "weight"]]
    return frame.assign(label=np.where(score > 0.5, 1, 2))


@pytest.fixture
def folder(tmp_path, monkeypatch, shop):
    monkeypatch.chdir(tmp_path)
    shop[:80].to_csv("old.csv", index=False)
    shop[80:].to_csv("new.csv", index=False)
    return tmp_path


def run(in_process, command, *options):
    code, _, err = in_process(
        command, "old.csv", "--target", "label", "--save", "run.json", "--no-check", "-q", *options
    )
    assert code == 0, err


def verified(in_process, *arguments):
    code, out, err = in_process("verify", "run.json", *arguments, "--json", "-q")
    assert err == ""
    found = json.loads(out)
    assert code == (0 if found["holds"] else 3)
    return found


OPTIONS = {
    "plain": [],
    "groups": ["--feature-group", "kind_*", "--ignore", "patient"],
    "cheap": ["--costs", "size=3", "--costs", "weight=2", "--feature-group", "kind_*"],
    "survives": ["--survives", "1", "--min-dependency", "0.3", "--ignore", "patient"],
    "share": ["--min-dependency", "0.9", "--missing", "different"],
    "no rows": ["--no-rows", "--ignore", "patient"],
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("given", OPTIONS.values(), ids=OPTIONS)
def test_a_saved_run_is_verified_like_its_selector(in_process, folder, given):
    run(in_process, "reducts", "--search", "quickreduct", *given)
    found = verified(in_process, "new.csv", "--table", "old.csv")
    ignored = ["patient"] if "--ignore" in given else []
    old, new = (read_table(one, "label", ignore=ignored) for one in ("old.csv", "new.csv"))
    names = {
        "--feature-group": ("feature_groups", {"kind": ["kind_x", "kind_y", "kind_z"]}),
        "--costs": ("costs", {"size": 3, "weight": 2}),
        "--survives": ("survives", 1),
        "--min-dependency": ("min_dependency", None),
        "--missing": ("missing", "different"),
    }
    settings = dict(names[one] for one in given if one in names)
    if "min_dependency" in settings:
        settings["min_dependency"] = float(given[given.index("--min-dependency") + 1])
    selector = ReductSelector("quickreduct", **settings, random_state=0).fit(old)
    twin = selector.verify(new, old=old)
    assert found["sentences"] == list(twin.sentences)
    assert found["selected"] == list(twin.selected)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("groups", [[], ["--groups", "patient"]], ids=["by ID", "given"])
def test_groups_of_samples_are_those_of_the_run(in_process, folder, groups):
    run(in_process, "select", *groups)
    found = verified(in_process, "new.csv", "--table", "old.csv")
    assert found["n_tested"] == 40
    assert "a row of a known one seems easier to predict than it is" in found["notes"][-1]
    selector = SoftSelector().fit(read_table("old.csv", "label"))
    twin = selector.verify(read_table("new.csv", "label"), old=read_table("old.csv", "label"))
    assert found["accuracy_before"] == twin.accuracy_before
    assert found["accuracy"] == twin.accuracy


@pytest.mark.filterwarnings("ignore")
def test_both_tables_are_read_with_the_options_of_the_run(in_process, folder, shop):
    frame = shop.assign(code=shop["kind_x"] + 2 * shop["kind_y"]).rename(columns={"size": "Größe"})
    del frame["kind_x"], frame["kind_y"], frame["kind_z"]
    written = {"sep": ";", "decimal": ",", "encoding": "cp1252", "index": False}
    frame[:80].to_csv("old.csv", **written)
    frame[80:].drop(columns="patient").to_csv("new.csv", **written)
    options = ["--decimal", ",", "--encoding", "cp1252", "--categorical", "code"]
    run(in_process, "select", *options, "--ignore", "patient", "--include", "code")
    found = verified(in_process, "new.csv", "--table", "old.csv")
    assert found["n_new"] == 40
    code, _, err = in_process(
        "verify", "run.json", "new.csv", "--table", "old.csv", "--encoding", "utf-16", "-q"
    )
    assert code == 2
    assert "utf-16" in err


@pytest.mark.filterwarnings("ignore")
def test_codes_and_classes_are_read_as_in_the_old_table(in_process, folder, shop):
    shop.assign(label=shop["label"].map({1: "u", 2: "v"}))[:80].to_csv("old.csv", index=False)
    new = shop[80:].assign(label="u")
    new[new["area"] != "B"].iloc[:, ::-1].to_csv("new.csv", index=False)  # only 1 and 2 are left
    run(in_process, "reducts", "--search", "quickreduct", "--include", "area")
    found = verified(in_process, "new.csv", "--table", "old.csv")
    assert "area" in found["selected"]
    assert found["notes"] == []
    with open("new.csv", encoding="utf-8") as stream:
        head, first, *_ = stream.read().splitlines()
    (folder / "one.csv").write_text(f"{head}\n{first}\n", encoding="utf-8")
    assert verified(in_process, "one.csv", "--table", "old.csv")["n_new"] == 1


def test_text_for_people_and_an_exit_code_for_scripts(in_process, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    wine = load_dataset("wine")
    frame = pd.DataFrame(wine.values, columns=wine.feature_names).assign(
        kind=[wine.classes[one] for one in wine.target]
    )
    assert in_process("select", "wine", "--save", "run.json", "--no-check", "-q")[0] == 0
    frame[::3].rename(columns={"kind": "class"}).to_csv("same.csv", index=False)
    code, out, err = in_process("verify", "run.json", "same.csv", "--table", "wine", "-q")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith(
        "The 5 selected columns predict new rows not clearly worse than old ones: "
    )
    assert "No selected column has clearly shifted." in lines
    assert lines[-1].startswith(
        "Note: 60 new rows look like copies of old rows, equal in every column"
    )
    moved = frame.assign(alcohol=frame["alcohol"] - 3).rename(columns={"kind": "class"})
    moved.to_csv("moved.csv", index=False)
    code, out, _ = in_process("verify", "run.json", "moved.csv", "--table", "wine", "-q")
    assert code == 3
    assert "alcohol has shifted: mean 13.0 before, 10.0 now." in out.splitlines()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["new.csv", "--table", "new.csv"], "must be the one that the columns were selected from"),
        (["less.csv", "--table", "old.csv"], "got none called 'size', 'weight'"),
        (["text.csv", "--table", "old.csv"], "column 'size' must hold numbers as in the old table"),
        (["new.csv", "--table", "old.csv", "--max-seconds", "-1"], "--max-seconds must be"),
        (["new.csv", "--table", "old.csv", "--target", "size"], "must be the one that the columns"),
    ],
)
def test_mistakes_are_one_sentence(in_process, folder, shop, arguments, sentence):
    run(in_process, "reducts", "--search", "quickreduct", "--ignore", "patient")
    shop[80:].drop(columns=["size", "weight"]).to_csv("less.csv", index=False)
    shop[80:].assign(size="large").to_csv("text.csv", index=False)
    code, out, err = in_process("verify", "run.json", *arguments, "--ignore", "patient", "-q")
    assert (code, out) == (2, "")
    assert sentence in err
    assert len(err.splitlines()) == 1


def test_the_table_is_that_of_the_run_unless_it_has_moved(in_process, folder):
    run(in_process, "reducts", "--search", "quickreduct", "--ignore", "patient")
    found = verified(in_process, "new.csv")
    assert found == verified(in_process, "new.csv", "--table", "old.csv")
    (folder / "old.csv").rename("moved.csv")
    code, out, err = in_process("verify", "run.json", "new.csv", "-q")
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert "--table must be the table that the columns were selected from. New rows" in err
    assert found == verified(in_process, "new.csv", "--table", "moved.csv")


@pytest.mark.parametrize("by_name", [False, True])
def test_features_that_python_names_in_other_ways_are_read_back(in_process, folder, by_name):
    old = read_table("old.csv", "label", ignore=["patient"])
    names = np.array(old.feature_names)
    groups = {"two": names[:2] if by_name else np.arange(2)}
    included = names[2:3] if by_name else names == names[2]
    selector = ReductSelector("quickreduct", must_include=included, feature_groups=groups)
    selector.fit(old).record().save("run.json")
    tables = ["new.csv", "--table", "old.csv", "--ignore", "patient", "-q"]
    code, _, err = in_process("verify", "run.json", *tables)
    assert (code in (0, 3), err) == (True, "")
