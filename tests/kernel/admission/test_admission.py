"""Which connections a port takes, by a clock of the test's."""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Iterator
from contextlib import closing

import pytest

from jackfield.api.admission import accepting
from jackfield.api.admission.accepting import AdmittingServer, watched
from jackfield.api.admission.callers import AdmittedCaller, Callers
from jackfield.api.admission.connections import NOTICE_SECONDS, Admission, AdmittedConnection
from jackfield.api.admission.limits import MOST, AdmissionLimits, limits_of
from jackfield.api.admission.settings import ConnectionSettings
from jackfield.http.management.loading import while_files_lack

OWNER = AdmittedCaller("owner", "owner")
ALICE, BOB = AdmittedCaller("user", "user 1001"), AdmittedCaller("user", "user 1002")
NEAR, FAR = AdmittedCaller("address", "2001:db8::/64"), AdmittedCaller("address", "192.0.2.1")
PROXY = AdmittedCaller("proxy", "proxy 192.0.2.9")


class Port:
    """total 10: 4 of them the owner's alone, 4 for a user, 3 for an address. Descriptors count up from 10."""

    def __init__(self) -> None:
        self.now = 0.0
        self.lines: list[str] = []
        self.ended: list[tuple[int, str | None]] = []
        limits = AdmissionLimits(10, 4, 3, 4, 1000, first_byte_timeout=10, head_timeout=5, request_timeout=60)
        self.admission = Admission(limits, lambda: self.now, self.lines.append)
        self.next = 10

    def connect(self, caller: AdmittedCaller, *, served: bool = False, descriptor: int = 0) -> AdmittedConnection | str:
        self.next += 1
        number = self.next
        made = self.admission.admit(caller, descriptor or number)
        if isinstance(made, AdmittedConnection):
            made.end = lambda reason: self.ended.append((number, reason)) or True
            if served:
                made.receives()
                made.head_is_whole(has_body=False)
        return made

    def fill(self, caller: AdmittedCaller, count: int, *, served: bool = True) -> list[AdmittedConnection]:
        made = [self.connect(caller, served=served) for _ in range(count)]
        taken = [one for one in made if isinstance(one, AdmittedConnection)]
        assert len(taken) == count
        return taken


@pytest.fixture
def port() -> Port:
    return Port()


@pytest.mark.parametrize(("caller", "most", "reason"), [(ALICE, 4, "user"), (NEAR, 3, "address"), (PROXY, 6, "total")])
def test_each_caller_has_a_share(port: Port, caller: AdmittedCaller, most: int, reason: str) -> None:
    port.fill(caller, most)
    assert port.connect(caller) == reason
    assert isinstance(port.connect(OWNER), AdmittedConnection)


def test_strangers_together_leave_the_owner_the_reserve(port: Port) -> None:
    port.fill(ALICE, 3)
    port.fill(NEAR, 3)
    assert port.connect(BOB) == "total"
    port.fill(OWNER, 4)
    assert port.connect(OWNER) == "total"


def test_the_oldest_without_a_request_gives_way(port: Port) -> None:
    first, second, third, _ = port.fill(ALICE, 4, served=False)
    first.receives()
    first.head_is_whole(has_body=False)
    assert isinstance(port.connect(ALICE), AdmittedConnection)
    assert port.ended == [(second.descriptor, None)]
    first.idles()
    assert isinstance(port.connect(ALICE), AdmittedConnection)
    assert port.ended[1:] == [(third.descriptor, None)], "the one that has just been answered is the youngest"


def test_the_caller_with_the_most_gives_way_to_the_owner(port: Port) -> None:
    port.fill(NEAR, 2, served=False)
    port.fill(ALICE, 4, served=False)
    port.fill(OWNER, 4)
    assert isinstance(port.connect(OWNER), AdmittedConnection)
    assert port.admission.open == {"owner": 5, "user": 3, "address": 2}


def test_a_connection_that_is_served_never_gives_way(port: Port) -> None:
    port.fill(ALICE, 4)
    for _ in range(100):
        assert port.connect(ALICE) == "user"
    assert not port.ended
    assert port.admission.counts().refused == {"user": 100}


def test_no_connection_takes_a_reserved_descriptor(port: Port) -> None:
    assert port.connect(OWNER, descriptor=1000) == "files"
    silent = port.fill(ALICE, 1, served=False)[0]
    assert isinstance(port.connect(OWNER, descriptor=1000), AdmittedConnection)
    assert not silent.open


def test_what_does_not_arrive_in_time_ends(port: Port) -> None:
    silent, dripping, sending, served, idle = port.fill(OWNER, 5, served=False)
    for one in (dripping, sending, served, idle):
        one.receives()
    sending.head_is_whole(has_body=True)
    for one in (served, idle):
        one.head_is_whole(has_body=True)
        one.request_is_whole()
    idle.idles()
    for port.now, expected in ((4.9, []), (5.1, ["head"]), (10.1, ["first_byte"]), (60.1, ["request"]), (1e6, [])):
        port.ended.clear()
        dripping.receives()
        port.admission.end_overdue()
        assert [reason for _, reason in port.ended] == expected, port.now
    assert (silent.open, dripping.open, sending.open, served.open, idle.open) == (False, False, False, True, True)
    assert port.admission.counts().timed_out == {"head": 1, "first_byte": 1, "request": 1}


