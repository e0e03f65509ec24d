"""`jackfield store copy --files-to`: every file of items into another store of files, under its id, and a comparison.

Nothing notes how far it is: a file that is there is read on both sides and compared, and comes again when it differs.
So whatever ends a copy, it goes on when it is run again.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import field
from heapq import merge
from itertools import groupby, islice

from jackfield.api.binary import BinaryError, BinaryUnavailable
from jackfield.api.binary_drivers import is_execution_id, is_file_id
from jackfield.api.errors import BinaryStoreUnavailable
from jackfield.api.file_moves import FileMover, HeldFile
from jackfield.api.records import record, state
from jackfield.api.store_forms import FORMS, Cell, Checksum, Row, StoreForm
from jackfield.api.store_moves import TableReader

_AT_ONCE = 4
"""Files that are copied side by side."""
_TOLD_EACH = 1000
"""The number of files between two reports."""
REFERENCES = next(form for form in FORMS if form.name == "file_references")


@state
class CopiedFiles:
    """`source`, `target`: of rows (file, bytes, SHA-256), as read on either side.

    `references`: of executions to files. `sent`, `size`: files and bytes that had to be sent. `there`: those that were
    there. `missing`: ids of files that are referred to and not there. `damaged`: whose content is not theirs, or cannot
    be read, at the source. Both were left out.
    """

    source: Checksum = Checksum()
    target: Checksum = Checksum()
    references: int = 0
    sent: int = 0
    size: int = 0
    there: int = 0
    missing: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        return not self.missing and not self.damaged

    @property
    def is_equal(self) -> bool:
        return self.source == self.target


class _Unreadable(Exception):
    """A file of the source."""


@record
class _Read:
    size: int
    digest: str


class ReferredReader:
    """`TableReader` of a store to whose rows the references come that a store of files has known by itself."""

    def __init__(self, reader: TableReader, held: Callable[[], Iterator[HeldFile]]) -> None:
        self._reader = reader
        self._held = held
        self.identity = reader.identity

    def rows(self, form: StoreForm, after: Sequence[Cell] | None) -> Iterator[Row]:
        rows = self._reader.rows(form, after)
        return rows if form is not REFERENCES else self._joined(rows, after)

    def _joined(self, rows: Iterable[Row], after: Sequence[Cell] | None) -> Iterator[Row]:
        """Of one reference that both know, the row of the store."""
        held: Iterator[Row] = ([each.execution_id, each.file_id, each.made_at] for each in self._held())
        fresh = (row for row in held if after is None or _place(row) > _place(after))
        for _, same in groupby(merge(rows, fresh, key=_place), _place):
            yield next(same)

    def expect_alone(self) -> None:
        self._reader.expect_alone()


def _place(row: Row) -> tuple[str, str]:
    return str(row[0]), str(row[1])


def referred(reader: TableReader) -> Iterator[HeldFile]:
    """The references of a store's rows, by execution and file."""
    for execution_id, file_id, made_at in reader.rows(REFERENCES, None):
        if is_execution_id(execution_id) and is_file_id(file_id):
            yield HeldFile(str(execution_id), str(file_id), int(str(made_at)))


async def copy_files(
    source: FileMover, target: FileMover, held: Iterable[HeldFile], tell: Callable[[str], None]
) -> CopiedFiles:
    """`held`: see `FileMover.held`, or of the rows.

    A refusal of the target ends it: nobody may take that for damage and leave the file out. Raises
    `BinaryStoreUnavailable`.
    """
    done, seen = CopiedFiles(), dict[bytes, bool]()
    files = iter(held)
    try:
        while part := list(islice(files, _AT_ONCE)):
            await _copy_some(source, target, part, done, seen)
            if done.references // _TOLD_EACH != (done.references - len(part)) // _TOLD_EACH:
                tell(f"files: {len(seen)}")
    except BinaryError as exc:
        raise BinaryStoreUnavailable(exc.message) from None
    tell(f"files: {len(seen)}")
    return done


async def _copy_some(
    source: FileMover, target: FileMover, part: Sequence[HeldFile], done: CopiedFiles, seen: dict[bytes, bool]
) -> None:
    """seen: ids of files that have come, or were left out (False)."""
    fresh: dict[str, HeldFile] = {}
    for one in part:
        if bytes.fromhex(one.file_id) not in seen:
            fresh.setdefault(one.file_id, one)
    copied = await asyncio.gather(*(_copy(source, target, one, done) for one in fresh.values()), return_exceptions=True)
    for file_id, came in zip(fresh, copied, strict=True):
        if isinstance(came, BaseException):
            raise came
        seen[bytes.fromhex(file_id)] = came
    for one in part:
        done.references += 1
        if fresh.get(one.file_id) is not one and seen[bytes.fromhex(one.file_id)]:
            await target.share(one.execution_id, one.file_id)


async def _copy(source: FileMover, target: FileMover, one: HeldFile, done: CopiedFiles) -> bool:
    """Whether it is there now. Raises `BinaryError`."""
    given = one.execution_id, one.file_id
    size = await source.size(*given)
    if size is None:
        done.missing.append(one.file_id)
        return False
    expected = await asyncio.to_thread(source.digest, one.file_id)
    try:
        if await target.size(*given) == size:
            mine, theirs = await _read(_content(source, one)), await _read_there(target, one)
            if mine == theirs and expected in ("", mine.digest):
                done.there += 1
                _sum_up(done, one.file_id, mine, theirs)
                return True
        found = await _send(source, target, one, expected)
    except _Unreadable:
        found = None
    if found is None:
        done.damaged.append(one.file_id)
        return False
    done.sent += 1
    done.size += found.size
    _sum_up(done, one.file_id, found, await _read(target.content(*given)))
    return True


async def _send(source: FileMover, target: FileMover, one: HeldFile, expected: str) -> _Read | None:
    """The sent content; None for content that is not the file's. Raises `BinaryError`, `_Unreadable`."""
    incoming, digest, size = target.incoming(one.execution_id, one.file_id), hashlib.sha256(), 0
    try:
        async with aclosing(_content(source, one)) as pieces:
            async for piece in pieces:
                digest.update(piece)
                size += len(piece)
                await incoming.write(piece)
        if expected not in ("", digest.hexdigest()):
            return None
        await incoming.commit(b"")
    finally:
        await incoming.close()
    return _Read(size, digest.hexdigest())


async def _content(source: FileMover, one: HeldFile) -> AsyncGenerator[bytes, None]:
    """Raises `BinaryUnavailable`, `_Unreadable`."""
    try:
        async with aclosing(source.content(one.execution_id, one.file_id)) as pieces:
            async for piece in pieces:
                yield piece
    except BinaryUnavailable:
        raise
    except BinaryError:
        raise _Unreadable from None


async def _read_there(target: FileMover, one: HeldFile) -> _Read | None:
    """The target's content; None for one that it cannot read, which comes again. Raises `BinaryUnavailable`."""
    try:
        return await _read(target.content(one.execution_id, one.file_id))
    except BinaryUnavailable:
        raise
    except BinaryError:
        return None


async def _read(content: AsyncGenerator[bytes, None]) -> _Read:
    digest, size = hashlib.sha256(), 0
    async with aclosing(content) as pieces:
        async for piece in pieces:
            digest.update(piece)
            size += len(piece)
    return _Read(size, digest.hexdigest())


def _sum_up(done: CopiedFiles, file_id: str, source: _Read, target: _Read) -> None:
    done.source = done.source.and_of([[file_id, source.size, source.digest]])
    done.target = done.target.and_of([[file_id, target.size, target.digest]])
