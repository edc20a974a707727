"""Names, numbers, lists, suggestions and parameters as they appear in messages."""

import csv
import io
import re
import sys
import warnings
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from difflib import get_close_matches
from html import escape
from itertools import chain
from pathlib import Path
from typing import NamedTuple, Self

MAX_CHARACTERS = 60
MAX_ITEMS = 10
MAX_WIDTH = 100  # of a column, so that one long cell does not shift all the others
MAX_NAMED = 8  # features that a sentence lists
LONGEST = 40  # characters of their names
CLOSE = 0.7  # similarity of names, from 0 to 1, above which one may be meant
NAME_OR_NUMBER = re.compile(r"('[^']*')|\d[\d,.]*")
PACKAGE = str(Path(__file__).parent.parent)


class Setting(NamedTuple):
    """A parameter, or a parameter with a value, that a sentence mentions."""

    name: str
    value: object = None

    def __str__(self) -> str:
        return self.name if self.value is None else f"{self.name}={self.value!r}"


class OfTable(str):
    """The name of a column as the value of a parameter that takes its values."""

    def __repr__(self) -> str:
        return f"X[{super().__repr__()}]"


class Sentence(str):
    """Text that mentions parameters: a string with Python's names, which `worded` translates.

    Parameters
    ----------
    parts : str or Setting
        Pieces of text, which may be sentences, and the parameters between them.

    Examples
    --------
    >>> from fuzzyfrog.common.messages import Sentence, Setting
    >>> hint = Sentence("Fill them in, or choose ", Setting("missing", "similar"), ".")
    >>> print(hint)
    Fill them in, or choose missing='similar'.
    >>> hint.worded(lambda setting: f"--{setting.name} {setting.value}")
    'Fill them in, or choose --missing similar.'
    """

    parts: tuple[str | Setting, ...]

    def __new__(cls, *parts: str | Setting) -> Self:
        """Join the parts."""
        self = super().__new__(cls, "".join(map(str, parts)))
        pieces = (one.parts if isinstance(one, Sentence) else (one,) for one in parts)
        self.parts = tuple(chain.from_iterable(pieces))
        return self

    def __getnewargs__(self) -> tuple[str | Setting, ...]:  # type: ignore[override]
        return self.parts

    def worded(self, name: Callable[[Setting], str]) -> str:
        """Return the text with each parameter as `name` calls it."""
        return "".join(name(one) if isinstance(one, Setting) else one for one in self.parts)


class Answered(Sentence):
    """A sentence that a printed answer says as well, so that the command line need not warn."""


def shown(value: object) -> str:
    """Return the value ready to be printed: control characters escaped, long text cut."""
    text = repr(value)
    if len(text) <= MAX_CHARACTERS:
        return text
    return f"{text[:MAX_CHARACTERS]}... ({len(text)} characters)"


def listed(values: Iterable[object]) -> str:
    """Return the first few values, separated by commas, and how many there are in all."""
    everything = list(values)
    text = ", ".join(shown(value) for value in everything[:MAX_ITEMS])
    if len(everything) <= MAX_ITEMS:
        return text
    return f"{text}, ... ({len(everything)} in all)"


def first_few(texts: Sequence[str], joint: str = ", ") -> str:
    """Return the first three texts, and how many more there are."""
    if len(texts) <= 3:
        return joint.join(texts)
    return f"{joint.join(texts[:3])} and {len(texts) - 3:,} more"


def named(names: Sequence[str], longest: int = LONGEST, most: int = MAX_NAMED) -> str:
    """Return the first few names, cut where they are long, and how many more there are."""
    n_first = len(names) if len(names) <= most + 1 else most  # never "and 1 more"
    first = ", ".join(
        name if len(name) <= longest else f"{name[: longest - 1]}…" for name in names[:n_first]
    )
    return first if len(names) == n_first else f"{first} and {len(names) - n_first:,} more"


