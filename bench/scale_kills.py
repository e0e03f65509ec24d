"""What `scale.py` kills: one process under load, and what became of every execution that was acknowledged.

Three daemons: the first takes calls, with so few slots that the other two get most of the work. Each execution has
three nodes of 30 ms that note in a file when they begin and when they are over.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import harness
from scale_cluster import BODY, DURABLE, Cluster, cluster, durable_postgres, effects, settled

from jackfield.testing.daemon import HOST, Daemon
from jackfield.testing.nats import NatsServer, nats_server

LEASE = 3
PAUSE = 7.0
"""Seconds that a process is stopped: longer than the lease."""
AWAY = 1.0
"""Seconds until a server that was killed is started again."""
SETTLE = 1.0
"""Seconds beyond a lease that the server must be there before anybody is taken for dead."""
NODE_MS = 30
SETTINGS = f"concurrency = 16\nlease = {LEASE}\nrenewal_interval = 0.5\nclaim_interval = 0.5\n"
CALLERS = 16
VICTIMS = (
    "a daemon that works",
    "the daemon that takes calls",
    "SIGSTOP for 7 s",
    "restart in order",
    "PostgreSQL",
    "NATS",
)


@dataclass
class Aftermath:
    """What became of the executions. allowed: those that the victim had begun and not ended, so that a node of theirs
    may have been in flight; late: seconds from the end of the victim to the last end of what others took over."""

    victim: str
    acknowledged: int = 0
    lost: int = 0
    stuck: int = 0
    failed: int = 0
    duplicates: int = 0
    repeated: int = 0
    allowed: int = 0
    taken_over: int = 0
    late: float | None = None
    most_late: float = 0.0

    def holds(self) -> bool:
        nothing = not (self.lost or self.stuck or self.failed or self.duplicates)
        return nothing and self.repeated <= self.allowed and (self.late is None or self.late <= self.most_late)

    def cells(self) -> list[str]:
        late = "-" if self.late is None else f"{self.late:.1f} of {self.most_late:.0f}"
        counts = (self.acknowledged, self.lost, self.stuck, self.failed, self.duplicates)
        again = f"{self.repeated} of {self.allowed}"
        return [self.victim, *map(str, counts), again, str(self.taken_over), late, harness.verdict(self.holds())]


HEADER = ["killed", "acknowledged", "lost", "stuck", "failed", "checkpoints twice", "nodes run again, of at most",
          "taken over", "s until the last of them ended", ""]  # fmt: skip


@dataclass
class Callers:
    """Call until so many are acknowledged, or until the daemon is gone for good."""

    daemon: Daemon
    path: str
    wanted: int
    acknowledged: list[str] = field(default_factory=list)
    _over: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list)

    def start(self) -> None:
        self._threads = [threading.Thread(target=self._call) for _ in range(CALLERS)]
        for thread in self._threads:
            thread.start()

    def _call(self) -> None:
        while not self._over.is_set() and len(self.acknowledged) < self.wanted:
            connection = http.client.HTTPConnection(HOST, self.daemon.port, timeout=20)
            try:
                while not self._over.is_set() and len(self.acknowledged) < self.wanted:
                    self._once(connection)
            except (OSError, http.client.HTTPException):
                self._over.wait(0.1)
            finally:
                connection.close()

    def _once(self, connection: http.client.HTTPConnection) -> None:
        connection.request("POST", f"/webhook/{self.path}", BODY, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        told = answer.read()
        if answer.status == http.HTTPStatus.OK:
            self.acknowledged.append(json.loads(told)["executionId"])
        else:
            self._over.wait(0.05)

    def end(self, patience: float) -> None:
        """patience: seconds for those that are still to be acknowledged."""
        deadline = time.monotonic() + patience
        while len(self.acknowledged) < self.wanted and time.monotonic() < deadline:
            time.sleep(0.05)
        self._over.set()
        for thread in self._threads:
            thread.join()


@dataclass
class Scene:
    """The cluster with its load."""

    made: Cluster
    notes: Path
    daemons: Sequence[Daemon]
    callers: Callers
    nats: NatsServer | None

    def lines(self) -> list[list[str]]:
        return [line.split() for line in self.notes.read_text().splitlines()] if self.notes.exists() else []

    def open_of(self, pid: int) -> int:
        """Executions of which this process has begun a node, and which are not over."""
        begun = {line[0] for line in self.lines() if line[2] == str(pid)}
        asked = f"SELECT id FROM {self.made.schema}.executions WHERE finished_at IS NULL"
        assert self.made.server is not None
        return len(begun.intersection(ident for (ident,) in self.made.server.run(asked)))


def killed_daemon(scene: Scene, daemon: Daemon) -> int:
    pid = daemon.pid
    daemon.kill()
    return scene.open_of(pid)


def stopped_daemon(scene: Scene, daemon: Daemon) -> int:
    """It comes to itself after others took its work over: nothing that it writes then may count."""
    os.kill(daemon.pid, signal.SIGSTOP)
    allowed = scene.open_of(daemon.pid)
    time.sleep(PAUSE)
    os.kill(daemon.pid, signal.SIGCONT)
    return allowed


def restarted_daemon(scene: Scene, daemon: Daemon) -> int:
    daemon.stop()
    daemon.start(timeout=60)
    return 0


def killed_postgres(scene: Scene, daemon: Daemon) -> int:
    """All of its processes at once. When it is away for less than two thirds of the lease, nothing runs again; else all
    daemons have let go of what they ran."""
    assert scene.made.server is not None
    scene.made.server.kill()
    time.sleep(AWAY)
    scene.made.server.start(*DURABLE)
    return sum(scene.open_of(each.pid) for each in scene.daemons)


def killed_nats(scene: Scene, daemon: Daemon) -> int:
    assert scene.nats is not None
    scene.nats.kill()
    time.sleep(AWAY)
    scene.nats.start()
    return 0


ACTS: dict[str, tuple[Callable[[Scene, Daemon], int], int]] = {
    VICTIMS[0]: (killed_daemon, 1),
    VICTIMS[1]: (killed_daemon, 0),
    VICTIMS[2]: (stopped_daemon, 1),
    VICTIMS[3]: (restarted_daemon, 1),
    VICTIMS[4]: (killed_postgres, 1),
    VICTIMS[5]: (killed_nats, 1),
}
"""By victim: the act, and which of the daemons it befalls."""


def aftermath(victim: str, calls: int) -> Aftermath:
    """One kill."""
    with ExitStack() as stack:
        server = stack.enter_context(durable_postgres())
        nats = stack.enter_context(nats_server()) if victim == "NATS" else None
        notes = Path(stack.enter_context(tempfile.TemporaryDirectory()), "notes")
        bus, address = ("pg", "") if nats is None else ("nats", nats.address)
        made = stack.enter_context(cluster(server, bus=bus, nats=address, notes=notes))
        daemons = [made.daemon(SETTINGS + "queue_size = 16\n") for _ in range(3)]
        daemons[0].live(effects("killed", "onReceived", wait=NODE_MS))
        callers = Callers(daemons[0], "killed", calls)
        scene = Scene(made, notes, daemons, callers, nats)
        callers.start()
        while len(scene.lines()) < 2 * calls:  # a third of all there is to note
            time.sleep(0.02)
        act, which = ACTS[victim]
        moment = time.time()
        allowed = act(scene, daemons[which])
        most_late = LEASE + 2.0
        if act is killed_postgres:  # all leases are over with it, and count from when it is back
            moment, most_late = time.time(), LEASE + SETTLE + 2.0
        callers.end(0.0 if act is killed_daemon and which == 0 else 60.0)
        settled(made, 60.0)
        return judged(Aftermath(victim, allowed=allowed, most_late=most_late), scene, moment)


def judged(found: Aftermath, scene: Scene, moment: float) -> Aftermath:
    server, schema = scene.made.server, scene.made.schema
    assert server is not None
    rows = {row[0]: row for row in server.run(f"SELECT id, status, epoch, finished_at FROM {schema}.executions")}
    found.acknowledged = len(scene.callers.acknowledged)
    found.lost = sum(ident not in rows for ident in scene.callers.acknowledged)
    found.stuck = sum(row[3] is None for row in rows.values())
    found.failed = sum(row[3] is not None and row[1] != "success" for row in rows.values())
    found.duplicates = twice(server.run(f"SELECT execution_id, data FROM {schema}.execution_steps ORDER BY 1, number"))
    begun = Counter((line[0], line[1]) for line in scene.lines() if line[3] == "begins")
    found.repeated = sum(count - 1 for count in begun.values())
    over = [row[3] for row in rows.values() if row[2] > 1 and row[3] is not None]
    found.taken_over = len(over)
    found.late = max(over) / 1000 - moment if over else None
    return found


def twice(chunks: Sequence[tuple[str, bytes]]) -> int:
    """Node runs that stand more than once in the history of an execution."""
    steps: dict[str, list[bytes]] = {}
    for ident, data in chunks:
        steps.setdefault(ident, []).append(data)
    runs = Counter(
        (ident, record["index"])
        for ident, stored in steps.items()
        for chunk in stored
        for record in json.loads(chunk)
        if "mark" not in record
    )
    return sum(count - 1 for count in runs.values())
