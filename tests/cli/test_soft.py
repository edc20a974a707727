"""The soft measure on the command line: what is printed, and what is refused."""

import json

import pytest

from fuzzyfrog.records import Run


def test_select_prints_the_path_and_chance(in_process, tmp_path):
    saved = tmp_path / "run.json"
    code, out, err = in_process("select", "wine", "--measure", "soft", "--save", saved, "-q")
    assert (code, err) == (0, "")
    assert "With 5 of 13 features, models reach balanced accuracy 97.3% (all columns: 98.0%" in out
    lines = [line.split() for line in out.splitlines()]
    assert ["flavanoids", "0.685", "0.753"] in lines
    assert lines.index(["flavanoids", "0.685", "0.753"]) < lines.index(
        ["proline", "0.838", "0.955"]
    )
    assert "chance 0.3380" in out
    for word in ("core", "as well as", "reduct ", "Proven", "of 0.7713"):
        assert word not in out
    run = Run.load(saved)
    assert run.is_soft
    assert run.names(run.added[:2]) == ("flavanoids", "color_intensity")


def test_explain_shows_samples(in_process, tmp_path):
    saved = tmp_path / "run.json"
    in_process("select", "wine", "--measure", "soft", "--no-check", "--save", saved, "-q")
    _, overview, _ = in_process("explain", saved)
    assert "have worse neighbors without it" in overview
    _, one, _ = in_process("explain", saved, "--feature", "proline", "--limit", "2")
    assert one.startswith("Without proline the soft dependency falls by 0.")
    assert "Samples whose neighborhood gets worse" in one
    assert one.count("class_") == 4


def test_size_rules_and_json(in_process):
    _, out, _ = in_process(
        "select", "wine", "--measure", "soft", "--size-rule", "peak", "--no-check", "--json", "-q"
    )
    run = Run.from_json(out)
    assert (len(run.selected), run.parameters["size_rule"]) == (5, "peak")
    assert all(point.accuracy is not None for point in run.front)


def test_score(in_process):
    _, out, _ = in_process("score", "wine", "--measure", "soft", "--features", "flavanoids", "-q")
    assert out == (
        "Soft dependency 0.684540 with 1 of 13 features of wine; all features 0.771292, "
        "chance 0.337967\n"
    )
    _, out, _ = in_process("score", "wine", "--measure", "soft", "--json", "-q")
    found = json.loads(out)
    assert found["measure"] == "soft"
    assert found["dependency"] == found["full_dependency"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["reducts", "wine", "--measure", "soft"],
            "--measure must be strict for reducts, got soft.",
        ),
        (["select", "wine", "--measure", "soft", "--certify"], "--certify must be left out"),
        (["select", "wine", "--measure", "soft", "--tnorm", "minimum"], "--tnorm must be"),
        (["select", "wine", "--size-rule", "peak"], "--size-rule must be 'auto' unless"),
        (["score", "wine", "--measure", "soft", "--spread", "range"], "must come without --spread"),
        (
            ["select", "wine", "--measure", "soft", "--search", "boosted"],
            "--search boosted must come without --measure",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(in_process, arguments, sentence):
    code, out, err = in_process(*arguments, "-q")
    assert (code, out) == (2, "")
    (line,) = err.splitlines()
    assert sentence in line
