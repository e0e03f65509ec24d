"""The history of calls that other triggers take by themselves."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from jackfield.api.caller_secrets import MASK
from jackfield.api.context import PluginContext
from jackfield.api.ids import new_id
from jackfield.api.storage import NewCall, Webhook
from jackfield.api.webhooks import WebhookCall
from jackfield_webhooks.calls import masking
from jackfield_webhooks.calls.body_masking import BodyMask
from jackfield_webhooks.calls.rejections import RejectedCalls
from jackfield_webhooks.settings import WebhookSettings


class EventCalls:
    """`EventHistory`"""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._limit = context.settings(WebhookSettings).history.body_bytes
        self._mask = BodyMask()

    def taken(
        self, webhook: Webhook, call: WebhookCall, status: int, body: bytes, ms: int, hidden: Collection[str]
    ) -> NewCall:
        """See the port."""
        shown = self._mask.masked(call.body[: self._limit], call.headers.get("content-type", ""))
        return NewCall(
            id=new_id(),
            webhook_id=webhook.id,
            time=self._context.clock.now_ms(),
            method=call.method,
            headers=masking.for_history(_without(call.headers, hidden), frozenset()),
            body=_hidden(shown, hidden),
            truncated=len(call.body) > self._limit,
            response_status=status,
            response_body=_hidden(self._mask.masked(body[: self._limit]), hidden),
            duration_ms=ms,
            query=masking.query_for_history(_hidden(call.url.partition("?")[2], hidden)),
        )

    def refused(
        self, webhook: Webhook, call: WebhookCall, status: int, body: bytes, ms: int, hidden: Collection[str]
    ) -> None:
        """See the port."""
        headers, query = _without(call.headers, hidden), _hidden(call.url.partition("?")[2], hidden)
        rejected = self._context.port(RejectedCalls)
        rejected.add(webhook, call.method, headers, frozenset(), status, body, ms, query)


def _without(headers: Mapping[str, str], hidden: Collection[str]) -> dict[str, str]:
    return {name: _hidden(value, hidden) for name, value in headers.items()}


def _hidden(text: str, hidden: Collection[str]) -> str:
    for one in hidden:
        text = text.replace(one, MASK) if one else text
    return text
