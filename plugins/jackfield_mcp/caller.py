"""The management API in the name of whoever calls a tool."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from urllib.parse import quote

from jackfield.api.asgi import Scope
from jackfield.api.auth import Principal, Standing, unending
from jackfield.api.json_values import Json
from jackfield.api.mcp.tool_sources import ToolFailed
from jackfield.api.own_calls import OwnAnswer, OwnCalls

SERVICE = "/api/v1"
_COUNTS_S = 1.0
"""Seconds after which the credential of a call under way is looked at again."""


class ApiCaller:
    """Every operation is checked as one that comes over HTTP. All methods raise `ToolFailed` with the API's own words,
    and `JackfieldError`."""

    def __init__(self, calls: OwnCalls, scope: Scope) -> None:
        """scope: of the request that the gate has let in."""
        self._calls = calls
        self._scope = scope
        self.read = 0
        """Bytes of all answers so far."""
        self._standing: Standing = scope.get("jackfield.standing", unending)
        self._looked = time.monotonic()

    @property
    def principal(self) -> Principal:
        found: Principal = self._scope["jackfield.principal"]
        return found

    async def answer(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, object] | None = None,
        body: Json = None,
        headers: Mapping[str, str] | None = None,
    ) -> OwnAnswer:
        """path: below `/api/v1`, or from `/api` on. query: values that are None or empty are left out."""
        whole = path if path.startswith("/api/") else SERVICE + path
        asked = {name: _text(value) for name, value in (query or {}).items() if value not in (None, "")}
        found = await self._calls.call(self._scope, method, whole, query=asked, body=body, headers=headers)
        await self._still_counts()
        self.read += found.size
        if found.status >= 300:
            raise _failure(found)
        return found

    async def beside(self) -> None:
        """A tool has found its result without these methods: nobody knows its size, and its caller must still count.
        Raises `AuthRequired`."""
        self.read = sys.maxsize
        await self._still_counts()

    async def _still_counts(self) -> None:
        """A call reports nothing that outlasts its credential. Raises `AuthRequired`."""
        if time.monotonic() - self._looked >= _COUNTS_S:
            await self._standing()
            self._looked = time.monotonic()

    async def ask(
        self, method: str, path: str, *, query: Mapping[str, object] | None = None, body: Json = None
    ) -> Json:
        """The answer; of what is outside of `/api/v1`, the `data` of its envelope."""
        found = (await self.answer(method, path, query=query, body=body)).data
        if path.startswith("/api/") and isinstance(found, dict) and found.get("success") is True:
            return found.get("data")
        return found

    async def mapping(
        self, method: str, path: str, *, query: Mapping[str, object] | None = None, body: Json = None
    ) -> dict[str, Json]:
        """The same of an answer that is an object."""
        found = await self.ask(method, path, query=query, body=body)
        return found if isinstance(found, dict) else {"result": found}

    async def rows(self, path: str, *, query: Mapping[str, object] | None = None) -> list[dict[str, Json]]:
        """The `data` of an answer, where it is a list of objects."""
        found = await self.ask("GET", path, query=query)
        rows = found.get("data") if isinstance(found, dict) else None
        return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def segment(name: str) -> str:
    """A name or id as a part of a path: none leads to another operation. Raises `ToolFailed`."""
    if "/" in name:
        raise ToolFailed("This is no name or id: it has a slash.")
    return segments(name)


def segments(name: str) -> str:
    """The same of what may have slashes, such as `@vendor/package.node`."""
    parts = name.strip("/").split("/")
    if any(part in ("", ".", "..") for part in parts):
        raise ToolFailed("This is no name or id.")
    return "/".join(quote(part, safe="") for part in parts)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _failure(answer: OwnAnswer) -> ToolFailed:
    body = answer.data if isinstance(answer.data, dict) else {}
    message = body.get("message") or body.get("error") or f"The daemon answered with the status {answer.status}."
    told: dict[str, Json] = {"status": answer.status, "code": body.get("code")}
    kept: dict[str, Json] = {name: body[name] for name in ("details", "executionId") if name in body}
    return ToolFailed(str(message), {**told, **kept})
