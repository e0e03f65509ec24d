"""Requests over connections that are open already: as a session would write them, and whatever a provider answers."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

import aiohttp
import pytest
from aiohttp.http import HttpProcessingError
from multidict import CIMultiDict

from jackfield_proxy.child.upstream.clean_connections import CleanConnector
from jackfield_proxy.child.upstream.deadlines import Deadlines
from jackfield_proxy.child.upstream.kept_connections import KeptConnections, KeptReply

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: text/plain\r\n\r\n"
SOON = 30.0


@dataclass
class WireServer:
    """Answers each request with the next of these bytes, and keeps what it was asked. Empty: says nothing; None: ends
    the connection. connections: how many there were; writer: of the latest one."""

    answers: list[bytes | None] = field(default_factory=list)
    asked: list[bytes] = field(default_factory=list)
    connections: int = 0
    port: int = 0
    writer: asyncio.StreamWriter | None = None

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.writer = writer
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = next(int(one[15:]) for one in head.lower().split(b"\r\n") if one[:15] == b"content-length:")
                self.asked.append(head + await reader.readexactly(length))
                answer = self.answers.pop(0)
                if answer is None:
                    break
                writer.write(answer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        writer.close()


@pytest.fixture
async def server() -> AsyncIterator[WireServer]:
    made = WireServer()
    listener = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.port = listener.sockets[0].getsockname()[1]
    async with listener:
        yield made


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(connector=CleanConnector(limit=0), auto_decompress=False) as made:
        yield made


@pytest.fixture
async def kept(session: aiohttp.ClientSession) -> KeptConnections:
    assert session.connector is not None
    return KeptConnections(session, session.connector, 65_536)


async def opened(server: WireServer, session: aiohttp.ClientSession) -> str:
    """The address, to which a connection is open now."""
    url = f"http://127.0.0.1:{server.port}/v1/messages?beta=a%2Fb"
    server.answers.insert(0, OK + b"ok")
    async with session.post(url, data=b"{}", headers={"X-One": "1"}) as reply:
        assert await reply.read() == b"ok"
    return url


async def body_of(reply: KeptReply | None) -> bytes:
    assert reply is not None
    parts = []
    while part := await reply.content.readany():
        parts.append(part)
    reply.release()
    return b"".join(parts)


async def post(kept: KeptConnections, url: str, body: bytes = b"{}", seconds: float = SOON) -> KeptReply | None:
    return await kept.post(url, CIMultiDict([("X-One", "1"), ("X-Two", "zwei ä")]), body, seconds)


def names_of(head: bytes) -> Sequence[bytes]:
    return sorted(line.partition(b":")[0].lower() for line in head.partition(b"\r\n\r\n")[0].split(b"\r\n")[1:])


async def test_nothing_is_sent_where_no_connection_is_open(server: WireServer, kept: KeptConnections) -> None:
    assert await post(kept, f"http://127.0.0.1:{server.port}/x") is None
    assert server.asked == []


async def test_the_same_connection_serves_request_after_request(
    server: WireServer, session: aiohttp.ClientSession, kept: KeptConnections
) -> None:
    url = await opened(server, session)
    for number in range(3):
        server.answers.append(OK + b"%02d" % number)
        reply = await post(kept, url, b'{"number": %d}' % number)
        assert reply is not None
        assert (reply.status, reply.reason, reply.content_length) == (200, "OK", 2)
        assert reply.headers["content-type"] == "text/plain"
        assert await body_of(reply) == b"%02d" % number
    assert server.connections == 1
    assert server.asked[3].startswith(b"POST /v1/messages?beta=a%2Fb HTTP/1.1\r\n")
    assert server.asked[3].endswith(b'\r\n\r\n{"number": 2}')
    assert b"X-Two: zwei \xc3\xa4\r\n" in server.asked[3]
    assert b"Host: 127.0.0.1:%d\r\n" % server.port in server.asked[3]


async def test_an_answer_of_which_something_is_left_ends_its_connection(
    server: WireServer, session: aiohttp.ClientSession, kept: KeptConnections
) -> None:
    url = await opened(server, session)
    server.answers.append(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
    reply = await post(kept, url)
    assert reply is not None
    reply.release()
    assert await post(kept, url) is None


async def test_an_answer_that_says_close_ends_its_connection(
    server: WireServer, session: aiohttp.ClientSession, kept: KeptConnections
) -> None:
    url = await opened(server, session)
    server.answers.append(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")
    assert await body_of(await post(kept, url)) == b"ok"
    assert await post(kept, url) is None


@pytest.mark.parametrize("kept_on", ["kept", "session"])
async def test_what_comes_behind_an_answer_is_not_the_next_one(
    server: WireServer, session: aiohttp.ClientSession, kept: KeptConnections, kept_on: str
) -> None:
    url = await opened(server, session)
    assert server.writer is not None
    assert session.connector is not None
    server.writer.write(OK + b"no")
    (waiting,) = session.connector._conns.values()
    async with asyncio.timeout(5):
        while not waiting[0][0].should_close:
            await asyncio.sleep(0)
    server.answers.append(OK + b"ok")
    if kept_on == "kept":
        assert await post(kept, url) is None
    async with session.post(url, data=b"{}") as reply:
        assert await reply.read() == b"ok"
    assert server.connections == 2


@pytest.mark.parametrize("news", [OK + b"no", b""], ids=["bytes", "the end"])
async def test_what_has_come_and_was_not_read_counts(
    server: WireServer, session: aiohttp.ClientSession, kept: KeptConnections, news: bytes
) -> None:
    url = await opened(server, session)
    assert server.writer is not None
    if news:
        server.writer.write(news)
    else:
        server.writer.get_extra_info("socket").shutdown(socket.SHUT_WR)
    assert await post(kept, url) is None  # the loop has had no turn to read it
    assert len(server.asked) == 1


async def test_a_connection_that_still_sends_serves_no_other_request(
    server: WireServer, session: aiohttp.ClientSession, kept: KeptConnections, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = await opened(server, session)
    assert session.connector is not None
    (waiting,) = session.connector._conns.values()
    transport = waiting[0][0].transport
    monkeypatch.setattr(type(transport), "get_write_buffer_size", lambda one: int(one is transport))
    assert await post(kept, url) is None
    assert len(server.asked) == 1


async def test_answers_in_between_are_not_the_answer(
    server: WireServer, session: aiohttp.ClientSession, kept: KeptConnections
) -> None:
    url = await opened(server, session)
    server.answers.append(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + OK + b"ok")
    assert await body_of(await post(kept, url)) == b"ok"


@pytest.mark.parametrize(
    ("answer", "raised"),
    [
        (None, aiohttp.ServerDisconnectedError),
        (b"no HTTP at all\r\n\r\n", HttpProcessingError),
        (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", aiohttp.ClientPayloadError),
        (b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 70_000 + b"\r\n\r\n", HttpProcessingError),
    ],
    ids=["the end", "no HTTP", "an upgrade", "an endless header"],
)  # fmt: skip
async def test_what_is_no_answer_is_raised_and_ends_the_connection(
    server: WireServer,
    session: aiohttp.ClientSession,
    kept: KeptConnections,
    answer: bytes | None,
    raised: type[Exception],
) -> None:
    url = await opened(server, session)
    server.answers.append(answer)
    with pytest.raises(raised):
        await post(kept, url)
    assert await post(kept, url) is None


async def test_silence_is_a_timeout(server: WireServer, session: aiohttp.ClientSession, kept: KeptConnections) -> None:
    url = await opened(server, session)
    server.answers.append(b"")
    with pytest.raises(TimeoutError):
        await post(kept, url, seconds=0.05)
    assert await post(kept, url) is None


async def test_whoever_is_cancelled_leaves_no_connection(
    server: WireServer, session: aiohttp.ClientSession, kept: KeptConnections
) -> None:
    url = await opened(server, session)
    server.answers.append(b"")
    waiting = asyncio.create_task(post(kept, url))
    async with asyncio.timeout(5):
        while len(server.asked) < 2:
            await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert await post(kept, url) is None


async def test_a_header_cannot_carry_another_one(
    server: WireServer, session: aiohttp.ClientSession, kept: KeptConnections
) -> None:
    url = await opened(server, session)
    with pytest.raises(ValueError, match=r"[Nn]ewline|CR|header"):
        await kept.post(url, CIMultiDict([("X-One", "1\r\nX-Two: 2")]), b"{}", SOON)
    assert len(server.asked) == 1


async def test_it_writes_the_headers_that_a_session_writes(
    server: WireServer, session: aiohttp.ClientSession, kept: KeptConnections
) -> None:
    url = await opened(server, session)
    headers = {"X-One": "1", "User-Agent": "one", "Accept": "*/*", "Accept-Encoding": "identity", "Content-Type": "a/b"}
    server.answers += [OK + b"ok", OK + b"ok"]
    async with session.post(url, data=b"{}", headers=headers) as reply:
        await reply.read()
    assert await body_of(await kept.post(url, CIMultiDict(headers), b"{}", SOON)) == b"ok"
    assert names_of(server.asked[1]) == names_of(server.asked[2])


async def test_an_address_with_a_login_is_left_to_the_session(
    server: WireServer, session: aiohttp.ClientSession, kept: KeptConnections
) -> None:
    url = await opened(server, session)
    assert await post(kept, url.replace("http://", "http://user:secret@")) is None
    assert len(server.asked) == 1


async def test_waits_expire_in_their_order_and_ended_ones_never() -> None:
    deadlines, expired = Deadlines(0.02), []
    first = deadlines.begin(lambda: expired.append("first"))
    deadlines.begin(lambda: expired.append("second"))
    deadlines.begin(lambda: expired.append("third"))
    deadlines.end(first)
    deadlines.end(first)
    async with asyncio.timeout(5):
        while len(expired) < 2:
            await asyncio.sleep(0.005)
    assert expired == ["second", "third"]
