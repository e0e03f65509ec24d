"""The store of a worker: every verb is asked of the first process, which has it.

A turn's calls are one frame there, and the answers of a group commit one frame back.
"""

from __future__ import annotations

import asyncio
import itertools
import socket
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, cast

from jackfield.api.errors import StoreUnavailable
from jackfield.api.storage import Renewals, Renewed, Retention, Store

from .channel import Channel, Item
from .errors import made
from .verbs import ASKED

PATIENCE = 30.0
"""Seconds that an answer may take. The store has its own limits, and keeps them unless its process stands still."""
MOST_ASKED = 50_000
"""Calls that may wait for answers."""
_LOOK = 1.0
_GONE = "The daemon's first process has ended; whether the change is kept is not known. Try again in a moment."
_SLOW = "The daemon's first process did not answer in time; the change may or may not be kept."


class StoreCalls:
    """Calls and their answers over one line. told: takes items that are no answers."""

    def __init__(self, told: Callable[[Item], None] = lambda _: None, ended: Callable[[], None] = lambda: None) -> None:
        self._told = told
        self._ended = ended
        self._channel: Channel | None = None
        self.loop: asyncio.AbstractEventLoop | None = None
        self._numbers = itertools.count()
        self._asked: OrderedDict[int, tuple[asyncio.Future[Any], float]] = OrderedDict()
        self._looking: asyncio.TimerHandle | None = None

    async def open(self, sock: socket.socket) -> None:
        self.loop = asyncio.get_running_loop()
        self._channel = await Channel.over(sock, self._received, self._lost)

    def close(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
        if self._channel is not None:
            self._channel.close()

    def send(self, item: Item) -> None:
        if self._channel is not None:
            self._channel.send(item)

    def ask(self, verb: str, args: tuple[Any, ...], named: dict[str, Any]) -> asyncio.Future[Any]:
        """Any: of whatever verb. Raises `StoreUnavailable`."""
        channel = self._channel
        if channel is None or not channel.is_open:
            raise StoreUnavailable(_GONE)
        if len(self._asked) >= MOST_ASKED or channel.is_full:
            raise StoreUnavailable("Too many changes wait for the store; nothing was changed, try again.")
        number = next(self._numbers)
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        self._asked[number] = future, time.monotonic() + PATIENCE
        channel.send(("call", number, verb, args, named))
        if self._looking is None:
            self._looking = loop.call_later(_LOOK, self._look)
        return future

    def _received(self, items: Sequence[Item]) -> None:
        for item in items:
            kind = item[0]
            if kind in ("result", "error"):
                found = self._asked.pop(item[1], None)
                if found is None or found[0].done():
                    continue
                if kind == "result":
                    found[0].set_result(item[2])
                else:
                    found[0].set_exception(made(item[2]))
            else:
                self._told(item)

    def _look(self) -> None:
        """Calls are answered in about their order: the oldest is the first that is late."""
        now = time.monotonic()
        self._looking = None
        while self._asked:
            number, (future, until) = next(iter(self._asked.items()))
            if until > now:
                self._looking = asyncio.get_running_loop().call_later(_LOOK, self._look)
                return
            del self._asked[number]
            if not future.done():
                future.set_exception(StoreUnavailable(_SLOW))

    def _lost(self) -> None:
        asked, self._asked = self._asked, OrderedDict()
        for future, _ in asked.values():
            if not future.done():
                future.set_exception(StoreUnavailable(_GONE))
        self._ended()


class RenewingLine:
    """For the thread that renews, which may be another one than the store's.

    It has a separate line, for one event loop at a time, and for all lives.
    """

    def __init__(self, sock: socket.socket, store: StoreCalls) -> None:
        self._sock = sock
        self._store = store
        self._asking: StoreCalls | None = None

    async def renew(self, owner: str) -> Renewed:
        asking = self._store
        if asking.loop is not asyncio.get_running_loop():
            if self._asking is None:
                made = StoreCalls()
                await made.open(self._sock)
                self._asking = made
            asking = self._asking
        return cast("Renewed", await asking.ask("renew", (owner,), {}))


class ClientRenewals:
    """`Renewals`"""

    def __init__(self, line: RenewingLine, owner: str) -> None:
        self._line = line
        self._owner = owner

    async def renew(self) -> Renewed:
        return await self._line.renew(self._owner)

    async def close(self) -> None:
        """The line goes on: the next life renews over it."""


class StoreClient:
    """`Store` but for its verbs, which `client_store` adds."""

    name = "workers"
    exclusive = False

    def __init__(self, asking: StoreCalls, renewing: socket.socket) -> None:
        """asking: its owner opens it before the store is opened, and closes it."""
        self.asking = asking
        self._renewing = RenewingLine(renewing, asking)

    async def open(self) -> None:
        """The first process has opened it."""

    async def close(self) -> None:
        """The first process closes it; what was asked before is in order before that."""

    def renewals(self, owner: str) -> Renewals:
        return ClientRenewals(self._renewing, owner)

    async def prune(self, retention: Retention) -> int:
        """The first process does."""
        return 0

    def hold_caps(self, *, executions: int | None = None, calls: int | None = None) -> None:
        """Likewise."""


def _coroutine(verb: str) -> Callable[..., Any]:
    async def call(self: StoreClient, *args: Any, **named: Any) -> Any:  # Any: of whatever verb
        return await self.asking.ask(verb, args, named)

    return call


def _future(verb: str) -> Callable[..., Any]:
    def call(self: StoreClient, *args: Any, **named: Any) -> Any:  # as above
        return self.asking.ask(verb, args, named)

    return call


for _verb, _is_coroutine in ASKED.items():
    setattr(StoreClient, _verb, _coroutine(_verb) if _is_coroutine else _future(_verb))


def client_store(asking: StoreCalls, renewing: socket.socket) -> Store:
    """renewing: the line for renewals."""
    return cast("Store", StoreClient(asking, renewing))
