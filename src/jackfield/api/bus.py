"""The bus between daemons that share a store: short messages that tell what has changed, so that nobody waits for his
next look. The store alone is authoritative.

A message is delivered at most once, and lost with the bus. So whoever listens also looks into the store by himself, at
least once a second: with a dead bus nothing is lost, only late. A payload is a small JSON object of ids, never of
contents or secrets. Messages of one publisher and one topic come in their order.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractContextManager
from typing import Protocol, TypeAlias, runtime_checkable

from .json_values import Json
from .records import record

Payload: TypeAlias = "Mapping[str, Json]"
Answerer: TypeAlias = "Callable[[Payload], Awaitable[Payload | None]]"
"""Answers a request; None: another daemon may."""

MOST_BYTES = 4000
"""Of a payload as JSON. PostgreSQL takes 8,000 bytes at once."""
QUEUE = 1000
"""Messages that wait for one listener, and for the line to others; the oldest of more are lost and counted."""
WORKFLOW_CHANGED = "workflow.changed"
"""Topic: a workflow was saved, switched on or off, or deleted. Payload: its `id`, and `change`, an id of
this change alone, by which whoever serves it says so."""


@record
class BusMessage:
    """topic: words of a to z, digits and `_` with dots between; payload: JSON that somebody else has made."""

    topic: str
    payload: Payload


class Messages(Protocol):
    """The messages that one listener hears, bounded (`QUEUE`)."""

    def __aiter__(self) -> AsyncIterator[BusMessage]: ...

    def missed(self) -> int:
        """How many messages were lost since the last call of this method, because nobody took them in time."""


class Bus(Protocol):
    """For one event loop. Nothing of it fails because other daemons cannot be reached."""

    name: str
    """By which `bus.name` chooses it."""

    @property
    def connected(self) -> bool:
        """Whether messages reach other daemons now."""

    async def open(self) -> None:
        """Begin to connect. Returns before there is a connection."""

    async def close(self) -> None:
        """Send what waits, if that is done within a second, and end. Listeners hear nothing more."""

    def publish(self, topic: str, payload: Payload) -> None:
        """Tell the others, once the line is free. Before `open` and after `close` nobody hears it. Raises ValueError
        for a bad topic and for a payload above `MOST_BYTES`."""

    def subscribe(self, topic: str, *, own: bool = False) -> AbstractContextManager[Messages]:
        """Messages of this topic from now on, until the context ends. own: also what this daemon publishes."""

    def respond(self, topic: str, answerer: Answerer) -> AbstractContextManager[None]:
        """Answer the requests of others, one after another, until the context ends. An answerer that fails is logged
        and gives no answer."""

    async def request(self, topic: str, payload: Payload, *, timeout: float) -> Payload:
        """Ask the others; the first answer. timeout: in seconds. Raises TimeoutError when nobody has answered by then,
        which says nothing of what is so, and ValueError as `publish` does."""


@runtime_checkable
class PostgresAddress(Protocol):
    """A store on PostgreSQL, which can tell the bus where its server is."""

    @property
    def dsn(self) -> str:
        """As libpq reads it. It may hold a password: never show it."""
