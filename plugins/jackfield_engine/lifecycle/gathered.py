"""Stored executions that are asked for at about the same time are read together. One round trip serves all that became
ready while the last one was under way."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import islice

from jackfield.api.errors import StoreUnavailable
from jackfield.api.storage import Store, StoredExecution
from jackfield_engine.run.handles import settle, settle_error

PAGE = 100
"""Executions that are read together at most."""
PAGE_BYTES = 4_194_304
"""Bytes that they have together at most."""


class GatheredReads:
    """Belongs to one event loop."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._wanted: dict[str, asyncio.Future[StoredExecution | None]] = {}
        self._reading: asyncio.Task[None] | None = None

    async def execution(self, execution_id: str) -> StoredExecution | None:
        """As `Store.execution`; what was stored before it was asked for is in it."""
        wanted = self._wanted.get(execution_id)
        if wanted is None:
            wanted = self._wanted[execution_id] = asyncio.get_running_loop().create_future()
        if self._reading is None:
            self._reading = asyncio.create_task(self._read(), name="executions.reads")
        return await asyncio.shield(wanted)

    async def _read(self) -> None:
        try:
            while self._wanted:
                page = list(islice(self._wanted, PAGE))
                await self._read_page({one: self._wanted.pop(one) for one in page})
        finally:
            self._reading = None

    async def _read_page(self, page: dict[str, asyncio.Future[StoredExecution | None]]) -> None:
        try:
            found = await together(self._store, list(page))
        except Exception as exc:
            for wanted in page.values():
                settle_error(wanted, exc)
            return
        for execution_id, wanted in page.items():
            if (stored := found.get(execution_id)) is not None:
                settle(wanted, stored)
            else:
                await self._read_alone(execution_id, wanted)

    async def _read_alone(self, execution_id: str, wanted: asyncio.Future[StoredExecution | None]) -> None:
        try:
            settle(wanted, await self._store.execution(execution_id))
        except Exception as exc:
            settle_error(wanted, exc)


async def together(store: Store, execution_ids: Sequence[str]) -> dict[str, StoredExecution]:
    """Those of that many at most that fit into one read; a single one is read by itself as quickly. None of them where
    one makes the read fail: the caller who reads that one by itself gets the error. Raises `StoreUnavailable`."""
    if len(execution_ids) < 2:
        return {}
    try:
        return await store.whole_executions(execution_ids, PAGE_BYTES)
    except StoreUnavailable:
        raise
    except Exception:
        return {}
