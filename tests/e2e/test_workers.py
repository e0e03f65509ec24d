"""`jackfield serve --workers 2`: whoever takes a call, the answers are those of one process."""

from __future__ import annotations

import os
import re
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, node, set_fields, webhook
from jackfield.testing.postgres import PostgresServer
from jackfield.testing.shell import add_shell

from .conftest import StartDaemon, _factory
from .worker_processes import WORKERS, all_ready, children, processes

PATH = "shared"
BODY = {"name": "value"}
RUNS = 12


@pytest.fixture(scope="module", params=["hypercorn", "uvicorn"])
def daemon(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    if request.param == "uvicorn":
        pytest.importorskip("uvicorn")
    for make in _factory(tmp_path_factory.mktemp("workers")):
        settings = "[nodes.http]\nallowed_networks = ['127.0.0.0/8']\n"
        found = make(arguments=[*WORKERS, "--server", request.param], settings=settings, start=False)
        add_shell(found)
        yield found.start()


@pytest.fixture(scope="module")
def live(daemon: Daemon) -> str:
    hook = webhook(PATH, responseMode="lastNode", responseData="firstEntryJson")
    return daemon.live(chain(PATH, hook, set_fields("Set", said="={{ $json.body.name }}")))


def call(client: httpx.Client) -> None:
    answer = client.post(f"/webhook/{PATH}", json=BODY)
    assert (answer.status_code, answer.json()) == (200, {"said": "value"})


def test_every_connection_is_served_whoever_accepts_it(daemon: Daemon, live: str) -> None:
    """Calls stay with the workers, all else goes to the first process, and both over one connection."""
    before = requests(daemon)
    for _ in range(8):
        with daemon.client() as client:
            call(client)
            assert client.get("/ready").json()["checks"]["workers"] == "ok"
            call(client)
            assert client.get("/api/v1/workflows").status_code == 401
            call(client)
    poll(lambda: requests(daemon) - before >= 8 * 5, "the requests of all processes add up", timeout=5)
    api = daemon.admin()
    assert poll(lambda: api.get("/executions/stats").json()["success"] >= 8 * 3, "all executions are there")


def requests(daemon: Daemon) -> int:
    text = daemon.client().get("/metrics").text
    return sum(int(found) for found in re.findall(r"^jackfield_http_requests_total\{.*\} (\d+)$", text, re.MULTILINE))


def test_a_request_in_pieces_is_served(daemon: Daemon, live: str) -> None:
    """The first bytes do not say whose it is, and the head is long."""
    body = b'{"name": "value"}'
    filler = b"X-Filler: " + b"x" * 8000 + b"\r\n"
    head = (
        b"POST /webhook/shared HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n"
    )
    whole = head % (f"127.0.0.1:{daemon.port}".encode(), filler, len(body)) + body
    for cut in (1, 6, 12, 200, len(whole) - 3):
        with socket.create_connection(("127.0.0.1", daemon.port), 10) as sock:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for _ in range(2):  # the second one meets a connection that is kept
                sock.sendall(whole[:cut])
                sock.sendall(whole[cut:])
                answer = b""
                while b'{"said":"value"}' not in answer:
                    piece = sock.recv(65536)
                    assert piece, answer
                    answer += piece
                assert answer.startswith(b"HTTP/1.1 200")


def test_a_request_behind_an_unanswered_one_gets_nothing_of_a_worker(
    daemon: Daemon, live: str, request: pytest.FixtureRequest
) -> None:
    """Where it was not looked at yet, it moves once the first one is answered; else it is refused, and the connection
    ends."""
    host = f"127.0.0.1:{daemon.port}"
    ours = f"POST /webhook/{PATH} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 2\r\n\r\n{{}}"
    with socket.create_connection(("127.0.0.1", daemon.port), 10) as sock:
        sock.sendall(f"{ours}GET /api/profiles HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        answers = b"".join(iter(lambda: sock.recv(65536), b""))
    is_refused = request.node.callspec.params["daemon"] == "uvicorn"
    assert re.findall(rb"HTTP/1.1 (\d+)", answers) == [b"200", b"421" if is_refused else b"200"]
    assert (b"MISDIRECTED_REQUEST" in answers) == is_refused


def test_a_workflow_that_calls_the_daemon_itself_is_not_its_owner(daemon: Daemon) -> None:
    asks = node("Ask", "httpRequest", {"url": f"{daemon.base_url}/api/logs"}, version=4.2)
    asks["onError"] = "continueRegularOutput"
    daemon.live(chain("Asks", webhook("asks", responseMode="lastNode", responseData="firstEntryJson"), asks))
    answer = daemon.client().post("/webhook/asks", json={})
    assert "401" in answer.text, answer.text


def test_a_change_counts_at_every_worker_once_it_is_answered(daemon: Daemon, live: str) -> None:
    """Whoever deactivates is answered when no worker serves it any more."""
    api = daemon.admin()
    for _ in range(3):
        assert api.post(f"/workflows/{live}/deactivate").status_code == 200
        for _ in range(6):
            with daemon.client() as client:
                assert client.post(f"/webhook/{PATH}", json=BODY).status_code == 503
        assert api.post(f"/workflows/{live}/activate").status_code == 200
        for _ in range(6):
            with daemon.client() as client:
                call(client)


def test_an_agent_of_a_workflow_runs_in_the_first_process(daemon: Daemon) -> None:
    """A worker runs the workflow, and has the agent run where terminals and proxies are."""
    client = daemon.client()
    body = {"agent_id": "shell", "alias": "one", "provider_id": "self", "model": "none"}
    assert client.post("/api/profiles", json=body).status_code == 200
    hook = webhook("agent", responseMode="lastNode", responseData="firstEntryJson")
    agent = node("Agent", "agent", {"profile": "one", "args": ["-c", "echo $PPID"]})
    daemon.live(chain("agent", hook, agent))
    with daemon.client(timeout=60) as caller:
        answer = caller.post("/webhook/agent", json={})
    assert answer.status_code == 200, answer.text
    found = poll(lambda: processes(daemon), "all processes run")
    ancestors = {found.first, *children(found.first)} - set(found.workers)
    assert int(answer.json()["result"]) in ancestors, answer.json()


def test_each_process_has_a_log_and_takes_no_foreign_port(daemon: Daemon, tmp_path: Path) -> None:
    names = {path.name for path in (daemon.config_dir / "logs").glob("*.log")}
    assert names == {"jackfield.log", "jackfield-worker-1.log", "jackfield-worker-2.log"}
    other = Daemon(tmp_path, arguments=WORKERS)
    other.port = daemon.port
    try:
        other.start(wait=False)
        assert other.wait() == 1
        assert "Choose another --port" in other.tail()
    finally:
        other.close()


def test_no_other_program_of_the_user_listens_beside_the_workers(daemon: Daemon) -> None:
    """It would get a share of the callers, with their credentials."""
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        with pytest.raises(OSError, match="in use"):
            other.bind(("127.0.0.1", daemon.port))


def test_a_stop_ends_all(daemon: Daemon) -> None:
    found = poll(lambda: processes(daemon), "all processes run")
    assert daemon.stop() == 0
    assert not [pid for pid in (found.first, *found.workers) if Path(f"/proc/{pid}").exists()]
    assert not [line for line in daemon.logs() if line["level"] == "error"]


def test_nothing_runs_on_that_a_killed_worker_had_started(new_daemon: StartDaemon, tmp_path: Path) -> None:
    """Its execution is taken over at once, and would run beside it."""
    started = new_daemon("[integrations]\nexecute_command = true\n", arguments=WORKERS)
    file = tmp_path / "pid"
    command = f"test -e {file} && exit; echo $$ > {file}.new; mv {file}.new {file}; exec sleep 300"
    started.live(chain("Slow", webhook("slow"), node("Run", "executeCommand", {"command": command})))
    found = poll(lambda: processes(started), "all processes run")
    with started.client() as client:
        assert client.post("/webhook/slow", json={}).status_code == 200
    pid = poll(lambda: file.exists() and int(file.read_text()), "the command runs")
    worker = next(one for one in ancestors(pid) if one in found.workers)
    os.kill(worker, signal.SIGKILL)
    poll(lambda: not Path(f"/proc/{pid}").exists(), "the command is ended")
    api = started.admin()
    poll(lambda: not api.get("/executions/stats").json()["running"], "its execution has ended", timeout=20)


def ancestors(pid: int) -> Iterator[int]:
    while pid > 1:
        yield pid
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def test_over_postgresql_each_worker_has_the_store(new_daemon: StartDaemon, jackfield_postgres: PostgresServer) -> None:
    """What a killed worker ran, another process brings to its end."""
    schema = jackfield_postgres.new_name()
    settings = f'[store]\nname = "postgres"\n[store.postgres]\nschema_name = "{schema}"\n[executions]\nlease = 2\n'
    started = new_daemon(settings, env={"JACKFIELD_STORE_POSTGRES_DSN": jackfield_postgres.dsn()}, arguments=WORKERS)
    wait = node("Wait", "wait", {"resume": "timeInterval", "amount": 2, "unit": "seconds"}, version=1.1)
    started.live(chain("Slow", webhook("slow"), wait, set_fields("Set", done=True)))
    found = poll(lambda: processes(started), "all processes run")
    for _ in range(RUNS):
        with started.client() as client:
            assert client.post("/webhook/slow", json={}).status_code == 200
    api = started.admin()
    assert api.get("/executions/stats").status_code == 200  # its connection is the first process's from now on
    os.kill(found.workers[0], signal.SIGKILL)
    poll(lambda: api.get("/executions/stats").json()["success"] == RUNS, "all have ended", timeout=30)
    poll(lambda: processes(started) not in (None, found) and all_ready(started), "the worker is back", timeout=20)
    assert started.stop() == 0
