"""What a service manager hears, at a socket such as systemd's."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from jackfield.core.process.service_notice import ServiceNotice
from jackfield.testing.clock import FakeClock


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(tmp_path / "notify"))
        listener.settimeout(5)
        yield listener


async def test_it_is_told_that_the_daemon_is_ready_and_that_it_goes_on(manager: socket.socket) -> None:
    clock = FakeClock()
    environment = {"NOTIFY_SOCKET": str(manager.getsockname()), "WATCHDOG_USEC": "120000000"}
    task = asyncio.create_task(ServiceNotice(environment, clock).run())
    assert await asyncio.to_thread(manager.recv, 64) == b"READY=1"
    for _ in range(2):
        await clock.advance(60)
        assert await asyncio.to_thread(manager.recv, 64) == b"WATCHDOG=1"
    task.cancel()


async def test_without_a_watchdog_it_is_told_once(manager: socket.socket) -> None:
    await ServiceNotice({"NOTIFY_SOCKET": str(manager.getsockname())}, FakeClock()).run()
    assert manager.recv(64) == b"READY=1"
    assert not ServiceNotice({}, FakeClock()).wanted


async def test_a_manager_that_is_gone_is_no_failure(tmp_path: Path) -> None:
    await ServiceNotice({"NOTIFY_SOCKET": str(tmp_path / "nobody")}, FakeClock()).run()
    await ServiceNotice({"NOTIFY_SOCKET": "@nobody-listens-here"}, FakeClock()).run()
