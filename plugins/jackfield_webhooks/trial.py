"""The test operation: would this call be taken? Runs nothing, records nothing."""

from __future__ import annotations

import asyncio

from jackfield.api import jsontext
from jackfield.api.context import PluginContext
from jackfield.api.errors import JackfieldError, PayloadTooLarge
from jackfield.api.jsontext import Json
from jackfield_webhooks import bodies
from jackfield_webhooks.hook import Hook
from jackfield_webhooks.schemas import Check, TrialRequest, TrialResult
from jackfield_webhooks.settings import WebhookSettings


async def check(context: PluginContext, settings: WebhookSettings, hook: Hook, request: TrialRequest) -> TrialResult:
    """Every check of a real call that needs no caller's address."""
    headers = {name.lower(): value for name, value in request.headers.items()}
    body = _raw(request.body, headers)
    checks = [
        _path(hook),
        _method(hook, request),
        _authentication(hook, headers, body, context.clock.now_ms() / 1000),
    ]
    checked, parsed = await asyncio.to_thread(_body, hook, headers, body, settings.body_limit)
    checks.append(checked)
    failed = next((one for one in checks if not one.ok), None)
    message = failed.message if failed else "This call would start the workflow."
    return TrialResult(valid=failed is None, message=message, parsed_body=parsed, checks=checks)


def _raw(body: Json, headers: dict[str, str]) -> bytes:
    if isinstance(body, str):
        return body.encode("utf-8", "replace")
    if body is None:
        return b""
    headers.setdefault("content-type", "application/json")
    return jsontext.dumps(body)


def _path(hook: Hook) -> Check:
    active = hook.webhook.active
    path = hook.webhook.path
    message = f"{path} is served." if active else f"{path} answers 503 until its workflow is active."
    return Check(name="path", ok=active, message=message)


def _method(hook: Hook, request: TrialRequest) -> Check:
    own = hook.webhook.method
    ok = request.method is None or request.method.upper() == own
    message = f"The method {own} is the webhook's." if ok else f"The webhook accepts {own} only."
    return Check(name="method", ok=ok, message=message)


def _authentication(hook: Hook, headers: dict[str, str], body: bytes, now: float) -> Check:
    if hook.verifier is None:
        return Check(name="authentication", ok=True, message="The webhook asks for no credential.")
    try:
        hook.verifier.verify(headers, body, now)
    except JackfieldError as exc:
        return Check(name="authentication", ok=False, message=exc.message)
    return Check(name="authentication", ok=True, message="The credential is right.")


def _body(hook: Hook, headers: dict[str, str], body: bytes, limit: int) -> tuple[Check, Json]:
    try:
        if len(body) > limit:
            raise PayloadTooLarge(f"The body may have at most {limit} bytes.")
        parsed = bodies.parse(body, headers.get("content-type", ""), hook.body)
    except JackfieldError as exc:
        return Check(name="body", ok=False, message=exc.message), None
    return Check(name="body", ok=True, message="The body can be read."), parsed.body
