"""Webhooks and calls as the management routes show them: never with a secret."""

from __future__ import annotations

from jackfield.api.clock import iso
from jackfield.api.storage import StoredCall, Webhook, WebhookStats
from jackfield_webhooks import paths
from jackfield_webhooks.answers.making import with_execution
from jackfield_webhooks.authentication import credentials
from jackfield_webhooks.authentication.credentials import CredentialReference
from jackfield_webhooks.authentication.presets import KnownPreset
from jackfield_webhooks.parameters import SECRETS, HookParameters

View = dict[str, object]


def item(webhook: Webhook, public_url: str, tests: bool) -> View:
    """A list item. tests: whether test addresses are served."""
    shown: View = {
        "id": webhook.id,
        "kind": webhook.kind,
        "workflowId": webhook.workflow_id,
        "workflowName": webhook.workflow_name,
        "nodeId": webhook.node_id,
        "path": webhook.path,
        "method": webhook.method,
        "active": webhook.active,
        "url": paths.url(public_url, webhook.kind, webhook.path),
        "authentication": webhook.authentication,
        "createdAt": iso(webhook.created_at),
    }
    if tests:
        shown["testUrl"] = paths.url(public_url, paths.test_segment(webhook.kind), webhook.path)
    return shown


def counts(stats: WebhookStats) -> View:
    """Its counters."""
    return {
        "totalCalls": stats.total_calls,
        "successCalls": stats.success_calls,
        "failedCalls": stats.failed_calls,
        "rejectedCalls": stats.rejected_calls,
        "lastCall": None if stats.last_call is None else iso(stats.last_call),
    }


def detail(
    webhook: Webhook,
    public_url: str,
    tests: bool,
    parameters: HookParameters,
    named: CredentialReference | None,
    stats: WebhookStats,
    header: str = "",
) -> View:
    """named: the stored credential that the node refers to. header: the name of the header that it asks for."""
    shown: View = {
        **item(webhook, public_url, tests),
        "responseMode": parameters.mode,
        "responseData": parameters.data,
        "stats": counts(stats),
    }
    if webhook.authentication != "none":
        shown["authConfig"] = _auth_config(parameters, named, header)
    return shown


def preset(known: KnownPreset) -> View:
    """A preset, for forms."""
    fields = [
        {"name": one.name, "label": one.label, "description": one.description, "required": one.required,
         "options": list(one.options)}
        for one in known.fields
    ]  # fmt: skip
    return {
        "name": known.name,
        "label": known.label,
        "description": known.description,
        "keyLabel": known.key_label,
        "fields": fields,
        "plugin": known.plugin,
    }


def call(stored: StoredCall) -> View:
    """A history entry."""
    shown: View = {
        "id": stored.id,
        "timestamp": iso(stored.time),
        "status": stored.status,
        "executionId": stored.execution_id,
        "requestMethod": stored.method,
        "requestHeaders": dict(stored.headers),
        "requestQuery": stored.query,
        "requestBody": stored.body,
        "responseStatus": stored.response_status,
        "responseBody": with_execution(stored.response_body, stored.execution_id),
        "duration": stored.duration_ms,
    }
    if stored.event:
        shown["event"] = stored.event
    if stored.truncated:
        shown["truncated"] = True
    if stored.response_truncated:
        shown["responseTruncated"] = True
    return shown


def _auth_config(parameters: HookParameters, named: CredentialReference | None, header: str) -> View:
    config = credentials.written_config(parameters, {})
    shown: View = {name: value for name, value in config.items() if name not in SECRETS}
    if header:
        shown.setdefault("headerName", header)
    if named is not None:
        shown["credential"] = {"kind": named.kind, "id": named.id, "name": named.name}
    return shown
