"""The limits for a file that is taken apart."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from jackfield.api.nodes import NodeError
from jackfield_nodes.files.settings import FilesSettings

Part = TypeVar("Part")
Row = TypeVar("Row", bound=Sequence[object])


class FileBudget:
    """Time, unpacked bytes and rows of one file. Every method raises `NodeError` when there is no more of them."""

    def __init__(self, settings: FilesSettings) -> None:
        self._settings = settings
        self._end = time.monotonic() + settings.parse_timeout

    def check_time(self) -> None:
        if time.monotonic() > self._end:
            limit = self._settings.parse_timeout
            raise NodeError(f"Reading the file took longer than {limit:g} seconds (nodes.files.parse_timeout).")

    def check_unpacked(self, size: int) -> None:
        """size: bytes of the content of a packed file, as it says itself."""
        if size > self._settings.unpacked_limit:
            limit = self._settings.unpacked_limit
            raise NodeError(f"The file's content is larger than {limit} bytes (nodes.files.unpacked_limit).")

    def counted_rows(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The same as `counted` for rows of cells, as long as there are not too many cells."""
        cells = width = 0
        for row in self.counted(rows):
            width = width or len(row)
            cells += max(len(row), width)
            if cells > self._settings.max_cells:
                limit = self._settings.max_cells
                raise NodeError(f"The file has more than {limit} cells (nodes.files.max_cells).")
            yield row

    def counted(self, parts: Iterable[Part]) -> Iterator[Part]:
        """The same rows or pages, as long as there is time and there are not too many."""
        for number, part in enumerate(parts):
            if number >= self._settings.max_rows:
                limit = self._settings.max_rows
                raise NodeError(f"The file has more than {limit} rows or pages (nodes.files.max_rows).")
            self.check_time()
            yield part
