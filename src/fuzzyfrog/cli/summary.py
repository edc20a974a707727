"""The words about a result, laid out as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from fuzzyfrog.cli.console import aligned, fitted, safe, stdout

if TYPE_CHECKING:
    from rich.console import RenderableType

    from fuzzyfrog.result import Check, Result

MAX_FEATURES = 40  # shown one by one
MAX_COLUMNS = 200  # in the table of all
MAX_NAME = 30  # columns of a terminal for a name in the table of all


def result_lines(result: Result, *, details: bool = False) -> Iterator[RenderableType]:
    """Yield the lines that describe a result: what people look for, or with `details` all."""
    from rich.text import Text

    from fuzzyfrog.words import words_of

    words = words_of(result)
    yield Text(safe(words.table()), "bold")
    yield ""
    doubts, advice = words.doubts(), words.advice()
    yield from (Text(safe(sentence), "bold yellow") for sentence in doubts)
    verdict, headline, warning = words.verdict(), words.headline(), words.unchecked()
    # Green only if models confirm it, not for a proof.
    is_bad = words.is_useless or (words.is_refuted and headline == verdict)
    color = "bold yellow" if is_bad else "bold green" if words.is_confirmed else "bold"
    where = ""
    if result.sampling is not None and headline != verdict:
        where = f" on {result.sampling.n_sampled:,} random samples"
    yield Text(safe(f"{headline}{where}."), color)
    if verdict not in (None, headline) and f"{verdict}." not in doubts:
        yield Text(safe(f"{verdict}."))
    if warning is not None:
        yield Text(warning, "yellow")
    if advice is not None:
        yield Text(safe(advice), "bold")
    yield ""
    listing = words.columns()
    yield from shown_features(listing.rows, listing.titles)
    if result.check is None:
        yield ""
        yield from facts([("models", words.models())])
    elif result.check.scores:
        yield ""
        yield from _models(result.check)
    if notes := () if result.check is None else result.check.notes:
        yield ""
        yield from (Text(safe(f"Note: {note}")) for note in notes)
    if pairs := [pair for pair in words.facts() if details or pair[0] in words.brief]:
        yield ""
        yield from facts(pairs)
    if result.stability is not None:
        yield ""
        rows = [[fitted(name, MAX_NAME), *rest] for name, *rest in result.stability.table()]
        yield from aligned(rows, right={1, 2})
        yield ""
        yield from facts([("stability", result.stability.sentence())])


def _models(check: Check) -> Iterator[str]:
    """Yield the scores of the models, a line for each."""
    columns = list(zip(*check.table(), strict=True))
    yield from aligned(columns, right=set(range(1, len(columns[0]))))


def column_lines(result: Result) -> Iterator[str]:
    """Yield a table of all columns with their roles."""
    from fuzzyfrog.words import words_of
    from fuzzyfrog.words.columns import columns_lead, columns_table

    words = words_of(result)
    (first, *titles), rows = columns_table(words)
    shown = [[fitted(name, MAX_NAME), *map(safe, others)] for name, *others in rows[:MAX_COLUMNS]]
    yield ""
    yield from aligned([[first, *titles], *shown], right=set(range(2, len(titles))))
    yield from _more(len(rows) - MAX_COLUMNS)
    yield ""
    meaning = words.meaning()
    yield f"{columns_lead(words)} {meaning}." if meaning else columns_lead(words)


def shown_features(rows: Sequence[Sequence[str]], titles: Sequence[str] = ()) -> Iterator[str]:
    """Yield a line for each feature, cut if the terminal is too narrow for its name."""
    room = stdout().width - sum(2 + len(title) for title in titles[1:]) - 2
    shown = [[fitted(name, room), *others] for name, *others in rows[:MAX_FEATURES]]
    if titles:
        yield from aligned([list(titles), *shown], right=set(range(1, len(titles))))
    else:
        yield from (f"  {name}" for (name,) in shown)
    yield from _more(len(rows) - MAX_FEATURES)


def _more(n_more: int) -> Iterator[str]:
    if n_more > 0:
        yield f"  and {n_more:,} more; --json lists all of them"


def facts(pairs: Iterable[tuple[str, str]]) -> Iterator[RenderableType]:
    """Yield labeled sentences; on a terminal they are wrapped next to their labels."""
    from rich.table import Table
    from rich.text import Text

    if not stdout().is_terminal:
        yield from (f"{label:<10}  {safe(sentence)}" for label, sentence in pairs)
        return
    grid = Table.grid(padding=(0, 2, 0, 0))
    for label, sentence in pairs:
        grid.add_row(Text(label, "dim"), Text(safe(sentence)))
    yield grid
