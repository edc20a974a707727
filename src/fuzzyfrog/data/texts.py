"""Columns of text files -> numbers, or codes of labels; every spelling is looked at once.

Arrow converts plain numbers; what it does not take for numbers is left to the rules of `cells`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.arrays import Floats, Masks
from fuzzyfrog.common.messages import Sentence, Setting, listed, shown
from fuzzyfrog.data.cells import (
    INTEGER,
    MISSING,
    MISSING_WORDS,
    CategoryCoder,
    NotANumberError,
    distinct,
    first_padded,
    has_decimal_commas,
    has_points,
    parse_numbers,
    read_texts,
)
from fuzzyfrog.data.columns import (
    MAX_EXACT_INTEGER,
    BadCellError,
    Column,
    Feature,
    Labels,
    NumberParts,
    categorical_column,
    not_listed,
    other_mark,
    text_column,
)

FIRST_CELLS = 64  # nearly always enough to see that points mark decimals
_POINTED = re.compile(r"[+-]?[1-9]\d{0,2}\.\d{3}")
_BELOW_THOUSAND = re.compile(r"[+-]?[1-9]\d{0,2}")
_MAY_BE_PADDED = r"^[\x00-\x20]|[\x00-\x20]$|[^\x00-\x7f]"  # with blanks of any kind


@dataclass(frozen=True)
class Dialect:
    """How the cells of a text file are written."""

    separator: str = ","
    decimal: str = "."
    encoding: str = "utf-8"

    def differences(self, other: Dialect) -> dict[str, str]:
        """Return the settings that differ from those of another dialect."""
        theirs = asdict(other)
        return {name: value for name, value in asdict(self).items() if value != theirs[name]}

    @property
    def may_point_at_thousands(self) -> bool:
        """Whether "1.475" may be more than a thousand, as in German files."""
        return self.separator != "," and self.decimal == "."


class Thousands:
    """Notices numbers whose points may mark thousands: "1.475" next to "800"."""

    def __init__(self, may_be: bool) -> None:
        self.may_be = may_be
        self._pointed = self._whole = ""

    def add(self, cells: Any) -> None:
        """Look at the next cells of a column of numbers, an Arrow array of text."""
        if self.may_be:
            self._look_at(cells[:FIRST_CELLS].to_pylist())
        if self.may_be:
            self._look_at(distinct(cells)[1])

    def _look_at(self, cells: Iterable[str]) -> None:
        for text in map(str.strip, cells):
            if _POINTED.fullmatch(text):
                self._pointed = self._pointed or text
            elif _BELOW_THOUSAND.fullmatch(text):
                self._whole = self._whole or text
            elif text not in MISSING and text != "0":
                self.may_be = False
                return

    def doubt_about(self, thing: str) -> str | None:
        """Return the warning for a column with an example of each; None if points mark decimals."""
        if not (self.may_be and self._pointed and self._whole):
            return None
        return Sentence(
            f"{thing} holds points that may mark decimals or thousands, {shown(self._pointed)} "
            f"next to {shown(self._whole)}, read as decimals. Pass ",
            Setting("decimal", ","),
            " if they mark thousands.",
        )


def as_text(cells: Any) -> Any:
    """Return cells as an Arrow array of text."""
    import pyarrow as pa

    return pa.array(cells, pa.string()) if isinstance(cells, Sequence) else cells


def numbers_in(cells: Any, decimal: str) -> Floats:
    """Return the numbers of an Arrow array of text, NaN where it is missing."""
    numbers = _plain_numbers(cells, decimal)
    if numbers is not None:
        return numbers
    codes, texts = distinct(cells)
    try:
        return np.asarray(parse_numbers(texts, decimal)[codes])
    except NotANumberError as error:
        raise NotANumberError(int(np.argmax(codes == error.position))) from None


def _plain_numbers(cells: Any, decimal: str) -> Floats | None:
    """Return the numbers if Arrow reads all of them, with common marks for missing values."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if decimal == ",":
        if pc.any(pc.match_substring(cells, ".")).as_py():
            return None
        cells = pc.replace_substring(cells, ",", ".")
    for attempt in ("as they are", "without gaps"):
        if attempt == "without gaps":
            cells = pc.ascii_trim_whitespace(cells)
            is_gap = pc.is_in(cells, pa.array(sorted(MISSING)))
            cells = pc.if_else(is_gap, pa.scalar(None, pa.string()), cells)
        try:
            found = cells.cast(pa.float64())
        except pa.ArrowInvalid:
            continue
        numbers = found.to_numpy(zero_copy_only=False)
        if np.count_nonzero(np.isnan(numbers)) == found.null_count:  # Arrow reads "nan(7)", too
            return np.asarray(numbers)
    return None


