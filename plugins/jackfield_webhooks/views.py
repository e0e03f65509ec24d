"""Webhooks and calls as the management routes show them: never with a secret."""

from __future__ import annotations

from jackfield.api.clock import iso
from jackfield.api.storage import StoredCall, Webhook, WebhookStats
from jackfield_webhooks import credentials, paths
from jackfield_webhooks.answers import with_execution
from jackfield_webhooks.parameters import SECRETS, HookParameters
from jackfield_webhooks.paths import PRODUCTION

View = dict[str, object]


def item(webhook: Webhook, public_url: str) -> View:
    """A list item."""
    return {
        "id": webhook.id,
        "workflowId": webhook.workflow_id,
        "workflowName": webhook.workflow_name,
        "nodeId": webhook.node_id,
        "path": webhook.path,
        "method": webhook.method,
        "active": webhook.active,
        "url": paths.url(public_url, PRODUCTION, webhook.path),
        "authentication": webhook.authentication,
        "createdAt": iso(webhook.created_at),
    }


def counts(stats: WebhookStats) -> View:
    """Its counters."""
    return {
        "totalCalls": stats.total_calls,
        "successCalls": stats.success_calls,
        "failedCalls": stats.failed_calls,
        "lastCall": None if stats.last_call is None else iso(stats.last_call),
    }


def detail(
    webhook: Webhook,
    public_url: str,
    parameters: HookParameters,
    named: credentials.Reference | None,
    stats: WebhookStats,
) -> View:
    """named: the stored credential that the node refers to."""
    shown: View = {
        **item(webhook, public_url),
        "responseMode": parameters.mode,
        "responseData": parameters.data,
        "stats": counts(stats),
    }
    if webhook.authentication != "none":
        shown["authConfig"] = _auth_config(parameters, named)
    return shown


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
    if stored.truncated:
        shown["truncated"] = True
    if stored.response_truncated:
        shown["responseTruncated"] = True
    return shown


def _auth_config(parameters: HookParameters, named: credentials.Reference | None) -> View:
    config = credentials.written_config(parameters, {})
    shown: View = {name: value for name, value in config.items() if name not in SECRETS}
    if named is not None:
        shown["credential"] = {"kind": named.kind, "id": named.id, "name": named.name}
    return shown
