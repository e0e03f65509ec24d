"""The bucket, when it is copied from or to."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Sequence

from jackfield.api.file_moves import HeldFile
from jackfield_binary_s3.bucket import Bucket
from jackfield_binary_s3.uploads import BucketUpload


class _ByRows:
    """References of files that are copied: the rows are copied with the store."""

    async def add(self, execution_id: str, file_ids: Sequence[str]) -> None:
        """The one who copies sees to it."""


class BucketMover:
    """`jackfield.api.file_moves.FileMover`: an object for each file, and rows for references. Objects may have any
    name, so that their digests are not known before."""

    by_rows = True

    def __init__(self, bucket: Bucket, place: str) -> None:
        self._bucket = bucket
        self.place = place

    def held(self) -> Iterator[HeldFile]:
        return iter(())

    async def size(self, execution_id: str, file_id: str) -> int | None:
        return await self._bucket.size_of(file_id)

    async def content(self, execution_id: str, file_id: str) -> AsyncGenerator[bytes, None]:
        left = (await self._bucket.look(file_id)).size
        start = 0
        while left > 0:
            part = await self._bucket.part(file_id, start, min(left, self._bucket.read_size))
            yield part
            start, left = start + len(part), left - len(part)

    def digest(self, file_id: str) -> str:
        return ""

    def incoming(self, execution_id: str, file_id: str) -> BucketUpload:
        return BucketUpload(self._bucket, _ByRows(), execution_id, {}, file_id)

    async def share(self, execution_id: str, file_id: str) -> None:
        """The rows say so."""
