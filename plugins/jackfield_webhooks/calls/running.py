"""From a checked call to its execution and its answer."""

from __future__ import annotations

import asyncio
from functools import cached_property
from typing import Any, TypeVar

from jackfield.api.binary import BinaryError, head_of, size_of
from jackfield.api.body_budget import apart
from jackfield.api.caller_secrets import hide_text
from jackfield.api.context import PluginContext
from jackfield.api.engine import Engine, Execution, ExecutionRequest
from jackfield.api.errors import Conflict, ExecutionFailed, ExecutionTimeout, NoResponseNode, NotFound, StoreUnavailable
from jackfield.api.futures import outlived
from jackfield.api.history import stored_json
from jackfield.api.json_slices import written
from jackfield.api.records import replace
from jackfield.api.storage import CallStatus, CallUpdate, Delivery, NewCall, StoredAnswer
from jackfield.api.tracing import Tracer, active_tracer
from jackfield.api.workflows import Items
from jackfield_webhooks.answers import making as answers
from jackfield_webhooks.answers.files import answer_of, for_repeats, repeated, with_files_kept
from jackfield_webhooks.answers.making import Answer
from jackfield_webhooks.answers.streams import CallStream, KeptChunks
from jackfield_webhooks.bodies.parsing import ParsedBody
from jackfield_webhooks.calls.body_masking import BodyMask
from jackfield_webhooks.calls.call import IncomingCall, make_item, new_call
from jackfield_webhooks.calls.deliveries import (
    InFlight,
    check_fingerprint,
    delivery_key,
    fingerprint,
    header_names,
    is_idempotency_key,
)
from jackfield_webhooks.calls.kept_body import with_body
from jackfield_webhooks.calls.streaming import StreamAnswer, end_with, headers_of, status_of
from jackfield_webhooks.hook import Hook
from jackfield_webhooks.settings import WebhookSettings

T = TypeVar("T")
_HOUR_MS = 3_600_000


