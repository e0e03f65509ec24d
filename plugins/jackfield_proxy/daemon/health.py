"""Does a proxy answer? Asked over HTTP, as its clients do."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from ipaddress import ip_address
from pathlib import Path

from jackfield.api.proxy import ProxyAddress
from jackfield_proxy.plan import HOST

_HOST_HEX = f"{int.from_bytes(ip_address(HOST).packed, sys.byteorder):08X}"
_LISTENS = "0A"  # TCP_LISTEN of the kernel's table, which has addresses in the byte order of the machine
_PROBE = b"HEAD / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"


async def answers(host: str, port: int, timeout: float) -> bool:
    """timeout: seconds."""
    return await _ask(host, port, _PROBE, timeout)


async def admits(address: ProxyAddress, timeout: float) -> bool:
    """Whether a proxy listens there that takes this token; timeout: seconds.

    Nobody else gets the token: another user may have taken a port that is known.
    """
    port = int(address.base_url.rpartition(":")[2])
    if not await asyncio.to_thread(is_ours, port):
        return False
    lines = ("GET /v1/models HTTP/1.1", "Host: 127.0.0.1", f"x-api-key: {address.token}", "Connection: close", "", "")
    return await _ask(HOST, port, "\r\n".join(lines).encode(), timeout)


def is_ours(port: int, table: Path = Path("/proc/net/tcp")) -> bool:
    """Whether a process of this user listens there. A system that does not say so is trusted. Blocks."""
    try:
        lines = table.read_text("ascii", "replace").splitlines()[1:]
    except OSError:
        return True
    wanted = (f"{_HOST_HEX}:{port:04X}", _LISTENS, str(os.getuid()))
    return any((fields[1], fields[3], fields[7]) == wanted for fields in map(str.split, lines))


async def _ask(host: str, port: int, request: bytes, timeout: float) -> bool:
    try:
        async with asyncio.timeout(timeout):
            reader, writer = await asyncio.open_connection(host, port)
            try:
                writer.write(request)
                return (await reader.readline()).startswith(b"HTTP/1.1 200")
            finally:
                writer.close()
                with contextlib.suppress(OSError):
                    await writer.wait_closed()
    except (TimeoutError, OSError, ValueError):
        return False
