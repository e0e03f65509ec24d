"""Makes the store of files, and finds it, if it was chosen; its driver is imported then alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from jackfield.api.binary import BinarySettings, BinaryStore
from jackfield.api.context import PluginContext
from jackfield.api.errors import ConfigurationError
from jackfield.api.object_references import load
from jackfield.api.offers import load_driver
from jackfield_binary_s3.settings import S3Settings

if TYPE_CHECKING:
    from jackfield_binary_s3.bucket import Bucket
    from jackfield_binary_s3.store import S3BinaryStore

_MOST_PARTS = 10_000
"""Of one file, by the protocol."""
_STORE = "jackfield_binary_s3.store:S3BinaryStore"
_MISSING = "Files in S3 need the package obstore; install jackfield[s3], or set binary.name to disk."


def s3_store(context: PluginContext) -> S3BinaryStore:
    """Nothing is asked of the server. Raises `ConfigurationError` without the driver, without a bucket, or for settings
    that do not fit together."""
    settings, limits = context.settings(S3Settings), context.settings(BinarySettings)
    if not settings.bucket:
        raise ConfigurationError("Files in S3 need a bucket: set binary.s3.bucket, or binary.name to disk.")
    if bool(settings.access_key_id) != bool(settings.secret_access_key):
        raise ConfigurationError("Set both of binary.s3.access_key_id and binary.s3.secret_access_key, or neither.")
    if limits.file_limit > settings.part_size * _MOST_PARTS:
        raise ConfigurationError(
            "A file of binary.file_limit has more than 10,000 parts of binary.s3.part_size; raise the one or lower the "
            "other."
        )
    certificates = _certificates(settings.ca_file)
    context.secrets.redact(settings.access_key_id, settings.secret_access_key, settings.session_token)
    bucket = cast("type[Bucket]", load_driver("jackfield_binary_s3.bucket:Bucket", _MISSING))
    store = cast("type[S3BinaryStore]", load_driver(_STORE, _MISSING))
    return store(context, bucket(settings, certificates), limits)


def chosen_store(context: PluginContext) -> S3BinaryStore | None:
    """The daemon's store of files, where it is this plugin's."""
    if context.settings(BinarySettings).name != "s3":
        return None
    store = context.port(BinaryStore)
    return store if isinstance(store, cast("type[S3BinaryStore]", load(_STORE))) else None


def _certificates(file: str) -> bytes:
    if not file:
        return b""
    try:
        return Path(file).read_bytes()
    except OSError as exc:
        raise ConfigurationError(f"The file of binary.s3.ca_file cannot be read: {exc.strerror}.") from None
