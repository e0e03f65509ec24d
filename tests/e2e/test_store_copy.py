"""`jackfield store copy`: a daemon goes on in another database, whatever ended the copy in between."""

from __future__ import annotations

import asyncio
import json
import logging
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("psycopg")

from jackfield.api.ids import new_id
from jackfield.api.storage import FinishedExecution, NewExecution
from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, node, set_fields, webhook
from jackfield.testing.postgres import PostgresServer
from jackfield_store_sqlite.settings import SqliteSettings
from jackfield_store_sqlite.store import SqliteStore

StartDaemon = Callable[..., Daemon]
SECRET = "s3cret-of-the-credential"
RUNS = 6000


def command(daemon: Daemon, *arguments: str) -> list[str]:
    program = str(Path(sys.executable).with_name("jackfield"))
    return [program, "store", "copy", "--config-dir", str(daemon.config_dir), *arguments]


def copy(daemon: Daemon, *arguments: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    given = {**daemon.environment(), **(env or {})}
    return subprocess.run(command(daemon, *arguments), env=given, capture_output=True, text=True, check=False)


def set_store(daemon: Daemon, settings: str) -> None:
    (daemon.config_dir / "config.toml").write_text(settings)


def postgres_settings(server: PostgresServer, schema: str) -> str:
    return f'[store]\nname = "postgres"\n[store.postgres]\ndsn = "{server.dsn()}"\nschema_name = "{schema}"\n'


@pytest.fixture
def schema(jackfield_postgres: PostgresServer) -> str:
    return jackfield_postgres.new_name()


@pytest.fixture
def settings(jackfield_postgres: PostgresServer, schema: str) -> str:
    """SQLite, beside the settings of the schema that `--to postgres` means."""
    return postgres_settings(jackfield_postgres, schema).replace('"postgres"', '"sqlite"')


def fill(daemon: Daemon, count: int) -> None:
    async def work() -> None:
        store = SqliteStore(daemon.config_dir, SqliteSettings(), logging.getLogger("jackfield.test"))
        await store.open()
        for _ in range(count // 1000):
            ids = [new_id() for _ in range(1000)]
            await asyncio.gather(
                *(
                    store.add_execution(
                        NewExecution(each, "w", 1, "manual", "success", 1, bytes(2000), 1),
                        FinishedExecution(each, "success", 2, 1, bytes(500)),
                    )
                    for each in ids
                )
            )
        await store.close()

    asyncio.run(work())


def status(daemon: Daemon, execution: str) -> str:
    return str(daemon.admin().get(f"/executions/{execution}").json()["status"])


def test_a_waiting_execution_and_its_credential_go_on_there_and_back(
    new_daemon: StartDaemon, jackfield_postgres: PostgresServer, schema: str, settings: str
) -> None:
    daemon = new_daemon(settings)
    url = set_fields("Url", url="={{ $execution.resumeUrl }}")
    wait = node("Wait", "wait", {"resume": "webhook"}, version=1.1)
    daemon.live(chain("Called", webhook("called"), url, wait, set_fields("After", done=True)))
    held = {"name": "Upstream", "kind": "httpHeaderAuth", "values": {"name": "X-Key", "value": SECRET}}
    assert daemon.admin().post("/credentials", json=held).is_success
    client = daemon.client()
    runs = [str(client.post("/webhook/called", json={"n": n}).json()["executionId"]) for n in range(2)]
    poll(lambda: all(status(daemon, run) == "waiting" for run in runs), "they wait")
    found = [daemon.admin().get(f"/executions/{run}").json()["nodes"]["Url"][0]["outputs"][0][0] for run in runs]
    urls = [str(each["json"]["url"]).removeprefix(daemon.base_url) for each in found]

    refused = copy(daemon, "--to", "postgres")
    assert refused.returncode == 1
    assert "already uses" in refused.stderr
    daemon.stop()
    told = moved(copy(daemon, "--to", "postgres", "--json"))
    assert told["tables"]["executions"]["rows"] == 2
    assert str(daemon.config_dir / "binary") in told["files"]

    set_store(daemon, postgres_settings(jackfield_postgres, schema))
    daemon.start()
    assert daemon.client().get(urls[0]).status_code == 200
    poll(lambda: status(daemon, runs[0]) == "success", "it ends in PostgreSQL")
    assert daemon.client().post("/webhook/called", json={"n": 3}).status_code == 200
    daemon.stop()

    told = moved(copy(daemon, "--to", str(daemon.config_dir / "back.db"), "--json"))
    assert told["tables"]["executions"]["rows"] == 3
    set_store(daemon, '[store.sqlite]\nfile = "back.db"\n')
    daemon.start()
    assert status(daemon, runs[0]) == "success"
    assert daemon.client().get(urls[1]).status_code == 200
    poll(lambda: status(daemon, runs[1]) == "success", "it ends in SQLite")
    assert [one["name"] for one in daemon.admin().get("/credentials").json()["data"]] == ["Upstream"]


def moved(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """What it has printed, with its tables by name."""
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["equal"]
    found["tables"] = {one["table"]: one for one in found["tables"]}
    return found


def killed(daemon: Daemon, *arguments: str) -> None:
    """A copy whose process is killed once it has copied some tables."""
    with subprocess.Popen(
        command(daemon, *arguments), env=daemon.environment(), stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stderr is not None
        for line in running.stderr:
            if line.startswith("workflows:"):
                break
        running.send_signal(signal.SIGKILL)
    assert running.returncode == -signal.SIGKILL


def test_a_copy_that_is_killed_goes_on_and_no_daemon_starts_meanwhile(
    new_daemon: StartDaemon, jackfield_postgres: PostgresServer, schema: str, settings: str
) -> None:
    daemon = new_daemon(settings)
    daemon.live(chain("Any", webhook("any"), set_fields("After", done=True)))
    daemon.stop()
    fill(daemon, RUNS)
    killed(daemon, "--to", "postgres")
    other = new_daemon(postgres_settings(jackfield_postgres, schema), start=False)
    other.start(wait=False)
    assert other.wait() == 1
    assert "has not ended" in other.tail()
    done = copy(daemon, "--to", "postgres")
    assert done.returncode == 0, done.stderr
    assert "sealed with the master key" in done.stdout
    assert jackfield_postgres.run(f"SELECT count(*) FROM {schema}.executions") == [(RUNS,)]
    assert jackfield_postgres.run(f"SELECT count(*) FROM {schema}.execution_steps") == [(RUNS,)]
    again = copy(daemon, "--to", "postgres")
    assert (again.returncode, "holds a store already" in again.stderr) == (1, True)

    back = ("--from", "postgres", "--to", str(daemon.directory / "back.db"))
    killed(daemon, *back)
    other = new_daemon(f'[store.sqlite]\nfile = "{daemon.directory / "back.db"}"\n', start=False)
    other.start(wait=False)
    assert other.wait() == 1
    assert "has not ended" in other.tail()
    told = moved(copy(daemon, *back, "--json"))
    assert [told["tables"][name]["copiedRows"] for name in ("executions", "execution_steps")] == [RUNS, RUNS]


def test_another_key_is_refused_and_the_target_stays_as_it_is(
    new_daemon: StartDaemon, jackfield_postgres: PostgresServer, schema: str, settings: str
) -> None:
    daemon = new_daemon(settings, env={"JACKFIELD_ENCRYPTION_KEY": "the-key-of-the-store-of-32-bytes"})
    daemon.stop()
    wrong = copy(daemon, "--to", "postgres", env={"JACKFIELD_ENCRYPTION_KEY": "another-key-of-thirty-two-bytes-!"})
    assert wrong.returncode == 1
    assert "another master key" in wrong.stderr
    assert jackfield_postgres.run(f"SELECT count(*) FROM pg_namespace WHERE nspname = '{schema}'") == [(0,)]
    nowhere = copy(daemon, "--from", str(daemon.directory / "none.db"), "--to", "postgres")
    assert (nowhere.returncode, "There is no database" in nowhere.stderr) == (1, True)
    assert not (daemon.directory / "none.db").exists()
    same = copy(daemon, "--to", "sqlite")
    assert (same.returncode, "one store" in same.stderr) == (1, True)
    unknown = copy(daemon, "--to", "mysql://somewhere/else")
    assert (unknown.returncode, "No plugin has a store" in unknown.stderr) == (1, True)
    shown = copy(daemon, "--to", jackfield_postgres.dsn(password="wrong-password"))
    assert shown.returncode == 1
    assert "list of processes" in shown.stderr
    assert "wrong-password" not in shown.stderr
