"""The questions that one process of a proxy asks before it serves somebody, and the amounts that its requests in flight
hold.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from jackfield.api.context import PluginContext
from jackfield.api.dialects.model import DialectError
from jackfield.api.errors import JackfieldError
from jackfield.api.gateway import EndedRequest, KeyGate, PlannedRequest
from jackfield.api.telemetry import Tokens
from jackfield_proxy.daemon.accounts import ProfileAccount
from jackfield_proxy.daemon.process import ProxyProcess
from jackfield_proxy.messages import (
    CLIENT_GONE,
    MadeObjects,
    PermissionAnswer,
    PermissionQuestion,
    PermissionRefusal,
    ServedRequest,
    ToChild,
)


class ProcessPermissions:
    """account_of: of a profile, by its alias."""

    def __init__(self, context: PluginContext, account_of: Callable[[str], ProfileAccount]) -> None:
        self._context = context
        self._account_of = account_of
        self._asking: dict[str, asyncio.Task[None]] = {}
        self._open: dict[str, PlannedRequest] = {}

    def ask(self, question: PermissionQuestion, process: ProxyProcess) -> None:
        """The process gets the answer when there is one."""
        task = self._context.spawn("admit to a proxy", self._answer(question, process))
        if question.planned is not None:
            request = question.planned.request
            self._asking[request] = task
            task.add_done_callback(lambda _: self._asking.pop(request, None))

    async def settle(self, served: ServedRequest) -> None:
        """A request is over. Its client may have gone while the daemon was still asked."""
        asking = self._asking.get(served.id)
        if asking is not None:
            asking.cancel()
            await asyncio.wait([asking])
        self._open.pop(served.id, None)
        request = await self._account_of(served.profile).take(served)
        if served.key and (gate := self._gate()) is not None:
            gate.settle(_ended(served, request.cost))

    async def keep(self, made: MadeObjects) -> None:
        """Before the next question is answered."""
        if (gate := self._gate()) is not None:
            try:
                await gate.keep(made.key, made.objects)
            except JackfieldError as exc:
                self._context.log.error("The maker of a stored object was not kept: %s", exc.message)

    def abandon(self) -> None:
        """The process has ended: what its requests held counts as used, as their providers may have served them."""
        for task in self._asking.values():
            task.cancel()
        gate, now_ms = self._gate(), self._context.clock.now_ms()
        for planned in self._open.values():
            self._account_of(planned.profile).abandon(planned.request)
            if planned.key and gate is not None:
                who = (planned.key, planned.request, planned.profile, planned.provider, planned.model)
                gate.settle(EndedRequest(*who, CLIENT_GONE, now_ms, whole=not planned.spends))
        self._open.clear()

    async def _answer(self, question: PermissionQuestion, process: ProxyProcess) -> None:
        try:
            answer = await self._asked(question)
        except DialectError as exc:
            answer = PermissionAnswer(question.id, refusal=PermissionRefusal.of(exc))
        except JackfieldError as exc:
            self._context.log.error("A virtual key could not be looked at: %s", exc.message)
            refusal = PermissionRefusal(503, "The proxy cannot ask who may use it now.", "overloaded_error")
            answer = PermissionAnswer(question.id, refusal=refusal)
        await process.send(ToChild(permission=answer))

    async def _asked(self, question: PermissionQuestion) -> PermissionAnswer:
        """Raises `DialectError`, `JackfieldError`."""
        gate = self._gate()
        if question.planned is not None:
            await self._reserve(question.planned, gate)
            return PermissionAnswer(question.id)
        if question.objects:
            found = await gate.objects(question.key, question.objects) if gate is not None else ()
            return PermissionAnswer(question.id, objects=found)
        if gate is None:
            raise DialectError(401, "There are no virtual keys here.", "authentication_error", code="invalid_api_key")
        return PermissionAnswer(question.id, caller=await gate.admit(question.digest))

    async def _reserve(self, planned: PlannedRequest, gate: KeyGate | None) -> None:
        account = self._account_of(planned.profile)
        await account.hold(planned)
        try:
            if planned.key and gate is not None:
                await gate.reserve(planned)
        except BaseException:
            account.budgets.release(planned.request)
            raise
        self._open[planned.request] = planned

    def _gate(self) -> KeyGate | None:
        return self._context.find_port(KeyGate)


def _ended(served: ServedRequest, cost: float | None) -> EndedRequest:
    known = served.input is not None or served.output is not None
    counts = (served.input or 0, served.output or 0, served.cache_write, served.cache_read, served.cache_write_1h)
    return EndedRequest(
        key=served.key,
        request=served.id,
        profile=served.profile,
        provider=served.provider,
        model=served.model,
        status=served.status,
        ended_ms=served.time_ms + served.duration_ms,
        tokens=Tokens(*counts) if known else None,
        cost=cost,
        whole=served.whole,
        cached=served.cached,
    )
