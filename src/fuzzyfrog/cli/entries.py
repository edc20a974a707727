"""Tables as people type them for ``fuzzyfrog compare`` -> data sets of an experiment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fuzzyfrog.cli.failures import UsageError
from fuzzyfrog.cli.names import names_in
from fuzzyfrog.cli.notices import warn_of_suspects
from fuzzyfrog.cli.tables import Asked, copy_of_stdin, refuse_reading_options

if TYPE_CHECKING:
    from fuzzyfrog.experiment.config import DataEntry

__all__ = ["check_readable", "entries_of"]


def entries_of(tables: Sequence[Asked], folder: Path) -> list[DataEntry]:
    """Return the data sets; stdin is copied into the folder."""
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
            f"TABLE must be a path that is UTF-8 text, as the pages are, got {str(path)!r}. "
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
    """Whether a name is text, without undecodable bytes of the file system."""
    return not any("\ud800" <= character <= "\udfff" for character in name)


def check_readable(entries: Sequence[DataEntry], data: Path | None) -> None:
    """Read every table once, so that errors in it are found before anything runs."""
    for entry in entries:
        dataset = entry.load(data)
        if entry.file is not None:
            warn_of_suspects(dataset, dataset.feature_names)
