"""Reads the daemon's own log, `logs/jackfield.log` and what it was rotated to. All of it blocks; let a thread do it.

A place in the log is the inode of a file and an offset: rotation gives a file another name, and leaves the place.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

NAME = "jackfield.log"
BLOCK = 65536
LONGEST = 1024 * 1024
"""Bytes of a line; the daemon writes none like that, and a longer one is left out."""


class LogPosition(NamedTuple):
    """Where a line begins, or where reading goes on."""

    inode: int
    offset: int


class LogFileLine(NamedTuple):
    place: LogPosition
    text: bytes


class LogLines(NamedTuple):
    """next: where older lines may be; None at the end of everything."""

    lines: list[LogFileLine]
    next: LogPosition | None


def log_files(directory: Path) -> list[tuple[int, Path]]:
    """Inode and path of every file, the newest first."""
    found = []
    for path in [directory / NAME, *sorted(directory.glob(f"{NAME}.*"), key=_number)]:
        try:
            found.append((path.stat().st_ino, path))
        except OSError:  # rotated away this moment
            continue
    return found


def _number(path: Path) -> int:
    suffix = path.suffix.removeprefix(".")
    return int(suffix) if suffix.isdecimal() else 1 << 30


def older(
    directory: Path, before: LogPosition | None, wanted: Callable[[bytes], bool], limit: int, budget: int
) -> LogLines:
    """Lines before a place (default: the end), the newest first. budget: bytes that are looked at, at most."""
    files = log_files(directory)
    inodes = [inode for inode, _ in files]
    first = 0
    if before is not None:
        if before.inode not in inodes:
            return LogLines([], None)  # its file is gone, and so are all older ones
        first = inodes.index(before.inode)
    lines: list[LogFileLine] = []
    for inode, path in files[first:]:
        end = before.offset if before is not None and inode == before.inode else None
        try:
            with path.open("rb") as file:
                for offset, text in backwards(file, end):
                    budget -= len(text)
                    if wanted(text):
                        lines.append(LogFileLine(LogPosition(inode, offset), text))
                    if len(lines) >= limit or budget <= 0:
                        return LogLines(lines, LogPosition(inode, offset))
        except FileNotFoundError:
            continue
    return LogLines(lines, None)


def backwards(file: BinaryIO, end: int | None) -> Iterator[tuple[int, bytes]]:
    """Whole lines before an offset (default: the end), the last first, each with the offset where it begins."""
    size = file.seek(0, os.SEEK_END)
    place = size if end is None else min(end, size)
    rest = b""
    while place > 0:
        start = max(0, place - BLOCK)
        file.seek(start)
        block = file.read(place - start) + rest
        place = start
        rest = b""
        if place > 0:
            head, newline, _ = block.partition(b"\n")
            rest = (head + newline)[-LONGEST:] if len(head) < LONGEST else b"\n"
            start += len(head + newline)
            block = block[len(head + newline) :]
        yield from reversed(list(lines_of(block, start)))


def lines_of(block: bytes, start: int) -> Iterator[tuple[int, bytes]]:
    """The whole lines of a block that begins at an offset; what has no line end yet is none."""
    for line in block.split(b"\n")[:-1]:
        if line:
            yield start, line
        start += len(line) + 1


class LogTail:
    """The lines that are written from now on."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._place: LogPosition | None = None

    def start(self) -> None:
        """From the end of the log."""
        for inode, path in log_files(self._directory)[:1]:
            self._place = LogPosition(inode, path.stat().st_size)

    def more(self, budget: int) -> list[LogFileLine]:
        """Lines since the last call, the oldest first; of more than `budget` bytes in one file the rest next time."""
        files = log_files(self._directory)
        inodes = [inode for inode, _ in files]
        if self._place is None or self._place.inode not in inodes:
            if not files:
                return []
            self._place = LogPosition(inodes[-1] if self._place is None else inodes[0], 0)
        found: list[LogFileLine] = []
        for inode, path in reversed(files[: inodes.index(self._place.inode) + 1]):
            offset = self._place.offset if inode == self._place.inode else 0
            text = read_from(path, offset, budget)
            whole = text[: text.rfind(b"\n") + 1]
            found += [LogFileLine(LogPosition(inode, start), line) for start, line in lines_of(whole, offset)]
            self._place = LogPosition(inode, offset + (len(whole) or (len(text) if len(text) >= budget else 0)))
            if len(text) >= budget:
                break
        return found


def read_from(path: Path, offset: int, size: int) -> bytes:
    try:
        with path.open("rb") as file:
            file.seek(offset)
            return file.read(size)
    except FileNotFoundError:
        return b""
