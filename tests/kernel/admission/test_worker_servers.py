"""Workers accept with one socket, and get about as many connections."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from jackfield.api.admission.accepting import AdmittingServer, watched
from jackfield.api.admission.callers import Callers
from jackfield.api.admission.connections import Admission
from jackfield.api.admission.limits import AdmissionLimits
from jackfield.core.workers.loads import Loads
from jackfield.http.servers.admitting import WorkerServer

COUNT = 20


@pytest.fixture
def loads() -> Iterator[Callable[[int], Loads]]:
    """Those of a worker's number."""
    made = Loads.of(2)
    yield lambda number: Loads(made.descriptor, 2, number)
    os.close(made.descriptor)


def test_one_is_ahead_of_those_who_accept_and_have_fewer(loads: Callable[[int], Loads]) -> None:
    one, other = loads(1), loads(2)
    assert not one.is_ahead(5), "the other one does not accept yet"
    assert not other.is_ahead(4)
    assert one.is_ahead(5)
    assert not one.is_ahead(4)
    other.forget(2)
    assert not one.is_ahead(5)


async def test_connections_are_shared_out(loads: Callable[[int], Loads]) -> None:
    """Here the first worker would wake up first for every one of them."""
    limits = AdmissionLimits(100, 100, 100, 0, 1 << 20)
    with socket.create_server(("127.0.0.1", 0)) as listening, ExitStack() as opened:
        every = [Admission(limits, lambda: 0.0, print) for _ in range(2)]
        servers: list[AdmittingServer] = []
        for number, admission in enumerate(every, 1):
            made = WorkerServer(listening.dup(), watched(asyncio.Protocol), admission, Callers())
            made.loads = loads(number)
            made.start(100)
            servers.append(made)
        for count in range(1, COUNT + 1):
            sock = opened.enter_context(socket.socket())
            sock.setblocking(False)
            await asyncio.get_running_loop().sock_connect(sock, listening.getsockname())
            async with asyncio.timeout(5):
                while sum(admission.number for admission in every) < count:
                    await asyncio.sleep(0)
        assert min(admission.number for admission in every) >= COUNT // 2 - 1
        for server in servers:
            server.close()
            await server.wait_closed()
