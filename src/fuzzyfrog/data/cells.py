"""Single cells: which are missing, which texts are numbers, and which codes categories get.

People write numbers as ``25.0%``, ``$15,900.00``, ``1,234``, ``3750 g``, ``<0.1``. A column of such
texts is read as numbers only if all are numbers in the same style: one currency, one unit, one mark
between thousands. Anything else stays text, with the reason if there is one.
"""

import numbers
import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.messages import listed, shown

# Texts that mean "no value" in a feature of a text file, in exactly this spelling; "none" and "Na"
# are not among them, as they are categories in real tables.
MISSING = frozenset(
    {"", "?", ".", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NAN", "-nan", "null", "NULL", "None"}
)

# Those of them that are also words for a category, such as the plan of a customer without one.
MISSING_WORDS = frozenset({"NA", "N/A", "n/a", "null", "NULL", "None"})

INTEGER = re.compile(r"[+-]?\d+")
_COMMA_NUMBER = re.compile(r"[+-]?[\d.]*\d,\d[\d.,]*(e[+-]?\d+)?", re.IGNORECASE)
_POINT_NUMBER = re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d+\.\d+)(,\d+)?")  # no date
_TWO_POINTS = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3}){2,}")
_SWAPPED = str.maketrans(",.", ".,")
_PADDED = re.compile(r"0\d\d+")
_CODE = re.compile(r"0\d\d+|\d+[A-Z]")
# Next to more than digits, and too few or too many of them behind it to mark thousands.
_DECIMAL_POINT = re.compile(r"(?=.*[^\d.+-])[^.,]*\d\.(?!\d{3}(?!\d))\d+[^\d.,]*")

# Numbers as people write them:
MOST_STRAYS = 3, 0.2  # texts that are probably typing errors: a number, or a share of all texts
FEWEST_NUMBERS = 20  # different numbers, at least, for strays to count as typing errors
FEWEST_DOUBTED = 5  # different texts; with fewer, the numbers are not missed

ENGLISH = ("US$", "A$", "C$", "$", "£", "¥", "₹", "USD", "GBP", "JPY", "INR")  # comma: thousands
CURRENCIES = (
    *ENGLISH,
    *("R$", "€", "₽", "₺", "₩", "₪", "zł", "Kč", "kr", "CHF", "EUR", "SEK", "NOK", "DKK"),
)
# In any case, but one in a column: "MW" is not "mW". Two may be joined by a slash, as in mg/dl.
_UNITS = (
    "g kg mg µg μg ug ng t lb lbs oz m cm mm µm μm nm km in inch inches ft feet yd mi mile "
    "miles l dl cl ml µl μl gal cc s sec secs second seconds ms µs μs min mins minute minutes h "
    "hr hrs hour hours d day days week weeks month months y yr yrs year years °c °f ° k v mv kv "
    "a ma w kw mw kwh wh hz khz mhz ghz pa hpa kpa mpa bar mbar psi mmhg j kj cal kcal n mol "
    "mmol µmol μmol nmol px pt b kb mb gb tb hp bhp ps cm2 cm² m2 m² km2 km² m3 m³ cm3 cm³ sqft "
    "ha acres rpm ppm ppb db bpm mph kmh kmpl mpg iu u mu mn bn mio mrd"
)
UNITS = frozenset(_UNITS.split())

_MARKS = "'’\u00a0\u202f"  # between thousands, next to the comma and the blank
_BEFORE = "|".join(re.escape(one) for one in sorted(CURRENCIES, key=len, reverse=True))
_TEXT = re.compile(
    rf"(?P<bound>[<>≤≥~≈]=?)?\s*(?P<sign>[+\-−])?\s*(?P<before>{_BEFORE})?\s*(?P<inner>[+\-−])?"
    rf"(?P<whole>[1-9]\d{{0,2}}(?:(?P<mark>[, {_MARKS}])\d{{3}})(?:(?P=mark)\d{{3}})*|\d+|(?=\.\d))"
    r"(?P<fraction>\.\d*)?(?P<power>[eE][+-]?\d{1,3})?[ \u00a0\u202f]?"
    r"(?P<after>[^\s\d.,]\S{0,11})?"
)


class NotANumberError(ValueError):
    """A cell of a column is not a number; `position` says which."""

    def __init__(self, position: int) -> None:
        super().__init__(position)
        self.position = position


def is_missing(cell: object) -> bool:
    """Whether an object is a missing value: None, NaN, or the NA of a library."""
    if cell is None:
        return True
    if isinstance(cell, Decimal):
        return cell.is_nan()  # there is one that cannot even be compared
    if isinstance(cell, numbers.Number):
        return bool(cell != cell)
    # The NA and NaT of pandas are known by name, so that pandas need not be imported.
    return type(cell).__name__ in ("NAType", "NaTType")


