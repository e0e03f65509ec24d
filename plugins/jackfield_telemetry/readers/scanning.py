"""The fast way through a block: plain lines as rows of their fields, by `logscan` where it is installed, and the others
for the reader's own parser. Without it all lines are others: what is read is the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from jackfield_telemetry.readers.lines import Block

if TYPE_CHECKING:
    from logscan import Scanner

Row = tuple[Any, ...]
"""Where the line begins in the block, then its fields; of what types, the scanner's fields say."""


def scanner(fields: Mapping[str, str], skip: Mapping[str, Sequence[str]]) -> Scanner | None:
    """None: it is not installed. The daemon's start does not wait for it: call this when the first file is read."""
    try:
        from logscan import Scanner
    except ImportError:
        return None
    return Scanner(fields, skip)


def scanned(scanner: Scanner | None, block: Block) -> Iterator[Row | slice]:
    """In the order of the block: a row, or where a line is that has to be parsed."""
    if scanner is None:
        return _lines(block)
    columns, left = scanner.scan(block.data, block.start, block.end)
    rows = zip(*columns, strict=True)
    return _interleaved(rows, left, block.end) if left else rows


def _interleaved(rows: Iterator[Row], left: Sequence[tuple[int, int]], end: int) -> Iterator[Row | slice]:
    waiting = iter([*left, (end, end)])
    start, stop = next(waiting)
    for row in rows:
        while start < row[0]:
            yield slice(start, stop)
            start, stop = next(waiting)
        yield row
    while start < end:
        yield slice(start, stop)
        start, stop = next(waiting)


def _lines(block: Block) -> Iterator[slice]:
    find, place, end = block.data.find, block.start, block.end
    while place < end:
        stop = find(b"\n", place, end)
        yield slice(place, stop)
        place = stop + 1
