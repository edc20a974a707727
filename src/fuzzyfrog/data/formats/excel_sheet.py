"""The XML of a sheet of a workbook, and of the texts that its cells share -> cells as text."""

import datetime
import re
from functools import cache
from xml.parsers import expat

from fuzzyfrog.common.messages import shown

MOST_ROWS, MOST_COLUMNS = 2**20, 2**14  # of a sheet in Excel
MOST_CHARACTERS = 2**17  # of a cell, as in CSV
DAY_ZERO = {False: datetime.datetime(1899, 12, 30), True: datetime.datetime(1904, 1, 1)}
_DIGITS = "0123456789"
_CODE = re.compile("_x((?!D[89A-F])[0-9A-F]{4})_", re.IGNORECASE)  # as Excel writes "\r"
_RANGE = re.compile(r"([A-Z]{1,3})(\d{1,7})")
ACROSS = -1
DAY_MILLISECONDS = 86_400_000
MOST_DAYS = 2_950_000  # until the year 9976


class SharedTexts:
    """Collects the texts that cells share while their XML is parsed."""

    def __init__(self, texts: list[str]) -> None:
        self.texts = texts
        self._pieces: list[str] = []
        self._n_characters = 0
        self._listens = self._is_phonetic = False

    def parser(self) -> expat.XMLParserType:
        """Return a new parser that calls this object."""
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._add
        return parser

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        name = local(name)
        if name == "t":
            self._listens = not self._is_phonetic
        elif name == "rPh":  # how to pronounce the text
            self._is_phonetic = True
        elif name == "si":
            self._pieces.clear()
            self._n_characters = 0

    def _add(self, piece: str) -> None:
        if self._listens:
            self._n_characters += len(piece)
            if self._n_characters > MOST_CHARACTERS:
                raise ValueError(f"a cell with more than {MOST_CHARACTERS:,} characters")
            self._pieces.append(piece)

    def _end(self, name: str) -> None:
        name = local(name)
        self._listens = False
        if name == "rPh":
            self._is_phonetic = False
        elif name == "si":
            self.texts.append(_decoded("".join(self._pieces)))


