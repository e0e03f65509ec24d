"""Digests of rows, written with them and compared when they are read: pages that fit together may still hold flipped
bits. They find accidents, no forgery. A row of an earlier version has none (NULL) and is taken as it is.

Adler-32 costs a third of CRC-32 and finds as much in what is long; in what is short, CRC-32 does better.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias
from zlib import adler32, crc32

from jackfield.api.errors import DataDamaged
from jackfield.api.workflows import Document
from jackfield_store_sqlite.rows import Row, unpack

Columns: TypeAlias = "Sequence[Any]"  # Any: a row's columns, or what damage has made of them
_SHORT = 1024
_SLICE = 5120
"""Bytes up to which zlib keeps the interpreter's lock; getting it back costs more than the digest."""
_LARGE = 262_144
"""Bytes from which the lock is given up for the digest."""
_LOW = 0xFFFFFFFF
HIGH = -(_LOW + 1)
"""The half of an execution's digest that its changes leave alone, as a mask."""


def readable(content: bytes) -> str:
    """For `text_factory`: text that damage has made undecodable must not end the reading of all rows."""
    return content.decode("utf-8", "replace")


def of_bytes(data: bytes | None) -> int:
    """Of a blob."""
    if data is None:
        return 0
    size = len(data)
    if size < _SHORT:
        return crc32(data)
    if size <= _SLICE or size > _LARGE:
        return adler32(data)
    view, digest = memoryview(data), 1
    for start in range(0, size, _SLICE):
        digest = adler32(view[start : start + _SLICE], digest)
    return digest


def of_packed(kept: bytes, size: int | None) -> int:
    """Of what may be compressed, with the bytes that it stands for."""
    return of_bytes(kept) ^ (size or 0)


def of_text(text: str) -> int:
    """Of short columns behind one another, as SQLite keeps them: what has no UTF-8 is a question mark there."""
    try:
        return crc32(text.encode())
    except UnicodeEncodeError:
        return crc32(text.encode("utf-8", "replace"))


def of_state(
    execution_id: str, status: str, finished_at: int | None, resume_at: int | None, error: bytes | None
) -> int:
    """The low half of an execution's digest: of what changes, without reading what does not."""
    digest = of_bytes(error) if isinstance(error, bytes) else 0
    return of_text(f"{execution_id} {status} {finished_at} {resume_at} {digest}")


def of_execution(row: Columns) -> int:
    """Of the columns of `executions` in their order; `started_at` is in no half. 64 bits, signed."""
    name, data, workflow, version, mode, status, created, _, finished, resume, error, retry_of, call, webhook = row
    fixed = of_text(f"{name} {data} {workflow} {version} {mode} {created} {retry_of} {call} {webhook}")
    digest = fixed << 32 | of_state(name, status, finished, resume, error)
    return digest - (1 << 64) if fixed >> 31 else digest


def of_version(workflow_id: str, version: int, document: bytes) -> int:
    """Of a version of a workflow."""
    return of_text(f"{workflow_id} {version} {of_bytes(document)}")


def of_credential(row: Columns) -> int:
    """Of the columns of `credentials` in their order; `sealed` has its own seal."""
    return of_text(f"{row[0]} {row[1]} {row[2]} {row[4]} {row[5]}")


def of_columns(row: Columns) -> int:
    """Of a row of short columns: a user, an API key without its last use, a variable."""
    return of_text("\0".join(map(str, row)))


def of_static_data(workflow_id: str, data: bytes) -> int:
    """Of what a workflow keeps between its executions."""
    return of_text(f"{workflow_id} {of_bytes(data)}")


def with_digest(row: Columns) -> Row:
    """A row of `executions` as it is inserted."""
    return (*row, of_execution(row))


def expect(known: int | None, found: int, what: str) -> None:
    """Raises `DataDamaged` unless there is no digest or it is this one. what: for people, such as `workflow ID`."""
    if known is not None and known != found:
        raise damaged(what)


def checked_document(content: bytes, known: int | None, found: int, what: str) -> Document:
    """Raises `DataDamaged`, for a document without a digest too that is no JSON."""
    expect(known, found, what)
    try:
        return unpack(content)
    except ValueError:
        raise damaged(what) from None


def damaged(what: str) -> DataDamaged:
    return DataDamaged(f"The stored {what} is damaged; restore it from a backup.")
