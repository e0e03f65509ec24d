"""What `deploy/compose.yaml` or the chart starts, as processes on loopback: PostgreSQL, NATS where it is installed,
the daemons with their environments from there, and Caddy with our Caddyfile, or the balancer of `tests/balanced`."""

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
from jackfield.testing.nats import NoNats, nats_server
from jackfield.testing.postgres import postgres_server

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
DOMAIN = "hooks.example"
PORT = 8765
LOOPBACK = {"JACKFIELD_SERVER_HOST": HOST, "JACKFIELD_SERVER_TRUSTED_PROXIES": HOST}
_HEADERS = re.compile(r"\n\t*health_headers \{[^}]*\}")
_WISH = re.compile(r"\$\{(\w+)(?::[?-][^}]*)?\}")


class PlacedDaemon(Daemon):
    """One of compose; its environment is known when all have their ports."""

    given: dict[str, str]

    def environment(self) -> dict[str, str]:
        return {**super().environment(), **self.given}

    def answers(self) -> bool:
        """Whether it is ready. Raises AssertionError when it has ended."""
        assert self.running, self.tail()
        with contextlib.suppress(httpx.TransportError):
            return self.client().get("/ready").status_code == httpx.codes.OK
        return False


class Composed:
    """Daemons with these environments, by name, over one PostgreSQL. `balancer` is the port at which those with the
    role `ingress` are called as `DOMAIN`; `notes` says where this is not what would be started with containers."""

    def __init__(self, place: Path, environments: Mapping[str, Mapping[str, str]], postgres: int, nats: int) -> None:
        """postgres, nats: their ports; 0: there is no NATS."""
        self._place = place
        self.notes: list[str] = []
        self.daemons = {name: PlacedDaemon(place / name) for name in environments}
        self._places = {f"{name}:{PORT}": f"{HOST}:{daemon.port}" for name, daemon in self.daemons.items()}
        self._places |= {"postgres:5432": f"{HOST}:{postgres}", "nats:4222": f"{HOST}:{nats}"}
        for name, daemon in self.daemons.items():
            daemon.given = {key: self._here(value) for key, value in environments[name].items()} | LOOPBACK
            if not nats:
                daemon.given["JACKFIELD_BUS_NAME"] = "pg"
        if not nats:
            self.notes.append("NATS is not installed: the bus is PostgreSQL's")
        roles = {name: each["JACKFIELD_DAEMON_ROLES"] for name, each in environments.items()}
        self._servers = [self.daemons[name] for name, found in roles.items() if "ingress" in found]
        self.balancer = free_port()

    def _here(self, text: str) -> str:
        """With the places of the services in it."""
        for name, address in self._places.items():
            text = text.replace(name, address)
        return text

    def start(self) -> None:
        for daemon in self.daemons.values():  # at the same time, as compose does
            daemon.start(wait=False)
        for daemon in self.daemons.values():
            poll(daemon.answers, "the daemon is ready", timeout=60)

    @contextlib.contextmanager
    def balanced(self, caddyfile: str) -> Iterator[None]:
        """caddyfile: its text; empty: nothing is said of what balances."""
        caddy = shutil.which("caddy") if caddyfile else None
        if caddy is None:
            self.notes.append("The balancer is that of tests/balanced, no Caddy and no Ingress")
            with balancer([(HOST, daemon.port) for daemon in self._servers], self.balancer):
                yield
            return
        text = self._here(caddyfile).replace("{$DOMAIN} {", f"http://{DOMAIN}:{self.balancer} {{\n\tbind {HOST}")
        text = _HEADERS.sub("", text)  # Caddy names the address itself, which is that of loopback here
        (self._place / "Caddyfile").write_text("{\n\tadmin off\n\tauto_https off\n}\n" + text)
        command = [caddy, "run", "--adapter", "caddyfile", "--config", str(self._place / "Caddyfile")]
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL, env={**os.environ, "HOME": str(self._place)})
        try:
            poll(lambda: listens(self.balancer), "Caddy takes connections", timeout=20)
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


def listens(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex((HOST, port)) == 0


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


def of_compose(env: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Environments of its daemons. env: as `.env` would have it."""
    services: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    given = {"DOMAIN": DOMAIN, **env}
    return {
        name: {key: _WISH.sub(lambda wish: given[wish[1]], str(value)) for key, value in service["environment"].items()}
        for name, service in services.items()
        if "JACKFIELD_DAEMON_ROLES" in service.get("environment", {})
    }


def of_chart(env: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Environments of two pods with flows, and of the first with agents. env: what the Secret is made of."""
    sys.path.insert(0, str(ROOT / "tests/docs"))
    from chart_templates import Chart

    chart = Chart(DEPLOY / "helm/jackfield")
    chart.values |= {"publicHost": DOMAIN, "publicUrl": f"https://{DOMAIN}"}
    templates = {each["metadata"]["name"]: each["spec"] for each in chart.documents() if "template" in each["spec"]}
    password = env["POSTGRES_PASSWORD"]
    secret = {
        "postgres-dsn": f"postgresql://jackfield:{password}@postgres:5432/jackfield",
        "encryption-key": env["JACKFIELD_ENCRYPTION_KEY"],
        "admin-username": env["JACKFIELD_ADMIN_USERNAME"],
        "admin-password": env["JACKFIELD_ADMIN_PASSWORD"],
    }
    pods = [(name, f"{name}-{n}") for name in templates for n in range(2 if name.endswith("flows") else 1)]
    return {
        pod: _environment(templates[name]["template"]["spec"]["containers"][0]["env"], pod, secret)
        for name, pod in pods
    }


def _environment(entries: list[dict[str, Any]], pod: str, secret: Mapping[str, str]) -> dict[str, str]:
    """As Kubernetes would give it. The pod's address is its name, which has a place."""
    made: dict[str, str] = {}
    for entry in entries:
        source = entry.get("valueFrom", {})
        if "secretKeyRef" in source:
            made[entry["name"]] = secret[source["secretKeyRef"]["key"]]
        elif "fieldRef" in source:
            made[entry["name"]] = pod
        else:
            made[entry["name"]] = re.sub(r"\$\((\w+)\)", lambda wish: made[wish[1]], str(entry["value"]))
    return {
        name: value for name, value in made.items() if name not in ("JACKFIELD_CONFIG_DIR", "JACKFIELD_SERVER_PORT")
    }


@contextlib.contextmanager
def started(
    place: Path, environments: Mapping[str, Mapping[str, str]], password: str, caddyfile: str
) -> Iterator[Composed]:
    """Ready to be called. password: of the role and the database `jackfield`, which are made."""
    with contextlib.ExitStack() as stack:
        postgres = stack.enter_context(postgres_server("fsync=on"))
        postgres.run(f"CREATE ROLE jackfield LOGIN PASSWORD '{password}'")
        postgres.run("CREATE DATABASE jackfield OWNER jackfield ENCODING 'UTF8' TEMPLATE template0")
        try:
            nats = stack.enter_context(nats_server()).port
        except NoNats:
            nats = 0
        made = Composed(place, environments, postgres.port, nats)
        stack.callback(made.close)
        made.start()
        stack.enter_context(made.balanced(caddyfile))
        yield made
