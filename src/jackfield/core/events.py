"""The event bus: bounded per subscriber, lossy with a count, never blocking the publisher."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Callable, Container, Iterable, Iterator, Mapping

from jackfield.api.clock import Clock
from jackfield.api.events import Event, EveryTopic, Subscription

QUEUE = 1000


class _Subscription:
    def __init__(self, topics: Iterable[str], changed: Callable[[], None]) -> None:
        """changed: told of other topics."""
        self.topics = frozenset(topics)
        self._changed = changed
        self._events: deque[Event] = deque()
        self._ready = asyncio.Event()
        self._missed = 0

    def offer(self, event: Event) -> None:
        if len(self._events) >= QUEUE:
            self._events.popleft()
            self._missed += 1
        self._events.append(event)
        self._ready.set()

    def missed(self) -> int:
        count, self._missed = self._missed, 0
        return count

    def listen(self, topics: Iterable[str]) -> None:
        self.topics = frozenset(topics)
        self._changed()

    async def __aiter__(self) -> AsyncIterator[Event]:
        while True:
            while self._events:
                yield self._events.popleft()
            self._ready.clear()
            await self._ready.wait()


class Bus:
    """`jackfield.api.events.EventBus` for one event loop."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._subscriptions: set[_Subscription] = set()
        self.heard: Container[str] = frozenset[str]()

    def wanted(self, topic: str) -> bool:
        return topic in self.heard

    def _listen(self) -> None:
        """Others listen, or to other topics."""
        topics = frozenset[str]().union(*(sub.topics for sub in self._subscriptions))
        self.heard = EveryTopic() if "*" in topics else topics

    def publish(self, topic: str, type: str, data: Mapping[str, object]) -> None:
        if not self._subscriptions:
            return
        event = Event(topic, type, self._clock.now_ms(), data)
        for sub in self._subscriptions:
            if topic in sub.topics or "*" in sub.topics:
                sub.offer(event)

    @contextlib.contextmanager
    def subscribe(self, *topics: str) -> Iterator[Subscription]:
        sub = _Subscription(topics, self._listen)
        self._subscriptions.add(sub)
        self._listen()
        try:
            yield sub
        finally:
            self._subscriptions.discard(sub)
            self._listen()
