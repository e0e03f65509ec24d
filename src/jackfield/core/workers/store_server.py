"""The first process's side: the store for one worker."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from jackfield.api.containment import passes
from jackfield.api.memos import Memos
from jackfield.api.storage import Incarnation, Renewals, ShareableStore, Store

from .channel import Channel, Item
from .errors import told
from .verbs import ASKED, OF_MEMOS

log = logging.getLogger("jackfield.workers")
_STEPPED: Item = ("stepped",)
"""Holds the place of a coroutine that takes its first step."""


class StoreServer:
    """Answers one worker. The store's writes of one frame are queued in their order."""

    def __init__(self, store: Store, memos: Memos, heard: Callable[[Item], None]) -> None:
        """heard: takes items that are no calls."""
        self._store = store
        self._memos = memos
        self._heard = heard
        self._channel: Channel | None = None
        self._renewing: Channel | None = None
        self._waiting: deque[Item] = deque()
        """Behind a coroutine that has not taken its first step."""
        self._renewals: dict[str, Renewals] = {}
        self._lives: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self.heard_all = asyncio.Event()
        """Whether the worker's line has ended."""

    async def open(self, sock: socket.socket, renewing: socket.socket) -> None:
        self._channel = await Channel.over(sock, self._received, self.heard_all.set)
        self._renewing = await Channel.over(renewing, self._renew, lambda: None)

    def send(self, item: Item) -> None:
        if self._channel is not None:
            self._channel.send(item)

    @property
    def is_full(self) -> bool:
        """Whether the worker leaves unread what it was sent."""
        return self._channel is not None and self._channel.is_full

    async def close(self) -> None:
        """The process has ended, and all that it has started: nobody waits for a lease."""
        for channel in (self._channel, self._renewing):
            if channel is not None:
                channel.close()
        for task in list(self._tasks):
            task.cancel()
        for renewals in self._renewals.values():
            await renewals.close()
        if isinstance(self._store, ShareableStore):
            for life in self._lives:
                self._store.end_life(life)

    # -- calls

    def _received(self, items: Sequence[Item]) -> None:
        """A coroutine's write is queued with its first step: whatever comes behind it waits for that turn."""
        is_first = not self._waiting
        self._waiting.extend(items)
        if is_first:
            self._take()

    def _take(self) -> None:
        while self._waiting:
            item = self._waiting[0]
            if item[0] != "call":
                if item is not _STEPPED:
                    self._heard(item)
            else:
                _, number, verb, args, named = item
                if verb == "renew":
                    self._spawn(self._renewed(number, args[0], self._channel))
                elif verb not in ASKED:
                    self._answer(("error", number, told(AttributeError(verb))))
                elif not ASKED[verb]:
                    self._post(number, verb, args, named)
                else:
                    self._spawn(self._await(number, verb, args, named))
                    if len(self._waiting) > 1:
                        self._waiting.popleft()
                        self._waiting.appendleft(_STEPPED)
                        asyncio.get_running_loop().call_soon(self._take)
                        return
            self._waiting.popleft()

    def _post(self, number: int, verb: str, args: tuple[Any, ...], named: dict[str, Any]) -> None:
        if verb == "register":
            self._note(args[0])
        try:
            future: asyncio.Future[Any] = getattr(self._store, verb)(*args, **named)
        except Exception as exc:
            self._answer(("error", number, told(exc)))
            return
        future.add_done_callback(lambda done: self._done(number, done))

    def _done(self, number: int, done: asyncio.Future[Any]) -> None:
        if done.cancelled():
            return
        error = done.exception()
        self._answer(("result", number, done.result()) if error is None else ("error", number, told(error)))

    async def _await(self, number: int, verb: str, args: tuple[Any, ...], named: dict[str, Any]) -> None:
        of = self._memos if verb in OF_MEMOS else self._store
        try:
            found = await getattr(of, verb)(*args, **named)
        except BaseException as exc:
            if passes(exc):
                raise
            self._answer(("error", number, told(exc)))
        else:
            self._answer(("result", number, found))

    def _answer(self, item: Item) -> None:
        if self._channel is not None:
            self._channel.send(item)

    def _spawn(self, work: Any) -> None:  # Any: a coroutine
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # -- lives

    def _note(self, incarnation: Incarnation) -> None:
        self._lives.add(incarnation.id)

    def _renew(self, items: Sequence[Item]) -> None:
        for _, number, _, args, _ in items:
            self._spawn(self._renewed(number, args[0], self._renewing))

    async def _renewed(self, number: int, owner: str, channel: Channel | None) -> None:
        renewals = self._renewals.get(owner)
        if renewals is None:
            earlier, self._renewals = self._renewals, {}
            renewals = self._renewals[owner] = self._store.renewals(owner)
            for old in earlier.values():
                await old.close()
        item: Item
        try:
            item = "result", number, await renewals.renew()
        except Exception as exc:
            item = "error", number, told(exc)
        if channel is not None:
            channel.send(item)
