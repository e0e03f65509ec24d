"""The process's end of the pipe, while the daemon does not read."""

from __future__ import annotations

import pytest

from jackfield.api.dialects.model import DialectError
from jackfield.api.gateway import PlannedRequest
from jackfield_proxy.child.process.pipe import MOST_WAITING, Pipe
from jackfield_proxy.messages import FromChild, ServedRequest, unpacked


class Unread:
    """A transport whose other end reads nothing."""

    def __init__(self) -> None:
        self.waiting = b""
        self.other = 0
        """Bytes that wait beside what the test has sent."""

    def get_write_buffer_size(self) -> int:
        return self.other + len(self.waiting)

    def write(self, data: bytes) -> None:
        self.waiting += data

    def messages(self) -> list[FromChild]:
        return [unpacked(line, FromChild) for line in self.waiting.splitlines()]


@pytest.fixture
def unread() -> Unread:
    return Unread()


@pytest.fixture
def pipe(unread: Unread) -> Pipe:
    made = Pipe()
    made._out = unread  # type: ignore[assignment] # as much of a transport as it uses
    return made


def served(request: str) -> FromChild:
    record = ServedRequest(request, 1, "chat", "m", "north", "m", 200, 5, False, error="e" * 500, input=7, key="k")
    return FromChild(served=record)


async def reserve(pipe: Pipe, request: str) -> None:
    """The daemon says nothing."""
    with pytest.raises(DialectError):
        await pipe.permission(0.001, planned=PlannedRequest("k", request, "p", "north", "m", 1, 1))


async def test_the_end_of_what_the_daemon_may_hold_is_told_however_much_waits(pipe: Pipe, unread: Unread) -> None:
    await reserve(pipe, "held")
    unread.other = MOST_WAITING
    pipe.send(served("held"))
    pipe.flush()
    _, end = unread.messages()
    assert end.served is not None
    assert (end.served.id, end.served.key, end.served.input, end.served.error) == ("held", "k", 7, None)


async def test_what_waits_is_bounded(pipe: Pipe, unread: Unread) -> None:
    unread.other = MOST_WAITING + 1
    await reserve(pipe, "never asked")
    for name in ("never asked", "not reserved"):
        pipe.send(served(name))
    pipe.flush()
    assert unread.messages() == []


async def test_each_end_is_told_once(pipe: Pipe, unread: Unread) -> None:
    await reserve(pipe, "held")
    pipe.send(served("held"))
    unread.other = MOST_WAITING + 1
    pipe.send(served("held"))
    pipe.flush()
    assert [one.served is not None and one.served.error is not None for one in unread.messages()] == [False, True]


async def test_records_go_out_together_and_before_what_is_sent_after_them(pipe: Pipe, unread: Unread) -> None:
    for name in ("first", "second"):
        pipe.send(served(name))
    assert unread.messages() == []
    pipe.send(FromChild(applied=1))
    assert [one.served.id if one.served else one.applied for one in unread.messages()] == ["first", "second", 1]
    pipe.flush()
    assert len(unread.messages()) == 3
