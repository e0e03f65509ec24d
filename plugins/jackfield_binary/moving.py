"""The directory of files, when it is copied from or to."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Iterator
from functools import partial

from jackfield.api.binary_drivers import is_execution_id, is_file_id
from jackfield.api.file_moves import HeldFile
from jackfield_binary.files import IncomingFile, OpenFile
from jackfield_binary.layout import Layout, StagedFile, reported


class DirectoryMover:
    """`jackfield.api.file_moves.FileMover`: an execution's links are its references."""

    by_rows = False

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    @property
    def place(self) -> str:
        return str(self._layout.root.resolve())

    def held(self) -> Iterator[HeldFile]:
        for execution_id in filter(is_execution_id, self._layout.names_of("")):
            directory = self._layout.executions / execution_id
            for file_id in filter(is_file_id, self._layout.names_of(execution_id)):
                changed = (directory / file_id).stat(follow_symlinks=False).st_mtime_ns
                yield HeldFile(execution_id, file_id, changed // 1_000_000)

    async def size(self, execution_id: str, file_id: str) -> int | None:
        def found() -> int | None:
            with reported("The file could not be read"):
                try:
                    return os.stat(self._layout.executions / execution_id / file_id, follow_symlinks=False).st_size  # noqa: PTH116 - without a Path for each
                except FileNotFoundError:
                    return None

        return await asyncio.to_thread(found)

    async def content(self, execution_id: str, file_id: str) -> AsyncGenerator[bytes, None]:
        kept = OpenFile(*await asyncio.to_thread(self._layout.open, execution_id, file_id))
        async for chunk in kept.chunks():
            yield chunk

    def digest(self, file_id: str) -> str:
        return self._layout.digest_of(file_id)

    def incoming(self, execution_id: str, file_id: str) -> IncomingFile:
        return IncomingFile(_Replacing(self._layout, file_id), execution_id)

    async def share(self, execution_id: str, file_id: str) -> None:
        await asyncio.to_thread(self._layout.renew, execution_id, file_id)


class _Replacing(StagedFile):
    """In place of what there may be, which may be damaged; the source has it as long as this is not done."""

    def __init__(self, layout: Layout, file_id: str) -> None:
        super().__init__(layout, file_id)
        self._replaced = partial(layout.withdraw, file_id=file_id)

    def commit(self, execution_id: str) -> str:
        self.write(b"")
        self._replaced(execution_id)
        return super().commit(execution_id)
