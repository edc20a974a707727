"""Tables as people type them for ``fuzzyfrog compare`` -> data sets of an experiment."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from typing import TYPE_CHECKING

from fuzzyfrog.cli.failures import UsageError
from fuzzyfrog.cli.names import names_in
from fuzzyfrog.cli.notices import warn_of_suspects
from fuzzyfrog.cli.tables import Asked, copy_of_stdin, refuse_reading_options

if TYPE_CHECKING:
    from fuzzyfrog.experiment.config import DataEntry

__all__ = ["check_readable", "entries_of", "section"]


def entries_of(tables: Sequence[Asked], folder: Path) -> list[DataEntry]:
    """Give the data sets; what comes from stdin is kept in the folder."""
    if not any(one.is_read for one in tables):
        refuse_reading_options(tables[0])
    names = [Path(one.called).name.partition(".")[0] if one.is_read else one.table
             for one in tables]  # fmt: skip
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        raise UsageError(f"TABLE must be different ones, got {count} that are called {name!r}.")
    return [_entry(name, one, folder) for name, one in zip(names, tables, strict=True)]


def _entry(name: str, asked: Asked, folder: Path) -> DataEntry:
    from fuzzyfrog.experiment.config import DataEntry

    if not asked.is_read:
        return DataEntry(name)
    if asked.target is None:
        raise UsageError(f"--target must be given for a file, got none for {asked.table!r}.")
    path = Path(asked.table).absolute() if asked.is_file else copy_of_stdin(folder).absolute()
    if not _is_text(str(path)):
        raise UsageError(
            f"TABLE must be a path that is UTF-8 text, as a config holds it, got {str(path)!r}. "
            "Rename it."
        )
    return DataEntry(
        name,
        path,
        asked.target,
        ignore=tuple(names_in("--ignore", asked.ignore)),
        nominal=tuple(names_in("--nominal", asked.nominal)),
        separator=asked.mark,
        decimal=asked.decimal,
        encoding=asked.encoding,
    )


def _is_text(name: str) -> bool:
    """Tell whether a name has no bytes that Python could only smuggle through."""
    return not any("\ud800" <= character <= "\udfff" for character in name)


def check_readable(entries: Sequence[DataEntry], data: Path | None) -> None:
    """Read every table once, so that what is wrong with it is told before anything runs."""
    from fuzzyfrog.experiment.loading import load_entry

    for entry in entries:
        dataset = load_entry(entry, data)
        if entry.file is not None:
            warn_of_suspects(dataset, dataset.feature_names)


def section(kind: str, entry: object) -> Iterator[str]:
    """Yield the lines of a config that describe an entry: what is not at its default."""
    yield f"[{kind}.{_written(entry.name)}]"  # type: ignore[attr-defined]
    for one in fields(entry):  # type: ignore[arg-type]
        value = getattr(entry, one.name)
        empty = one.default_factory() if one.default_factory is not MISSING else one.default
        if one.name != "name" and value != empty:
            yield f"{one.name} = {_written(value)}"


def _written(value: object) -> str:
    """Give a value in TOML, which quotes and lists as JSON does."""
    plain = str(value) if isinstance(value, Path) else value
    return json.dumps(plain, ensure_ascii=False).replace("\x7f", "\\u007f")
