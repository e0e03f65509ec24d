"""The test operation: would this call be taken? Runs nothing, records nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from urllib.parse import urlencode

from jackfield.api import jsontext
from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput, JackfieldError, PayloadTooLarge
from jackfield.api.jsontext import Json
from jackfield.api.records import record
from jackfield.api.webhooks import VerifiedCall, WebhookCall
from jackfield_webhooks.authentication.presets import signed, verified
from jackfield_webhooks.bodies import parsing
from jackfield_webhooks.hook import Hook
from jackfield_webhooks.management.schemas import CallCheck, TestCallRequest, TestCallResult
from jackfield_webhooks.settings import WebhookSettings


@record
class DryRun:
    """call: as it was checked, signature included; nobody but the test address may see it."""

    result: TestCallResult
    call: WebhookCall


async def check(context: PluginContext, settings: WebhookSettings, hook: Hook, request: TestCallRequest) -> DryRun:
    """Every check of a real call that needs no caller's address."""
    call = await _call(context, hook, request)
    authentication, proof = await _authentication(hook, call)
    checks = [_path(hook), _method(hook, request), authentication]
    checked, parsed = await asyncio.to_thread(_body, hook, call, settings.body_limit)
    checks.append(checked)
    failed = next((one for one in checks if not one.ok), None)
    message = failed.message if failed else "This call would start the workflow."
    result = TestCallResult(
        valid=failed is None, message=message, parsed_body=parsed, checks=checks, event=(proof and proof.event) or None
    )
    return DryRun(result, call)


async def _call(context: PluginContext, hook: Hook, request: TestCallRequest) -> WebhookCall:
    headers = {name.lower(): value for name, value in request.headers.items()}
    body = _raw(request.body, headers)
    query = urlencode(request.query, doseq=True)
    url = f"{hook.test_url}?{query}" if query else hook.test_url
    method = (request.method or hook.webhook.method).upper()
    call = WebhookCall(method, url, headers, body, context.clock.now_ms() / 1000)
    return await _signed(hook, call) if request.sign and hook.verifier is not None else call


async def _signed(hook: Hook, call: WebhookCall) -> WebhookCall:
    """Raises `InvalidInput` when this authentication has no signature that the daemon could make."""
    made: Mapping[str, str] | None = await signed(hook.verifier, call) if hook.verifier is not None else None
    if made is None:
        message = "A test call cannot be signed for this authentication; give its headers."
        raise InvalidInput(message, details={"sign": message})
    return WebhookCall(call.method, call.url, {**call.headers, **made}, call.body, call.now)


def _raw(body: Json, headers: dict[str, str]) -> bytes:
    if isinstance(body, str):
        return body.encode("utf-8", "replace")
    if body is None:
        return b""
    headers.setdefault("content-type", "application/json")
    return jsontext.dumps(body)


def _path(hook: Hook) -> CallCheck:
    active = hook.webhook.active
    path = hook.webhook.path
    message = f"{path} is served." if active else f"{path} answers 503 until its workflow is active."
    return CallCheck(name="path", ok=active, message=message)


def _method(hook: Hook, request: TestCallRequest) -> CallCheck:
    own = hook.webhook.method
    ok = request.method is None or request.method.upper() == own
    message = f"The method {own} is the webhook's." if ok else f"The webhook accepts {own} only."
    return CallCheck(name="method", ok=ok, message=message)


async def _authentication(hook: Hook, call: WebhookCall) -> tuple[CallCheck, VerifiedCall | None]:
    if hook.verifier is None:
        return CallCheck(name="authentication", ok=True, message="The webhook asks for no credential."), None
    try:
        proof = await verified(hook.verifier, call)
    except JackfieldError as exc:
        return CallCheck(name="authentication", ok=False, message=exc.message), None
    return CallCheck(name="authentication", ok=True, message="The credential is right."), proof


def _body(hook: Hook, call: WebhookCall, limit: int) -> tuple[CallCheck, Json]:
    try:
        if len(call.body) > limit:
            raise PayloadTooLarge(f"The body may have at most {limit} bytes.")
        parsed = parsing.parse(call.body, call.headers.get("content-type", ""), hook.body)
    except JackfieldError as exc:
        return CallCheck(name="body", ok=False, message=exc.message), None
    return CallCheck(name="body", ok=True, message="The body can be read."), parsed.body
