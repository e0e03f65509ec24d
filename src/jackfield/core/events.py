"""The event bus: bounded per subscriber, lossy with a count, never blocking the publisher."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Container, Iterable, Iterator, Mapping

from jackfield.api.clock import Clock
from jackfield.api.events import Event, EveryTopic, Subscription
from jackfield.api.lossy_queue import LossyQueue

QUEUE = 1000


class _Subscription(LossyQueue[Event]):
    def __init__(self, topics: Iterable[str], changed: Callable[[], None]) -> None:
        """changed: told of other topics."""
        super().__init__(QUEUE)
        self.topics = frozenset(topics)
        self._changed = changed

    def listen(self, topics: Iterable[str]) -> None:
        self.topics = frozenset(topics)
        self._changed()


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
