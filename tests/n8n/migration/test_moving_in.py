"""Fifty linked workflows move from a real n8n into a daemon, by each way that n8n offers, and answer as they did."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from jackfield.testing.daemon import Daemon, poll

from .documents import CREDENTIALS, PASSWORD, TOKEN, Call, calls, published, workflows
from .real_n8n import KEY, RealN8n
from .tables import Tables

INSTALLED = os.environ.get("JACKFIELD_TEST_N8N_REAL", "")
pytestmark = pytest.mark.skipif(not INSTALLED, reason="JACKFIELD_TEST_N8N_REAL names no n8n")


DATABASES = ("SQLite", "PostgreSQL")
MANY = [{"name": f"row {number}", "age": number / 4, "open": number % 2 == 0} for number in range(600)]
"""More than n8n writes into one file."""


class Left:
    """What n8n has left behind: its exports, its database, and how it answered.

    source: arguments that name the database; env: variables that go with them; tables: id -> data table.
    """

    def __init__(self, place: Path, source: Sequence[str], env: Mapping[str, str]) -> None:
        self.place = place
        self.source = source
        self.env = env
        self.exports = place / "exports"
        self.answers: list[tuple[int, Any]] = []
        self.tables: dict[str, Any] = {}


@pytest.fixture(scope="module", params=DATABASES)
def left(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Left]:
    place = tmp_path_factory.mktemp("n8n")
    with ExitStack() as stack:
        env = {} if request.param == "SQLite" else stack.enter_context(postgres(place))
        n8n = RealN8n(Path(INSTALLED), place / "home", env)
        source = ["--postgres"] if env else [str(n8n.database)]
        found = Left(place, source, {name: env[name] for name in env if name.startswith("DB_POSTGRESDB_")})
        _lived(n8n, found)
        _exported(n8n, found)
        yield found


@contextmanager
def postgres(place: Path) -> Iterator[dict[str, str]]:
    """A server, and n8n's variables that name it."""
    from servers import Absent, postgres_server

    from jackfield.testing.certificates import self_signed

    try:
        with postgres_server(*self_signed(place, "localhost")) as values:
            names = ("host", "port", "database", "user", "password")
            yield {"DB_TYPE": "postgresdb", **{f"DB_POSTGRESDB_{name.upper()}": values[name] for name in names}}
    except Absent as exc:
        pytest.skip(f"PostgreSQL: {exc}")


def _lived(n8n: RealN8n, found: Left) -> None:
    place = found.place
    (place / "home").mkdir()
    (place / "workflows.json").write_text(json.dumps(workflows()))
    (place / "credentials.json").write_text(json.dumps(CREDENTIALS))
    n8n.run("import:credentials", f"--input={place / 'credentials.json'}")
    n8n.run("import:workflow", f"--input={place / 'workflows.json'}")
    try:
        n8n.start()
        n8n.publish(published())
        tables = Tables(n8n.base, n8n.api_key())
        tables.fill()
        tables.fill("Many", MANY)
        tables.fill("Empty", ())
        found.tables = tables.everything()
        found.answers = [asked(n8n.base, call) for call in calls()]
        (place / "answers.json").write_text(json.dumps(found.answers))
    finally:
        n8n.stop()


def _exported(n8n: RealN8n, found: Left) -> None:
    place = found.place
    found.exports.mkdir()
    n8n.run("export:workflow", "--all", f"--output={found.exports / 'workflows.json'}")
    n8n.run("export:credentials", "--all", "--decrypted", f"--output={found.exports / 'credentials.json'}")
    n8n.run("export:credentials", "--all", f"--output={place / 'sealed.json'}")
    n8n.run("export:entities", f"--outputDir={place / 'entities'}")


def asked(base: str, call: Call) -> tuple[int, Any]:
    """Status, and the body where it is compared."""
    answer = httpx.request(
        call.method, base + call.path, json=call.json, headers=call.headers, auth=call.auth, trust_env=False, timeout=30
    )
    if not call.body:  # n8n refuses a wrong header with 403, and we with 401, as for any other credential
        return 401 if answer.status_code == 403 else answer.status_code, None
    try:
        return answer.status_code, answer.json()
    except ValueError:
        return answer.status_code, answer.text


def moved(
    daemon: Daemon, *arguments: str, key: str = "", more: Mapping[str, str] | None = None
) -> tuple[int, dict[str, Any], str]:
    """Exit code, report, and everything that was printed."""
    program = Path(sys.executable).with_name("jackfield")
    command = [str(program), "import", "n8n", "--json", "--config-dir", str(daemon.config_dir), *arguments]
    env = {name: value for name, value in os.environ.items() if not name.startswith(("JACKFIELD_", "N8N_"))}
    env |= more or {}
    if key:
        env["N8N_ENCRYPTION_KEY"] = key
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, json.loads(done.stdout), done.stdout + done.stderr


def statuses(report: dict[str, Any]) -> set[tuple[str, str]]:
    return {(row["kind"], row["status"]) for row in report["results"]}


