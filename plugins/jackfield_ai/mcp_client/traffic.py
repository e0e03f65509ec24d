"""The SDK's HTTP requests, sent the way of all requests of nodes: through the network guard, with the node's
credential."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextvars import ContextVar

import httpx2

from jackfield.api.http_client import Authorization, HttpBody, HttpCall, HttpClient, HttpReply
from jackfield.api.nodes import NodeError
from jackfield.api.workflows import BinaryData

_OWN = frozenset({"accept-encoding", "connection", "content-length", "host", "user-agent"})
"""Headers that whoever sends a request writes."""
_GONE = frozenset({"content-encoding", "content-length", "transfer-encoding"})
"""Headers of an answer that no longer hold for a body that was unpacked."""
_FOLLOWED = (307, 308)
"""Redirects of messages that the SDK follows within an origin."""
_AHEAD = 8
"""Pieces of an answer that wait for the SDK; beyond them the server waits."""


class Trouble:
    """The reason why the requests of one call, or of the session itself, were not answered. `failure`: the last one.
    `status`: of the last answer that is an error. `lost`: set when no answer can come any more."""

    def __init__(self) -> None:
        self.failure: NodeError | None = None
        self.status = 0
        self.lost = asyncio.Event()

    def clear(self) -> None:
        self.failure, self.status = None, 0
        self.lost.clear()


trouble_of_call: ContextVar[Trouble | None] = ContextVar("jackfield_ai_mcp_call", default=None)
"""The SDK sends each message in the context of whoever asks, so that calls that fail at once stay apart."""


class NotedSecrets:
    """`Authorization` that notes what the requests carried, to be masked wherever the server says it."""

    def __init__(self, inner: Authorization) -> None:
        self._inner = inner
        self.secrets: set[str] = set()

    @property
    def kind(self) -> str:
        return self._inner.kind

    @property
    def allowed_hosts(self) -> str:
        return self._inner.allowed_hosts

    async def apply(self, call: HttpCall) -> HttpCall:
        return self._noted(await self._inner.apply(call))

    async def again(self, sent: HttpCall, reply: HttpReply) -> HttpCall | None:
        found = await self._inner.again(sent, reply)
        return None if found is None else self._noted(found)

    def _noted(self, call: HttpCall) -> HttpCall:
        self.secrets.update(secret.strip() for secret in call.secrets if secret.strip())
        return call


class _Exchange(httpx2.AsyncByteStream):
    """One request and its answer. It is a `BodyKeeper`: what comes is handed on, piece by piece."""

    def __init__(self, transport: GuardedTransport, limit: int, seconds: float) -> None:
        self._transport = transport
        self._limit = limit
        self._seconds = seconds
        self.head: asyncio.Future[HttpReply] = asyncio.get_running_loop().create_future()
        self.sending: asyncio.Task[HttpReply] | None = None
        self._pieces: asyncio.Queue[bytes | None] = asyncio.Queue(_AHEAD)

    def wants(self, head: HttpReply) -> bool:
        return True

    async def keep(self, head: HttpReply, chunks: AsyncIterator[bytes]) -> BinaryData:
        """Raises `NodeError` for an answer that is one message and too long. Events have a limit each, and may go on
        for as long as the session does."""
        stream = head.header("content-type").startswith("text/event-stream")
        self.head.set_result(head)
        left = self._limit
        try:
            async with asyncio.timeout(None if stream else self._seconds):
                async for chunk in chunks:
                    left -= len(chunk)
                    if left < 0 and not stream:
                        raise NodeError(
                            f"The MCP server's answer has more than {self._limit} bytes (ai.mcp_message_bytes)."
                        )
                    await self._pieces.put(chunk)
        except TimeoutError:
            raise NodeError(
                f"The MCP server's answer took longer than {self._seconds:g} seconds (ai.mcp_tool_timeout)."
            ) from None
        finally:
            # The reader has to wake up; there may be none.
            ending = asyncio.current_task()
            if ending is not None and not ending.cancelling():
                await self._pieces.put(None)
        return {"data": "", "mimeType": head.header("content-type")}

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while (piece := await self._pieces.get()) is not None:
            yield piece
        if self.sending is not None:
            try:
                await self.sending
            except NodeError as exc:
                self._transport.trouble().failure = exc
                # The SDK takes this for a failure of this answer, and not of the session.
                raise httpx2.StreamError(exc.message) from None

    async def aclose(self) -> None:
        if self.sending is not None and not self.sending.done():
            self.sending.cancel()
            await asyncio.wait({self.sending})


class GuardedTransport(httpx2.AsyncBaseTransport):
    """See the module. `limit`: bytes of one answer. `seconds`: that one may take which is no stream. `listens`: whether
    the SDK keeps a connection open on which the server answers. `session`: notes the trouble of requests that are of no
    call."""

    def __init__(
        self,
        client: HttpClient,
        authorization: Authorization | None,
        session: Trouble,
        limit: int,
        seconds: float,
        *,
        listens: bool,
    ) -> None:
        self._client = client
        self._authorization = authorization
        self._session = session
        self._limit = limit
        self._seconds = seconds
        self._listens = listens

    def trouble(self) -> Trouble:
        """Where to note what happens now."""
        return trouble_of_call.get() or self._session

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if request.method == "GET" and not self._listens and "last-event-id" not in request.headers:
            # Connections of all nodes are counted, and nothing is expected here; the protocol lets one refuse it.
            return httpx2.Response(405, request=request)
        body = await request.aread()
        headers = [(name, value) for name, value in request.headers.multi_items() if name.lower() not in _OWN]
        exchange = _Exchange(self, self._limit, self._seconds)
        call = HttpCall(
            request.method,
            str(request.url),
            headers=headers,
            body=HttpBody(body) if body else None,
            follow="none",
            lasting=True,
            keeper=exchange,
        )
        return await self._answered(request, call, exchange)

    async def _answered(self, request: httpx2.Request, call: HttpCall, exchange: _Exchange) -> httpx2.Response:
        sending = exchange.sending = asyncio.create_task(self._client.send(call, self._authorization))
        try:
            await asyncio.wait({sending, exchange.head}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            sending.cancel()
            raise
        if exchange.head.done():
            return _response(request, exchange.head.result(), exchange)
        exchange.head.cancel()
        trouble = self.trouble()
        try:
            reply = sending.result()
        except NodeError as exc:
            trouble.failure = exc
            self._give_up(request, trouble)
            raise httpx2.ConnectError(exc.message, request=request) from None
        if reply.status >= 400:
            trouble.status = reply.status
        if reply.status >= 300 and reply.status not in _FOLLOWED:
            self._give_up(request, trouble)
        return _response(request, reply, httpx2.ByteStream(reply.body))

    def _give_up(self, request: httpx2.Request, trouble: Trouble) -> None:
        """Over SSE the SDK goes on waiting for the answer to a message that the server did not take."""
        if self._listens and request.method == "POST":
            trouble.lost.set()


def _response(request: httpx2.Request, head: HttpReply, stream: httpx2.AsyncByteStream) -> httpx2.Response:
    headers = [(name, value) for name, value in head.headers if name not in _GONE]
    return httpx2.Response(head.status, headers=headers, stream=stream, request=request)
