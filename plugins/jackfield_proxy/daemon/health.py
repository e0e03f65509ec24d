"""Does a proxy answer? Asked over HTTP, as its clients do."""

from __future__ import annotations

import asyncio
import contextlib

from jackfield.api.proxy import ProxyAddress
from jackfield_proxy.plan import HOST

_PROBE = b"HEAD / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"


async def answers(port: int, timeout: float) -> bool:
    """timeout: seconds."""
    return await _ask(port, _PROBE, timeout)


async def admits(address: ProxyAddress, timeout: float) -> bool:
    """Whether a proxy listens there that takes this token; timeout: seconds."""
    port = int(address.base_url.rpartition(":")[2])
    lines = ("GET /v1/models HTTP/1.1", "Host: 127.0.0.1", f"x-api-key: {address.token}", "Connection: close", "", "")
    return await _ask(port, "\r\n".join(lines).encode(), timeout)


async def _ask(port: int, request: bytes, timeout: float) -> bool:
    try:
        async with asyncio.timeout(timeout):
            reader, writer = await asyncio.open_connection(HOST, port)
            try:
                writer.write(request)
                return (await reader.readline()).startswith(b"HTTP/1.1 200")
            finally:
                writer.close()
                with contextlib.suppress(OSError):
                    await writer.wait_closed()
    except (TimeoutError, OSError, ValueError):
        return False
