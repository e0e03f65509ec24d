"""Events of services come in: `/webhook/{webhookId}/webhook`, in whichever process. An event is answered with success
once the execution that it starts is stored."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import cast
from urllib.parse import parse_qsl

from jackfield.api.asgi import Receive, Scope, Send, error_body
from jackfield.api.binary import BinaryStore
from jackfield.api.body_budget import SMALL, TakenMemory, apart, budget_of, json_memory, taken_for
from jackfield.api.call_triggers import EventHistory
from jackfield.api.clock import Clock
from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.engine import Engine, ExecutionRequest
from jackfield.api.errors import (
    Conflict,
    InvalidInput,
    JackfieldError,
    NotFound,
    PayloadTooLarge,
    RequestTimeout,
    UpstreamFailed,
    WorkflowInactive,
)
from jackfield.api.ids import new_id
from jackfield.api.jsontext import Json, loads
from jackfield.api.nodes import NodeError
from jackfield.api.object_references import load
from jackfield.api.records import replace, state
from jackfield.api.storage import Delivery, Webhook
from jackfield.api.triggers import registered_node
from jackfield.api.triggers.subscribing import PATH, EventAnswer, EventCall, Received
from jackfield.api.webhooks import WebhookCall
from jackfield_triggers.kinds import SUBSCRIBE
from jackfield_triggers.settings import TriggerSettings
from jackfield_triggers.subscribing.records import SubscriptionRecord, SubscriptionRecords
from jackfield_triggers.subscribing.steps import SubscriptionSteps
from jackfield_triggers.subscribing.waiting import TestEvents, TestWait

_METHODS = ("GET", "POST", "PUT", "HEAD")
_HOUR_MS = 3_600_000
_FORM = "application/x-www-form-urlencoded"
_MULTIPART = "multipart/form-data"
_LONGEST_KEY = 200


class Gone(Exception):
    """The caller went away; nobody is left to be answered."""


async def serve(context: PluginContext, ident: str, scope: Scope, receive: Receive, send: Send, test: bool) -> None:
    """One HTTP request whose body nobody has read."""
    request_id = str(scope.get("jackfield.request_id", ""))
    events = IncomingEvents(context)
    try:
        answer = await (events.tested if test else events.taken)(ident, scope, receive)
    except Gone:
        return
    except JackfieldError as exc:
        answer = EventAnswer(exc.status, exc.headers, error_body(exc, request_id))
    except Exception:
        context.log.exception("An event failed.", extra={"requestId": request_id})
        answer = EventAnswer(500, (), error_body(JackfieldError("Something went wrong; try again later."), request_id))
    headers = [(name.lower().encode(), value.encode("latin-1", "replace")) for name, value in answer.headers]
    headers += [(b"content-type", answer.content_type.encode()), (b"content-length", str(len(answer.body)).encode())]
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else answer.body})


@state
class _Timed:
    """A call of this registration, which may come to stand in its history. hidden: texts that nobody may see there."""

    row: Webhook
    clock: Clock
    call: WebhookCall
    hidden: tuple[str, ...]
    begun: float = field(init=False)

    def __post_init__(self) -> None:
        self.begun = self.clock.monotonic()

    @property
    def ms(self) -> int:
        """How long it takes until now."""
        return round((self.clock.monotonic() - self.begun) * 1000)


class IncomingEvents:
    """Of one daemon."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(TriggerSettings)
        self._records = context.port(SubscriptionRecords)
        self._steps = SubscriptionSteps(context, self._settings, self._records)
        self._history = context.find_port(EventHistory)

    async def taken(self, ident: str, scope: Scope, receive: Receive) -> EventAnswer:
        """Of a live workflow. Raises `JackfieldError`, `Gone`."""
        row = await self._row(ident)
        kept = await self._records.get(row.id)
        if kept is None or kept.phase == "ending":
            raise NotFound("Nothing is subscribed at this address.")
        timed = _Timed(row, self._context.clock, self._head(scope), (kept.secret,))
        try:
            return await self._taken(timed, kept, scope, receive)
        except JackfieldError as exc:
            if self._history is not None and 400 <= exc.status < 500:
                body = error_body(exc, str(scope.get("jackfield.request_id", "")))
                self._history.refused(row, timed.call, exc.status, body, timed.ms, timed.hidden)
            raise

    async def _taken(self, timed: _Timed, kept: SubscriptionRecord, scope: Scope, receive: Receive) -> EventAnswer:
        execution_id = new_id()
        timed.call, body, memory = await self._call(timed.call, scope, receive)
        received = await self._received(kept, timed.call, body, execution_id)
        if received.items is not None:
            await self._start(timed, received, execution_id, memory)
        return received.answer

    async def tested(self, ident: str, scope: Scope, receive: Receive) -> EventAnswer:
        """Of somebody who waits for one event. Raises as `taken`."""
        wait = self._context.port(TestEvents).find(ident)
        kept = await self._waited(wait)
        call, body, _ = await self._call(self._head(scope), scope, receive)
        received = await self._received(kept, call, body, new_id(), test=True)
        if received.items is not None and wait is not None and not wait.items.done():
            wait.items.set_result(received.items)
        return received.answer

    async def _waited(self, wait: TestWait | None) -> SubscriptionRecord:
        if wait is None or wait.kept is None:
            raise NotFound("Nobody waits for a test event at this address.")
        return wait.kept

    async def _row(self, ident: str) -> Webhook:
        """Raises `NotFound`, `WorkflowInactive`."""
        rows = await self._context.store.webhooks_by_path(f"/{ident}/{PATH}", kind=SUBSCRIBE)
        live = next((row for row in rows if row.active), None)
        if live is not None:
            return live
        if rows:
            raise WorkflowInactive
        raise NotFound("There is no trigger at this address.")

    def _head(self, scope: Scope) -> WebhookCall:
        """The call without its body. Raises `NotFound`."""
        if scope["type"] != "http" or scope["method"] not in _METHODS:
            raise NotFound("There is no trigger at this address.")
        headers: dict[str, str] = {}
        for raw_name, raw_value in scope["headers"]:
            name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
            headers[name] = f"{headers[name]}, {value}" if name in headers else value
        path = (scope.get("raw_path") or scope["path"].encode()).partition(b"?")[0].decode("latin-1")
        query = scope.get("query_string", b"").decode("latin-1")
        url = f"{self._context.service.public_url}{path}{'?' + query if query else ''}"
        return WebhookCall(scope["method"], url, headers, b"", self._context.clock.now_ms() / 1000)

    async def _call(
        self, head: WebhookCall, scope: Scope, receive: Receive
    ) -> tuple[WebhookCall, Json, TakenMemory | None]:
        content, reading = await self._read(scope, receive)
        call = replace(head, body=content, now=self._context.clock.now_ms() / 1000)
        try:
            body, memory = await _parsed(scope, call)
        finally:
            for taken in reading:  # at once, as what refers to a failure may live on for a while
                taken.release()
        return call, body, memory

    async def _read(self, scope: Scope, receive: Receive) -> tuple[bytes, list[TakenMemory]]:
        """The body, and what a large one takes of the daemon's budget until it is parsed. Raises `PayloadTooLarge`,
        `MemoryExhausted`, `RequestTimeout`, `Gone`."""
        parts, size, more = [], 0, True
        reading: list[TakenMemory] = []
        room = SMALL
        limit = self._settings.event_bytes
        try:
            async with asyncio.timeout(self._settings.event_timeout):
                while more:
                    message = await receive()
                    if message["type"] != "http.request":
                        raise Gone
                    part = message.get("body", b"")
                    size += len(part)
                    if size > limit:
                        raise PayloadTooLarge(f"An event may have at most {limit} bytes (triggers.event_bytes).")
                    if size >= room:  # as much again as has come
                        taken = taken_for(scope, min(size, limit))
                        reading += [] if taken is None else [taken]
                        room += size
                    parts.append(part)
                    more = message.get("more_body", False)
        except TimeoutError:
            raise RequestTimeout from None
        return b"".join(parts), reading

    async def _received(
        self, kept: SubscriptionRecord, call: WebhookCall, body: Json, execution_id: str, *, test: bool = False
    ) -> Received:
        query = _first_of_each(call.url.partition("?")[2])
        event = EventCall(call, query, body, self._context.port(BinaryStore).files(execution_id))
        try:
            async with asyncio.timeout(self._settings.subscribe_timeout):
                return await self._steps.node(kept).receive(self._steps.run(kept, test=test), event)
        except TimeoutError:
            raise UpstreamFailed("The event could not be completed in time; send it again.") from None
        except NodeError as exc:
            raise UpstreamFailed(self._context.secrets.hide(exc.message)) from None

    async def _start(self, timed: _Timed, received: Received, execution_id: str, memory: TakenMemory | None) -> None:
        """Returns once it is stored; an event that came before starts nothing. Raises `JackfieldError`."""
        row = timed.row
        told = (timed.call, received.answer.status, received.answer.body, timed.ms, timed.hidden)
        workflow = await self._context.port(WorkflowReader).load(row.workflow_id)
        node = registered_node(workflow.nodes.values(), row.node_id, row.node_name)
        if node is None or not received.items:
            return
        now = self._context.clock.now_ms()
        key = _key(received.delivery)
        until = now + round(self._settings.remember_hours * _HOUR_MS)
        request = ExecutionRequest(
            workflow=workflow,
            mode="trigger",
            start=node.name,
            items=list(received.items),
            start_output=received.output,
            id=execution_id,
            delivery=Delivery(row.id, key, until) if key else None,
            memory=memory,
            call=None if self._history is None else self._history.taken(row, *told),
        )
        execution = self._context.port(Engine).submit(request)
        try:
            await asyncio.shield(execution.accepted)
        except Conflict as exc:
            if "key" not in (exc.details or {}):
                raise


