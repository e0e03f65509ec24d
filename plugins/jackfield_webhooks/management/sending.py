"""A test call that is made in earnest: through the test address's application, so that the workflow runs as a test."""

from __future__ import annotations

from jackfield.api.asgi import Message
from jackfield.api.body_budget import BODY_BUDGET, BodyBudget
from jackfield.api.context import PluginContext
from jackfield.api.errors import NotFound
from jackfield.api.ids import new_id
from jackfield.api.storage import Webhook
from jackfield.api.webhooks import WebhookCall
from jackfield_webhooks import paths
from jackfield_webhooks.ingress.applications import only
from jackfield_webhooks.management.schemas import TestCallAnswer

_KEPT = 65_536
"""Bytes of the answer's body that are shown."""


async def send(
    context: PluginContext, webhook: Webhook, call: WebhookCall, client: str, budget: BodyBudget | None
) -> TestCallAnswer:
    """client: the address that asked for the test; budget: of the daemon. Raises `NotFound` while test calls are
    switched off."""
    if not paths.tests_enabled(context):
        raise NotFound("Test calls are switched off; see webhooks.test_enabled.")
    path, _, query = call.url.removeprefix(context.service.public_url).partition("?")
    scope = {
        "type": "http",
        "method": call.method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [(name.encode("latin-1", "replace"), value.encode("latin-1", "replace"))
                    for name, value in call.headers.items()],
        "jackfield.client": client,
        "jackfield.request_id": new_id(),
        BODY_BUDGET: budget,
    }  # fmt: skip
    answer = TestCallAnswer(status=500, body="")
    body = bytearray()

    async def receive() -> Message:
        return {"type": "http.request", "body": call.body, "more_body": False}

    async def take(message: Message) -> None:
        if message["type"] == "http.response.start":
            answer.status = message["status"]
        elif len(body) < _KEPT:
            body.extend(message.get("body", b"")[: _KEPT - len(body)])

    await only(context, webhook)(scope, receive, take)
    answer.body = body.decode("utf-8", "replace")
    return answer
