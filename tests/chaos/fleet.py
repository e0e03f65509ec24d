"""Three daemons over one PostgreSQL, under a load of calls, and what is known of them."""

from __future__ import annotations

import contextlib
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import Part, chain, node, set_fields, webhook
from jackfield.testing.postgres import PostgresServer

from ..e2e.conftest import StartDaemon
from .effects import PATH, STEPS, Effects
from .kills import PATIENCE
from .load import Book, Load

COUNT = 3
LEASE = float(os.environ.get("JACKFIELD_TEST_LEASE", "4"))
"""Seconds; on a machine with much other work a short one is lost without any fault."""
TAKEN_OVER = 2.0
"""Seconds beyond the lease in which what a dead daemon ran has ended, on a machine without other work."""
NETWORKS = '"127.0.0.0/8"'
MAX_RESUMES = 3
WAIT = 0.3
"""Seconds of the Wait node."""
SUB = "sub"
"""The effect of the sub-workflow."""
CLIENTS = 2
"""Of each daemon."""
IN_FLIGHT = 12
"""Effects that have begun and are not answered while something befalls a daemon: some are its own."""
PAUSE = 0.15
"""Seconds between two calls of a client: three daemons on two cores have no backlog then."""
SETTLED = 60.0
"""Seconds in which everything ends once nothing befalls anybody any more."""
KEY = "an-encryption-key-that-all-daemons-have"
ENVIRONMENT = "JACKFIELD_STORE_POSTGRES_DSN"


def quiet() -> float:
    """By how much a time is longer here than on a machine without other work, by the processes that wait."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def settings(number: int, schema: str, nats: str | None, more: str = "", http: str = NETWORKS) -> str:
    """nats: the bus's address; None: the daemons have no bus. more: further tables; http: networks of effects."""
    bus = "" if nats is None else f'[bus]\nname = "nats"\n[bus.nats]\nservers = ["{nats}"]\nsubject = "{schema}"\n'
    return (
        f'[store]\nname = "postgres"\n[store.postgres]\nschema_name = "{schema}"\n{bus}'
        f"[nodes.http]\nallowed_networks = [{http}]\n"
        f'[executions]\ndaemon = "d{number}"\nlease = {LEASE}\nrenewal_interval = 0.5\nclaim_interval = 0.5\n'
        f"poll_interval = 1\nmax_resumes = {MAX_RESUMES}\nresume_backoff = 0.5\n{more}"
    )


def child(url: str) -> Part:
    query = "marker={{ $json.marker }}&execution={{ $execution.id }}"
    effect = node(SUB, "httpRequest", {"method": "GET", "url": f"={url}/{SUB}?{query}", "options": {}}, version=4.2)
    start = node("Start", "executeWorkflowTrigger", {"inputSource": "passthrough"}, version=1.1)
    return chain("child", start, effect)


def parent(url: str, called: str) -> Part:
    """Webhook -> Set -> an effect -> Wait -> a sub-workflow with an effect -> another effect -> Set."""

    def effect(step: str) -> Part:
        query = "marker={{ $('Mark').item.json.marker }}&execution={{ $execution.id }}"
        return node(step, "httpRequest", {"method": "GET", "url": f"={url}/{step}?{query}", "options": {}}, version=4.2)

    mark = set_fields("Mark", marker="={{ $json.body.marker }}")
    wait = node("Wait", "wait", {"resume": "timeInterval", "amount": WAIT, "unit": "seconds"}, version=1.1)
    again = set_fields("Again", marker="={{ $('Mark').item.json.marker }}")
    call = node("Call", "executeWorkflow", {"workflowId": {"__rl": True, "mode": "id", "value": called}}, version=1.2)
    end = set_fields("End", marker="={{ $('Mark').item.json.marker }}")
    first, second = map(effect, STEPS)
    return chain(PATH, webhook(PATH), mark, first, wait, again, call, second, end)