def test_one_that_is_not_to_blame_gets_its_time_again(port: Port) -> None:
    sending = port.fill(OWNER, 1, served=False)[0]
    sending.receives()
    sending.head_is_whole(has_body=True)
    sending.end = lambda reason: False
    port.now = 61
    port.admission.end_overdue()
    assert sending.open
    assert sending.since == 61


def test_a_line_a_minute_is_written_however_many_are_refused(port: Port) -> None:
    port.fill(ALICE, 4)
    for number in range(1000):
        port.connect(ALICE)
        port.now = number * NOTICE_SECONDS / 1000
    assert len(port.lines) == 1
    port.now = NOTICE_SECONDS
    port.admission.end_overdue()
    assert "999 of user 1001 (server.connections.user_share)" in port.lines[1]


def test_nothing_of_a_closed_connection_is_left(port: Port) -> None:
    for one in port.fill(ALICE, 4, served=False):
        one.release()
        one.release()
        one.receives()
        one.head_is_whole(has_body=True)
        one.idles()
    assert port.admission.number == 0
    assert not port.admission.waiting
    assert not port.admission.arriving
    assert port.admission.at(11) is None


@pytest.mark.parametrize(
    ("files", "settings", "total", "highest"),
    [
        (1024, {}, 768, 768),
        (256, {}, 192, 192),
        (1 << 20, {}, MOST, (1 << 20) - 1024),
        (1024, {"total": 100}, 100, 768),
        (1024, {"total": 5000, "reserved_files": 24}, 1000, 1000),
        (16, {}, 8, 8),
    ],
)
def test_limits_follow_the_limit_of_open_files(files: int, settings: dict[str, int], total: int, highest: int) -> None:
    found = limits_of(ConnectionSettings(**settings), files)
    assert (found.total, found.highest) == (total, highest)
    assert found.owner_reserve == total // 4


@pytest.mark.parametrize(
    ("address", "kind", "key"),
    [
        ("192.0.2.1", "address", "192.0.2.1"),
        ("::ffff:192.0.2.1", "address", "192.0.2.1"),
        ("2001:db8::1:2", "address", "2001:db8::/64"),
        ("198.51.100.7", "proxy", "proxy 198.51.100.7"),
    ],
)
def test_addresses_are_counted_by_subscriber(address: str, kind: str, key: str) -> None:
    with closing(Callers(["198.51.100.0/24"])) as callers, socket.socket() as unused:
        assert callers.of(unused, (address, 1)) == AdmittedCaller(kind, key)  # type: ignore[arg-type]


class Exhausted(socket.socket):
    """Has no descriptor for a connection so many times."""

    times = 2

    def accept(self) -> tuple[socket.socket, object]:
        if self.times:
            self.times -= 1
            raise OSError(errno.EMFILE, "Too many open files")
        return super().accept()


@pytest.fixture
def exhausted() -> Iterator[Exhausted]:
    with Exhausted() as made:
        made.bind(("127.0.0.1", 0))
        yield made


async def test_a_port_without_descriptors_waits_and_goes_on(
    port: Port, exhausted: Exhausted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accepting, "SHORTEST_PAUSE", 0.01)
    silent = port.fill(ALICE, 1, served=False)[0]
    port.now = 1.0
    served: list[str] = []

    def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        served.append("one")
        writer.close()

    def protocol() -> asyncio.BaseProtocol:
        return asyncio.StreamReaderProtocol(asyncio.StreamReader(), answer)

    server = AdmittingServer(exhausted, watched(protocol), port.admission, Callers())
    server.start(10)
    try:
        reader, writer = await asyncio.open_connection(*exhausted.getsockname())
        async with asyncio.timeout(10):
            assert await reader.read() == b""
        writer.close()
    finally:
        server.close()
    assert served == ["one"]
    assert not silent.open, "what waits for nothing gave its descriptor back"
    assert port.admission.refused["files"] == 2


async def test_a_start_waits_for_descriptors() -> None:
    tries = []

    async def make() -> str:
        tries.append(1)
        if len(tries) < 2:
            try:
                raise OSError(errno.ENFILE, "Too many open files in system")
            except OSError as exc:
                raise ImportError("no module") from exc
        return "made"

    assert await while_files_lack(make) == "made"

    async def fail() -> None:
        raise OSError(errno.EACCES, "Permission denied")

    with pytest.raises(PermissionError):
        await while_files_lack(fail)
    tries.clear()
    with pytest.raises(ImportError):
        await while_files_lack(make, patience=-1)
