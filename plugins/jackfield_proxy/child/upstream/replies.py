"""The answer of a provider, as far as those look at it who pass it on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol


class ReplyContent(Protocol):
    """As `aiohttp.StreamReader`."""

    async def readany(self) -> bytes: ...

    def read_nowait(self) -> bytes: ...

    def at_eof(self) -> bool: ...

    def set_exception(self, error: Exception, /) -> None: ...


class ProviderReply(Protocol):
    """As `aiohttp.ClientResponse`."""

    @property
    def status(self) -> int: ...

    @property
    def reason(self) -> str | None: ...

    @property
    def headers(self) -> Mapping[str, str]: ...

    @property
    def content(self) -> ReplyContent: ...

    @property
    def content_length(self) -> int | None: ...

    def close(self) -> None: ...

    def release(self) -> object: ...
