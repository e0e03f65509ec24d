"""Requests to Elasticsearch. Source: its REST API reference, 8.x."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from urllib.parse import quote

from jackfield.api.errors import InvalidInput
from jackfield.api.http_client import Authorization, HttpBody, HttpCall, HttpClient, HttpReply, Pairs
from jackfield.api.jsontext import Json, dumps, loads
from jackfield.api.nodes import NodeError
from jackfield_integrations.secret_values import DriverCredential

_AT_ONCE = 10_000
"""Documents of one answer; Elasticsearch gives no more by default."""
_KEPT = "1m"
"""How long Elasticsearch keeps the state of a search for the next page."""


class ElasticSession:
    """Its methods raise `NodeError`."""

    def __init__(self, client: HttpClient, authorization: Authorization, values: DriverCredential, most: int) -> None:
        """most: documents that one search may bring."""
        self._client = client
        self._authorization = authorization
        self._values = values
        self._base = values.needed("baseUrl").rstrip("/")
        self._most = most

    async def asked(
        self, method: str, path: str, body: object = None, query: Mapping[str, object] | None = None
    ) -> dict[str, Json]:
        """The JSON of a good answer. body: JSON, or text of one JSON per line."""
        content = None if body is None else HttpBody(dumps(body), "application/json")
        return self._read(await self._send(method, path, content, query or {}))

    async def bulk(self, lines: str) -> list[dict[str, Json]]:
        """The result of each action, in their order."""
        body = HttpBody(lines.encode("utf-8", "replace"), "application/x-ndjson")
        found = self._read(await self._send("POST", "/_bulk", body, {})).get("items")
        rows = found if isinstance(found, list) else []
        return [
            {name: value for one in row.values() if isinstance(one, dict) for name, value in one.items()}
            for row in rows
            if isinstance(row, dict)
        ]

    async def _send(self, method: str, path: str, body: HttpBody | None, query: Mapping[str, object]) -> HttpReply:
        pairs: Pairs = [(name, _text(value)) for name, value in query.items() if value not in (None, "")]
        call = HttpCall(
            method,
            self._base + path,
            query=pairs,
            headers=[("accept", "application/json")],
            body=body,
            verify=not self._values.flag("ignoreSSLIssues"),
        )
        return await self._client.send(call, self._authorization)

    def _read(self, reply: HttpReply) -> dict[str, Json]:
        try:
            found = loads(reply.body, max_depth=200) if reply.body.strip() else {}
        except InvalidInput:
            found = None
        if 200 <= reply.status < 300 and isinstance(found, dict):
            return found
        told = self._values.shown(_reason(found) or reply.reason or "no JSON")
        raise NodeError(f"Elasticsearch answers with status {reply.status}: {told}.")

    async def hits(
        self, index: str, body: Mapping[str, Json], query: Mapping[str, object], most: int | None
    ) -> AsyncIterator[dict[str, Json]]:
        """Documents that are found; most: None for all."""
        if most is not None or not query.get("sort"):
            size = min(most or _AT_ONCE, _AT_ONCE)
            found = await self.asked("POST", f"/{segment(index)}/_search", dict(body), {**query, "size": size})
            for row in _hits(found):
                yield row
            return
        async for row in self._all(index, body, query):
            yield row

    async def _all(
        self, index: str, body: Mapping[str, Json], query: Mapping[str, object]
    ) -> AsyncIterator[dict[str, Json]]:
        """Page by page, of the state that the index has now."""
        found = await self.asked("POST", f"/{segment(index)}/_pit", query={"keep_alive": _KEPT})
        state: Json = found.get("id")
        count = 0
        try:
            asked: dict[str, Json] = {**body, "size": _AT_ONCE, "track_total_hits": False}
            while True:
                page = await self.asked("POST", "/_search", {**asked, "pit": {"id": state, "keep_alive": _KEPT}}, query)
                state = page.get("pit_id") or state
                rows = _hits(page)
                for row in rows:
                    count += 1
                    if count > self._most:
                        raise NodeError(f"More than {self._most} documents came (integrations.max_rows).")
                    yield row
                if len(rows) < _AT_ONCE:
                    return
                asked["search_after"] = rows[-1].get("sort")
        finally:
            with suppress(NodeError):  # the state ends by itself, and the documents or the first failure count
                await self.asked("DELETE", "/_pit", {"id": state})


def _hits(found: Mapping[str, Json]) -> list[dict[str, Json]]:
    outer = found.get("hits")
    rows = outer.get("hits") if isinstance(outer, dict) else None
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def segment(name: str) -> str:
    """A name inside an address. Raises `NodeError`."""
    if name in (".", ".."):
        raise NodeError(f"'{name}' is no name; give another one.")
    return quote(name, safe=",*<>-_.~", errors="replace")


def _reason(found: Json) -> str:
    error = found.get("error") if isinstance(found, dict) else None
    if isinstance(error, dict):
        return f"{error.get('type') or ''}: {error.get('reason') or ''}".strip(": ")
    return str(error or "")


def _text(value: object) -> str:
    return value if isinstance(value, str) else dumps(value).decode()
