"""Links to look at a session: what they show, what they do not let through, and when they end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import orjson
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from jackfield.api.errors import AuthRequired, NotFound, StoreUnavailable
from jackfield.api.events import STOPPING
from jackfield.core.events import LossyEventBus
from jackfield.testing.clock import FakeClock
from jackfield.testing.context import FakeContext
from jackfield_terminal.http import sharing as module
from jackfield_terminal.http.shares import REMEMBERED, ShareInvalid, Shares
from jackfield_terminal.http.sharing import Sharing
from jackfield_terminal.hub import Hub

from .conftest import DEADLINE, Client, start
from .test_terminal_commands import Here


@pytest.fixture
def sharing(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sharing:
    monkeypatch.setattr(module, "LOOK", 0.01)
    context: Any = FakeContext(tmp_path, clock=FakeClock())
    context.events = LossyEventBus(context.clock)
    context.ports["SessionHub"] = hub
    return Sharing(context)


def look(sharing: Sharing, first: str) -> Client:
    """A browser at `/ws/shared` that has sent its first message."""
    client = Client(SimpleNamespace(connect=sharing.connect), "/ws/shared")  # type: ignore[arg-type]
    client.say(orjson.loads(first)) if first else client.leave()
    return client


async def until(seen: Callable[[], object]) -> None:
    async with asyncio.timeout(DEADLINE):
        while not seen():
            await asyncio.sleep(0.005)


async def test_a_link_shows_the_session_and_takes_no_input(hub: Hub, sharing: Sharing) -> None:
    session = await start(hub, 'printf hello; read line; printf "got $line"')
    token, _ = sharing._shares.new(session.id, 60)
    client = look(sharing, f'{{"token": "{token}"}}')
    await client.printed(b"hello")
    assert [frame["type"] for frame in client.frames].count("websocket.accept") == 1
    client.type(b"intruder\n")
    client.say({"type": "signal", "signal": "TERM"})
    await session.write(b"owner\n")
    await client.printed(b"got owner")
    assert b"intruder" not in bytes(client.output)


async def test_a_link_to_a_shell_shows_it_to_whoever_has_the_link(hub: Hub, sharing: Sharing) -> None:
    session = await start(hub, "printf hello; read line")
    session.kind = "shell"
    token, _ = sharing._shares.new(session.id, 60)
    client = look(sharing, f'{{"token": "{token}"}}')
    await client.printed(b"hello")


async def test_a_link_stays_one_to_look_with(hub: Hub, sharing: Sharing) -> None:
    """Whatever the address asks for."""
    session = await start(hub, 'read line; printf "got $line"')
    token, _ = sharing._shares.new(session.id, 60)

    async def asks(scope: dict[str, Any], receive: Any, send: Any) -> None:
        await sharing.connect({**scope, "query_string": b"sizes=1&mode=rw"}, receive, send)

    client = Client(SimpleNamespace(connect=asks), "/ws/shared")  # type: ignore[arg-type]
    client.say({"token": token})
    await client.until(lambda: client.messages("size"))
    client.type(b"intruder\n")
    client.say({"type": "resize", "cols": 10, "rows": 10})
    await session.write(b"owner\n")
    await client.printed(b"got owner")
    assert (session.cols, session.rows) == (80, 24)


@pytest.mark.parametrize("first", ["{}", '{"token": "jf_sh_guess"}', '{"token": 7}', "[]"])
async def test_without_its_token_nothing_is_shown(hub: Hub, sharing: Sharing, first: str) -> None:
    await start(hub, "printf hello; sleep 30")
    client = look(sharing, first)
    await until(lambda: client.frames and client.frames[-1]["type"] == "websocket.close")
    assert client.frames[-1]["code"] == module.REFUSED
    assert bytes(client.output) == b""


async def test_a_link_that_is_ended_closes_what_it_has_opened(hub: Hub, sharing: Sharing) -> None:
    session = await start(hub, "printf hello; sleep 30")
    token, _ = sharing._shares.new(session.id, 60)
    client = look(sharing, f'{{"token": "{token}"}}')
    await client.printed(b"hello")
    assert sharing._shares.end(session.id) == 1
    await until(lambda: client.frames[-1]["type"] == "websocket.close")
    assert client.frames[-1]["code"] == module.REFUSED
    assert not session.attachments


async def test_a_link_ends_with_its_makers_credential(hub: Hub, sharing: Sharing) -> None:
    session = await start(hub, "printf hello; sleep 30")
    looks: list[Exception | None] = [None, StoreUnavailable(), None]

    async def maker() -> None:
        if (error := looks.pop(0) if looks else AuthRequired()) is not None:
            raise error

    token, _ = sharing._shares.new(session.id, 60, maker)
    client = look(sharing, f'{{"token": "{token}"}}')
    await client.printed(b"hello")
    await until(lambda: client.frames[-1]["type"] == "websocket.close")
    assert (client.frames[-1]["code"], looks) == (module.REFUSED, [])
    with pytest.raises(ShareInvalid):
        await sharing._shares.find(token)


async def test_while_nobody_knows_of_the_maker_a_link_opens_nothing(hub: Hub, sharing: Sharing) -> None:
    session = await start(hub, "printf hello; sleep 30")

    async def maker() -> None:
        raise StoreUnavailable

    token, _ = sharing._shares.new(session.id, 60, maker)
    client = look(sharing, f'{{"token": "{token}"}}')
    await until(lambda: client.frames and client.frames[-1]["type"] == "websocket.close")
    assert bytes(client.output) == b""


def test_a_logout_ends_the_links_that_were_made(tmp_path: Path) -> None:
    here = Here(tmp_path)
    try:
        session = here.new("printf hello; sleep 30")
        caller = here.daemon.admin()
        caller.base_url = httpx.URL(here.daemon.base_url)
        made = caller.post(f"/api/terminal/sessions/{session}/share", json={}).raise_for_status().json()["data"]
        with connect(f"ws://127.0.0.1:{here.daemon.port}/ws/shared", proxy=None) as viewer:
            viewer.send(orjson.dumps({"token": made["token"]}).decode())
            assert orjson.loads(viewer.recv(5))["type"] == "connected"
            caller.post("/api/v1/auth/logout").raise_for_status()
            with pytest.raises(ConnectionClosed) as closed:
                list(iter(lambda: viewer.recv(10), None))
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == module.REFUSED
    finally:
        here.close()


async def test_a_stop_does_not_wait_for_a_token(sharing: Sharing) -> None:
    client = Client(SimpleNamespace(connect=sharing.connect), "/ws/shared")  # type: ignore[arg-type]
    await until(lambda: sharing._waiting)
    sharing._context.events.publish("system", STOPPING, {})
    await until(lambda: client.frames[-1]["type"] == "websocket.close")
    assert client.frames[-1]["code"] == module.REFUSED


async def test_links_leave_room_for_others(hub: Hub, sharing: Sharing) -> None:
    session = await start(hub, "printf hello; sleep 30")
    token, _ = sharing._shares.new(session.id, 60)
    most = hub.settings.max_clients // 2
    viewers = [look(sharing, f'{{"token": "{token}"}}') for _ in range(most)]
    for viewer in viewers:
        await viewer.printed(b"hello")
    refused = look(sharing, f'{{"token": "{token}"}}')
    await until(lambda: refused.frames and refused.frames[-1]["type"] == "websocket.close")
    assert refused.frames[-1]["code"] == module.FULL
    for viewer in viewers:
        viewer.leave()
    await until(lambda: not sharing._viewers)
    await look(sharing, f'{{"token": "{token}"}}').printed(b"hello")


async def test_another_path_is_not_ours(sharing: Sharing) -> None:
    with pytest.raises(NotFound):
        await sharing.connect({"type": "websocket", "path": "/ws/shared/x"}, None, None)  # type: ignore[arg-type]


async def test_links_end_with_their_time_and_are_bounded() -> None:
    clock = FakeClock()
    shares = Shares(clock, "here")
    token, share = shares.new("s", 60)
    assert await shares.find(token) == share
    await clock.advance(60)
    with pytest.raises(ShareInvalid):
        await shares.find(token)
    tokens = [shares.new("s", 100 + number)[0] for number in range(REMEMBERED + 1)]
    with pytest.raises(ShareInvalid):
        await shares.find(tokens[0])
    assert await shares.find(tokens[1])
    assert shares.end("s") == REMEMBERED
