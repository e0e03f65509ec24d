"""The ASGI application under `/webhook-waiting`: calls that executions wait for.

The token in the path says which execution, and that its address was given away by this daemon. Order of the checks:
token (404), what the execution waits for (409), suffix (404), method (405), then as for a webhook.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from jackfield.api.asgi import Receive, Scope, Send
from jackfield.api.engine import Engine, WaitingCall
from jackfield.api.errors import MethodNotAllowed, NotFound
from jackfield.api.jsontext import Json
from jackfield.api.projects import RunReach, reaching
from jackfield.api.records import replace
from jackfield.api.resume import ResumeLinks
from jackfield.api.storage import StoredAnswer, Webhook
from jackfield.api.workflows import Node
from jackfield_webhooks import paths
from jackfield_webhooks.answers.files import kept_for
from jackfield_webhooks.answers.making import Answer
from jackfield_webhooks.calls import masking
from jackfield_webhooks.calls.call import IncomingCall, make_item
from jackfield_webhooks.hook import Hook
from jackfield_webhooks.ingress.live import Ingress
from jackfield_webhooks.parameters import read
from jackfield_webhooks.routing.registry import HookSource

_TESTS = ("test", "manual")


class WaitingIngress(Ingress):
    """Serves the waits of Wait nodes with resume `webhook`."""

    counted_as = "waiting"

    async def _answer(self, call: IncomingCall, called: str | tuple[str, ...]) -> Answer:
        token, *suffix = called if isinstance(called, tuple) else paths.split(called) or ("",)
        waiting = await self._waiting(token)
        hook = await self._hook(waiting, token)
        if tuple(suffix) != paths.split(_suffix(hook)):
            raise _unknown()
        origin = call.headers.get("origin")
        if call.method == "OPTIONS":
            return self._allowed(call, hook, origin)
        if call.method not in hook.parameters.methods:
            names = hook.parameters.methods
            raise MethodNotAllowed(list(names), f"This execution waits for {' or '.join(names)} only.")
        call.hook = hook
        call.test = waiting.mode in _TESTS
        if hook.origins is not None and origin:
            call.permission = hook.origins.permission(origin)
        await self._check_caller(call, hook)
        parsed = await kept_for(self._context, waiting.execution_id, await self._read(call, hook))
        call.forget_body()
        call.headers = masking.without_own(call.headers, hook.own_headers)
        execution = await self._context.port(Engine).resume(waiting, [make_item(call, hook, parsed)])
        return await self._runner.go_on(hook, execution)

    async def _elsewhere(self, scope: Scope, receive: Receive, send: Send) -> bool:
        return False

    async def _waiting(self, token: str) -> WaitingCall:
        execution_id = self._links.execution_id(token)
        if execution_id is None:
            raise _unknown()
        waiting = await self._context.port(Engine).waiting(execution_id)
        if waiting.call.get("kind") != "webhook":
            raise _unknown()
        return waiting

    @cached_property
    def _links(self) -> ResumeLinks:
        return ResumeLinks(self._context)

    async def _hook(self, waiting: WaitingCall, token: str) -> Hook:
        node = as_webhook(waiting)
        methods = read(node).methods
        named = Webhook(
            waiting.execution_id, waiting.workflow.id or "", waiting.workflow.name, node.id, node.name,
            methods[0] if methods else "", "/" + token, token, "none", True, 0,
        )  # fmt: skip
        workflow = replace(waiting.workflow, nodes={**waiting.workflow.nodes, node.name: node})
        with reaching(RunReach(waiting.workflow.id, waiting.execution_id)):
            hook = await self._context.port(HookSource).make(named, workflow)
        if hook is None:
            raise _unknown()
        url = self._links.url(waiting.execution_id)
        return replace(hook, output=0, url=url, test_url=url, workflow=waiting.workflow)

    def _allowed(self, call: IncomingCall, hook: Hook, origin: str | None) -> StoredAnswer:
        methods = list(hook.parameters.methods)
        if hook.origins is not None and origin:
            names = call.headers.get("access-control-request-headers", "")
            call.permission = hook.origins.preflight(origin, methods, names)
        return StoredAnswer(204, (("allow", ", ".join([*methods, "OPTIONS"])),), b"")


def as_webhook(waiting: WaitingCall) -> Node:
    """The Wait node as a Webhook node would say it. Authentication comes from the document alone."""
    node = waiting.node
    resolved = waiting.call.get("parameters")
    told: Mapping[str, Json] = resolved if isinstance(resolved, dict) else {}
    kept = {
        name: value
        for name, value in node.parameters.items()
        if name in ("authConfig", "authentication", "headerName", "headerValue", "username", "password", "secret")
    }
    incoming = node.parameters.get("incomingAuthentication")
    if incoming is not None:
        kept["authentication"] = incoming
    return replace(node, version=node.version or 1.0, parameters={**told, **kept, "path": "waiting"})


def _suffix(hook: Hook) -> str:
    """n8n keeps it among the options."""
    for source in (hook.parameters.options, hook.parameters.raw):
        found = source.get("webhookSuffix")
        if isinstance(found, str) and found:
            return found
    return ""


def _unknown() -> NotFound:
    return NotFound("Nothing waits at this address.")
