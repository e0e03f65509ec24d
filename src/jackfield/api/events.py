"""The event bus: what happened, for whoever listens (SSE, `/ws`, the UI, telemetry)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractContextManager
from typing import Protocol

from .records import record

STOPPING = "system.stopping"
"""Type of the event, on the topic `system`, of a daemon that stops: streams without an end of their own end now."""


@record
class Event:
    """topic: one of the topics of decisions.md 'Events' (workflows, webhooks, system ...); type: `execution.finished`;
    time: Unix ms; data: JSON, without secrets."""

    topic: str
    type: str
    time: int
    data: Mapping[str, object]


class Subscription(Protocol):
    """A bounded queue of events. What does not fit is counted, never silently dropped."""

    def __aiter__(self) -> AsyncIterator[Event]: ...

    def missed(self) -> int:
        """How many events were lost since the last call of this method."""


class EventBus(Protocol):
    """Publishing costs next to nothing while nobody listens."""

    def wanted(self, topic: str) -> bool:
        """Whether anybody listens; ask before building costly data."""

    def publish(self, topic: str, type: str, data: Mapping[str, object]) -> None: ...

    def subscribe(self, *topics: str) -> AbstractContextManager[Subscription]:
        """Events of these topics, `*` for all, from now on until the context ends."""
