"""Public names are documented as numpydoc wants it, and what is documented exists."""

import inspect

import pytest
from numpydoc.validate import validate

import fuzzyfrog
from fuzzyfrog import data, measure

WRONG = {
    "GL07": "sections in the wrong order",
    "GL08": "no docstring",
    "PR01": "a parameter is not documented",
    "PR02": "a parameter is documented that does not exist",
    "PR03": "parameters are documented in another order",
    "PR07": "a parameter has no description",
    "RT01": "no Returns section",
    "RT03": "a return value has no description",
    "SS02": "the summary does not start with a capital letter",
    "SS03": "the summary does not end with a period",
}


def public_names():
    """Yield the dotted names of all public functions and classes, and of the methods of these."""
    for module in (fuzzyfrog, data, measure):
        for name in module.__all__:
            found = getattr(module, name)
            if inspect.isclass(found) or inspect.isfunction(found):
                yield f"{module.__name__}.{name}"
            if inspect.isclass(found) and found.__module__.startswith("fuzzyfrog"):
                for method, function in inspect.getmembers(found, inspect.isfunction):
                    is_ours = function.__module__.startswith("fuzzyfrog")
                    if is_ours and not method.startswith("_"):
                        yield f"{module.__name__}.{name}.{method}"


@pytest.mark.parametrize("name", sorted(set(public_names())))
def test_docstring(name):
    is_method = name.split(".")[-2][0].isupper()
    # One line is enough for a method whose signature says the rest.
    excused = {"PR01", "RT01"} if is_method else set()
    told = [
        f"{code}: {text}"
        for code, text in validate(name)["errors"]
        if code in WRONG.keys() - excused
    ]
    assert not told
