"""One call of a webhook on its way through the ingress."""

from __future__ import annotations

import time
from collections.abc import Mapping

from jackfield.api.asgi import Scope
from jackfield.api.body_budget import BODY_BUDGET, BodyBudget, TakenMemory
from jackfield.api.caller_secrets import CREDENTIAL_NAMES, Hidden, hidden_in
from jackfield.api.ids import new_id
from jackfield.api.jsontext import Json
from jackfield.api.storage import NewCall, Webhook
from jackfield.api.webhooks import VerifiedCall, WebhookCall
from jackfield.api.workflows import Item
from jackfield_webhooks.answers.making import accepted_text
from jackfield_webhooks.bodies.parsing import ParsedBody
from jackfield_webhooks.bodies.receiving import BodyReader
from jackfield_webhooks.calls import masking
from jackfield_webhooks.hook import NOTHING, Hook


class IncomingCall:
    """The facts about the call so far."""

    __slots__ = (
        "body",
        "budget",
        "claims",
        "client",
        "delivery",
        "event",
        "headers",
        "hidden",
        "hook",
        "memory",
        "method",
        "params",
        "permission",
        "query",
        "query_text",
        "raw_path",
        "reader",
        "request_id",
        "started",
        "test",
        "webhook",
    )

    def __init__(self, scope: Scope, reader: BodyReader, test: bool) -> None:
        self.started = time.perf_counter()
        self.test = test
        self.method: str = scope["method"]
        self.headers = read_headers(scope["headers"])
        self.client: str = scope.get("jackfield.client", "unknown")
        self.request_id: str = scope.get("jackfield.request_id", "")
        self.reader = reader
        self.webhook: Webhook | None = None
        self.hook: Hook | None = None
        self.params: dict[str, str] = {}
        self.query: dict[str, Json] = {}
        self.query_text: str = scope["query_string"].decode("latin-1")
        self.body = b""
        """Decoded."""
        self.budget: BodyBudget | None = scope.get(BODY_BUDGET)
        self.memory: TakenMemory | None = None
        """The memory that the parsed body takes of the budget; None for a small one."""
        self.claims: Mapping[str, Json] | None = None
        self.delivery: str | None = None
        """The event's id, as the proof has it."""
        self.event = ""
        self.hidden: Hidden = ()
        """The secrets that nothing that is kept of the call may have; known once it has an item."""
        self.raw_path: bytes = scope.get("raw_path") or scope["path"].encode()
        self.permission: list[tuple[bytes, bytes]] = []
        """CORS headers of the answer."""

    def as_signed(self, base: str, body: bytes, now: float) -> WebhookCall:
        """The call for a verifier. base: the daemon's public address; now: Unix seconds."""
        query = f"?{self.query_text}" if self.query_text else ""
        return WebhookCall(self.method, f"{base}{self.raw_path.decode('latin-1')}{query}", self.headers, body, now)

    def take(self, proof: VerifiedCall) -> None:
        """Remember what the proof says."""
        self.claims, self.delivery, self.event = proof.claims, proof.delivery, proof.event

    def forget_body(self) -> None:
        """Nobody needs it any more; what is waited for may take long."""
        self.body = b""
        self.reader.release()

    @property
    def own_headers(self) -> frozenset[str]:
        return self.hook.own_headers if self.hook is not None else NOTHING

    def elapsed_ms(self) -> int:
        return int((time.perf_counter() - self.started) * 1000)


def read_headers(pairs: list[tuple[bytes, bytes]]) -> dict[str, str]:
    """Lower-case names, values as Latin-1; repeated headers are joined, as RFC 9110 section 5.3 says."""
    found: dict[str, str] = {}
    for raw_name, raw_value in pairs:
        name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
        if name in found:
            found[name] += ("; " if name == "cookie" else ", ") + value
        else:
            found[name] = value
    return found


def make_item(call: IncomingCall, hook: Hook, parsed: ParsedBody) -> Item:
    """The item that the Webhook node hands on."""
    own = hook.own_headers
    if call.query or not own.isdisjoint(call.headers) or CREDENTIAL_NAMES.search(",".join(call.headers)):
        told: Item = {"json": {"headers": call.headers, "query": call.query}}  # type: ignore[dict-item]
        call.hidden = hidden_in([told], hook.workflow.nodes, own)
    data: dict[str, Json] = {
        "headers": call.headers,  # type: ignore[dict-item]
        "params": call.params,  # type: ignore[dict-item]
        "query": call.query,
        "body": parsed.body,
        "webhookUrl": hook.test_url if call.test else hook.url,
        "httpMethod": call.method,
        "executionMode": "test" if call.test else "production",
    }
    if call.claims is not None:
        data["jwtPayload"] = dict(call.claims)
    if call.event:
        data["event"] = call.event
    item: Item = {"json": data}
    if parsed.binary:
        item["binary"] = dict(parsed.binary)
    return item


def new_call(call: IncomingCall, hook: Hook, now: int, limit: int) -> NewCall:
    """The call as the history keeps it, but for its body. limit: bytes of an answer's body.

    One that is answered at once is stored with its answer, which is certain once it is stored; the run's end brings the
    status.
    """
    at_once = hook.plan.mode == "onReceived"
    return NewCall(
        id=new_id(),
        webhook_id=hook.webhook.id,
        time=now,
        method=call.method,
        query=masking.query_for_history(call.query_text),
        headers=masking.for_history(call.headers, hook.own_headers),
        body="",
        response_status=hook.plan.code if at_once else None,
        response_body=accepted_text(hook.plan, "")[:limit] if at_once else "",
        duration_ms=call.elapsed_ms() if at_once else None,
        event=call.event,
    )
