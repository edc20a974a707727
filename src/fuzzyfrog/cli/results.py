"""The record of a run -> what a person wants to read first."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from fuzzyfrog.cli.consoles import stdout
from fuzzyfrog.cli.text import aligned, cut, safe

if TYPE_CHECKING:
    from rich.console import RenderableType

    from fuzzyfrog.records import Run, TableSummary

__all__ = ["facts", "named", "result_lines", "shown_features", "size_of"]

MAX_FEATURES = 40  # shown one by one
MAX_NAMES = 8  # shown in one line
SHARE = "in equally good subsets"

STOPPED = {
    "converged": "ended by itself",
    "max_evaluations": "ended by --max-evaluations",
    "max_seconds": "ended by --max-seconds",
    "interrupted": "interrupted",
}


def result_lines(run: Run) -> Iterator[RenderableType]:
    """Yield which features were selected, how good they are, and how sure that is."""
    from rich.text import Text

    yield Text(size_of(run.data), "bold")
    yield ""
    yield Text(_headline(run), "bold green" if run.full_dependency > 0 else "bold yellow")
    yield ""
    shares = [f"{run.feature_frequency[feature]:.0%}" for feature in run.selected]
    yield from shown_features(run.names(run.selected), shares if run.n_reducts > 1 else None)
    yield ""
    yield from facts(_facts(run))


def size_of(data: TableSummary) -> str:
    """Give a table in one line."""
    kind = "a numeric target" if data.target.is_numeric else f"{len(data.target.classes)} classes"
    return f"{safe(data.name)}: {data.n_samples:,} samples, {data.n_features:,} features, {kind}"


def shown_features(names: Sequence[str], shares: Sequence[str] | None) -> Iterator[str]:
    """Yield a line for each feature, cut where the terminal is too narrow for its name."""
    console = stdout()
    room = console.width - 4 if console.is_terminal else math.inf
    if shares is not None:
        room -= len(SHARE) + 2
    shown = [cut(safe(name), max(room, 12)) for name in names[:MAX_FEATURES]]
    if shares is None:
        yield from (f"  {name}" for name in shown)
    else:
        rows = [list(row) for row in zip(shown, shares[:MAX_FEATURES], strict=True)]
        yield from aligned([["feature", SHARE], *rows], right={1})
    if len(names) > MAX_FEATURES:
        yield f"  and {len(names) - MAX_FEATURES:,} more; --json has all of them"


def facts(pairs: Iterable[tuple[str, str]]) -> Iterator[RenderableType]:
    """Yield labeled sentences; on a terminal they are folded beside their labels."""
    from rich.table import Table
    from rich.text import Text

    if not stdout().is_terminal:
        yield from (f"{label:<10}  {sentence}" for label, sentence in pairs)
        return
    grid = Table.grid(padding=(0, 2, 0, 0))
    for label, sentence in pairs:
        grid.add_row(Text(label, "dim"), Text(sentence))
    yield grid


def named(names: Sequence[str]) -> str:
    """Give some names in one line."""
    shown = ", ".join(cut(safe(name), 40) for name in names[:MAX_NAMES])
    return shown if len(names) <= MAX_NAMES else f"{shown} and {len(names) - MAX_NAMES} more"


def _headline(run: Run) -> str:
    n_selected, n_features = len(run.selected), run.data.n_features
    what = "samples" if run.data.target.is_numeric else "classes"
    start = f"{n_selected} of {n_features:,} features"
    if run.full_dependency <= 0:
        return f"No feature tells the {what} apart, nor do all of them together; selected:"
    if run.dependency >= run.full_dependency:
        verb = "tells" if n_selected == 1 else "tell"
        return f"{start} {verb} the {what} apart as well as all of them:"
    verb = "keeps" if n_selected == 1 else "keep"
    return f"{start} {verb} {run.dependency / run.full_dependency:.1%} of what all of them tell:"


def _facts(run: Run) -> Iterator[tuple[str, str]]:
    yield "dependency", f"{run.dependency:.4f} of {run.full_dependency:.4f}"
    yield "size", _proof(run)
    if run.full_dependency > 0:
        if run.certificate is None:
            yield "as good", _alike(run)
        yield "core", _core(run)
    if fewer := _fewer(run):
        yield "best met", ", ".join(fewer)
    ended = STOPPED.get(run.stop_reason, run.stop_reason)
    spent = f"{run.n_evaluations:,} evaluations, {run.seconds:.1f} s"
    yield "search", f"{safe(run.parameters.get('search'))}, {ended} after {spent}"


def _proof(run: Run) -> str:
    if run.full_dependency <= 0:
        return f"{len(run.selected)}, because something must be selected"
    if run.certificate is not None:
        return str(run.certificate)
    if run.is_core_alone:
        return f"{len(run.selected)}, proven: the core alone does as well, so nothing is smaller"
    return f"{len(run.selected)}, not proven to be the smallest; --certify tries to"


def _alike(run: Run) -> str:
    size = len(run.selected)
    if run.is_core_alone:
        return "no other subset of this size, by the same proof"
    if run.n_reducts == 1:
        return f"no other subset of {size} was met"
    checked = sum(bool(reduct.minimal) for reduct in run.reducts)
    spare = "; none of them can spare a feature" if checked == run.n_reducts else ""
    return f"{run.n_reducts:,} subsets of {size} were met{spare}"


def _core(run: Run) -> str:
    if not run.core:
        return "none: every feature can be replaced by others"
    return f"{named(run.names(run.core))}: cannot be replaced"


def _fewer(run: Run) -> list[str]:
    """Give how good fewer features are, as far as they are better than still fewer."""
    best, shown = -math.inf, []
    for point in run.front:
        if point.size < len(run.selected) and point.dependency > best:
            best = point.dependency
            shown.append(f"{point.size}: {best:.3f}")
    return shown[-MAX_NAMES:]
