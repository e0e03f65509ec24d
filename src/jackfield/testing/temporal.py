"""A real server of Temporal in a test: its own process, ports and SQLite file. For tests of plugins too.

The program is the one that `JACKFIELD_TEST_TEMPORAL` names, or `temporal-server` on the path or in Go's directory of
programs: `sh tests/temporal/build_server.sh DIRECTORY` makes it. The namespace is made with Temporal's library, which
must be there: `pip install 'jackfield[temporal]'`.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from string import Template
from typing import Any, cast

from jackfield.api.object_references import load
from jackfield.api.records import record

from .daemon import HOST, free_port, poll

VARIABLE = "JACKFIELD_TEST_TEMPORAL"
NAMESPACE = "tests"
_START = 90.0
"""Seconds."""
_SERVICES = ("frontend", "history", "matching", "worker")
_DATASTORE = Template("""
    $name:
      sql:
        pluginName: sqlite
        databaseName: $file
        connectAddr: localhost
        connectProtocol: tcp
        connectAttributes: {cache: private, setup: "true", journal_mode: wal, synchronous: "1"}
        maxConns: 1
        maxIdleConns: 1
        maxConnLifetime: 1h
""")
_CONFIG = Template("""
log: {stdout: true, level: warn}
persistence:
  defaultStore: main
  visibilityStore: visibility
  numHistoryShards: 1
  datastores:
$datastores
global:
  membership: {maxJoinDuration: 30s, broadcastAddress: 127.0.0.1}
$guarded
services:
$services
clusterMetadata:
  enableGlobalNamespace: false
  failoverVersionIncrement: 10
  masterClusterName: active
  currentClusterName: active
  clusterInformation:
    active: {enabled: true, initialFailoverVersion: 1, rpcName: frontend, rpcAddress: "127.0.0.1:$port"}
dcRedirectionPolicy: {policy: noop}
dynamicConfigClient: {filepath: $directory/dynamic.yaml, pollInterval: 60s}
""")
_GUARDED = Template("""
  tls:
    frontend:
      server: {certFile: $cert, keyFile: $key, requireClientAuth: true, clientCaFiles: [$ca]}
      client: {serverName: $name, rootCaFiles: [$ca]}
    systemWorker: {certFile: $cert, keyFile: $key, client: {serverName: $name, rootCaFiles: [$ca]}}
  authorization:
    jwtKeyProvider: {keySourceURIs: ["$keys"], refreshInterval: 1h}
    permissionsClaimName: permissions
    authorizer: default
    claimMapper: default
""")
_DYNAMIC = """
system.namespaceCacheRefreshInterval:
  - value: 1s
