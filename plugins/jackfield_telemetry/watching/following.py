"""Following agents' logs live: what they write is counted some seconds later.

`watchfiles` asks the operating system. Where it cannot (not installed, no more watches), the daemon looks at logs in
turns of `telemetry.watch_rescan`, and the log says so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar, cast

from jackfield.api.context import PluginContext
from jackfield.api.object_references import load
from jackfield_telemetry.importing.jobs import LogSource
from jackfield_telemetry.service import UsageService
from jackfield_telemetry.watching.watched import WatchedDirectories, concerned, places_of, present_sources

if TYPE_CHECKING:
    from jackfield_telemetry.watching.feed import Feed

T = TypeVar("T")
REST = 9
"""An import is followed by that many times its own duration without one: live watching takes a tenth of a processor."""
LONGEST_REST = 120.0
"""Seconds."""
PENDING = 10_000
"""Changed paths that are remembered one by one."""


class LogFollower:
    """The daemon's task. One for each daemon."""

    def __init__(self, context: PluginContext) -> None:
        self._context, self._service = context, context.port(UsageService)
        self._settings = self._service.settings
        self._sources: Sequence[LogSource] = ()
        self._places = WatchedDirectories()
        self._feeds: list[Feed] = []
        self._woken = asyncio.Event()
        self._paths: set[str] = set()
        self._rearrange = False

    async def follow(self) -> None:
        """Until it is cancelled."""
        try:
            while True:
                try:
                    await self._arrange()
                except Exception as exc:  # a directory that goes while it is looked at, a reader of a stranger
                    self._warn("Agents' logs cannot be looked for now", exc)
                await self._import(self._sources)
                await self._live()
        finally:
            await self._end_feeds()

    async def heed_profiles(self) -> None:
        """New profiles have new homes."""
        with self._context.events.subscribe("profiles") as events:
            async for _ in events:
                self._rearrange = True
                self._woken.set()

    async def _arrange(self) -> None:
        """Watch what is there now. Watchers start before everything is read, so that nothing is missed between."""
        self._rearrange = False
        self._sources = await present_sources(self._context, self._service)
        places = await asyncio.to_thread(places_of, self._sources, self._settings.watch_limit)
        if places == self._places:
            return
        if places.left_out:
            self._context.log.warning(
                "%d directories of agents' logs are not watched live, because telemetry.watch_limit is %d; they are "
                "looked at every %g s.", places.left_out, self._settings.watch_limit, self._settings.watch_rescan,
            )  # fmt: skip
        await self._end_feeds()
        self._places = places
        loop = asyncio.get_running_loop()
        for found, recursive in ((places.trees, True), (places.directories, False)):
            if found:
                try:
                    make = cast("type[Feed]", await asyncio.to_thread(load, "jackfield_telemetry.watching.feed:Feed"))
                except ImportError as exc:  # the library is not installed, or not for this machine
                    self._failed(f"{type(exc).__name__}: {exc}")
                    break
                feed = make(found, _posted(loop, self._changed), _posted(loop, self._failed), recursive=recursive)
                feed.start()
                self._feeds.append(feed)

    async def _live(self) -> None:
        """Read what changes until it is time to look around again."""
        now = self._context.clock.monotonic
        end = now() + self._settings.watch_rescan
        while (left := end - now()) > 0:
            try:
                await asyncio.wait_for(self._woken.wait(), left)
            except TimeoutError:
                return
            await self._context.clock.sleep(self._settings.watch_debounce)
            self._woken.clear()
            taken, self._paths = self._paths, set()
            found, fresh = await asyncio.to_thread(concerned, self._sources, self._places, taken)
            if fresh or self._rearrange or len(taken) >= PENDING:
                return
            await self._import(found)

    async def _import(self, sources: Sequence[LogSource]) -> None:
        if not sources:
            return
        start = self._context.clock.monotonic()
        try:
            for one in await self._service.import_all(sources):
                for problem in one.problems:
                    self._context.log.warning("A log of %s cannot be read: %s", one.agent, problem)
        except Exception as exc:  # the next look may do better
            self._warn("Agents' logs cannot be counted now", exc)
        took = self._context.clock.monotonic() - start
        await self._context.clock.sleep(min(LONGEST_REST, REST * took))

    def _warn(self, what: str, exc: Exception) -> None:
        self._context.log.warning("%s: %s: %s", what, type(exc).__name__, exc)

    def _changed(self, paths: set[str]) -> None:
        if len(self._paths) < PENDING:
            self._paths |= paths
        self._woken.set()

    def _failed(self, reason: str) -> None:
        self._context.log.warning(
            "Agents' logs are not followed live (%s); they are looked at every %g s. Install watchfiles, or raise "
            "fs.inotify.max_user_watches and max_user_instances.", reason, self._settings.watch_rescan,
        )  # fmt: skip

    async def _end_feeds(self) -> None:
        ended, self._feeds = self._feeds, []
        for feed in ended:
            feed.end()
        for feed in ended:
            await asyncio.to_thread(feed.join, 5)


def _posted(loop: asyncio.AbstractEventLoop, work: Callable[[T], None]) -> Callable[[T], None]:
    """The same for other threads. A loop that has ended wants to know nothing more."""

    def post(value: T) -> None:
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(work, value)

    return post


async def follow(context: PluginContext) -> None:
    """Until it is cancelled."""
    follower = LogFollower(context)
    heeding = context.spawn("heed new profiles", follower.heed_profiles())
    try:
        await follower.follow()
    finally:
        heeding.cancel()
