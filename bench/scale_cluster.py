"""What `scale.py` starts: PostgreSQL with fsync, daemons of the product over it or over SQLite, and the load; and how
much of the processor all of them take."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import harness

from jackfield.api.jsontext import Json
from jackfield.testing.daemon import Daemon
from jackfield.testing.documents import Part, chain, node, webhook
from jackfield.testing.postgres import PostgresServer, postgres_server

PEERS = Path(__file__).resolve().parent / "peers"
KEY = "an-encryption-key-that-all-daemons-have"
BODY = json.dumps({"n": 1, "text": "x" * 150}).encode()
KEPT = 10_000_000
DURABLE = ("fsync=on", "max_connections=200")
"""Of PostgreSQL."""
_TICKS = os.sysconf("SC_CLK_TCK")


def effects(name: str, mode: str, *, work: float = 0.0, wait: float = 0.0) -> Part:
    """Webhook and three nodes with an effect. mode: when the call is answered; work, wait: ms of each node."""
    given: dict[str, Json] = {"work": work, "wait": wait}
    steps = [node(f"E{number}", "effect", given, version=1) for number in range(3)]
    return chain(name, webhook(name, responseMode=mode), *steps)


@dataclass
class Cluster:
    """Daemons over one store. server: None: SQLite, so that there is one daemon."""

    place: Path
    server: PostgresServer | None
    env: Mapping[str, str]
    bus: str = "pg"
    nats: str = ""
    daemons: list[Daemon] = field(default_factory=list)
    schema: str = ""

    def daemon(self, settings: str = "", *, roles: Sequence[str] = ()) -> Daemon:
        """One more, ready; of the first settings it also gets those of the store."""
        directory = self.place / f"{len(self.daemons)}-{time.monotonic_ns()}"
        written = f"[executions]\nmax_count = {KEPT}\n{settings}"
        env: dict[str, str | None] = {"JACKFIELD_ENCRYPTION_KEY": KEY, **self.env}
        if self.server is not None:
            self.schema = self.schema or self.server.new_name()
            env["JACKFIELD_STORE_POSTGRES_DSN"] = self.server.dsn()
            written += f'\n[store]\nname = "postgres"\n[store.postgres]\nschema_name = "{self.schema}"\n'
            written += f'[bus]\nname = "{self.bus}"\n[bus.pg]\nchannel = "{self.schema}"\n'
            written += f'[bus.nats]\nservers = ["{self.nats}"]\nsubject = "{self.schema}"\n' if self.nats else ""
        if roles:
            written += f"[daemon]\nroles = {json.dumps(list(roles))}\n"
        made = Daemon(directory, settings=written, env=env)
        self.daemons.append(made)
        return made.start(timeout=60)

    def close(self) -> None:
        for daemon in self.daemons:
            daemon.close()


@contextlib.contextmanager
def cluster(
    server: PostgresServer | None, *, bus: str = "pg", nats: str = "", notes: Path | None = None
) -> Iterator[Cluster]:
    """notes: where nodes write what they do. A failure shows what the daemons have said."""
    with tempfile.TemporaryDirectory(prefix="jackfield-scale-") as name:
        place = Path(name)
        env = {"PYTHONPATH": os.pathsep.join([str(installed(place)), str(PEERS)])}
        if notes is not None:
            env["SCALE_EFFECTS"] = str(notes)
        made = Cluster(place, server, env, bus, nats)
        try:
            yield made
        except BaseException:
            for daemon in made.daemons:
                print(daemon.tail())
            raise
        finally:
            made.close()
            if server is not None and made.schema:
                server.run(f"DROP SCHEMA IF EXISTS {made.schema} CASCADE")


def installed(place: Path) -> Path:
    """A directory by which Python finds the plugin of this bench among the installed packages."""
    about = place / "packages" / "scale_effects-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: scale-effects\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[jackfield]\nscale_effects = scale_effects:EffectsPlugin\n")
    return about.parent


@contextlib.contextmanager
def durable_postgres() -> Iterator[PostgresServer]:
    """What it has said is done is on the disk."""
    with postgres_server(*DURABLE) as server:
        yield server


# ---------------------------------------------------------------------------------------------------------- processor


def seconds_of(pid: int) -> float:
    """Processor time of a process, of those below it, and of those below it that have ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        below = [task.read_text().split() for task in Path(f"/proc/{pid}/task").glob("*/children")]
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / _TICKS + sum(seconds_of(int(child)) for found in below for child in found)


