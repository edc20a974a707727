"""The text of a page, and words that only reducts deserve."""

import re

STRICT = [
    "γ",
    r"\breducts?\b",
    r"\bcore\b",
    "certif",
    "as well as",
    "Proven",
    "surely",
    r"\benemy\b",
]


def text_of(page):
    body = re.sub(r"<(script|style).*?</\1>|<head.*?</head>", "", page, flags=re.DOTALL)
    return re.sub(r"<[^>]+>", " ", body.split("Data, parameters and versions")[0])