async def _parsed(scope: Scope, call: WebhookCall) -> tuple[Json, TakenMemory | None]:
    """JSON, or a form; None for anything else. Beside it what a large one takes of the daemon's budget."""
    kind = call.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == _FORM:
        if len(call.body) < SMALL:
            return _form(call.body), None
        return await apart(budget_of(scope), _form, call.body), None
    if kind == _MULTIPART:
        parse = cast("Callable[[bytes, str], Json]", load("jackfield_triggers.subscribing.form_bodies:fields"))
        return await apart(budget_of(scope), parse, call.body, call.headers["content-type"]), None
    if not call.body or (kind and "json" not in kind and not kind.startswith("text/")):
        return None, None
    try:
        if len(call.body) < SMALL:
            return loads(call.body), None
        return await _large_json(scope, call.body)
    except InvalidInput:
        if "json" in kind:
            raise
        return None, None


async def _large_json(scope: Scope, body: bytes) -> tuple[Json, TakenMemory | None]:
    """Raises `InvalidInput`, `PayloadTooLarge`, `MemoryExhausted`."""
    budget = budget_of(scope)
    memory = taken_for(scope, await apart(budget, json_memory, body), len(body))
    try:
        return await apart(budget, loads, body), memory
    except InvalidInput:
        if memory is not None:
            memory.release()
        raise


def _key(delivery: str) -> str:
    """As the store has it. Of long ones, such as of many events in one call, only the end may differ."""
    if len(delivery) <= _LONGEST_KEY:
        return delivery
    return hashlib.sha256(delivery.encode("utf-8", "replace")).hexdigest()


def _form(body: bytes) -> Json:
    return dict(_fields(body.decode("utf-8", "replace"), 10_000))


def _first_of_each(query: str) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for name, value in _fields(query, 1_000):
        found.setdefault(name, value)
    return found


def _fields(text: str, most: int) -> list[tuple[str, str]]:
    """Raises `InvalidInput` for more."""
    try:
        return parse_qsl(text, keep_blank_values=True, max_num_fields=most)
    except ValueError:
        raise InvalidInput(f"The call has more than {most:,} fields; send fewer.") from None
