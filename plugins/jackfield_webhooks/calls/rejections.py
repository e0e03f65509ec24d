"""Calls that were refused: all are counted, and of each webhook a bounded number a minute is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from jackfield.api.context import PluginContext
from jackfield.api.errors import StoreUnavailable
from jackfield.api.ids import new_id
from jackfield.api.storage import NewCall, Webhook
from jackfield_webhooks.calls import masking
from jackfield_webhooks.settings import WebhookSettings

_FLUSH_SECONDS = 1.0
_MAX_WAITING = 500
"""Kept calls that the store has not confirmed yet; while there are more, calls are only counted."""


class RejectedCalls:
    """Nobody waits for these rows, so that their number is what bounds them."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._history = context.settings(WebhookSettings).history
        self._flushing = False
        self._minute = 0
        self._kept: dict[str, int] = {}
        self._counts: dict[str, int] = {}
        self._waiting = 0

    def add(
        self,
        webhook: Webhook,
        method: str,
        headers: Mapping[str, str],
        own: frozenset[str],
        status: int,
        body: bytes,
        duration_ms: int,
        query: str = "",
    ) -> None:
        """Record a refusal. own: headers with the webhook's own credential; body: of the answer."""
        now = self._context.clock.now_ms()
        if not self._may_keep(webhook.id, now):
            self._count(webhook.id)
            return
        call = NewCall(
            id=new_id(),
            webhook_id=webhook.id,
            time=now,
            method=method,
            headers=masking.for_history(headers, own),
            body="",
            status="rejected",
            response_status=status,
            response_body=body[: self._history.body_bytes].decode("utf-8", "replace"),
            duration_ms=duration_ms,
            query=masking.query_for_history(query),
        )
        try:
            self._watch(self._context.store.add_call(call))
        except StoreUnavailable:
            self._count(webhook.id)

    def _may_keep(self, webhook_id: str, now: int) -> bool:
        minute = now // 60_000
        if minute != self._minute:
            self._minute = minute
            self._kept.clear()
        kept = self._kept.get(webhook_id, 0)
        if kept >= self._history.rejected_per_minute or self._waiting >= _MAX_WAITING:
            return False
        self._kept[webhook_id] = kept + 1
        return True

    def _count(self, webhook_id: str) -> None:
        # One entry per webhook that exists, until the next flush.
        self._counts[webhook_id] = self._counts.get(webhook_id, 0) + 1
        if not self._flushing:
            self._flushing = True
            self._context.spawn("webhook call counters", self._flush_all())

    def _watch(self, stored: asyncio.Future[None]) -> None:
        self._waiting += 1
        stored.add_done_callback(self._stored)

    def _stored(self, stored: asyncio.Future[None]) -> None:
        self._waiting -= 1
        if not stored.cancelled() and stored.exception() is not None:
            self._context.log.warning("A refused call could not be stored.")

    async def _flush_all(self) -> None:
        """As long as there is something to store."""
        try:
            while self._counts:
                await self._context.clock.sleep(_FLUSH_SECONDS)
                await self.flush()
        finally:
            self._flushing = False

    async def flush(self) -> None:
        """Store what was only counted. Counts that the store does not take stay for the next time."""
        counts, self._counts = self._counts, {}
        now = self._context.clock.now_ms()
        for webhook_id, count in counts.items():
            try:
                await self._context.store.count_calls(webhook_id, count, now, "rejected")
            except StoreUnavailable:
                self._counts[webhook_id] = self._counts.get(webhook_id, 0) + count


async def stop(context: PluginContext) -> None:
    """Write what is still counted only in memory."""
    await context.port(RejectedCalls).flush()
