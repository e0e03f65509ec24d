"""The daemon over PostgreSQL, from the first login to the list of what has run."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, set_fields, webhook
from jackfield.testing.postgres import PASSWORD, NoPostgres, PostgresServer, postgres_server

StartDaemon = Callable[..., Daemon]
DSN, TIMEOUT = "JACKFIELD_STORE_POSTGRES_DSN", "JACKFIELD_STORE_POSTGRES_TIMEOUT"
NO_WAIT = "JACKFIELD_STORE_POSTGRES_START_TIMEOUT"
CHOSEN = '[store]\nname = "postgres"\n'


@pytest.fixture
def own_postgres() -> Iterator[PostgresServer]:
    """One that a test may kill."""
    try:
        with postgres_server() as server:
            yield server
    except NoPostgres as exc:
        pytest.skip(str(exc))


@pytest.fixture
def daemon(new_daemon: StartDaemon, jackfield_postgres: PostgresServer) -> Daemon:
    """Its address comes from the environment, its schema from the file."""
    schema = jackfield_postgres.new_name()
    settings = f'{CHOSEN}[store.postgres]\nschema_name = "{schema}"\n'
    return new_daemon(settings, env={DSN: jackfield_postgres.dsn()})


def test_calls_are_answered_and_kept_over_a_restart(daemon: Daemon) -> None:
    api = daemon.admin()
    document = chain(
        "Greeting", webhook("greet", responseMode="lastNode"), set_fields("Set", text="=Hello {{ $json.body.name }}")
    )
    workflow = daemon.live(document, api)
    client = daemon.client()
    answers = [client.post("/webhook/greet", json={"name": f"Ada {n}\x00"}) for n in range(5)]
    assert [answer.status_code for answer in answers] == [200] * 5
    assert answers[3].json() == [{"text": "Hello Ada 3\x00"}]
    daemon.stop()
    daemon.start()
    api = daemon.admin()
    listed = api.get("/executions", params={"workflowId": workflow}).json()
    assert [row["status"] for row in listed["data"]] == ["success"] * 5
    shown = api.get(f"/executions/{listed['data'][0]['id']}").json()
    assert "Ada" in str(shown)
    assert daemon.client().post("/webhook/greet", json={"name": "Eve"}).json() == [{"text": "Hello Eve"}]
    assert [path.name for path in daemon.config_dir.glob("*.db*")] == []


def test_a_daemon_goes_on_when_its_database_was_away(new_daemon: StartDaemon, own_postgres: PostgresServer) -> None:
    daemon = new_daemon(CHOSEN, env={DSN: own_postgres.dsn(), TIMEOUT: "1"})
    daemon.live(chain("Hook", webhook("hook"), set_fields("Set", a=1)))
    client = daemon.client()
    assert client.post("/webhook/hook").status_code == 200
    own_postgres.kill()
    assert poll(lambda: client.get("/ready").status_code == 503, "the daemon says that it is not ready")
    answer = client.post("/webhook/hook")
    assert (answer.status_code, answer.json()["code"]) == (503, "STORE_UNAVAILABLE")
    own_postgres.start()
    poll(lambda: client.post("/webhook/hook").status_code == 200, "calls are taken again", timeout=20)
    assert PASSWORD not in daemon.tail(100_000)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "store.postgres.dsn is empty"),
        ({DSN: "postgresql//secret-word@x"}, "not an address"),
        (
            {
                DSN: "postgresql://me:secret-word@127.0.0.1:1/x",
                NO_WAIT: "0",
            },
            "does not answer",
        ),
    ],
    ids=["nothing", "nonsense", "nobody"],
)
def test_a_start_without_a_database_says_what_to_do(new_daemon: StartDaemon, given: dict[str, str], said: str) -> None:
    daemon = new_daemon(CHOSEN, env=given, start=False)
    assert daemon.start(wait=False).wait(30) == 1
    assert said in daemon.tail()
    assert "secret-word" not in daemon.tail()
    assert "Traceback" not in daemon.tail()
