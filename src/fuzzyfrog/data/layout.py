"""Which columns of a file are features, and which is the target."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from fuzzyfrog.common.messages import Sentence, Setting, listed, shown, suggested
from fuzzyfrog.data.cells import MISSING, all_numbers
from fuzzyfrog.data.dataset import chosen_categorical
from fuzzyfrog.errors import DataError


@dataclass(frozen=True)
class Layout:
    """Positions of the features and of the target in a row.

    `categorical` says whether each feature was named as categorical; None if the file decides.
    `keeps_text` says that texts such as "25.0%" are labels. `row_labels` is the column that names
    the samples, None if there is none.
    """

    features: tuple[int, ...]
    names: tuple[str, ...]
    target: int
    categorical: tuple[bool | None, ...]
    keeps_text: bool = False
    row_labels: int | None = None
    drops_unlabeled: bool = False


@dataclass(frozen=True)
class Wanted:
    """The user's choices for a file: its target, ignored columns, categorical features.

    The features in `categorical` come on top of those in `categorical_features`.
    """

    target: str | None
    ignore: tuple[str, ...]
    categorical_features: object
    categorical: tuple[str, ...] = ()
    keeps_text: bool = False
    row_labels: str | None = None
    drops_unlabeled: bool = False

    def layout(self, header: Sequence[str], file: str) -> Layout:
        """Return the layout of a file with this header."""
        target = self._target(header, file)
        left_out = {_position(name, header, file, "ignore") for name in self.ignore}
        if target in left_out:
            raise DataError(
                Sentence(
                    f"{file}: ",
                    Setting("ignore"),
                    f" must not name the target, got {shown(self.target)}. "
                    "Name another target, or remove it from ",
                    Setting("ignore"),
                    ".",
                )
            )
        labels = self._row_labels(header, file)
        if labels is not None and labels == target:
            raise DataError(
                Sentence(
                    f"{file}: ",
                    Setting("row_labels"),
                    f" must not be the target, got {shown(self.target)}. Name another column.",
                )
            )
        left_out.add(-1 if labels is None else labels)
        features = tuple(p for p in range(len(header)) if p != target and p not in left_out)
        if not features:
            raise DataError(
                f"{file}: a table must have a feature besides the target, got the columns "
                f"{listed(header)}. Pass a file with at least one more column."
            )
        names = tuple(header[position] for position in features)
        kinds = self._kinds(names, file)
        return Layout(features, names, target, kinds, self.keeps_text, labels, self.drops_unlabeled)

    def _row_labels(self, header: Sequence[str], file: str) -> int | None:
        """Return the column that names the samples: the given one, or a nameless first one."""
        if self.row_labels is not None:
            return _position(self.row_labels, header, file, "row_labels")
        return 0 if not header[0] else None

    def _kinds(self, names: tuple[str, ...], file: str) -> tuple[bool | None, ...]:
        chosen = chosen_categorical(self.categorical_features, names)
        kinds: list[bool | None] = [None] * len(names) if chosen is None else chosen.tolist()
        for name in self.categorical:
            kinds[_position(name, names, file, "categorical")] = True
        return tuple(kinds)

    def _target(self, header: Sequence[str], file: str) -> int:
        if self.target is None:
            raise DataError(
                Sentence(
                    f"{file}: ",
                    Setting("target"),
                    " must be the name of a column, got None. "
                    f"Name one of: {listed(header)}; the last is {shown(header[-1])}.",
                )
            )
        return _position(self.target, header, file, "target")


def _position(name: str, header: Sequence[str], file: str, argument: str) -> int:
    if name not in header:
        kind = "feature" if argument == "categorical" else "column"
        raise DataError(
            Sentence(
                f"{file}: ",
                Setting(argument),
                f" must be the name of a {kind}, got {shown(name)}. {suggested(name, header)}",
            )
        )
    return header.index(name)


def check_header(header: Sequence[str], file: str, separator: str | None) -> None:
    """Refuse a header with numbers, repeated or empty names, or a single column."""
    if len(header) == 1:
        raise _single_column(header[0], file, separator)
    if not any(name in MISSING for name in header) and all_numbers(header):
        raise DataError(
            f"{file}: line 1 must hold the names of the columns, got only numbers "
            f"({listed(header[:3])}). Add a header line."
        )
    # R and pandas write the labels of rows as a first column without a name.
    unnamed = [position + 1 for position, name in enumerate(header) if not name]
    if unnamed and (unnamed != [1] or len(header) == 2):
        raise DataError(
            f"{file}: every column must have a name in line 1, got none for column "
            f"{listed(unnamed)}. Name it, or drop it if it only counts the rows "
            "(in pandas: to_csv(index=False))."
        )
    repeated = [name for name, count in Counter(header).items() if count > 1]
    if repeated:
        raise DataError(
            f"{file}: column names must be distinct, got more than once: {listed(repeated)}. "
            "Rename or drop the repeated columns."
        )


def _single_column(cell: str, file: str, separator: str | None) -> DataError:
    found = [mark for mark in (",", ";", "\t", "|") if mark in cell and mark != separator]
    problem = f"{file}: line 1 must name at least 2 columns, got 1. "
    if not found:
        return DataError(f"{problem}A table needs a feature and a target.")
    hint = f"It seems to be separated by {shown(found[0])}: pass "
    return DataError(Sentence(problem, hint, Setting("separator", found[0]), "."))
