"""What goes over a connection, byte for byte, and which connections are used again."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Self

import pytest
from http_lab import Make, sent
from loopback import Loopback, Seen, loopback, reply, self_signed
from node_fakes import Bench

from jackfield.api.binary import Streamed
from jackfield.api.http_client import HttpBody, HttpCall
from jackfield.api.nodes import NodeError
from jackfield_nodes.http.sending import HttpSender, sender
from jackfield_nodes.http.transport.connections import CheckedAddress, guarded_sockets, written_out
from jackfield_nodes.http.transport.guard import AddressGuard, Forbidden

OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Any]


class RawServer:
    """Keeps what it is sent, and does with each connection what the test says."""

    def __init__(self, serve: Serve) -> None:
        self._serve = serve
        self.heads: list[bytes] = []
        self.open = 0
        self.most_open = 0

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        try:
            await self._serve(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self.open -= 1
            writer.close()

    async def head(self, reader: asyncio.StreamReader) -> bytes:
        self.heads.append(await reader.readuntil(b"\r\n\r\n"))
        return self.heads[-1]


@pytest.fixture
def client(bench: Bench) -> HttpSender:
    return sender(bench.context)


def test_addresses_in_digits_are_written_out() -> None:
    spelled = {"127.1": "127.0.0.1", "2130706433": "127.0.0.1", "0177.0.0.1": "127.0.0.1", "1.2.3.4": "1.2.3.4"}
    assert {host: written_out(host) for host in spelled} == spelled
    assert [written_out(host) for host in ("example.com", "1.2.3.4.5", "::1", "0x7f.1")] == [
        "example.com", "1.2.3.4.5", "::1", "0x7f.1",
    ]  # fmt: skip


async def test_an_address_in_digits_may_be_written_in_any_way(bench: Bench, server: Loopback) -> None:
    assert await sent(bench, {"url": f"http://127.1:{server.port}/"}) == [{"ok": True}]
    assert server.seen[0].headers["host"] == f"127.1:{server.port}"


def test_each_socket_is_for_a_permitted_address() -> None:
    made = guarded_sockets(AddressGuard(["127.0.0.0/8"]), lambda: None)
    info = (socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "")
    for refused in ("10.0.0.1", "169.254.169.254", "::1", "0.0.0.0"):
        with pytest.raises(Forbidden):
            made((*info, (refused, 80)))
    for permitted in ("127.0.0.1", CheckedAddress("10.0.0.1")):
        made((*info, (permitted, 80))).close()


# --------------------------------------------------------------------------------------------------------- what is sent

HEADERS = [("X-B", "1"), ("x-a", "ä"), ("X-B", "2"), ("Cookie", "a=1"), ("Expect", "100-continue")]
REQUESTS: list[tuple[str, bytes | None, list[str]]] = [
    ("GET", None, []),
    ("HEAD", None, []),
    ("DELETE", None, []),
    ("PROPFIND", None, []),
    ("POST", None, ["Content-Length: 0"]),
    ("PATCH", b"", ["Content-Length: 0"]),
    ("GET", b"{}", ["Content-Length: 2"]),
    ("DELETE", b"{}", ["Content-Length: 2"]),
    ("POST", b"x" * 700_000, ["Content-Length: 700000"]),
]


@pytest.mark.parametrize(("method", "body", "length"), REQUESTS)
@pytest.mark.parametrize("streamed", [False, True])
async def test_the_head_is_ours_to_the_byte(
    client: HttpSender, method: str, body: bytes | None, length: list[str], streamed: bool
) -> None:
    whole = bytearray()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await raw.head(reader)
        whole.extend(await reader.readexactly(len(body or b"")))
        writer.write(b"HTTP/1.1 204 Fine\r\n\r\n")

    async def opened() -> AsyncIterator[bytes]:
        for start in range(0, len(body or b""), 1000):
            yield (body or b"")[start : start + 1000]

    content: Any = Streamed(len(body or b""), opened) if streamed else body
    async with RawServer(serve) as raw:
        given = None if body is None else HttpBody(content)
        answer = await client.send(HttpCall(method, raw.url + "a%2Fb?c=%20+", headers=list(HEADERS), body=given))
    assert (answer.status, answer.reason, bytes(whole)) == (204, "Fine", body or b"")
    assert raw.heads[0].decode().split("\r\n")[:-2] == [
        f"{method} /a%2Fb?c=%20+ HTTP/1.1",
        f"Host: {raw.url[7:-1]}",
        *length,
        "X-B: 1",
        "x-a: ä",
        "X-B: 2",
        "Cookie: a=1",
        "Expect: 100-continue",
        "accept: */*",
        "accept-encoding: gzip, deflate",
        "user-agent: jackfield",
    ]


async def test_no_cookie_is_kept(bench: Bench, server: Loopback) -> None:
    server.answer = lambda _: reply({}, set_cookie="session=1; Path=/")
    for _ in range(2):
        await sent(bench, {"url": server.url()})
    assert all("cookie" not in seen.headers for seen in server.seen)


async def test_an_early_answer_to_a_large_body_is_read(client: HttpSender) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await raw.head(reader)
        writer.write(b"HTTP/1.1 413 Too Large\r\nconnection: close\r\ncontent-length: 2\r\n\r\nno")
        await writer.drain()
        await reader.read()

    async with RawServer(serve) as raw:
        answer = await client.send(HttpCall("POST", raw.url, body=HttpBody(b"x" * 20_000_000)))
    assert (answer.status, answer.body) == (413, b"no")


async def test_a_body_that_becomes_shorter_spoils_no_connection(client: HttpSender) -> None:
    async def shorter() -> AsyncIterator[bytes]:
        yield b"x" * 10

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head = await raw.head(reader)
            if b"Content-Length" in head:
                await reader.readexactly(20)
            writer.write(OK)

    body: Any = Streamed(20, shorter)
    async with RawServer(serve) as raw:
        with pytest.raises(NodeError, match="has not the length"):
            await client.send(HttpCall("POST", raw.url, body=HttpBody(body)))
        assert (await client.send(HttpCall("GET", raw.url))).body == b"ok"


async def test_no_secret_of_a_request_is_quoted(client: HttpSender) -> None:
    async def broken(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await raw.head(reader)
        writer.write(answers.pop())

    answers = [b"", b"nonsense\r\n\r\n", b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nshort", b"HTTP/1.1 200"]
    told = []
    async with RawServer(broken) as raw:
        while answers:
            headers = [("Authorization", "Bearer hidden")]
            call = HttpCall("POST", f"{raw.url}?key=hidden", headers=headers, body=HttpBody(b"hidden" * 9))
            with pytest.raises(NodeError, match="broke off") as caught:
                await client.send(call)
            told.append(caught.value.message)
    assert not [message for message in told if "hidden" in message or "key" in message]


# -------------------------------------------------------------------------------------------------- what is used again


async def test_connections_are_used_again(bench: Bench, server: Loopback) -> None:
    for _ in range(5):
        await sent(bench, {"url": server.url(), "method": "POST"})
    assert server.connections == 1


@pytest.mark.parametrize("turns", [0, 1, 2, 5])
@pytest.mark.parametrize("more", [b"", b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nold"])
async def test_a_connection_that_the_server_ended_or_spoke_on_is_not_used_again(
    client: HttpSender, more: bytes, turns: int
) -> None:
    """turns: of the event loop, before and after it learns of the server's packet."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        while True:
            await raw.head(reader)
            await reader.readexactly(1)
            writer.write(OK)

    writers: list[asyncio.StreamWriter] = []
    async with RawServer(serve) as raw:
        call = HttpCall("POST", raw.url, body=HttpBody(b"x"))
        assert (await client.send(call)).body == b"ok"
        with socket.socket(fileno=os.dup(writers[0].get_extra_info("socket").fileno())) as ours:
            if more:
                ours.send(more)
            else:
                ours.shutdown(socket.SHUT_WR)
        for _ in range(turns):
            await asyncio.sleep(0)
        assert (await client.send(call)).body == b"ok"
    assert len(raw.heads) == len(writers) == 2


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "POST"])
@pytest.mark.parametrize("used_before", [False, True])
async def test_a_request_that_is_not_answered_is_sent_once(client: HttpSender, method: str, used_before: bool) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for _ in range(used_before):
            await raw.head(reader)
            writer.write(OK)
        await raw.head(reader)

    async with RawServer(serve) as raw:
        for _ in range(used_before):
            await client.send(HttpCall(method, raw.url))
        with pytest.raises(NodeError, match="broke off: the server closed the connection without an answer"):
            await client.send(HttpCall(method, raw.url))
        assert len(raw.heads) == 1 + used_before


