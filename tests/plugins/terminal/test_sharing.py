"""Links to look at a session: what they show, what they do not let through, and when they end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import orjson
import pytest

from jackfield.api.errors import NotFound
from jackfield.api.events import STOPPING
from jackfield.core.events import Bus
from jackfield.testing.clock import FakeClock
from jackfield.testing.context import FakeContext
from jackfield_terminal import sharing as module
from jackfield_terminal.hub import Hub
from jackfield_terminal.shares import REMEMBERED, ShareInvalid, Shares
from jackfield_terminal.sharing import Sharing

from .conftest import DEADLINE, Client, start


@pytest.fixture
def sharing(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sharing:
    monkeypatch.setattr(module, "LOOK", 0.01)
    context: Any = FakeContext(tmp_path, clock=FakeClock())
    context.events = Bus(context.clock)
    lazy: Any = SimpleNamespace(hub=hub, connect=hub.connect)
    return Sharing(context, lazy)


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
    shares = Shares(clock)
    token, share = shares.new("s", 60)
    assert shares.find(token) == share
    await clock.advance(60)
    with pytest.raises(ShareInvalid):
        shares.find(token)
    tokens = [shares.new("s", 100 + number)[0] for number in range(REMEMBERED + 1)]
    with pytest.raises(ShareInvalid):
        shares.find(tokens[0])
    assert shares.find(tokens[1])
    assert shares.end("s") == REMEMBERED