def line_of(names: Iterable[object]) -> str:
    """Return names as the value of an option: one that contains a comma is in double quotes."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()


def close_to(name: object, known: Sequence[str]) -> list[str]:
    """Return the known names that resemble the name, the closest first; case does not matter.

    A name also resembles a longer one that begins with it: "CRP" and "CRP (mg/l)".
    """
    plain, wanted = [one.casefold() for one in known], str(name)[:MAX_CHARACTERS].casefold()
    goes_on = re.compile(rf"{re.escape(wanted)}(?!\w)")
    longer = [one for one in plain if wanted and goes_on.match(one)]
    close = [*longer[:3], *get_close_matches(wanted, plain, n=3, cutoff=CLOSE)]
    matches = [one for match in close for one in known if one.casefold() == match]
    return list(dict.fromkeys(matches))[:3]


def suggested(name: object, known: Sequence[str]) -> str:
    """Return a sentence with the known names that resemble the name, or with all of them."""
    close = close_to(name, known)
    if close:
        return f"Did you mean {' or '.join(map(shown, close))}?"
    return f"Known: {listed(known)}."


def count(number: int, thing: str, plural: str | None = None) -> str:
    """Return a number with its noun, as in "1 class", "2 classes" and "2,000 reducts"."""
    if number == 1:
        return f"1 {thing}"
    regular = f"{thing}es" if thing.endswith("s") else f"{thing}s"
    return f"{number:,} {plural or regular}"


def told_apart(value: float, other: float) -> str:
    """Return a number with three digits, or as many as it takes to differ from another one."""
    if value == other:
        return f"{value:.3f}"
    digits = (n for n in range(3, 12) if f"{value:.{n}f}" != f"{other:.{n}f}")
    return f"{value:.{next(digits, 12)}f}"


def both_told(one: float, other: float) -> tuple[str, str]:
    """Return two numbers with as many digits as it takes to tell them apart."""
    return told_apart(one, other), told_apart(other, one)


def gamma(value: float) -> str:
    """Return a dependency with three digits, or more where it would round to 1 or 0."""
    if 0.9995 <= value < 1.0:
        return f"{min(value, 1.0 - 1e-12):.{_digits(1.0 - value)}f}"
    if 0.0 < value < 0.0005:
        return f"{value:.{_digits(value)}f}"
    return f"{value:.3f}"


def _digits(small: float) -> int:
    """Return how many digits a small number needs to differ from 0."""
    return next((n for n in range(4, 12) if round(small, n) > 0), 12)


def warn(sentence: str, kind: type[Warning] = UserWarning) -> None:
    """Warn at the line of the caller that is outside of this package.

    A grid search of scikit-learn fits a hundred times, each time with the warnings of the first.
    Python would show them once, but forgets what it showed whenever filters change, as they do in
    each fit.
    """
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame, level = frame.f_back, level + 1
    if str(frame.f_globals.get("__name__")).startswith("sklearn.") and _is_shown_once(kind):
        said = NAME_OR_NUMBER.sub(r"\1", sentence)  # numbers differ from fold to fold
        if (said, kind) in _shown:
            return
        _shown.add((said, kind))
    warnings.warn(sentence, kind, stacklevel=level)


_shown = set[tuple[str, type[Warning]]]()


def _is_shown_once(kind: type[Warning]) -> bool:
    """Whether Python shows a warning of a kind once for each line, as it does by default."""
    fitting = (one[0] for one in warnings.filters if one[1] is None and issubclass(kind, one[2]))
    return next(fitting, "default") == "default"


def percent(share: float) -> str:
    """Return a share in percent; 100 and 0 only for all and none."""
    if share in (0.0, 1.0):
        return f"{share:.0%}"
    return f"{min(max(share, 0.001), 0.999):.1%}"


def aligned_lines(rows: Sequence[Sequence[str]], right: Container[int]) -> Iterator[str]:
    """Yield the rows as lines with aligned columns, those in `right` to the right.

    A cell wider than 100 columns moves only the rest of its own line.
    """
    from rich.cells import cell_len  # letters of some scripts are two columns wide

    widths = [min(max(map(cell_len, column)), MAX_WIDTH) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = []
        for place, (cell, width) in enumerate(zip(row, widths, strict=True)):
            padding = " " * (width - cell_len(cell))
            cells.append(padding + cell if place in right else cell + padding)
        yield "  ".join(cells).rstrip()


def html_table(caption: str, rows: Sequence[Sequence[str]], sentences: Iterable[str]) -> str:
    """Return a table whose first row has the titles, and sentences below it, for a notebook."""

    def joined(tag: str, texts: Iterable[str]) -> str:
        return "".join(f"<{tag}>{text}</{tag}>" for text in texts)

    head, *body = ([escape(cell) for cell in row] for row in rows)
    return (
        f"<table><caption>{escape(caption)}</caption><thead><tr>{joined('th', head)}</tr></thead>"
        f"<tbody>{joined('tr', (joined('td', row) for row in body))}</tbody></table>"
        f"{joined('p', map(escape, sentences))}"
    )


def capitalized(sentence: str) -> str:
    """Return a sentence with a capital letter at its start."""
    return f"{sentence[:1].upper()}{sentence[1:]}"