class Sheet(SharedTexts):
    """Collects the rows of a sheet while its XML is parsed.

    `rows` has the number and the filled cells of each row, by the place of their column.
    `uncomputed` and `merged` have the name of the first formula without a result, and of the first
    merged range in the table, for each column; `ACROSS` stands for several columns.
    """

    def __init__(
        self,
        texts: list[str],
        dates: list[bool],
        day_zero: datetime.datetime,
        decimal: str,
        header_row: int,
    ) -> None:
        super().__init__(texts)
        self.rows: list[tuple[int, dict[int, str]]] = []
        self.uncomputed: dict[int, str] = {}
        self.merged: dict[int, str] = {}
        self._dates = dates
        self._day_zero = day_zero
        self._decimal = decimal  # of the texts, so that numbers next to them are spelled alike
        self._header_row = header_row
        self._is_inside = False  # of the element with the rows
        self._cells: dict[int, str] = {}
        self._row = 0
        self._place = -1
        self._first_row = self._last_row = self._n_columns = 0  # of the table
        self._kind, self._style = "n", "0"
        self._has_formula = False

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if ":" in name:
            name = local(name)
        if not self._is_inside:
            if name == "sheetData":
                self._is_inside = True
            elif name == "mergeCell":
                self._add_merged(attributes["ref"])
        elif name == "c":
            self._start_cell(attributes)
        elif name == "v":
            self._listens = True
        elif name == "f":
            self._has_formula = True
        elif name == "row":
            self._start_row(attributes.get("r"))
        else:
            super()._start(name, attributes)

    def _end(self, name: str) -> None:
        if ":" in name:
            name = local(name)
        self._listens = False
        if name == "c" and self._is_inside:
            self._end_cell()
        elif name == "row" and self._is_inside:
            if self._cells:
                if not self._first_row and self._row >= self._header_row:
                    self._first_row, self._n_columns = self._row, max(self._cells) + 1
                self._last_row = self._row
                self.rows.append((self._row, self._cells))
        elif name == "rPh":
            self._is_phonetic = False
        elif name == "sheetData":
            self._is_inside = False

    def _start_row(self, number: str | None) -> None:
        row = self._row + 1 if number is None else int(number)
        if not self._row < row <= MOST_ROWS:
            raise ValueError(f"row {row} after row {self._row}")
        self._row, self._cells, self._place = row, {}, -1

    def _start_cell(self, attributes: dict[str, str]) -> None:
        name = attributes.get("r")
        self._place = self._place + 1 if name is None else _column_place(name.rstrip(_DIGITS))
        if self._place >= MOST_COLUMNS:
            raise ValueError(f"more than {MOST_COLUMNS:,} columns")
        self._kind = attributes.get("t", "n")
        self._style = attributes.get("s", "0")
        self._has_formula = False
        self._pieces.clear()
        self._n_characters = 0

    def _end_cell(self) -> None:
        spelled = "".join(self._pieces)
        if not spelled:
            is_empty = self._kind == "str"  # a formula may give an empty text
            if self._has_formula and not is_empty and self._row >= self._header_row:
                name = f"{column_name(self._place)}{self._row}"
                self.uncomputed.setdefault(self._place, name)
            return
        try:
            text = self._text(spelled)
        except (ArithmeticError, LookupError, ValueError):
            name = f"{column_name(self._place)}{self._row}"
            raise ValueError(f"{shown(spelled)} in cell {name}") from None
        if text:
            self._cells[self._place] = text

    def _text(self, spelled: str) -> str:
        if self._kind == "s":
            return self.texts[_whole(spelled)]
        if self._kind == "n":
            number = float(spelled)
            style = _whole(self._style)
            if style < len(self._dates) and self._dates[style]:
                return self._date(number) or self._number(number)
            return self._number(number)
        if self._kind == "b":
            return "FALSE" if spelled.strip() in ("0", "false") else "TRUE"
        return _decoded(spelled)

    def _number(self, number: float) -> str:
        if number.is_integer() and abs(number) < 2**53:
            return str(int(number))
        return repr(number).replace(".", self._decimal)

    def _date(self, days: float) -> str:
        """Return a date, a time if there is no day, or nothing for a number that is not a date."""
        if not 0 <= days < MOST_DAYS:
            return ""
        if 1 <= days < 60 and self._day_zero.year < 1900:  # there never was a February 29, 1900
            days += 1
        moment = self._day_zero + datetime.timedelta(milliseconds=round(days * DAY_MILLISECONDS))
        if days < 1:
            return moment.time().isoformat()
        is_day = moment.time() == datetime.time()
        return moment.date().isoformat() if is_day else moment.isoformat(" ")

    def _add_merged(self, name: str) -> None:
        """Note a merged range if it is in the table, which is below the first row with cells."""
        corners = [_RANGE.fullmatch(one) for one in name.partition(":")[::2]]
        if None in corners:
            raise ValueError(f"the merged cells {shown(name)}")
        places = [_column_place(one[1]) for one in corners if one]
        rows = [int(one[2]) for one in corners if one]
        is_in_table = rows[0] <= self._last_row and rows[1] >= self._first_row
        if is_in_table and places[0] < self._n_columns:
            self.merged.setdefault(places[0] if places[0] == places[1] else ACROSS, name)


def local(name: str) -> str:
    """Return a name of XML without its namespace."""
    return name.rpartition(":")[2]


def _whole(spelled: str) -> int:
    number = int(spelled)
    if number < 0:
        raise ValueError(number)
    return number


@cache
def _column_place(letters: str) -> int:
    """Return 0 for the column "A", 1 for "B", and so on."""
    if not 1 <= len(letters) <= 3 or not all("A" <= letter <= "Z" for letter in letters):
        raise ValueError(f"a column {shown(letters)}")
    place = 0
    for letter in letters:
        place = 26 * place + ord(letter) - ord("A") + 1
    return place - 1


def _decoded(text: str) -> str:
    return _CODE.sub(lambda code: chr(int(code[1], 16)), text.strip())


def column_name(place: int) -> str:
    """Return the letters of a column, as in A, Z, AA."""
    letters = ""
    place += 1
    while place:
        place, letter = divmod(place - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters
