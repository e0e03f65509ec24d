"""What `jackfield doctor` says of the bucket."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.binary import BinaryError, BinarySettings, BinaryStore
from jackfield.api.context import PluginContext
from jackfield.api.diagnosis import Finding
from jackfield_binary_s3.settings import S3Settings


async def findings(context: PluginContext) -> Sequence[Finding]:
    """Whether the bucket takes files, where it is chosen."""
    if context.settings(BinarySettings).name != "s3":
        return ()
    from jackfield_binary_s3.store import S3BinaryStore  # its driver is an extra

    store = context.port(BinaryStore)
    if not isinstance(store, S3BinaryStore):
        return ()
    try:
        await store.bucket.check()
    except BinaryError as exc:
        return (Finding("files", False, exc.message),)
    return (Finding("files", True, f"the bucket {context.settings(S3Settings).bucket} takes them"),)