"""


class NoTemporalServer(Exception):
    """The server's program, or Temporal's library, is not installed."""


def program() -> str:
    """Raises `NoTemporalServer`."""
    given = os.environ.get(VARIABLE)
    places = os.pathsep.join([os.environ.get("PATH", ""), str(Path.home() / "go" / "bin")])
    found = shutil.which(given) if given else shutil.which("temporal-server", path=places)
    if found is None:
        raise NoTemporalServer(
            f"{given or 'temporal-server'} is not installed; build it with tests/temporal/build_server.sh, and set "
            f"{VARIABLE} to its path"
        )
    return found


@record
class Guard:
    """A server's demands on its callers.

    `ca`: of the authority. `cert`, `key`: of the server and of its callers, who have the same, all PEM files. `name`:
    in the certificate. `keys`: address of the JWKS of those who sign api keys. `api_key`: a JWT of one who may do
    everything.
    """

    ca: Path
    cert: Path
    key: Path
    name: str
    keys: str
    api_key: str

    def options(self) -> Mapping[str, Any]:  # Any: the library may not be installed
        """For `Client.connect`."""
        files = (file.read_bytes() for file in (self.ca, self.cert, self.key))
        return {"tls": _library("tls")(*files, self.name), "api_key": self.api_key}

    def settings(self) -> str:
        """Of the server."""
        return _GUARDED.substitute(ca=self.ca, cert=self.cert, key=self.key, name=self.name, keys=self.keys)


class TemporalServer:
    """One server on loopback, which may be killed and started again at the same ports, with what it knew."""

    def __init__(self, directory: Path, guard: Guard | None = None) -> None:
        """directory: empty; guard: None for a server that lets everybody in. Raises `NoTemporalServer`."""
        self._guard = guard
        self._program = program()
        self._directory = directory
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        (directory / "dynamic.yaml").write_text(_DYNAMIC)
        (directory / "server.yaml").write_text(self._config())

    @property
    def address(self) -> str:
        return f"{HOST}:{self.port}"

    def _config(self) -> str:
        ports = {service: (self.port if service == "frontend" else free_port(), free_port()) for service in _SERVICES}
        services = "".join(
            f"  {service}:\n    rpc: {{grpcPort: {grpc}, membershipPort: {membership}, bindOnLocalHost: true}}\n"
            for service, (grpc, membership) in ports.items()
        )
        stores = "".join(
            _DATASTORE.substitute(name=name, file=self._directory / f"{name}.sqlite") for name in ("main", "visibility")
        )
        guarded = self._guard.settings() if self._guard else ""
        return _CONFIG.substitute(
            datastores=stores, services=services, port=self.port, directory=self._directory, guarded=guarded
        )

    def start(self) -> TemporalServer:
        """Returns when it serves the namespace `NAMESPACE`. Raises `NoTemporalServer`."""
        command = [self._program, "--root", str(self._directory), "--config", ".", "--env", "server"]
        with (self._directory / "log").open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603 - the server under test
                [*command, *self._start_options()],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        poll(self._serves, "Temporal's server serves its namespace", timeout=_START)
        return self

    def _start_options(self) -> list[str]:
        """A server that asks for keys asks its own workers too, which have none; no workflow of ours needs them."""
        if self._guard is None:
            return ["--allow-no-auth", "start"]
        return ["start", *(f"--service={name}" for name in _SERVICES if name != "worker")]

    def _serves(self) -> bool:
        if self._process is None or self._process.poll() is not None:
            log = (self._directory / "log").read_text(errors="replace")
            raise AssertionError(f"Temporal's server ended:\n{log[-2000:]}")
        try:
            return bool(asyncio.run(_library("has_namespace")(self.address, NAMESPACE, self._options())))
        except ImportError as exc:
            self.kill()
            raise NoTemporalServer("temporalio is not installed; install jackfield[temporal]") from exc

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(20)

    async def describe(self, workflow_id: str) -> Any:  # Any: the library may not be installed
        """Its description of the latest workflow of this id."""
        return await (await self._client()).get_workflow_handle(workflow_id).describe()

    async def cancel(self, workflow_id: str) -> None:
        """As somebody would in its own interface."""
        await (await self._client()).get_workflow_handle(workflow_id).cancel()

    async def terminate(self, workflow_id: str) -> None:
        """The same, without telling the workflow."""
        await (await self._client()).get_workflow_handle(workflow_id).terminate()

    async def history(self, workflow_id: str) -> str:
        """All that it keeps of this workflow, as JSON."""
        found = await (await self._client()).get_workflow_handle(workflow_id).fetch_history()
        return str(found.to_json())

    async def _client(self) -> Any:  # Any: the library may not be installed
        return await _library("connect")(self.address, NAMESPACE, self._options())

    def _options(self) -> Mapping[str, Any]:  # as above
        return self._guard.options() if self._guard else {}


def _library(name: str) -> Callable[..., Any]:  # as above
    """Raises ImportError."""
    return cast("Callable[..., Any]", load(f"jackfield.testing.temporal_client:{name}"))


@contextlib.contextmanager
def temporal_server(guard: Guard | None = None) -> Iterator[TemporalServer]:
    """A running one, which goes with everything that it has. Raises `NoTemporalServer`."""
    with tempfile.TemporaryDirectory(prefix="jackfield-temporal-") as name:
        server = TemporalServer(Path(name), guard)
        try:
            yield server.start()
        finally:
            server.kill()
