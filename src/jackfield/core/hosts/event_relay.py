"""Events of other daemons that share the store, for whoever listens here.

A daemon tells the others which topics somebody listens to at it, again and again. For things that daemons share, the
daemon with such an event sends its identifying parts (`_TOLD`), never contents. The subscriber's daemon reads the rest
from the store, by the subscriber's rights. Of things that stay with a host, and of executions, the bus tells only that
there is something new. The listener's daemon asks that host for it (`HostFollowing`), each second without a bus. Beside
it a look into the store each second finds executions that nobody has told of. Changes to workflows are found by the
plugin for workflows, and not sent.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from typing import cast

from jackfield.api.bus import Bus, BusMessage
from jackfield.api.clock import Clock
from jackfield.api.errors import InvalidInput, JackfieldError
from jackfield.api.events import TOPICS, Event, Subscription
from jackfield.api.hosts import HostCalls, Hosts
from jackfield.api.ids import new_id
from jackfield.api.json_values import Json
from jackfield.api.storage import OPEN_STATUSES, ExecutionFilter, ExecutionRow, Store

from ..events import LossyEventBus
from .following import HostFollowing
from .news import EXECUTION, HostNews, places
from .seen_executions import SeenExecutions, waits_until

HEARD, TOLD, NEWS = "events.heard", "events.told", "events.news"
"""Topics of the bus between daemons: what somebody listens to, what has happened, and which host has more to tell."""
SHARED = frozenset({"workflows", "webhooks", "credentials"})
"""Topics of what daemons share."""
_RELAYED = frozenset(TOPICS) - {"system"}
_ALWAYS = frozenset({"profiles", "agents", "registry", "usage", "terminal"})
"""Topics whose events are few, and kept for others before anybody listens: his first question comes a little later."""
_OWN_WAY = "workflow."
"""Begins types of events that each daemon finds out by itself."""
_TOLD = frozenset({
    "id", "workflowId", "webhookId", "folderId", "mode", "status", "method", "duration", "test", "resumeAt",
})  # fmt: skip
"""The parts of an event's data that others get."""
_AGAIN, _FORGET = 5.0, 15.0
"""Seconds between two tellings of what somebody listens to, and until it is forgotten."""
_LOOK = 1.0
"""Seconds between two looks into the store, while somebody listens."""
_NEWS_APART = 0.05
"""Seconds between two messages that there are news."""
_MOST = 200
"""Events a second that go to others, executions of one look, and daemons that this one hears."""
_OVERLAP_MS = 10_000
"""By which looks overlap: clocks of daemons may differ, and commits take their time."""


