"""``fuzzyfrog compare`` on a table of the user's."""

import json

import pytest

from fuzzyfrog.cli.commands.compare import SELECTORS, USUAL
from fuzzyfrog.select.choosers import OTHERS, OURS


def test_the_command_knows_the_selectors_of_the_library():
    assert (*OURS, *OTHERS) == SELECTORS
    assert set(USUAL) <= set(SELECTORS)


def test_one_table_for_people(fuzzyfrog, wine_csv):
    options = ["--target", "class", "--ignore", "id", "--selectors", "soft,quickreduct,kbest"]
    done = fuzzyfrog("compare", wine_csv, *options, "--folds", "2", "-q")
    assert (done.returncode, done.stderr) == (0, "")
    first, _, head, *rows = done.stdout.splitlines()
    assert first.startswith("Balanced accuracy of 3 models in 2 folds of wine (178 samples)")
    assert head.split() == [
        "selector", "features", "neighbors", "logistic", "forest", "mean", "difference", "to",
        "all", "seconds",
    ]  # fmt: skip
    assert [row[:14].strip() for row in rows] == ["all features", "soft", "quickreduct", "kbest"]
    assert all("±" in row for row in rows[1:])


def test_one_document_for_programs(in_process, tmp_path):
    rows = "".join(f"{k % 30},{k * 7 % 11},{(k % 30) * 1.5 + k % 3}\n" for k in range(90))
    (tmp_path / "prices.csv").write_text("size,color,price\n" + rows, encoding="utf-8")
    code, out, err = in_process(
        "compare", tmp_path / "prices.csv", "--target", "price", "--folds", "3", "--json", "-q"
    )
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert (found["metric"], found["folds"], found["n_samples"]) == ("R²", 3, 90)
    everything, *others = found["selectors"]
    assert [one["selector"] for one in others] == list(USUAL)
    assert everything["n_features"] == 2
    assert everything["difference"] == 0
    for one in others:
        assert list(one["by_model"]) == found["models"]
        assert one["difference"] == pytest.approx(one["score"] - everything["score"])
        assert one["seconds"] >= 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["wine", "--selectors", "soft,gentic"], "got 'gentic'. Did you mean 'genetic'?"),
        (["wine", "--folds", "1"], "--folds must be"),
        (["wine", "--seed", "-1"], "--seed must be"),
        (["wine", "--id", "a"], "--id must be left out"),
        (["wnie"], "Did you mean 'wine'"),
        (["no.csv", "--target", "y"], "no.csv: no such file"),
        (["wine", "--folds", "90"], "a check with 90 folds must have at least 360 samples"),
    ],
)
def test_mistakes_are_one_sentence(in_process, arguments, sentence):
    code, out, err = in_process("compare", *arguments, "-q")
    assert (code, out) == (2, "")
    assert sentence in err
    assert len(err.splitlines()) == 1


def test_an_included_column_is_in_every_selection(in_process, tmp_path):
    rows = "".join(f"p{k},{k * 7 % 11},{k % 13},{'xy'[k * 7 % 11 > 5]}\n" for k in range(60))
    (tmp_path / "t.csv").write_text("who,a,b,class\n" + rows)
    asked = ["compare", tmp_path / "t.csv", "--target", "class", "--folds", "2", "--json", "-q"]
    asked += ["--selectors", "soft,kbest"]
    before, after = (
        json.loads(in_process(*asked, *more)[1]) for more in ([], ["--include", "who"])
    )
    assert "'who'" in before["notes"][-1]
    assert not any("Left out" in note for note in after["notes"])
    assert [one["n_features"] for one in before["selectors"]] == [2, 1, 1]
    assert [one["n_features"] for one in after["selectors"]] == [3, 2, 2]
