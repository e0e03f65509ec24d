"""Files of items in memory, for tests."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Sequence

from ..api.binary import (
    CHUNK,
    HEAD,
    BinaryError,
    BinarySettings,
    Content,
    Streamed,
    entry,
    inline_content,
    inline_entry,
    too_large,
)
from ..api.workflows import BinaryData, Items


class MemoryFiles:
    """`jackfield.api.binary.BinaryFiles`; `kept`: id -> content."""

    def __init__(self, settings: BinarySettings | None = None) -> None:
        self.kept: dict[str, bytes] = {}
        self._settings = settings or BinarySettings()

    async def stream(self, file: BinaryData) -> AsyncIterator[bytes]:
        content = await self.read(file, limit=self._settings.file_limit)
        for start in range(0, len(content), CHUNK):
            yield content[start : start + CHUNK]

    async def content(self, file: BinaryData) -> Content:
        whole = await self.read(file, limit=self._settings.file_limit)
        file_id = file.get("id")
        if not file_id:
            return whole

        async def chunks() -> AsyncGenerator[bytes, None]:
            for start in range(0, len(whole), CHUNK):
                yield whole[start : start + CHUNK]

        return Streamed(len(whole), chunks, file_id)

    async def read(self, file: BinaryData, *, limit: int | None = None) -> bytes:
        limit = self._settings.read_limit if limit is None else limit
        file_id = file.get("id")
        if not file_id:
            return inline_content(file, limit)
        if file_id not in self.kept:
            raise BinaryError("The file does not exist any more.")
        if len(self.kept[file_id]) > limit:
            raise too_large(limit)
        return self.kept[file_id]

    async def write(
        self, content: bytes | AsyncIterable[bytes], *, mime_type: str, file_name: str | None = None
    ) -> BinaryData:
        whole = content if isinstance(content, bytes) else b"".join([chunk async for chunk in content])
        if len(whole) > self._settings.file_limit:
            raise too_large(self._settings.file_limit)
        if len(whole) <= self._settings.inline_limit:
            return inline_entry(whole, mime_type, file_name)
        made = entry(mime_type, file_name, len(whole), whole[:HEAD])
        made["id"] = hashlib.sha256(whole).hexdigest()
        self.kept[made["id"]] = whole
        return made


class MemoryBinary:
    """`jackfield.api.binary.BinaryStore`: one set of files for all executions, of which `adopted` and `released` tell
    what was asked for."""

    def __init__(self, settings: BinarySettings | None = None, name: str = "memory") -> None:
        self.name = name
        self.shared = MemoryFiles(settings)
        self.adopted: list[tuple[str, Items]] = []
        self.released: list[str] = []

    def files(self, execution_id: str) -> MemoryFiles:
        return self.shared

    async def adopt(self, execution_id: str, items: Items) -> None:
        self.adopted.append((execution_id, items))

    async def release(self, execution_ids: Sequence[str]) -> None:
        self.released.extend(execution_ids)
