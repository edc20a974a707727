"""The words about a result, laid out as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from fuzzyfrog.cli.console import aligned, fitted, safe, stdout

if TYPE_CHECKING:
    from rich.console import RenderableType

    from fuzzyfrog.result import Result

MAX_FEATURES = 40  # shown one by one


def result_lines(result: Result) -> Iterator[RenderableType]:
    """Yield the lines that describe a result."""
    from rich.text import Text

    from fuzzyfrog.words import words_of

    words = words_of(result)
    yield Text(safe(words.table()), "bold")
    yield ""
    if doubts := words.doubts():
        yield from (Text(safe(sentence), "bold yellow") for sentence in doubts)
        if (advice := words.advice()) is not None:
            yield Text(safe(advice), "bold")
        yield ""
    warning = words.unchecked()
    end = "; selected:" if words.is_useless else ":"  # the features follow
    where = "" if result.sampling is None else f" on {result.sampling.n_sampled:,} random samples"
    # Green only if models confirm it, not for a proof.
    color = "bold yellow" if words.is_useless else "bold green" if words.is_confirmed else "bold"
    yield Text(f"{words.headline()}{where}{end if warning is None else '.'}", color)
    if warning is not None:
        yield Text(warning, "yellow")
    yield ""
    listing = words.listing()
    yield from shown_features(listing.rows, listing.titles)
    yield ""
    yield from facts(words.facts())


def shown_features(rows: Sequence[Sequence[str]], titles: Sequence[str] = ()) -> Iterator[str]:
    """Yield a line for each feature, cut if the terminal is too narrow for its name."""
    room = stdout().width - sum(2 + len(title) for title in titles[1:]) - 2
    shown = [[fitted(name, room), *others] for name, *others in rows[:MAX_FEATURES]]
    if titles:
        yield from aligned([list(titles), *shown], right=set(range(1, len(titles))))
    else:
        yield from (f"  {name}" for (name,) in shown)
    if len(rows) > MAX_FEATURES:
        yield f"  and {len(rows) - MAX_FEATURES:,} more; --json lists all of them"


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
