"""`/api/v1/log-streams`, for administrators."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from urllib.parse import urlsplit

from quart import Blueprint, Response

from jackfield.api.clock import iso
from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, InvalidInput, StoreUnavailable
from jackfield.api.http import json_response, operation, read_model
from jackfield.api.ids import new_id
from jackfield.api.json_values import Json
from jackfield.api.n8n_api import SERVICE_PREFIX
from jackfield.api.records import replace
from jackfield_log_streams.book import LogStream, StreamBook
from jackfield_log_streams.delivering import Deliveries
from jackfield_log_streams.messages import TEST, StreamMessage
from jackfield_log_streams.schemas import LogStreamBody
from jackfield_log_streams.senders.sending import SendFailed, sender_of
from jackfield_log_streams.settings import LogStreamsSettings

_SCHEMAS = "jackfield_log_streams.schemas"
_TAGS = ("log streams",)


class LogStreamRoutes:
    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._book = context.port(StreamBook)
        self._deliveries = context.port(Deliveries)

    @operation(
        "List log streams",
        operation_id="listLogStreams",
        scope="admin",
        response=f"{_SCHEMAS}:LogStreamList",
        tags=_TAGS,
        errors=(StoreUnavailable,),
    )
    async def every(self) -> Response:
        rows: list[Json] = [await self._view(stream) for stream in await self._book.all()]
        return json_response({"data": rows, "total": len(rows)})

    @operation(
        "Create a log stream; it begins with what happens from now on",
        operation_id="createLogStream",
        scope="admin",
        request=f"{_SCHEMAS}:LogStreamBody",
        response=f"{_SCHEMAS}:LogStreamShown",
        status=201,
        tags=_TAGS,
        errors=(StoreUnavailable,),
    )
    async def create(self) -> Response:
        body = await read_model(LogStreamBody)
        made = _stream(body, LogStream(new_id(), "", "syslog", "", ()))
        stored = await self._book.add(replace(made, created_at=self._context.clock.now_ms()))
        self._deliveries.wake()
        return json_response(await self._view(stored), 201)

    @operation(
        "Read a log stream",
        operation_id="getLogStream",
        scope="admin",
        response=f"{_SCHEMAS}:LogStreamShown",
        tags=_TAGS,
        errors=(StoreUnavailable,),
    )
    async def one(self, stream_id: str) -> Response:
        return json_response(await self._view(await self._book.one(stream_id)))

    @operation(
        "Replace a log stream; it goes on where it was",
        operation_id="updateLogStream",
        scope="admin",
        request=f"{_SCHEMAS}:LogStreamBody",
        response=f"{_SCHEMAS}:LogStreamShown",
        tags=_TAGS,
        errors=(Conflict, StoreUnavailable),
    )
    async def change(self, stream_id: str) -> Response:
        present = await self._book.one(stream_id)
        body = await read_model(LogStreamBody)
        _require_secrets(body, present)
        changed = await self._book.change(replace(_stream(body, present), problem=""))
        self._deliveries.wake()
        return json_response(await self._view(changed))

    @operation(
        "Delete a log stream",
        operation_id="deleteLogStream",
        scope="admin",
        status=204,
        tags=_TAGS,
        errors=(StoreUnavailable,),
    )
    async def delete(self, stream_id: str) -> Response:
        await self._book.one(stream_id)
        await self._book.remove(stream_id)
        self._deliveries.wake()
        return Response(status=204)

    @operation(
        "Send a test message to a log stream's receiver",
        operation_id="testLogStream",
        scope="admin",
        response=f"{_SCHEMAS}:LogStreamTested",
        tags=_TAGS,
        errors=(StoreUnavailable,),
    )
    async def test(self, stream_id: str) -> Response:
        stream, timeout = await self._book.one(stream_id), self._context.settings(LogStreamsSettings).timeout
        if stream.problem:
            return json_response({"delivered": False, "error": stream.problem})
        message = StreamMessage("audit", TEST, self._context.clock.now_ms(), False, {"stream": stream.name})
        try:
            sender = await asyncio.to_thread(sender_of, self._context, stream, timeout)
            try:
                await sender.send([message])
            finally:
                await sender.close()
        except SendFailed as exc:
            return json_response({"delivered": False, "error": str(exc)})
        return json_response({"delivered": True, "error": ""})

    async def _view(self, stream: LogStream) -> dict[str, Json]:
        figures = self._deliveries.waiting(stream.id)
        return {
            "id": stream.id, "name": stream.name, "kind": stream.kind, "address": stream.address,
            "filters": list(stream.filters), "enabled": stream.enabled, "n8nNames": stream.n8n_names,
            "facility": stream.facility, "hasSecret": bool(stream.secret), "headers": [*sorted(stream.headers)],
            "createdAt": iso(stream.created_at), "cursor": await self._book.cursor(stream.id), "sent": figures.sent,
            "failures": figures.failures, "dropped": figures.dropped, "lost": figures.lost,
            "error": stream.problem or figures.error,
            "here": figures.holds,
        }  # fmt: skip


def _require_secrets(body: LogStreamBody, present: LogStream) -> None:
    """Secrets stay with the receiver that they were given for: nobody reads them by sending them elsewhere. Raises
    `InvalidInput`."""
    moved = _receiver(body.address) != _receiver(present.address)
    missing = {
        name: "give it anew, or empty"
        for name, given, kept in (("secret", body.secret, present.secret), ("headers", body.headers, present.headers))
        if given is None and (present.problem or (moved and kept))
    }
    if missing:
        why = present.problem or "The receiver is another one: give secret and headers anew, or add another log stream."
        raise InvalidInput(why, details=missing)


def _receiver(address: str) -> tuple[str, str, int | None]:
    parts = urlsplit(address)
    return parts.scheme, parts.hostname or "", parts.port


def _stream(body: LogStreamBody, present: LogStream) -> LogStream:
    """Secrets that are not given stay."""
    return replace(
        present,
        name=body.name,
        kind=body.kind,
        address=body.address,
        filters=tuple(body.filters),
        enabled=body.enabled,
        n8n_names=body.n8n_names,
        facility=body.facility,
        secret=present.secret if body.secret is None else body.secret,
        headers=present.headers if body.headers is None else body.headers,
    )


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    made, views = (
        Blueprint("log_streams", __name__, url_prefix=f"{SERVICE_PREFIX}/log-streams"),
        LogStreamRoutes(context),
    )
    for method, path, view in (
        ("GET", "", views.every),
        ("POST", "", views.create),
        ("GET", "/<stream_id>", views.one),
        ("PUT", "/<stream_id>", views.change),
        ("DELETE", "/<stream_id>", views.delete),
        ("POST", "/<stream_id>/test", views.test),
    ):
        made.add_url_rule(path, view_func=view, methods=[method])
    return [made]
