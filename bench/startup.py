"""Cold start: from the start of the process to the first 200 of /ready, against importing what the daemon is built on;
the first request of the management API, which is assembled with it; and commands that need no daemon: those that have
nothing to do but to start, also for the first time after something has changed, and those that open a directory.

They are started in turn; the medians are compared. All find their bytecode compiled and the disk's cache warm.
"""

from __future__ import annotations

import argparse
import http.client
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import harness

from jackfield.testing.daemon import HOST, Daemon

FACTOR = 1.5
READY_MS = 400
COMMAND_MS = 150
IDLE_MB = 60
IDLE_SECONDS = 5
COMMANDS = ("--version", "--help", "serve --help", "workflow --help", "completion bash", "config", "plugins")
KEPT = ("--help", "workflow --help", "config", "plugins")
"""Those of them that say again what they have said before."""
WORKING = ("doctor", "keys show", "agents list", "user list", "workflow list")
"""These load the settings and every plugin, and open the store."""
IMPORTS = "import quart, hypercorn, pydantic"
POLL_SECONDS = 0.001
LIMIT_SECONDS = 20


def import_time() -> float:
    return spent([sys.executable, "-c", IMPORTS], os.environ).wall


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


@dataclass(frozen=True)
class Commands:
    """Runs commands without a daemon. directory: of the configuration; cache: of what they have said before."""

    directory: Path
    cache: Path

    def run(self, command: str) -> Spent:
        program = str(Path(sys.executable).with_name("jackfield"))
        places = {"JACKFIELD_CONFIG_DIR": str(self.directory), "XDG_CACHE_HOME": str(self.cache)}
        environment = {name: value for name, value in os.environ.items() if not name.startswith("JACKFIELD_")}
        return spent([program, *command.split()], {**environment, **places})

    def run_first(self, command: str) -> Spent:
        shutil.rmtree(self.cache, ignore_errors=True)
        return self.run(command)


class Spent(NamedTuple):
    """Seconds: on the clock, and of the processor."""

    wall: float
    cpu: float


def spent(argv: Sequence[str], environment: Mapping[str, str]) -> Spent:
    """By a program that ends with 0, or 1 where it has found something."""
    start = time.perf_counter()
    quiet = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_WRONLY, 0) for number in (1, 2)]
    _, status, used = os.wait4(os.posix_spawn(argv[0], [*argv], environment, file_actions=quiet), 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        sys.exit(f"{' '.join(argv)} has failed")
    return Spent(time.perf_counter() - start, used.ru_utime + used.ru_stime)


@dataclass
class Found:
    """Seconds: imports; first starts in a new directory; later starts in one directory; first management requests; each
    command, and those of `KEPT` as if nothing had been said before. And resident MB, before and after the first
    management request."""

    imports: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    later: list[float] = field(default_factory=list)
    asked: list[float] = field(default_factory=list)
    commands: dict[str, list[Spent]] = field(default_factory=lambda: {command: [] for command in COMMANDS})
    afresh: dict[str, list[Spent]] = field(default_factory=lambda: {command: [] for command in KEPT})
    working: dict[str, list[Spent]] = field(default_factory=lambda: {command: [] for command in WORKING})
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
            measure_commands(found, Path(directory), kept.config_dir)
        ready_time(kept)
        time.sleep(IDLE_SECONDS)
        found.idle = harness.resident_mb(kept.pid)
        asked_time(kept)
        found.used = harness.resident_mb(kept.pid)
        kept.close()
    return found


def measure_commands(found: Found, directory: Path, used: Path) -> None:
    """used: a directory whose daemon has stopped."""
    again, first = (Commands(directory / "none", directory / cache) for cache in ("kept-answers", "no-answers"))
    for command in KEPT:
        again.run(command)
    for command, seconds in found.commands.items():
        seconds.append(again.run(command))
    for command, seconds in found.afresh.items():
        seconds.append(first.run_first(command))
    working = Commands(used, directory / "kept-answers")
    for command, seconds in found.working.items():
        seconds.append(working.run(command))


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
        *(command_row(f"`jackfield {command}`", seconds, floor) for command, seconds in found.commands.items()),
        *(
            command_row(f"`jackfield {command}`, the first after a change", seconds, floor)
            for command, seconds in found.afresh.items()
        ),
        *(
            command_row(f"`jackfield {command}`, which opens the store", seconds, floor)
            for command, seconds in found.working.items()
        ),
    ]
    start = statistics.median(found.later)
    slowest = max(statistics.median(one.wall for one in seconds) for seconds in found.commands.values())
    fits = start / floor <= FACTOR and start * 1000 <= READY_MS and slowest * 1000 <= COMMAND_MS
    ok = fits and found.idle <= IDLE_MB
    command = f"python bench/startup.py --rounds {options.rounds}"
    goals = (
        f"start <= {FACTOR} x imports and {READY_MS} ms, idle <= {IDLE_MB} MB, commands that only start <= "
        f"{COMMAND_MS} ms"
    )
    memory = (
        f"Resident {IDLE_SECONDS} s after the start, child processes included: {found.idle:.0f} MB; behind the first "
        f"management request {found.used:.0f} MB."
    )
    text = "\n\n".join(
        [
            f"`{command}` — medians. {harness.environment('quart', 'hypercorn', 'pydantic')}.",
            harness.table(["", "ms", "spread ms", "x imports", "ms of processors"], rows),
            f"{memory} Goals ({goals}): {harness.verdict(ok)}.",
        ]
    )
    harness.publish("startup", text, write=options.write)
    sys.exit(0 if ok else 1)


def row(name: str, seconds: list[float], floor: float) -> list[str]:
    middle = statistics.median(seconds)
    spread = f"{min(seconds) * 1000:.0f} to {max(seconds) * 1000:.0f}"
    return [name, f"{middle * 1000:.0f}", spread, f"{middle / floor:.2f}", ""]


def command_row(name: str, spent: list[Spent], floor: float) -> list[str]:
    *told, _ = row(name, [one.wall for one in spent], floor)
    return [*told, f"{statistics.median(one.cpu for one in spent) * 1000:.0f}"]


if __name__ == "__main__":
    main()