def distinct(cells: Any) -> tuple[NDArray[Any], list[Any]]:
    """Return the place of each cell of an Arrow array of text, and the distinct ones in order.

    That is the order in which they first appear; a missing one is None.
    """
    encoded = cells.dictionary_encode("encode")
    return encoded.indices.to_numpy(), encoded.dictionary.to_pylist()


def are_texts(cells: Iterable[object]) -> bool:
    """Whether all cells are text, so that none is missing."""
    return set(map(type, cells)) == {str}


def parse_numbers(cells: Sequence[str], decimal: str = ".") -> NDArray[np.float64]:
    """Return the numbers of a column of text, NaN where it is missing."""
    if decimal == ",":  # then a cell with a point is not a number, like one with a comma otherwise
        cells = ["" if cell.strip() in MISSING else cell.translate(_SWAPPED) for cell in cells]
    try:
        parsed = np.fromiter(map(float, cells), np.float64, count=len(cells))
    except ValueError:
        return _parse_one_by_one(cells)
    # Python reads "1_000" as a number, but nobody writes it in a table.
    return _parse_one_by_one(cells) if "_" in "".join(cells) else parsed


def merges_integers(cells: Sequence[str], parsed: NDArray[np.float64]) -> bool:
    """Whether texts of different integers became the same float64."""
    large = np.flatnonzero(np.isfinite(parsed) & (np.abs(parsed) >= 2.0**53)).tolist()
    exact = {Decimal(cells[row]) for row in large if INTEGER.fullmatch(cells[row].strip())}
    return len(exact) > len({float(one) for one in exact})


def _parse_one_by_one(cells: Sequence[str]) -> NDArray[np.float64]:
    parsed = np.full(len(cells), np.nan)
    for position, cell in enumerate(cells):
        if cell.strip() in MISSING:
            continue
        if "_" in cell:
            raise NotANumberError(position)
        try:
            parsed[position] = float(cell)
        except ValueError:
            raise NotANumberError(position) from None
    return parsed


def has_decimal_commas(values: Iterable[object]) -> bool:
    """Whether texts are numbers except for commas, as in "3,14" or "1,234.5"."""
    return _are_numbers_except(values, _COMMA_NUMBER, ".")


def has_points(values: Iterable[object]) -> bool:
    """Whether texts are numbers with a decimal comma except for points, as in "1.234,5"."""
    return _are_numbers_except(values, _POINT_NUMBER, ",")


def _are_numbers_except(values: Iterable[object], other: re.Pattern[str], decimal: str) -> bool:
    """Whether texts are numbers, except for some of the other form."""
    texts = [*map(str, values)]
    without = [text for text in texts if not other.fullmatch(text)]
    return len(without) < len(texts) and all_numbers(without, decimal)


def first_padded(cells: Iterable[str]) -> str | None:
    """Return the first whole number with a leading zero, like a code, or None."""
    return next((text for cell in cells if _PADDED.fullmatch(text := cell.strip())), None)


def all_numbers(texts: Sequence[str], decimal: str = ".") -> bool:
    """Whether every text is a number or missing."""
    try:
        parse_numbers(texts, decimal)
    except NotANumberError:
        return False
    return True


def is_number(text: str) -> bool:
    """Whether a text is a plain number with either decimal mark."""
    return all_numbers([text]) or all_numbers([text], ",")


def looks_like_number(text: str) -> bool:
    """Whether a text is a number in some spelling, with either decimal mark."""
    return any(_parsed(text, mark) is not None for mark in ".,")


def are_measurements(texts: Sequence[str]) -> bool:
    """Whether most texts are numbers in some spelling, a plain one with a fractional part."""
    return 2 * sum(map(looks_like_number, texts)) > len(texts) and any(
        ("." in text or "," in text) and is_number(text) for text in texts
    )


