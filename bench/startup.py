"""Cold start: from the start of the process to the first 200 of /ready, against importing what the daemon is built on;
the first request of the management API, which is assembled with it; and commands that need no daemon.

They are started in turn; the medians are compared. All find their bytecode compiled and the disk's cache warm.
"""

from __future__ import annotations

import argparse
import http.client
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import harness

from jackfield.testing.daemon import HOST, Daemon

FACTOR = 1.5
READY_MS = 400
COMMAND_MS = 150
IDLE_MB = 60
IDLE_SECONDS = 5
COMMANDS = ("--version", "--help", "serve --help", "completion bash", "config", "plugins")
IMPORTS = "import quart, hypercorn, pydantic"
POLL_SECONDS = 0.001
LIMIT_SECONDS = 20


def import_time() -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", IMPORTS], check=True)
    return time.perf_counter() - start


def ready_time(daemon: Daemon) -> float:
    """Seconds until /ready answers 200; the daemon stays up."""
    start = time.perf_counter()
    daemon.start(wait=False)
    while not ready(daemon.port):
        if time.perf_counter() - start > LIMIT_SECONDS or not daemon.running:
            sys.exit(f"the daemon did not become ready\n{daemon.tail()}")
        time.sleep(POLL_SECONDS)
    return time.perf_counter() - start


def ready(port: int) -> bool:
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", "/ready")
        return connection.getresponse().status == http.HTTPStatus.OK
    except (ConnectionError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def asked_time(daemon: Daemon) -> float:
    """Seconds of the first management request."""
    client = daemon.client(timeout=LIMIT_SECONDS)
    start = time.perf_counter()
    client.get("/api/plugins").raise_for_status()
    return time.perf_counter() - start


def command_time(command: str, directory: Path) -> float:
    """Seconds of a command that needs no daemon, in a directory without one."""
    program = str(Path(sys.executable).with_name("jackfield"))
    environment = {**os.environ, "JACKFIELD_CONFIG_DIR": str(directory)}
    start = time.perf_counter()
    subprocess.run([program, *command.split()], check=True, stdout=subprocess.DEVNULL, env=environment)
    return time.perf_counter() - start


@dataclass
class Found:
    """Seconds: imports; first starts in a new directory; later starts in one directory; first management requests; each
    command. And resident MB, before and after the first management request."""

    imports: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    later: list[float] = field(default_factory=list)
    asked: list[float] = field(default_factory=list)
    commands: dict[str, list[float]] = field(default_factory=lambda: {command: [] for command in COMMANDS})
    idle: float = 0.0
    used: float = 0.0


def measure(rounds: int) -> Found:
    harness.keep_bytecode()
    found = Found()
    with tempfile.TemporaryDirectory() as directory:
        kept = Daemon(Path(directory, "kept"))
        ready_time(kept)
        kept.stop()
        import_time()
        for number in range(rounds):
            found.imports.append(import_time())
            fresh = Daemon(Path(directory, str(number)))
            found.first.append(ready_time(fresh))
            fresh.close()
            found.imports.append(import_time())
            found.later.append(ready_time(kept))
            found.asked.append(asked_time(kept))
            kept.stop()
            for command, seconds in found.commands.items():
                seconds.append(command_time(command, Path(directory, "none")))
        ready_time(kept)
        time.sleep(IDLE_SECONDS)
        found.idle = harness.resident_mb(kept.pid)
        asked_time(kept)
        found.used = harness.resident_mb(kept.pid)
        kept.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--write", action="store_true", help="put the result into docs/benchmarks.md")
    options = parser.parse_args()
    found = measure(options.rounds)
    floor = statistics.median(found.imports)
    rows = [
        row(f"`python -c '{IMPORTS}'`", found.imports, floor),
        row("`jackfield serve` to `/ready`", found.later, floor),
        row("the same, first start in a new directory (makes keys, database, first admin)", found.first, floor),
        row("the first management request, which has the API assembled", found.asked, floor),
        *(row(f"`jackfield {command}`", seconds, floor) for command, seconds in found.commands.items()),
    ]
    start = statistics.median(found.later)
    slowest = max(statistics.median(seconds) for seconds in found.commands.values())
    fits = start / floor <= FACTOR and start * 1000 <= READY_MS and slowest * 1000 <= COMMAND_MS
    ok = fits and found.idle <= IDLE_MB
    command = f"python bench/startup.py --rounds {options.rounds}"
    goals = (
        f"start <= {FACTOR} x imports and {READY_MS} ms, idle <= {IDLE_MB} MB, commands without a daemon <= "
        f"{COMMAND_MS} ms"
    )
    memory = (
        f"Resident {IDLE_SECONDS} s after the start, child processes included: {found.idle:.0f} MB; behind the first "
        f"management request {found.used:.0f} MB."
    )
    text = "\n\n".join(
        [
            f"`{command}` — medians. {harness.environment('quart', 'hypercorn', 'pydantic')}.",
            harness.table(["", "ms", "spread ms", "x imports"], rows),
            f"{memory} Goals ({goals}): {harness.verdict(ok)}.",
        ]
    )
    harness.publish("startup", text, write=options.write)
    sys.exit(0 if ok else 1)


def row(name: str, seconds: list[float], floor: float) -> list[str]:
    middle = statistics.median(seconds)
    spread = f"{min(seconds) * 1000:.0f} to {max(seconds) * 1000:.0f}"
    return [name, f"{middle * 1000:.0f}", spread, f"{middle / floor:.2f}"]


if __name__ == "__main__":
    main()
