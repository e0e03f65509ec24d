"""Requests that an application of ours makes of the management API in its caller's name."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from jackfield.api.asgi import Message, Receive, Scope, Send
from jackfield.api.errors import AccessDenied, UpstreamFailed
from jackfield.http.own_calls import InnerCalls

CALLER: dict[str, Any] = {
    "type": "http", "method": "POST", "path": "/mcp", "raw_path": b"/mcp", "query_string": b"x=1", "scheme": "http",
    "headers": [
        (b"host", b"127.0.0.1:1"), (b"x-n8n-api-key", b"k"), (b"content-length", b"9"), (b"origin", b"http://a"),
    ],
    "client": ("127.0.0.1", 5), "server": ("127.0.0.1", 1),
    "jackfield.principal": "somebody", "jackfield.request_id": "r1", "jackfield.body": "the caller's own",
}  # fmt: skip


async def answer(send: Send, body: bytes, kind: bytes = b"application/json", status: int = 200) -> None:
    await send(
        {"type": "http.response.start", "status": status, "headers": [(b"Content-Type", kind), (b"ETag", b'"3"')]}
    )
    for start in range(0, len(body), 1 << 20):
        more = start + (1 << 20) < len(body)
        await send({"type": "http.response.body", "body": body[start : start + (1 << 20)], "more_body": more})


async def test_a_request_has_the_caller_s_place_and_a_body_of_its_own() -> None:
    seen: list[tuple[Scope, Message]] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append((scope, await receive()))
        await answer(send, b'{"a": [1]}', status=409)

    found = await InnerCalls(app).call(
        CALLER, "PUT", "/api/v1/things/a%2Fb", query={"q": "é&"}, body={"x": 1}, headers={"If-Match": '"2"'}
    )
    assert (found.status, found.data, found.headers["etag"], found.size) == (409, {"a": [1]}, '"3"', 10)
    scope, message = seen[0]
    assert (scope["method"], scope["path"], scope["raw_path"]) == ("PUT", "/api/v1/things/a/b", b"/api/v1/things/a%2Fb")
    assert scope["query_string"] == b"q=%C3%A9%26"
    assert (scope["jackfield.principal"], scope["jackfield.request_id"]) == ("somebody", "r1")
    assert "jackfield.body" not in scope
    headers = dict(scope["headers"])
    assert headers[b"x-api-key"] == b"k", "n8n's shapes are not asked for"
    assert not {b"x-n8n-api-key", b"origin"} & headers.keys()
    assert (headers[b"content-length"], headers[b"if-match"]) == (b"7", b'"2"')
    assert message["body"] == b'{"x":1}'


async def test_other_answers_and_refusals() -> None:
    async def text(scope: Scope, receive: Receive, send: Send) -> None:
        await answer(send, "# é".encode(), b"text/markdown")

    async def nothing(scope: Scope, receive: Receive, send: Send) -> None:
        await answer(send, b"", status=204)

    async def refused(scope: Scope, receive: Receive, send: Send) -> None:
        raise AccessDenied

    async def broken(scope: Scope, receive: Receive, send: Send) -> None:
        await answer(send, b"{")

    async def large(scope: Scope, receive: Receive, send: Send) -> None:
        await answer(send, b"x" * (33 << 20), b"text/plain")

    async def long(scope: Scope, receive: Receive, send: Send) -> None:
        await answer(send, b'["' + b"y" * 200_000 + b'"]')

    assert (await InnerCalls(text).call(CALLER, "GET", "/api/x")).data == "# é"
    assert (await InnerCalls(nothing).call(CALLER, "GET", "/api/x")).data is None
    assert (await InnerCalls(long).call(CALLER, "GET", "/api/x")).data == ["y" * 200_000]
    with pytest.raises(AccessDenied):
        await InnerCalls(refused).call(CALLER, "GET", "/api/x")
    for app in (broken, large):
        with pytest.raises(UpstreamFailed):
            await InnerCalls(app).call(CALLER, "GET", "/api/x")


async def test_who_cancels_has_left() -> None:
    begun, left = asyncio.Event(), asyncio.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        assert (await receive())["type"] == "http.request"
        begun.set()
        assert (await receive())["type"] == "http.disconnect"
        left.set()

    call = asyncio.create_task(InnerCalls(app).call(CALLER, "GET", "/api/x"))
    await begun.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert left.is_set()