@dataclass
class Fleet:
    """victims: how often something befell the daemon that ran an execution, per execution."""

    server: PostgresServer
    schema: str
    daemons: list[Daemon]
    effects: Effects
    workflow: str = ""
    book: Book = field(default_factory=Book)
    victims: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    """Lives that faults are expected to end, per name of a daemon."""

    def begin(self, url: str | None = None) -> Fleet:
        """Start them side by side and make the workflow. url: of the effects, for daemons that are elsewhere."""
        for daemon in self.daemons:
            daemon.start(wait=False)
        for daemon in self.daemons:
            poll(lambda daemon=daemon: is_ready(daemon), f"{daemon.directory.name} is ready", timeout=PATIENCE)  # type: ignore[misc]
        first, api = self.daemons[0], self.daemons[0].admin()
        called = first.live(child(url or self.effects.url), api)
        self.workflow = first.live(parent(url or self.effects.url, called), api)
        return self

    @contextlib.contextmanager
    def load(self, daemons: Sequence[Daemon] | None = None) -> Iterator[list[Load]]:
        """Calls at each of them while the context lasts; begins once everybody has answered."""
        with contextlib.ExitStack() as stack:
            loads = [
                stack.enter_context(Load(daemon, self.book, clients=CLIENTS, pause=PAUSE))
                for daemon in (self.daemons if daemons is None else daemons)
            ]
            poll(lambda: all(load.answers >= CLIENTS for load in loads), "everybody answers", timeout=PATIENCE)
            yield loads

    def run(self, statement: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        with psycopg.connect(self.server.dsn(), autocommit=True) as connection:
            connection.execute(f"SET search_path TO {self.schema}".encode())
            cursor = connection.execute(statement.encode(), values)
            return cursor.fetchall() if cursor.description else []

    def owned(self, name: str) -> set[str]:
        """Open executions of a daemon."""
        rows = self.run(
            "SELECT e.id FROM executions e JOIN incarnations i ON i.id = e.owner "
            "WHERE i.daemon = %s AND e.finished_at IS NULL", [name],
        )  # fmt: skip
        return {str(found) for (found,) in rows}

    def struck(self, number: int) -> set[str]:
        """Note that this daemon has just died, or stands still; its open executions."""
        name = f"d{number}"
        found = self.owned(name)
        time.sleep(0.1)  # a commit may have been under way
        found |= self.owned(name)
        self.victims.update(found)
        self.lost[name] += 1
        return found

    @contextlib.contextmanager
    def in_flight(self) -> Iterator[None]:
        """Effects have begun, and are answered once the context ends."""
        begun = len(self.effects.seen)
        self.effects.calm.clear()
        try:
            poll(lambda: len(self.effects.seen) >= begun + IN_FLIGHT, "effects are in flight", timeout=PATIENCE)
            yield
        finally:
            self.effects.calm.set()

    def open_of(self, executions: set[str]) -> int:
        """How many of these have not ended."""
        rows = self.run(
            "SELECT count(*) FROM executions WHERE id = ANY(%s) AND finished_at IS NULL", [sorted(executions)]
        )
        return int(str(rows[0][0]))

    def ended(self, executions: set[str], since: float) -> float:
        """Seconds from `since` (monotonic) until all of these have ended."""
        poll(lambda: not self.open_of(executions), "what a dead daemon ran has ended", timeout=LEASE + SETTLED)
        return time.monotonic() - since

    def rows(self, executions: set[str]) -> list[tuple[object, ...]]:
        """All that is stored of the ended ones among these."""
        return self.run(
            "SELECT e.id, e.status, e.finished_at, e.epoch, e.owner, count(s.number), sum(length(s.data)) "
            "FROM executions e LEFT JOIN execution_steps s ON s.execution_id = e.id "
            "WHERE e.id = ANY(%s) AND e.finished_at IS NOT NULL GROUP BY e.id ORDER BY e.id", [sorted(executions)],
        )  # fmt: skip

    def settle(self) -> None:
        """Nothing befalls anybody any more: every call is answered, and everything ends."""
        for daemon in self.daemons:
            if not daemon.running:
                daemon.start(wait=False)
        for daemon in self.daemons:
            poll(lambda daemon=daemon: is_ready(daemon), f"{daemon.directory.name} is ready", timeout=PATIENCE)  # type: ignore[misc]
        if self.book.unanswered:
            with self.load(self.daemons[:1]):
                poll(lambda: not self.book.unanswered, "everything is answered", timeout=PATIENCE)
        deadline = time.monotonic() + SETTLED
        while self.unended() and time.monotonic() < deadline:
            time.sleep(0.2)

    def unended(self) -> int:
        return int(str(self.run("SELECT count(*) FROM executions WHERE finished_at IS NULL")[0][0]))


def is_ready(daemon: Daemon) -> bool:
    if not daemon.running:
        raise AssertionError(f"{daemon.directory.name} ended with code {daemon.wait(0)}\n{daemon.tail()}")
    with contextlib.suppress(Exception), daemon.client(timeout=5) as client:
        return client.get("/ready").status_code == 200
    return False


NewFleet = Callable[..., Fleet]


def made(
    server: PostgresServer,
    new_daemon: StartDaemon,
    effects: Effects,
    nats: str | None = None,
    *,
    more: str = "",
    http: str = NETWORKS,
    ports: Sequence[int] = (),
    environments: Sequence[dict[str, str]] = (),
) -> Fleet:
    """Not started yet. ports: at which each daemon finds the server, if not at its own; environments: of each."""
    schema = server.new_name()
    daemons = []
    for number in range(COUNT):
        dsn = server.dsn(port=ports[number] if ports else None)
        env = {ENVIRONMENT: dsn, "JACKFIELD_ENCRYPTION_KEY": KEY, **(environments[number] if environments else {})}
        daemons.append(new_daemon(settings(number, schema, nats, more, http), env=env, start=False))
    return Fleet(server, schema, daemons, effects)


def directory(place: Path, number: int) -> Path:
    """Of a daemon, before it is made."""
    return place / f"daemon{number}"
