"""The rules for every bus between daemons."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Protocol

import pytest

from ...api.bus import MOST_BYTES, QUEUE, Bus, Messages, Payload

LIMIT = 10.0
"""Seconds that a test waits for a message."""


class BusLab(Protocol):
    """Buses of daemons that share everything."""

    async def make(self) -> Bus:
        """One more, open and connected."""

    async def put(self, batch: bytes) -> None:
        """Send something to all of them past Jackfield."""

    async def cut(self) -> None:
        """Break the connections of all of them; they may connect anew at once."""


async def until(ready: Callable[[], bool]) -> None:
    """Raises TimeoutError."""
    async with asyncio.timeout(LIMIT):
        while not ready():
            await asyncio.sleep(0.005)


async def taken(messages: Messages, count: int) -> list[Payload]:
    """The payloads of the next messages, that many. Raises TimeoutError."""
    found: list[Payload] = []
    async with asyncio.timeout(LIMIT):
        async for message in messages:
            found.append(message.payload)
            if len(found) == count:
                break
    return found


async def arrives(sender: Bus, listener: Bus) -> None:
    """Whether anything gets through again: tells until it is heard. Raises TimeoutError."""
    with listener.subscribe("probe") as messages:
        async with asyncio.timeout(LIMIT):
            while True:
                sender.publish("probe", {})
                try:
                    async with asyncio.timeout(0.05):
                        await anext(aiter(messages))
                        return
                except TimeoutError:
                    continue


class BusContract:
    """Subclass it and give the fixture `lab`."""

    async def test_everybody_else_hears_it(self, lab: BusLab) -> None:
        first, second, third = [await lab.make() for _ in range(3)]
        with second.subscribe("thing.changed") as one, third.subscribe("thing.changed") as other:
            first.publish("thing.changed", {"id": "é", "n": 1})
            assert await taken(one, 1) == await taken(other, 1) == [{"id": "é", "n": 1}]
            assert one.missed() == 0

    async def test_messages_of_a_topic_come_in_their_order(self, lab: BusLab) -> None:
        first, second = [await lab.make() for _ in range(2)]
        with second.subscribe("thing.changed") as messages:
            for n in range(500):
                first.publish("thing.changed", {"n": n})
                first.publish("other", {"n": n})
            assert [each["n"] for each in await taken(messages, 500)] == list(range(500))

    async def test_large_messages_get_through(self, lab: BusLab) -> None:
        first, second = [await lab.make() for _ in range(2)]
        payloads = [{"id": str(n) + "x" * (MOST_BYTES - 20)} for n in range(5)]
        with second.subscribe("thing.changed") as messages:
            for payload in payloads:
                first.publish("thing.changed", payload)
            assert await taken(messages, 5) == payloads

    @pytest.mark.parametrize(
        ("topic", "payload"),
        [("", {}), ("Big.Topic", {}), ("a b", {}), ("a..b", {}), ("a", {"id": "x" * MOST_BYTES})],
    )
    async def test_what_does_not_fit_is_refused(self, lab: BusLab, topic: str, payload: Payload) -> None:
        bus = await lab.make()
        with pytest.raises(ValueError, match=r"topic|bytes"):
            bus.publish(topic, payload)

    async def test_nobody_hears_himself_unless_he_wishes(self, lab: BusLab) -> None:
        first, second = [await lab.make() for _ in range(2)]
        with first.subscribe("t") as others, first.subscribe("t", own=True) as every:
            first.publish("t", {"by": 1})
            with second.subscribe("t") as heard:
                first.publish("t", {"by": 1.5})
                await taken(heard, 1)
            second.publish("t", {"by": 2})
            assert await taken(others, 1) == [{"by": 2}]
            assert await taken(every, 3) == [{"by": 1}, {"by": 1.5}, {"by": 2}]

    async def test_who_listens_no_more_hears_nothing(self, lab: BusLab) -> None:
        first, second = [await lab.make() for _ in range(2)]
        with second.subscribe("t") as ended:
            pass
        with second.subscribe("t") as messages:
            first.publish("t", {"n": 1})
            await taken(messages, 1)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(anext(aiter(ended)), 0.01)

    async def test_a_slow_listener_keeps_the_newest(self, lab: BusLab) -> None:
        first, second = [await lab.make() for _ in range(2)]
        with second.subscribe("t") as slow, second.subscribe("t") as quick:
            for n in range(QUEUE + 10):
                first.publish("t", {"n": n})
                await taken(quick, 1)
            assert (await taken(slow, 1))[0] == {"n": 10}
            assert slow.missed() == 10
            assert slow.missed() == 0

    async def test_what_is_no_message_is_ignored_and_told(self, lab: BusLab, caplog: pytest.LogCaptureFixture) -> None:
        first, second = [await lab.make() for _ in range(2)]
        with second.subscribe("t") as messages, caplog.at_level(logging.WARNING):
            for batch in (b"{", b"[1]", b"{}", b'[{"topic":"t"}]', b'[{"topic":"t","from":"a","payload":[]}]'):
                await lab.put(batch)
            first.publish("t", {"n": 1})
            await until(lambda: "no message of Jackfield" in caplog.text)
            assert await taken(messages, 1) == [{"n": 1}]

    async def test_a_request_gets_its_first_answer(self, lab: BusLab) -> None:
        first, second, third = [await lab.make() for _ in range(3)]

        async def silent(payload: Payload) -> None:
            return None

        async def doubled(payload: Payload) -> Payload:
            n = payload["n"]
            assert isinstance(n, int)
            return {"n": n * 2}

        with third.respond("double", silent), second.respond("double", doubled):
            answers = await asyncio.gather(*(first.request("double", {"n": n}, timeout=LIMIT) for n in range(5)))
        assert answers == [{"n": n * 2} for n in range(5)]

    async def test_a_request_without_an_answer_ends(self, lab: BusLab, caplog: pytest.LogCaptureFixture) -> None:
        first, second = [await lab.make() for _ in range(2)]

        async def failing(payload: Payload) -> Payload:
            raise OSError("out of order")

        with second.respond("t", failing), pytest.raises(TimeoutError):
            await first.request("t", {}, timeout=0.3)
        assert "out of order" in caplog.text

    async def test_a_cut_line_comes_back(self, lab: BusLab) -> None:
        first, second = [await lab.make() for _ in range(2)]
        with second.subscribe("t") as messages:
            await lab.cut()
            await arrives(first, second)
            first.publish("t", {"n": 1})
            assert await taken(messages, 1) == [{"n": 1}]

    async def test_what_was_published_last_is_sent_before_the_end(self, lab: BusLab) -> None:
        first, second = [await lab.make() for _ in range(2)]
        with second.subscribe("t") as messages:
            first.publish("t", {"n": 1})
            await first.close()
            assert await taken(messages, 1) == [{"n": 1}]
        assert not first.connected
        first.publish("t", {})
        await first.close()