async def test_a_server_that_ends_every_connection_at_once_is_asked_once(client: HttpSender) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(writer)
        writer.transport.abort()

    connections: list[asyncio.StreamWriter] = []
    async with RawServer(serve) as raw:
        for number in range(1, 4):
            with pytest.raises(NodeError, match="broke off"):
                await client.send(HttpCall("GET", raw.url))
            assert len(connections) == number


async def test_idle_connections_count(allowing: Make) -> None:
    """Each server has a connection that is idle behind its request: at most two may be open together."""
    client = sender(allowing(max_connections=2).context)
    open_now: set[object] = set()
    most = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal most
        open_now.add(writer)
        most = max(most, len(open_now))
        while await reader.read(10_000):
            writer.write(OK)
        open_now.discard(writer)

    async with AsyncExitStack() as stack:
        servers = [await stack.enter_async_context(RawServer(serve)) for _ in range(6)]
        for one in [*servers, *servers]:
            assert (await client.send(HttpCall("GET", one.url))).body == b"ok"
        assert most <= 3, "one more while the end of another is on its way"
        await asyncio.gather(*(client.send(HttpCall("GET", one.url)) for one in servers * 3))
        assert len(open_now) <= 3


async def test_a_tunnel_carries_tls_for_the_name(bench: Bench, tmp_path: Path) -> None:
    asked: list[str | None] = []
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(*self_signed(tmp_path, "localhost"))
    tls.sni_callback = lambda _, name, __: asked.append(name)
    heads: list[bytes] = []

    async def proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        there, back = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
        await asyncio.gather(_passed(reader, back), _passed(there, writer))

    seen: list[Mapping[str, str]] = []

    def answer(request: Seen) -> bytes:
        seen.append(request.headers)
        return reply({"ok": True})

    async with loopback(tls) as server, RawServer(proxy) as through:
        server.answer = answer
        options = {"allowUnauthorizedCerts": True, "proxy": through.url}
        assert await sent(bench, {"url": f"https://localhost:{server.port}/", "options": options}) == [{"ok": True}]
        strict = {"url": f"https://localhost:{server.port}/", "options": {"proxy": through.url}}
        with pytest.raises(NodeError, match=r"No connection to localhost.*(?i:certificate)"):
            await sent(bench, strict)
    assert asked == ["localhost", "localhost"]
    assert seen[0]["host"] == f"localhost:{server.port}"
    assert heads[0].startswith(f"CONNECT 127.0.0.1:{server.port} HTTP/1.1\r\n".encode())


async def _passed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
    writer.close()
