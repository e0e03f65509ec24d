"""A caller's handle of its execution."""

from __future__ import annotations

import asyncio
from typing import TypeVar
from weakref import WeakValueDictionary

from jackfield.api.engine import Outcome
from jackfield.api.nodes import NodeAnswer
from jackfield.api.streaming import ChunkStream

T = TypeVar("T")


class Handles:
    """The handles that somebody holds: callers of one execution share it."""

    def __init__(self) -> None:
        self._held: WeakValueDictionary[str, Handle] = WeakValueDictionary()

    def of(self, execution_id: str) -> Handle:
        found = self._held.get(execution_id)
        if found is None:
            found = self._held[execution_id] = Handle(execution_id, asyncio.get_running_loop())
        return found


class Handle:
    """`Execution`: futures that are resolved once each. `waiters`: how many calls wait for it. `stream`: where its
    nodes send chunks, also after it left the memory and came back."""

    __slots__ = ("__weakref__", "accepted", "answer", "finished", "id", "stored", "stream", "waiters")

    def __init__(self, id: str, loop: asyncio.AbstractEventLoop) -> None:
        self.id = id
        self.accepted: asyncio.Future[None] = loop.create_future()
        self.answer: asyncio.Future[NodeAnswer | None] = loop.create_future()
        self.finished: asyncio.Future[Outcome] = loop.create_future()
        self.stored: asyncio.Future[None] = loop.create_future()
        self.waiters = 0
        self.stream: ChunkStream | None = None

    def renew(self) -> None:
        """Another answer is expected, unless the first one is still owed: then it is for both who wait."""
        if self.answer.done():
            self.answer = asyncio.get_running_loop().create_future()

    def answered(self, answer: NodeAnswer) -> None:
        """A node answers the call."""
        settle(self.answer, answer)

    def end(self, outcome: Outcome) -> None:
        """The execution ended."""
        settle(self.answer, None)
        settle(self.finished, outcome)

    def over(self, outcome: Outcome) -> None:
        """The execution ended, and that is stored."""
        self.end(outcome)
        self.close()

    def close(self) -> None:
        """The end is stored."""
        settle(self.accepted, None)
        settle(self.stored, None)

    def refuse(self, error: BaseException) -> None:
        """Nothing comes of the execution, or not in this process: whoever still waits gets the error."""
        settle_error(self.accepted, error)
        settle_error(self.answer, error)
        settle_error(self.finished, error)
        settle_error(self.stored, error)


def settle(future: asyncio.Future[T], value: T) -> None:
    """Resolve a future unless it is resolved or nobody wants it any more."""
    if not future.done():
        future.set_result(value)


def settle_error(future: asyncio.Future[T], error: BaseException) -> None:
    """Let a future fail; that nobody looks at it is no news."""
    if not future.done():
        future.set_exception(error)
        future.exception()
