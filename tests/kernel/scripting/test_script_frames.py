"""Frames between the daemon and the processes of scripts, cut anywhere on their way."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.scripting.frames import HEAD, PIECE, Frame, FrameParser, FrameTooLong, WorkerPipe, fitting, framed

NUMBERS = st.integers(0, 2**32 - 1)
BODIES = st.one_of(
    st.binary(max_size=300),
    st.integers(0, 3 * PIECE).map(lambda size: b"x" * size),
    st.integers(-HEAD.size - 2, 2).map(lambda more: b"y" * (PIECE + more)),
)
FRAMES = st.lists(st.builds(Frame, BODIES, NUMBERS), max_size=6)


def cut(data: bytes, sizes: Sequence[int]) -> Iterator[bytes]:
    """All of the data in pieces of these sizes, again and again."""
    place = turn = 0
    while place < len(data):
        size = sizes[turn % len(sizes)]
        yield data[place : place + size]
        place, turn = place + size, turn + 1


def put(parser: FrameParser, data: bytes) -> None:
    """As a socket does: as much at a time as there is room for."""
    while data:
        room = parser.room()
        assert room
        count = min(len(room), len(data))
        room[:count] = data[:count]
        data = data[count:]
        parser.received(count)


def taken(parser: FrameParser) -> list[Frame]:
    return [Frame(bytes(frame.body), frame.number) for frame in iter(parser.take, None)]


@given(FRAMES, st.lists(st.sampled_from([1, 3, 7, 8, 9, 1000, PIECE - 1, PIECE, 3 * PIECE]), min_size=1, max_size=4))
def test_frames_come_whole_and_in_order_however_they_are_cut(frames: list[Frame], sizes: list[int]) -> None:
    small = sum(len(frame.body) for frame in frames) > 4 * PIECE
    parser = FrameParser(largest=100 * PIECE)
    sizes = [max(size, 500) for size in sizes] if small else sizes  # a megabyte byte by byte takes too long
    found: list[Frame] = []
    for piece in cut(b"".join(framed(*frame) for frame in frames), sizes):
        put(parser, piece)
        assert parser.held >= 0
        found += taken(parser)
    assert found == frames
    assert parser.held == 0


@given(FRAMES)
def test_what_has_not_been_taken_is_counted(frames: list[Frame]) -> None:
    parser = FrameParser(largest=100 * PIECE)
    put(parser, b"".join(framed(*frame) for frame in frames))
    assert parser.held == sum(len(frame.body) for frame in frames)
    assert taken(parser) == frames


@given(st.lists(BODIES, min_size=1, max_size=5), st.integers(1, 40))
def test_an_answer_may_have_so_many_bytes_and_no_more(bodies: list[bytes], less: int) -> None:
    data = b"".join(map(framed, bodies))
    exact = FrameParser(largest=len(data))
    put(exact, data)
    exact.expect()
    put(exact, data)  # the next answer has as many
    assert [frame.body for frame in taken(exact)] == bodies * 2
    with pytest.raises(FrameTooLong):
        put(FrameParser(largest=len(data) - min(less, len(data))), data)


@given(st.binary(min_size=1, max_size=200))
def test_no_bytes_make_it_do_anything_but_wait_or_refuse(data: bytes) -> None:
    parser = FrameParser(largest=1000)
    try:
        put(parser, data)
    except FrameTooLong:
        return
    assert sum(HEAD.size + len(frame.body) for frame in taken(parser)) <= len(data)


@given(FRAMES)
def test_the_worker_s_end_sends_and_receives_the_same(frames: list[Frame]) -> None:
    there, here = os.pipe()
    sender = threading.Thread(target=lambda: _send_all(here, frames))
    sender.start()
    try:
        pipe = WorkerPipe(there)
        found = [pipe.receive() for _ in frames]
        with pytest.raises(EOFError):
            pipe.receive()
    finally:
        os.close(there)
        sender.join()
    assert [Frame(bytes(frame.body), frame.number) for frame in found] == frames


def _send_all(here: int, frames: list[Frame]) -> None:
    pipe = WorkerPipe(here)
    for frame in frames:
        pipe.send(bytes(frame.body), frame.number)
    os.close(here)


@given(st.integers(1, 10**6), st.integers(0, 2**30))
def test_the_next_frame_fits_or_has_one_element(count: int, size: int) -> None:
    """Elements that are as large as those before make a frame of its size; there is always at least one."""
    following = fitting(count, size)
    assert 1 <= following <= 2 * count
    assert following == 1 or following * size <= count * PIECE
