import pytest

from fuzzyfrog.cli.console import aligned, cut, fitting, safe
from fuzzyfrog.cli.errors import UsageError
from fuzzyfrog.cli.options import names_in


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("plain", "plain"),
        ("größe 木 😀", "größe 木 😀"),
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("bell\a\b", r"bell\x07\x08"),
        ("two\nlines\r", r"two\nlines\r"),
        ("\u202eright-to-left", r"\u202eright-to-left"),
        ("\x9b31m", r"\x9b31m"),  # an escape sequence in one character
        ("half \ud800", r"half \ud800"),
        ("[bold]x[/bold]", "[bold]x[/bold]"),
    ],
)
def test_nothing_but_text_reaches_the_terminal(name, shown):
    assert safe(name) == shown


def test_names_are_split_at_commas_unless_quoted():
    assert names_in("--ignore", None) == []
    assert names_in("--ignore", ["a, b", "c", "a"]) == ["a", "b", "c"]
    assert names_in("--ignore", ['"a,b",c', '"with ""quotes"""']) == ["a,b", "c", 'with "quotes"']


@pytest.mark.parametrize("values", [[","], [""], ["a\nb\rc"]])
def test_lists_that_name_nothing_are_refused(values):
    with pytest.raises(UsageError, match="--ignore must"):
        names_in("--ignore", values)


def test_a_line_has_as_many_parts_as_fit():
    parts = ["5 features", "dependency 1.0000", "3 s left"]
    assert fitting(parts, 80) == "5 features, dependency 1.0000, 3 s left"
    assert fitting(parts, 29) == "5 features, dependency 1.0000"
    assert fitting(parts, 28) == "5 features"
    assert fitting(parts, 3) == "5 features"


def test_wide_letters_count_twice():
    assert cut("木木木木", 8) == "木木木木"
    assert cut("木木木木", 7) == "木木木…"
    assert cut("x" * 500, 10) == "x" * 9 + "…"
    assert list(aligned([["木", "1"], ["abc", "22"]], right={1})) == ["  木    1", "  abc  22"]
