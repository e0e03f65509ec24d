"""A generated client works: what people make of `/openapi.json` can use the daemon from its first login to the last
clean-up, and reads every answer and every refusal with its own models."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import httpx
import pytest

from jackfield.testing.daemon import PASSWORD, USERNAME, Daemon, poll
from jackfield.testing.documents import chain, node, webhook

if TYPE_CHECKING:
    from generated import GeneratedClient

NOBODY = "00000000-0000-7000-8000-000000000000"


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    daemon = Daemon(tmp_path_factory.mktemp("client"))
    try:
        yield daemon.start()
    finally:
        daemon.close()


@pytest.fixture(scope="module")
def generated(daemon: Daemon, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GeneratedClient]:
    from generated import GeneratedClient

    place = tmp_path_factory.mktemp("generated")
    description = place / "openapi.json"
    description.write_text(daemon.client().get("/openapi.json").raise_for_status().text, encoding="utf-8")
    sys.path.insert(0, str(place))
    try:
        yield GeneratedClient(place, description)
    finally:
        sys.path.remove(str(place))


@pytest.fixture
def client(daemon: Daemon, generated: GeneratedClient) -> GeneratedClient:
    """Logged in, by the generated client itself."""
    generated.connect(daemon.base_url)
    body = generated.model("LoginBody", {"username": USERNAME, "password": PASSWORD})
    session = generated.call("auth", "login", body=body)
    generated.connect(daemon.base_url, session.token)
    return generated


def document(name: str, answer: str) -> dict[str, object]:
    fields = {"assignments": {"assignments": [{"id": "1", "name": "answer", "value": answer, "type": "string"}]}}
    return chain(name, webhook(name, responseMode="lastNode"), node("Set", "set", fields, version=3.4))


def test_a_workflow_from_its_creation_to_its_end(daemon: Daemon, client: GeneratedClient) -> None:
    tag = "workflows"
    made = client.answer(tag, "create_workflow", body=client.model("WorkflowDocument", document("client", "first")))
    assert made.status_code == 201
    ident = made.parsed.id
    assert made.headers["Location"] == f"/api/v1/workflows/{ident}"
    assert client.call(tag, "activate_workflow", ident).active is True
    assert httpx.post(f"{daemon.base_url}/webhook/client", json={}, trust_env=False).json() == [{"answer": "first"}]

    rows = poll(lambda: client.call("executions", "list_executions", workflow_id=ident).data, "the execution is listed")
    assert [row.workflow_id for row in rows] == [ident]
    shown = client.call("executions", "get_execution", rows[0].id, items=5)
    assert shown.id == rows[0].id
    client.call("executions", "retry_execution", shown.id, status=201)

    etag = client.answer(tag, "get_workflow", ident).headers["ETag"]
    changed = client.model("WorkflowDocument", document("client", "second"))
    assert client.call(tag, "replace_workflow", ident, body=changed, if_match=etag).version == made.parsed.version + 1
    client.refused(tag, "replace_workflow", ident, body=changed, if_match=etag, status=409, code="CONFLICT")
    assert httpx.post(f"{daemon.base_url}/webhook/client", json={}, trust_env=False).json() == [{"answer": "second"}]
    assert [row.version for row in client.call(tag, "list_workflow_versions", ident).data] == [2, 1]

    found = client.call("webhooks", "list_webhooks", workflow_id=ident, stats=True).data
    assert [one.path for one in found] == ["/client"]
    client.call("webhooks", "get_webhook", found[0].id)
    assert client.call("webhooks", "list_webhook_calls", found[0].id).total == 2

    copy = client.call(tag, "duplicate_workflow", ident, status=201)
    for each in (ident, copy.id):
        client.call(tag, "deactivate_workflow", each)
        client.call(tag, "delete_workflow", each, status=204)
        client.refused(tag, "get_workflow", each, status=404, code="NOT_FOUND")


def test_runs_without_a_webhook(client: GeneratedClient) -> None:
    made = client.model("RunBody", {"workflow": document("run", "now")})
    ran = client.call("workflows", "run_workflow", body=made)
    client.call("executions", "get_execution", ran.execution_id)
    accepted = client.call("workflows", "run_workflow_async", body=made, status=202)
    poll(
        lambda: client.call("executions", "get_execution", accepted.execution_id).status in ("success", "error"),
        "the execution is over",
    )
    client.refused(
        "executions",
        "cancel_execution",
        accepted.execution_id,
        status=409,
        code="CONFLICT",
    )
    client.call("executions", "delete_execution", accepted.execution_id, status=204)
    assert client.call("executions", "count_executions").total >= 1
    checked = client.call("workflows", "validate_workflow", body=client.model("WorkflowDocument", document("x", "y")))
    assert checked.valid


def test_a_credential_and_a_variable(client: GeneratedClient) -> None:
    tag = "credentials"
    body = {"name": "one", "kind": "httpBasicAuth", "values": {"user": "a", "password": "a secret"}}
    ident = client.call(tag, "create_credential", body=client.model("CredentialBody", body), status=201).id
    shown = client.call(tag, "get_credential", ident)
    assert "a secret" not in str(shown)
    change = client.model("CredentialChange", {"name": "two"})
    assert client.call(tag, "update_credential", ident, body=change).name == "two"
    assert ident in [row.id for row in client.call(tag, "list_credentials").data]
    assert client.call("credentials", "list_credential_kinds").data
    client.call(tag, "delete_credential", ident, status=204)
    client.refused(tag, "get_credential", ident, status=404, code="NOT_FOUND")

    made = client.model("VariableBody", {"key": "COLOUR", "value": "red"})
    ident = client.call("variables", "create_variable", body=made, status=201).id
    client.refused("variables", "create_variable", body=made, status=409, code="CONFLICT")
    change = client.model("VariableChange", {"value": "blue"})
    assert client.call("variables", "update_variable", ident, body=change).value == "blue"
    client.call("variables", "delete_variable", ident, status=204)


def test_a_user_and_a_key(daemon: Daemon, client: GeneratedClient) -> None:
    body = {"username": "viewer", "password": "another-horse-battery", "role": "viewer"}
    user = client.call("users", "create_user", body=client.model("NewUserBody", body), status=201)
    key = client.call(
        "api_keys",
        "create_api_key",
        body=client.model("KeyBody", {"name": "reader", "scopes": ["workflows:read"]}),
        status=201,
    )
    assert key.id in [row.id for row in client.call("api_keys", "list_api_keys").data]
    client.connect(daemon.base_url, key.key, prefix="", auth_header_name="X-API-Key")
    assert type(client.call("workflows", "list_workflows")).__name__ == "WorkflowPage"
    refused = client.refused("users", "list_users", status=403, code="ACCESS_DENIED")
    assert refused.request_id
    client.connect(daemon.base_url, daemon.login())
    client.call("api_keys", "revoke_api_key", key.id, status=204)
    client.call("users", "delete_user", user.id, status=204)


def test_refusals_are_read_by_the_generated_models(daemon: Daemon, client: GeneratedClient) -> None:
    """Of both envelopes."""
    missing = client.refused("workflows", "get_workflow", NOBODY, status=404, code="NOT_FOUND")
    assert missing.message
    wrong = client.refused(
        "workflows",
        "create_workflow",
        body=client.model("WorkflowDocument", {"name": ""}),
        status=400,
        code="VALIDATION_ERROR",
    )
    assert "name" in wrong.details.to_dict()
    other = client.refused("agents", "get_agent", "nobody", status=404, code="AGENT_NOT_FOUND")
    assert other.success is False
    assert other.error
    client.connect(daemon.base_url, "no such token")
    refused = client.answer("workflows", "list_workflows")
    assert refused.status_code == 401
    assert refused.headers["WWW-Authenticate"]
    assert refused.parsed.code == "TOKEN_INVALID"
    outside = client.answer("agents", "list_agents")
    assert type(outside.parsed).__name__ == ("DaemonError" if outside.status_code == 401 else "AgentList")


def test_the_rest_of_the_daemon_is_read(client: GeneratedClient) -> None:
    for tag, name in (
        ("health", "get_health"),
        ("health", "get_readiness"),
        ("agents", "list_agents"),
        ("providers", "list_providers"),
        ("profiles", "list_profiles"),
        ("proxies", "list_proxies"),
        ("daemon", "get_daemon_status"),
        ("daemon", "list_plugins"),
        ("registry", "get_registry"),
        ("usage", "get_usage"),
        ("terminal", "list_terminal_sessions"),
        ("session", "get_session"),
        ("node_types", "list_node_types"),
        ("auth", "get_current_user"),
    ):
        client.call(tag, name)