class EventRelay:
    """One per daemon."""

    def __init__(
        self,
        events: LossyEventBus,
        bus: Bus,
        store: Store,
        clock: Clock,
        news: HostNews | None,
        hosts: Hosts,
        calls: Callable[[], HostCalls | None],
    ) -> None:
        """`news`: None for a process that no host can ask, such as a worker: then the bus carries what identifies
        events of executions too. `calls`: None as long as no other host can be asked.
        """
        self._events = events
        self._bus = bus
        self._store = store
        self._clock = clock
        self._id = new_id()
        self._news = news
        self._hosts = hosts
        self._following = HostFollowing(events, hosts, calls, clock, self._id)
        self._new = asyncio.Event()
        """Something has happened here that others wait for."""
        self._peers: dict[str, tuple[float, frozenset[str]]] = {}
        """Daemon -> until when (monotonic) which topics are listened to at it."""
        self._wanted: frozenset[str] = frozenset()
        """The topics that somebody listens to at another daemon."""
        self._listened: frozenset[str] = frozenset()
        self._relay: Subscription
        self._changed = asyncio.Event()
        self._sent: deque[float] = deque(maxlen=_MOST)
        self._seen = SeenExecutions()
        self._since: int | None = None
        self._listened_at: int | None = None
        """Since when (Unix ms) somebody listens here to workflows."""

    async def run(self) -> None:
        """Until cancelled."""
        self._events.changed = self._listeners_changed
        with (
            self._events.relay() as relay,
            self._bus.subscribe(HEARD) as heard,
            self._bus.subscribe(TOLD) as told,
            self._bus.subscribe(NEWS) as news,
        ):
            self._relay = relay
            self._forget()
            await asyncio.gather(
                self._announce(), self._hear(aiter(heard)), self._repeat(aiter(told)), self._tell(aiter(relay)),
                self._look_forever(), self._tell_news(), self._hear_news(aiter(news)),
                self._following.run(self._repeat_whole),
            )  # fmt: skip

    def answer(self, question: Mapping[str, str]) -> bytes:
        """The events here, for another host; see `HostNews.answer`.

        A host that asks, listens. Raises `InvalidInput`.
        """
        if self._news is None:
            raise InvalidInput("Nobody asks this process for events.")
        self._listens(_asker(question.get("listener", "")), places(question.get("topics", "")))
        return self._news.answer(question)

    # -- who listens

    @property
    def _here(self) -> frozenset[str]:
        return self._events.here & _RELAYED

    def _listeners_changed(self) -> None:
        if "workflows" not in self._here:
            self._listened_at = None
        elif self._listened_at is None:
            self._listened_at = self._clock.now_ms()
        self._following.listeners_changed()
        self._changed.set()

    async def _announce(self) -> None:
        last = frozenset[str]()
        while True:
            self._changed.clear()
            if self._here or last:
                last = self._here
                self._bus.publish(HEARD, {"daemon": self._id, "topics": cast("list[Json]", sorted(last))})
            self._forget()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), _AGAIN)

    async def _hear(self, messages: AsyncIterator[BusMessage]) -> None:
        async for message in messages:
            daemon, topics = message.payload.get("daemon"), message.payload.get("topics")
            if isinstance(daemon, str) and isinstance(topics, list):
                self._peers.pop(_asker(daemon), None)
                self._listens(daemon, (topic for topic in topics if isinstance(topic, str)))

    def _listens(self, daemon: str, topics: Iterable[str]) -> None:
        """The topics that somebody listens to at another daemon."""
        if daemon in self._peers or len(self._peers) < _MOST:
            self._peers[daemon] = (self._clock.monotonic() + _FORGET, _RELAYED.intersection(topics))
            self._forget()

    def _forget(self) -> None:
        """Those that have not been heard for long. The relay listens to what the others want, and to what is known of
        executions by their events."""
        now = self._clock.monotonic()
        self._peers = {daemon: peer for daemon, peer in self._peers.items() if peer[0] > now and peer[1]}
        self._wanted = frozenset[str]().union(*(topics for _, topics in self._peers.values()))
        wanted = self._wanted | (self._here & {"workflows"}) | (_ALWAYS if self._news else frozenset())
        if wanted != self._listened:
            self._listened = wanted
            self._relay.listen(wanted)

    # -- what happens

    async def _tell(self, events: AsyncIterator[Event]) -> None:
        async for event in events:
            if event.topic == "workflows":
                self._note(event.type, event.data)
            if self._news is not None and self._news.keep(event):
                if event.topic in self._wanted:
                    self._new.set()
            elif event.topic in self._wanted & SHARED and not event.type.startswith(self._not_sent):
                self._send(event)

    @property
    def _not_sent(self) -> tuple[str, ...]:
        """Begins types of events that the bus does not carry."""
        return (_OWN_WAY,) if self._news is None else (_OWN_WAY, EXECUTION)

    def _send(self, event: Event) -> None:
        if self._may_send():
            data = {key: value for key, value in event.data.items() if key in _TOLD}
            payload = {"topic": event.topic, "type": event.type, "data": data}
            with contextlib.suppress(ValueError, TypeError):  # too long: nothing of ours
                self._bus.publish(TOLD, cast("Mapping[str, Json]", payload))

    async def _tell_news(self) -> None:
        while True:
            await self._new.wait()
            self._new.clear()
            self._bus.publish(NEWS, {"host": self._hosts.here.name})
            await self._clock.sleep(_NEWS_APART)

    async def _hear_news(self, messages: AsyncIterator[BusMessage]) -> None:
        async for message in messages:
            if isinstance(host := message.payload.get("host"), str):
                self._following.news(host)

    def _repeat_whole(self, event: Event) -> None:
        """An event that another host has given."""
        if event.topic == "workflows":
            ident = event.data.get("id")
            if isinstance(ident, str) and self._is_known(event.type, ident):
                return
            self._note(event.type, event.data)
        self._events.repeat(event)

    def _is_known(self, type: str, execution_id: str) -> bool:
        """Whether the look into the store has told it before."""
        if type == "execution.started":
            return execution_id in self._seen
        return type == "execution.finished" and self._seen.is_over(execution_id)

    def _may_send(self) -> bool:
        """More than a bus should carry is left to the look into the store."""
        now = self._clock.monotonic()
        if len(self._sent) == _MOST and now - self._sent[0] < 1:
            return False
        self._sent.append(now)
        return True

    async def _repeat(self, messages: AsyncIterator[BusMessage]) -> None:
        async for message in messages:
            topic, kind, data = (message.payload.get(key) for key in ("topic", "type", "data"))
            if not (isinstance(topic, str) and isinstance(kind, str) and isinstance(data, Mapping)):
                continue
            if topic in self._here & SHARED and not kind.startswith(_OWN_WAY):
                told = _whole(kind, {key: data[key] for key in data if key in _TOLD})
                self._repeat_whole(Event(topic, kind, self._clock.now_ms(), told))

    def _repeated(self, topic: str, type: str, data: Mapping[str, Json]) -> None:
        self._events.repeat(Event(topic, type, self._clock.now_ms(), data))

    # -- what nobody has told

    async def _look_forever(self) -> None:
        while True:
            await self._clock.sleep(_LOOK)
            if self._listened_at is None:
                self._since = None
                self._seen.clear()
                continue
            with contextlib.suppress(JackfieldError):
                await self._look()

    async def _look(self) -> None:
        """Raises `StoreUnavailable`."""
        began = self._clock.now_ms()
        if self._since is None:
            self._since = self._listened_at or began
            await self._begin(self._since)
        page = await self._store.executions(ExecutionFilter(since=self._since - _OVERLAP_MS), offset=0, limit=_MOST)
        self._since = began
        for row in reversed(page.rows):
            self._found(row)
        ids = self._seen.next(began, _MOST, {row.id for row in page.rows})
        rows = {row.id: row for row in await self._store.execution_rows(ids)} if ids else {}
        for ident in ids:
            if ident in rows:
                self._found(rows[ident])
            else:
                self._seen.ended(ident)

    async def _begin(self, at: int) -> None:
        """What was so before anybody listened is no news. at: since when (Unix ms) somebody does. Raises
        `StoreUnavailable`."""
        recent = ExecutionFilter(since=at - _OVERLAP_MS)
        for where in (recent, *(ExecutionFilter(status=status) for status in OPEN_STATUSES)):
            for row in (await self._store.executions(where, offset=0, limit=_MOST)).rows:
                if row.created_at < at and row.id not in self._seen:
                    if row.finished_at is None or row.finished_at >= at:
                        self._seen.opened(row.id, waits_until(row))
                    else:
                        self._seen.ended(row.id)

    def _found(self, row: ExecutionRow) -> None:
        if self._seen.is_over(row.id):
            return
        is_new = row.id not in self._seen
        self._seen.found(row)
        data: dict[str, Json] = {"id": row.id, "workflowId": row.workflow_id, "mode": row.mode}
        if is_new:
            self._repeated("workflows", "execution.started", data)
        if row.status not in OPEN_STATUSES:
            self._repeated("workflows", "execution.finished", {**data, "status": row.status})

    def _note(self, type: str, data: Mapping[str, object]) -> None:
        """A look does not find the executions that events here have reported."""
        if type.startswith("execution.") and isinstance(ident := data.get("id"), str):
            if type == "execution.finished":
                self._seen.ended(ident)
            else:
                until = data.get("resumeAt")
                self._seen.opened(ident, until if isinstance(until, int) else 0)


def _asker(daemon: str) -> str:
    """Under which name it is known what a daemon has asked for, beside that which the bus tells of it."""
    return f"{daemon} asks"


def _whole(type: str, data: dict[str, Json]) -> dict[str, Json]:
    """With what subscribers count on: nodes of an execution in another process are read, not told."""
    return {**data, "nodes": [], "running": None, "skipped": 0} if type == "execution.nodes" else data
