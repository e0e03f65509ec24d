"""Requests to a provider: with the node's credential, repeated when the provider is busy, and never quoting secrets."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence

from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput
from jackfield.api.http_client import Authorization, BodyKeeper, HttpBody, HttpCall, HttpClient, HttpReply, Pairs
from jackfield.api.jsontext import Json, dumps, loads
from jackfield.api.nodes import NodeError
from jackfield.api.records import replace
from jackfield_ai.credential_holders import CredentialHolder
from jackfield_ai.kinds import KINDS
from jackfield_ai.settings import AiSettings

BUSY = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_EXCERPT = 500


class ProviderRefusal(NodeError):
    """The provider's answer is an error. status: of HTTP."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class ProviderClient:
    """Talks to one provider for one node."""

    def __init__(
        self,
        context: PluginContext,
        node: CredentialHolder,
        kind: str,
        title: str,
        *,
        timeout: float | None = None,
        retries: int | None = None,
    ) -> None:
        """kind: of the credential; title: the provider's name; timeout: seconds; both limits only lower the settings'
        own."""
        self._context = context
        self._node = node
        self._kind = kind
        self.title = title
        settings = context.settings(AiSettings)
        self._settings = settings
        self._timeout = min(timeout, settings.timeout) if timeout and timeout > 0 else settings.timeout
        self._retries = settings.retries if retries is None else min(max(retries, 0), settings.retries)
        self._authorization: Authorization | None = None

    @property
    def max_answer_bytes(self) -> int:
        return self._settings.max_answer_bytes

    async def values(self) -> Mapping[str, str]:
        """The credential's fields. Raises `NodeError`."""
        found = dict(await self._node.credential(self._kind))
        own = next((kind for kind in KINDS if kind.name == self._kind), None)
        return own.complete(found) if own is not None else found

    async def post(self, url: str, body: Mapping[str, Json], headers: Pairs | None = None) -> dict[str, Json]:
        """The answer, a JSON object. Raises `NodeError`."""
        return self.object_in(await self.answer(url, dumps(body), headers))

    async def answer(
        self, url: str, body: bytes, headers: Pairs | None = None, keeper: BodyKeeper | None = None
    ) -> HttpReply:
        """To a body of JSON; it is no error. keeper: gets the body as it comes. Raises `NodeError`."""
        accept = "application/json" if keeper is None else "text/event-stream"
        return await self.send(
            HttpCall(
                "POST",
                url,
                headers=[("accept", accept), *(headers or [])],
                body=HttpBody(body, "application/json"),
                follow="none",
                keeper=keeper,
            )
        )

    async def send(self, call: HttpCall) -> HttpReply:
        """An answer that is no error. Raises `NodeError`."""
        if self._authorization is None:
            self._authorization = await self._node.authorization(self._kind)
        call = replace(call, timeout=self._timeout)
        for attempt in range(self._retries + 1):
            reply = await self._context.port(HttpClient).send(call, self._authorization)
            if reply.status not in BUSY or attempt == self._retries:
                break
            await self._context.clock.sleep(self._wait(attempt, reply.header("retry-after")))
        if not 200 <= reply.status < 300:
            raise ProviderRefusal(f"{self.title} answered {reply.status}: {_told(reply)}", reply.status)
        return reply

    def _wait(self, attempt: int, asked: str) -> float:
        """Seconds; what the provider asks for, else twice as long as before, a little apart from others."""
        settings = self._settings
        try:
            wanted = float(asked)
        except ValueError:
            wanted = math.nan
        if math.isnan(wanted):
            wanted = settings.retry_wait * 2**attempt * random.uniform(0.8, 1.2)
        return min(max(wanted, 0.0), settings.max_retry_wait)

    def object_in(self, reply: HttpReply) -> dict[str, Json]:
        """The whole answer. Raises `NodeError`: it is no JSON object."""
        try:
            found = loads(reply.body)
        except InvalidInput:
            found = None
        if not isinstance(found, dict):
            raise NodeError(f"{self.title} answered with something that is no JSON object: {_excerpt(reply)}")
        return found


def _told(reply: HttpReply) -> str:
    """The provider's own message."""
    try:
        found = loads(reply.body)
    except InvalidInput:
        return _excerpt(reply)
    error = found.get("error", found) if isinstance(found, dict) else found
    if isinstance(error, dict):
        error = next((error[name] for name in ("message", "detail", "type") if error.get(name)), None)
    return _masked(str(error), reply.secrets)[:_EXCERPT] if isinstance(error, str) and error else _excerpt(reply)


def _excerpt(reply: HttpReply) -> str:
    text = reply.body[: 4 * _EXCERPT].decode("utf-8", "replace").strip()
    return _masked(text, reply.secrets)[:_EXCERPT] or reply.reason or "nothing more"


def _masked(text: str, secrets: Sequence[str]) -> str:
    for secret in secrets:
        if secret:
            text = text.replace(secret, "***")
    return text
