"""The files of one execution, and one object while somebody reads it, or means to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing

from jackfield.api.binary import CHUNK, BinaryError, BinarySettings
from jackfield.api.binary_drivers import ExecutionFiles, is_file_id
from jackfield.api.downloads import content_disposition, content_type
from jackfield.api.workflows import BinaryData
from jackfield_binary_s3.bucket import Bucket
from jackfield_binary_s3.references import FileReferences
from jackfield_binary_s3.uploads import BucketUpload

_TYPE, _DISPOSITION, _CACHE = "Content-Type", "Content-Disposition", "Cache-Control"


class KeptObject:
    """`jackfield.api.binary_drivers.KeptFile`. It is read part by part, so that a slow reader holds no connection, and
    a request that fails is repeated for its part alone."""

    def __init__(self, bucket: Bucket, file_id: str, size: int) -> None:
        """size: bytes."""
        self._bucket = bucket
        self._id = file_id
        self.size = size

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        """The content from its beginning. Raises `BinaryError`."""
        async with aclosing(self._parts(self._bucket.read_size)) as parts:
            async for part in parts:
                view = memoryview(part)
                for place in range(0, len(view), CHUNK):
                    yield bytes(view[place : place + CHUNK])

    async def whole(self) -> bytes:
        """Raises `BinaryError`."""
        async with aclosing(self._parts(self._bucket.part_size)) as parts:
            found = [part async for part in parts]
        return found[0] if len(found) == 1 else await asyncio.to_thread(b"".join, found)

    async def _parts(self, most: int) -> AsyncGenerator[bytes, None]:
        for start in range(0, self.size, most):
            size = min(most, self.size - start)
            part = await self._bucket.part(self._id, start, size)
            if len(part) != size:
                raise BinaryError("The file has not the length that it had.")
            yield part


class S3Files(ExecutionFiles):
    """`jackfield.api.binary.BinaryFiles`, and `LinkedFiles`."""

    def __init__(
        self, bucket: Bucket, references: FileReferences, execution_id: str, settings: BinarySettings, presigned: float
    ) -> None:
        """presigned: seconds; 0: no addresses."""
        super().__init__(execution_id, settings)
        self._bucket = bucket
        self._references = references
        self._presigned = presigned

    async def opened(self, file_id: str) -> KeptObject:
        """A file that only others have becomes this execution's as well."""
        found = await self._bucket.look(file_id)
        await self._references.add(self._execution, [file_id])
        return KeptObject(self._bucket, file_id, found.size)

    def incoming(self, described: BinaryData) -> BucketUpload:
        return BucketUpload(self._bucket, self._references, self._execution, _saved(described))

    async def link(self, file: BinaryData) -> str | None:
        """A node may have given the file another name or type since it was kept: then the daemon sends it itself."""
        file_id = file.get("id")
        if not self._presigned or not is_file_id(file_id):
            return None
        found = await self._bucket.look(str(file_id))
        if any(found.attributes.get(name) != value for name, value in _saved(file).items()):
            return None
        return await self._bucket.signed(str(file_id), self._presigned)


def _saved(file: BinaryData) -> Mapping[str, str]:
    """With which headers the bucket gives it to whoever has an address."""
    return {_TYPE: content_type(file), _DISPOSITION: content_disposition(file), _CACHE: "no-store"}
