"""Log streams as the store keeps them: what is no secret as JSON, and the secrets sealed beside it."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Literal, cast

from jackfield.api import jsontext
from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, InvalidInput, NotFound
from jackfield.api.json_values import Json
from jackfield.api.projects import whole_store
from jackfield.api.records import record, replace
from jackfield.api.resealing import Resealed
from jackfield.api.storage import Entry, Store
from jackfield_log_streams.settings import LogStreamsSettings

StreamKind = Literal["syslog", "http", "otlp"]
KIND = "log-stream"
_CURSOR = "log-stream-cursor"
_MOST = 1000
UNREADABLE = "No key of this daemon opens its secrets: give secret and headers anew."


@record
class LogStream:
    """`address`: `udp://`, `tcp://` or `tls://` with host and port, or an HTTP address. `filters`: see `wants`.
    `secret`: signs what goes over HTTP. `headers`: of each HTTP request, values are secrets. `facility`: of syslog, 0
    to 23. `revision`: of the entry. `problem`: why it cannot be delivered, with what remedy."""

    id: str
    name: str
    kind: StreamKind
    address: str
    filters: Sequence[str]
    enabled: bool = True
    n8n_names: bool = False
    facility: int = 13
    secret: str = ""
    headers: Mapping[str, str] = {}
    created_at: int = 0
    revision: int = 1
    problem: str = ""


class StreamBook:
    """All verbs raise `StoreUnavailable`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._most = context.settings(LogStreamsSettings).most

    @property
    def _store(self) -> Store:
        return whole_store(self._context.store)

    async def all(self) -> list[LogStream]:
        entries = await self._store.entries(KIND, "", after=None, limit=_MOST, newest_first=False)
        return [self._stream(entry) for entry in entries]

    async def one(self, stream_id: str) -> LogStream:
        """Raises `NotFound`."""
        entry = await self._store.entry(KIND, stream_id)
        if entry is None:
            raise NotFound("There is no such log stream.")
        return self._stream(entry)

    async def add(self, stream: LogStream) -> LogStream:
        """It begins with what is recorded from now on. Raises `InvalidInput`."""
        if await self._store.entry_count(KIND, "") >= self._most:
            raise InvalidInput(f"There are {self._most} log streams already; see log_streams.most.")
        await self.move(stream.id, (await self._store.audit_head()).number)
        await self._store.put_entry(self._entry(stream), None)
        return stream

    async def change(self, stream: LogStream) -> LogStream:
        """stream: with the revision that it was read with. Raises `Conflict`."""
        changed = replace(stream, revision=stream.revision + 1)
        if not await self._store.put_entry(self._entry(changed), stream.revision):
            raise Conflict("The log stream was changed meanwhile; load it again and repeat the change.")
        return changed

    async def remove(self, stream_id: str) -> bool:
        await self._store.delete_entry(_CURSOR, stream_id)
        return await self._store.delete_entry(KIND, stream_id)

    async def cursor(self, stream_id: str) -> int:
        """The number of the last record of the audit log that the receiver has."""
        entry = await self._store.entry(_CURSOR, stream_id)
        return 0 if entry is None else entry.place

    async def move(self, stream_id: str, number: int) -> None:
        """Never back."""
        while True:
            known = await self._store.entry(_CURSOR, stream_id)
            if known is not None and known.place >= number:
                return
            if await self._put(stream_id, number, None if known is None else known.revision):
                return

    async def put_back(self, stream_id: str, number: int) -> None:
        """Where records that were sent are gone from the audit log."""
        known = await self._store.entry(_CURSOR, stream_id)
        if known is not None and known.place > number:
            await self._put(stream_id, number, known.revision)

    async def _put(self, stream_id: str, number: int, before: int | None) -> bool:
        entry = Entry(_CURSOR, stream_id, "", number, (before or 0) + 1, b"")
        return bool(await self._store.put_entry(entry, before))

    async def reseal(self) -> Resealed:
        """`SealedValues`: with the current key."""
        done, lost = 0, []
        for entry in await self._store.entries(KIND, "", after=None, limit=_MOST, newest_first=False):
            sealed = base64.b64decode(str(_told(entry).get("sealed", "")))
            if self._context.secrets.is_current(sealed):
                continue
            stream = self._stream(entry)
            if stream.problem:
                lost.append(f"No key opens the secrets of the log stream {entry.id}.")
                continue
            try:
                await self.change(stream)
                done += 1
            except Conflict:
                return await self.reseal()
        return Resealed(done, tuple(lost))

    def _entry(self, stream: LogStream) -> Entry:
        secrets = jsontext.dumps({"secret": stream.secret, "headers": dict(stream.headers)})
        told: dict[str, Json] = {
            "name": stream.name, "kind": stream.kind, "address": stream.address, "filters": list(stream.filters),
            "enabled": stream.enabled, "n8nNames": stream.n8n_names, "facility": stream.facility,
            "sealed": base64.b64encode(self._context.secrets.seal(secrets)).decode(),
        }  # fmt: skip
        return Entry(KIND, stream.id, "", stream.created_at, stream.revision, jsontext.dumps(told))

    def _stream(self, entry: Entry) -> LogStream:
        """One whose secrets no key opens stays in the list, to be repaired or deleted, and stops no other."""
        told, problem = _told(entry), ""
        try:
            opened = jsontext.loads(self._context.secrets.open(base64.b64decode(str(told["sealed"]))))
        except (ValueError, InvalidInput):
            opened, problem = None, UNREADABLE
        secrets = opened if isinstance(opened, dict) else {}
        headers = secrets.get("headers")
        found = {str(name): str(value) for name, value in headers.items()} if isinstance(headers, dict) else {}
        filters = told["filters"]
        secret = str(secrets.get("secret", ""))
        self._context.secrets.redact(secret, *found.values())
        return LogStream(
            entry.id, str(told["name"]), cast("StreamKind", told["kind"]), str(told["address"]),
            tuple(map(str, filters)) if isinstance(filters, list) else (), bool(told["enabled"]),
            bool(told["n8nNames"]), int(str(told["facility"])), secret, found, entry.place, entry.revision,
            problem,
        )  # fmt: skip


def _told(entry: Entry) -> dict[str, Json]:
    found = jsontext.loads(entry.data)
    return found if isinstance(found, dict) else {}


class SealedStreams:
    """`SealedValues`"""

    name = "log streams"

    def __init__(self, context: PluginContext) -> None:
        self._book = context.port(StreamBook)

    async def reseal(self) -> Resealed:
        return await self._book.reseal()


def sealed_values(context: PluginContext) -> Sequence[SealedStreams]:
    return [SealedStreams(context)]
