"""The work beside the recording: the anchor follows the chain, and retention drops old segments."""

from __future__ import annotations

import asyncio
import contextlib

from jackfield.api.audit import DAEMON, AuditedAct
from jackfield.api.context import PluginContext
from jackfield.api.errors import DataDamaged, JackfieldError, StoreUnavailable
from jackfield.api.projects import whole_store
from jackfield.api.storage.audit import AuditCheckpoint, AuditFilter, AuditHead
from jackfield_audit.anchor import Anchor
from jackfield_audit.chain import KEY, AuditChain
from jackfield_audit.settings import AuditSettings
from jackfield_audit.verifying import checkpoint_stamp

_LOOK = 5.0
"""Seconds between two looks at the end of the chain."""
_RETENTION = 3600.0
"""Seconds between two looks for old segments."""
_DAY_MS = 86_400_000


async def start(context: PluginContext) -> None:
    """Of a daemon's first process: workers share its directory."""
    if context.service.worker:
        return
    context.spawn("audit.anchor", _follow(context))
    if context.settings(AuditSettings).keep_days:
        context.spawn("audit.retention", _keep(context))


async def stop(context: PluginContext) -> None:
    chain = context.built_port(AuditChain)
    if chain is None:
        return
    await chain.flush()
    if not context.service.worker and chain.head is not None:
        with contextlib.suppress(OSError, JackfieldError):
            await asyncio.to_thread(Anchor(context).write, chain.head)


async def _follow(context: PluginContext) -> None:
    try:
        await _anchored(context, Anchor(context))
    except DataDamaged as exc:
        context.log.error("The end of the audit log is no longer kept in the directory: %s", exc.message)


async def _anchored(context: PluginContext, anchor: Anchor) -> None:
    """Raises `DataDamaged`: what somebody has changed in the file stays there for whoever looks into it."""
    seen = await _compared(context, anchor)
    while True:
        await context.clock.sleep(_LOOK)
        chain = context.built_port(AuditChain)
        head = None if chain is None else chain.head
        if head is not None and head != seen:
            try:
                await asyncio.to_thread(anchor.write, head)
                seen = head
            except DataDamaged:
                raise
            except (OSError, JackfieldError) as exc:
                context.log.warning("The end of the audit log cannot be kept in the directory: %s", exc)


async def _compared(context: PluginContext, anchor: Anchor) -> AuditHead | None:
    """Records that this daemon had seen and that are gone stand in the log, and in the chain itself."""
    try:
        seen = await asyncio.to_thread(anchor.read)
        if seen is None or await has(context, seen):
            await asyncio.to_thread(anchor.renew)  # an earlier key may be forgotten from now on
            return seen
        head = await whole_store(context.store).audit_head()
        context.log.error(
            "The audit log lacks records that this daemon has written: it ends with %d, and was seen to reach %d. "
            "Somebody has changed the database, or put back an older one.",
            head.number,
            seen.number,
        )
        told = f"seen {seen.number} {seen.hash.hex()}, found {head.number}"
        await context.port(AuditChain).record(
            AuditedAct("audit.gap", DAEMON, "failed", "audit", str(seen.number), told)
        )
    except DataDamaged:
        raise
    except JackfieldError as exc:
        context.log.warning("The end of the audit log was not looked at: %s", exc.message)
    return None


async def has(context: PluginContext, head: AuditHead) -> bool:
    """Whether the chain has this record, or retention has dropped it."""
    store = whole_store(context.store)
    left = await store.audit_checkpoint()
    if left is not None and head.number <= left.number:
        return head.number < left.number or head.hash == left.hash
    rows = await store.audit_rows(AuditFilter(), after=head.number - 1, limit=1, newest_first=False)
    return bool(rows) and rows[0].head == head


async def _keep(context: PluginContext) -> None:
    while True:
        await context.clock.sleep(_RETENTION)
        try:
            await drop_old(context)
        except StoreUnavailable as exc:
            context.log.warning("Old records of the audit log stay for now: %s", exc.message)


async def drop_old(context: PluginContext) -> int:
    """Drop every whole segment that is older than `audit.keep_days`; how many records. Raises `StoreUnavailable`."""
    settings, store = context.settings(AuditSettings), whole_store(context.store)
    now, dropped = context.clock.now_ms(), 0
    before = now - settings.keep_days * _DAY_MS
    left = await store.audit_checkpoint()
    while settings.keep_days:
        start = 0 if left is None else left.number
        end = start - start % settings.segment + settings.segment
        rows = await store.audit_rows(AuditFilter(), after=end - 1, limit=1, newest_first=False)
        if not rows or rows[0].number != end or rows[0].at >= before:
            break
        total = (0 if left is None else left.dropped) + end - start
        key = context.secrets.key(KEY)
        left = AuditCheckpoint(end, rows[0].hash, total, now, checkpoint_stamp(key, end, rows[0].hash, total, now))
        gone = await store.drop_audit(left)
        if not gone:
            break
        dropped += gone
        told = f"records {start + 1} to {end}, of which the last had the hash {left.hash.hex()}"
        await context.port(AuditChain).record(AuditedAct("audit.drop", DAEMON, "success", "audit", str(end), told))
    return dropped
