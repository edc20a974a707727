"""A result -> sentences, the same for the command line, the report and the plots."""

from fuzzyfrog.result import Reducts, Result, Scored, SoftPath
from fuzzyfrog.words.common import ScoredWords
from fuzzyfrog.words.common import Words as Words
from fuzzyfrog.words.reducts import ReductWords
from fuzzyfrog.words.soft import SoftWords


def words_of(result: Result) -> Words:
    """Return what may be said of a result, which depends on the kind of its answer."""
    match result.answer:
        case Reducts():
            return ReductWords(result)
        case SoftPath():
            return SoftWords(result)
        case Scored(measure=measure):
            return ScoredWords(result, measure)