class TextColumn(NumberParts):
    """Collects a feature of a text file, which is numeric until a cell turns out to be text.

    `is_text` says that some are known not to be numbers. `is_late` is true if the first text came
    after numbers, whose spelling is lost.
    """

    def __init__(self, feature: Feature, dialect: Dialect, is_text: bool) -> None:
        super().__init__(feature)
        self._missing = MISSING - MISSING_WORDS if feature.categorical else MISSING
        self._coder = CategoryCoder(self._missing) if is_text else None
        self._dialect = dialect
        self._padded: str | None = None
        self._has_cells = self._has_fractions = self.is_late = False
        self._thousands = Thousands(may_be=dialect.may_point_at_thousands)
        self._gaps: Counter[str] = Counter()

    @property
    def takes_numbers(self) -> bool:
        """Whether the spelling of plain numbers no longer matters."""
        return self._coder is None and self._has_fractions and not self._thousands.may_be

    def add(self, part: Any) -> Floats:
        """Return the numbers or codes of a part: text, or an array of plain numbers."""
        if isinstance(part, np.ndarray):
            return part
        cells = as_text(part)
        if self._coder is None:
            try:
                return self._numbers(cells)
            except NotANumberError as error:
                if self._feature.categorical is not None:
                    cell = cells[error.position].as_py()
                    reason = not_listed(self._feature.name, cell).args
                    raise BadCellError(error.position, ": ", *reason) from None
                self._coder, self.is_late = CategoryCoder(self._missing), self._has_cells
        places, texts = distinct(cells)
        codes = self._coder.encode(texts)
        missing = np.flatnonzero(np.isnan(codes)).tolist()
        if words := [place for place in missing if texts[place].strip() in MISSING_WORDS]:
            counts = np.bincount(places)
            self._gaps.update({texts[place].strip(): int(counts[place]) for place in words})
        return np.asarray(codes[places])

    def _numbers(self, cells: Any) -> Floats:
        numbers = numbers_in(cells, self._dialect.decimal)
        self._has_cells = True
        is_large = np.abs(numbers) >= MAX_EXACT_INTEGER
        if is_large.any():
            large = cells.filter(is_large & np.isfinite(numbers)).to_pylist()
            texts = (cell.strip() for cell in large)
            self.note_exact([int(Decimal(text)) for text in texts if INTEGER.fullmatch(text)])
        self._thousands.add(cells)
        self._has_fractions = self._has_fractions or bool((np.floor(numbers) < numbers).any())
        if not self._has_fractions and self._padded is None:  # most columns have fractions
            self._padded = first_padded(with_zero(cells))
        return numbers

    def finish(self) -> Column:
        """Return what the codes stand for, with a warning if the kind of the feature is unclear."""
        if self._coder is None:
            super().finish()
            return Column(warning=None if self._feature.categorical is False else self._doubt())
        values = self._coder.values
        if self._feature.categorical:
            return categorical_column(values)
        texts = [str(value) for value in values]
        found = read_texts(texts, self._dialect.decimal, self._dialect.separator)
        if found.values is None:
            self._check_marks(values)
        column = text_column(values, self._feature, found)
        return column if column.labels is None else replace(column, gaps=self._words())

    def _doubt(self) -> str | None:
        """Return the warning for numbers that may mean something else."""
        name = shown(self._feature.name)
        if self._padded is not None and not self._has_fractions:
            return Sentence(
                f"feature {name} holds whole numbers with leading zeros, such as "
                f"{shown(self._padded)}, and is read as numbers: close ones count as similar. "
                "Name it in ",
                Setting("categorical"),
                " if they are codes.",
            )
        return self._thousands.doubt_about(f"feature {name}")

    def _words(self) -> str:
        """Return which words for a category were taken as missing, and how often."""
        words = [f"{n:,} {shown(word)}" for word, n in self._gaps.items()]
        return f"{' and '.join(words)} in {shown(self._feature.name)}" if words else ""

    def _check_marks(self, values: Labels) -> None:
        """Refuse text that only has another decimal mark."""
        examples = listed(values[:3])
        if self._dialect.decimal == "," and has_points(values):
            raise other_mark(
                self._feature.name,
                f"comma, got points ({examples}). Delete thousands separators, or name it in ",
                Setting("categorical"),
                " if these are labels.",
            )
        if self._dialect.decimal != "," and (
            has_decimal_commas(values) or _is_read_with_commas(values)
        ):
            raise other_mark(
                self._feature.name,
                f"point, got commas ({examples}). Pass ",
                Setting("decimal", ","),
                " for decimal commas; delete thousands separators.",
            )


