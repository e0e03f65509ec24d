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
    session = generated.call("auth", "post_api_v1_auth_login", body=body)
    generated.connect(daemon.base_url, session.token)
    return generated


def document(name: str, answer: str) -> dict[str, object]:
    fields = {"assignments": {"assignments": [{"id": "1", "name": "answer", "value": answer, "type": "string"}]}}
    return chain(name, webhook(name, responseMode="lastNode"), node("Set", "set", fields, version=3.4))


def test_a_workflow_from_its_creation_to_its_end(daemon: Daemon, client: GeneratedClient) -> None:
    tag, one = "workflows", "api_v1_workflows_workflow_id"
    made = client.answer(
        tag, "post_api_v1_workflows", body=client.model("WorkflowDocument", document("client", "first"))
    )
    assert made.status_code == 201
    ident = made.parsed.id
    assert made.headers["Location"] == f"/api/v1/workflows/{ident}"
    assert client.call(tag, f"post_{one}_activate", ident).active is True
    assert httpx.post(f"{daemon.base_url}/webhook/client", json={}, trust_env=False).json() == [{"answer": "first"}]

    rows = poll(
        lambda: client.call("executions", "get_api_v1_executions", workflow_id=ident).data, "the execution is listed"
    )
    assert [row.workflow_id for row in rows] == [ident]
    shown = client.call("executions", "get_api_v1_executions_execution_id", rows[0].id, items=5)
    assert shown.id == rows[0].id
    client.call("executions", "post_api_v1_executions_execution_id_retry", shown.id, status=201)

    etag = client.answer(tag, f"get_{one}", ident).headers["ETag"]
    changed = client.model("WorkflowDocument", document("client", "second"))
    assert client.call(tag, f"put_{one}", ident, body=changed, if_match=etag).version == made.parsed.version + 1
    client.refused(tag, f"put_{one}", ident, body=changed, if_match=etag, status=409, code="CONFLICT")
    assert httpx.post(f"{daemon.base_url}/webhook/client", json={}, trust_env=False).json() == [{"answer": "second"}]
    assert [row.version for row in client.call(tag, f"get_{one}_versions", ident).data] == [2, 1]

    found = client.call("webhooks", "get_api_v1_webhooks", workflow_id=ident, stats=True).data
    assert [one.path for one in found] == ["/client"]
    client.call("webhooks", "get_api_v1_webhooks_ident", found[0].id)
    assert client.call("webhooks", "get_api_v1_webhooks_ident_history", found[0].id).total == 2

    copy = client.call(tag, f"post_{one}_duplicate", ident, status=201)
    for each in (ident, copy.id):
        client.call(tag, f"post_{one}_deactivate", each)
        client.call(tag, f"delete_{one}", each, status=204)
        client.refused(tag, f"get_{one}", each, status=404, code="NOT_FOUND")


def test_runs_without_a_webhook(client: GeneratedClient) -> None:
    made = client.model("RunBody", {"workflow": document("run", "now")})
    ran = client.call("workflows", "post_api_v1_workflows_run", body=made)
    client.call("executions", "get_api_v1_executions_execution_id", ran.execution_id)
    accepted = client.call("workflows", "post_api_v1_workflows_run_async", body=made, status=202)
    poll(
        lambda: (
            client.call("executions", "get_api_v1_executions_execution_id", accepted.execution_id).status
            in ("success", "error")
        ),
        "the execution is over",
    )
    client.refused(
        "executions",
        "post_api_v1_executions_execution_id_cancel",
        accepted.execution_id,
        status=409,
        code="CONFLICT",
    )
    client.call("executions", "delete_api_v1_executions_execution_id", accepted.execution_id, status=204)
    assert client.call("executions", "get_api_v1_executions_stats").total >= 1
    checked = client.call(
        "workflows", "post_api_v1_workflows_validate", body=client.model("WorkflowDocument", document("x", "y"))
    )
    assert checked.valid


