"""Keystrokes and their echo on the short way, beside what goes the usual way."""

from __future__ import annotations

import asyncio
from typing import Any

from jackfield.api.asgi import SHORTCUT, Take
from jackfield_terminal.hub import Hub
from jackfield_terminal.session.attachment import AT_ONCE, QUIET

from .conftest import Client, start

ECHO = "stty raw -echo; printf ready; exec cat"


class Way:
    """A server's short cut, into the frames of a client. is_free: whether it takes anything."""

    def __init__(self) -> None:
        self.client: Any = None
        self.sent: list[bytes] = []
        self.take: Take | None = None
        self.is_free = True
        self.is_shut = False

    def send(self, data: bytes) -> bool:
        if not self.is_free:
            return False
        self.sent.append(data)
        self.client.frames.append({"type": "websocket.send", "bytes": data})
        self.client.output += data
        return True

    def listen(self, take: Take) -> None:
        self.take = take

    def close(self) -> None:
        self.is_shut = True


class Shortened(Client):
    """A client whose server has a short cut."""

    def __init__(self, hub: Hub, session: Any, query: str = "") -> None:
        self.way = Way()
        self.way.client = self
        super().__init__(Asking(hub, self.way), f"/ws/terminal/{session.id}", query)  # type: ignore[arg-type]

    async def comes(self, text: bytes) -> None:
        """What comes on the short way tells nobody."""
        async with asyncio.timeout(15):
            while text not in self.output:
                await asyncio.sleep(QUIET)

    async def settles(self) -> None:
        """Everything has been sent, and for long enough."""
        await asyncio.sleep(QUIET * 5)


class Asking:
    """A hub whose scope has the short cut."""

    def __init__(self, hub: Hub, way: Way) -> None:
        self._hub, self._way = hub, way

    async def connect(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        await self._hub.connect({**scope, "extensions": {SHORTCUT: self._way}}, receive, send)


async def ready(hub: Hub, query: str = "", script: str = ECHO) -> tuple[Any, Shortened]:
    session = await start(hub, script)
    client = Shortened(hub, session, query)
    await client.comes(b"ready")
    await client.settles()
    return session, client


async def test_a_keystroke_and_its_echo_need_no_task(hub: Hub) -> None:
    _, client = await ready(hub)
    assert client.way.take is not None
    assert client.way.take(b"k") == b""
    await client.comes(b"readyk")
    assert client.way.sent[-1] == b"k"


async def test_where_it_cannot_be_sent_it_goes_the_usual_way(hub: Hub) -> None:
    _, client = await ready(hub)
    client.way.is_free = False
    before = len(client.way.sent)
    client.type(b"k")
    await client.comes(b"readyk")
    assert len(client.way.sent) == before


async def test_output_that_is_large_or_comes_close_together_does_too(hub: Hub) -> None:
    session, client = await ready(hub)
    before = len(client.way.sent)
    session._printed(b"x" * (AT_ONCE + 1))
    assert len(client.way.sent) == before
    await client.comes(b"x" * (AT_ONCE + 1))
    await client.settles()
    session._printed(b"one")
    session._printed(b"two")
    assert client.way.sent[before:] == [b"one"]
    await client.comes(b"onetwo")


async def test_nothing_is_lost_or_out_of_order_on_both_ways(hub: Hub) -> None:
    session, client = await ready(hub)
    wanted = bytearray(b"ready")
    for number in range(400):
        data = b"<%d>" % number * (number % 7 * 300 + 1)
        client.way.is_free = number % 5 != 0
        session._printed(data)
        wanted += data
        if number % 3 == 0:
            await asyncio.sleep(0)
        if number % 40 == 0:
            await client.settles()
    await client.comes(b"<399>")
    await client.settles()
    assert client.output == wanted
    assert len(client.way.sent) > 5


async def test_a_new_size_comes_before_the_output_after_it(hub: Hub) -> None:
    session, client = await ready(hub, "sizes=1")
    client.frames.clear()
    client.say({"type": "resize", "cols": 100.0, "rows": 30})
    await client.until(lambda: client.messages("size"))
    await client.settles()
    session.cols = 101
    session._printed(b"after")
    await client.comes(b"after")
    kinds = ["text" if frame.get("text") else "bytes" for frame in client.frames]
    assert kinds == ["text", "text", "bytes"]


async def test_a_window_counts_for_both_ways(hub: Hub) -> None:
    session, client = await ready(hub, "window=65536")
    for _ in range(100):
        session._printed(b"x" * 1000)
        await asyncio.sleep(QUIET)
    assert 65536 <= client.output.count(b"x") < 100_000
    client.say({"type": "taken", "bytes": 65536})
    await client.until(lambda: client.output.count(b"x") == 100_000)


async def test_nobody_overtakes_one_who_types(hub: Hub) -> None:
    session, client = await ready(hub)
    assert client.way.take is not None
    async with session.input_lock:
        other = asyncio.ensure_future(session.write(b"first"))
        await asyncio.sleep(0)
        assert client.way.take(b"second") == b"second"
    await other
    assert client.way.take(b"third") == b""
    await client.comes(b"firstthird")


async def test_an_agent_that_does_not_read_gets_the_rest_the_usual_way(hub: Hub) -> None:
    _, client = await ready(hub, script="stty raw -echo; printf ready; exec sleep 1000")
    assert client.way.take is not None
    async with asyncio.timeout(15):
        while not (left := client.way.take(b"x" * 100)):
            await asyncio.sleep(0)
    assert 0 < len(left) <= 100


async def test_who_may_only_look_is_not_listened_to(hub: Hub) -> None:
    _, client = await ready(hub, "mode=ro")
    assert client.way.take is None


async def test_the_end_comes_last_and_shuts_the_way(hub: Hub) -> None:
    _, client = await ready(hub, script="printf ready; read line; printf bye; exit 3")
    assert client.way.take is not None
    client.way.take(b"\n")
    await client.until(lambda: client.messages("state_changed"))
    await client.task
    assert client.output.endswith(b"bye")
    assert client.frames[-1]["type"] == "websocket.close"
    assert client.way.is_shut
