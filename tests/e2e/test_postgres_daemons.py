"""Two daemons over one PostgreSQL: what one leaves behind, dead or in order, the other brings to its end."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, node, set_fields, webhook
from jackfield.testing.postgres import PostgresServer

StartDaemon = Callable[..., Daemon]
KEY = "an-encryption-key-that-both-daemons-have"
RUNS = 20


@pytest.fixture
def two(new_daemon: StartDaemon, jackfield_postgres: PostgresServer) -> tuple[Daemon, Daemon]:
    schema = jackfield_postgres.new_name()
    settings = (
        f'[store]\nname = "postgres"\n[store.postgres]\nschema_name = "{schema}"\n'
        "[executions]\nlease = 1\nrenewal_interval = 0.2\npoll_interval = 1\n"
    )
    env = {"JACKFIELD_STORE_POSTGRES_DSN": jackfield_postgres.dsn(), "JACKFIELD_ENCRYPTION_KEY": KEY}
    return new_daemon(settings, env=env), new_daemon(settings, env=env)


def statuses(api: httpx.Client) -> list[str]:
    return [row["status"] for row in api.get("/executions", params={"limit": 100}).json()["data"]]


@pytest.mark.parametrize("way", ["kill", "stop"])
def test_the_other_daemon_goes_on(two: tuple[Daemon, Daemon], way: str) -> None:
    first, second = two
    wait = node("Wait", "wait", {"resume": "timeInterval", "amount": 2, "unit": "seconds"}, version=1.1)
    first.live(chain("Slow", webhook("slow"), wait, set_fields("Set", done=True)))
    client, api = first.client(), second.admin()
    for n in range(RUNS):
        assert client.post("/webhook/slow", json={"n": n}).status_code == 200
    assert len(statuses(api)) == RUNS
    getattr(first, way)()
    poll(lambda: statuses(api) == ["success"] * RUNS, "the other daemon has brought them to their end", timeout=30)
    assert "Traceback" not in second.tail(100_000)