def test_a_credential_and_a_variable(client: GeneratedClient) -> None:
    tag, one = "credentials", "api_v1_credentials_credential_id"
    body = {"name": "one", "kind": "httpBasicAuth", "values": {"user": "a", "password": "a secret"}}
    ident = client.call(tag, "post_api_v1_credentials", body=client.model("CredentialBody", body), status=201).id
    shown = client.call(tag, f"get_{one}", ident)
    assert "a secret" not in str(shown)
    change = client.model("CredentialChange", {"name": "two"})
    assert client.call(tag, f"patch_{one}", ident, body=change).name == "two"
    assert ident in [row.id for row in client.call(tag, "get_api_v1_credentials").data]
    assert client.call("credentials", "get_api_v1_credential_kinds").data
    client.call(tag, f"delete_{one}", ident, status=204)
    client.refused(tag, f"get_{one}", ident, status=404, code="NOT_FOUND")

    made = client.model("VariableBody", {"key": "COLOUR", "value": "red"})
    ident = client.call("variables", "post_api_v1_variables", body=made, status=201).id
    client.refused("variables", "post_api_v1_variables", body=made, status=409, code="CONFLICT")
    change = client.model("VariableChange", {"value": "blue"})
    assert client.call("variables", "patch_api_v1_variables_variable_id", ident, body=change).value == "blue"
    client.call("variables", "delete_api_v1_variables_variable_id", ident, status=204)


def test_a_user_and_a_key(daemon: Daemon, client: GeneratedClient) -> None:
    body = {"username": "viewer", "password": "another-horse-battery", "role": "viewer"}
    user = client.call("users", "post_api_v1_users", body=client.model("NewUserBody", body), status=201)
    key = client.call(
        "api_keys",
        "post_api_v1_api_keys",
        body=client.model("KeyBody", {"name": "reader", "scopes": ["workflows:read"]}),
        status=201,
    )
    assert key.id in [row.id for row in client.call("api_keys", "get_api_v1_api_keys").data]
    client.connect(daemon.base_url, key.key, prefix="", auth_header_name="X-API-Key")
    assert type(client.call("workflows", "get_api_v1_workflows")).__name__ == "WorkflowPage"
    refused = client.refused("users", "get_api_v1_users", status=403, code="ACCESS_DENIED")
    assert refused.request_id
    client.connect(daemon.base_url, daemon.login())
    client.call("api_keys", "delete_api_v1_api_keys_key_id", key.id, status=204)
    client.call("users", "delete_api_v1_users_user_id", user.id, status=204)


def test_refusals_are_read_by_the_generated_models(daemon: Daemon, client: GeneratedClient) -> None:
    """Of both envelopes."""
    missing = client.refused("workflows", "get_api_v1_workflows_workflow_id", NOBODY, status=404, code="NOT_FOUND")
    assert missing.message
    wrong = client.refused(
        "workflows",
        "post_api_v1_workflows",
        body=client.model("WorkflowDocument", {"name": ""}),
        status=400,
        code="VALIDATION_ERROR",
    )
    assert "name" in wrong.details.to_dict()
    other = client.refused("agents", "get_api_agents_agent_id", "nobody", status=404, code="AGENT_NOT_FOUND")
    assert other.success is False
    assert other.error
    client.connect(daemon.base_url, "no such token")
    refused = client.answer("workflows", "get_api_v1_workflows")
    assert refused.status_code == 401
    assert refused.headers["WWW-Authenticate"]
    assert refused.parsed.code == "TOKEN_INVALID"
    outside = client.answer("agents", "get_api_agents")
    assert type(outside.parsed).__name__ == ("DaemonError" if outside.status_code == 401 else "AgentList")


def test_the_rest_of_the_daemon_is_read(client: GeneratedClient) -> None:
    for tag, name in (
        ("health", "get_health"),
        ("health", "get_ready"),
        ("agents", "get_api_agents"),
        ("providers", "get_api_providers"),
        ("profiles", "get_api_profiles"),
        ("proxies", "get_api_proxy_status"),
        ("daemon", "get_api_daemon_status"),
        ("daemon", "get_api_plugins"),
        ("registry", "get_api_registry"),
        ("usage", "get_api_usage"),
        ("terminal", "get_api_terminal_sessions"),
        ("session", "get_api_session"),
        ("node_types", "get_api_v1_node_types"),
        ("auth", "get_api_v1_auth_me"),
    ):
        client.call(tag, name)
