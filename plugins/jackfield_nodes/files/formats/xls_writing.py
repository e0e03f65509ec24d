"""Writes Excel's older format: a BIFF8 workbook with one sheet ([MS-XLS]), in a compound file ([MS-CFB])."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence

from jackfield.api.nodes import NodeError
from jackfield_nodes.files.formats.tables import Cell

MOST_ROWS, MOST_COLUMNS, LONGEST_TEXT = 65_536, 256, 32_767
_LARGEST_RECORD = 8224
_SECTOR = 512
_FREE, _END, _FAT, _DIFAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD, 0xFFFFFFFC
_IN_HEADER = 109
"""Sectors of the allocation table that the header lists."""


def write_xls(rows: Sequence[Sequence[Cell]], sheet: str) -> bytes:
    """Texts, numbers, truth values. Raises `NodeError` for more than the format can hold."""
    if len(rows) > MOST_ROWS or any(len(row) > MOST_COLUMNS for row in rows):
        raise NodeError(f"An xls sheet has at most {MOST_ROWS} rows and {MOST_COLUMNS} columns; choose xlsx.")
    if len(sheet) > 31 or any(char in sheet for char in "[]:*?/\\"):
        raise NodeError("The option sheetName has more than 31 characters or one of [ ] : * ? / \\.")
    texts: dict[str, int] = {}
    cells = b"".join(_cells(rows, texts))
    return _compound(_workbook(cells, texts, sheet, (len(rows), max(map(len, rows), default=0))))


def _record(kind: int, content: bytes = b"") -> bytes:
    return struct.pack("<HH", kind, len(content)) + content


def _workbook(cells: bytes, texts: dict[str, int], sheet: str, size: tuple[int, int]) -> bytes:
    """The stream: global records, then the sheet, whose place the global ones name. size: rows and columns."""
    font = struct.pack("<5H4B", 200, 0, 0x7FFF, 400, 0, 0, 0, 0, 0) + _short_text("Arial")
    head = [
        _record(0x0809, struct.pack("<HHHHII", 0x0600, 0x0005, 0x0DBB, 0x07CC, 0x41, 0x06)),
        _record(0x0042, struct.pack("<H", 1200)),
        _record(0x003D, struct.pack("<9H", 0, 0, 16000, 9000, 0x38, 0, 0, 1, 600)),
        *[_record(0x0031, font)] * 5,
        # 15 style formats, and the format of the cells
        *[_record(0x00E0, struct.pack("<HHHBBBBIIH", 0, 0, 0xFFF5, 0x20, 0, 0, 0, 0, 0, 0x20C0))] * 15,
        _record(0x00E0, struct.pack("<HHHBBBBIIH", 0, 0, 0x0001, 0x20, 0, 0, 0, 0, 0, 0x20C0)),
        _record(0x0293, struct.pack("<HBB", 0x8000, 0, 0xFF)),
    ]
    strings = b"".join(_shared(texts))
    name = _short_text(sheet)
    before = sum(map(len, head)) + 4 + 6 + len(name) + len(strings) + 4
    bound = _record(0x0085, struct.pack("<IBB", before, 0, 0) + name)
    page = [
        _record(0x0809, struct.pack("<HHHHII", 0x0600, 0x0010, 0x0DBB, 0x07CC, 0x41, 0x06)),
        _record(0x0200, struct.pack("<IIHHH", 0, size[0], 0, size[1], 0)),
        cells,
        _record(0x023E, struct.pack("<HHHIHHI", 0x06B6, 0, 0, 64, 0, 0, 0)),
        _record(0x000A),
    ]
    return b"".join([*head, bound, strings, _record(0x000A), *page])


def _short_text(text: str) -> bytes:
    return struct.pack("<BB", len(text.encode("utf-16-le")) // 2, 1) + text.encode("utf-16-le", "replace")


def _cells(rows: Iterable[Sequence[Cell]], texts: dict[str, int]) -> Iterator[bytes]:
    for y, row in enumerate(rows):
        for x, value in enumerate(row):
            place = struct.pack("<HHH", y, x, 15)
            if isinstance(value, bool):
                yield _record(0x0205, place + struct.pack("<BB", value, 0))
            elif isinstance(value, float) or (isinstance(value, int) and abs(value) <= 2**53):
                yield _record(0x0203, place + struct.pack("<d", value))
            elif value is not None:
                yield _record(0x00FD, place + struct.pack("<I", _number(str(value), texts)))


def _number(text: str, texts: dict[str, int]) -> int:
    """Of a text in the table of all texts."""
    if len(text.encode("utf-16-le", "replace")) // 2 > LONGEST_TEXT:
        raise NodeError(f"A cell of an Excel sheet has at most {LONGEST_TEXT} characters.")
    return texts.setdefault(text, len(texts))


def _shared(texts: Iterable[str]) -> Iterator[bytes]:
    """The table of texts, in records of bounded size; a text that goes on in the next record says again how it is
    encoded."""
    every = list(texts)
    content = bytearray(struct.pack("<II", len(every), len(every)))
    kind = 0x00FC
    for text in every:
        units = text.encode("utf-16-le", "replace")
        if len(content) + 5 > _LARGEST_RECORD:
            yield _record(kind, bytes(content))
            content, kind = bytearray(), 0x003C
        content += struct.pack("<HB", len(units) // 2, 1)
        while len(content) + len(units) > _LARGEST_RECORD:
            room = (_LARGEST_RECORD - len(content)) // 2 * 2
            content += units[:room]
            units = units[room:]
            yield _record(kind, bytes(content))
            content, kind = bytearray(b"\x01"), 0x003C
        content += units
    yield _record(kind, bytes(content))


def _compound(stream: bytes) -> bytes:
    """A compound file with one stream named Workbook: the stream, the directory, the allocation table."""
    stream = stream.ljust(max(len(stream), 4096), b"\0")  # smaller ones would have to go elsewhere
    data = -(-len(stream) // _SECTOR)
    tables = extra = 0
    while tables * 128 < data + 1 + tables + extra:
        tables += 1
        extra = max(0, -(-(tables - _IN_HEADER) // 127))
    first_table = data + 1
    chain = [*range(1, data), _END, _END, *[_FAT] * tables, *[_DIFAT] * extra]
    chain += [_FREE] * (tables * 128 - len(chain))
    places = list(range(first_table, first_table + tables))
    lists = _lists_of_tables(places[_IN_HEADER:], first_table + tables, extra)
    header = struct.pack(
        "<8s16xHHHHH6xIIIIIIIII", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0x3E, 3, 0xFFFE, 9, 6, 0, tables, data, 0, 4096,
        _END, 0, first_table + tables if extra else _END, extra,
    )  # fmt: skip
    header += struct.pack(f"<{_IN_HEADER}I", *(places + [_FREE] * _IN_HEADER)[:_IN_HEADER])
    directory = _entry("Root Entry", 5, child=1, start=_END, size=0) + _entry("Workbook", 2, start=0, size=len(stream))
    directory += _entry("", 0, start=0, size=0) * 2
    body = stream.ljust(data * _SECTOR, b"\0") + directory + struct.pack(f"<{len(chain)}I", *chain)
    return header + body + lists


def _lists_of_tables(places: Sequence[int], first: int, count: int) -> bytes:
    """The sectors that list what the header has no room for, each with the place of the next."""
    made = b""
    for number in range(count):
        listed = list(places[number * 127 : number * 127 + 127])
        following = first + number + 1 if number + 1 < count else _END
        made += struct.pack("<128I", *listed, *[_FREE] * (127 - len(listed)), following)
    return made


def _entry(name: str, kind: int, *, child: int = _FREE, start: int, size: int) -> bytes:
    units = name.encode("utf-16-le")
    length = len(units) + 2 if name else 0
    return struct.pack("<64sHBBIII36xIII", units, length, kind, 1, _FREE, _FREE, child, start, size, 0)
