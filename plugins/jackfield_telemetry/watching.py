"""Following agents' logs live: what they write is counted some seconds later.

`watchfiles` asks the operating system; where it cannot (not installed, no more watches), logs are looked at in turns of
`telemetry.watch_rescan`, and the log says so.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from typing import TypeVar

from jackfield.api.context import PluginContext
from jackfield_telemetry.importing import Source
from jackfield_telemetry.service import UsageService
from jackfield_telemetry.watched import Places, concerned, places_of, present_sources

T = TypeVar("T")
STEP_MS = 250
"""How often a thread looks whether it shall end; changes are told in such steps."""
REST = 9
"""An import is followed by so many times its own duration without one: live watching takes a tenth of a processor."""
LONGEST_REST = 120.0
"""Seconds."""
PENDING = 10_000
"""Changed paths that are remembered one by one."""


class Feed(Thread):
    """One watcher of the operating system. tell: called on this thread with paths that were written; fail: with why it
    ended."""

    def __init__(
        self,
        places: Collection[Path],
        tell: Callable[[set[str]], None],
        fail: Callable[[str], None],
        *,
        recursive: bool,
    ) -> None:
        super().__init__(name="jackfield-usage-watch", daemon=True)
        self._places = sorted(places)
        self._tell, self._fail = tell, fail
        self._recursive = recursive
        self._over = Event()

    def run(self) -> None:
        try:
            from watchfiles import Change, watch

            # It tells every change otherwise.
            logging.getLogger("watchfiles").setLevel(logging.WARNING)
            for changes in watch(
                *self._places,
                watch_filter=None,
                debounce=STEP_MS * 2,
                step=STEP_MS,
                stop_event=self._over,
                rust_timeout=60_000,
                raise_interrupt=False,
                recursive=self._recursive,
                ignore_permission_denied=True,
            ):
                self._tell({path for change, path in changes if change is not Change.deleted})
        except Exception as exc:  # whatever the system or the library has against it
            self._fail(f"{type(exc).__name__}: {exc}")

    def end(self) -> None:
        self._over.set()


class Follower:
    """The daemon's task. One for each daemon."""

    def __init__(self, context: PluginContext) -> None:
        self._context, self._service = context, context.port(UsageService)
        self._settings = self._service.settings
        self._sources: Sequence[Source] = ()
        self._places = Places()
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
                feed = Feed(found, _posted(loop, self._changed), _posted(loop, self._failed), recursive=recursive)
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

    async def _import(self, sources: Sequence[Source]) -> None:
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