class CallRunner:
    """Starts executions and waits for what the response mode asks for."""

    def __init__(self, context: PluginContext, settings: WebhookSettings) -> None:
        self._context = context
        self._settings = settings
        self._names = header_names(settings.delivery_headers)
        self._in_flight = InFlight()
        self._bodies = BodyMask()

    @cached_property
    def _engine(self) -> Engine:
        return self._context.port(Engine)

    @cached_property
    def _tracer(self) -> Tracer | None:
        return active_tracer(self._context)

    async def run(self, call: IncomingCall, hook: Hook, parsed: ParsedBody) -> Answer | StreamAnswer:
        """Raises `DeliveryMismatch`, `StoreUnavailable`, `ExecutionTimeout`."""
        delivery = await self._delivery(call, hook)
        if hook.plan.mode == "streaming":
            return await self._streamed(call, hook, parsed, delivery)
        if delivery is None:
            return await self._first(call, hook, parsed, None)

        async def first() -> Answer:
            try:
                return await self._first(call, hook, parsed, delivery)
            except _Repeated:
                return await self._again(hook, delivery)

        return await self._in_flight.once(delivery, first)

    async def _delivery(self, call: IncomingCall, hook: Hook) -> Delivery | None:
        if call.test or (call.delivery is None and not any(name in call.headers for name in self._names)):
            return None  # as most calls
        key = delivery_key(call.headers, self._names, call.delivery)
        if key is None:
            return None
        expires = self._context.clock.now_ms() + round(self._settings.delivery_hours * _HOUR_MS)
        return Delivery(hook.webhook.id, key, expires, await self._fingerprint(call, key))

    async def _fingerprint(self, call: IncomingCall, key: str) -> str:
        """Empty for a sender's id, which counts whatever the body says."""
        if not is_idempotency_key(key, call.delivery):
            return ""
        given = (call.method, call.raw_path.partition(b"?")[0], call.headers.get("content-type", ""), call.body)
        if len(call.body) < self._settings.parse_in_thread:
            return fingerprint(*given)
        return await asyncio.to_thread(fingerprint, *given)

    async def _first(self, call: IncomingCall, hook: Hook, parsed: ParsedBody, delivery: Delivery | None) -> Answer:
        execution, kept = await self._submitted(call, hook, parsed, delivery)
        if hook.plan.mode == "onReceived":
            await _durable(execution.accepted)
            return answers.accepted(hook.plan, execution.id)
        if kept is None:
            return await self._unrecorded(hook, execution)
        return await self._recorded(call, hook, execution, kept, delivery)

    async def _streamed(
        self, call: IncomingCall, hook: Hook, parsed: ParsedBody, delivery: Delivery | None
    ) -> Answer | StreamAnswer:
        """Returns once the execution is durable; repeats of the call do not share the stream."""
        most = 0 if delivery is None else self._settings.delivery_answer_bytes
        chunks = KeptChunks(max(self._settings.history.body_bytes, most))
        stream = CallStream(self._settings.stream.buffer_bytes, chunks)
        execution, kept = await self._submitted(call, hook, parsed, delivery, stream)
        end_with(stream, execution, hook, self._context.clock)
        try:
            await _durable(execution.accepted)
        except _Repeated:
            if delivery is None:
                raise
            return await self._again(hook, delivery)
        headers = headers_of(hook)

        async def stored() -> None:
            await asyncio.wait([execution.finished])
            _value(execution.finished)
            if kept is None:
                await _durable(execution.stored)
                return
            body, truncated = chunks.body(), chunks.truncated
            update = self._update(call, kept, status_of(execution), 200, body, truncated=truncated)
            await _durable(self._engine.complete_call(execution, update))
            if delivery is not None and not truncated:
                await self._remember(call, kept, delivery, StoredAnswer(200, headers, body))

        return StreamAnswer(headers, stream, stored)

    def _update(
        self, call: IncomingCall, kept: NewCall, status: CallStatus, code: int, body: bytes, *, truncated: bool
    ) -> CallUpdate:
        """The part of an answer that the history shows. body: it, or its beginning; truncated: whether more was
        sent.
        """
        limit = self._settings.history.body_bytes
        shown = hide_text(body[:limit], call.hidden) if call.hidden else body[:limit]
        return CallUpdate(
            call_id=kept.id,
            webhook_id=kept.webhook_id,
            status=status,
            response_status=code,
            response_body=self._bodies.masked(shown),
            response_truncated=truncated or len(body) > limit,
            duration_ms=call.elapsed_ms(),
        )

    async def _submitted(
        self,
        call: IncomingCall,
        hook: Hook,
        parsed: ParsedBody,
        delivery: Delivery | None,
        stream: CallStream | None = None,
    ) -> tuple[Execution, NewCall | None]:
        limit = self._settings.history.body_bytes
        kept = None if call.test else new_call(call, hook, self._context.clock.now_ms(), limit)
        execution_id: str | None = None
        if parsed.contents:
            parsed, execution_id = await with_files_kept(self._context, parsed)
        items, encoded = [make_item(call, hook, parsed)], None
        if kept is not None:
            kept, encoded = with_body(kept, call, items[0], parsed, self._bodies, limit)
        call.forget_body()
        if encoded is None and call.memory is not None:
            encoded = await apart(call.budget, written, items, stored_json)
        return self._submit(call, hook, items, encoded, kept, delivery, execution_id, stream), kept

    async def go_on(self, hook: Hook, execution: Execution) -> Answer:
        """The answer of a call that woke an execution, which is durable already. Raises `StoreUnavailable`,
        `ExecutionTimeout`."""
        if hook.plan.mode == "onReceived":
            return answers.accepted(hook.plan, execution.id)
        return await self._unrecorded(hook, execution)

    def _submit(
        self,
        call: IncomingCall,
        hook: Hook,
        items: Items,
        encoded: bytes | None,
        kept: NewCall | None,
        delivery: Delivery | None,
        execution_id: str | None,
        stream: CallStream | None,
    ) -> Execution:
        at_once = call.test or hook.plan.mode in ("onReceived", "streaming")
        request = ExecutionRequest(
            workflow=hook.workflow,
            mode="test" if call.test else "webhook",
            start=hook.node.name,
            items=items,
            start_output=hook.output,
            use_pin_data=call.test,
            call=kept,
            delivery=delivery,
            durability="accept" if at_once else "finish",
            request_id=call.request_id or None,
            response_node=hook.plan.mode == "responseNode",
            id=execution_id,
            encoded=encoded,
            stream=stream,
            memory=call.memory,
            hidden=call.hidden,
            caller=None if self._tracer is None else self._tracer.caller(call.headers),
        )
        call.memory = None  # the execution has it from here on
        try:
            return self._engine.submit(request)
        except Conflict:
            raise StoreUnavailable("The daemon is stopping; call again in a moment.") from None

    async def _unrecorded(self, hook: Hook, execution: Execution) -> Answer:
        await _durable(execution.accepted)
        answer, _ = await self._result(hook, execution)
        if answer is None:
            raise _late(execution.id)
        if execution.finished.done():
            await _durable(execution.stored)
        return answer

    async def _recorded(
        self, call: IncomingCall, hook: Hook, execution: Execution, kept: NewCall, delivery: Delivery | None
    ) -> Answer:
        answer, status = await self._result(hook, execution)
        given = answers.for_request(answer or answers.of_error(_late(execution.id)), call.request_id)
        limit = self._settings.history.body_bytes
        body = given.body
        head = body[:limit] if isinstance(body, bytes) else await self._head(given, limit)
        size = len(body) if isinstance(body, bytes) else size_of(body)
        update = self._update(call, kept, status, given.status, head, truncated=size > limit)
        stored = self._engine.complete_call(execution, update)
        await _durable(stored)
        await _durable(execution.accepted)
        if delivery is not None and answer is not None:
            # Not before: a repeat, which the store has just refused, must not replace the first answer.
            await self._remember(call, kept, delivery, answer)
        if answer is None:
            raise _late(execution.id)
        return answer

    async def _head(self, answer: Answer, size: int) -> bytes:
        """The part of a body that the history shows; nothing of a file that cannot be read."""
        try:
            return await head_of(answer.body, size)
        except BinaryError as exc:
            self._context.log.error("an answer's file cannot be read: %s", exc.message)
            return b""

    async def _remember(self, call: IncomingCall, kept: NewCall, delivery: Delivery, answer: Answer) -> None:
        """Keep the answer for repeats. Without it, a repeat is answered from the run."""
        found = await for_repeats(answer, self._settings.delivery_answer_bytes)
        if found is not None:
            if call.hidden:
                found = replace(
                    found,
                    body=hide_text(found.body, call.hidden),
                    headers=[(name, hide_text(text.encode(), call.hidden).decode()) for name, text in found.headers],
                )
            update = CallUpdate(kept.id, kept.webhook_id)
            await asyncio.wait({self._context.store.update_call(update, (delivery, found))})

    async def _result(self, hook: Hook, execution: Execution) -> tuple[Answer | None, CallStatus]:
        """The answer, an error's too, and the call's status; None when the time is over."""
        deadline = asyncio.get_running_loop().time() + self._settings.response_timeout
        try:
            if hook.plan.mode == "responseNode":
                if not await _within(execution.answer, execution.accepted, deadline):
                    return None, "timeout"
                answer = _value(execution.answer)
                if answer is not None:
                    return answers.of_node(answer, execution.id), "success"
            if not await _within(execution.finished, execution.accepted, deadline):
                return None, "timeout"
            outcome = _value(execution.finished)
            if hook.plan.mode == "responseNode" and outcome.status == "success":
                raise NoResponseNode(extra={"executionId": execution.id})
            return await answer_of(self._context, hook.plan, outcome, execution.id), "success"
        except (NoResponseNode, ExecutionFailed) as exc:
            return answers.of_error(exc), "failed"

    async def _again(self, hook: Hook, delivery: Delivery) -> Answer:
        """The answer of a delivery that an earlier call has brought."""
        found = await self._context.store.delivery(delivery.webhook_id, delivery.key, self._context.clock.now_ms())
        if found is None:
            raise StoreUnavailable("This delivery is being processed; call again in a moment.")
        check_fingerprint(delivery, found.fingerprint)
        if found.answer is not None:
            return await repeated(self._context, found.answer, found.execution_id)
        if hook.plan.mode == "onReceived":
            return answers.accepted(hook.plan, found.execution_id)
        try:
            outcome = await self._engine.result(found.execution_id, self._settings.response_timeout)
            if hook.plan.mode in ("responseNode", "streaming") and outcome.status == "success":
                return answers.repeated(found.execution_id)
            return await answer_of(self._context, hook.plan, outcome, found.execution_id)
        except NotFound:
            return answers.repeated(found.execution_id)
        except ExecutionFailed as exc:
            return answers.of_error(exc)
        except ExecutionTimeout:
            raise _late(found.execution_id) from None


