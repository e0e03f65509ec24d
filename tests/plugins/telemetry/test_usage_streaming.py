"""Exports whose reader is slow or leaves."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from jackfield_telemetry.http.streaming import streamed

DEADLINE = 10.0


async def test_a_stalled_export_holds_no_shared_thread_and_ends_with_its_reader() -> None:
    over = threading.Event()

    def parts() -> Iterator[bytes]:
        try:
            while True:
                yield b"part"
        finally:
            over.set()

    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
    async with asyncio.timeout(DEADLINE):
        reader = streamed(parts())
        assert await anext(reader) == b"part"
        assert await asyncio.to_thread(lambda: 1) == 1
        await reader.aclose()  # type: ignore[attr-defined]
        assert await asyncio.to_thread(over.wait, DEADLINE)


async def test_an_export_has_all_parts_or_its_error() -> None:
    assert [part async for part in streamed(iter([b"a", b"b"]))] == [b"a", b"b"]

    def broken() -> Iterator[bytes]:
        yield b"a"
        raise OSError("gone")

    reader = streamed(broken())
    assert await anext(reader) == b"a"
    with pytest.raises(OSError, match="gone"):
        await anext(reader)
