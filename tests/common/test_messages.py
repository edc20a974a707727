import pickle
from pathlib import Path

import pytest

import fuzzyfrog
from fuzzyfrog.common.messages import (
    Sentence,
    Setting,
    close_to,
    count,
    listed,
    shown,
    suggested,
    told_apart,
)


def test_control_characters_are_escaped_and_long_text_is_cut():
    assert shown("a\n\x00b") == r"'a\n\x00b'"
    assert len(shown("x" * 10**6)) < 100
    assert "1000002 characters" in shown("x" * 10**6)


def test_a_long_list_says_how_long_it_is():
    assert listed([1, 2]) == "1, 2"
    assert listed(range(11)).endswith("9, ... (11 in all)")
    assert listed(range(10)).endswith("8, 9")


@pytest.mark.parametrize(
    ("number", "noun", "text"),
    [(1, "class", "1 class"), (2, "class", "2 classes"), (2_000, "field", "2,000 fields")],
)
def test_counts_agree_with_their_noun(number, noun, text):
    assert count(number, noun) == text


def test_a_near_miss_is_suggested_and_anything_else_gets_the_list():
    assert suggested("clas", ["class", "color"]) == "Did you mean 'class'?"
    assert suggested("plz", ["Ort", "PLZ"]) == "Did you mean 'PLZ'?"
    assert suggested("zzz", ["class", "color"]) == "Known: 'class', 'color'."


def test_a_sentence_inside_another_keeps_its_settings():
    inner = Sentence("Choose ", Setting("missing", "similar"), ".")
    outer = pickle.loads(pickle.dumps(Sentence("x.csv: ", inner)))  # noqa: S301 - our own bytes
    assert outer == "x.csv: Choose missing='similar'."
    assert (
        outer.worded(lambda one: f"--{one.name} {one.value}") == "x.csv: Choose --missing similar."
    )


def test_numbers_have_as_many_digits_as_it_takes_to_differ():
    assert told_apart(0.9996, 1.0) == "0.9996"
    assert told_apart(1.0, 0.9996) == "1.0000"
    assert told_apart(0.94912, 0.94908) == "0.94912"
    assert told_apart(0.5, 0.5) == "0.500"
    assert told_apart(0.25, 1.0) == "0.250"


def test_only_names_that_resemble_are_suggested():
    assert close_to("nofile.csv", ["wide.csv"]) == []
    assert close_to("targt", ["target", "size"]) == ["target"]
    assert close_to("crp", ["Creatinine", "CRP (mg/l)", "CRPx"]) == ["CRP (mg/l)", "CRPx"]
    assert close_to("c", ["Creatinine", "size"]) == []
    assert close_to("", [" x", "size"]) == []


def test_only_one_function_warns_so_that_warnings_point_at_the_caller():
    package = Path(fuzzyfrog.__file__).parent
    found = [path.name for path in package.rglob("*.py") if "warnings.warn(" in path.read_text()]
    assert sorted(found) == ["jit.py", "messages.py"]  # kernels are called by Numba
