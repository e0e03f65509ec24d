"""Connections that are kept, but for those on which something is in the way of the next request."""

from __future__ import annotations

import select
from typing import TYPE_CHECKING

import aiohttp

if TYPE_CHECKING:
    from asyncio.trsock import TransportSocket

    from aiohttp.client_proto import ResponseHandler
    from aiohttp.client_reqrep import ConnectionKey
    from aiohttp.connector import Connection
    from aiohttp.tracing import Trace

_POLL = getattr(select, "poll", None)
"""Not on Windows."""


class CleanConnector(aiohttp.TCPConnector):
    """aiohttp looks at a connection when its answer ends. The bytes that a provider sends after that would be taken for
    the answer to the next request, which is somebody else's. A request of which the provider has not read all, as it
    had answered before, would stand before the next one."""

    async def _get(self, key: ConnectionKey, traces: list[Trace]) -> Connection | None:
        while (found := await super()._get(key, traces)) is not None:
            if _is_clean(found.protocol):
                return found
            found.close()
        return None


def _is_clean(protocol: ResponseHandler | None) -> bool:
    if protocol is None or protocol.should_close:
        return False
    transport = protocol.transport
    if transport is None or transport.get_write_buffer_size():
        return False
    return not _has_news(transport.get_extra_info("socket"))


def _has_news(socket: TransportSocket | None) -> bool:
    """Whether something has come that the loop has not read yet: bytes, or the end."""
    if socket is None or _POLL is None:
        return False
    poll = _POLL()
    poll.register(socket.fileno(), select.POLLIN)
    return bool(poll.poll(0))