def postmaster(server: PostgresServer) -> int:
    return int((server.directory / "data" / "postmaster.pid").read_text().split()[0])


@dataclass(frozen=True, slots=True)
class Found:
    """rate: executions/s; p50: ms of a call; daemons, postgres, client: ms of the processor for an execution."""

    rate: float
    p50: float
    daemons: float
    postgres: float
    client: float
    failures: int

    @property
    def processor(self) -> float:
        """Of the daemons and their database."""
        return self.daemons + self.postgres

    @property
    def cores(self) -> float:
        """That were busy with the load as well as with the work."""
        return self.rate * (self.processor + self.client) / 1000


class Meter:
    """How much of the processor everything takes from now on."""

    def __init__(self, made: Cluster) -> None:
        self._daemons = [daemon.pid for daemon in made.daemons if daemon.running]
        self._postgres = [] if made.server is None else [postmaster(made.server)]
        self._before = self._now()

    def _now(self) -> tuple[float, float, float]:
        client = resource.getrusage(resource.RUSAGE_CHILDREN)
        daemons, postgres = (sum(map(seconds_of, pids)) for pids in (self._daemons, self._postgres))
        return daemons, postgres, client.ru_utime + client.ru_stime

    def each(self, executions: int) -> tuple[float, float, float]:
        """Ms for an execution: daemons, PostgreSQL, the load."""
        now, most = self._now(), max(executions, 1)
        daemons, postgres, client = (
            (after - before) * 1000 / most for before, after in zip(self._before, now, strict=True)
        )
        return daemons, postgres, client


def driven(daemons: Sequence[Daemon], path: str, connections: int, seconds: int) -> list[harness.Load]:
    """Load these daemons at the same time; the connections are shared out among them."""
    each = max(connections // len(daemons), 1)

    def drive(daemon: Daemon) -> harness.Load:
        url = f"{daemon.base_url}/webhook/{path}"
        return harness.drive(url, seconds, body=BODY, connections=each, core=None)

    with ThreadPoolExecutor(len(daemons)) as pool:
        return list(pool.map(drive, daemons))


def answered(made: Cluster, daemons: Sequence[Daemon], path: str, connections: int, seconds: int) -> Found:
    """Calls that are answered with the end of their execution."""
    driven(daemons, path, connections, 1)
    meter = Meter(made)
    loads = driven(daemons, path, connections, seconds)
    count = sum(load.requests for load in loads)
    spent = meter.each(count)
    p50 = sum(load.p50_ms * load.requests for load in loads) / max(count, 1)
    return Found(sum(load.rate for load in loads), p50, *spent, sum(load.failures for load in loads))


def ended(made: Cluster, daemons: Sequence[Daemon], path: str, connections: int, seconds: int) -> Found:
    """Calls that are answered at once, until the last of their executions has ended, wherever."""
    assert made.server is not None
    settled(made)
    driven(daemons, path, connections, 1)
    settled(made)
    begun, meter = time.time() * 1000, Meter(made)
    loads = driven(daemons, path, connections, seconds)
    settled(made)
    asked = f"SELECT count(*), max(finished_at) FROM {made.schema}.executions WHERE created_at >= {round(begun)}"
    ((count, last),) = made.server.run(asked)
    spent = meter.each(count)
    p50 = sum(load.p50_ms for load in loads) / len(loads)
    return Found(count / (last - begun) * 1000, p50, *spent, sum(load.failures for load in loads))


def settled(made: Cluster, patience: float = 120.0) -> bool:
    """Wait until no execution is open; whether that came."""
    assert made.server is not None
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        ((some,),) = made.server.run(
            f"SELECT EXISTS (SELECT 1 FROM {made.schema}.executions WHERE finished_at IS NULL)"
        )
        if not some:
            return True
        time.sleep(0.05)
    return False
