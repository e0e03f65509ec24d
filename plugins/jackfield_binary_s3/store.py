"""The store of items' files in a bucket: an object for each, and references to it in the store."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from jackfield.api.binary import BinarySettings
from jackfield.api.binary_drivers import checked_execution, referred
from jackfield.api.context import PluginContext
from jackfield.api.workflows import Items
from jackfield_binary_s3.bucket import Bucket
from jackfield_binary_s3.files import S3Files
from jackfield_binary_s3.references import FilesGoing, References
from jackfield_binary_s3.settings import S3Settings
from jackfield_binary_s3.uploads import BucketUpload


class S3BinaryStore:
    """`jackfield.api.binary.BinaryStore` in a bucket."""

    name = "s3"

    def __init__(self, context: PluginContext, bucket: Bucket, limits: BinarySettings) -> None:
        self.bucket = bucket
        self._references = References(context)
        self._limits = limits
        self._presigned = context.settings(S3Settings).presigned

    def files(self, execution_id: str) -> S3Files:
        checked_execution(execution_id)
        return S3Files(self.bucket, self._references, execution_id, self._limits, self._presigned)

    async def refer(self, execution_id: str, file_ids: Sequence[str]) -> None:
        """The execution refers to these files, which may still be on their way. Raises `BinaryUnavailable`,
        `FilesGoing`."""
        await self._references.add(checked_execution(execution_id), file_ids)

    def upload(self, execution_id: str, file_id: str) -> BucketUpload:
        """A file that has its id already, which tells neither its name nor its type."""
        return BucketUpload(self.bucket, self._references, checked_execution(execution_id), {}, file_id)

    async def adopt(self, execution_id: str, items: Items) -> None:
        with contextlib.suppress(FilesGoing):
            await self.refer(execution_id, referred(items))

    async def release(self, execution_ids: Sequence[str]) -> None:
        """Objects go with a later sweep: somebody may be reading them."""
        if execution_ids:
            await self._references.release([checked_execution(each) for each in execution_ids])
