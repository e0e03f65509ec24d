"""Terminals against their peers, in one run: throughput, echo, starts and memory.

    python bench/terminals.py [--ttyd PATH] [--node-modules DIR] [--size MB] [--write]

terminado is measured where it can be imported, node-pty where --node-modules has `node-pty` and `ws`
(`npm install --prefix DIR node-pty ws`), ttyd where a program is given. Servers and the client share all cores.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from harness import environment, own_resident_mb, process, publish, table, verdict
from terminal_client import TTYD_HELLO, Client, Peer, attach, echo, plain, terminado, throughput, ttyd

from jackfield.testing.daemon import Daemon, free_port, poll
from jackfield.testing.shell import add_shell

HERE = Path(__file__).resolve().parent
ROUNDS = 3


class Ours:
    """A daemon with a profile whose agent is a shell."""

    def __init__(self, directory: Path) -> None:
        self.daemon = Daemon(directory, settings="[terminal]\nmax_sessions = 500\n")
        add_shell(self.daemon)
        self.client = self.daemon.start().client()
        body = {"agent_id": "shell", "alias": "one", "provider_id": "self", "model": "none"}
        made = self.client.post("/api/profiles", json=body)
        if not made.is_success:
            raise RuntimeError(made.text)
        self._shells: dict[str, str] = {}

    def start(self) -> str:
        answer = self.client.post("/api/terminal/sessions", json={"profile_alias": "one"}).raise_for_status()
        return str(answer.json()["data"]["session_id"])

    def path(self, shell: str) -> str:
        if shell not in self._shells:
            self._shells[shell] = self.start()
        return f"/ws/terminal/{self._shells[shell]}"

    @property
    def peer(self) -> Peer:
        return Peer("jackfield", self.daemon.port, self.path, plain)


@contextlib.contextmanager
def peers(options: argparse.Namespace) -> Iterator[list[Peer]]:
    """Every rival that is there, running. Each has a session of its own, as the daemon has: Linux shares processors by
    sessions (autogroup)."""
    with contextlib.ExitStack() as stack:
        found: list[Peer] = []
        if options.ttyd:
            port = free_port()
            stack.enter_context(
                process(["setsid", options.ttyd, "-i", "127.0.0.1", "-p", str(port), "-P", "300", "-W", "/bin/sh"])
            )
            found.append(Peer("ttyd", port, lambda _: "/ws", ttyd, TTYD_HELLO, "tty"))
        if find_spec("terminado"):
            port = free_port()
            stack.enter_context(process(["setsid", sys.executable, str(HERE / "peers/terminado_server.py"), str(port)]))
            found.append(Peer("terminado", port, lambda shell: f"/{shell}", terminado))
        if options.node_modules:
            port = free_port()
            env = {**os.environ, "NODE_PATH": str(Path(options.node_modules).resolve())}
            stack.enter_context(process(["setsid", "node", str(HERE / "peers/node_pty_server.js"), str(port)], env=env))
            found.append(Peer("node-pty", port, lambda shell: f"/{shell}", plain))
        for peer in found:
            poll(lambda peer=peer: _listens(peer), f"{peer.name} listens")  # type: ignore[misc]
        yield found


def _listens(peer: Peer) -> bool:
    with contextlib.suppress(OSError):
        Client(peer, "probe").socket.close()
        return True
    return False


@contextlib.contextmanager
def flood(peer: Peer, shell: str, path: str) -> Iterator[None]:
    """Another shell of the server floods a client of its own meanwhile."""
    [client] = attach(peer, shell, 1)
    client.type(f"while :; do cat {path}; done\n")
    buffer, over = bytearray(1 << 20), threading.Event()

    def drain() -> None:
        while not over.is_set():
            client.take(buffer)

    thread = threading.Thread(target=drain)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        client.type("\x03")  # nobody is to measure beside it afterwards
        client.socket.close()


def measured(peer: Peer, number: int, path: str, size: int) -> list[float]:
    """One and five clients in MB/s, echo p50 idle, p50 and p99 under a flood, in us. number: of the round."""
    one = throughput(peer, f"one{number}", 1, path, size)
    five = throughput(peer, f"five{number}", 5, path, size)
    idle, _ = echo(peer, f"echo{number}", 200)
    with flood(peer, f"flood{number}", path):
        busy, worst = echo(peer, f"busy{number}", 200)
    return [one, five, idle, busy, worst]


def in_turn(servers: Sequence[Peer], path: str, size: int) -> dict[str, list[float]]:
    """Medians of each: whatever else the machine does falls on all of them."""
    found: dict[str, list[list[float]]] = {server.name: [] for server in servers}
    for number in range(ROUNDS):
        for server in servers:
            found[server.name].append(measured(server, number, path, size))
    return {name: [statistics.median(column) for column in zip(*rows, strict=True)] for name, rows in found.items()}


def bare_fork() -> float:
    """ms to start and reap the smallest program."""
    found = []
    for _ in range(40):
        begun = time.perf_counter()
        subprocess.run(["/bin/true"], check=True)
        found.append((time.perf_counter() - begun) * 1e3)
    return statistics.median(found)


def starts(ours: Ours) -> float:
    """ms for the request that starts a session."""
    found = []
    for _ in range(40):
        begun = time.perf_counter()
        name = ours.start()
        found.append((time.perf_counter() - begun) * 1e3)
        ours.client.delete(f"/api/terminal/sessions/{name}")
    return statistics.median(found)


def idle_memory(ours: Ours) -> float:
    """MB of the daemon for each of 100 idle sessions."""
    before = own_resident_mb(ours.daemon.pid)
    for _ in range(100):
        ours.start()
    return (own_resident_mb(ours.daemon.pid) - before) / 100


def compared(own: list[float], name: str, peer: list[float]) -> str:
    """One line, with the goals there are."""
    one, five, echoed = own[0] / peer[0], own[1] / peer[1], own[2] / peer[2]
    if name != "ttyd":
        beside = f"beside a flood {own[3] / peer[3]:.2f} x"
        if name == "node-pty":
            beside += f": {verdict(own[3] <= 1.5 * peer[3])} (goal at most 1.5 x)"
        return f"- Against {name}: {one:.2f} x with one client, {five:.2f} x with five, echo {echoed:.2f} x, {beside}."
    return (
        f"- Against ttyd: {one:.2f} x with one client: {verdict(one >= 1.1)} (goal 1.1 x); {five:.2f} x with five: "
        f"{verdict(five >= 3)} (goal 3 x); echo p50 {echoed:.2f} x: {verdict(echoed <= 1.5)} (goal at most 1.5 x)."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Terminals against their peers.")
    parser.add_argument("--ttyd", help="the program ttyd")
    parser.add_argument("--node-modules", help="a directory node_modules with node-pty and ws")
    parser.add_argument("--size", type=int, default=67, help="MB of output")
    parser.add_argument("--write", action="store_true", help="put the table into docs/benchmarks.md")
    options = parser.parse_args()
    line = b"The quick brown fox jumps over the lazy dog, again and again and again 0123456789\n"
    with tempfile.TemporaryDirectory(dir="/dev/shm") as shared, tempfile.TemporaryDirectory() as directory:
        path = Path(shared, "output.txt")
        path.write_bytes(line * (options.size * 1_000_000 // len(line)))
        size = path.stat().st_size
        ours = Ours(Path(directory))
        try:
            with peers(options) as rivals:
                others = in_turn([ours.peer, *rivals], str(path), size)
            own = others.pop("jackfield")
            begun, bare, memory = starts(ours), bare_fork(), idle_memory(ours)
        finally:
            ours.daemon.close()
    header = ["Server", "MB/s, 1 client", "MB/s, 5 clients", "echo p50 us", "beside a flood p50 us", "p99 us"]
    rows = [[name, *(f"{value:,.0f}" for value in values)] for name, values in {"jackfield": own, **others}.items()]
    said = [
        f"- Start: {begun:.1f} ms, a bare fork {bare:.1f}: {verdict(begun - bare <= 15)} (goal 15 ms more).",
        f"- Memory of an idle session, of 100: {memory:.2f} MB: {verdict(memory <= 0.3)} (goal 0.3 MB).",
        f"- Echo beside a flood, p99: {own[4] / 1e3:.1f} ms: {verdict(own[4] <= 20_000)} (goal 20 ms).",
    ]
    said.extend(compared(own, name, values) for name, values in others.items())
    if "ttyd" not in others:
        said.append("- Goals against ttyd: NOT MEASURED, no --ttyd was given.")
    head = f"`python bench/terminals.py` — {size:,} bytes of text, medians of {ROUNDS} rounds in turn. "
    head += f"{environment('hypercorn', 'wsproto')}."
    publish("terminals", "\n\n".join([head, table(header, rows), "\n".join(said)]), write=options.write)


if __name__ == "__main__":
    main()