def test_the_database_moves_in_and_answers_as_in_n8n(left: Left, tmp_path: Path) -> None:
    assert len(workflows()) == 50
    before = [Path(file).read_bytes() for file in left.source if Path(file).exists()]
    daemon = Daemon(tmp_path, settings='[nodes.http]\nallowed_networks = ["127.0.0.0/8"]\n').start()
    try:
        code, report, printed = moved(daemon, *left.source, "--activate", key=KEY, more=left.env)
        assert code == 0, printed
        assert statuses(report) == {("workflow", "created"), ("credential", "created"), ("dataTable", "created")}
        assert report["counts"]["workflow"]["created"] == 50
        assert {row["name"]: row["problems"] for row in report["results"] if row["verdict"] not in ("runs", None)} == {}
        assert all(row["active"] is not False for row in report["results"] if row["wasActive"])
        answers = [asked(daemon.base_url, call) for call in calls()]
        wrong = [
            (call.path, theirs, ours)
            for call, theirs, ours in zip(calls(), left.answers, answers, strict=True)
            if theirs != ours
        ]
        assert wrong == []
        assert tables_of(daemon) == left.tables
        failed = error_runs(daemon)
        assert failed == 4
        again = moved(daemon, *left.source, key=KEY, more=left.env)[1]
        assert statuses(again) == {("workflow", "unchanged"), ("credential", "unchanged"), ("dataTable", "unchanged")}
        for secret in (PASSWORD, TOKEN, KEY):
            assert secret not in printed + daemon.output.read_text()
    finally:
        daemon.close()
    assert [Path(file).read_bytes() for file in left.source if Path(file).exists()] == before


def tables_of(daemon: Daemon) -> dict[str, Any]:
    key = daemon.admin().post("/api-keys", json={"name": "tables"}).json()["key"]
    return Tables(daemon.base_url, key).everything()


def error_runs(daemon: Daemon) -> int:
    """How often the error workflow has run."""
    api = daemon.admin()
    (row,) = [
        row for row in api.get("/workflows", params={"search": "Errors"}).json()["data"] if row["name"] == "Errors"
    ]

    def found() -> int:
        return int(api.get("/executions", params={"workflowId": row["id"], "status": "success"}).json()["total"])

    poll(lambda: found() >= 4, "every failure has run the error workflow")
    return found()


def test_every_way_brings_the_same(left: Left, tmp_path: Path) -> None:
    daemon = Daemon(tmp_path).start()
    try:
        first = moved(daemon, str(left.exports))[1]
        assert statuses(first) == {("workflow", "created"), ("credential", "created")}
        sealed = moved(daemon, str(left.place / "sealed.json"), key=KEY)[1]
        assert statuses(sealed) == {("credential", "unchanged")}
        entities = moved(daemon, str(left.place / "entities" / "entities.zip"), key=KEY)[1]
        assert statuses(entities) == {("workflow", "unchanged"), ("credential", "unchanged"), ("dataTable", "created")}
        assert tables_of(daemon) == left.tables
        database = moved(daemon, *left.source, key=KEY, more=left.env)[1]
        assert {status for _, status in statuses(database)} == {"unchanged"}
        wrong = moved(daemon, *left.source, key="another key", more=left.env)
        assert (wrong[0], len(wrong[1]["unreadable"])) == (1, len(CREDENTIALS))
    finally:
        daemon.close()


def test_n8n_takes_back_what_has_moved(left: Left, tmp_path: Path) -> None:
    if left.env:
        pytest.skip("its exports are those of SQLite")
    daemon = Daemon(tmp_path / "daemon").start()
    program, back, again = Path(sys.executable).with_name("jackfield"), tmp_path / "back.json", tmp_path / "again.json"
    try:
        moved(daemon, str(left.exports))
        command = [str(program), "export", "--n8n", "--all", "-o", str(back), "--config-dir", str(daemon.config_dir)]
        subprocess.run(command, capture_output=True, timeout=120, check=True)
    finally:
        daemon.close()
    (tmp_path / "home").mkdir()
    n8n = RealN8n(Path(INSTALLED), tmp_path / "home")
    n8n.run("import:workflow", f"--input={back}")
    n8n.run("export:workflow", "--all", f"--output={again}")
    assert kept(again) == kept(left.exports / "workflows.json")


def kept(file: Path) -> dict[str, Any]:
    """Id -> what a workflow does, of an export of n8n."""
    names = ("name", "nodes", "connections")
    return {one["id"]: {name: one[name] for name in names} for one in json.loads(file.read_text())}


def test_half_a_database(left: Left, tmp_path: Path) -> None:
    if left.env:
        pytest.skip("PostgreSQL gives no half of a database")
    half = tmp_path / "half.sqlite"
    content = Path(left.source[0]).read_bytes()
    half.write_bytes(content[: len(content) // 2])
    daemon = Daemon(tmp_path / "daemon").start()
    try:
        begun = time.monotonic()
        code, report, printed = moved(daemon, str(half), str(left.exports / "workflows.json"), key=KEY)
        assert (code, time.monotonic() - begun < 60) == (1, True)
        assert report["unreadable"], printed
        assert report["counts"]["workflow"]["created"] == 50
    finally:
        daemon.close()
