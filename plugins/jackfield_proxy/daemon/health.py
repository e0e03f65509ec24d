"""Does a proxy answer? Asked over HTTP, as its clients do."""

from __future__ import annotations

import asyncio
import contextlib

from jackfield_proxy.plan import HOST

_PROBE = b"HEAD / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"


async def answers(port: int, timeout: float) -> bool:
    """timeout: seconds."""
    try:
        async with asyncio.timeout(timeout):
            reader, writer = await asyncio.open_connection(HOST, port)
            try:
                writer.write(_PROBE)
                return (await reader.readline()).startswith(b"HTTP/1.1 200")
            finally:
                writer.close()
                with contextlib.suppress(OSError):
                    await writer.wait_closed()
    except (TimeoutError, OSError):
        return False
