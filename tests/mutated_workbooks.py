"""Damaged Excel workbooks: bytes flipped, parts cut off, removed or swapped, numbers that lie."""

import io
import random
import re
import zipfile

import openpyxl

HUGE = (b"-1", b"0", b"99999", b"1048577", b"4294967296", b"9" * 400, b"1e999", b"nan", b"")
PIECES = (
    b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>',
    b'<row><c t="s"><v>77</v></c><c t="b"><v>2</v></c><c t="d"><v>2024</v></c></row>',
    b'<c r="A1" s="5000"><v>1</v></c>',
    b"<c><f>A1</f></c>",
    b'<mergeCell ref="A1:XFD1048576"/>',
    b"<si/>" * 1000,
    b"<a>" * 5000,
    b'<x:row xmlns:x="y"/>',
    b"<!--" + b"-" * 3000,
    b"&amp;&lt;&#x10FFFF;",
    b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>',
    b"\xff\xfe\x00",
)


def sound_workbook() -> bytes:
    """Return a workbook with numbers, texts, dates, truth values, a formula and a hidden sheet."""
    book = openpyxl.Workbook()
    book.active.append(["size", "color", "when", "ok", "class"])
    for row in range(8):
        when = openpyxl.utils.datetime.from_excel(45_000.5 + row)
        book.active.append([row / 3, f"color {row % 3}", when, row % 2 == 0, "xy"[row % 2]])
    book.create_sheet("hidden", 0).sheet_state = "hidden"
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def mutated(sound: bytes, seed: int) -> bytes:
    """Return a workbook with one to four kinds of damage."""
    chance = random.Random(seed)  # noqa: S311 - no secrets
    with zipfile.ZipFile(io.BytesIO(sound)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    for _ in range(chance.randrange(3)):
        _damage_part(parts, chance)
    content = io.BytesIO()
    packing = chance.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED, zipfile.ZIP_BZIP2))
    with zipfile.ZipFile(content, "w", packing) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    damaged = bytearray(content.getvalue())
    for _ in range(chance.choice((0, 1, 1, 3, 30))):
        damaged[chance.randrange(len(damaged))] = chance.randrange(256)
    if chance.random() < 0.05:
        del damaged[chance.randrange(len(damaged)) :]
    return bytes(damaged)


def _damage_part(parts: dict[str, bytes], chance: random.Random) -> None:
    name = chance.choice(list(parts))
    part = parts[name]
    place = chance.randrange(len(part) + 1)
    kind = chance.randrange(7)
    if kind == 0:
        del parts[name]
    elif kind == 1:
        parts[name] = part[:place]
    elif kind == 2:
        parts[name] = parts[chance.choice(list(parts))]
    elif kind == 3:
        tags = [match.end() for match in re.finditer(b">", part)] or [0]
        place = chance.choice(tags)
        parts[name] = part[:place] + chance.choice(PIECES) + part[place:]
    elif kind == 4:
        numbers = list(re.finditer(rb"\d+", part))
        if numbers:
            one = chance.choice(numbers)
            parts[name] = part[: one.start()] + chance.choice(HUGE) + part[one.end() :]
    elif kind == 5:
        size = chance.randrange(200)
        parts[name] = part[:place] + part[place + size :]
    else:
        parts[name] = part[:place] + chance.randbytes(3) + part[place:]
    if not parts:
        parts[name] = b""
