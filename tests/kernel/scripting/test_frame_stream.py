"""The daemon's end of the socket to a worker process, over real sockets."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections import deque
from collections.abc import Iterator

import pytest

from jackfield.api.scripting.frames import PIECE, Frame, FrameTooLong, WorkerPipe, framed
from jackfield.api.scripting.stream import MOST_HELD, FrameStream

MANY = 500
DEADLINE = 20.0


@pytest.fixture
def sockets() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    yield ours, theirs
    ours.close()
    theirs.close()


async def test_what_is_sent_arrives_and_goes_away(sockets: tuple[socket.socket, socket.socket]) -> None:
    """More than the socket holds, in short and in long parts."""
    ours, theirs = sockets
    stream = FrameStream(ours, 1)
    bodies = [b"%d " % n * (1 + n % 7 * 10_000) for n in range(MANY)]
    parts = deque(framed(body, n) for n, body in enumerate(bodies))
    pipe, found = WorkerPipe(theirs.fileno()), list[Frame]()
    reader = threading.Thread(target=lambda: found.extend(pipe.receive() for _ in bodies))
    sending = stream.begin(parts)
    assert sending is not None
    reader.start()
    async with asyncio.timeout(DEADLINE):
        await sending
    await asyncio.to_thread(reader.join)
    assert not parts
    assert [bytes(frame.body) for frame in found] == bodies
    assert stream.begin(deque([b"short"])) is None
    stream.close()


async def test_no_more_is_received_than_somebody_takes(sockets: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = sockets
    stream = FrameStream(ours, MANY * 2 * PIECE)
    body = b"x" * (PIECE // 2)
    pipe, sent = WorkerPipe(theirs.fileno()), list[int]()

    def send() -> None:
        for n in range(MANY):
            pipe.send(body, n)
            sent.append(n)

    sender = threading.Thread(target=send)
    sender.start()
    async with asyncio.timeout(DEADLINE):
        while stream._watched:  # until the sender is held up
            await asyncio.sleep(0.001)
    assert len(sent) * len(body) < 2 * MOST_HELD
    async with asyncio.timeout(DEADLINE):
        numbers = [(await stream.frame()).number for _ in range(MANY)]
    assert numbers == list(range(MANY))
    await asyncio.to_thread(sender.join)
    stream.close()


async def test_a_frame_that_is_there_soon_is_had_without_the_loop(
    sockets: tuple[socket.socket, socket.socket],
) -> None:
    ours, theirs = sockets
    stream = FrameStream(ours, 1000)
    theirs.sendall(framed(b"first") + framed(b"second"))
    assert stream.frame_now(5) == Frame(b"first", 0)
    assert stream.frame_now(0) == Frame(b"second", 0)
    begun = time.perf_counter()
    assert stream.frame_now(0.002) is None
    assert 0.002 <= time.perf_counter() - begun < DEADLINE
    theirs.sendall(framed(b"third"))
    async with asyncio.timeout(DEADLINE):
        assert await stream.frame() == Frame(b"third", 0)
    stream.close()


async def test_a_long_frame_that_keeps_coming_holds_the_loop_up_no_longer(
    sockets: tuple[socket.socket, socket.socket],
) -> None:
    """Its beginning is read once, and the rest is the loop's."""
    ours, theirs = sockets
    stream = FrameStream(ours, 10 * PIECE)
    body = b"x" * (9 * PIECE)
    theirs.setblocking(False)
    sent = theirs.send(framed(body))
    assert sent > 2 * PIECE
    assert stream.frame_now(0) is None
    assert len(ours.recv(sent, socket.MSG_PEEK)) >= sent - PIECE
    theirs.setblocking(True)
    rest = asyncio.create_task(asyncio.to_thread(theirs.sendall, framed(body)[sent:]))
    async with asyncio.timeout(DEADLINE):
        assert await stream.frame() == Frame(bytearray(body), 0)
        await rest
    assert not stream.has_ended
    stream.close()
    assert stream.has_ended


@pytest.mark.parametrize("in_place", [True, False])
async def test_the_end_and_too_much_are_errors(sockets: tuple[socket.socket, socket.socket], in_place: bool) -> None:
    ours, theirs = sockets
    stream = FrameStream(ours, 100)
    theirs.sendall(framed(b"x" * 50) + framed(b"x" * 50))
    with pytest.raises(FrameTooLong):
        await _next(stream, in_place)
    stream.close()
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    stream = FrameStream(ours, 100)
    theirs.close()
    with pytest.raises(ConnectionError):
        await _next(stream, in_place)
    stream.close()
    stream.close()
    with pytest.raises(ConnectionError):
        await stream.frame()


async def test_a_deadline_ends_who_waits(sockets: tuple[socket.socket, socket.socket]) -> None:
    """For a frame, and for what cannot be sent."""
    ours, _ = sockets
    stream = FrameStream(ours, 100)
    asyncio.get_running_loop().call_later(0.01, stream.end, TimeoutError())
    with pytest.raises(TimeoutError):
        await stream.frame()
    sending = stream.begin(deque([b"x" * (100 * PIECE)]))
    assert sending is not None
    with pytest.raises(TimeoutError):
        await stream.until_end(sending)
    sending.cancel()
    await asyncio.gather(sending, return_exceptions=True)


async def _next(stream: FrameStream, in_place: bool) -> None:
    async with asyncio.timeout(DEADLINE):
        while True:
            if in_place:
                stream.frame_now(0.001)
            else:
                await stream.frame()
