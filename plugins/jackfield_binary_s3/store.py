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
from jackfield_binary_s3.moving import BucketMover
from jackfield_binary_s3.references import FileReferences, FilesGoing
from jackfield_binary_s3.settings import S3Settings


class S3BinaryStore:
    """`jackfield.api.binary.BinaryStore` in a bucket."""

    name = "s3"

    def __init__(self, context: PluginContext, bucket: Bucket, limits: BinarySettings) -> None:
        self.bucket = bucket
        self._references = FileReferences(context)
        self._limits = limits
        settings = context.settings(S3Settings)
        self._presigned = settings.presigned
        self._place = f"{settings.endpoint or 's3:'}/{settings.bucket}/{settings.prefix}"

    def files(self, execution_id: str) -> S3Files:
        checked_execution(execution_id)
        return S3Files(self.bucket, self._references, execution_id, self._limits, self._presigned)

    def mover(self) -> BucketMover:
        return BucketMover(self.bucket, self._place)

    async def adopt(self, execution_id: str, items: Items) -> None:
        with contextlib.suppress(FilesGoing):
            await self._references.add(checked_execution(execution_id), referred(items))

    async def release(self, execution_ids: Sequence[str]) -> None:
        """Objects go with a later sweep: somebody may be reading them."""
        if execution_ids:
            await self._references.release([checked_execution(each) for each in execution_ids])
