"""Chats as an application of their own: in with a message, out with the workflow's answer."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import cast

from quart import Quart, Request, Response, request
from werkzeug.exceptions import HTTPException

from jackfield.api.asgi import error_body
from jackfield.api.body_budget import SMALL, apart, budget_of, json_memory, taken_for
from jackfield.api.chunk_streams import ChunkBuffer
from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.credentials import Credentials
from jackfield.api.errors import (
    InvalidInput,
    JackfieldError,
    MethodNotAllowed,
    NotFound,
    PayloadTooLarge,
    RequestTimeout,
    UnsupportedMediaType,
    WebhookUnauthorized,
    WorkflowInactive,
)
from jackfield.api.jsontext import Json, loads
from jackfield.api.nodes import NodeError
from jackfield.api.triggers import served_nodes
from jackfield.api.workflows import Node, Workflow
from jackfield_ai.chat.answering import answer_of, started, streamed
from jackfield_ai.chat.mounts import LIVE, TEST
from jackfield_ai.chat.page import page
from jackfield_ai.chat.trigger import (
    BASIC,
    KIND,
    NODES,
    authentication,
    is_public,
    options_of,
    path_of,
    streams,
)
from jackfield_ai.settings import AiSettings

_CHALLENGE = 'Basic realm="chat", charset="UTF-8"'
_LONGEST = 200
METHODS = ["GET", "POST", "OPTIONS"]


def build(context: PluginContext) -> Quart:
    settings = context.settings(AiSettings)
    app = Quart("jackfield_ai", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = settings.chat_body_limit
    app.config["BODY_TIMEOUT"] = settings.chat_body_timeout
    chats = Chats(context, settings)
    tests = settings.chat_test_enabled if settings.chat_test_enabled is not None else context.service.loopback

    async def live(path: str) -> Response:
        return await chats.serve(request, path, test=False)

    async def test_chat(path: str) -> Response:
        if not tests:
            raise NotFound("Test chats are switched off; see ai.chat_test_enabled.")
        return await chats.serve(request, path, test=True)

    for segment, view in ((LIVE, live), (TEST, test_chat)):
        app.add_url_rule(
            f"/{segment}/<path>", segment, view, methods=METHODS, strict_slashes=False, provide_automatic_options=False
        )

    async def told(error: JackfieldError) -> Response:
        return _refused(error)

    async def refused(error: HTTPException) -> Response:
        if error.code == 405:
            return _refused(MethodNotAllowed(METHODS))
        known = {404: NotFound, 408: RequestTimeout, 413: PayloadTooLarge}
        return _refused(known.get(error.code or 500, JackfieldError)())

    async def failed(error: Exception) -> Response:
        context.log.error("A chat failed.", exc_info=error)
        return _refused(JackfieldError("Something went wrong; please try again later."))

    app.register_error_handler(JackfieldError, told)
    app.register_error_handler(HTTPException, refused)
    app.register_error_handler(Exception, failed)
    return app


def _refused(error: JackfieldError) -> Response:
    body = error_body(error, str(request.scope.get("jackfield.request_id", "")))
    made = Response(body, error.status, content_type="application/json")
    for name, value in error.headers:
        made.headers[name] = value
    return made


class Chats:
    """Serves Chat Trigger nodes."""

    def __init__(self, context: PluginContext, settings: AiSettings) -> None:
        self._context = context
        self._settings = settings

    async def serve(self, request: Request, path: str, *, test: bool) -> Response:
        """The page, or the answer to a message. Raises `JackfieldError`."""
        workflow, node = await self._node(path, test)
        if request.method == "OPTIONS":
            made = Response("", 204, {"Allow": "GET, POST, OPTIONS"})
        else:
            await self._check(node, request)
            if request.method == "GET":
                if node.parameters.get("mode") == "webhook":
                    raise MethodNotAllowed(["POST"], "This chat has no page; send messages with POST.")
                return page(node)
            made = await self._answered(request, workflow, node, test)
        _allow(made, node, request)
        return made

    async def _node(self, path: str, test: bool) -> tuple[Workflow, Node]:
        """The live chat; for a test any saved one, of the workflow that `?workflow=` names. Raises `NotFound`,
        `WorkflowInactive`."""
        found = await self._context.store.webhooks_by_path("/" + path, kind=KIND)
        if test and (meant := request.args.get("workflow")):
            found = [row for row in found if row.workflow_id == meant]
        for row in found if test else [row for row in found if row.active]:
            workflow = await self._context.port(WorkflowReader).load(row.workflow_id)
            fitting = [node for node in served_nodes(workflow, NODES) if path_of(node) == path]
            for node in fitting:
                if node.id == row.node_id and (test or is_public(node)):
                    return workflow, node
        if any(not row.active for row in found) and not test:
            raise WorkflowInactive("This chat is not open now.")
        raise NotFound("There is no chat at this address.")

    async def _check(self, node: Node, request: Request) -> None:
        """Raises `WebhookUnauthorized`; a chat whose credential cannot be used is closed."""
        if authentication(node) == "none":
            return
        values = await self._values(node)
        given = request.authorization
        user, password = values.get("user", ""), values.get("password", "")
        fits = given is not None and given.type == "basic"
        right_name = hmac.compare_digest((given.username or "").encode() if given and fits else b"", user.encode())
        right_word = hmac.compare_digest((given.password or "").encode() if given and fits else b"", password.encode())
        if not (user and password and right_name and right_word):
            raise WebhookUnauthorized(
                "This chat needs a user name and a password.", headers=[("WWW-Authenticate", _CHALLENGE)]
            )

    async def _values(self, node: Node) -> Mapping[str, str]:
        ident = node.credential_id(BASIC)
        if authentication(node) != "basicAuth" or ident is None:
            return {}
        try:
            return await self._context.port(Credentials).values(ident, BASIC)
        except NodeError:
            self._context.log.warning("A chat has no usable credential; it is closed.", extra={"node": node.name})
            return {}

    async def _answered(self, request: Request, workflow: Workflow, node: Node, test: bool) -> Response:
        # Nothing but JSON: pages of other sites cannot send it without asking first (OPTIONS).
        if request.mimetype != "application/json":
            raise UnsupportedMediaType("Send the message as application/json: {sessionId, chatInput}.")
        sent = cast("bytes", await request.get_data(cache=False))
        budget = budget_of(request.scope)
        memory = (
            None if len(sent) < SMALL else taken_for(request.scope, await apart(budget, json_memory, sent), len(sent))
        )
        message = message_in(loads(sent) if memory is None else await apart(budget, loads, sent))
        del sent
        if message.get("action") == "loadPreviousSession":
            raise InvalidInput("Earlier messages of a session cannot be loaded; begin with action sendMessage.")
        request_id = str(request.scope.get("jackfield.request_id") or "") or None
        stream = ChunkBuffer(self._settings.chat_stream_bytes) if streams(node) else None
        execution = await started(self._context, workflow, node, message, request_id, memory, test=test, stream=stream)
        if stream is not None:
            keepalive = self._settings.chat_keepalive
            return streamed(stream, execution, workflow, self._context.clock, keepalive)
        return await answer_of(node, execution, self._settings.chat_response_timeout)


def message_in(body: Json) -> dict[str, Json]:
    """Raises `InvalidInput`."""
    if not isinstance(body, dict):
        raise InvalidInput("A chat message must be an object.", details={"body": "send {sessionId, chatInput}"})
    wrong = {
        name: "this must be a text"
        for name, needed in (("chatInput", True), ("sessionId", False), ("action", False))
        if not isinstance(body.get(name), str) and (needed or name in body)
    }
    if body.get("action") == "loadPreviousSession":
        wrong.pop("chatInput", None)
    session = body.get("sessionId")
    if isinstance(session, str) and len(session) > _LONGEST:
        wrong["sessionId"] = f"at most {_LONGEST} characters"
    if wrong:
        raise InvalidInput("The chat message does not have the expected form.", details=dict(wrong))
    return {"action": "sendMessage", **body}


def _allow(made: Response, node: Node, request: Request) -> None:
    """Other sites may call only when the node says so."""
    origin, allowed = request.headers.get("Origin"), options_of(node).get("allowedOrigins")
    if not origin or not isinstance(allowed, str):
        return
    names = [name.strip() for name in allowed.split(",")]
    if "*" in names or origin in names:
        made.headers["Access-Control-Allow-Origin"] = "*" if "*" in names else origin
        made.headers["Access-Control-Allow-Methods"] = "GET, POST, OPTIONS"
        made.headers["Access-Control-Allow-Headers"] = "Content-Type, Authorization"
        made.headers["Vary"] = "Origin"
