"""How many calls of a webhook pass from one address, at all daemons of a store together."""

from __future__ import annotations

import hashlib

from jackfield.api.context import PluginContext
from jackfield.api.limits import SlidingWindow
from jackfield.api.memos import MOST_COUNTED, Memos
from jackfield_webhooks.settings import WebhookRateLimit

_KIND = "webhook-calls"


class CallLimit:
    """Calls that pass here count in the store too, where daemons share it: one small write each. What is too much for
    this daemon alone is refused without a question. Above `MOST_COUNTED` calls a window each daemon counts its own."""

    def __init__(self, context: PluginContext, own: SlidingWindow, settings: WebhookRateLimit) -> None:
        self._own = own
        self._settings = settings
        self._memos: Memos | None = None
        if not context.store.exclusive and settings.requests <= MOST_COUNTED:
            self._memos = context.port(Memos)

    async def hit(self, key: str) -> float | None:
        """As `SlidingWindow.hit`. Raises `StoreUnavailable`."""
        retry = self._own.hit(key)
        if retry is not None or self._memos is None:
            return retry
        digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
        return await self._memos.count_memo(_KIND, digest, self._settings.requests, self._settings.window)
