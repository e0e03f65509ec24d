"""Zip and gzip, piece by piece: what is made is never whole in memory; tar, whole.

Source: RFC 1952; PKWARE's APPNOTE 6.3; POSIX, pax.
"""

from __future__ import annotations

import asyncio
import tarfile
import zlib
from collections.abc import AsyncIterator, Iterator, Mapping
from io import BytesIO
from typing import IO, cast
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

from jackfield.api.binary import CHUNK
from jackfield.api.nodes import NodeError
from jackfield_nodes.files.formats.limits import FileBudget
from jackfield_nodes.files.formats.packed import check_packing

_ENTRY = b"PK\x01\x02"
_MOST_ENTRIES = 65_535
"""Of a zip file's directory that is read at all: each takes some hundred bytes."""
_GZIP = zlib.MAX_WBITS | 16


async def gzipped(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The same content gives the same file: no time, no name."""
    packer = zlib.compressobj(wbits=_GZIP)
    async for chunk in chunks:
        if packed := await asyncio.to_thread(packer.compress, chunk):
            yield packed
    yield await asyncio.to_thread(packer.flush)


async def gunzipped(chunks: AsyncIterator[bytes], budget: FileBudget) -> AsyncIterator[bytes]:
    """All members of the file, one behind the other. Raises `NodeError`: damaged, too large, takes too long."""
    packer = zlib.decompressobj(wbits=_GZIP)
    size, begun = 0, False
    async for chunk in chunks:
        while chunk:
            if packer.eof:
                # Between members, and behind the last, there may be zeros (tapes, block devices).
                chunk = chunk.lstrip(b"\0")
                if not chunk:
                    break
                packer = zlib.decompressobj(wbits=_GZIP)
            begun = True
            made, chunk = await asyncio.to_thread(_step, packer, chunk)
            size += len(made)
            budget.check_time()
            budget.check_unpacked(size)
            if made:
                yield made
    if not begun or not packer.eof:
        raise NodeError("The gzip file ends too early.")


def _step(packer: zlib._Decompress, chunk: bytes) -> tuple[bytes, bytes]:
    """A piece, and what of the chunk is still to be read."""
    try:
        made = packer.decompress(chunk, CHUNK)
    except zlib.error:
        raise NodeError("The gzip file is damaged.") from None
    return made, packer.unconsumed_tail or packer.unused_data


class _Sink:
    """Takes what a zip file writes, until it is taken away."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, content: bytes) -> int:
        self._parts.append(bytes(content))
        return len(content)

    def flush(self) -> None:
        """There is nothing behind it."""

    def taken(self) -> bytes:
        parts, self._parts = self._parts, []
        return b"".join(parts)


async def zipped(files: Mapping[str, AsyncIterator[bytes]], *, huge: bool) -> AsyncIterator[bytes]:
    """files: by name in the archive. huge: whether one may have more than 2 GiB. The same content gives the same file:
    every time in it is the first that the format knows."""
    sink = _Sink()
    archive = ZipFile(cast("IO[bytes]", sink), "w", ZIP_DEFLATED)
    for name, chunks in files.items():
        info = ZipInfo(name)
        info.compress_type, info.external_attr = ZIP_DEFLATED, 0o644 << 16
        with archive.open(info, "w", force_zip64=huge) as part:
            async for chunk in chunks:
                await asyncio.to_thread(part.write, chunk)
                if packed := sink.taken():
                    yield packed
    archive.close()
    yield sink.taken()


def directory(content: bytes, most: int, budget: FileBudget) -> tuple[ZipFile, list[ZipInfo]]:
    """The archive and its files; directories are left out. Raises `NodeError`: no zip file, too many files, too much
    content, a password, another packing than deflate."""
    if content.count(_ENTRY) > max(most, _MOST_ENTRIES):
        raise _too_many(most)
    try:
        archive = ZipFile(BytesIO(content))
    except (BadZipFile, ValueError, NotImplementedError, OSError):
        raise NodeError("The zip file is damaged.") from None
    found = [info for info in archive.infolist() if not info.is_dir()]
    if len(found) > most:
        raise _too_many(most)
    budget.check_unpacked(sum(info.file_size for info in found))
    if locked := next((info.filename for info in found if info.flag_bits & 1), None):
        raise NodeError(f"The file '{locked[:200]}' of the archive is encrypted; passwords are not supported.")
    check_packing(archive)
    return archive, found


async def member(archive: ZipFile, info: ZipInfo, budget: FileBudget) -> AsyncIterator[bytes]:
    """The content of one file, never more than the directory says. Raises `NodeError`."""
    try:
        with archive.open(info) as part:
            while chunk := await asyncio.to_thread(part.read, CHUNK):
                budget.check_time()
                yield chunk
    except (BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError, ValueError):
        raise NodeError(
            f"The file '{info.filename[:200]}' of the archive is damaged, or packed in an unknown way."
        ) from None


def tarred(files: Mapping[str, bytes]) -> bytes:
    """A tar file. The same content gives the same file: every time in it is 0."""
    made = BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, BytesIO(content))
    return made.getvalue()


def untarred(content: bytes, most: int, budget: FileBudget) -> list[tuple[str, bytes]]:
    """Names and contents of the regular files in a tar file, which may be packed by gzip. Names that lead out of the
    archive are left out. Raises `NodeError`."""
    made: list[tuple[str, bytes]] = []
    size = 0
    try:
        with tarfile.open(fileobj=BytesIO(content), mode="r|*") as archive:
            for info in archive:
                budget.check_time()
                parts = info.name.split("/")
                if not info.isreg() or ".." in parts or not parts[0]:
                    continue
                size += info.size
                budget.check_unpacked(size)
                if len(made) == most:
                    raise _too_many(most)
                part = archive.extractfile(info)
                made.append((info.name, part.read() if part is not None else b""))
    except (tarfile.TarError, EOFError, OSError, zlib.error):
        raise NodeError("The tar file is damaged.") from None
    return made


def unique(names: Iterator[str]) -> Iterator[str]:
    """The same names; one that was there already gets a number before its ending."""
    seen: set[str] = set()
    for name in names:
        made, number = name, 1
        stem, dot, ending = name.rpartition(".")
        while made in seen:
            number += 1
            made = f"{stem} ({number}).{ending}" if dot and stem else f"{name} ({number})"
        seen.add(made)
        yield made


def _too_many(most: int) -> NodeError:
    return NodeError(f"The archive has more than {most} files (nodes.files.archive_files).")
