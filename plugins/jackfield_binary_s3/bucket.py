"""The bucket: requests, their limits, and failures in words of ours.

The driver's own texts name hosts, paths and answers of the server: they are neither shown nor logged.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

import obstore
from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError
from obstore.store import S3Store

from jackfield.api.binary import BinaryError, BinaryUnavailable
from jackfield.api.records import record
from jackfield_binary_s3.settings import S3Settings

if TYPE_CHECKING:
    from obstore.store import ClientConfig, RetryConfig, S3Config

_SIDE_BY_SIDE = 2
"""Parts of one file that are sent at a time."""
_CHECK = "check"
"""Key of an object that says nothing."""
_CONNECT_S = 5.0
"""Seconds for a connection."""
_CODE = re.compile(r"<Code>([A-Za-z]{1,60})</Code>")
_STATUS = re.compile(r"status code: (\d{3})")


@record
class ObjectFacts:
    """The bucket's knowledge of an object. `size`: bytes. `attributes`: such as `Content-Type`."""

    size: int
    attributes: Mapping[str, str]


class Bucket:
    """One bucket, and one prefix of it. Its methods raise `BinaryError`: `BinaryUnavailable` when the server or its
    settings are at fault. The driver runs on its own threads."""

    def __init__(self, settings: S3Settings, certificates: bytes = b"") -> None:
        """certificates: PEM. Nothing is asked of the server. Raises `ConfigurationError`."""
        self.part_size = settings.part_size
        self.read_size = settings.read_size
        self._client = _client(settings, certificates)
        self._requests = asyncio.Semaphore(settings.transfers)
        self._uploads = asyncio.Semaphore(settings.transfers)
        """Apart from the others: what is uploaded in parts may be what is read at the same time."""

    async def look(self, key: str) -> ObjectFacts:
        with reported("The file could not be read"):
            found = await obstore.get_async(self._client, key, options={"head": True})
            attributes = {str(name): str(value) for name, value in found.attributes.items()}
            return ObjectFacts(int(found.meta["size"]), attributes)

    async def size_of(self, key: str) -> int | None:
        """Bytes of an object; None: there is none."""
        try:
            return (await self.look(key)).size
        except BinaryUnavailable:
            raise
        except BinaryError:
            return None

    async def part(self, key: str, start: int, size: int) -> bytes:
        """That many bytes from there on; size: at least 1."""
        with reported("The file could not be read"):
            async with self._requests:
                return bytes(await obstore.get_range_async(self._client, key, start=start, length=size))

    async def put(self, key: str, content: bytes, attributes: Mapping[str, str]) -> None:
        """An object of one request."""
        with reported("The file could not be kept"):
            async with self._requests:
                await obstore.put_async(self._client, key, content, attributes=dict(attributes), use_multipart=False)

    async def put_parts(self, key: str, pieces: AsyncIterator[bytes], attributes: Mapping[str, str]) -> None:
        """An object that comes in pieces of any size. An error of `pieces` is raised here, once the server has the
        order to forget the parts that it has."""
        with reported("The file could not be kept"):
            async with self._uploads:
                await obstore.put_async(
                    self._client,
                    key,
                    pieces,
                    attributes=dict(attributes),
                    use_multipart=True,
                    chunk_size=self.part_size,
                    max_concurrency=_SIDE_BY_SIDE,
                )

    async def delete(self, keys: Sequence[str]) -> None:
        """Objects that are not there count as deleted."""
        with reported("Files could not be deleted"):
            await obstore.delete_async(self._client, list(keys))

    async def signed(self, key: str, seconds: float) -> str:
        """An address that gives the object to whoever has it, for so long."""
        with reported("The file could not be read"):
            return str(await obstore.sign_async(self._client, "GET", key, timedelta(seconds=seconds)))

    async def check(self) -> None:
        """Write an empty object, and look at it. Raises `BinaryUnavailable`."""
        await self.put(_CHECK, b"", {})
        await self.look(_CHECK)


def _client(settings: S3Settings, certificates: bytes) -> S3Store:
    """The driver finds values that the settings leave out in the environment or asks of the machine."""
    config: S3Config = {
        "region": settings.region,
        "virtual_hosted_style_request": settings.addressing == "host",
    }
    if settings.endpoint:
        config["endpoint"] = settings.endpoint
    if settings.access_key_id:
        config["access_key_id"] = settings.access_key_id
        config["secret_access_key"] = settings.secret_access_key
    if settings.session_token:
        config["session_token"] = settings.session_token
    client: ClientConfig = {
        "allow_http": settings.endpoint.startswith("http:"),
        "timeout": timedelta(seconds=settings.timeout),
        "connect_timeout": timedelta(seconds=min(_CONNECT_S, settings.timeout)),
    }
    if certificates:
        client["root_certificate"] = certificates
    retries: RetryConfig = {
        "max_retries": settings.retries,
        "retry_timeout": timedelta(seconds=2 * settings.timeout),
        "backoff": {"init_backoff": timedelta(milliseconds=100), "max_backoff": timedelta(seconds=5), "base": 2},
    }
    return S3Store(
        settings.bucket, prefix=settings.prefix or None, config=config, client_options=client, retry_config=retries
    )


@contextmanager
def reported(what: str) -> Iterator[None]:
    """An error of the driver, in words for the user. Raises `BinaryError`."""
    try:
        yield
    except (BaseError, OSError, ValueError) as exc:
        raise _reported(what, exc) from None


def _reported(what: str, error: Exception) -> BinaryError:
    code = _code(error)
    if code == "NoSuchBucket":
        return BinaryUnavailable(f"{what}: there is no such bucket; see binary.s3.bucket.")
    if isinstance(error, FileNotFoundError):
        return BinaryError("The file does not exist any more.")
    if isinstance(error, PermissionDeniedError | UnauthenticatedError):
        return BinaryUnavailable(
            f"{what}: the S3 server refuses the access key of binary.s3, or its rights do not suffice{_told(error)}."
        )
    return BinaryUnavailable(f"{what}: the S3 server does not answer, or fails{_told(error)}.")


def _told(error: Exception) -> str:
    """The words of the server, as far as it is a word or a number."""
    found = _code(error) or "".join(_STATUS.findall(str(error))[:1])
    return f" ({found})" if found else ""


def _code(error: Exception) -> str:
    return "".join(_CODE.findall(str(error))[:1])
