"""Stores that are asked over HTTP: through the guarded client, with the node's credential."""

from __future__ import annotations

from jackfield.api.errors import InvalidInput
from jackfield.api.http_client import HttpBody, HttpCall, Pairs
from jackfield.api.jsontext import Json, dumps, loads
from jackfield.api.nodes import NodeError
from jackfield.api.urls import joined
from jackfield_ai.models.client import ProviderClient, ProviderRefusal

NOT_FOUND, CONFLICT = 404, 409


class StoreApi:
    """One server. base: its address, as the credential has it."""

    def __init__(self, client: ProviderClient, base: str, headers: Pairs | None = None) -> None:
        if not base.strip():
            raise NodeError(f"The credential of {client.title} names no server; fill in its address.")
        self._client = client
        self._base = base
        self._headers = headers or []

    @property
    def title(self) -> str:
        return self._client.title

    async def ask(self, method: str, path: str, body: Json = None, headers: Pairs | None = None) -> Json:
        """The answer; None when it is empty. Raises `ProviderRefusal` for an error of the server, and `NodeError`."""
        if any(part in (".", "..") for part in path.partition("?")[0].split("/")):
            raise NodeError(f"{self.title} has nothing with a name of dots alone; give another name.")
        call = HttpCall(
            method,
            joined(self._base, path),
            headers=[("accept", "application/json"), *self._headers, *(headers or [])],
            body=None if body is None else HttpBody(dumps(body), "application/json"),
            follow="none",
        )
        reply = await self._client.send(call)
        if not reply.body.strip():
            return None
        try:
            return loads(reply.body)
        except InvalidInput:
            raise NodeError(f"{self.title} answered with something that is no JSON.") from None

    async def find(self, method: str, path: str, body: Json = None) -> Json:
        """The same; None where there is nothing at this path."""
        try:
            return await self.ask(method, path, body)
        except ProviderRefusal as exc:
            if exc.status == NOT_FOUND:
                return None
            raise
