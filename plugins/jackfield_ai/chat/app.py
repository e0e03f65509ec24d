"""Chats as their own application: in with a message, out with the workflow's answer."""

from __future__ import annotations

from typing import cast

from quart import Quart, Request, Response, request
from werkzeug.exceptions import HTTPException

from jackfield.api.asgi import error_body
from jackfield.api.body_budget import SMALL, apart, budget_of, json_memory, taken_for
from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.errors import (
    JackfieldError,
    MethodNotAllowed,
    NotFound,
    PayloadTooLarge,
    RequestTimeout,
    UnsupportedMediaType,
    WebhookUnauthorized,
    WorkflowInactive,
)
from jackfield.api.jsontext import loads
from jackfield.api.projects import reaching, run_reach
from jackfield.api.triggers import served_nodes
from jackfield.api.workflows import Node, Workflow
from jackfield_ai.chat.mounts import LIVE, TEST
from jackfield_ai.chat.page import page
from jackfield_ai.chat.talk import NEEDED, Talk, message_in
from jackfield_ai.chat.trigger import (
    KIND,
    NODES,
    authentication,
    is_public,
    options_of,
    path_of,
)
from jackfield_ai.settings import AiSettings

_CHALLENGE = 'Basic realm="chat", charset="UTF-8"'
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
        self._talk = Talk(context, settings)

    async def serve(self, request: Request, path: str, *, test: bool) -> Response:
        """The page, or the answer to a message. Raises `JackfieldError`."""
        workflow, node = await self._node(path, test)
        if request.method == "OPTIONS":
            made = Response("", 204, {"Allow": "GET, POST, OPTIONS"})
        else:
            with reaching(run_reach(workflow.id)):
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
        if authentication(node) != "none" and not await self._talk.fits(node, request.authorization):
            raise WebhookUnauthorized(NEEDED, headers=[("WWW-Authenticate", _CHALLENGE)])

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
        request_id = str(request.scope.get("jackfield.request_id") or "") or None
        return await self._talk.answer(workflow, node, message, memory, request_id, test=test)


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
