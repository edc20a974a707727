"""Frozen dataclasses <-> plain JSON values; input is never trusted."""

import json
import types
from collections import Counter
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from math import isfinite
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from fuzzyfrog.errors import DataError

MAX_CHARACTERS = 60  # of a value quoted in a message
LARGEST = 2**63  # beyond any count; other readers may take integers as floats


def encoded(value: Any) -> Any:
    """Return a record as JSON values: objects, lists, text, numbers and None."""
    if is_dataclass(value):
        return {field.name: encoded(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple | list):
        return [encoded(item) for item in value]
    if isinstance(value, Mapping):
        return {key: encoded(item) for key, item in value.items()}
    return value


def parsed(text: str) -> Any:
    """Return the value of a JSON text; NaN and a field that occurs twice are errors."""
    try:
        return json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_refused)
    except DataError:
        raise
    except (ValueError, RecursionError) as error:
        reason = "too deeply nested" if isinstance(error, RecursionError) else str(error)
        raise DataError(
            f"a run must be saved as JSON, got something else: {reason}. "
            "Save it again with fuzzyfrog."
        ) from None


def decoded(kind: Any, value: Any, where: str) -> Any:
    """Return a JSON value as a type, or raise one sentence with `where`, the name of the field.

    The type is a dataclass, ``str``, ``int``, ``float``, ``bool``, ``None``, a ``Literal``, a
    union of these, ``tuple[item, ...]`` or ``dict[str, item]``.
    """
    if is_dataclass(kind):
        return _record(kind, value, where)
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return _any_of(get_args(kind), value, where)
    if origin is Literal:
        return _literal(get_args(kind), value, where)
    if origin is tuple:
        return _items(kind, value, where)
    if origin is dict:
        return _mapping(get_args(kind)[1], value, where)
    return _scalar(kind, value, where)


def _record(kind: Any, value: Any, where: str) -> Any:
    if not isinstance(value, dict):
        raise _wrong(where, "an object", value)
    hints = get_type_hints(kind)
    known = [field.name for field in fields(kind)]
    for name in value.keys() - set(known):
        raise DataError(
            f"{_shown(f'{where}.{name}')} must be a known field, got an unknown one. "
            f"Known: {', '.join(known)}."
        )
    for field in fields(kind):  # one with a default came later than the first records
        if field.name not in value and field.default is MISSING:
            raise DataError(f"{where}.{field.name} must be there, got nothing. Save the run again.")
    parts = {
        name: decoded(hints[name], value[name], f"{where}.{name}")
        for name in known
        if name in value
    }
    try:
        return kind(**parts)
    except ValueError as error:  # the record checks itself, too
        raise DataError(f"{where}.{error}") from None


def _any_of(kinds: tuple[Any, ...], value: Any, where: str) -> Any:
    """Return the value as the first type that fits; at most one of them is a dataclass."""
    if value is None and types.NoneType in kinds:
        return None
    rest = [kind for kind in kinds if kind is not types.NoneType]
    if len(rest) == 1:
        return decoded(rest[0], value, where)
    for kind in rest:
        if kind is type(value):
            return decoded(kind, value, where)
    if float in rest and type(value) is int:
        return decoded(float, value, where)
    raise _wrong(where, " or ".join(_NAMES[kind] for kind in kinds), value)


def _literal(choices: tuple[Any, ...], value: Any, where: str) -> Any:
    for choice in choices:
        if type(value) is type(choice) and value == choice:
            return choice
    raise _wrong(where, f"one of {', '.join(repr(choice) for choice in choices)}", value)


def _items(kind: Any, value: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise _wrong(where, "a list", value)
    item = get_args(kind)[0]
    return tuple(decoded(item, one, f"{where}[{at}]") for at, one in enumerate(value))


def _mapping(item: Any, value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _wrong(where, "an object", value)
    for name in value:
        _check_text(name, f"a name in {where}")
    return {name: decoded(item, one, _shown(f"{where}.{name}")) for name, one in value.items()}


def _scalar(kind: Any, value: Any, where: str) -> Any:
    if kind is float and type(value) is int:
        value = _as_float(value)
    if type(value) is not kind or (kind is float and not isfinite(value)):
        raise _wrong(where, _NAMES[kind], value)
    if kind is int and abs(value) > LARGEST:
        raise _wrong(where, "an integer of at most 64 bits", value)
    if kind is str:
        _check_text(value, where)
    return value


def _check_text(text: str, where: str) -> None:
    try:
        text.encode("utf-8", "surrogateescape")  # bytes of a file name may be odd
    except UnicodeEncodeError:
        raise _wrong(where, "text without half characters (surrogates)", text) from None


def _as_float(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf")


_NAMES: dict[Any, str] = {
    bool: "true or false",
    float: "a finite number",
    int: "an integer",
    str: "text",
    types.NoneType: "null",
}


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        ((twice, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise DataError(f"field {_shown(repr(twice))} must occur once, got it twice.")
    return found


def _refused(constant: str) -> Any:
    raise DataError(f"numbers of a run must be finite, got {constant}. Save the run again.")


def _wrong(where: str, rule: str, value: Any) -> DataError:
    return DataError(f"{_shown(where)} must be {rule}, got {_shown(repr(value))}.")


def _shown(text: str) -> str:
    clean = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    return clean if len(clean) <= MAX_CHARACTERS else f"{clean[:MAX_CHARACTERS]}..."
