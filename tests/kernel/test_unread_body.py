"""An answer before its request's body has been read."""

from __future__ import annotations

import asyncio

import pytest

from jackfield.api.asgi import Message
from jackfield.http import unread_body
from jackfield.http.unread_body import DrainingExchange

END: Message = {"type": "http.response.body", "body": b"no", "more_body": False}


def exchange(pieces: asyncio.Queue[Message]) -> tuple[DrainingExchange, list[Message]]:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    return DrainingExchange(pieces.get, send), sent


async def turns() -> None:
    """Until both wait for the next piece."""
    for _ in range(5):
        await asyncio.sleep(0)


def piece(body: bytes, *, more: bool) -> Message:
    return {"type": "http.request", "body": body, "more_body": more}


async def test_the_end_of_the_body_may_be_the_applications() -> None:
    pieces: asyncio.Queue[Message] = asyncio.Queue()
    made, sent = exchange(pieces)
    waiting = asyncio.create_task(made.receive())
    await turns()
    answering = asyncio.create_task(made.send(END))
    await turns()
    pieces.put_nowait(piece(b"all", more=False))
    async with asyncio.timeout(unread_body.DISCARD_SECONDS / 2):
        await answering
        await waiting
    assert [message["more_body"] for message in sent] == [True, False]


async def test_a_large_rest_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unread_body, "DISCARD_BYTES", 10)
    pieces: asyncio.Queue[Message] = asyncio.Queue()
    for _ in range(9):
        pieces.put_nowait(piece(b"12345", more=True))
    made, sent = exchange(pieces)
    await made.send(END)
    assert pieces.qsize() == 7
    assert sent[-1]["more_body"] is False


async def test_a_body_that_does_not_come_is_waited_for_so_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unread_body, "DISCARD_SECONDS", 0.01)
    made, sent = exchange(asyncio.Queue())
    await made.send(END)
    assert sent[-1]["more_body"] is False
