"""Two daemons over one PostgreSQL: one serves the workflows of the other, and refuses whom the other has logged out."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import httpx
import pytest

from jackfield.testing.daemon import PASSWORD, USERNAME, Daemon, poll
from jackfield.testing.documents import chain, set_fields, webhook
from jackfield.testing.nats import NoNats, nats_server
from jackfield.testing.postgres import PostgresServer

StartDaemon = Callable[..., Daemon]
KEY = "an-encryption-key-that-both-daemons-have"


@pytest.fixture(scope="module")
def nats() -> Iterator[str]:
    """The address of a server."""
    pytest.importorskip("nats")
    try:
        with nats_server() as server:
            yield server.address
    except NoNats as exc:
        pytest.skip(str(exc))


@pytest.fixture(scope="module", params=["memory", "pg", "nats"])
def two(
    request: pytest.FixtureRequest, module_daemons: StartDaemon, jackfield_postgres: PostgresServer
) -> tuple[Daemon, Daemon]:
    """With `memory` no daemon hears of the other: the backstop and the question before a 404 are all there is."""
    schema = jackfield_postgres.new_name()
    settings = (
        '[server]\npublic_url = "http://127.0.0.1:8080"\n'
        f'[store]\nname = "postgres"\n[store.postgres]\nschema_name = "{schema}"\n'
        f'[bus]\nname = "{request.param}"\n[bus.pg]\nchannel = "{schema}"\n'
        f'[bus.nats]\nservers = ["{request.getfixturevalue("nats") if request.param == "nats" else "nats://none"}"]\n'
    )
    env = {"JACKFIELD_STORE_POSTGRES_DSN": jackfield_postgres.dsn(), "JACKFIELD_ENCRYPTION_KEY": KEY}
    made = module_daemons(settings, env=env), module_daemons(settings, env=env)
    if request.param == "pg":
        listening = (
            f"SELECT 1 FROM pg_stat_activity WHERE query = 'LISTEN {schema}'"
            " OR query LIKE 'SELECT pg_notify%' AND backend_start > clock_timestamp() - interval '1 minute'"
        )
        poll(lambda: len(jackfield_postgres.run(listening)) == len(made), "both daemons listen")
    return made


def answer(caller: httpx.Client) -> tuple[int, object]:
    """The status, and the version that has run."""
    given = caller.post("/webhook/shared", json={})
    return given.status_code, given.json()[0]["version"] if given.is_success else None


def document(version: int) -> dict[str, object]:
    return chain("Shared", webhook("shared", responseMode="lastNode"), set_fields("Set", version=version))


def test_what_one_daemon_makes_of_a_workflow_the_other_serves(two: tuple[Daemon, Daemon]) -> None:
    first, second = two
    api, caller = first.admin(), second.client()
    assert answer(caller) == (404, None)
    ident = first.live(document(1), api)
    assert answer(caller) == (200, 1), "an unknown path asks the store"
    assert api.put(f"/workflows/{ident}", json=document(2)).status_code == 200
    poll(lambda: answer(caller) == (200, 2), "the other daemon runs the new version")
    assert api.post(f"/workflows/{ident}/deactivate").status_code == 200
    poll(lambda: answer(caller) == (503, None), "the other daemon serves it no more")
    assert api.post(f"/workflows/{ident}/activate").status_code == 200
    assert answer(caller) == (200, 2), "an inactive path asks the store"
    assert api.delete(f"/workflows/{ident}").status_code in (200, 204)
    poll(lambda: answer(caller) == (404, None), "the other daemon has forgotten it")
    for daemon in two:
        assert "Traceback" not in daemon.tail(100_000)
        assert not [line for line in daemon.logs() if line["level"] in ("ERROR", "CRITICAL")]


def test_a_browsers_session_counts_at_every_daemon(two: tuple[Daemon, Daemon]) -> None:
    first, second = two
    here, there = first.client(), second.client()
    begun = here.post("/api/session", json={"username": USERNAME, "password": PASSWORD})
    assert begun.is_success
    (cookie,) = here.cookies.items()
    assert cookie[0] == "jackfield_session_8080", "the port that browsers see"
    there.cookies.set(*cookie)
    assert there.get("/api/session").json()["data"]["kind"] == "user"
    assert there.get("/api/v1/workflows").status_code == 200
    assert there.delete("/api/session", headers={"Origin": second.base_url}).is_success
    assert here.get("/api/v1/workflows").status_code == 401


def test_guesses_at_one_daemon_count_at_the_other(two: tuple[Daemon, Daemon]) -> None:
    callers = [daemon.client() for daemon in two]
    guess = {"username": "nobody", "password": "wrong-wrong-wrong"}
    told = [callers[n % 2].post("/api/v1/auth/login", json=guess).status_code for n in range(12)]
    assert told == [401] * 10 + [429] * 2


def test_what_happens_at_one_daemon_is_heard_at_the_other(two: tuple[Daemon, Daemon]) -> None:
    first, second = two
    first.live(document(1))
    poll(lambda: answer(second.client()) == (200, 1), "the other daemon serves it")
    with second.admin().stream("GET", "/events", params={"topics": "workflows"}) as events:
        assert answer(first.client()) == (200, 1)
        assert any("execution.finished" in line for line in events.iter_lines())


def test_a_logout_counts_at_the_other_daemon(two: tuple[Daemon, Daemon]) -> None:
    first, second = two
    token = {"Authorization": f"Bearer {first.login()}"}
    here, there = first.client(headers=token), second.client(headers=token)
    assert there.get("/api/v1/workflows").status_code == 200
    assert here.post("/api/v1/auth/logout").is_success
    assert there.get("/api/v1/workflows").status_code == 401
