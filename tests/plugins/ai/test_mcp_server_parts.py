"""Parts of the MCP server: addresses, who may call, bodies. See also tests/e2e."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("mcp")

from ai_lab import AiLab, node
from hypothesis import given
from hypothesis import strategies as st
from mcp.server.lowlevel import Server

from jackfield.api.asgi import Message
from jackfield.api.errors import (
    AccessDenied,
    InvalidInput,
    NotFound,
    PayloadTooLarge,
    RequestTimeout,
    StoreUnavailable,
    WebhookUnauthorized,
)
from jackfield.api.mcp.bodies import BodyLimits, read_body, replayed
from jackfield.api.workflows import Node
from jackfield_ai.mcp_server.access import check_caller
from jackfield_ai.mcp_server.paths import candidates, messages_address, path_of
from jackfield_ai.mcp_server.transports import SseSessions
from jackfield_ai.settings import AiSettings


def server(path: object = "tools", **more: Any) -> Node:
    made = node("Server", "mcpTrigger", {"path": path, **more.pop("parameters", {})}, typeVersion=2, **more)
    return Node(
        id="s", name="Server", type=made["type"], kind="langchain.mcpTrigger", version=2, parameters=made["parameters"]
    )


SEGMENT = st.text("abcXYZ019_~-", min_size=1, max_size=12)


@given(st.lists(SEGMENT, min_size=1, max_size=4))
def test_plain_paths_are_addresses_with_and_without_slashes(parts: list[str]) -> None:
    path = "/".join(parts)
    assert path_of(server(path)) == path
    assert path_of(server(f"/{path}/")) == path
    for suffix in ("", "/sse", "/messages"):
        assert path in list(candidates(path + suffix))


@given(st.text(max_size=30))
def test_what_is_an_address_needs_no_escapes_and_leads_nowhere_else(text: str) -> None:
    path = path_of(server(text))
    assert path == "" or (path == text.strip("/") and path.isascii())
    assert not {".", ".."} & set(path.split("/"))


@pytest.mark.parametrize("path", ["={{ $json.a }}", "a//b", "a/../b", "..", "", None, 3, ["a"], "a b", "x" * 501])
def test_other_paths_are_none(path: object) -> None:
    assert path_of(server(path)) == ""


def test_messages_go_where_the_node_s_version_has_them() -> None:
    assert messages_address("/mcp/tools/sse") == "/mcp/tools/messages"
    assert messages_address("/mcp/tools") == "/mcp/tools"


async def test_a_page_of_another_site_may_not_call(lab: AiLab) -> None:
    own = {"host": "127.0.0.1:8080"}
    for origin in (None, "http://127.0.0.1:8080", "https://127.0.0.1:8080"):
        await check_caller(lab.context, server(), {**own, **({"origin": origin} if origin else {})})
    for origin in ("null", "http://127.0.0.1", "http://evil.example", "http://127.0.0.1:8080.evil.example", ""):
        with pytest.raises(AccessDenied):
            await check_caller(lab.context, server(), {**own, "origin": origin})


async def test_a_server_without_a_usable_credential_is_closed(lab: AiLab) -> None:
    for how in ("bearerAuth", "headerAuth", "n8nOAuth2", "={{ 'none' }}"):
        with pytest.raises(WebhookUnauthorized):
            await check_caller(lab.context, server(parameters={"authentication": how}), {"authorization": "Bearer "})


def receiving(*parts: bytes, end: bool = True) -> Any:
    messages: list[Message] = [{"type": "http.request", "body": part, "more_body": True} for part in parts]
    if end:
        messages.append({"type": "http.request", "body": b"", "more_body": False})
    messages.append({"type": "http.disconnect"})

    async def receive() -> Message:
        return messages.pop(0)

    return receive


async def test_a_body_is_read_once_and_given_again() -> None:
    receive = receiving(b"ab", b"cd")
    body = await read_body(receive, {"content-length": "4"}, BodyLimits(4, 1, "ai.mcp_"))
    assert body == b"abcd"
    again = replayed(body, receive)
    assert await again() == {"type": "http.request", "body": b"abcd", "more_body": False}
    assert (await again())["type"] == "http.disconnect"


async def test_a_body_that_is_too_large_late_or_cut_off_is_refused() -> None:
    with pytest.raises(PayloadTooLarge):
        await read_body(receiving(), {"content-length": "5"}, BodyLimits(4, 1, "ai.mcp_"))
    with pytest.raises(PayloadTooLarge):
        await read_body(receiving(b"abc", b"de"), {}, BodyLimits(4, 1, "ai.mcp_"))
    with pytest.raises(InvalidInput):
        await read_body(receiving(b"a", end=False), {}, BodyLimits(4, 1, "ai.mcp_"))

    async def never() -> Message:
        return await asyncio.get_running_loop().create_future()

    with pytest.raises(RequestTimeout):
        await read_body(never, {}, BodyLimits(4, 0.01, "ai.mcp_"))


async def test_a_client_over_sse_that_says_nothing_is_let_go() -> None:
    sessions = SseSessions(AiSettings(mcp_sse_idle=0.05, mcp_sse_sessions=1))
    sent: list[Message] = []

    async def receive() -> Message:
        return await asyncio.get_running_loop().create_future()

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": "/mcp/tools", "query_string": b"", "headers": [], "root_path": ""}
    connected = asyncio.create_task(sessions.connect(Server("s"), "/mcp/tools", scope, receive, send))
    while not any(b"event: endpoint" in message.get("body", b"") for message in sent):
        await asyncio.sleep(0)
    with pytest.raises(StoreUnavailable):
        await sessions.connect(Server("s"), "/mcp/tools", scope, receive, send)
    async with asyncio.timeout(10):
        await connected
    assert not sent[-1].get("more_body")
    with pytest.raises(NotFound):
        await sessions.post("/mcp/tools", scope, receive, send)
