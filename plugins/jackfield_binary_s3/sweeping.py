"""Deleting what belongs to no execution any more: executions that retention has deleted, and what a crash left. Of the
daemons that share a store, one sweeps at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jackfield.api.binary import BinaryError, BinarySettings
from jackfield.api.context import PluginContext
from jackfield.api.errors import StoreUnavailable
from jackfield_binary_s3.making import chosen_store
from jackfield_binary_s3.settings import S3Settings

if TYPE_CHECKING:
    from jackfield_binary_s3.store import S3BinaryStore

TURN = "binary-s3-sweep"
"""The fact that holds when the last sweep began, in Unix milliseconds."""
_AT_ONCE = 500
"""Executions and files that are asked for and deleted at once."""
_EARLY = 0.9
"""Part of the interval after which another sweep may begin: a clock is never quite exact."""


def start(context: PluginContext) -> None:
    """Sweep where the files are this plugin's."""
    store = chosen_store(context)
    if store is not None:
        context.spawn("look", _look(context, store))
        context.spawn("sweep", sweep_forever(context, store))


async def _look(context: PluginContext, store: S3BinaryStore) -> None:
    """The daemon starts without its bucket; whoever has mistyped its name reads so at once."""
    try:
        await store.bucket.check()
    except BinaryError as exc:
        context.log.warning("%s Until somebody repairs this, files over binary.inline_limit fail.", exc.message)


async def sweep_forever(context: PluginContext, store: S3BinaryStore) -> None:
    """Every `binary.sweep_interval` seconds, unless another daemon has done so."""
    while True:
        await context.clock.sleep(context.settings(BinarySettings).sweep_interval)
        try:
            if await takes_turn(context):
                await sweep(context, store)
        except (BinaryError, StoreUnavailable) as exc:
            context.log.warning("Files without an execution could not be deleted, it is tried again later: %s", exc)


async def takes_turn(context: PluginContext) -> bool:
    """Whether this daemon sweeps now: nobody has begun to within the interval, and nobody else is as quick. One that
    dies over it is followed by the next daemon whose interval is over. Raises `StoreUnavailable`."""
    before, now = await context.store.fact(TURN), context.clock.now_ms()
    began = int(before) if before is not None and before.isdecimal() else None
    interval = context.settings(BinarySettings).sweep_interval * 1000
    if began is not None and abs(now - began) < interval * _EARLY:
        return False
    return await context.store.change_fact(TURN, before, str(now))


async def sweep(context: PluginContext, store: S3BinaryStore) -> None:
    """One pass over everything. Raises `BinaryError`, `StoreUnavailable`."""
    now = context.clock.now_ms()
    executions = await _release(context, store, now - round(context.settings(BinarySettings).orphan_age * 1000))
    files = await _delete(context, store, now - round(context.settings(S3Settings).release_age * 1000))
    if executions or files:
        context.log.info("Released the files of %d executions that are gone, deleted %d files.", executions, files)


async def _release(context: PluginContext, store: S3BinaryStore, before: int) -> int:
    """The files that executions have that are not in the store; how many they are."""
    gone, last = 0, ""
    while found := await context.store.executions_without_row(before, last, _AT_ONCE):
        await store.release(found)
        gone, last = gone + len(found), found[-1]
    return gone


async def _delete(context: PluginContext, store: S3BinaryStore, before: int) -> int:
    """Files that nobody has referred to since then; how many they are. They are claimed before, so that nobody refers
    to one that goes."""
    gone = 0
    while found := await context.store.claim_files(before, context.clock.now_ms(), _AT_ONCE):
        await store.bucket.delete(found)
        await context.store.forget_files(found)
        gone += len(found)
    return gone
