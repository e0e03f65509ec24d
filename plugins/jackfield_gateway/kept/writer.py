"""Writes that come together go into one transaction."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Coroutine, Sequence
from typing import Protocol, TypeAlias

from jackfield_gateway.kept.database import GatewayDatabase

Work: TypeAlias = Callable[[sqlite3.Connection], None]


class SpawnTask(Protocol):
    """`PluginContext.spawn`."""

    def __call__(self, name: str, coroutine: Coroutine[object, object, None]) -> asyncio.Task[None]: ...


class KeyWriter:
    """The requests in flight bound the waiting entries: each of them has one write under way, and the ends of those
    that came before."""

    def __init__(self, database: GatewayDatabase, spawn: SpawnTask) -> None:
        self._database = database
        self._spawn = spawn
        self._waiting: list[tuple[Work, asyncio.Future[None]]] = []
        self._task: asyncio.Task[None] | None = None

    def put(self, work: Work) -> asyncio.Future[None]:
        """Fails with `StoreUnavailable`."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        done.add_done_callback(_looked_at)
        self._waiting.append((work, done))
        if self._task is None or self._task.done():
            self._task = self._spawn("write virtual keys", self._write())
        return done

    async def settled(self) -> None:
        """Everything that was put is written, or has failed."""
        while self._task is not None and not self._task.done():
            await asyncio.wait([self._task])

    async def _write(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            try:
                await asyncio.to_thread(self._database.write, [work for work, _ in batch])
            except Exception as exc:
                _resolve([done for _, done in batch], exc)
            else:
                _resolve([done for _, done in batch], None)


def _resolve(futures: Sequence[asyncio.Future[None]], error: Exception | None) -> None:
    for done in futures:
        if not done.done():
            done.set_result(None) if error is None else done.set_exception(error)


def _looked_at(done: asyncio.Future[None]) -> None:
    """Not everybody waits; asyncio would complain."""
    if not done.cancelled():
        done.exception()
