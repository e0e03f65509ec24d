"""One item's way to its service: requests with the item's files, and the steps before an operation's own request."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import suppress
from math import isfinite, nan
from typing import TypeVar

from jackfield.api.binary import DEFAULT_TYPE, size_of
from jackfield.api.http_client import BodyKeeper, HttpBody, HttpCall, HttpReply
from jackfield.api.jsontext import Json
from jackfield.api.multipart import FormFile, form_body
from jackfield.api.nodes import NodeError, NodeRun
from jackfield.api.nodes.files import content_of, form_file
from jackfield.api.nodes.running import FAILURES
from jackfield.api.records import replace
from jackfield_vendors.described.description import DescribedNode
from jackfield_vendors.operations import CompiledRequest, CompiledStep, CompiledUntil
from jackfield_vendors.requests.answers import FirstEvent, content_row, from_base64
from jackfield_vendors.requests.calls import answer_of, call_of, form_fields, raise_for_status
from jackfield_vendors.requests.exchange import ServiceExchange, secret_in
from jackfield_vendors.requests.paging import collected
from jackfield_vendors.templates import Missing, Template, TemplateScope, as_text, value_of

Made = TypeVar("Made")
CLOSING_SECONDS = 5
"""The time that the last steps of what was cancelled have."""


class ServiceSteps:
    """Requests without files: of lists, and what those of operations are made of."""

    def __init__(self, node: DescribedNode, base: Template, exchange: ServiceExchange) -> None:
        self.node = node
        self.base = base
        self.exchange = exchange
        self.reached: TemplateScope | None = None
        """After the last step that came to its end."""

    async def send(self, request: CompiledRequest, scope: TemplateScope, keeper: BodyKeeper | None = None) -> HttpReply:
        """The answer, whatever its status. Raises `NodeError`."""
        return await self.exchange.send(replace(await self.call(request, scope), keeper=keeper))

    async def ask(self, request: CompiledRequest, scope: TemplateScope) -> Json:
        """The JSON of a good answer. Raises as `send`."""
        return answer_of(await self.send(request, scope), self.node.errors, self.node.title)

    async def call(self, request: CompiledRequest, scope: TemplateScope) -> HttpCall:
        """The request. Raises `NodeError`."""
        return call_of(self.node, self.base, request, scope)

    async def stepped(self, steps: Sequence[CompiledStep], scope: TemplateScope) -> TemplateScope:
        """The scope with the steps' results. Raises as `send`."""
        for step in steps:
            if step.needs is None or _truth(step.needs, scope):
                scope = with_special(scope, f"${step.described.name}", await self._result(step, scope))
                self.reached = scope
        return scope

    async def closing(self, made: Awaitable[Made], lastly: Sequence[CompiledStep], scope: TemplateScope) -> Made:
        """The result that is made with steps of this object, and after it, or after its failure, the last steps.

        Raises as `send`.
        """
        try:
            found = await made
        except FAILURES:
            await self._closed(lastly, scope)
            raise
        except asyncio.CancelledError:
            with suppress(TimeoutError):
                async with asyncio.timeout(CLOSING_SECONDS):
                    await self._closed(lastly, scope)
            raise
        await self.stepped(lastly, self.reached or scope)
        return found

    async def _closed(self, lastly: Sequence[CompiledStep], scope: TemplateScope) -> None:
        """The first failure is the one that is reported, whatever comes of this."""
        with suppress(*FAILURES):
            await self.stepped(lastly, with_special(self.reached or scope, "$failed", True))

    async def _result(self, step: CompiledStep, scope: TemplateScope) -> Json:
        if step.value is not None:
            found = await step.value.made(scope)
            return None if isinstance(found, Missing) else found
        if step.read is not None:
            return await self.files(_text(step.read, scope), content=step.described.content)
        if step.each is None:
            return await self._answer(step, scope)
        rows = value_of(step.each, scope)
        listed = rows if isinstance(rows, list) else []
        return [await self._answer(step, replace(scope, element=row, inside=True)) for row in listed]

    async def _answer(self, step: CompiledStep, scope: TemplateScope) -> Json:
        if step.described.paging is not None:
            call = await self.call(step.request, scope)
            paging, rows = step.described.paging, step.described.rows
            return await collected(self.exchange, self.node, paging, rows, call, self.bounds(scope))
        if step.until is None:
            return await self._once(step, scope)
        return await self._awaited(step, step.until, scope)

    async def _once(self, step: CompiledStep, scope: TemplateScope) -> Json:
        reply = await self._exchange(step).send(await self.call(step.request, scope))
        if step.described.answer == "json":
            return answer_of(reply, self.node.errors, self.node.title)
        raise_for_status(reply, self.node.errors, self.node.title)
        return dict(reply.headers) if step.described.answer == "headers" else content_row(reply)

    def _exchange(self, step: CompiledStep) -> ServiceExchange:
        return self.exchange if step.described.credential else replace(self.exchange, authorization=None)

    async def _awaited(self, step: CompiledStep, until: CompiledUntil, scope: TemplateScope) -> Json:
        """The first answer, or event, with which `until` holds. Raises `NodeError` when there is none in time."""
        name, seconds = f"${step.described.name}", _seconds(step.within, scope)

        def holds(found: Json) -> bool:
            return until.holds(found, with_special(scope, name, found))

        if step.described.answer == "events":
            keeper = FirstEvent(self.node.title, holds)
            call = replace(await self.call(step.request, scope), keeper=keeper, timeout=seconds)
            raise_for_status(await self._exchange(step).send(call), self.node.errors, self.node.title)
            return keeper.found
        clock = self.exchange.context.clock
        end = clock.monotonic() + seconds
        while not holds(found := await self._once(step, scope)):
            if clock.monotonic() >= end:
                raise NodeError(f"{self.node.title} was not ready within {seconds:g} seconds.")
            await clock.sleep(step.described.pause)
        return found

    def bounds(self, scope: TemplateScope) -> Mapping[str, Json]:
        """Parameters that say how much of a list is wanted: `returnAll` and `limit`."""
        return scope.parameters

    async def files(self, names: str, *, content: bool) -> Json:
        """The facts of the item's files of these names, separated by commas. Raises `NodeError`."""
        raise NodeError("A list has no files.")


