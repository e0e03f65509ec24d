"""Files of items: kept on disk by content, streamed, referred to from items."""

from __future__ import annotations

import base64
import binascii
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from typing import Protocol, TypeAlias, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field

from .media_types import PLAIN, ending_of_type, group_of, told_by_content, type_of_name
from .records import record
from .workflows import BinaryData, Items

CHUNK = 256 * 1024
"""Largest piece of a stream, in bytes."""
DEFAULT_TYPE = "application/octet-stream"
HEAD = 512
"""Bytes of a file that tell its type."""
_UNITS = ("B", "kB", "MB", "GB", "TB")


class BinarySettings(BaseModel):
    """`[binary]`, for every store of files."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    name: str = Field("disk", description="Which store keeps the files of items.")
    inline_limit: int = Field(
        64 * 1024,
        ge=0,
        le=16 * 2**20,
        description="Files up to this size, in bytes, stay inside their item as base64, where scripts can read them.",
    )
    file_limit: int = Field(2**30, ge=1024, description="Largest file that is kept, in bytes.")
    read_limit: int = Field(
        64 * 2**20,
        ge=1024,
        le=2**31,
        description="Largest file that a node may have whole in memory, in bytes; larger ones can only be streamed.",
    )
    sweep_interval: float = Field(
        3600, ge=1, le=7 * 86400, description="How often files that belong to no execution are deleted, in seconds."
    )
    orphan_age: float = Field(
        86400,
        ge=60,
        description="How long the daemon leaves a file alone that belongs to no stored execution, in seconds. It "
        "stores an execution late while that has no effects, so this is longer than any such execution takes.",
    )


class BinaryError(Exception):
    """A file cannot be read or kept: unknown reference, too large, disk full. message: shown to the user."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class BinaryUnavailable(BinaryError):
    """The place of files does not answer, or refuses the daemon: what fails now may succeed later."""


@record
class Streamed:
    """Content that is never whole in memory.

    `size`: bytes. `open`: gives the content from its beginning, in chunks of at most 256 KiB, as often as you call it,
    side by side too. Reading raises `BinaryError`. It stays readable as long as somebody holds it, also when the file
    is deleted meanwhile.
    """

    size: int
    open: Callable[[], AsyncGenerator[bytes, None]]
    file_id: str = ""
    """`id` of the kept file that it is; empty when it is none, or no whole one."""


Content: TypeAlias = "bytes | Streamed"


def size_of(content: Content) -> int:
    """Bytes."""
    return content.size if isinstance(content, Streamed) else len(content)


async def stream_of(content: Content) -> AsyncGenerator[bytes, None]:
    """The content in chunks.

    Raises `BinaryError`, also when a stream has fewer bytes than it said, since its reader relies on the length.
    """
    if not isinstance(content, Streamed):
        for start in range(0, len(content), CHUNK):
            yield content[start : start + CHUNK]
        return
    left = content.size
    async with aclosing(content.open()) as chunks:
        async for chunk in chunks:
            left -= len(chunk)
            if left < 0:
                break
            yield chunk
    if left:
        raise BinaryError("The file has not the length that it had.")


async def head_of(content: Content, size: int) -> bytes:
    """Its first bytes, at most `size`. Raises `BinaryError`."""
    if not isinstance(content, Streamed):
        return content[:size]
    head = bytearray()
    async with aclosing(stream_of(content)) as chunks:
        async for chunk in chunks:
            head += chunk[: size - len(head)]
            if len(head) >= size:
                break
    return bytes(head)


class BinaryFiles(Protocol):
    """The files of one execution. A reference is a `BinaryData` with `id`; one with `data` (base64) holds its content
    itself, as small files, Code nodes and old documents give it. Both are read alike."""

    def stream(self, file: BinaryData) -> AsyncIterator[bytes]:
        """The content in chunks of at most 256 KiB. Raises `BinaryError`."""

    async def content(self, file: BinaryData) -> Content:
        """A content that can be sent, with its length, and sent again.

        It is the bytes of a file that is inside its item, else the kept file. Raises `BinaryError`.
        """

    async def read(self, file: BinaryData, *, limit: int | None = None) -> bytes:
        """The whole content. limit: bytes; None: the setting `binary.read_limit`. Raises `BinaryError`."""

    async def write(
        self, content: bytes | AsyncIterable[bytes], *, mime_type: str, file_name: str | None = None
    ) -> BinaryData:
        """Keep a file for as long as the execution is kept, and give the entry to put into an item (see the function
        `entry`). The entry has `data` up to `binary.inline_limit`, else `id`. A stream is never whole in memory. Raises
        `BinaryError` (too large: setting `binary.file_limit`; disk full).
        """


