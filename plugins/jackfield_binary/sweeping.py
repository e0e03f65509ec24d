"""Deleting what belongs to no execution any more: executions that retention has deleted, and what a crash left."""

from __future__ import annotations

import asyncio
from contextlib import closing

from jackfield.api.binary import BinaryError, BinarySettings, BinaryStore
from jackfield.api.context import PluginContext
from jackfield.api.errors import StoreUnavailable
from jackfield_binary.store import DiskStore

_AT_ONCE = 500
"""Executions that the store is asked about at once."""


def start(context: PluginContext) -> None:
    """Sweep where the files are this plugin's."""
    store = context.port(BinaryStore)
    if isinstance(store, DiskStore):
        context.spawn("sweep", sweep_forever(context, store))


async def sweep_forever(context: PluginContext, store: DiskStore) -> None:
    """Every `binary.sweep_interval` seconds."""
    while True:
        await context.clock.sleep(context.settings(BinarySettings).sweep_interval)
        try:
            await sweep(context, store)
        except (BinaryError, StoreUnavailable, OSError) as exc:
            context.log.warning("Files without an execution could not be deleted, it is tried again later: %s", exc)


async def sweep(context: PluginContext, store: DiskStore) -> None:
    """One pass over everything. Raises `BinaryError`, `StoreUnavailable`, OSError."""
    before = context.clock.now_ms() / 1000 - context.settings(BinarySettings).orphan_age
    gone = 0
    with closing(store.layout.old_executions(before, _AT_ONCE)) as parts:  # type: ignore[type-var]  # a generator
        while found := await asyncio.to_thread(next, parts, None):
            kept = await context.store.known_executions(found)
            doomed = [execution_id for execution_id in found if execution_id not in kept]
            await store.release(doomed)
            gone += len(doomed)
    files = await asyncio.to_thread(store.layout.remove_orphans, before)
    if gone or files:
        context.log.info("Deleted the files of %d executions that are gone, and %d files of none.", gone, files)
