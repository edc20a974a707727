"""A result -> sentences, the same for the command line, the report and the plots."""

from fuzzyfrog.result import Reducts, Result, Scored, SoftPath
from fuzzyfrog.words.columns import (
    MARK_NAMES,
    columns_lead,
    columns_order,
    columns_table,
    exchange_sentences,
    exchanges_of,
    tree_lead,
    tree_title,
)
from fuzzyfrog.words.common import Words
from fuzzyfrog.words.reducts import ReductWords
from fuzzyfrog.words.scored import ScoredWords
from fuzzyfrog.words.soft import SoftWords
from fuzzyfrog.words.text import named
from fuzzyfrog.words.unselected import why_not

__all__ = [
    "MARK_NAMES",
    "Words",
    "columns_lead",
    "columns_order",
    "columns_table",
    "exchange_sentences",
    "exchanges_of",
    "named",
    "tree_lead",
    "tree_title",
    "why_not",
    "words_of",
]


def words_of(result: Result) -> Words:
    """Return what may be said of a result, which depends on the kind of its answer."""
    match result.answer:
        case Reducts():
            return ReductWords(result)
        case SoftPath():
            return SoftWords(result)
        case Scored(measure=measure):
            return ScoredWords(result, measure)
