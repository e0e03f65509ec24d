"""The calls that other daemons of the store have let pass, as this one last heard."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
from collections import OrderedDict

from jackfield.api.context import PluginContext
from jackfield.api.errors import StoreUnavailable
from jackfield.api.records import state
from jackfield.api.shared_counts import Counted, SharedCounts, SpanCounts
from jackfield_webhooks.settings import WebhookSettings

_PAUSE = 0.2
"""Seconds from one exchange to the next, at least."""
_AT_ONCE = 2000
"""Keys that one exchange takes at most."""
_SPANS = 2
"""Of a key in the store: that of now, and the one before."""


@state
class _Share:
    """Of one key. own, own_before: what this daemon has added in the span, and in the one before it. Others,
    others_before: what is not of it."""

    span: int
    own: int = 0
    own_before: int = 0
    others: int = 0
    others_before: int = 0

    def heard(self, span: int, added: int, found: Counted) -> None:
        if span != self.span:
            self.own_before = self.own if span == self.span + 1 else 0
            self.own = 0
        self.span = span
        self.own += added
        self.others = max(0, found.now - self.own)
        self.others_before = max(0, found.before - self.own_before)


class CallShares:
    """Calls are counted here, and told to the store at most every 0.2 seconds, those of all addresses in one small
    write. Its answer says what the others have. No call waits for that. While the store does not answer each daemon
    counts its own, and the others never hear of these calls. Keys are bounded by `webhooks.rateLimit.clients`."""

    def __init__(self, context: PluginContext) -> None:
        limit = context.settings(WebhookSettings).rate_limit
        self._context = context
        self._window = limit.window
        self._most = limit.clients
        self._kind = f"webhook-calls-{hashlib.sha256(str(limit.window).encode()).hexdigest()[:8]}"
        self._pending: dict[str, int] = {}
        self._shares: OrderedDict[str, _Share] = OrderedDict()
        self._span, self._began = 0, 0.0
        self._telling: asyncio.Task[None] | None = None

    def elsewhere(self, key: str) -> float:
        """How many calls of this key have passed at other daemons within the window. Those of the span before count
        in part, as if they had come evenly."""
        share = self._shares.get(_digest(key))
        if share is None:
            return 0
        age = self._context.clock.monotonic() - self._began
        spans = max(0.0, self._span - share.span + age / self._window)
        return share.others * min(1.0, max(0.0, 2 - spans)) + share.others_before * max(0.0, 1 - spans)

    def add(self, key: str) -> None:
        """A call has passed here. Of too many keys at once, the store hears of some."""
        digest = _digest(key)
        if digest in self._pending or len(self._pending) < self._most:
            self._pending[digest] = self._pending.get(digest, 0) + 1
        if self._telling is None or self._telling.done():
            self._telling = self._context.spawn("webhook-counts", self._tell())

    async def _tell(self) -> None:
        store = self._context.store
        while self._pending and isinstance(store, SharedCounts):
            added = {key: self._pending.pop(key) for key in list(itertools.islice(self._pending, _AT_ONCE))}
            try:
                heard = await store.add_counts(self._kind, added, self._window, self._most * _SPANS)
            except StoreUnavailable:
                self._context.log.debug("Calls are counted by this daemon alone, the store does not answer.")
            else:
                self._hear(added, heard)
            await self._context.clock.sleep(_PAUSE)

    def _hear(self, added: dict[str, int], heard: SpanCounts) -> None:
        self._span, self._began = heard.span, self._context.clock.monotonic() - heard.age
        for key, count in added.items():
            share = self._shares.setdefault(key, _Share(heard.span))
            share.heard(heard.span, count, heard.counts.get(key, Counted(0, 0)))
            self._shares.move_to_end(key)
        while len(self._shares) > self._most:
            self._shares.popitem(last=False)


def _digest(key: str) -> str:
    """The store gets no addresses."""
    return hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