@runtime_checkable
class LinkedFiles(Protocol):
    """`BinaryFiles` of a store whose files may be had without the daemon, too."""

    async def link(self, file: BinaryData) -> str | None:
        """An address that gives this kept file to whoever has it, for a short time, with the type and the name that
        `jackfield.api.downloads` says. None: there is none, and the daemon sends the file itself. Raises
        `BinaryError`."""


class BinaryStore(Protocol):
    """The port: where files are kept."""

    name: str

    def files(self, execution_id: str) -> BinaryFiles:
        """The files of this execution; no I/O. Raises `BinaryError` for what is not an id."""

    async def adopt(self, execution_id: str, items: Items) -> None:
        """Keep the files that these items refer to for this execution too (its input came from another). A reference to
        a file that is gone stays and fails when it is read. Raises `BinaryError`."""

    async def release(self, execution_ids: Sequence[str]) -> None:
        """These executions were deleted; what no other execution refers to goes. Raises `BinaryError`."""


def entry(mime_type: str, file_name: str | None, size: int, head: bytes = b"") -> BinaryData:
    """The entry of an item for a file, as n8n writes it, before `data` or `id` is filled in.

    `mime_type`: empty, then the name tells it, or the content, else it is text/plain. `file_name`: may be a path.
    `size`: bytes. `head`: the first bytes of the content, some hundred.
    """
    name, ending = file_name or "", ""
    if not mime_type:
        mime_type = type_of_name(name)
    if not mime_type:
        mime_type, ending = told_by_content(head)
    ending = ending or ending_of_type(mime_type)
    mime_type = mime_type or PLAIN
    directory, _, base = name.rpartition("/")
    made: BinaryData = {"data": "", "mimeType": mime_type, "fileSize": shown_size(size), "bytes": size}
    if group := group_of(mime_type):
        made["fileType"] = group
    if base:
        made["fileName"] = base
    if directory:
        made["directory"] = directory
    if extension := extension_of(base) or ending:
        made["fileExtension"] = extension
    return made


def shown_size(size: int) -> str:
    """For people, by powers of 1000 with three digits: 5 B, 1.23 kB, 45.6 MB. size: bytes."""
    power = min((len(str(size)) - 1) // 3, len(_UNITS) - 1)
    if not power:
        return f"{size} B"
    return f"{float(f'{size / 1000**power:.3g}'):g} {_UNITS[power]}"


def told_size(file: BinaryData) -> int:
    """Bytes, as the entry says; 0 where it does not. Entries of earlier versions have a number in `fileSize`."""
    size = file.get("bytes", file.get("fileSize"))
    return size if isinstance(size, int) else 0


def inline_entry(content: bytes, mime_type: str, file_name: str | None) -> BinaryData:
    """A file that is inside its item."""

    made = entry(mime_type, file_name, len(content), content[:HEAD])
    made["data"] = base64.b64encode(content).decode("ascii")
    return made


def extension_of(file_name: str) -> str:
    """The text behind the last dot of the name, at most 20 characters, without the dot; empty when there is none."""
    stem, dot, extension = file_name.replace("\\", "/").rpartition("/")[2].rpartition(".")
    return extension if stem and dot and len(extension) <= 20 else ""


def inline_content(file: BinaryData, limit: int) -> bytes:
    """The content of an entry without `id`. Raises `BinaryError`: not base64, or more than `limit` bytes."""

    text = file.get("data") or ""
    if len(text) > limit // 3 * 4 + 4:
        raise too_large(limit)
    try:
        content = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError, TypeError):
        raise BinaryError("The file's data is not valid base64.") from None
    if len(content) > limit:
        raise too_large(limit)
    return content


def too_large(limit: int) -> BinaryError:
    """To be raised when a file has more than that many bytes."""
    return BinaryError(f"The file is larger than {limit} bytes (see the settings in [binary]).")
