"""The event bus: what happened, for whoever listens (SSE, `/ws`, the UI, telemetry)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Container, Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Protocol

from .records import record

TOPICS = (
    "system", "profiles", "agents", "proxy", "registry", "usage", "terminal", "agent_sessions", "workflows",
    "webhooks", "credentials", "drafts", "approvals",
)  # fmt: skip
"""Every topic."""
HOST_TOPICS = frozenset({"profiles", "agents", "proxy", "registry", "usage", "terminal", "agent_sessions", "approvals"})
"""Those about things that stay with a host. `system` is about the daemon alone, the others about what daemons share."""


class EveryTopic:
    """Every topic is in it."""

    def __contains__(self, topic: object) -> bool:
        return True


STOPPING = "system.stopping"
"""Type of the event, on the topic `system`, of a daemon that stops: streams without their own end end now."""


@record
class Event:
    """`topic`: one of `TOPICS`.

    `type`: `execution.finished`. `time`: Unix ms. `data`: JSON, without secrets. `inside`: not for a caller who comes
    by one of `server.public_hosts`, because the host where it has happened serves none.
    """

    topic: str
    type: str
    time: int
    data: Mapping[str, object]
    inside: bool = False


class Subscription(Protocol):
    """A bounded queue of events. It counts the events that do not fit, and never drops them silently."""

    def __aiter__(self) -> AsyncIterator[Event]: ...

    def missed(self) -> int:
        """How many events were lost since the last call of this method."""

    def listen(self, topics: Iterable[str]) -> None:
        """From now on these topics, `*` for all, in place of the earlier ones. Events in the queue stay."""


class EventBus(Protocol):
    """Publishing costs next to nothing while nobody listens."""

    @property
    def heard(self) -> Container[str]:
        """The topics that somebody listens to, as they are now: look before you build costly data."""

    def wanted(self, topic: str) -> bool:
        """Whether the topic is heard."""

    def publish(self, topic: str, type: str, data: Mapping[str, object]) -> None: ...

    def subscribe(self, *topics: str) -> AbstractContextManager[Subscription]:
        """Events of these topics, `*` for all, from now on until the context ends. Of `HOST_TOPICS` those of this host,
        so that nobody acts on what belongs to another."""

    def subscribe_everywhere(self, *topics: str) -> AbstractContextManager[Subscription]:
        """The same, also of what belongs to other hosts, whose name is `host` in the data then: for people to read."""


async def until_stopping(events: EventBus) -> None:
    """Until the daemon stops: for work that would hold up the stop, or end with the wrong reason."""
    with events.subscribe("system") as heard:
        async for event in heard:
            if event.type == STOPPING:
                return
