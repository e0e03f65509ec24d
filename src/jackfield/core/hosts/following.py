"""The events at other hosts, which this daemon asks each of them for while somebody listens here.

A daemon asks a host when the bus tells that it has news, and otherwise each second. So with a dead bus, events are late
and not lost. How far it was read is a number for each topic.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping
from urllib.parse import urlencode

from jackfield.api.auth import OWNER
from jackfield.api.clock import Clock
from jackfield.api.errors import JackfieldError
from jackfield.api.events import Event
from jackfield.api.hosts import Host, HostCalls, Hosts
from jackfield.api.records import replace

from ..events import LossyEventBus
from .news import TOPICS, NewsAnswer, read
from .words import EVENTS

log = logging.getLogger("jackfield.hosts")
_LOOK = 1.0
"""Seconds between two questions without news."""
_ANSWER = 3.0
"""Seconds that an answer may take."""
_APART = 0.02
"""Seconds between two questions, so that what happens at once is one answer."""
_WAY = 10.0
"""Seconds that a first question may take to its host: it reaches back that much further than the subscription."""


class _Followed:
    """How far one host was read."""

    def __init__(self) -> None:
        self.epoch = ""
        self.cursors: Mapping[str, int] = {}
        self.asked: float | None = None
        self.news = asyncio.Event()


class HostFollowing:
    """One per daemon."""

    def __init__(
        self, events: LossyEventBus, hosts: Hosts, calls: Callable[[], HostCalls | None], clock: Clock, listener: str
    ) -> None:
        """calls: None as long as nobody can be asked; listener: an id of this daemon."""
        self._events = events
        self._hosts = hosts
        self._calls = calls
        self._clock = clock
        self._listener = listener
        self._since: Mapping[str, float] = {}
        """Topic -> since when (seconds, monotonic) somebody listens to it."""
        self._followed: dict[str, _Followed] = {}
        self._changed = asyncio.Event()

    def listeners_changed(self) -> None:
        now = self._clock.monotonic()
        self._since = {topic: self._since.get(topic, now) for topic in self._events.here & TOPICS}
        self._changed.set()
        for followed in self._followed.values():
            followed.news.set()

    def news(self, host: str) -> None:
        """That host has told that something has happened there."""
        if (followed := self._followed.get(host)) is not None:
            followed.news.set()

    async def run(self, repeat: Callable[[Event], None]) -> None:
        """Until cancelled. repeat: takes each event."""
        tasks: dict[str, asyncio.Task[None]] = {}
        try:
            while True:
                self._changed.clear()
                living = {host.name for host in self._hosts.others} if self._since else set[str]()
                for name in tasks.keys() - living:
                    tasks.pop(name).cancel()
                    del self._followed[name]
                for name in living - tasks.keys():
                    self._followed[name] = _Followed()
                    tasks[name] = asyncio.create_task(self._follow(name, self._followed[name], repeat))
                await self._until(self._changed)
        finally:
            for task in tasks.values():
                task.cancel()
            await asyncio.gather(*tasks.values(), return_exceptions=True)

    async def _until(self, event: asyncio.Event) -> None:
        """Until it is set, or it is time to look in any case."""
        waiting = [asyncio.ensure_future(event.wait()), asyncio.ensure_future(self._clock.sleep(_LOOK))]
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)

    async def _follow(self, name: str, followed: _Followed, repeat: Callable[[Event], None]) -> None:
        while True:
            followed.news.clear()
            host = next((host for host in self._hosts.others if host.name == name), None)
            try:
                told = None if host is None else await self._ask(host, followed)
            except Exception:  # whatever it is: this host goes on being asked
                told = None
                log.exception("The host %s could not be asked for its events.", name)
            if told is not None:
                for topic, count in told.missed.items():
                    if count:
                        self._events.miss(topic, count)
                for event, _ in told.events:
                    repeat(event)
            if told is None or not told.more:
                await self._until(followed.news)
                await self._clock.sleep(_APART)

    async def _ask(self, host: Host, followed: _Followed) -> NewsAnswer | None:
        """None: it does not answer."""
        calls, now = self._calls(), self._clock.monotonic()
        if calls is None:
            return None
        known = followed.cursors
        begun = {topic: since for topic, since in self._since.items() if topic not in known}
        topics = {topic: str(known.get(topic, -_ms(now - since + _WAY))) for topic, since in self._since.items()}
        question = {
            "listener": self._listener,
            "topics": ",".join(f"{topic}:{place}" for topic, place in topics.items()),
            "epoch": followed.epoch,
            "gap": str(_ms(now - (now if followed.asked is None else followed.asked))),
        }
        with contextlib.suppress(JackfieldError, TimeoutError):
            async with asyncio.timeout(_ANSWER):
                reply = await calls.call(host, "GET", f"{EVENTS}?{urlencode(question)}", OWNER)
            told = read(reply.data, host.name) if reply.status == 200 else None
            if told is not None:
                followed.epoch, followed.cursors, followed.asked = told.epoch, told.cursors, now
                return _from(told, begun, self._clock.monotonic())
        return None


def _from(told: NewsAnswer, begun: Mapping[str, float], now: float) -> NewsAnswer:
    """Without what happened before somebody listened. begun: topic -> since when (seconds, monotonic), for those that
    were asked for the first time."""
    events = [(event, age) for event, age in told.events if now - age / 1000 >= begun.get(event.topic, 0.0)]
    return replace(told, events=events)


def _ms(seconds: float) -> int:
    return max(0, round(seconds * 1000))
