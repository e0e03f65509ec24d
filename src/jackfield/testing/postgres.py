"""A real PostgreSQL server in a test: its own processes, port and directory. For tests of plugins too.

The programs are those of the newest version under `/usr/lib/postgresql`, or those in the directory that
`JACKFIELD_TEST_POSTGRES` names. So you can run the same tests over several versions.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from .daemon import HOST, free_port, poll

PASSWORD = "correct-horse-battery"  # noqa: S105 - the password of a server that lives as long as a test run
USER = "tester"
VARIABLE = "JACKFIELD_TEST_POSTGRES"
_HOMES = Path("/usr/lib/postgresql")
_START = 60.0
"""Seconds."""


class NoPostgres(Exception):
    """The server's programs are not installed."""


def programs() -> Path:
    """Where `initdb` and `postgres` are. Raises `NoPostgres`."""
    given = os.environ.get(VARIABLE)
    homes = [Path(given)] if given else sorted(_HOMES.glob("*/bin"), key=lambda each: _version(each.parent.name))
    for home in reversed(homes):
        if (home / "initdb").exists() and (home / "postgres").exists():
            return home
    raise NoPostgres(f"PostgreSQL is not installed under {given or _HOMES}")


def _version(name: str) -> float:
    try:
        return float(name)
    except ValueError:
        return 0.0


class PostgresServer:
    """A private cluster on loopback. Its data outlive `kill` and `stop`, and go with its directory."""

    def __init__(self, directory: Path) -> None:
        """Makes the cluster. directory: empty, and of this user. Raises `NoPostgres`."""
        self._home = programs()
        self.directory = directory
        self.port = free_port()
        self._user = _account()
        self._process: subprocess.Popen[bytes] | None = None
        self._names = itertools.count()
        if self._user:
            shutil.chown(directory, self._user)
        secret = directory / "password"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        made = ("-D", str(self._data), "-U", USER, "-A", "scram-sha-256", "-E", "UTF8", "--locale=C.UTF-8", "-N")
        self._program("initdb", *made, f"--pwfile={secret}")

    @property
    def _data(self) -> Path:
        return self.directory / "data"

    def start(self, *options: str) -> PostgresServer:
        """options: settings of the server, such as `max_connections=20`; they come after our own."""
        given = (f"listen_addresses={HOST}", f"unix_socket_directories={self.directory}", "fsync=off", *options)
        command = [str(self._home / "postgres"), "-D", str(self._data), "-p", str(self.port)]
        command += [word for option in given for word in ("-c", option)]
        with (self.directory / "log").open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603 - the server under test
                command, user=self._user, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/",
                start_new_session=True,
            )  # fmt: skip
        poll(self._answers, "PostgreSQL takes connections", timeout=_START)
        return self

    def _answers(self) -> bool:
        if self._process is None or self._process.poll() is not None:
            raise AssertionError("PostgreSQL ended:\n" + (self.directory / "log").read_text(errors="replace")[-2000:])
        from psycopg import pq

        return pq.PGconn.ping(f"host={HOST} port={self.port} connect_timeout=2".encode()) == pq.Ping.OK

    def stop(self) -> None:
        """In order, without waiting for clients."""
        self._end(signal.SIGINT)

    def kill(self) -> None:
        """SIGKILL to all of its processes at once."""
        if self._process is not None and self._process.poll() is None:
            for pid in (self._process.pid, *_children(self._process.pid)):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self._process.wait(20)

    def kill_process(self, pid: int) -> None:
        """SIGKILL to one of its processes: the server takes it for a crash, and starts all others anew."""
        os.kill(pid, signal.SIGKILL)

    def freeze(self) -> None:
        """SIGSTOP to all of its processes: the server answers nobody and refuses nobody."""
        self._signal_all(signal.SIGSTOP)

    def thaw(self) -> None:
        self._signal_all(signal.SIGCONT)

    def _signal_all(self, number: signal.Signals) -> None:
        if self._process is not None:
            for pid in (self._process.pid, *_children(self._process.pid)):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)

    def _end(self, number: signal.Signals) -> None:
        if self._process is None or self._process.poll() is not None:
            return
        self._process.send_signal(number)
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self.kill()

    def dsn(self, database: str = "postgres", *, port: int | None = None, password: str = PASSWORD) -> str:
        """port: another one in front of it, such as of a proxy."""
        return f"postgresql://{USER}:{password}@{HOST}:{port or self.port}/{database}"

    def empty(self, schema: str) -> None:
        """Delete what a store has written into this schema, if it is there: faster than a new schema for each test."""
        import psycopg

        found = """SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace(%s) AND relkind IN ('r', 'p')
            AND NOT relispartition AND relname <> 'jackfield_schema'"""
        with psycopg.connect(self.dsn()) as connection:
            connection.execute("SET session_replication_role = replica")  # in any order
            for (table,) in connection.execute(found, [schema]).fetchall():
                own = table.startswith("data_rows_")
                connection.execute(f"{'DROP TABLE' if own else 'DELETE FROM'} {schema}.{table}".encode())

    def run(self, statement: str, database: str = "postgres") -> list[tuple[Any, ...]]:  # Any: of any statement
        """Run a statement on a separate connection; its rows, if it gives any."""
        import psycopg

        with psycopg.connect(self.dsn(database), autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def new_name(self) -> str:
        """For a schema or a database that no other test has."""
        return f"t{next(self._names)}"

    def present(self, certificate: Path, key: Path) -> None:
        """Have the server show this certificate under TLS, from the next connection on."""
        for source, name in ((certificate, "server.crt"), (key, "server.key")):
            file = Path(shutil.copy(source, self._data / name))
            shutil.chown(file, self._data.owner())
            file.chmod(0o600)

    def switch_tls(self, value: Literal["on", "off"]) -> None:
        """on: `present` has been called."""
        self.run(f"ALTER SYSTEM SET ssl = {value}")
        self.run("SELECT pg_reload_conf()")
        poll(lambda: self.run("SHOW ssl") == [(value,)], f"TLS is {value}")

    def _program(self, program: str, *arguments: str) -> None:
        subprocess.run(  # noqa: S603 - the server under test
            [str(self._home / program), *arguments], user=self._user, check=True, capture_output=True, cwd="/"
        )


def _children(pid: int) -> list[int]:
    """Of the postmaster; its backends have separate sessions."""
    file = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(each) for each in file.read_text().split()] if file.exists() else []


def _account() -> str | None:
    """PostgreSQL refuses to run as root. Raises `NoPostgres`."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name).pw_name
    raise NoPostgres("there is no user to run PostgreSQL as")


@contextlib.contextmanager
def postgres_server(*options: str) -> Iterator[PostgresServer]:
    """A running one, which goes with everything that it has. Raises `NoPostgres`."""
    with tempfile.TemporaryDirectory(prefix="jackfield-postgres-") as name:
        Path(name).chmod(0o755)
        own = Path(name, "own")
        own.mkdir()
        server = PostgresServer(own)
        try:
            yield server.start(*options)
        finally:
            server.stop()
