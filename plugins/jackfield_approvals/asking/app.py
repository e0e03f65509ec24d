"""`/ask-approval`: where agents ask that are started without their own protocol."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping

from jackfield.api import jsontext
from jackfield.api.asgi import AsgiApp, Message, Receive, Scope, Send
from jackfield.api.context import PluginContext
from jackfield.api.errors import AuthRequired, MethodNotAllowed, NotFound, StoreUnavailable
from jackfield.api.events import until_stopping
from jackfield.api.futures import first_of
from jackfield.api.jsontext import Json
from jackfield.api.mcp.answers import answer_nothing, header_values, serve_answered
from jackfield.api.mcp.bodies import BodyLimits, read_body, replayed
from jackfield_approvals.asking.hook import asked_by_hook
from jackfield_approvals.asking.loading import LoadedPromptTool
from jackfield_approvals.asking.tokens import AskTokens
from jackfield_approvals.paths import HOOK, MCP
from jackfield_approvals.settings import ApprovalsSettings


class AskingApp:
    """An ASGI application."""

    def __init__(self, context: PluginContext) -> None:
        settings = context.settings(ApprovalsSettings)
        self._context = context
        self._tokens = AskTokens(context)
        self._limits = BodyLimits(settings.body_limit, settings.body_timeout, "approvals.")
        self._tool = context.port(LoadedPromptTool)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await serve_answered(self._serve, scope, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = header_values(scope)
        asker = self._tokens.read(_bearer(headers))
        _, _, way = scope["path"].strip("/").partition("/")
        method = scope["method"]
        if way not in (MCP, HOOK):
            raise NotFound
        if way == MCP and method == "DELETE":  # nothing is kept that could end
            await answer_nothing(send)
            return
        if method != "POST":
            raise MethodNotAllowed(("POST",))
        body = await read_body(receive, headers, self._limits)
        if way == HOOK:
            answer = await self._while_there(asked_by_hook(self._tool.asking, asker, body), receive)
            await _answer_json(answer, send)
            return
        await (await self._tool.get()).serve(asker, scope, replayed(body, receive), send)

    async def _while_there(self, answer: Coroutine[object, object, Json], receive: Receive) -> Json:
        """Cancelled as soon as the caller leaves. Raises `NotFound` then, which nobody reads; `StoreUnavailable` when
        the daemon stops: a terminal that survives it still shows its own dialog."""
        async with first_of(answer, until_stopping(self._context.events), _left(receive)) as (task, (stopping, _)):
            if task.done():
                return task.result()
            if stopping.done():
                raise StoreUnavailable("The daemon stops; answer in the terminal.")
            raise NotFound("The agent waits no more.")


def _bearer(headers: Mapping[str, str]) -> str:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        raise AuthRequired("An agent asks with the token of its launch.")
    return token.strip()


async def _left(receive: Receive) -> None:
    message: Message = await receive()
    while message["type"] == "http.request":
        message = await receive()


async def _answer_json(value: Json, send: Send) -> None:
    body = jsontext.dumps(value)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def build(context: PluginContext) -> AsgiApp:
    return AskingApp(context)
