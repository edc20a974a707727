"""The soft measure on the command line: what is printed, and what is refused."""

import json

import pytest

from fuzzyfrog.records import Run


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    return tmp_path_factory.mktemp("soft") / "run.json"


def test_select_prints_the_path_and_chance(fuzzyfrog, saved):
    done = fuzzyfrog("select", "wine", "--measure", "soft", "--save", saved, "-q")
    assert done.returncode == 0
    assert done.stderr == ""
    assert "With 5 of 13 features, models reach balanced accuracy 97.3% (all columns: 98.0%" in (
        done.stdout
    )
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["flavanoids", "0.685", "0.753"] in lines
    assert lines.index(["flavanoids", "0.685", "0.753"]) < lines.index(
        ["proline", "0.838", "0.955"]
    )
    assert "chance 0.3380" in done.stdout
    for word in ("core", "as well as", "reduct ", "Proven", "of 0.7713"):
        assert word not in done.stdout
    run = Run.load(saved)
    assert run.is_soft
    assert run.names(run.added[:2]) == ("flavanoids", "color_intensity")


def test_explain_shows_samples(fuzzyfrog, saved):
    fuzzyfrog("select", "wine", "--measure", "soft", "--save", saved, "-q")
    overview = fuzzyfrog("explain", saved)
    assert "have worse neighbors without it" in overview.stdout
    one = fuzzyfrog("explain", saved, "--feature", "proline", "--limit", "2")
    assert one.stdout.startswith("Without proline the soft dependency falls by 0.")
    assert "Samples whose neighborhood gets worse" in one.stdout
    assert one.stdout.count("class_") == 4


def test_size_rules_and_json(fuzzyfrog):
    done = fuzzyfrog("select", "wine", "--measure", "soft", "--size-rule", "peak", "--json", "-q")
    run = Run.from_json(done.stdout)
    assert (len(run.selected), run.parameters["size_rule"]) == (5, "peak")
    assert all(point.accuracy is not None for point in run.front)


def test_score(fuzzyfrog):
    done = fuzzyfrog("score", "wine", "--measure", "soft", "--features", "flavanoids", "-q")
    assert done.stdout == (
        "Soft dependency 0.684540 with 1 of 13 features of wine; all features 0.771292, "
        "chance 0.337967\n"
    )
    found = json.loads(fuzzyfrog("score", "wine", "--measure", "soft", "--json", "-q").stdout)
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
def test_what_cannot_be_is_refused_in_one_line(fuzzyfrog, arguments, sentence):
    done = fuzzyfrog(*arguments, "-q")
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert sentence in line