class WholeListSteps(ServiceSteps):
    """Those of triggers, which have no parameters that say how much is wanted; a test event needs little."""

    def bounds(self, scope: TemplateScope) -> Mapping[str, Json]:
        return {"returnAll": scope.special.get("$test") is not True}


class ServiceSender(ServiceSteps):
    """Those of an operation, with the item's files. index: of the item whose files are sent."""

    def __init__(
        self, run: NodeRun, node: DescribedNode, base: Template, exchange: ServiceExchange, index: int
    ) -> None:
        super().__init__(node, base, exchange)
        self.run = run
        self.index = index

    async def call(self, request: CompiledRequest, scope: TemplateScope) -> HttpCall:
        call = await super().call(request, scope)
        if request.files or request.texts:
            return await self._with_files(call, request, scope)
        given = None if request.media_type is None else value_of(request.media_type, scope)
        wanted = None if given is None or isinstance(given, Missing) else as_text(given)
        if request.file is not None:
            file = await self._sendable("", _text(request.file, scope))
            return replace(call, body=HttpBody(file.content, wanted or file.mime_type))
        if request.encoded is not None:
            content = from_base64(_text(request.encoded, scope))
            return replace(call, body=HttpBody(content, wanted or DEFAULT_TYPE))
        if request.raw is not None:
            return replace(call, body=HttpBody(_text(request.raw, scope).encode(), wanted or "text/plain"))
        return call

    async def _with_files(self, call: HttpCall, request: CompiledRequest, scope: TemplateScope) -> HttpCall:
        files = []
        for field, template in request.files:
            names = _names(template, scope)
            files += [await self._sendable(_text(field, scope), name) for name in names]
        for field_name, (text, file_name) in request.texts.items():
            kind = request.described.texts[field_name].type
            files.append(FormFile(field_name, _text(file_name, scope), _text(text, scope).encode(), kind))
        if not files and request.body is not None:
            return call
        fields = form_fields(request.form, scope) if request.form is not None else []
        secret = secret_in(call, self.exchange.secrets)  # in the fields; the files are the user's own
        return replace(call, body=form_body(fields, files), secret_body=secret)

    async def _sendable(self, field: str, name: str) -> FormFile:
        """A file of the item for this field of a form. Raises `NodeError`."""
        return await form_file(self.run, self.run.items[self.index], name, self.index, field=field)

    async def files(self, names: str, *, content: bool) -> Json:
        listed: list[Json] = []
        for name in filter(None, (part.strip() for part in names.split(","))):
            item = self.run.items[self.index]
            sent = await self._sendable("", name)
            row: dict[str, Json] = {"name": sent.file_name, "type": sent.mime_type, "size": size_of(sent.content)}
            if content:  # inside of JSON, so that it is whole in memory
                row["content"] = base64.b64encode(await content_of(self.run, item, name, self.index)).decode()
            listed.append(row)
        return listed


def with_special(scope: TemplateScope, name: str, value: Json) -> TemplateScope:
    """The scope with one more name that begins with `$` or `@`."""
    return replace(scope, special={**scope.special, name: value})


def _text(template: Template, scope: TemplateScope) -> str:
    found = value_of(template, scope)
    return "" if isinstance(found, Missing) else as_text(found)


def _names(template: Template, scope: TemplateScope) -> list[str]:
    """Of the item's files that one field of a form gets: one, or a list of them."""
    found = value_of(template, scope)
    listed = found if isinstance(found, list) else [] if isinstance(found, Missing) else [found]
    return [name for one in listed if (name := as_text(one).strip())]


def _seconds(template: Template, scope: TemplateScope) -> float:
    """Raises `NodeError`."""
    try:
        found = float(_text(template, scope))
    except ValueError:
        found = nan
    if not isfinite(found):  # a wait until infinity, or until no number, has no end
        raise NodeError("The time to wait is no number of seconds; give one.")
    return found


def _truth(template: Template, scope: TemplateScope) -> bool:
    found = value_of(template, scope)
    return bool(found)
