"""One request or WebSocket that goes on to another host, and what comes back."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from aiohttp import ClientResponse, ClientWebSocketResponse, WSMsgType

from jackfield.api.asgi import Message, Receive, Scope, Send
from jackfield.api.errors import AuthRequired
from jackfield.api.hosts import Host, HostUnavailable

from .client import FAILURES, HostClient, unavailable
from .scopes import CREDENTIALS, Headers, caller_of, headers_in, target_of
from .tokens import HEADER

HOST_HEADER = b"x-jackfield-host"
"""Of an answer: the host that gave it."""
_HOP = frozenset({
    b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection", b"te", b"trailer",
    b"transfer-encoding", b"upgrade",
})  # fmt: skip
"""Source: RFC 9110, 7.6.1."""
_NOT_SENT = _HOP | CREDENTIALS | {HEADER, b"expect", b"origin", b"sec-fetch-site"}
_NOT_RETURNED = _HOP | {b"date", b"server", b"x-request-id"}
_CHUNK = 1 << 16


async def pass_request(client: HostClient, host: Host, scope: Scope, receive: Receive, send: Send) -> int:
    """The answer's status. A caller who leaves ends the request there too. Raises `HostUnavailable` as long as nothing
    was sent."""
    upload = _Upload(receive)
    headers = headers_in(scope["headers"], _NOT_SENT)
    body = upload.chunks() if _has_body(scope) else None
    passing = asyncio.ensure_future(_answer(client, host, scope, headers, body, send))
    leaving = asyncio.ensure_future(upload.left(waits=body is None))
    try:
        await asyncio.wait({passing, leaving}, return_when=asyncio.FIRST_COMPLETED)
        return passing.result() if passing.done() else 0
    finally:
        passing.cancel()
        leaving.cancel()
        await asyncio.gather(passing, leaving, return_exceptions=True)


async def _answer(
    client: HostClient,
    host: Host,
    scope: Scope,
    headers: Headers,
    body: AsyncIterator[bytes] | None,
    send: Send,
) -> int:
    asked = client.request(host, scope["method"], target_of(scope), caller_of(scope), headers, body)
    async with asked as answer:
        if answer.status == AuthRequired.status:  # the caller is known here: a browser must not take it for a logout
            raise HostUnavailable(
                f"The host {host.name} refuses what this one passes on; set the clocks of both right, and update both."
            )
        given = [(name.lower(), value) for name, value in answer.raw_headers if name.lower() not in _NOT_RETURNED]
        given.append((HOST_HEADER, host.name.encode()))
        await send({"type": "http.response.start", "status": answer.status, "headers": given})
        await client.while_alive(host, _body(host, answer, send))
        return answer.status


async def _body(host: Host, answer: ClientResponse, send: Send) -> None:
    while chunk := await _chunk(host, answer):
        await send({"type": "http.response.body", "body": chunk, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


async def _chunk(host: Host, answer: ClientResponse) -> bytes:
    """Empty at the end."""
    try:
        return await answer.content.readany()
    except FAILURES as exc:
        raise unavailable(host, exc) from None


class _Upload:
    """The request's body as it comes, and whether the caller has left."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._read = asyncio.Event()
        self._gone = asyncio.Event()

    async def chunks(self) -> AsyncIterator[bytes]:
        while True:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                self._gone.set()
                raise ConnectionError("the caller has left")
            if chunk := message.get("body", b""):
                yield chunk
            if not message.get("more_body"):
                self._read.set()
                return

    async def left(self, *, waits: bool) -> None:
        """Returns when the caller has left. waits: whether nobody reads the body."""
        if not waits:
            done = [asyncio.ensure_future(event.wait()) for event in (self._read, self._gone)]
            try:
                await asyncio.wait(done, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for one in done:
                    one.cancel()
        while not self._gone.is_set() and (await self._receive())["type"] != "http.disconnect":
            pass


def _has_body(scope: Scope) -> bool:
    names = {name.lower() for name, value in scope["headers"] if value != b"0"}
    return bool(names & {b"content-length", b"transfer-encoding"}) or scope["method"] not in ("GET", "HEAD", "DELETE")


async def pass_websocket(client: HostClient, host: Host, scope: Scope, receive: Receive, send: Send) -> None:
    """Raises what `HostClient.websocket` raises, before anything was answered."""
    headers = headers_in(
        [pair for pair in scope["headers"] if not pair[0].lower().startswith(b"sec-websocket-")], _NOT_SENT
    )
    socket = await client.websocket(host, target_of(scope), caller_of(scope), headers, scope.get("subprotocols", ()))
    try:
        if (await receive())["type"] != "websocket.connect":
            return
        given = [(HOST_HEADER, host.name.encode())]
        await send({"type": "websocket.accept", "subprotocol": socket.protocol, "headers": given})
        await _pumped(client, host, socket, receive, send)
    finally:
        await socket.close()


async def _pumped(
    client: HostClient, host: Host, socket: ClientWebSocketResponse, receive: Receive, send: Send
) -> None:
    down = asyncio.ensure_future(client.while_alive(host, _down(host, socket, send)))
    up = asyncio.ensure_future(_up(socket, receive))
    try:
        await asyncio.wait({down, up}, return_when=asyncio.FIRST_COMPLETED)
        if up.done() and up.exception() is not None:  # it takes nothing any more: what it has said comes first
            await asyncio.wait({down})
        if down.done() and isinstance(down.exception(), HostUnavailable):
            await _close(send, 1012, f"The host {host.name} is gone.")
    finally:
        down.cancel()
        up.cancel()
        await asyncio.gather(down, up, return_exceptions=True)


async def _down(host: Host, socket: ClientWebSocketResponse, send: Send) -> None:
    """Raises `HostUnavailable` for an end without a close frame, to which aiohttp gives the code of a normal one."""
    while True:
        message = await socket.receive()
        match message.type:
            case WSMsgType.TEXT:
                await send({"type": "websocket.send", "text": message.data})
            case WSMsgType.BINARY:
                await send({"type": "websocket.send", "bytes": message.data})
            case WSMsgType.CLOSE:
                await _close(send, _sent_code(message.data))
                return
            case WSMsgType.CLOSING:  # the caller has left
                return
            case _:
                raise HostUnavailable(f"The host {host.name} has broken the connection off.")


async def _close(send: Send, code: int, reason: str = "") -> None:
    with contextlib.suppress(OSError):
        await send({"type": "websocket.close", "code": code, "reason": reason})


async def _up(socket: ClientWebSocketResponse, receive: Receive) -> None:
    while True:
        message: Message = await receive()
        if message["type"] == "websocket.disconnect":
            await socket.close(code=_sent_code(message.get("code")))
            return
        if (text := message.get("text")) is not None:
            await socket.send_str(text)
        else:
            await socket.send_bytes(message.get("bytes") or b"")


def _sent_code(code: int | None) -> int:
    """1005 and 1006 say that there was none; they are never sent. Source: RFC 6455, 7.4.1."""
    return 1000 if code in (None, 1005, 1006) else int(code or 1000)
