"""`jackfield serve`, but two daemons over one PostgreSQL behind a balancer without stickiness: a stand-in for the
program in tests that talk to it over HTTP and WebSocket alone.

    BALANCED_DSN=postgresql://... python tests/balanced/serve.py serve --host H --port P --config-dir DIR

Each daemon has its own directory under DIR, with DIR's config.toml, and the port P on a loopback address of its own.
SIGTERM stops both; when this program dies, both die at once. Other commands than `serve` go to the first directory.
`BALANCED_BUS` chooses the bus, `pg` by default.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import ctypes
import hashlib
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from balancer import Balancer
from views import Views

NAMES = ("one", "two")
ADDRESSES = ("127.0.0.2", "127.0.0.3")
SANDBOXES = tuple(f"JACKFIELD_{table}_NETWORK_SANDBOX" for table in ("TERMINAL", "AGENT_SESSIONS", "PROFILES_RUN"))
"""Whoever comes through another host is on another machine, and would get a sandbox."""
KEY = "an-encryption-key-that-both-daemons-have"
PROGRAM = str(Path(sys.executable).with_name("jackfield"))
_ENDS_WITH_PARENT = 1
"""`PR_SET_PDEATHSIG` of prctl(2)."""
_LIBC = ctypes.CDLL(None)


def environment(config_dir: Path, address: str = "") -> dict[str, str]:
    """Of both daemons. Each directory has a schema of its own, which outlives a restart. address: of the balancer."""
    schema = "b" + hashlib.sha256(str(config_dir.resolve()).encode()).hexdigest()[:20]
    return {
        "JACKFIELD_ENCRYPTION_KEY": KEY,
        "JACKFIELD_SERVER_PUBLIC_URL": address,
        **os.environ,
        "JACKFIELD_STORE_NAME": "postgres",
        "JACKFIELD_STORE_POSTGRES_DSN": os.environ["BALANCED_DSN"],
        "JACKFIELD_STORE_POSTGRES_SCHEMA_NAME": schema,
        **dict.fromkeys(SANDBOXES, "off"),
        "JACKFIELD_HOSTS_ANSWER_TIMEOUT": "10",  # the first answer of a daemon on a busy machine
        "JACKFIELD_BUS_NAME": os.environ.get("BALANCED_BUS", "pg"),
        "JACKFIELD_BUS_PG_CHANNEL": schema,
    }


def homes(config_dir: Path) -> Sequence[dict[str, str]]:
    """The environment of each daemon beyond that: they are on machines of their own, so that only the first one finds
    what agents left in the user's home."""
    second = config_dir / NAMES[1] / "user"
    second.mkdir(mode=0o700, parents=True, exist_ok=True)
    return ({}, {"HOME": str(second)})


def directories(config_dir: Path) -> list[Path]:
    """One per daemon, with the settings that hold for both."""
    made = [config_dir / name for name in NAMES]
    for each in made:
        each.mkdir(mode=0o700, parents=True, exist_ok=True)
        if (config_dir / "config.toml").exists():
            shutil.copy(config_dir / "config.toml", each / "config.toml")
    return made


def end_with_parent() -> None:
    _LIBC.prctl(_ENDS_WITH_PARENT, signal.SIGKILL)


class Cluster:
    """Both daemons, and what stands before them."""

    def __init__(self, host: str, port: int, config_dir: Path, more: Sequence[str]) -> None:
        self._listening = socket.socket()
        self._listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listening.bind((host, port))
        self._host, self._port, self._more = host, port, more
        self._config_dir = config_dir
        self._daemons: list[subprocess.Popen[bytes]] = []
        self._stopping = False

    async def run(self) -> int:
        """Until both have ended; the exit code of the one that has ended by itself, else of the first that failed, or
        0."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop)
        env = environment(self._config_dir, f"http://{self._host}:{self._port}")
        made = directories(self._config_dir)
        views = Views(self._config_dir, made)
        views.prepare()
        for address, directory, more in zip(ADDRESSES, made, homes(self._config_dir), strict=True):
            where = ["--host", address, "--port", str(self._port), "--config-dir", str(directory)]
            self._daemons.append(
                subprocess.Popen(
                    [PROGRAM, "serve", *where, *self._more], env={**env, **more}, preexec_fn=end_with_parent
                )
            )
        await asyncio.gather(*(self._is_ready(address) for address in ADDRESSES))
        servers = [(address, self._port) for address in ADDRESSES]
        server = await Balancer(servers, views.refresh).serve(self._listening)
        while all(code is None for code in self._codes()):
            await asyncio.sleep(0.05)
        ended = [] if self._stopping else [code for code in self._codes() if code is not None]
        self._stop()  # of two that go down together none is left
        while any(code is None for code in self._codes()):
            await asyncio.sleep(0.05)
        server.close()
        return next((abs(code) for code in ended or self._codes() if code), 0)

    def _codes(self) -> list[int | None]:
        return [daemon.poll() for daemon in self._daemons]

    async def _is_ready(self, address: str) -> None:
        """Until this daemon answers, or one has ended. It takes connections long before, which wait then."""
        while all(code is None for code in self._codes()):
            with contextlib.suppress(OSError):
                if b" 200 " in await _status(address, self._port, self._host):
                    return
            await asyncio.sleep(0.05)

    def _stop(self) -> None:
        """Once: a daemon that hears it again does not wait for what is in flight."""
        if self._stopping:
            return
        self._stopping = True
        for daemon in self._daemons:
            if daemon.poll() is None:
                daemon.send_signal(signal.SIGTERM)


async def _status(address: str, port: int, name: str) -> bytes:
    """The first line of the answer to `GET /ready`, asked for by the name that clients give. Raises OSError."""
    reader, writer = await asyncio.open_connection(address, port)
    try:
        writer.write(f"GET /ready HTTP/1.1\r\nHost: {name}:{port}\r\nConnection: close\r\n\r\n".encode())
        return await reader.readline()
    finally:
        writer.close()


def serve(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--config-dir", type=Path, default=os.environ.get("JACKFIELD_CONFIG_DIR"))
    given, more = parser.parse_known_args(arguments)
    try:
        cluster = Cluster(given.host, given.port, given.config_dir, more)
    except OSError as exc:
        print(f"{given.host}:{given.port} cannot be used: {exc.strerror}", file=sys.stderr)
        return 1
    return asyncio.run(cluster.run())


def other(arguments: Sequence[str]) -> int:
    """A command about the store that both daemons share."""
    given = list(arguments)
    at = given.index("--config-dir") + 1
    config_dir = Path(given[at])
    given[at] = str(directories(config_dir)[0])
    return subprocess.run([PROGRAM, *given], env=environment(config_dir), check=False).returncode


if __name__ == "__main__":
    sys.exit(serve(sys.argv[2:]) if sys.argv[1:2] == ["serve"] else other(sys.argv[1:]))
