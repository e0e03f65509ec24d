"""Requests of the management API that our own applications make for their callers."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from urllib.parse import unquote, urlencode

from jackfield.api import jsontext
from jackfield.api.asgi import AsgiApp, Message, Scope
from jackfield.api.auth import API_KEY_HEADERS
from jackfield.api.errors import InvalidInput, UpstreamFailed
from jackfield.api.json_values import Json
from jackfield.api.own_calls import OwnAnswer

_MOST = 32 * 2**20
"""Bytes of an answer."""
_INLINE = 64 * 1024
"""Up to that many bytes are parsed on the event loop."""
_LEAVING_S = 5.0
"""Seconds in which a view may end for a caller who has left."""
_KEPT = (b"host", b"authorization", b"cookie")
"""Headers of the caller by which another host looks at the credential again."""
_KEY = API_KEY_HEADERS[0].encode()
_KEYS = frozenset(name.encode() for name in API_KEY_HEADERS)
"""One of them would ask for n8n's shapes."""


class InnerCalls:
    """`jackfield.api.own_calls.OwnCalls`"""

    def __init__(self, app: AsgiApp) -> None:
        """app: serves a request whose caller is known."""
        self._app = app

    async def call(
        self,
        caller: Scope,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Json = None,
        headers: Mapping[str, str] | None = None,
    ) -> OwnAnswer:
        content = b"" if body is None else jsontext.dumps(body)
        scope = _scope(caller, method, path, urlencode(query or {}).encode(), content, headers or {})
        exchange = _Exchange(content)
        task = asyncio.ensure_future(self._app(scope, exchange.receive, exchange.send))
        try:
            await asyncio.shield(task)
        finally:
            if not task.done():
                # A view that is cancelled from outside would go on: it ends for a caller who has left.
                exchange.gone.set()
                await asyncio.wait({task}, timeout=_LEAVING_S)
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        return await exchange.answer()


def _scope(caller: Scope, method: str, path: str, query: bytes, content: bytes, headers: Mapping[str, str]) -> Scope:
    kept = [(_KEY if name in _KEYS else name, value) for name, value in caller["headers"] if name in {*_KEPT, *_KEYS}]
    if content:
        kept += [(b"content-type", b"application/json"), (b"content-length", str(len(content)).encode())]
    kept += [(name.lower().encode("latin-1"), value.encode("latin-1", "replace")) for name, value in headers.items()]
    known = {name: caller[name] for name in caller if name.startswith("jackfield.") and name != "jackfield.body"}
    return {
        **known,
        "type": "http",
        "asgi": caller.get("asgi", {"version": "3.0"}),
        "http_version": "1.1",
        "method": method,
        "scheme": caller.get("scheme", "http"),
        "path": unquote(path),
        "raw_path": path.encode("ascii", "replace"),
        "query_string": query,
        "root_path": "",
        "headers": kept,
        "client": caller.get("client"),
        "server": caller.get("server"),
        "extensions": {},
    }


class _Exchange:
    """One request and its answer, whole."""

    def __init__(self, content: bytes) -> None:
        self._content: bytes | None = content
        self.gone = asyncio.Event()
        self._status = 0
        self._headers: dict[str, str] = {}
        self._body = bytearray()

    async def receive(self) -> Message:
        if self._content is not None:
            content, self._content = self._content, None
            return {"type": "http.request", "body": content, "more_body": False}
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            self._headers = {k.decode("latin-1").lower(): v.decode("latin-1") for k, v in message["headers"]}
            return
        if len(self._body) <= _MOST:
            self._body += message.get("body", b"")

    async def answer(self) -> OwnAnswer:
        """A large one is parsed on a thread. Raises `UpstreamFailed`."""
        if len(self._body) > _MOST:
            raise UpstreamFailed(f"The answer has more than {_MOST >> 20} MiB; ask for a smaller part of it.")
        body, kind = bytes(self._body), self._headers.get("content-type", "")
        data = _data(body, kind) if len(body) <= _INLINE else await asyncio.to_thread(_data, body, kind)
        return OwnAnswer(self._status, self._headers, data, len(body))


def _data(body: bytes, kind: str) -> Json:
    if not body:
        return None
    if "json" in kind:
        try:
            return jsontext.loads(body)
        except InvalidInput:
            raise UpstreamFailed("The answer is JSON that cannot be read.") from None
    return body.decode("utf-8", "replace")
