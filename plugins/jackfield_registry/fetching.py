"""Getting the files of a commit into a directory, several at a time, each checked before the next step sees it."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Awaitable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from jackfield.api.errors import UpstreamFailed
from jackfield.api.registry import Fetched, OpenSource
from jackfield_registry.ports import FetchProgress, TellProgress
from jackfield_registry.settings import RegistrySettings
from jackfield_registry.synced.checking import Broken, Kinds, check, limit_of
from jackfield_registry.synced.content import digest
from jackfield_registry.synced.index import Artifact, RegistryIndex
from jackfield_registry.threads import whole

T = TypeVar("T")


class MemorySink:
    """A sink for a small file."""

    def __init__(self, name: str, limit: int) -> None:
        self._name = name
        self._left = limit
        self._parts: list[bytes] = []

    async def __call__(self, block: bytes) -> None:
        self._left -= len(block)
        if self._left < 0:
            raise UpstreamFailed(f"{self._name} is larger than it may be; see registry.index_limit.")
        self._parts.append(block)

    @property
    def content(self) -> bytes:
        return b"".join(self._parts)


async def read_small(source: OpenSource, path: str, limit: int, etag: str | None = None) -> tuple[bytes, Fetched]:
    """A whole file of at most `limit` bytes. Raises `UpstreamFailed`."""
    memory = MemorySink(path, limit)
    fetched = await source.fetch(path, memory, etag=etag)
    return memory.content, fetched


class Fetch:
    """The files of one index, fetched into one directory."""

    def __init__(
        self,
        source: OpenSource,
        index: RegistryIndex,
        folder: Path,
        kinds: Kinds,
        settings: RegistrySettings,
        tell: TellProgress,
    ) -> None:
        self._source = source
        self._index = index
        self._folder = folder
        self._kinds = kinds
        self._settings = settings
        self._tell = tell
        sizes = [artifact.size for artifact in index.artifacts]
        self._all_bytes = None if None in sizes else sum(size or 0 for size in sizes)
        self._bytes = 0
        self._files = 0
        self.downloaded = 0

    async def run(self, here: Mapping[str, Path]) -> None:
        """here: checksum -> a file that is on this disk already. Raises `UpstreamFailed`, OSError."""
        todo = iter(self._index.artifacts)
        self._say()
        await together(self._work(todo, here) for _ in range(self._settings.parallel))

    async def _work(self, todo: Iterator[Artifact], here: Mapping[str, Path]) -> None:
        for artifact in todo:
            target = self._folder / artifact.place
            known = here.get(artifact.checksum)
            if known is not None and await whole(_copied, known, target, artifact.checksum):
                self._bytes += artifact.size or 0
            else:
                await self._download(artifact, target)
                self.downloaded += 1
            await whole(self._check, artifact, target)
            self._files += 1
            self._say()

    async def _download(self, artifact: Artifact, target: Path) -> None:
        limit = limit_of(artifact.kind, self._kinds, self._settings.artifact_limit)
        writer = await whole(ArtifactWriter, target)
        size = 0

        async def take(block: bytes) -> None:
            nonlocal size
            size += len(block)
            self._bytes += len(block)
            if size > limit:
                raise UpstreamFailed(f"{artifact.path} has more than {limit} bytes; see registry.artifact_limit.")
            if self._bytes > self._settings.total_limit:
                raise UpstreamFailed("The files of the commit are larger than registry.total_limit allows.")
            await whole(writer.write, block)
            self._say()

        try:
            await self._source.fetch(f"{self._index.commit}/{artifact.path}", take)
            found = await whole(writer.finish)
        finally:
            writer.close()
        if found != artifact.checksum:
            raise UpstreamFailed(
                f"{artifact.path} of commit {self._index.commit} does not have the checksum that the index gives: it "
                "was changed on its way, or is published wrongly."
            )

    def _check(self, artifact: Artifact, target: Path) -> None:
        try:
            check(target, artifact.kind, self._kinds)
        except Broken as exc:
            raise UpstreamFailed(f"{artifact.path} of commit {self._index.commit} is broken: {exc}.") from None

    def _say(self) -> None:
        self._tell(FetchProgress(self._files, len(self._index.artifacts), self._bytes, self._all_bytes))


class ArtifactWriter:
    """A new private file with a running checksum. Its methods block."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        self._file = os.fdopen(os.open(path, flags, 0o600), "wb")
        self._digest = hashlib.sha256()

    def write(self, block: bytes) -> None:
        self._file.write(block)
        self._digest.update(block)

    def finish(self) -> str:
        """Bring it to the disk; the checksum."""
        self._file.flush()
        os.fsync(self._file.fileno())
        return self._digest.hexdigest()

    def close(self) -> None:
        self._file.close()


def write_new(path: Path, content: bytes) -> None:
    """A new private file, on the disk. Raises OSError."""
    writer = ArtifactWriter(path)
    try:
        writer.write(content)
        writer.finish()
    finally:
        writer.close()


def _copied(known: Path, target: Path, checksum: str) -> bool:
    """Take over a file of an earlier commit, if it is still what it was."""
    if digest(known) != checksum:
        return False
    write_new(target, known.read_bytes())
    if digest(target) == checksum:
        return True
    target.unlink()
    return False


async def together(work: Iterable[Awaitable[None]]) -> None:
    """Until all have ended; the first failure cancels the others and is raised."""
    tasks = [asyncio.ensure_future(item) for item in work]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
