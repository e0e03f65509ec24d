"""Requests that are served without a session of the SDK's: which ones, and in what words they are answered."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest

pytest.importorskip("mcp")

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolRequestParams, CallToolResult, TextContent

from jackfield_mcp.exchange import Exchange, plain_request

HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
SCOPE: dict[str, Any] = {"type": "http", "method": "POST", "path": "/mcp", "headers": []}


async def call(ctx: ServerRequestContext[dict[str, object]], params: CallToolRequestParams) -> CallToolResult:
    if params.name == "refused":
        raise MCPError(-32602, "Unknown tool")
    if params.name == "broken":
        raise ValueError("canary")
    for _ in range(2 if params.name == "slow" else 0):
        await ctx.session.report_progress(1.0, message="so far")
    return CallToolResult(content=[TextContent(type="text", text="done")])


def message(method: str, **params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": "a-1", "method": method, "params": params}).encode()


def answered(body: bytes) -> tuple[Mapping[bytes, bytes], bytes]:
    """Headers and body."""
    sent: list[dict[str, Any]] = []

    async def send(told: Any) -> None:
        sent.append(told)

    request = plain_request(body, HEADERS)
    assert request is not None
    server: Server[dict[str, object]] = Server("test", on_call_tool=call)
    asyncio.run(Exchange(request, SCOPE, send).serve(server, {}, HEADERS))
    assert sent[0]["status"] == 200
    assert not sent[-1].get("more_body")
    return dict(sent[0]["headers"]), b"".join(one["body"] for one in sent[1:])


def test_a_call_is_answered_with_json_under_its_id() -> None:
    headers, body = answered(message("tools/call", name="x", _meta={"progressToken": 1}))
    assert headers == {b"content-type": b"application/json", b"content-length": str(len(body)).encode()}
    told = json.loads(body)
    assert (told["id"], told["result"]["content"][0]["text"]) == ("a-1", "done")


def test_progress_makes_a_stream_of_it_where_it_was_asked_for() -> None:
    headers, body = answered(message("tools/call", name="slow", _meta={"progressToken": "t"}))
    assert headers[b"content-type"] == b"text/event-stream"
    events = [json.loads(line[6:]) for line in body.splitlines() if line.startswith(b"data: ")]
    assert [one.get("method") for one in events] == ["notifications/progress"] * 2 + [None]
    assert events[0]["params"] == {"progressToken": "t", "progress": 1.0, "message": "so far"}
    assert events[-1]["result"]["content"][0]["text"] == "done"
    assert answered(message("tools/call", name="slow"))[0][b"content-type"] == b"application/json"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (message("tools/call", name="refused"), -32602),
        (message("tools/call"), -32602),
        (message("tools/absent"), -32601),
        (message("tools/call", name="broken"), -32603),
    ],
)
def test_errors_have_the_protocol_s_codes_and_tell_nothing_of_the_inside(body: bytes, code: int) -> None:
    told = json.loads(answered(body)[1])
    assert (told["id"], told["error"]["code"]) == ("a-1", code)
    assert "canary" not in json.dumps(told)


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (b"no JSON", {}),
        (b"[" + message("ping") + b"]", {}),
        (b'{"jsonrpc": "2.0", "method": "notifications/initialized"}', {}),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', {}),
        (message("initialize"), {}),
        (message("ping"), {"accept": "application/json"}),
        (message("ping"), {"content-type": "text/plain"}),
        (message("ping"), {"mcp-protocol-version": "2026-07-28"}),
        (message("ping"), {"mcp-protocol-version": "1999-01-01"}),
    ],
)
def test_everything_else_is_the_sdk_s(body: bytes, headers: dict[str, str]) -> None:
    assert plain_request(body, HEADERS | headers) is None
    assert plain_request(message("ping"), HEADERS | {"mcp-protocol-version": "2025-06-18"}) is not None