class CategoryCoder:
    """Assigns a code to each distinct value of a categorical feature, block by block.

    The texts in `missing` mean "no value", in addition to None, NaN and NA.
    """

    def __init__(self, missing: frozenset[str] = frozenset()) -> None:
        self._missing = missing
        self._codes: dict[Hashable, int] = {}

    @property
    def values(self) -> tuple[Hashable, ...]:
        """The distinct values, in the order of their appearance."""
        return tuple(self._codes)

    def encode(self, cells: Iterable[Any]) -> NDArray[np.float64]:
        """Return the code of each cell, in the order of first appearance; NaN if it is missing."""
        known = self._codes  # most texts are, and stand there without blanks around them
        codes = [
            known[cell] if type(cell) is str and cell in known else self._code(cell)
            for cell in cells
        ]
        return np.array(codes, dtype=np.float64)

    def _code(self, cell: Any) -> float:
        if isinstance(cell, str):
            cell = cell.strip()
            if cell in self._missing:
                return np.nan
        elif is_missing(cell):
            return np.nan
        return self._codes.setdefault(cell, len(self._codes))

    def sort(self, codes: NDArray[np.float64]) -> tuple[Hashable, ...]:
        """Turn codes by appearance, in place, into codes by sorted value; return these values.

        The codes then do not depend on the order of the samples.
        """
        order = sorted(self._codes, key=lambda value: (type(value).__name__, value))
        rank = np.empty(len(order))
        rank[[self._codes[value] for value in order]] = np.arange(len(order))
        present = ~np.isnan(codes)
        codes[present] = rank[codes[present].astype(np.intp)]
        return tuple(order)


@dataclass(frozen=True)
class TextNumbers:
    """What the texts of a column are.

    Parameters
    ----------
    values : float64[n_texts] or None
        The numbers, NaN where a text means "no value"; None if they are not numbers.
    reading : str
        How some were read, as in "'25.0%' as 25".
    doubt : str
        Why the column is not read as numbers though it nearly is; empty if it just is text.
    strays : tuple of str
        The few texts among many numbers that are probably typing errors.
    """

    values: NDArray[np.float64] | None = None
    reading: str = ""
    doubt: str = ""
    strays: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Number:
    """A number and how it is written."""

    text: str
    value: float
    affix: str  # currency, percent or unit; empty for none
    mark: str  # between thousands
    n_groups: int
    n_decimals: int
    is_bound: bool
    is_glued: bool  # to a single letter, as in "12A"
    in_brackets: bool


def read_texts(
    texts: Sequence[str], decimal: str = ".", separator: str | None = None
) -> TextNumbers:
    """Return the numbers of the distinct texts of a column, or why they are not numbers.

    `separator` is that of the file: among commas that separate cells, a quoted "1,234" is one
    thousand, while in other files it may have a decimal comma.
    """
    if decimal == "." and any(_TWO_POINTS.fullmatch(text.strip()) for text in texts):
        with_commas = read_texts(texts, ",", separator)  # two points in a number mark thousands
        if with_commas.values is not None:
            return with_commas if _differ_in_length(texts) else TextNumbers(doubt=_maybe(texts))
    found: list[_Number | None] = []
    others: list[str] = []
    most_others = max(MOST_STRAYS[0], int(MOST_STRAYS[1] * len(texts)))
    for text in texts:
        is_gap = text.strip() in MISSING
        found.append(None if is_gap else _parsed(text, decimal))
        if found[-1] is None and not is_gap:
            others.append(text)
            if len(others) > most_others:
                return TextNumbers()
    numbers = [one for one in found if one is not None]
    if not numbers or _are_codes(numbers):
        return TextNumbers()
    doubt = _doubt_of(numbers, decimal, separator)
    if others:
        is_slip = not doubt and len(numbers) >= FEWEST_NUMBERS
        return TextNumbers(strays=tuple(others) if is_slip else ())
    if doubt:
        return TextNumbers(doubt=doubt if len(numbers) >= FEWEST_DOUBTED else "")
    values = np.array([np.nan if one is None else one.value for one in found])
    return TextNumbers(values, _reading(numbers, decimal))


def _differ_in_length(texts: Iterable[str]) -> bool:
    """Whether texts have different lengths, as large numbers do and many codes do not."""
    return len({len(text.strip()) for text in texts}) > 1


def _maybe(texts: Sequence[str]) -> str:
    return f"numbers with marks between thousands, or codes, such as {listed(texts[:3])}"


def _parsed(text: str, decimal: str) -> _Number | None:
    plain = text.strip()
    in_brackets = plain.startswith("(") and plain.endswith(")")  # negative in accounts
    bare = plain[1:-1].strip() if in_brackets else plain
    has_commas = decimal == "," and not _DECIMAL_POINT.fullmatch(bare)
    match = _TEXT.fullmatch(bare.translate(_SWAPPED) if has_commas else bare)
    if match is None or sum(map(bool, (match["sign"], match["inner"], in_brackets))) > 1:
        return None
    after = match["after"] or ""
    if (after and match["before"]) or (after and not _is_unit(after)):
        return None
    mark = match["mark"] or ""
    digits = match["whole"].replace(mark, "") if mark else match["whole"]
    value = float(f"{digits or 0}{match['fraction'] or ''}{match['power'] or ''}")
    is_negative = in_brackets or (match["sign"] or match["inner"] or "+") in "-−"
    return _Number(
        text=plain,
        value=-value if is_negative else value,
        affix=match["before"] or after.rstrip("."),
        mark=mark,
        n_groups=match["whole"].count(mark) if mark else 0,
        n_decimals=len(match["fraction"] or ".") - 1,
        is_bound=match["bound"] is not None,
        is_glued=len(after) == 1 and after.isalpha() and bare[-2] in "0123456789.,",
        in_brackets=in_brackets,
    )


