"""How a workflow's triggers stand, as the API tells it."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.clock import iso
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.storage import Webhook, WebhookStats
from jackfield.api.workflows import Workflow
from jackfield_triggers.addresses import event_url, ident_of
from jackfield_triggers.kinds import LISTEN, OF_SERVICES, POLL, SUBSCRIBE
from jackfield_triggers.listening.listeners import Listeners, ListenStanding
from jackfield_triggers.polling.polls import Polls, PollStanding
from jackfield_triggers.subscribing.subscriptions import Subscriptions, SubscriptionStanding

_MOST = 1000


async def standings(context: PluginContext, workflow: Workflow) -> list[Json]:
    """One row per node that polls, subscribes or listens, in the document's order. Raises `StoreUnavailable`."""
    page = await context.store.webhooks(kind=OF_SERVICES, offset=0, limit=_MOST, active=None, workflow_id=workflow.id)
    stats = await context.store.webhooks_stats([row.id for row in page.rows])
    polls = {one.id: one for one in context.port(Polls).standings(workflow.id or "")}
    subscriptions = {one.id: one for one in context.port(Subscriptions).standings(workflow.id or "")}
    connections = {one.id: one for one in context.port(Listeners).standings(workflow.id or "")}
    order = list(workflow.nodes)
    rows: Sequence[Webhook] = sorted(page.rows, key=lambda row: _place(order, row.node_name))
    return [
        _polled(row, stats.get(row.id), polls.get(row.id))
        if row.kind == POLL
        else _listened(row, stats.get(row.id), connections.get(row.id))
        if row.kind == LISTEN
        else _subscribed(context, workflow, row, stats.get(row.id), subscriptions.get(row.id))
        for row in rows
    ]


def _place(order: list[str], name: str) -> int:
    return order.index(name) if name in order else len(order)


def _polled(row: Webhook, stats: WebhookStats | None, known: PollStanding | None) -> dict[str, Json]:
    state = "idle" if known is None or not row.active else "failing" if known.failed else "waiting"
    view = _common(row, stats, state)
    if known is not None:
        view |= {"lastPoll": _time(known.polled), "next": _time(known.next)}
        view |= _failure(known.error, known.failed)
    return view


def _subscribed(
    context: PluginContext,
    workflow: Workflow,
    row: Webhook,
    stats: WebhookStats | None,
    known: SubscriptionStanding | None,
) -> dict[str, Json]:
    view = _common(row, stats, "idle" if known is None or not known.phase else known.phase)
    node = workflow.nodes.get(row.node_name)
    if node is not None and (ident := ident_of(node)):
        view["url"] = event_url(context, ident)
    if known is not None:
        view |= {"next": _time(known.next), "expires": _time(known.expires)}
        view |= _failure(known.error, known.failed)
        if known.error:
            view["state"] = "failing"
    return view


def _listened(row: Webhook, stats: WebhookStats | None, known: ListenStanding | None) -> dict[str, Json]:
    if known is None or not row.active:
        return _common(row, stats, "idle")
    state = "failing" if known.failed else "waiting" if known.connected is None else "connected"
    view = _common(row, stats, state) | {"next": _time(known.next), "connected": _time(known.connected)}
    return view | _failure(known.error, known.failed)


def _common(row: Webhook, stats: WebhookStats | None, state: str) -> dict[str, Json]:
    ended = stats.success_calls + stats.failed_calls if stats else 0
    started = stats.total_calls if stats else 0
    return {
        "id": row.id,
        "node": row.node_name,
        "kind": row.kind,
        "state": state,
        "events": ended if row.kind == SUBSCRIBE else started,  # refused calls are none
        "lastEvent": _time(stats.last_call if stats else None),
    }


def _failure(message: str, at: int | None) -> dict[str, Json]:
    return {"lastError": {"message": message, "at": _time(at)} if message else None}


def _time(moment: int | None) -> str | None:
    return None if moment is None else iso(moment)
