"""What `deploy/compose.yaml` starts, as processes on loopback: PostgreSQL, NATS where it is installed, the daemons with
its environments, and Caddy with our Caddyfile, or else the balancer of `tests/balanced`."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import yaml

from jackfield.testing.daemon import HOST, Daemon, free_port, poll
from jackfield.testing.nats import NatsServer, NoNats, nats_server
from jackfield.testing.postgres import PostgresServer, postgres_server

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
DOMAIN = "hooks.example"
PORT = 8765
_WISH = re.compile(r"\$\{(\w+)(?::[?-][^}]*)?\}")


class PlacedDaemon(Daemon):
    """One of compose; its environment is known when all have their ports."""

    given: Mapping[str, str] = {}

    def environment(self) -> dict[str, str]:
        return {**super().environment(), **self.given}

    def answers(self) -> bool:
        """Whether it is ready. Raises AssertionError when it has ended."""
        assert self.running, self.tail()
        with contextlib.suppress(httpx.TransportError):
            return self.client().get("/ready").status_code == httpx.codes.OK
        return False


class Composed:
    """The services of compose. `balancer` is the port at which they are called as `DOMAIN`; `notes` says where this is
    not what compose would start."""

    def __init__(self, place: Path, postgres: PostgresServer, nats: NatsServer | None, env: Mapping[str, str]) -> None:
        services: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
        self._given = {"DOMAIN": DOMAIN, **env}
        self.daemons = {
            name: PlacedDaemon(place / name)
            for name, service in services.items()
            if "JACKFIELD_DAEMON_ROLES" in str(service)
        }
        self.places = {f"{name}:{PORT}": f"{HOST}:{daemon.port}" for name, daemon in self.daemons.items()}
        self.places["postgres:5432"] = f"{HOST}:{postgres.port}"
        self.notes: list[str] = []
        if nats is not None:
            self.places["nats:4222"] = f"{HOST}:{nats.port}"
        else:
            self.notes.append("NATS is not installed: the bus is PostgreSQL's")
        for name, daemon in self.daemons.items():
            environment = {key: self._here(str(value)) for key, value in services[name]["environment"].items()}
            environment |= {"JACKFIELD_SERVER_HOST": HOST, "JACKFIELD_SERVER_TRUSTED_PROXIES": HOST}
            if nats is None:
                environment["JACKFIELD_BUS_NAME"] = "pg"
            daemon.given = environment
        self.balancer = free_port()
        self._place = place

    def _here(self, text: str) -> str:
        """A value of compose with what `.env` gives, and with the places of its services."""
        text = _WISH.sub(lambda wish: self._given[wish[1]], text)
        for name, address in self.places.items():
            text = text.replace(name, address)
        return text

    def start(self) -> None:
        for daemon in self.daemons.values():  # at the same time, as compose does
            daemon.start(wait=False)
        for daemon in self.daemons.values():
            poll(daemon.answers, "the daemon is ready", timeout=60)

    @contextlib.contextmanager
    def balanced(self) -> Iterator[None]:
        if (caddy := shutil.which("caddy")) is None:
            self.notes.append("Caddy is not installed: the balancer of tests/balanced stands in its place")
            with balancer([(HOST, daemon.port) for daemon in self.daemons.values()], self.balancer):
                yield
            return
        text = self._here((DEPLOY / "Caddyfile").read_text()).replace("{$DOMAIN}", f"http://{DOMAIN}:{self.balancer}")
        for daemon in self.daemons.values():  # each knows itself by its own port
            text = text.replace(f"Host {HOST}:{PORT}", f"Host {HOST}:{daemon.port}")
        (self._place / "Caddyfile").write_text("{\n\tadmin off\n\tauto_https off\n}\n" + text)
        command = [caddy, "run", "--adapter", "caddyfile", "--config", str(self._place / "Caddyfile")]
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL, env={**os.environ, "HOME": str(self._place)})
        try:
            yield
        finally:
            process.terminate()
            process.wait(10)

    def client(self, **headers: str) -> httpx.Client:
        """By the balancer, under the name that is given out."""
        address = f"http://{HOST}:{self.balancer}"
        return httpx.Client(base_url=address, headers={"Host": DOMAIN, **headers}, timeout=30, trust_env=False)

    def close(self) -> None:
        for daemon in self.daemons.values():
            daemon.close()


@contextlib.contextmanager
def balancer(servers: list[tuple[str, int]], port: int) -> Iterator[None]:
    """Round robin, on a thread of its own."""
    sys.path.insert(0, str(ROOT / "tests/balanced"))
    from balancer import Balancer

    listening = socket.socket()
    listening.bind((HOST, port))
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        async with await Balancer(servers).serve(listening) as server:
            await server.serve_forever()

    def run() -> None:
        with contextlib.suppress(asyncio.CancelledError):
            loop.run_until_complete(task)

    task = loop.create_task(serve())
    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        loop.call_soon_threadsafe(task.cancel)
        thread.join(10)


@contextlib.contextmanager
def composed(place: Path, env: Mapping[str, str]) -> Iterator[Composed]:
    """Ready to be called. env: as `.env` would have it."""
    with contextlib.ExitStack() as stack:
        postgres = stack.enter_context(postgres_server("fsync=on"))
        password = env["POSTGRES_PASSWORD"]
        postgres.run(f"CREATE ROLE jackfield LOGIN PASSWORD '{password}'")
        postgres.run("CREATE DATABASE jackfield OWNER jackfield ENCODING 'UTF8' TEMPLATE template0")
        try:
            nats = stack.enter_context(nats_server())
        except NoNats:
            nats = None
        made = Composed(place, postgres, nats, env)
        stack.callback(made.close)
        made.start()
        stack.enter_context(made.balanced())
        yield made
