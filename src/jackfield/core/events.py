"""The event bus: bounded per subscriber, lossy with a count, never blocking the publisher."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Container, Iterable, Iterator, Mapping

from jackfield.api.clock import Clock
from jackfield.api.events import TOPICS, Event, EveryTopic, Subscription
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
        self._relays: set[_Subscription] = set()
        self.heard: Container[str] = frozenset[str]()
        self.here: frozenset[str] = frozenset()
        """The topics that somebody at this daemon listens to; `heard` has those of other daemons too."""
        self.changed: Callable[[], None] = lambda: None
        """Told that `here` is another one."""

    def wanted(self, topic: str) -> bool:
        return topic in self.heard

    def _listen(self) -> None:
        """Others listen, or to other topics."""
        here = frozenset[str]().union(*(sub.topics for sub in self._subscriptions))
        topics = here.union(*(sub.topics for sub in self._relays))
        self.heard = EveryTopic() if "*" in topics else topics
        here = frozenset(TOPICS) if "*" in here else here
        if here != self.here:
            self.here = here
            self.changed()

    def publish(self, topic: str, type: str, data: Mapping[str, object]) -> None:
        if self._subscriptions or self._relays:
            self._offer(Event(topic, type, self._clock.now_ms(), data), (*self._subscriptions, *self._relays))

    def repeat(self, topic: str, type: str, data: Mapping[str, object]) -> None:
        """Publish what happened at another daemon: no relay hears it."""
        self._offer(Event(topic, type, self._clock.now_ms(), data), tuple(self._subscriptions))

    @staticmethod
    def _offer(event: Event, subscriptions: Iterable[_Subscription]) -> None:
        for sub in subscriptions:
            if event.topic in sub.topics or "*" in sub.topics:
                sub.offer(event)

    def subscribe(self, *topics: str) -> contextlib.AbstractContextManager[Subscription]:
        return self._subscribed(self._subscriptions, topics)

    def relay(self) -> contextlib.AbstractContextManager[Subscription]:
        """On behalf of other daemons: a subscription, to nothing at first, that is not `here`."""
        return self._subscribed(self._relays, ())

    @contextlib.contextmanager
    def _subscribed(self, among: set[_Subscription], topics: Iterable[str]) -> Iterator[Subscription]:
        sub = _Subscription(topics, self._listen)
        among.add(sub)
        self._listen()
        try:
            yield sub
        finally:
            among.discard(sub)
            self._listen()
