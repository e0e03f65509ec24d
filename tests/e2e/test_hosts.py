"""Daemons on one PostgreSQL, each with what only it has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, node, set_fields, webhook
from jackfield.testing.postgres import PostgresServer

KEY = "an-encryption-key-that-both-daemons-have"


class Fleet:
    """Daemons over one schema. They live as long as the module, since their starts cost most."""

    def __init__(self, server: PostgresServer, directory: Path) -> None:
        self._schema = server.new_name()
        self._dsn = server.dsn()
        self._directory = directory
        self.daemons: dict[str, Daemon] = {}

    def start(self, name: str, settings: str = "", roles: str = "") -> Daemon:
        text = (
            f'[store]\nname = "postgres"\n[store.postgres]\nschema_name = "{self._schema}"\nreaders = 2\n'
            "[executions]\nlease = 2\nrenewal_interval = 0.2\nclaim_interval = 0.2\n"
            f'[hosts]\nname = "{name}"\nlease = 2\nrenewal_interval = 0.2\n{settings}\n'
        )
        if roles:
            text += f"[daemon]\nroles = {roles}\n"
        env = {"JACKFIELD_STORE_POSTGRES_DSN": self._dsn, "JACKFIELD_ENCRYPTION_KEY": KEY}
        made = Daemon(self._directory / name, settings=text, env=env)
        self.daemons[name] = made.start()
        return made

    def close(self) -> None:
        for daemon in self.daemons.values():
            daemon.close()


@pytest.fixture(scope="module")
def fleet(jackfield_postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """`alpha`, with everything; and `beta`, which takes calls and has agents, and runs no executions."""
    made = Fleet(jackfield_postgres, tmp_path_factory.mktemp("hosts"))
    try:
        made.start("alpha", 'labels = ["gpu", "zone=eu"]')
        made.start("beta", roles='["ingress", "agents"]')
        client = made.daemons["alpha"].client()
        poll(lambda: len(hosts(client)) == 2, "alpha knows beta", timeout=20)
        yield made
    finally:
        made.close()


@pytest.fixture
def alpha(fleet: Fleet) -> Daemon:
    return fleet.daemons["alpha"]


@pytest.fixture
def beta(fleet: Fleet) -> Daemon:
    return fleet.daemons["beta"]


def hosts(client: httpx.Client) -> Mapping[str, Any]:  # Any: JSON
    return {row["name"]: row for row in client.get("/api/hosts").json()["data"]}


def test_each_host_lists_all(alpha: Daemon, beta: Daemon) -> None:
    here, there = hosts(alpha.client()), hosts(beta.client())
    for found in (here, there):
        assert {name: row["state"] for name, row in found.items()} == {"alpha": "ready", "beta": "ready"}
        assert found["alpha"]["labels"] == ["gpu", "zone=eu"]
        assert found["beta"]["roles"] == ["ingress", "agents"]
        assert found["beta"]["address"] == beta.base_url
        assert found["alpha"]["slots"]["flows"]["used"] == 0
    assert [name for name, row in there.items() if row["here"]] == ["beta"]


def test_a_host_without_flows_has_its_calls_run_by_another(alpha: Daemon, beta: Daemon) -> None:
    api = alpha.admin()
    alpha.live(chain("Elsewhere", webhook("elsewhere"), set_fields("Set", done=True)), api)
    accepted = beta.client().post("/webhook/elsewhere", json={})
    assert accepted.status_code == 200
    poll(lambda: [row["status"] for row in api.get("/executions").json()["data"]] == ["success"], "alpha runs it")
    assert beta.client().get("/ui").status_code == 503
    assert beta.client().get("/").json()["code"] == "ROLE_MISSING"


def test_a_host_without_ingress_says_so(fleet: Fleet) -> None:
    worker = fleet.start("gamma", roles='["flows"]')
    answer = worker.client().post("/webhook/elsewhere", json={})
    assert (answer.status_code, answer.json()["code"]) == (503, "ROLE_MISSING")
    assert "ingress" in answer.json()["message"]
    worker.stop()
    client = fleet.daemons["alpha"].client()
    assert poll(lambda: hosts(client)["gamma"]["state"] == "gone", "it has left in order", timeout=1)


def test_a_host_that_is_drained_takes_no_work_until_it_is_resumed(fleet: Fleet, alpha: Daemon, beta: Daemon) -> None:
    wait = node("Wait", "wait", {"resume": "timeInterval", "amount": 0, "unit": "seconds"}, version=1.1)
    alpha.live(chain("Drained", webhook("drained"), wait, set_fields("Set", done=True)))
    api, client = alpha.admin(), beta.client()

    def statuses() -> set[str]:
        return {row["status"] for row in api.get("/executions", params={"limit": 1}).json()["data"]}

    assert client.post("/api/hosts/alpha/drain").json()["data"] == {"name": "alpha", "draining": True}
    poll(lambda: hosts(alpha.client())["alpha"]["state"] == "draining", "alpha has heard of it")
    assert alpha.client().post("/webhook/drained", json={}).status_code == 200
    assert statuses() == {"queued"}, "nobody else runs executions"
    assert client.post("/api/hosts/alpha/resume").status_code == 200
    poll(lambda: statuses() == {"success"}, "alpha runs it now")
    assert client.post("/api/hosts/nobody/drain").json()["code"] == "HOST_NOT_FOUND"