def with_zero(cells: Any) -> list[str]:
    """Return the cells of two characters or more that begin with a zero, or blanks and a zero."""
    import pyarrow.compute as pc

    long = cells.filter(pc.greater(pc.binary_length(cells), 1))
    has_zero = pc.starts_with(pc.ascii_ltrim_whitespace(long), "0")
    return list(long.filter(has_zero).to_pylist())


def _is_read_with_commas(values: Labels) -> bool:
    """Whether texts such as "12,5 %" are numbers, but only with a decimal comma."""
    texts = [str(value) for value in values]
    return any("," in text for text in texts[:1000]) and read_texts(texts, ",").values is not None


@dataclass(frozen=True)
class TextLabels:
    """A target of text: the place of each sample's label in `texts`, an Arrow array.

    In a file without types, `may_be_numbers`, and no label is missing.
    """

    codes: NDArray[Any]
    texts: Any
    may_be_numbers: bool = True

    @classmethod
    def of(cls, parts: Sequence[Any]) -> TextLabels:
        """Return the labels of Arrow arrays of text, without the blanks around them."""
        import pyarrow as pa
        import pyarrow.compute as pc

        encoded = pa.chunked_array(parts, pa.string()).dictionary_encode().unify_dictionaries()
        if not encoded.num_chunks:
            return cls(np.empty(0, np.int32), pa.array([], pa.string()))
        codes = np.concatenate([chunk.indices.to_numpy() for chunk in encoded.chunks])
        texts = encoded.chunk(0).dictionary
        if not pc.any(pc.match_substring_regex(texts, _MAY_BE_PADDED)).as_py():
            return cls(codes, texts)
        stripped = pa.array([text.strip() for text in texts.to_pylist()]).dictionary_encode()
        return cls(stripped.indices.to_numpy()[codes], stripped.dictionary)

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, samples: Masks) -> TextLabels:
        """Return the labels of some samples, and of these labels only those that they have."""
        present, codes = np.unique(self.codes[samples], return_inverse=True)
        return replace(self, codes=codes, texts=self.texts.take(present))

    def are_in(self, texts: frozenset[str]) -> Masks:
        """Return which samples have one of some labels, or none."""
        import pyarrow as pa
        import pyarrow.compute as pc

        is_one = pc.is_in(self.texts, pa.array([*sorted(texts), None], pa.string()))
        return np.asarray(is_one.to_numpy(False)[self.codes], np.bool_)
