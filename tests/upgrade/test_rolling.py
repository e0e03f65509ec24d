"""Two versions share one PostgreSQL for a while: calls go to both, each daemon is replaced in its turn by SIGTERM, and
every answered call ends once, without a lease that anybody waits for."""

from __future__ import annotations

import itertools
import threading
import time
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest
from upgrade_lab import UpgradedDaemon

from jackfield.testing.daemon import poll
from jackfield.testing.documents import chain, node, set_fields, webhook
from jackfield.testing.postgres import PostgresServer

LEASE = 120
"""Seconds. Whoever waits for one is noticed."""
ENDED = 20.0
"""Seconds from a SIGTERM until all that was answered has ended."""
CALLERS = 4
OPEN = 30
"""Executions that have not ended, from which on nobody calls: more than the slots of both daemons, so that some wait in
a queue."""
STEP = 0.05
"""Seconds that an effect takes."""


class Effects:
    """A server that counts what executions do outside."""

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()
        self.changed = threading.Condition()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                with outer.changed:
                    outer.seen[self.path] += 1
                    outer.changed.notify_all()
                time.sleep(STEP)  # what the effect takes
                self.send_response(200)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, format: str, *args: object) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class Callers:
    """Call the daemons in turn, as a balancer does: one that does not answer is passed over. answered: ids of
    executions whose call got 200."""

    def __init__(self, daemons: list[UpgradedDaemon], effects: Effects) -> None:
        self.daemons = daemons
        self._effects = effects
        self.answered: list[str] = []
        self.refused = 0
        self._go_on = threading.Event()
        self._go_on.set()
        self._threads = [threading.Thread(target=self._work) for _ in range(CALLERS)]
        for thread in self._threads:
            thread.start()

    def _work(self) -> None:
        with httpx.Client(timeout=30, verify=False) as client:
            for number in itertools.count():
                with self._effects.changed:
                    self._effects.changed.wait_for(self._may_call)
                if not self._go_on.is_set():
                    return
                daemon = self.daemons[number % len(self.daemons)]
                try:
                    answer = client.post(f"{daemon.base_url}/webhook/roll", json={"n": number})
                except httpx.TransportError:
                    self.refused += 1
                    time.sleep(STEP)  # a balancer looks elsewhere meanwhile
                    continue
                if answer.status_code == 200:
                    self.answered.append(answer.json()["executionId"])
                else:
                    self.refused += 1

    def _may_call(self) -> bool:
        done = sum(path.startswith("/two/") for path in self._effects.seen)
        return not self._go_on.is_set() or len(self.answered) - done < OPEN

    def stop(self) -> None:
        with self._effects.changed:
            self._go_on.clear()
            self._effects.changed.notify_all()
        for thread in self._threads:
            thread.join()

    def more(self, count: int) -> None:
        """Wait for so many more answers."""
        goal = len(self.answered) + count
        poll(lambda: len(self.answered) >= goal, f"{count} more calls are answered", timeout=60)


@pytest.fixture
def pair(
    new_daemon: Callable[..., UpgradedDaemon], jackfield_postgres: PostgresServer
) -> tuple[UpgradedDaemon, UpgradedDaemon]:
    """Two daemons over one schema; neither runs."""
    settings = (
        f'[store]\nname = "postgres"\n[store.postgres]\nschema_name = "{jackfield_postgres.new_name()}"\n'
        f"[executions]\nconcurrency = 4\nlease = {LEASE}\npoll_interval = 1\n[daemon]\nshutdown_timeout = 10\n"
        '[nodes.http]\nallowed_networks = ["127.0.0.0/8"]\n'
    )
    env = {
        "JACKFIELD_STORE_POSTGRES_DSN": jackfield_postgres.dsn(),
        "JACKFIELD_ENCRYPTION_KEY": "an-encryption-key-that-both-daemons-have",
    }
    return new_daemon(settings, env), new_daemon(settings, env)


def test_no_answered_call_is_lost_and_nothing_runs_twice(pair: tuple[UpgradedDaemon, UpgradedDaemon]) -> None:
    first, second = pair
    effects = Effects()
    first.start()
    first.live(chain("Roll", webhook("roll"), ask(effects, "one"), ask(effects, "two"), set_fields("Set", done=True)))
    second.start()
    callers = Callers([first, second], effects)
    times: list[float] = []
    try:
        callers.more(60)
        for old in (second, first):
            other = first if old is second else second
            old.stop()
            stopped = time.monotonic()
            expect_ends(other.admin(), list(callers.answered))
            times.append(time.monotonic() - stopped)
            old.upgraded = True
            old.start()
            callers.more(60)
        callers.stop()
        api = first.admin()
        expect_ends(api, list(callers.answered))
    finally:
        callers.stop()
        effects.close()
    for execution in callers.answered:
        assert api.get(f"/executions/{execution}").json()["status"] == "success"
        assert [effects.seen[f"/{name}/{execution}"] for name in ("one", "two")] == [1, 1]
    told = ", ".join(f"{each:.1f}" for each in times)
    print(f"{len(callers.answered)} calls answered, {callers.refused} refused; all over {told} s after a SIGTERM")


def ask(effects: Effects, name: str) -> dict[str, Any]:
    url = f"={effects.url}/{name}/{{{{ $execution.id }}}}"
    return node(name, "httpRequest", {"method": "POST", "url": url}, version=4.2)


def expect_ends(api: httpx.Client, executions: list[str]) -> None:
    """Each of these ends before anybody could have waited for a lease."""

    def status(execution: str) -> str:
        return str(api.get(f"/executions/{execution}").json()["status"])

    def all_over() -> bool:
        executions[:] = [each for each in executions if status(each) in ("queued", "running", "waiting")]
        return not executions

    try:
        poll(all_over, "all executions end", timeout=ENDED)
    except AssertionError as exc:
        raise AssertionError(f"{exc}; open: {[status(each) for each in executions]}") from None
