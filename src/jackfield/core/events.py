"""The event bus: bounded per subscriber, lossy with a count, never blocking the publisher."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Container, Iterable, Iterator, Mapping

from jackfield.api.clock import Clock
from jackfield.api.events import HOST_TOPICS, TOPICS, Event, EveryTopic, Subscription
from jackfield.api.lossy_queue import LossyQueue

QUEUE = 1000


class _Subscription(LossyQueue[Event]):
    def __init__(self, topics: Iterable[str], changed: Callable[[], None]) -> None:
        """changed: told of other topics."""
        super().__init__(QUEUE)
        self.topics = frozenset(topics)
        self._changed = changed

    def hears(self, topic: str) -> bool:
        return topic in self.topics or "*" in self.topics

    def listen(self, topics: Iterable[str]) -> None:
        self.topics = frozenset(topics)
        self._changed()


class LossyEventBus:
    """`jackfield.api.events.EventBus` for one event loop."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._subscriptions: set[_Subscription] = set()
        self._everywhere: set[_Subscription] = set()
        self._relays: set[_Subscription] = set()
        self.heard: Container[str] = frozenset[str]()
        self.here: frozenset[str] = frozenset()
        """The topics of which somebody at this daemon wants to hear what happens at others; `heard` has those that
        somebody listens to anywhere."""
        self.changed: Callable[[], None] = lambda: None
        """Told that `here` is another one."""

    def wanted(self, topic: str) -> bool:
        return topic in self.heard

    def _listen(self) -> None:
        """Others listen, or to other topics."""
        own, wide = _topics(self._subscriptions), _topics(self._everywhere)
        topics = own | wide | _topics(self._relays)
        self.heard = EveryTopic() if "*" in topics else topics
        here = (_named(own) - HOST_TOPICS) | _named(wide)
        if here != self.here:
            self.here = here
            self.changed()

    def publish(self, topic: str, type: str, data: Mapping[str, object]) -> None:
        if self._subscriptions or self._everywhere or self._relays:
            event = Event(topic, type, self._clock.now_ms(), data)
            _offer(event, (*self._subscriptions, *self._everywhere, *self._relays))

    def repeat(self, event: Event) -> None:
        """Publish what happened at another daemon: no relay hears it."""
        _offer(event, self._readers(event.topic))

    def miss(self, topic: str, count: int) -> None:
        """That many events of other daemons are lost."""
        for sub in self._readers(topic):
            if sub.hears(topic):
                sub.miss(count)

    def _readers(self, topic: str) -> Iterable[_Subscription]:
        """The daemons that hear of this topic's events elsewhere."""
        return tuple(self._everywhere) if topic in HOST_TOPICS else (*self._subscriptions, *self._everywhere)

    def subscribe(self, *topics: str) -> contextlib.AbstractContextManager[Subscription]:
        return self._subscribed(self._subscriptions, topics)

    def subscribe_everywhere(self, *topics: str) -> contextlib.AbstractContextManager[Subscription]:
        return self._subscribed(self._everywhere, topics)

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


def _topics(subscriptions: Iterable[_Subscription]) -> frozenset[str]:
    return frozenset[str]().union(*(sub.topics for sub in subscriptions))


def _named(topics: frozenset[str]) -> frozenset[str]:
    """Each by its name."""
    return frozenset(TOPICS) if "*" in topics else topics


def _offer(event: Event, subscriptions: Iterable[_Subscription]) -> None:
    for sub in subscriptions:
        if sub.hears(event.topic):
            sub.offer(event)
