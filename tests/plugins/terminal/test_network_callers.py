"""What callers from the network may do with sessions that others have started."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from jackfield.api.profiles import Sandbox
from jackfield.api.records import replace
from jackfield_terminal.hub import REFUSED, Hub
from jackfield_terminal.settings import TerminalSettings

from .conftest import NEAR, Client, start
from .terminal_lab import Api

FAR: dict[str, Any] = {"client": ("192.0.2.7", 1234)}
PROXIED: dict[str, Any] = {"client": ("127.0.0.1", 1234), "jackfield.forwarded": True}


async def session_in(hub: Hub, sandbox: Sandbox) -> Any:
    session = await start(hub, "printf hello; read line; echo got $line; read line")
    profile = replace(session.launch.profile, sandbox=sandbox)
    session.launch = replace(session.launch, profile=profile)
    return session


async def dial(hub: Hub, session: Any, query: str, peer: str) -> Client:
    client = Client(hub, f"/ws/terminal/{session.id}", query, peer=peer)
    await client.until(lambda: len(client.frames) > 1)
    return client


@pytest.mark.parametrize("scope", [FAR, PROXIED])
async def test_the_network_looks_at_an_agent_without_a_sandbox_and_does_nothing_to_it(
    hub: Hub, scope: dict[str, Any]
) -> None:
    session, api = await session_in(hub, "off"), Api(hub)
    path = f"/sessions/{session.id}"
    for method, below, body in (
        ("POST", "/input", {"text": "x\n"}),
        ("POST", "/message", {"content": "x", "type": "raw"}),
        ("POST", "/message", {"content": "x"}),
        ("DELETE", "", None),
    ):
        refused = await api.ask(method, f"{path}{below}", status=403, json=body, scope_base=scope)
        assert refused["code"] == "SESSION_NOT_SANDBOXED"
    shown = (await api.ask("GET", f"{path}/wait?quiet=0.2", scope_base=scope))["screen"]["text"]
    assert ("hello" in shown, "got" in shown) == (True, False)
    assert session.state == "running"


async def test_the_socket_of_such_an_agent_is_to_look_only(hub: Hub) -> None:
    session = await session_in(hub, "off")
    refused = await dial(hub, session, "", "192.0.2.7")
    await refused.until(lambda: refused.frames[-1]["type"] == "websocket.close")
    assert refused.frames[-1]["code"] == REFUSED
    assert "terminal.network_sandbox" in refused.messages("error")[0]["message"]
    viewer = await dial(hub, session, "mode=ro", "192.0.2.7")
    await viewer.printed(b"hello")
    viewer.type(b"intruder\n")
    owner = await dial(hub, session, "", "127.0.0.1")
    owner.type(b"owner\n")
    await viewer.printed(b"got owner")


@pytest.mark.parametrize(
    ("sandbox", "least", "status"),
    [("standard", "standard", 200), ("strict", "standard", 200), ("standard", "strict", 403), ("off", "off", 200)],
)
async def test_the_sandbox_that_the_setting_asks_for_is_enough(
    hub: Hub, sandbox: Sandbox, least: Sandbox, status: int
) -> None:
    hub.settings = hub.settings.model_copy(update={"network_sandbox": least})
    session = await session_in(hub, sandbox)
    body = {"text": "far\n"}
    await Api(hub).ask("POST", f"/sessions/{session.id}/input", status=status, json=body, scope_base=FAR)


async def test_who_is_here_is_not_asked(hub: Hub) -> None:
    session = await session_in(hub, "off")
    await Api(hub).ask("POST", f"/sessions/{session.id}/input", json={"text": "near\n"}, scope_base=NEAR)


async def test_the_network_forgets_its_own_sessions_only(hub: Hub, settings: TerminalSettings) -> None:
    assert settings.network_sandbox == "standard"
    ours, theirs = await session_in(hub, "off"), await session_in(hub, "standard")
    await asyncio.gather(hub.stop(ours.id), hub.stop(theirs.id))
    await Api(hub).ask("POST", "/cleanup", scope_base=FAR)
    assert hub.all() == [ours]
    await Api(hub).ask("POST", "/cleanup", scope_base=NEAR)
    assert hub.all() == []