class _Repeated(Exception):
    """An earlier call brought this delivery."""


def _late(execution_id: str) -> ExecutionTimeout:
    return ExecutionTimeout(extra={"executionId": execution_id})


async def _durable(stored: asyncio.Future[None]) -> None:
    """Wait for a write; being cancelled leaves the write alone. Raises `_Repeated`, `StoreUnavailable`."""
    try:
        await outlived(stored)
    except Conflict:
        raise _Repeated from None


def _value(done: asyncio.Future[T]) -> T:
    """The result of a future. Raises `_Repeated`, `StoreUnavailable`: nothing was stored."""
    try:
        return done.result()
    except Conflict:
        raise _Repeated from None


async def _within(target: asyncio.Future[Any], accepted: asyncio.Future[None], deadline: float) -> bool:
    """Whether `target` (any future, hence Any) is done by the deadline (loop time); neither is ever cancelled. Raises
    what `accepted` fails with: then there is nothing to wait for."""
    if target.done():
        return True
    loop = asyncio.get_running_loop()
    waiter: asyncio.Future[None] = loop.create_future()

    def wake(*_: object) -> None:
        if not waiter.done():
            waiter.set_result(None)

    def wake_on_failure(done: asyncio.Future[None]) -> None:
        if done.cancelled() or done.exception() is not None:
            wake()

    target.add_done_callback(wake)
    accepted.add_done_callback(wake_on_failure)
    timer = loop.call_at(deadline, wake)
    try:
        await waiter
    finally:
        timer.cancel()
        target.remove_done_callback(wake)
        accepted.remove_done_callback(wake_on_failure)
    if not target.done() and accepted.done():
        await _durable(accepted)
    return target.done()