def _is_unit(after: str) -> bool:
    name = after.lower().rstrip(".")
    if name in ("%", "‰", "+") or after in CURRENCIES:
        return True
    return all(part in UNITS for part in name.split("/")) and name.count("/") <= 1


def _by_affix(numbers: Sequence[_Number]) -> dict[str, _Number]:
    """Return the first number with each currency or unit, or without one."""
    affixes: dict[str, _Number] = {}
    for one in numbers:
        if one.affix or one.value != 0:  # a zero needs no unit
            affixes.setdefault(one.affix, one)
    return affixes


def _are_codes(numbers: Sequence[_Number]) -> bool:
    """Whether what looks like different units are codes, such as "001" and "136A"."""
    is_whole = not any(one.n_decimals for one in numbers)
    has_code = is_whole and any(_CODE.fullmatch(one.text) for one in numbers)
    return has_code and len(_by_affix(numbers)) > 1


def _doubt_of(numbers: Sequence[_Number], decimal: str, separator: str | None) -> str:
    """Return why numbers that can be read one by one cannot be read together, or nothing."""
    affixes = _by_affix(numbers)
    if len(affixes) > 1:
        return f"numbers in different units or forms, such as {_first_of(affixes.values())}"
    bounds = [one for one in numbers if one.is_bound]
    if 2 * len(bounds) > len(numbers):
        return f"limits rather than values, such as {_first_of(bounds)}"
    if glued := [one for one in numbers if one.is_glued]:
        return f"numbers with a letter, which may be labels, such as {_first_of(glued)}"
    if all(one.in_brackets for one in numbers):
        return f"numbers in brackets, which may be labels, such as {_first_of(numbers)}"
    grouped = [one for one in numbers if one.mark]
    if not grouped:
        return _doubt_of_points(numbers) if decimal == "." else ""
    long = next((one for one in numbers if not one.mark and abs(one.value) >= 1000), None)
    marks = {one.mark for one in grouped}
    if len(marks) > 1 or long is not None:
        other = long or next(one for one in grouped if one.mark != grouped[0].mark)
        return (
            f"thousands in two spellings, such as {shown(grouped[0].text)} and {shown(other.text)}"
        )
    if grouped[0].mark == " " and not _differ_in_length(one.text for one in numbers):
        return _maybe([one.text for one in grouped])
    is_sure = (
        grouped[0].mark != ","
        or separator == ","
        or decimal == ","  # then a point has no other meaning
        or any(one.n_groups > 1 or one.n_decimals for one in grouped)
        or any(one.affix in ENGLISH for one in grouped)
    )
    doubt = f"commas that may mark decimals or thousands, such as {_first_of(grouped)}"
    return "" if is_sure else doubt


def _doubt_of_points(numbers: Sequence[_Number]) -> str:
    """Return the doubt about amounts of money whose points all have three digits after them."""
    pointed = [one for one in numbers if one.n_decimals]
    may_be = all(one.n_decimals == 3 and 1 <= abs(one.value) < 1000 for one in pointed)
    is_foreign = any(one.affix in CURRENCIES and one.affix not in ENGLISH for one in pointed)
    if not (may_be and is_foreign):
        return ""
    return f"points that may mark decimals or thousands, such as {_first_of(pointed)}"


def _first_of(numbers: Iterable[_Number]) -> str:
    return listed(one.text for one in islice(numbers, 3))


def _reading(numbers: Sequence[_Number], decimal: str) -> str:
    """Return an example of each spelling, and what it was read as."""
    examples: list[tuple[set[str], _Number]] = []
    for one in numbers:
        kinds = {"limit": one.is_bound, "brackets": one.in_brackets}
        spelling = {one.affix, one.mark, *(kind for kind, has in kinds.items() if has)} - {""}
        if not any(spelling <= told for told, _ in examples) and spelling:
            examples = [(told, other) for told, other in examples if not told <= spelling]
            examples.append((spelling, one))
    if not examples:  # another minus, for example
        examples = [(set(), one) for one in numbers if not all_numbers([one.text], decimal)]
    return ", ".join(f"{shown(one.text)} as {one.value:.15g}" for _, one in examples[:2])


def spelled(number: float) -> str:
    """Return a number as a cell, empty where it is missing."""
    if number != number:
        return ""
    is_whole = isinstance(number, int) or number.is_integer()
    return str(int(number)) if is_whole else repr(number)
