import pytest

from fuzzyfrog.cli.console import aligned, cut, fitting, safe
from fuzzyfrog.cli.errors import UsageError, in_options
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


@pytest.mark.parametrize(
    ("of_the_library", "here"),
    [
        ("separated by ';': pass separator=';'.", "separated by ';': pass --separator ';'."),
        ("choose missing='similar'", "choose --missing similar"),
        ("Name it in categorical_features.", "Name it in --categorical."),
        ("Name it in exclude, or leave", "Name it in --exclude, or leave"),
        ("name it in ignore.", "name it in --ignore."),
        ("must_include and exclude must not meet", "--include and --exclude must not meet"),
        ("n_features_to_select must be at most 3", "--n-features must be at most 3"),
        ("n_jobs must be None or a whole number", "--jobs must be a whole number"),
        (
            "x.csv: target must be a column, got None.",
            "x.csv: --target must be a column, got none.",
        ),
        ("pass target='class' or certify=True", "pass --target-kind class or --certify"),
        (
            "max_seconds must be 1. None sets no limit.",
            "--max-seconds must be 1. Leave it out for no limit.",
        ),
        # What people wrote themselves, and ordinary words, stay.
        ("got 'n_jobs must be'", "got 'n_jobs must be'"),
        ("n_jobs.csv: no such file", "n_jobs.csv: no such file"),
        ("the target must not be missing", "the target must not be missing"),
        ("They ignore missing values", "They ignore missing values"),
    ],
)
def test_sentences_speak_of_options(of_the_library, here):
    assert in_options(of_the_library) == here


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
