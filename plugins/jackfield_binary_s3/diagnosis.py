"""The lines of `jackfield doctor` about the bucket."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.binary import BinaryError
from jackfield.api.context import PluginContext
from jackfield.api.diagnosis import Finding
from jackfield_binary_s3.making import chosen_store
from jackfield_binary_s3.settings import S3Settings


async def findings(context: PluginContext) -> Sequence[Finding]:
    """Whether the bucket takes files, where it is chosen."""
    store = chosen_store(context)
    if store is None:
        return ()
    try:
        await store.bucket.check()
    except BinaryError as exc:
        return (Finding("files", False, exc.message),)
    return (Finding("files", True, f"the bucket {context.settings(S3Settings).bucket} takes them"),)
