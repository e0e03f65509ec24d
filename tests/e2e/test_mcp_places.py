"""The daemon's MCP server by its other doors: worker processes, a public host, and two daemons over one store."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.postgres import PostgresServer

pytest.importorskip("mcp")

from .test_hosts import Fleet, hosts
from .test_mcp_oauth import Flow, decided, listed, refreshed, registered
from .worker_processes import WORKERS

ACCEPT = {"Accept": "application/json, text/event-stream"}
PUBLIC = "jackfield.example"


def asked(daemon: Daemon, method: str, headers: dict[str, str], **params: Any) -> Any:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    answer = daemon.client(timeout=60).post("/mcp", json=body, headers={**ACCEPT, **headers})
    return answer.raise_for_status().json()


def key_of(daemon: Daemon) -> str:
    return str(daemon.admin().post("/api-keys", json={"name": "k"}).raise_for_status().json()["key"])


def names(told: Any) -> set[str]:
    return {tool["name"] for tool in told["result"]["tools"]}


def test_the_first_process_serves_beside_workers(tmp_path_factory: pytest.TempPathFactory) -> None:
    daemon = Daemon(tmp_path_factory.mktemp("workers"), arguments=list(WORKERS))
    try:
        daemon.start()
        for _ in range(6):
            told = asked(daemon, "tools/call", {}, name="list_variables", arguments={})
            assert told["result"]["structuredContent"]["data"]["data"] == []
    finally:
        daemon.close()


def test_a_public_host_reaches_no_agents_and_has_addresses_of_its_own(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    daemon = Daemon(tmp_path_factory.mktemp("public"), settings=f'[server]\npublic_hosts = ["{PUBLIC}"]\n')
    try:
        daemon.start()
        headers = {"Host": PUBLIC, "X-API-Key": key_of(daemon)}
        offered = names(asked(daemon, "tools/list", headers))
        assert "list_workflows" in offered
        assert not offered & {"list_profiles", "run_profile", "read_terminal_screen"}
        refused = asked(daemon, "tools/call", headers, name="list_profiles", arguments={})
        assert "Unknown tool" in refused["error"]["message"]
        unknown = daemon.client().post("/mcp", json={}, headers={**ACCEPT, "Host": PUBLIC, "Via": "a"})
        assert f'resource_metadata="https://{PUBLIC}/.well-known/' in unknown.headers["www-authenticate"]
        where = "/.well-known/oauth-protected-resource/mcp"
        assert daemon.client().get(where, headers={"Host": PUBLIC}).json()["resource"] == f"https://{PUBLIC}/mcp"
        assert daemon.client().get(where, headers={"Host": "elsewhere.example"}).status_code == 403
    finally:
        daemon.close()


@pytest.fixture(scope="module")
def fleet(jackfield_postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    made = Fleet(jackfield_postgres, tmp_path_factory.mktemp("fleet"))
    try:
        made.start("alpha")
        made.start("beta")
        poll(lambda: len(hosts(made.daemons["alpha"].client())) == 2, "alpha knows beta", timeout=20)
        yield made
    finally:
        made.close()


def test_any_daemon_of_a_store_serves_each_request_and_each_step_of_oauth(fleet: Fleet) -> None:
    alpha, beta = fleet.daemons["alpha"], fleet.daemons["beta"]
    headers = {"X-API-Key": key_of(alpha)}
    arguments = {"key": "SHARED", "value": "1"}
    asked(alpha, "tools/call", headers, name="set_variable", arguments=arguments)
    told = asked(beta, "tools/call", headers, name="list_variables", arguments={})
    assert told["result"]["structuredContent"]["data"]["data"][0]["key"] == "SHARED"
    client = registered(alpha).raise_for_status().json()["client_id"]
    code = decided(beta, Flow(beta, client, "v" * 50).address(), alpha.admin())
    issued = Flow(alpha, client, "v" * 50).exchange(code["code"]).raise_for_status().json()
    assert [listed(daemon, issued["access_token"]) for daemon in (alpha, beta)] == [200, 200]
    renewed = refreshed(beta, client, issued["refresh_token"]).raise_for_status().json()
    assert listed(alpha, issued["access_token"]) == 401
    assert listed(alpha, renewed["access_token"]) == 200


def test_profiles_of_another_host_are_in_the_list(fleet: Fleet) -> None:
    alpha, beta = fleet.daemons["alpha"], fleet.daemons["beta"]
    body = {"alias": "yonder", "agent_id": "shell", "provider_id": "self", "model": "none"}
    beta.client(timeout=60).post("/api/profiles", json=body).raise_for_status()
    told = asked(alpha, "tools/call", {}, name="list_profiles", arguments={})
    rows = told["result"]["structuredContent"]["data"]["profiles"]
    assert [(row["alias"], row["host"]) for row in rows] == [("yonder", "beta")]
