"""Fixtures for the tests of plugins; pytest finds them wherever Jackfield is installed.

Everything is imported when a test asks for it: a run that uses no fixture of Jackfield pays nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

import pytest

from ..api.object_references import load

if TYPE_CHECKING:
    from pydantic import BaseModel

    from .context import FakeContext
    from .daemon import Daemon
    from .postgres import PostgresServer
    from .s3 import S3Server

pytest.register_assert_rewrite("jackfield.testing.contracts")


class MakeContext(Protocol):
    """Makes a `PluginContext` in memory."""

    def __call__(self, *tables: BaseModel, ports: Mapping[str, object] | None = None) -> FakeContext:
        """tables: settings that differ from their defaults; ports: see `FakeContext.ports`."""


class StartDaemon(Protocol):
    """Starts the real daemon."""

    def __call__(self, settings: str = "", env: Mapping[str, str | None] | None = None) -> Daemon:
        """settings: text of config.toml; env: further environment. Raises AssertionError when it is not ready in time;
        the message has the end of the daemon's output."""


@pytest.fixture
def jackfield_context(tmp_path: Path) -> MakeContext:
    """`jackfield_context(MySettings(...), ports={"Greeter": greeter})`: a context for units of a plugin."""
    make = cast("type[FakeContext]", load("jackfield.testing.context:FakeContext"))

    def made(*tables: BaseModel, ports: Mapping[str, object] | None = None) -> FakeContext:
        return make(tmp_path, tables=tables, ports=dict(ports or {}))

    return made


@pytest.fixture
def jackfield_daemon(tmp_path: Path) -> Iterator[StartDaemon]:
    """`jackfield_daemon(settings="...")`: `jackfield serve` with every installed plugin, in a separate process and
    directory, at a free port. The test's end stops it.
    """
    make = cast("type[Daemon]", load("jackfield.testing.daemon:Daemon"))
    daemons: list[Daemon] = []

    def started(settings: str = "", env: Mapping[str, str | None] | None = None) -> Daemon:
        daemon = make(tmp_path / f"daemon{len(daemons)}", settings=settings, env=env)
        daemons.append(daemon)
        return daemon.start()

    yield started
    for daemon in daemons:
        daemon.close()


@pytest.fixture(scope="session")
def jackfield_postgres() -> Iterator[PostgresServer]:
    """A real PostgreSQL server for the whole run; `jackfield_postgres.dsn()` is its address. Tests are skipped where
    the server or its driver is not installed."""
    pytest.importorskip("psycopg")
    made = load("jackfield.testing.postgres:postgres_server")
    server = cast("Callable[[], AbstractContextManager[PostgresServer]]", made)
    absent = cast("type[Exception]", load("jackfield.testing.postgres:NoPostgres"))
    try:
        with server() as running:
            yield running
    except absent as exc:
        pytest.skip(str(exc))


@pytest.fixture(scope="session")
def jackfield_s3() -> Iterator[S3Server]:
    """A real server of S3's protocol for the whole run; `jackfield_s3.new_bucket()` makes a bucket. Tests are skipped
    where the server or the driver is not installed."""
    pytest.importorskip("obstore")
    pytest.importorskip("boto3")
    made = load("jackfield.testing.s3:s3_server")
    server = cast("Callable[[], AbstractContextManager[S3Server]]", made)
    absent = cast("type[Exception]", load("jackfield.testing.s3:NoS3"))
    try:
        with server() as running:
            yield running
    except absent as exc:
        pytest.skip(str(exc))
