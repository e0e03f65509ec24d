"""Packed files, such as xlsx and ods, are opened only when they unpack to a bearable size."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

from jackfield.api.nodes import NodeError
from jackfield_nodes.files.formats.limits import FileBudget


class Watched(BytesIO):
    """The content of a packed file, for libraries that unpack it by themselves: no longer than there is time. One
    reading is a few kilobytes, which unpack to some megabytes at most."""

    def __init__(self, content: bytes, budget: FileBudget) -> None:
        super().__init__(content)
        self._budget = budget

    def read(self, size: int | None = -1, /) -> bytes:
        """Raises `NodeError` when the time is over."""
        self._budget.check_time()
        return super().read(size)


@contextmanager
def unpacked(content: bytes, kind: str, budget: FileBudget) -> Iterator[ZipFile]:
    """The archive. No part of it gives more than the size that was counted. Raises `NodeError`."""
    try:
        archive = ZipFile(BytesIO(content))
    except (BadZipFile, ValueError, NotImplementedError, OSError):
        raise NodeError(f"The file is not in {kind} format.") from None
    with archive:
        check_packing(archive)
        budget.check_unpacked(sum(part.file_size for part in archive.infolist()))
        yield archive


def check_packing(archive: ZipFile) -> None:
    """The standard library unpacks only stored and deflated files piece by piece.

    Some hundred bytes of the other methods can fill the memory, whatever size the directory says. Raises `NodeError`.
    """
    for part in archive.infolist():
        if part.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise NodeError(f"The file '{part.filename[:200]}' of the archive is not packed with deflate.")
