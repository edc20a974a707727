"""Sentences of the library, which speak of parameters -> the words of the command line."""

from __future__ import annotations

import re
import shlex

__all__ = ["in_options"]

# Parameters that can be told from ordinary words.
PARAMETERS = {
    "categorical_features": "--nominal",
    "max_evaluations": "--max-evaluations",
    "max_seconds": "--max-seconds",
    "min_dependency": "--min-dependency",
    "must_include": "--include",
    "n_features_to_select": "--n-features",
    "n_jobs": "--jobs",
    "random_state": "--seed",
    "target_kind": "--target-kind",
}
# Parameters that are ordinary words as well, and so are known only by what stands around them.
WORDS = {
    "cluster", "decimal", "encoding", "exclude", "ignore", "nominal", "sample", "separator", "size",
    "target",
}  # fmt: skip
SETTINGS = {
    **PARAMETERS,
    **{name: f"--{name}" for name in ("certify", "encoding", "missing", "ranking", "search")},
    "decimal": "--decimal",
    "separator": "--separator",
    "spread": "--spread",
    "target": "--target-kind",  # what the estimators call it
    "tnorm": "--tnorm",
}


def _any_of(names: object) -> str:
    return "|".join(sorted(names, key=len, reverse=True))  # type: ignore[call-overload]


PATTERN = re.compile(
    rf"(?<![\w-])(?P<name>{_any_of(SETTINGS)})=(?P<value>'[^']*'|True)"
    # What is quoted comes from the user, whatever it looks like.
    r"|(?P<quoted>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
    rf"|(?<![\w-])(?P<parameter>{_any_of(PARAMETERS)})(?![\w=]|\.\w)"
    rf"|(?:^|(?<=: ))(?P<subject>{_any_of(WORDS)})(?= must\b|: features must\b)"
    r"|(?P<before>\b(?:in|of|and) )(?P<object>exclude|ignore|nominal)(?=[.,;: ])"
    r"|(?P<none>must be None or )"
    r"|(?P<nothing>got None\b)"
    r"|(?P<unset>\bNone sets no limit)"
    r"|(?P<folder>\bfolder=)(?=\.)"
)


def in_options(sentence: str) -> str:
    """Give the sentence with the options in place of the parameters of the library."""
    return PATTERN.sub(_translated, sentence)


def _translated(match: re.Match[str]) -> str:
    if match["name"]:
        option, value = SETTINGS[match["name"]], match["value"]
        return option if value == "True" else f"{option} {shlex.quote(value[1:-1])}"
    if match["parameter"]:
        return PARAMETERS[match["parameter"]]
    if match["subject"]:
        return f"--{match['subject']}"
    if match["object"]:
        return f"{match['before']}--{match['object']}"
    if match["none"]:
        return "must be "
    if match["nothing"]:
        return "got none"
    if match["unset"]:
        return "Leave it out for no limit"
    if match["folder"]:
        return "--data"
    return match[0]
