"""kill -9 at random moments under load: what was answered with 200 exists afterwards and ends, and nothing that was
checkpointed runs again. JACKFIELD_TEST_KILL_ROUNDS sets the rounds (4; `tox -e soak` does 20)."""

from __future__ import annotations

import os
import random
import threading
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from jackfield.testing.daemon import HOST, Daemon, poll
from jackfield.testing.documents import Part, chain, node, set_fields, webhook

StartDaemon = Callable[..., Daemon]
ROUNDS = int(os.environ.get("JACKFIELD_TEST_KILL_ROUNDS", "4"))
CLIENTS = 12
LONGEST_LIFE = 1.5
SETTINGS = '[nodes.http]\nallowed_networks = ["127.0.0.0/8"]\n'
FINAL = ("success", "failed", "cancelled")


@dataclass
class Effects:
    """What the workflows did to the world: per step and marker, when."""

    calm: threading.Event = field(default_factory=threading.Event)
    """Unset: requests of nodes are not answered."""
    first: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    second: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    url: str = ""

    def note(self, step: str, marker: str) -> None:
        {"first": self.first, "second": self.second}[step][marker].append(time.monotonic())


@pytest.fixture
def effects() -> Iterator[Effects]:
    """A server on loopback that counts the requests of HTTP Request nodes."""
    found = Effects()
    found.calm.set()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            found.note(parts.path.strip("/"), parse_qs(parts.query)["marker"][0])
            found.calm.wait(60)
            body = b'{"noted": true}'
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 256

        def handle_error(self, request: object, client_address: object) -> None:
            """Callers are killed: that their connections break is expected."""

    with Server((HOST, 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        found.url = f"http://{HOST}:{server.server_address[1]}"
        yield found
        found.calm.set()
        server.shutdown()
        thread.join()


def document(effects: Effects) -> Part:
    """Webhook -> Set -> an effect -> another effect -> Set."""

    def effect(step: str) -> Part:
        url = f"={effects.url}/{step}?marker={{{{ $('Mark').item.json.marker }}}}"
        return node(step, "httpRequest", {"method": "GET", "url": url, "options": {}}, version=4.2)

    mark = set_fields("Mark", marker="={{ $json.body.marker }}")
    end = set_fields("End", text="=done {{ $('Mark').item.json.marker }}")
    return chain("killed", webhook("killed"), mark, effect("first"), effect("second"), end)


class Load:
    """Clients that call the webhook until the daemon is gone."""

    def __init__(self, daemon: Daemon) -> None:
        self.accepted: dict[str, str] = {}
        self.refused: list[str] = []
        self._url = f"{daemon.base_url}/webhook/killed"
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._call) for _ in range(CLIENTS)]

    def _call(self) -> None:
        with httpx.Client(trust_env=False, timeout=20) as client:
            while not self._over.is_set():
                marker = uuid.uuid4().hex
                try:
                    answer = client.post(self._url, json={"marker": marker})
                except httpx.TransportError:
                    return
                if answer.status_code == 200:
                    self.accepted[marker] = answer.json()["executionId"]
                else:
                    self.refused.append(answer.text)

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()


def unfinished(api: httpx.Client) -> list[str]:
    """Ids of executions that are still open."""
    found = []
    for status in ("queued", "running", "waiting"):
        page = api.get("/executions", params={"status": status, "limit": 100}).raise_for_status().json()
        found += [row["id"] for row in page["data"]]
    return found


def check_kept(api: httpx.Client, accepted: dict[str, str]) -> None:
    """Every call that was answered has an execution that succeeded with its own data."""
    for marker, ident in accepted.items():
        answer = api.get(f"/executions/{ident}")
        assert answer.status_code == 200, f"an accepted call is lost: {answer.text[:300]}"
        run = answer.json()
        assert run["status"] == "success", f"{run['status']}: {run.get('error')}"
        assert run["data"][0]["json"] == {"text": f"done {marker}"}


def check_effects(effects: Effects, accepted: dict[str, str], kills: int) -> int:
    """Effects happened, and were repeated only where a kill caught them in flight; returns how many were repeated."""
    repeated = 0
    for marker in accepted:
        first, second = effects.first[marker], effects.second[marker]
        assert first, f"{marker}: the first effect never happened"
        assert second, f"{marker}: the second effect never happened"
        # The second node starts only after the first one's checkpoint, so from then on the first must not run again.
        assert max(first) < min(second), f"{marker}: a checkpointed node ran again"
        assert len(first) + len(second) <= 2 + kills
        repeated += len(first) + len(second) > 2
    return repeated


def test_nothing_answered_is_lost_and_nothing_checkpointed_runs_again(
    new_daemon: StartDaemon, effects: Effects, record_property: Callable[[str, object], None]
) -> None:
    seed = random.randrange(10_000)
    record_property("seed", seed)
    rng = random.Random(seed)
    daemon = new_daemon(SETTINGS)
    workflow_id = daemon.live(document(effects))
    accepted: dict[str, str] = {}
    for _ in range(ROUNDS):
        with Load(daemon) as load:
            poll(lambda load=load: len(load.accepted) >= 5, "calls are answered", timeout=20)
            time.sleep(rng.uniform(0, LONGEST_LIFE))  # the moment of the kill is what is varied
            daemon.kill()
        assert not load.refused, load.refused[0]
        accepted |= load.accepted
        daemon.start()
    api = daemon.admin()
    poll(lambda: not unfinished(api), "every execution is over", timeout=60)
    check_kept(api, accepted)
    repeated = check_effects(effects, accepted, ROUNDS)
    assert len(set(accepted.values())) == len(accepted), "one execution per call"
    page = api.get("/executions", params={"workflowId": workflow_id, "limit": 1}).json()
    print(
        f"{ROUNDS} kills, {len(accepted)} calls answered, {page['total']} executions, {repeated} with a repeated effect"
    )
    assert page["total"] >= len(accepted)


def test_nothing_is_given_up_however_often_the_daemon_is_killed(new_daemon: StartDaemon, effects: Effects) -> None:
    """Every life is too short for the node that is in flight, and there are more of them than `max_resumes`. A life in
    which a resume was put off, or came no further than its mark, counts for nothing."""
    most = 4
    daemon = new_daemon(f"{SETTINGS}[executions]\nmax_resumes = {most}\nconcurrency = 4\n")
    daemon.live(document(effects))
    effects.calm.clear()
    accepted: dict[str, str] = {}
    with httpx.Client(trust_env=False, timeout=20) as client:
        for number in range(12):
            answer = client.post(f"{daemon.base_url}/webhook/killed", json={"marker": f"m{number}"}).raise_for_status()
            accepted[f"m{number}"] = answer.json()["executionId"]
    poll(lambda: sum(map(len, effects.first.values())) >= 4, "all slots are taken", timeout=20)
    seen = 0
    for number in range(3 * most):
        daemon.kill()
        daemon.start()
        if number % 3 == 0:
            poll(lambda before=seen: sum(map(len, effects.first.values())) > before, "a node began", timeout=20)
        seen = sum(map(len, effects.first.values()))
    effects.calm.set()
    api = daemon.admin()
    poll(lambda: not unfinished(api), "every execution is over", timeout=90)
    check_kept(api, accepted)
